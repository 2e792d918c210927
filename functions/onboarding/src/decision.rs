//! `POST /api/public/merchant/kyb-decision`: receives verification decisions from the identity verifier.

use axum::extract::State;
use http::HeaderMap;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use shared::app::App;
use shared::db::{StoreError, Update};
use shared::endpoint_error;
use shared::http::{Description, NoData, Public, RawBody, examples};
use shared::merchants::model::activity::Actor;
use shared::merchants::model::merchant::{Merchant, MerchantStatus, Verification};
use shared::verifier::{Decision, DecisionCall, DecisionError, SIGNATURE_HEADER};

pub(crate) fn describe() -> Description {
    Description::new(
        "receiveVerificationDecision",
        "Receive a verification decision",
        "Webhook of the identity verifier: receives the result of a verification session.",
    )
    .required_header(SIGNATURE_HEADER, "HMAC-SHA256 of the raw body, in lowercase hex.")
    .body::<DecisionCall>(json!({"verification": {
        "id": examples::VERIFICATION_SESSION, "vendorData": examples::MERCHANT,
        "companyId": examples::VERIFIED_COMPANY, "status": "approved", "reason": null,
        "decidedAt": "2025-11-04T12:00:00Z",
    }}))
    .ok("The decision was received. The merchant may be unchanged.")
}

endpoint_error! {
    pub(crate) enum ReceiveDecisionError {
        /// The body is signed but is not a decision.
        Unreadable => 400 INVALID_REQUEST "The body is not a decision.",
        /// The signature of the raw body is missing or invalid.
        NotSigned => 401 UNAUTHORIZED "The signature is missing or wrong.",
    }
}

impl From<DecisionError> for ReceiveDecisionError {
    fn from(error: DecisionError) -> Self {
        match error {
            DecisionError::NotSigned => Self::NotSigned,
            DecisionError::Unreadable => Self::Unreadable,
            DecisionError::Secret(error) => error.into(),
        }
    }
}

/// Applies the decision. Responds with `{ok: true}` even if the merchant is unchanged, because the verifier retries
/// after errors.
pub(crate) async fn receive_decision(
    _: Public,
    State(app): State<App>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<NoData, ReceiveDecisionError> {
    let decision = app.verifier().decision(&headers, &body).await?;
    let now = app.clock.now();
    if is_in_future(decision.decided_at, now) {
        tracing::error!(merchant = %decision.merchant_id, at = %decision.decided_at, "ignored a decision of the future");
        app.metrics.record_future_decision();
        return Ok(NoData);
    }
    // Applied to the current merchant: of two concurrent decisions, the later one wins.
    if let Some(merchant) = app.store.merchant(&decision.merchant_id).await? {
        let apply = |merchant: &Merchant| {
            let Some(row) = after_decision(merchant, &decision, now) else {
                return Ok::<_, StoreError>((None, ()));
            };
            let with = app.store.record_changes(&Actor::system(), merchant, &row, now)?;
            Ok((Some(Update { row, with }), ()))
        };
        app.store.update(merchant, apply).await?;
    }
    Ok(NoData)
}

/// How far the verifier's clock can be ahead of ours.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(10);

/// Whether a decision cannot have been taken yet. It would win over every decision until then.
fn is_in_future(decided_at: Timestamp, now: Timestamp) -> bool {
    decided_at.duration_since(now) > MAX_CLOCK_SKEW
}

/// Returns the merchant after the decision. `None` if the decision is about another verification session, older than
/// the last applied one or a repeat of it, or if the merchant awaits no verification.
fn after_decision(merchant: &Merchant, decision: &Decision, now: Timestamp) -> Option<Merchant> {
    let current = &merchant.verification;
    let is_current = current.session_id.as_ref() == Some(&decision.session_id);
    let last = current.decided_at.filter(|last| !is_in_future(*last, now));
    let is_outdated = last.is_some_and(|last| decision.decided_at < last);
    // Applied again after the merchant's status changed, a repeat would revert it.
    let is_repeat = current.decided_at == Some(decision.decided_at) && current.kyb_status.as_ref() == Some(&decision.status);
    if !is_current || is_outdated || is_repeat || !merchant.status.known().is_some_and(MerchantStatus::awaits_verification) {
        return None;
    }
    let verification =
        Verification { kyb_status: Some(decision.status.clone()), decided_at: Some(decision.decided_at), ..current.clone() };
    Some(Merchant { status: decision.merchant_status()?.into(), verification, ..merchant.clone() })
}
