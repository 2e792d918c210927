//! `PATCH /api/admin/payouts/{id}`: confirm that a payout is paid, or cancel it.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::endpoint_error;
use shared::http::bounded::Text;
use shared::http::{Data, Description, Invalid, JsonBody, OwnMerchant, PathIds, RecentlySignedIn, enum_from_string, non_null};
use shared::payouts::view::BuildingError;
use shared::payouts::{ConfirmedBy, DecidePayoutError, Decision, DecisionError, decide_payout};
use utoipa::ToSchema;

use crate::merchants::change::Reason;
use crate::payouts::{self, PayoutOfPathError, PayoutView, payout_of_path};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PayoutDecision)]
pub(crate) struct Body {
    /// `PAID` once the money is sent. `CANCELLED` leaves the settlements for a later payout.
    #[serde(deserialize_with = "enum_from_string")]
    status: DecidedStatus,
    /// The reference of the payment. Required for `PAID`, rejected for `CANCELLED`.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(nullable = false)]
    reference: Option<Reference>,
    /// Why it is not paid, for the audit trail. Required for `CANCELLED`, rejected for `PAID`.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(nullable = false)]
    reason: Option<Reason>,
}

#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
enum DecidedStatus {
    Paid,
    Cancelled,
}

/// As long as the remittance information of a SEPA transfer.
type Reference = Text<1, 140>;

impl Body {
    fn decision(self) -> Result<Decision, Invalid> {
        let missing = |field: &'static str| move || Invalid::new(format!("{field}: is missing."));
        let not_with = |field: &str, status: &str| Err(Invalid::new(format!("{field}: cannot be given with {status}.")));
        match self {
            Self { status: DecidedStatus::Paid, reason: Some(_), .. } => not_with("reason", "PAID"),
            Self { status: DecidedStatus::Cancelled, reference: Some(_), .. } => not_with("reference", "CANCELLED"),
            Self { status: DecidedStatus::Paid, reference, .. } => {
                let reference = reference.ok_or_else(missing("reference"))?.into_string();
                Ok(Decision::Paid { reference })
            }
            Self { status: DecidedStatus::Cancelled, reason, .. } => {
                let reason = reason.ok_or_else(missing("reason"))?.into_string();
                Ok(Decision::Cancelled { reason })
            }
        }
    }
}

endpoint_error! {
    pub(crate) enum DecideError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "reference: is missing.",
        OwnMerchant(#[from] OwnMerchant),
        /// The caller started the payout, and another administrator has to confirm it.
        SecondPerson => 403 SECOND_PERSON
            "An administrator other than the one who started the payout has to confirm it.",
        OfPath(#[from] PayoutOfPathError),
        Building(#[from] BuildingError),
        /// The opposite decision was already made.
        DecidedOtherwise => 409 BATCH_CLOSED "The opposite decision on the payout was already made.",
        /// It cannot be `PAID`, because its merchant is neither `ACTIVE` nor `INACTIVE` or has changed its identity.
        NotPayable(String) => 409 MERCHANT_NOT_PAYABLE "The identity of the merchant has changed.",
    }
}

impl From<DecidePayoutError> for DecideError {
    fn from(error: DecidePayoutError) -> Self {
        match error {
            DecidePayoutError::Refused(DecisionError::SecondPerson) => Self::SecondPerson,
            DecidePayoutError::Refused(DecisionError::NotSealed) => BuildingError::Building.into(),
            DecidePayoutError::Refused(DecisionError::DecidedOtherwise) => Self::DecidedOtherwise,
            DecidePayoutError::NotPayable(reason) => Self::NotPayable(reason.to_string()),
            DecidePayoutError::Store(error) => error.into(),
        }
    }
}

/// Returns the payout. Its settlements follow after the response.
pub(crate) async fn decide(
    RecentlySignedIn(administrator): RecentlySignedIn,
    State(app): State<App>,
    path: PathIds,
    JsonBody(body): JsonBody<Body>,
) -> Result<Data<PayoutView>, DecideError> {
    let decision = body.decision()?;
    let payout = payout_of_path(&app, &path).await?;
    administrator.require_other(&app, &payout.merchant_id).await?;
    let by = &administrator.user.id;
    let confirmed_by = if app.settings.payouts_by_one { ConfirmedBy::Anyone } else { ConfirmedBy::SecondPerson };
    let decided = decide_payout(&app.store, payout, &decision, by, confirmed_by, &app.clock).await?;
    Ok(Data(payouts::view(&app, &decided).await?))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "decidePayout",
        "Confirm or cancel a payout",
        "Confirms that a payout has been paid, or cancels it, which leaves its settlements for a later payout. The first \
         decision is final; repeating it is harmless.",
    )
    .body::<Body>(json!({"status": "PAID", "reference": "SEPA-2026-01-15-7"}))
    .success("The payout.", payouts::example())
}

#[cfg(test)]
mod tests {
    use shared::http::RawBody;

    use super::*;

    #[test]
    fn a_decision_has_a_reference_or_a_reason() {
        let decision = |body: &str| {
            let body = RawBody(body.to_owned().into()).parse::<Body>().and_then(Body::decision);
            body.map_err(|invalid| invalid.message().to_owned())
        };
        let paid = Decision::Paid { reference: "A 1".to_owned() };
        assert_eq!(decision(r#"{"status": "PAID", "reference": " A 1 "}"#), Ok(paid));
        let cancelled = Decision::Cancelled { reason: "No".to_owned() };
        assert_eq!(decision(r#"{"status": "CANCELLED", "reason": "No"}"#), Ok(cancelled));
        for (body, message) in [
            (r#"{"status": "PAID"}"#.to_owned(), "reference: is missing."),
            (r#"{"status": "PAID", "reference": " "}"#.to_owned(), "reference: must have 1 to 140 characters on one line."),
            (r#"{"status": "PAID", "reference": null}"#.to_owned(), "reference: must be a string."),
            (r#"{"status": "CANCELLED"}"#.to_owned(), "reason: is missing."),
            (
                r#"{"status": "CANCELLED", "reason": "a", "reference": "b"}"#.to_owned(),
                "reference: cannot be given with CANCELLED.",
            ),
            (r#"{"status": "PAID", "reason": "a", "reference": "b"}"#.to_owned(), "reason: cannot be given with PAID."),
            (r#"{"status": "PAYING", "reference": "b"}"#.to_owned(), "status: must be PAID or CANCELLED."),
            (
                format!(r#"{{"status": "PAID", "reference": "{}"}}"#, "x".repeat(141)),
                "reference: must have 1 to 140 characters on one line.",
            ),
            (r#"{"status": "CANCELLED", "reason": "a\nb"}"#.to_owned(), "reason: must have 1 to 500 characters on one line."),
        ] {
            assert_eq!(decision(&body), Err(message.to_owned()), "{body}");
        }
    }
}
