//! `PATCH /api/admin/payouts/{id}`: confirm that a payout is paid, or cancel it.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::http::access::RecentlySignedIn;
use shared::http::body::{JsonBody, enum_from_string, non_null};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::payouts::{ConfirmedBy, DecidePayoutError, Decision, DecisionError, decide_payout};
use utoipa::ToSchema;

use crate::payouts::{self, PayoutView, building, payout_of_path};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PayoutDecision)]
pub(crate) struct Body {
    /// `PAID` once the money is sent. `CANCELLED` returns the settlements, which wait for another payout.
    #[serde(deserialize_with = "enum_from_string")]
    status: DecidedStatus,
    /// The reference of the payment. Required for `PAID`, refused for `CANCELLED`.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(nullable = false, pattern = r"\S", max_length = 140)]
    reference: Option<String>,
    /// Why it is not paid, for the audit trail. Required for `CANCELLED`, refused for `PAID`.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(nullable = false, pattern = r"\S", max_length = 500)]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
enum DecidedStatus {
    Paid,
    Cancelled,
}

/// As long as the remittance information of a SEPA transfer.
const MAX_REFERENCE_LENGTH: usize = 140;
pub(crate) const MAX_REASON_LENGTH: usize = 500;

impl Body {
    fn decision(self) -> Result<Decision, Fault> {
        let not_with = |field: &str, status: &str| {
            Err(Fault::invalid(format!("{field}: cannot be given with {status}.")))
        };
        match self {
            Self { status: DecidedStatus::Paid, reason: Some(_), .. } => not_with("reason", "PAID"),
            Self { status: DecidedStatus::Cancelled, reference: Some(_), .. } => {
                not_with("reference", "CANCELLED")
            }
            Self { status: DecidedStatus::Paid, reference, .. } => {
                Ok(Decision::Paid { reference: text("reference", reference, MAX_REFERENCE_LENGTH)? })
            }
            Self { status: DecidedStatus::Cancelled, reason, .. } => {
                Ok(Decision::Cancelled { reason: text("reason", reason, MAX_REASON_LENGTH)? })
            }
        }
    }
}

/// A required text of one line, trimmed.
pub(crate) fn text(field: &str, text: Option<String>, max_length: usize) -> Result<String, Fault> {
    let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Fault::invalid(format!("{field}: is missing.")))?;
    if text.chars().count() > max_length || text.chars().any(char::is_control) {
        let message =
            format!("{field}: must be at most {max_length} characters, without control characters.");
        return Err(Fault::invalid(message));
    }
    Ok(text)
}

/// Returns the payout. Its settlements follow after the response.
///
/// 403 for the administrator's own merchant, and for the payment of a payout that they started themselves; 409 before the
/// payout is complete, once it is decided otherwise, and for the payment of a merchant that is not to be paid.
pub(crate) async fn decide(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    path: PathIds,
    JsonBody(body): JsonBody<Body>,
) -> Result<Data<PayoutView>, Fault> {
    let decision = body.decision()?;
    let payout = payout_of_path(&app, &path).await?;
    administrator.require_other(&app, &payout.merchant_id).await?;
    let by = &administrator.user.id;
    let confirmed_by =
        if app.settings.payouts_by_one { ConfirmedBy::Anyone } else { ConfirmedBy::SecondPerson };
    let decided = decide_payout(&app.store, payout, &decision, by, confirmed_by, &app.clock).await;
    payouts::view(&app, &decided.map_err(refused)?).await.map(Data)
}

fn refused(error: DecidePayoutError) -> Fault {
    match error {
        DecidePayoutError::Refused(DecisionError::SecondPerson) => {
            let message = "Another administrator than the one who started the payout has to confirm it.";
            Fault::forbidden(message).code("SECOND_PERSON")
        }
        DecidePayoutError::Refused(DecisionError::NotSealed) => building(),
        DecidePayoutError::Refused(DecisionError::DecidedOtherwise) => {
            Fault::conflict("BATCH_CLOSED", "The payout was decided otherwise before.")
        }
        DecidePayoutError::NotPayable(reason) => Fault::conflict("MERCHANT_NOT_PAYABLE", reason.to_string()),
        DecidePayoutError::Store(error) => error.into(),
    }
}

pub(crate) fn describe() -> Description {
    Description::new("decidePayout", 
        "Confirm or cancel a payout",
        "Confirms that a payout is paid, or cancels it: its settlements wait for another payout then. One decision is \
         taken; the same one can be repeated.",
    )
    .body::<Body>(json!({"status": "PAID", "reference": "SEPA-2026-01-15-7"}))
    .success("The payout.", payouts::example())
    .error(400, "A field is missing or invalid.")
    .message("reference: is missing.")
    .coded_error(403, &["SECOND_PERSON"], "Somebody else has to decide this payout (`SECOND_PERSON`).")
    .error(404, "There is no such payout.")
    .message("There is no such payout.")
    .coded_error(
        409,
        &["BATCH_BUILDING", "BATCH_CLOSED", "MERCHANT_NOT_PAYABLE"],
        "Settlements are still joining (`BATCH_BUILDING`), it was decided otherwise (`BATCH_CLOSED`), or it cannot be `PAID` \
         because its merchant is neither `ACTIVE` nor `INACTIVE` or has changed its identity (`MERCHANT_NOT_PAYABLE`).",
    )
}

#[cfg(test)]
mod tests {
    use shared::http::body::RawBody;

    use super::*;

    #[test]
    fn a_decision_has_a_reference_or_a_reason() {
        let decision = |body: &str| {
            let body = RawBody(body.to_owned().into()).parse::<Body>().and_then(Body::decision);
            body.map_err(|fault| fault.message().to_owned())
        };
        let paid = Decision::Paid { reference: "A 1".to_owned() };
        assert_eq!(decision(r#"{"status": "PAID", "reference": " A 1 "}"#), Ok(paid));
        let cancelled = Decision::Cancelled { reason: "No".to_owned() };
        assert_eq!(decision(r#"{"status": "CANCELLED", "reason": "No"}"#), Ok(cancelled));
        for (body, message) in [
            (r#"{"status": "PAID"}"#.to_owned(), "reference: is missing."),
            (r#"{"status": "PAID", "reference": " "}"#.to_owned(), "reference: is missing."),
            (r#"{"status": "PAID", "reference": null}"#.to_owned(), "reference: must be a string."),
            (r#"{"status": "CANCELLED"}"#.to_owned(), "reason: is missing."),
            (
                r#"{"status": "CANCELLED", "reason": "a", "reference": "b"}"#.to_owned(),
                "reference: cannot be given with CANCELLED.",
            ),
            (
                r#"{"status": "PAID", "reason": "a", "reference": "b"}"#.to_owned(),
                "reason: cannot be given with PAID.",
            ),
            (r#"{"status": "PAYING", "reference": "b"}"#.to_owned(), "status: must be PAID or CANCELLED."),
            (
                format!(r#"{{"status": "PAID", "reference": "{}"}}"#, "x".repeat(141)),
                "reference: must be at most 140 characters, without control characters.",
            ),
            (
                r#"{"status": "CANCELLED", "reason": "a\nb"}"#.to_owned(),
                "reason: must be at most 500 characters, without control characters.",
            ),
        ] {
            assert_eq!(decision(&body), Err(message.to_owned()), "{body}");
        }
    }
}
