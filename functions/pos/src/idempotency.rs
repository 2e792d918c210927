//! The `Idempotency-Key` header, and replayed responses.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderName, HeaderValue, header};
use shared::app::App;
use shared::domain::ids::MerchantId;
use shared::http::body::RawBody;
use shared::http::fault::Fault;
use shared::operations::{IdempotencyKey, KeyedRoute, OperationStatus};

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
pub(crate) const KEY_HEADER: &str = "Idempotency-Key";
pub(crate) const KEY_TEXT: &str = "1 to 255 visible ASCII characters, kept for 24 hours. A repeat of the request with the \
     same body returns the first response, with `Idempotent-Replayed: true`. After an error that says nothing about the \
     request (the card network was busy or could not be reached), a repeat is a new attempt.";
const MAX_KEY_LENGTH: usize = 255;

/// The optional header. 400 unless it is 1 to 255 visible ASCII characters.
#[derive(Debug)]
pub(crate) struct KeyHeader(Option<String>);

impl FromRequestParts<App> for KeyHeader {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        let mut values = parts.headers.get_all(HEADER).into_iter();
        let key = match (values.next(), values.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.as_bytes()),
            (Some(_), Some(_)) => return Err(Fault::invalid("Idempotency-Key: is given more than once.")),
        };
        let parse = |key: &[u8]| {
            let is_valid = (1..=MAX_KEY_LENGTH).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic);
            is_valid.then(|| String::from_utf8_lossy(key).into_owned())
        };
        let invalid = || Fault::invalid("Idempotency-Key: must be 1 to 255 visible ASCII characters.");
        key.map(|key| parse(key).ok_or_else(invalid)).transpose().map(Self)
    }
}

impl KeyHeader {
    pub(crate) fn for_request(
        &self,
        merchant: &MerchantId,
        route: KeyedRoute,
        body: &RawBody,
    ) -> Option<IdempotencyKey> {
        self.0.as_ref().map(|key| IdempotencyKey::new(merchant, route, key, &body.0))
    }
}

/// Marks the final response to an earlier request. The time to wait that came with it has passed.
pub(crate) fn replayed(response: impl IntoResponse, status: &OperationStatus) -> Response {
    let mut response = response.into_response();
    if matches!(status, OperationStatus::Closed(_)) {
        response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        response.headers_mut().remove(header::RETRY_AFTER);
    }
    response
}
