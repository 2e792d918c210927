//! Carries out what was promised after a response.
//!
//! A job comes from the table's stream when it is promised, or from the index of due work when it is to be
//! tried again. Either way it is claimed first, so that it is never carried out twice at a time, and it goes once
//! it is done. One whose subject no longer exists is done.

mod account_change_mail;
mod fetch_logo;
mod mirror_merchant;
mod settle_redemption;
mod verification_mail;
mod verify_merchant;

use aws_lambda_events::dynamodb::EventRecord;
use shared::app::App;
use shared::card_network::NetworkError;
use shared::domain::settlement::CannotSettle;
use shared::http::invocation::Invocation;
use shared::mail::MailError;
use shared::store::jobs::{Job, Task};
use shared::store::{CommitError, StoreError, Stored, Write, from_item, keys};
use shared::verifier::VerifierError;
use thiserror::Error;
use tracing::Instrument;

/// How a job ended for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobResult {
    Done,
    /// It failed and waits for its next time.
    Postponed,
    /// It failed for the last time.
    Dead,
    /// Somebody else has it, or had it before: nothing was done here, or nothing that counts.
    Elsewhere,
}

/// Why a task could not be carried out this time.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Letter(#[from] askama::Error),
    #[error(transparent)]
    Settlement(#[from] CannotSettle),
    #[error(transparent)]
    Verifier(#[from] VerifierError),
    #[error("nobody came back from the last try")]
    WorkerLost,
}

impl Failure {
    /// Seconds for which whoever refused it wants to be left alone.
    fn retry_after(&self) -> Option<u32> {
        match self {
            Self::Network(error) => error.retry_after(),
            _ => None,
        }
    }
}

/// The job that a record of the table's stream promises; none where the record tells of anything else.
pub fn job_from_record(record: EventRecord) -> Option<Stored<Job>> {
    let keys: shared::store::Item = record.change.keys.into();
    let is_delivery = shared::store::item_key(&keys).is_some_and(|key| key.pk.starts_with(keys::JOBS));
    if record.event_name != "INSERT" || !is_delivery {
        return None;
    }
    let job = from_item(record.change.new_image.into());
    // It stays in the index of due work, where whoever looks at it next fails on it again.
    job.inspect_err(|error| tracing::error!(cause = %error, "a new job cannot be read")).ok()
}

/// Carries a job out, if it is still as it was read. Fails only where the table does; what is left then is
/// found by its due time.
pub async fn run(app: &App, invocation: &Invocation, job: Stored<Job>) -> Result<JobResult, StoreError> {
    let span = tracing::info_span!(
        "job",
        request_id = invocation.request_id,
        job = %job.id,
        kind = job.task.kind(),
        merchant = %job.merchant_id,
    );
    claim_and_run(app, invocation, job).instrument(span).await
}

async fn claim_and_run(
    app: &App,
    invocation: &Invocation,
    job: Stored<Job>,
) -> Result<JobResult, StoreError> {
    if job.is_dead() {
        return Ok(JobResult::Dead);
    }
    let claimed = job.claim(app.clock.now());
    if !write(app, Write::replace(&job, &claimed)?).await? {
        return Ok(JobResult::Elsewhere);
    }
    if claimed.is_dead() {
        return Ok(report(app, &claimed, &Failure::WorkerLost));
    }
    let claimed = job.replaced(claimed);
    let (end, final_write) = match run_task(app, invocation, &claimed).await {
        Ok(()) => (JobResult::Done, Write::delete(&claimed)?),
        Err(failure) => {
            let failed = claimed.failed(app.clock.now(), failure.retry_after(), &app.random);
            (report(app, &failed, &failure), Write::replace(&claimed, &failed)?)
        }
    };
    Ok(if write(app, final_write).await? { end } else { JobResult::Elsewhere })
}

async fn run_task(app: &App, invocation: &Invocation, job: &Job) -> Result<(), Failure> {
    let merchant = &job.merchant_id;
    match &job.task {
        Task::AccountChangeMail { user_id } => {
            account_change_mail::send(app, merchant, user_id, job.created_at).await
        }
        Task::MirrorMerchant { fields } => mirror_merchant::mirror(app, invocation, merchant, fields).await,
        Task::FetchLogo => fetch_logo::fetch(app, invocation, merchant, job.created_at).await,
        Task::VerifyMerchant { user_id } => {
            verify_merchant::ensure_session(app, invocation, job, user_id).await
        }
        Task::VerificationMail { user_id } => verification_mail::send(app, merchant, user_id).await,
        Task::SettleRedemption { redemption_id } => {
            settle_redemption::settle(app, merchant, redemption_id).await
        }
    }
}

/// Says in the log how a try failed, and counts a job that has died of it.
fn report(app: &App, failed: &Job, failure: &Failure) -> JobResult {
    if failed.is_dead() {
        app.metrics.job_died();
        tracing::error!(cause = %failure, "a job is dead");
        return JobResult::Dead;
    }
    tracing::warn!(cause = %failure, "a job is put off");
    JobResult::Postponed
}

/// Whether the write took place: not, where the row is no longer as it was read.
async fn write(app: &App, write: Write) -> Result<bool, StoreError> {
    match app.store.commit(vec![write]).await {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict(_)) => Ok(false),
        Err(CommitError::Store(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::domain::ids::{JobId, MerchantId};
    use shared::store::jobs::JobState;

    use super::*;

    fn record(event_name: &str, pk: &str) -> EventRecord {
        let row: Value = json!({
            "pk": {"S": pk},
            "sk": {"S": "JOB"},
            "version": {"N": "1"},
            "id": {"S": "logo-m"},
            "merchant_id": {"S": "m"},
            "task": {"S": "FetchLogo"},
            "created_at": {"S": "2026-01-01T00:00:00Z"},
            "state": {"M": {"Waiting": {"M": {
                "attempts": {"N": "0"},
                "next_attempt_at": {"S": "2026-01-01T00:00:00Z"},
            }}}},
        });
        let record = json!({
            "awsRegion": "eu-west-1",
            "eventID": "1",
            "eventName": event_name,
            "dynamodb": {"Keys": {"pk": row["pk"], "sk": row["sk"]}, "NewImage": row, "SizeBytes": 1},
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn a_new_row_of_its_kind_is_a_promise() {
        let job = job_from_record(record("INSERT", "JOB#logo-m")).unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let expected = Job::with_id(JobId::new("logo-m"), MerchantId::new("m"), Task::FetchLogo, now);
        assert_eq!(job.value, expected);
        assert!(matches!(job.state, JobState::Waiting { attempts: 0, .. }));
    }

    #[test]
    fn anything_else_promises_nothing() {
        for (event_name, pk) in [
            ("MODIFY", "JOB#logo-m"),
            ("REMOVE", "JOB#logo-m"),
            ("INSERT", "MERCHANT#m"),
            ("INSERT", "ORDER#m#JOB#1"),
        ] {
            assert!(job_from_record(record(event_name, pk)).is_none(), "{event_name} {pk}");
        }
    }
}
