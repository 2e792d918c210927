//! Idempotency keys of issue and redeem, and replayed responses.

use shared::domain::ids::MerchantId;
use shared::http::body::RawBody;
use shared::http::fault::Fault;
use shared::http::idempotency_key::IntentHeaders;
use shared::http::reply::Replayable;
use shared::operations::{IdempotencyKey, KeyedRoute, OperationStatus};

pub(crate) const KEY_TEXT: &str = "1 to 255 visible ASCII characters, kept for 24 hours. A repeat of the request with the \
     same body returns the first response, with `Idempotent-Replayed: true`. After an error that says nothing about the \
     request (the card network was busy or could not be reached), a repeat is a new attempt.";

pub(crate) fn key_for_request(
    IntentHeaders { key, made_at }: &IntentHeaders,
    merchant: &MerchantId,
    route: KeyedRoute,
    body: &RawBody,
) -> Option<IdempotencyKey> {
    key.as_ref().map(|key| IdempotencyKey::new(merchant, route, key, *made_at, &body.0))
}

/// Marks the response to an earlier request, if it is final.
pub(crate) fn replayed<T>(
    response: Result<T, Fault>,
    status: &OperationStatus,
) -> Result<Replayable<T>, Fault> {
    match status {
        OperationStatus::Closed(_) => response.map(Replayable::Replayed).map_err(Fault::replayed),
        OperationStatus::Unknown => response.map(Replayable::First),
    }
}
