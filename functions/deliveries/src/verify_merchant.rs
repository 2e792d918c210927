//! Sees to it that a merchant that handed in its onboarding has an open verification session, and promises its link.

use shared::app::App;
use shared::domain::ids::UserId;
use shared::domain::merchant::{Merchant, MerchantStatus, Verification};
use shared::http::invocation::Invocation;
use shared::store::deliveries::{Delivery, Task};
use shared::store::{CONFLICT_TRIES, CommitError, StoreError, Stored, Write};
use shared::verifier::{Session, VerifierError};

use crate::Failure;

/// An open session is kept, any other replaced. The session and the promise of its link are stored together, once for
/// each delivery: a repeat finds that it was seen to. A session that was opened but could not be stored is lost with
/// whoever opened it; the next one takes its place, and decisions about the lost one count for nothing.
pub(crate) async fn see_to(
    app: &App,
    invocation: &Invocation,
    delivery: &Delivery,
    user: &UserId,
) -> Result<(), Failure> {
    let mut opened: Option<Session> = None;
    for attempt in 0..CONFLICT_TRIES {
        let Some(merchant) = app.store.merchant(&delivery.merchant_id).await? else { return Ok(()) };
        if !is_wanted(&merchant, delivery) {
            return Ok(());
        }
        let session = if let Some(opened) = &opened {
            opened.clone()
        } else if let Some(open) = open_session(app, invocation, &merchant).await? {
            open
        } else {
            opened.insert(new_session(app, invocation, &merchant).await?).clone()
        };
        match app.store.commit(writes(app, &merchant, session, delivery, user)?).await {
            Ok(()) => return Ok(()),
            Err(CommitError::Conflict(_)) => app.store.pause(attempt).await,
            Err(CommitError::Store(error)) => return Err(error.into()),
        }
    }
    Err(StoreError::Contended("the merchant").into())
}

/// Not after this very delivery has seen to it, nor once the verification is under way or over.
fn is_wanted(merchant: &Merchant, delivery: &Delivery) -> bool {
    let seen_to = merchant.verification.seen_to_by.as_ref() == Some(&delivery.id);
    !seen_to && matches!(merchant.status, MerchantStatus::Submitted | MerchantStatus::WaitingForInfo)
}

/// The merchant's session, if the company can still be verified in it.
async fn open_session(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
) -> Result<Option<Session>, VerifierError> {
    let Some(id) = &merchant.verification.session_id else { return Ok(None) };
    let session = app.verifier().session(invocation, id).await?;
    Ok(session.filter(|session| session.is_open(app.clock.now())))
}

async fn new_session(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
) -> Result<Session, VerifierError> {
    let callback = format!("{}/api/public/merchant/kyb-decision", app.settings.portal_base_url);
    app.verifier().open_session(invocation, merchant, &callback).await
}

/// The session at the merchant, and the promise of its link.
fn writes(
    app: &App,
    merchant: &Stored<Merchant>,
    session: Session,
    delivery: &Delivery,
    user: &UserId,
) -> Result<Vec<Write>, StoreError> {
    let verification = Verification {
        kyb_status: Some(session.status),
        company_id: Some(session.company_id),
        session_id: Some(session.id),
        session_url: Some(session.url),
        decided_at: merchant.verification.decided_at,
        seen_to_by: Some(delivery.id.clone()),
    };
    let seen_to = Merchant { verification, ..merchant.value.clone() };
    let mail = Task::VerificationMail { user_id: user.clone() };
    let mail = Delivery::promise(merchant.id.clone(), mail, app.clock.now(), &app.random);
    Ok(vec![Write::replace(merchant, &seen_to)?, Write::create(&mail)?])
}
