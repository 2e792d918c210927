//! The success responses that most routes share.

use axum::Json;
use axum::response::{AppendHeaders, IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa::openapi::schema::{AllOfBuilder, ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{ContentBuilder, RefOr, ResponseBuilder};

use super::described_error::DescribedError;
use super::description::{header, idempotent_replayed};
use super::endpoint_error::EndpointError;
use super::fault::REPLAYED;
use super::html::{self, Page};
use super::money_moved::{AboutOperation, Certain, Unanswered};
use super::schemas::{Schemas, always_true, described, response_schema};
use super::success::{Success, with_json};

/// `{ok: true, data}`.
#[derive(Debug)]
pub struct Data<T>(pub T);

/// `{ok: true, data}`, where `data` is an array.
#[derive(Debug)]
pub struct List<T>(pub Vec<T>);

/// `{ok: true, data}` with the status 201.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// `{ok: true, data}` with the status 202: the work goes on after the response.
#[derive(Debug)]
pub struct Accepted<T>(pub T);

/// `{ok: true}` with the fields of `T`.
#[derive(Debug)]
pub struct Flattened<T>(pub T);

/// `{ok: true}`.
#[derive(Debug)]
pub struct NoData;

/// A response of a route that takes an `Idempotency-Key`.
#[derive(Debug)]
pub enum Replayable<T> {
    /// What was requested has been done now.
    First(T),
    /// The response to the first request with the same key, with `Idempotent-Replayed: true`.
    Replayed(T),
}

/// A response that sets cookies.
#[derive(Debug)]
pub struct WithCookies<T> {
    /// Values of `Set-Cookie`.
    cookies: Vec<HeaderValue>,
    response: T,
}

impl<T> WithCookies<T> {
    pub fn new(cookies: impl IntoIterator<Item = Option<HeaderValue>>, response: T) -> Self {
        Self { cookies: cookies.into_iter().flatten().collect(), response }
    }
}

#[derive(Serialize)]
struct Body<T> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<T>,
}

#[derive(Serialize)]
struct FlattenedBody<T> {
    ok: bool,
    #[serde(flatten)]
    fields: T,
}

fn ok_object() -> ObjectBuilder {
    ObjectBuilder::new().property("ok", always_true()).required("ok")
}

/// Describes `{ok: true, data}`.
fn with_data(response: ResponseBuilder, data: impl Into<RefOr<Schema>>, example: &Value) -> ResponseBuilder {
    let data = described(data.into(), "The result of the request.");
    let body = ok_object().property("data", data).required("data");
    with_json(response, body, json!({"ok": true, "data": example}))
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

impl<T: Serialize + ToSchema> Success for Data<T> {
    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        with_data(response, response_schema::<T>(schemas), &example)
    }
}

impl<T: Serialize> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        Data(self.0).into_response()
    }
}

impl<T: Serialize + ToSchema> Success for List<T> {
    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        let list = ArrayBuilder::new().items(response_schema::<T>(schemas));
        with_data(response, list, &json!([example]))
    }
}

impl<T: Serialize + ToSchema> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (Self::STATUS, Data(self.0)).into_response()
    }
}

impl<T: Serialize + ToSchema> Success for Created<T> {
    const STATUS: StatusCode = StatusCode::CREATED;

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        Data::<T>::describe(response, example, schemas)
    }
}

impl<T: Serialize + ToSchema> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        (Self::STATUS, Data(self.0)).into_response()
    }
}

impl<T: Serialize + ToSchema> Success for Accepted<T> {
    const STATUS: StatusCode = StatusCode::ACCEPTED;

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        Data::<T>::describe(response, example, schemas)
    }
}

impl<T: Serialize> IntoResponse for Flattened<T> {
    fn into_response(self) -> Response {
        Json(FlattenedBody { ok: true, fields: self.0 }).into_response()
    }
}

impl<T: Serialize + ToSchema> Success for Flattened<T> {
    fn describe(response: ResponseBuilder, mut example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        let body = AllOfBuilder::new().item(ok_object()).item(response_schema::<T>(schemas));
        if let Some(fields) = example.as_object_mut() {
            fields.insert("ok".to_owned(), json!(true));
        }
        with_json(response, Schema::from(body), example)
    }
}

impl IntoResponse for NoData {
    fn into_response(self) -> Response {
        Json(Body::<()> { ok: true, data: None }).into_response()
    }
}

impl Success for NoData {
    fn describe(response: ResponseBuilder, _: Value, _: &mut Schemas) -> ResponseBuilder {
        with_json(response, ok_object(), json!({"ok": true}))
    }
}

impl<T: IntoResponse> IntoResponse for Replayable<T> {
    fn into_response(self) -> Response {
        match self {
            Self::First(response) => response.into_response(),
            Self::Replayed(response) => {
                let mut response = response.into_response();
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                response
            }
        }
    }
}

impl<T: Success> Success for Replayable<T> {
    const STATUS: StatusCode = T::STATUS;
    const REPLAYS: bool = true;

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        T::describe(response, example, schemas).header("Idempotent-Replayed", idempotent_replayed())
    }
}

impl<T: IntoResponse> IntoResponse for WithCookies<T> {
    fn into_response(self) -> Response {
        let cookies = self.cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie));
        (AppendHeaders(cookies), self.response).into_response()
    }
}

impl<T: Success> Success for WithCookies<T> {
    const STATUS: StatusCode = T::STATUS;
    const REPLAYS: bool = T::REPLAYS;

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        let text = "Sets or deletes the cookies of the browser, if necessary.";
        T::describe(response, example, schemas).header("Set-Cookie", header(text))
    }
}

impl<T: Success, E: EndpointError> Success for Certain<T, E> {
    const STATUS: StatusCode = T::STATUS;
    const REPLAYS: bool = T::REPLAYS;
    const MONEY_MOVED: Option<Unanswered> = Some(Unanswered::ByKey);

    fn errors() -> Vec<DescribedError> {
        E::describe()
    }

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        T::describe(response, example, schemas)
    }
}

impl<T: Success> Success for AboutOperation<T> {
    const STATUS: StatusCode = T::STATUS;
    const REPLAYS: bool = T::REPLAYS;
    const MONEY_MOVED: Option<Unanswered> = Some(Unanswered::Unknown);

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        T::describe(response, example, schemas)
    }
}

impl Success for Page {
    fn describe(response: ResponseBuilder, _: Value, _: &mut Schemas) -> ResponseBuilder {
        let content = ContentBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::String)));
        response.content(html::CONTENT_TYPE, content.build()).header("Content-Language", header("The language of the page."))
    }
}
