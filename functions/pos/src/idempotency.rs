//! Idempotency keys of issue and redeem, and replayed responses.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use shared::domain::ids::MerchantId;
use shared::http::body::RawBody;
use shared::http::idempotency_key::{KeyHeader, REPLAYED};
use shared::operations::{IdempotencyKey, KeyedRoute, OperationStatus};

pub(crate) const KEY_TEXT: &str = "1 to 255 visible ASCII characters, kept for 24 hours. A repeat of the request with the \
     same body returns the first response, with `Idempotent-Replayed: true`. After an error that says nothing about the \
     request (the card network was busy or could not be reached), a repeat is a new attempt.";

pub(crate) fn key_for_request(
    KeyHeader(key): &KeyHeader,
    merchant: &MerchantId,
    route: KeyedRoute,
    body: &RawBody,
) -> Option<IdempotencyKey> {
    key.as_ref().map(|key| IdempotencyKey::new(merchant, route, key, &body.0))
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
