//! Sees to it that a merchant that handed in its onboarding has an open verification session, and promises its link.

use shared::app::App;
use shared::domain::ids::UserId;
use shared::domain::merchant::{Merchant, MerchantStatus, Verification};
use shared::http::invocation::Invocation;
use shared::store::jobs::{Job, Task};
use shared::store::{CommitError, MAX_CONFLICT_ATTEMPTS, StoreError, Stored, Write};
use shared::verifier::{Session, VerifierError};

use crate::Failure;

/// An open session is kept, any other replaced. The session and the promise of its link are stored together, once for
/// each job: a repeat finds that it was seen to. A session that was opened but could not be stored is lost with
/// whoever opened it; the next one takes its place, and decisions about the lost one count for nothing.
pub(crate) async fn ensure_session(
    app: &App,
    invocation: &Invocation,
    job: &Job,
    user: &UserId,
) -> Result<(), Failure> {
    let mut opened: Option<Session> = None;
    for attempt in 0..MAX_CONFLICT_ATTEMPTS {
        let Some(merchant) = app.store.merchant(&job.merchant_id).await? else { return Ok(()) };
        if !is_wanted(&merchant, job) {
            return Ok(());
        }
        let session = if let Some(opened) = &opened {
            opened.clone()
        } else if let Some(open) = open_session(app, invocation, &merchant).await? {
            open
        } else {
            opened.insert(new_session(app, invocation, &merchant).await?).clone()
        };
        match app.store.commit(writes(app, &merchant, session, job, user)?).await {
            Ok(()) => return Ok(()),
            Err(CommitError::Conflict(_)) => app.store.pause(attempt).await,
            Err(CommitError::Store(error)) => return Err(error.into()),
        }
    }
    Err(StoreError::Contended("the merchant").into())
}

/// Not after this very job has seen to it, nor once the verification is under way or over.
fn is_wanted(merchant: &Merchant, job: &Job) -> bool {
    let seen_to = merchant.verification.session_job_id.as_ref() == Some(&job.id);
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
    job: &Job,
    user: &UserId,
) -> Result<Vec<Write>, StoreError> {
    let verification = Verification {
        kyb_status: Some(session.status),
        company_id: Some(session.company_id),
        session_id: Some(session.id),
        session_url: Some(session.url),
        decided_at: merchant.verification.decided_at,
        session_job_id: Some(job.id.clone()),
    };
    let seen_to = Merchant { verification, ..merchant.value.clone() };
    let mail = Task::VerificationMail { user_id: user.clone() };
    let mail = Job::new(merchant.id.clone(), mail, app.clock.now(), &app.random);
    Ok(vec![Write::replace(merchant, &seen_to)?, Write::create(&mail)?])
}
