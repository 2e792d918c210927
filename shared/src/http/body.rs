//! Request bodies: JSON, whatever the content type says, with errors that name the field.

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::fault::Fault;
use crate::app::App;

/// The largest JSON body, in bytes. No request of the API comes near it.
pub const MOST_JSON: usize = 1024 * 1024;

/// A JSON body as `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// A body as it came, for endpoints that need its text.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

impl RawBody {
    /// Reads the text as JSON. The message names the field that is wrong.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let mut json = serde_json::Deserializer::from_slice(&self.0);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| unreadable(&error))?;
        json.end().map_err(|_| Fault::invalid("The body is not valid JSON."))?;
        Ok(value)
    }
}

fn unreadable(error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let cause = error.inner();
    if !cause.is_data() {
        return Fault::invalid("The body is not valid JSON.");
    }
    let message = cause.to_string();
    // serde_json adds where in the text it was, which tells a caller nothing that the field does not.
    let message = message.split(" at line ").next().unwrap_or_default();
    match error.path().to_string().as_str() {
        "." => Fault::invalid(format!("body: {message}")),
        field => Fault::invalid(format!("{field}: {message}")),
    }
}

impl FromRequest<App> for RawBody {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &App) -> Result<Self, Fault> {
        read(request, MOST_JSON).await.map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &App) -> Result<Self, Fault> {
        RawBody::from_request(request, app).await?.parse().map(Self)
    }
}

/// The whole body, if it is no longer than `most` bytes.
pub(super) async fn read(request: Request, most: usize) -> Result<Bytes, Fault> {
    let too_large = || Fault::too_large(format!("The body is larger than {most} bytes."));
    to_bytes(request.into_body(), most).await.map_err(|_| too_large())
}
