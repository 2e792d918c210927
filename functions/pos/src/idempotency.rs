//! Idempotency keys of issue and redeem, and replayed responses.

use shared::app::App;
use shared::domain::ids::MerchantId;
use shared::http::body::RawBody;
use shared::http::fault::Fault;
use shared::http::idempotency_key::IntentHeaders;
use shared::http::money_moved::{Certainty, MoneyMoved};
use shared::http::reply::Replayable;
use shared::invocation::Invocation;
use shared::operations::{
    EarlierRequest, IdempotencyError, IdempotencyKey, KeyedRoute, OperationStatus, ScopedKey,
};

pub(crate) const KEY_TEXT: &str = "1 to 255 visible ASCII characters, remembered for two years. For 90 days a repeat of the \
     request with the same body returns the first response, with `Idempotent-Replayed: true`; codes of cards are null in it after \
     a week. Later it is refused (409, `KEY_EXPIRED`). After an error that says nothing about the request (the card network was \
     busy or could not be reached), a repeat is a new attempt.";

pub(crate) fn key_for_request(
    IntentHeaders { key, made_at }: &IntentHeaders,
    merchant: &MerchantId,
    route: KeyedRoute,
    body: &RawBody,
) -> Option<IdempotencyKey> {
    let key = key.as_ref().map(|key| ScopedKey::new(merchant, route, key, *made_at));
    key.map(|key| IdempotencyKey::new(key, &body.0))
}

/// The earlier request with the same key, unless the key is malformed: that is an error only after the checks of access.
pub(crate) async fn earlier_request(
    app: &App,
    invocation: &Invocation,
    key: &Result<Option<IdempotencyKey>, Fault>,
    certainty: &mut Certainty,
) -> Result<Option<EarlierRequest>, IdempotencyError> {
    let earlier = match key {
        Err(_) => return Ok(None),
        Ok(None) => Ok(None),
        Ok(Some(key)) => key.earlier_request(app, invocation).await,
    };
    certainty.looked_up(&earlier);
    earlier
}

/// Marks the response to an earlier request, if it is final.
pub(crate) fn replayed<T>(
    response: Result<T, Fault>,
    earlier: &EarlierRequest,
    certainty: &mut Certainty,
) -> Result<Replayable<T>, Fault> {
    certainty.is(MoneyMoved::by(&earlier.status, !earlier.key_is_closed));
    match earlier.status {
        OperationStatus::Closed(_) => response.map(Replayable::Replayed).map_err(Fault::replayed),
        OperationStatus::Unknown => response.map(Replayable::First),
    }
}
