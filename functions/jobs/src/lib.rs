//! Runs jobs: work that is done after the response has been sent.
//!
//! A new job arrives through the table's stream; a job to retry is read from the index of due work. A worker claims the
//! job before it runs the task, so that a task never runs twice at the same time, and deletes the job on success. A job
//! for a merchant, user or redemption that no longer exists counts as done.

mod claim_redemptions;
mod fetch_logo;
mod mails;
mod mirror_merchant;
mod outcome;
mod settle_redemption;
mod verify_merchant;
mod workbook;
mod write_export;

use aws_lambda_events::dynamodb::EventRecord;
use jiff::{SignedDuration, Timestamp};
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::db::heartbeats::Heartbeat;
use shared::db::{Job, StoreError, Stored, Task, Write, from_item, keys};
use shared::payouts::{advance_payout, make_payouts};
use shared::projections::calendars;
use shared::projections::recount::recount;
use shared::values::{MerchantId, later};
use tracing::Instrument;

pub use crate::outcome::JobResult;
use crate::outcome::{Failure, Progress};

/// How long a job waits for another worker.
const BUSY_DELAY: SignedDuration = SignedDuration::from_secs(5);

/// Reports how old heartbeats are.
pub fn report_heartbeats(app: &App, records: &[EventRecord]) {
    let now = app.clock.now();
    for age in records.iter().filter_map(|record| Heartbeat::age(record.change.new_image.clone().into(), now)) {
        app.metrics.record_heartbeat("jobs", age);
    }
}

/// Parses a record of the table's stream. Returns `None` if it is not a readable new job that is due.
pub fn job_from_record(record: EventRecord, now: Timestamp) -> Option<Stored<Job>> {
    let keys: shared::db::Item = record.change.keys.into();
    let is_job = shared::db::item_key(&keys).is_some_and(|key| key.pk.starts_with(keys::JOBS));
    if record.event_name != "INSERT" || !is_job {
        return None;
    }
    let job = from_item(record.change.new_image.into());
    // The row stays in the index of due work, where the sweep reports it again.
    let job: Option<Stored<Job>> = job.inspect_err(|error| tracing::error!(cause = %error, "a new job cannot be read")).ok();
    job.filter(|job| !job.waits(now))
}

/// Runs a job unless it changed since it was read.
///
/// # Errors
/// Returns an error only if the store fails. The job then stays in the index of due work.
pub async fn run(app: &App, invocation: &Invocation, job: Stored<Job>) -> Result<JobResult, StoreError> {
    let span = tracing::info_span!(
        "job",
        request_id = invocation.request_id,
        job = %job.id,
        kind = job.task.kind(),
        merchant = job.merchant_id.as_ref().map(MerchantId::as_str),
    );
    claim_and_run(app, invocation, job).instrument(span).await
}

async fn claim_and_run(app: &App, invocation: &Invocation, job: Stored<Job>) -> Result<JobResult, StoreError> {
    if job.is_dead() {
        return Ok(JobResult::Dead);
    }
    let claimed = job.claim(app.clock.now());
    if !app.store.commit_if_possible(vec![Write::replace(&job, &claimed)?]).await? {
        return Ok(JobResult::ClaimLost);
    }
    if claimed.is_dead() {
        return Ok(report_failure(app, &claimed, &Failure::WorkerLost));
    }
    let claimed = job.replaced(claimed);
    let result = run_task(app, invocation, &claimed).await;
    let now = app.clock.now();
    let (result, final_writes) = match result {
        Ok(Progress::Done) => (JobResult::Done, vec![Write::delete(&claimed)?]),
        Ok(Progress::DoneBy(jobs)) => {
            let create = jobs.iter().map(Write::create);
            (JobResult::Done, [Write::delete(&claimed)].into_iter().chain(create).collect::<Result<_, _>>()?)
        }
        Ok(Progress::Unfinished) => {
            let next = app.store.enqueue(claimed.merchant_id.clone(), claimed.task.clone(), now)?;
            (JobResult::Done, vec![Write::delete(&claimed)?, next])
        }
        Ok(Progress::Busy) => {
            let waiting = claimed.value.clone().due_at(later(now, BUSY_DELAY));
            (JobResult::Postponed, vec![Write::replace(&claimed, &waiting)?])
        }
        Err(failure) => {
            let failed = claimed.failed(now, failure.retry_after(), &app.random);
            (report_failure(app, &failed, &failure), vec![Write::replace(&claimed, &failed)?])
        }
    };
    if !app.store.commit_if_possible(final_writes).await? {
        return Ok(JobResult::ClaimLost);
    }
    if result == JobResult::Done {
        tracing::info!("job is done");
    }
    Ok(result)
}

async fn run_task(app: &App, invocation: &Invocation, job: &Job) -> Result<Progress, Failure> {
    let merchant = || job.merchant_id.as_ref().ok_or(Failure::NoMerchant);
    let store = &app.store;
    match &job.task {
        Task::RunPayouts { run_id } => return Ok(make_payouts(app, invocation, run_id).await?.into()),
        Task::AdvancePayout { payout_id } => {
            return Ok(advance_payout(app, invocation, payout_id).await?.into());
        }
        Task::WriteExport { export_id } => {
            return write_export::write(app, invocation, merchant()?, export_id).await;
        }
        Task::CodeMail { challenge_id } => mails::code::send(app, challenge_id).await?,
        Task::NewDeviceMail { user_id, browser } => {
            mails::new_device::send(app, user_id, browser.as_ref(), job.created_at).await?;
        }
        Task::SignInNewsMail { user_id, news } => {
            mails::sign_in_news::send(app, user_id, news, job.created_at).await?;
        }
        Task::TeamNews { news } => {
            return mails::team_news::mails(app, merchant()?, news, job.created_at).await.map(Progress::DoneBy);
        }
        Task::TeamNewsMail { recipient, news, at } => {
            mails::team_news::send(app, merchant()?, recipient, news, *at).await?;
        }
        Task::InviteMail { challenge_id, counted } => {
            if !mails::invite::send(app, merchant()?, challenge_id).await? {
                app.store.give_back(counted.clone()).await;
            }
        }
        Task::AccountChangeMail { user_id } => {
            mails::account_change::send(app, merchant()?, user_id, job.created_at).await?;
        }
        Task::MirrorMerchant { fields } => {
            mirror_merchant::mirror(app, invocation, merchant()?, fields).await?;
        }
        Task::FetchLogo => fetch_logo::fetch(app, invocation, merchant()?, job.created_at).await?,
        Task::VerifyMerchant { user_id } => {
            verify_merchant::ensure_session(app, invocation, job, merchant()?, user_id).await?;
        }
        Task::VerificationMail { user_id } => mails::verification::send(app, merchant()?, user_id).await?,
        Task::StatusMail { user_id } => mails::status::send(app, merchant()?, user_id).await?,
        Task::DeleteImage { object_key } => app.files().delete_all_versions(object_key).await?,
        Task::TakeDownMail { user_id, object_key } => {
            mails::take_down::send(app, merchant()?, user_id, object_key).await?;
        }
        Task::SettleRedemption { redemption_id } => {
            settle_redemption::settle(app, merchant()?, redemption_id).await?;
        }
        Task::ClaimRedemptions { order_id } => return claim_redemptions::claim(app, merchant()?, order_id).await,
        Task::Recount { family, minutes } => recount(store, merchant()?, *family, minutes).await?,
        Task::BuildCalendar => {
            let is_built = calendars::build(store, merchant()?, app.clock.now(), &app.random).await?;
            return Ok(if is_built { Progress::Done } else { Progress::Busy });
        }
        Task::RemoveCalendar { generation } => calendars::remove(store, merchant()?, *generation).await?,
    }
    Ok(Progress::Done)
}

/// Logs a failed attempt and counts dead jobs.
fn report_failure(app: &App, failed: &Job, failure: &Failure) -> JobResult {
    if failed.is_dead() {
        app.metrics.record_dead_job();
        tracing::error!(cause = %failure, "job failed permanently");
        return JobResult::Dead;
    }
    if failed.is_stuck() {
        app.metrics.record_dead_job();
        tracing::error!(cause = %failure, "job fails again and again; it is not given up");
        return JobResult::Postponed;
    }
    tracing::warn!(cause = %failure, "job failed and will be retried");
    JobResult::Postponed
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::db::JobState;
    use shared::values::{JobId, MerchantId};

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
    fn parses_inserted_job_rows() {
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let job = job_from_record(record("INSERT", "JOB#logo-m"), now).unwrap();
        let expected = Job::with_id(JobId::new("logo-m"), MerchantId::new("m"), Task::FetchLogo, now);
        assert_eq!(job.value, expected);
        assert!(matches!(job.state, JobState::Waiting { attempts: 0, .. }));
    }

    #[test]
    fn leaves_jobs_that_are_due_later_to_the_sweep() {
        let before = "2025-12-31T23:59:59Z".parse().unwrap();
        assert!(job_from_record(record("INSERT", "JOB#logo-m"), before).is_none());
    }

    #[test]
    fn ignores_other_records() {
        for (event_name, pk) in
            [("MODIFY", "JOB#logo-m"), ("REMOVE", "JOB#logo-m"), ("INSERT", "MERCHANT#m"), ("INSERT", "ORDER#m#JOB#1")]
        {
            assert!(job_from_record(record(event_name, pk), Timestamp::MAX).is_none(), "{event_name} {pk}");
        }
    }
}
