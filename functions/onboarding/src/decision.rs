//! `POST /api/public/merchant/kyb-decision`: the identity verifier tells what has become of a session.

use axum::extract::State;
use http::HeaderMap;
use serde_json::json;
use shared::app::App;
use shared::domain::merchant::{Merchant, Verification};
use shared::http::access::Public;
use shared::http::body::RawBody;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::NoData;
use shared::store::{CommitError, MAX_CONFLICT_ATTEMPTS, StoreError, Write};
use shared::verifier::{Decision, DecisionCall, NoDecision, SIGNATURE_HEADER};
pub(crate) fn describe() -> Description {
    Description::new(
        "Take a decision",
        "For the identity verifier alone: what has become of a verification session.",
    )
    .header(SIGNATURE_HEADER, "HMAC-SHA256 of the whole body, in lower-case hex.")
    .body::<DecisionCall>(json!({"verification": {
        "id": "s-1", "vendorData": "m-1", "companyId": "c-1", "status": "approved", "reason": null,
        "decidedAt": "2026-01-01T12:00:00Z",
    }}))
    .ok("The decision has arrived, whether it changed anything or not.")
    .refuses(400, "The body is signed and no decision.")
    .refuses(401, "The signature is missing or not the verifier's.")
}

/// `{ok: true}`, whether the decision changed anything or not: to the verifier it has arrived.
///
/// 401 for a signature that is missing or not the verifier's over these very bytes; 400 for a signed body that is no
/// decision. The verifier sends again what was answered with an error.
pub(crate) async fn decision(
    _: Public,
    State(app): State<App>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<NoData, Fault> {
    let decision = app.verifier().decision(&headers, &body).await.map_err(refusal)?;
    take(&app, &decision).await?;
    Ok(NoData)
}

fn refusal(error: NoDecision) -> Fault {
    match error {
        NoDecision::NotSigned => Fault::unauthorized("The signature is missing or wrong."),
        NoDecision::Unreadable => Fault::invalid("The body is not a decision."),
        NoDecision::Secret(error) => Fault::internal(error.to_string()),
    }
}

/// Applies the decision to the merchant as it is by then: of two that arrive at once, the later one lasts.
async fn take(app: &App, decision: &Decision) -> Result<(), StoreError> {
    for attempt in 0..MAX_CONFLICT_ATTEMPTS {
        let Some(merchant) = app.store.merchant(&decision.merchant_id).await? else { return Ok(()) };
        let Some(decided) = decided(&merchant, decision) else { return Ok(()) };
        match app.store.commit(vec![Write::replace(&merchant, &decided)?]).await {
            Ok(()) => return Ok(()),
            Err(CommitError::Conflict(_)) => app.store.pause(attempt).await,
            Err(CommitError::Store(error)) => return Err(error),
        }
    }
    Err(StoreError::Contended("the merchant"))
}

/// The merchant after the decision; none where it changes nothing: it is about another session, older than one that
/// was taken, or that one again, or the merchant does not wait for any.
fn decided(merchant: &Merchant, decision: &Decision) -> Option<Merchant> {
    let current = &merchant.verification;
    let is_current = current.session_id.as_ref() == Some(&decision.session_id);
    let is_late = current.decided_at.is_some_and(|last| decision.decided_at < last);
    // Taken again after the merchant has moved on, it would move it back.
    let is_repeat = current.decided_at == Some(decision.decided_at)
        && current.kyb_status.as_ref() == Some(&decision.status);
    if !is_current || is_late || is_repeat || !merchant.status.awaits_verification() {
        return None;
    }
    let verification = Verification {
        kyb_status: Some(decision.status.clone()),
        decided_at: Some(decision.decided_at),
        ..current.clone()
    };
    Some(Merchant { status: decision.leads_to()?, verification, ..merchant.clone() })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use shared::domain::ids::MerchantId;
    use shared::domain::merchant::MerchantStatus;

    use super::*;

    const EARLIER: &str = "2026-01-01T11:59:59.999Z";
    const THEN: &str = "2026-01-01T12:00:00Z";
    const LATER: &str = "2026-01-01T12:00:00.001Z";

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    /// A merchant that has taken `started` at [`THEN`].
    fn merchant(status: MerchantStatus) -> Merchant {
        let verification = Verification {
            kyb_status: Some("started".to_owned()),
            session_id: Some("s-1".to_owned()),
            decided_at: Some(at(THEN)),
            ..Verification::default()
        };
        Merchant { status, verification, ..Merchant::new(MerchantId::new("m")) }
    }

    fn decision(session: &str, status: &str, decided_at: &str) -> Decision {
        Decision {
            session_id: session.to_owned(),
            merchant_id: MerchantId::new("m"),
            status: status.to_owned(),
            decided_at: at(decided_at),
        }
    }

    #[test]
    fn a_decision_about_the_current_session_moves_the_merchant_on() {
        for time in [THEN, LATER] {
            let before = merchant(MerchantStatus::KybInProgress);
            let after = decided(&before, &decision("s-1", "approved", time)).unwrap();
            let verification = Verification {
                kyb_status: Some("approved".to_owned()),
                decided_at: Some(at(time)),
                ..before.verification.clone()
            };
            assert_eq!(after, Merchant { status: MerchantStatus::DecisionPending, verification, ..before });
        }
    }

    #[test]
    fn any_other_decision_changes_nothing() {
        for (session, status, time) in [
            ("s-0", "approved", LATER),
            ("", "approved", LATER),
            ("s-1", "approved", EARLIER),
            ("s-1", "started", THEN),
            ("s-1", "created", LATER),
            ("s-1", "unheard of", LATER),
        ] {
            let before = merchant(MerchantStatus::Submitted);
            assert_eq!(decided(&before, &decision(session, status, time)), None, "{session} {status} {time}");
        }
        let unopened = Merchant::new(MerchantId::new("m"));
        assert_eq!(decided(&unopened, &decision("s-1", "approved", LATER)), None);
    }

    #[test]
    fn only_a_merchant_that_waits_is_moved() {
        for (status, waits) in [
            (MerchantStatus::Draft, false),
            (MerchantStatus::Submitted, true),
            (MerchantStatus::WaitingForInfo, true),
            (MerchantStatus::KybInProgress, true),
            (MerchantStatus::DecisionPending, false),
            (MerchantStatus::Active, false),
            (MerchantStatus::Inactive, false),
            (MerchantStatus::Suspended, false),
            (MerchantStatus::Declined, false),
        ] {
            let decided = decided(&merchant(status), &decision("s-1", "declined", LATER));
            assert_eq!(decided.is_some(), waits, "{status:?}");
        }
    }
}
