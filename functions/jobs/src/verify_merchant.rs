//! Ensures that a merchant with a submitted application has an open verification session, and enqueues the mail with
//! its URL.
//!
//! The verifier's contract cannot update a session: one that is kept verifies the company as it was when the session was
//! opened. Identity changes since then stay recorded on the merchant.

use shared::app::App;
use shared::base::invocation::Invocation;
use shared::db::{Job, StoreError, Stored, Task, Write};
use shared::merchants::model::merchant::{Merchant, MerchantStatus, Verification};
use shared::values::{MerchantId, UserId};
use shared::verifier::{VerificationSession, VerifierError};

use crate::outcome::Failure;

/// Keeps an open session and replaces any other. Stores the session and the mail job in one transaction that also
/// records the job's id, so that a retry of the job does not send a second mail.
///
/// If the job fails between opening a session and storing it, the next attempt opens another one. Decisions about the
/// lost session are ignored.
pub(crate) async fn ensure_session(
    app: &App,
    invocation: &Invocation,
    job: &Job,
    merchant_id: &MerchantId,
    user: &UserId,
) -> Result<(), Failure> {
    let mut opened: Option<OpenedVerification> = None;
    let mut attempts = app.store.attempts("the merchant");
    loop {
        let Some(merchant) = app.store.merchant(merchant_id).await? else { return Ok(()) };
        if !needs_session(&merchant, job) {
            return Ok(());
        }
        let updated = if let Some(opened) = &opened {
            opened.stored_in(&merchant, job)
        } else if let Some(open) = open_session(app, invocation, &merchant).await? {
            with_session(&merchant, open, job)
        } else {
            let session = new_session(app, invocation, &merchant).await?;
            opened.insert(OpenedVerification { session, sent: merchant.value.clone() }).stored_in(&merchant, job)
        };
        let written = app.store.commit(writes(app, &merchant, &updated, user)?).await;
        if attempts.committed(written).await? {
            return Ok(());
        }
    }
}

/// Returns `false` if this job has already stored a session, or the verification is in progress or decided.
fn needs_session(merchant: &Merchant, job: &Job) -> bool {
    let already_stored = merchant.verification.session_job_id.as_ref() == Some(&job.id);
    !already_stored && matches!(merchant.status.known(), Some(MerchantStatus::Submitted | MerchantStatus::WaitingForInfo))
}

/// Returns the merchant's current session if it is still open.
async fn open_session(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
) -> Result<Option<VerificationSession>, VerifierError> {
    let Some(id) = &merchant.verification.session_id else { return Ok(None) };
    let session = app.verifier().session(invocation, id).await?;
    Ok(session.filter(|session| session.is_open(app.clock.now())))
}

async fn new_session(app: &App, invocation: &Invocation, merchant: &Merchant) -> Result<VerificationSession, VerifierError> {
    let callback_url = format!("{}/api/public/merchant/kyb-decision", app.settings.portal_base_url);
    app.verifier().open_session(invocation, merchant, &callback_url).await
}

/// A new session, and the merchant as the verifier was sent it.
struct OpenedVerification {
    session: VerificationSession,
    sent: Merchant,
}

impl OpenedVerification {
    fn stored_in(&self, merchant: &Merchant, job: &Job) -> Merchant {
        let identity_changes = merchant.identity_changes_since(&self.sent);
        Merchant { identity_changes, ..with_session(merchant, self.session.clone(), job) }
    }
}

fn with_session(merchant: &Merchant, session: VerificationSession, job: &Job) -> Merchant {
    let verification = Verification {
        kyb_status: Some(session.status),
        company_id: Some(session.company_id),
        session_id: Some(session.id),
        session_url: Some(session.url),
        decided_at: merchant.verification.decided_at,
        session_job_id: Some(job.id.clone()),
    };
    Merchant { verification, ..merchant.clone() }
}

/// Builds the transaction: the merchant with the session, and the mail job.
fn writes(app: &App, merchant: &Stored<Merchant>, updated: &Merchant, user: &UserId) -> Result<Vec<Write>, StoreError> {
    let task = Task::VerificationMail { user_id: user.clone() };
    Ok(vec![Write::replace(merchant, updated)?, app.store.enqueue(merchant.id.clone(), task, app.clock.now())?])
}
