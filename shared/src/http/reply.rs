//! The success responses that most routes share.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::{Serialize, Serializer};

/// `{ok: true, data}`.
#[derive(Debug)]
pub struct Data<T>(pub T);

/// `{ok: true}` with the fields of `T`.
#[derive(Debug)]
pub struct Flattened<T>(pub T);

/// `{ok: true}`.
#[derive(Debug)]
pub struct NoData;

#[derive(Serialize)]
struct Body<T> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<T>,
}

impl<T: Serialize> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Body { ok: true, data: Some(&self.0) }.serialize(serializer)
    }
}

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

#[derive(Serialize)]
struct FlattenedBody<T> {
    ok: bool,
    #[serde(flatten)]
    fields: T,
}

impl<T: Serialize> IntoResponse for Flattened<T> {
    fn into_response(self) -> Response {
        Json(FlattenedBody { ok: true, fields: self.0 }).into_response()
    }
}

impl IntoResponse for NoData {
    fn into_response(self) -> Response {
        Json(Body::<()> { ok: true, data: None }).into_response()
    }
}
