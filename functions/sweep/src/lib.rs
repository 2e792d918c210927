//! Recovers open operations and retries jobs on a schedule.

mod open;

use std::collections::HashSet;
use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::future::FutureExt;
use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use jiff::Timestamp;
use jobs::JobResult;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::db::{Job, StoreError, Stored};
use shared::operations::{self, Operation, OperationStatus};
use shared::projections::calendars::follow_release;

pub use open::{OpenOperations, count_open};

/// Writes the heartbeat, by which the readers of the table's stream show that they run.
pub async fn write_heartbeat(app: &App) {
    best_effort("the heartbeat", app.store.write_heartbeat(app.clock.now()).await);
}

/// Lets the calendars of merchants follow the time zone data of this release, in the time that is left.
pub async fn follow_time_zones(app: &App, invocation: &Invocation) {
    let has_time = || invocation.time_left() > MIN_TIME_LEFT;
    let followed = follow_release(&app.store, app.clock.now(), &app.random, has_time).await;
    best_effort("calendars that follow the time zone data", followed);
}

/// The result of one pass over the due work.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Number of operations closed, and of jobs that are done or dead.
    pub finished: usize,
    /// Number of operations and jobs that are still due.
    pub remaining: usize,
}

/// Number of operations and jobs processed at the same time.
const CONCURRENCY: usize = 8;
/// No new work starts with less time left than this: the invocation could time out in the middle of it.
const MIN_TIME_LEFT: Duration = Duration::from_secs(5);

/// Attempts all operations and jobs due by `until` once, as long as there is time. Work that fails, hangs or panics does
/// not prevent other attempts.
///
/// # Errors
/// Returns an error if part of the index could not be read, after attempting all work that could be read.
pub async fn sweep(app: &App, invocation: &Invocation, until: Timestamp) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    let mut index_read = Ok(());
    let mut attempts = due_work(app, until)
        .take_while(|_| ready(invocation.time_left() > MIN_TIME_LEFT))
        .map(|work| async {
            match work {
                Ok(work) => Ok(Box::pin(work.attempt(app, invocation)).await),
                Err(error) => Err(error),
            }
        })
        .buffer_unordered(CONCURRENCY)
        .boxed();
    let all = async {
        while let Some(attempt) = attempts.next().await {
            match attempt {
                Ok(result) => pass.count(result),
                Err(error) => index_read = Err(error),
            }
        }
    };
    if tokio::time::timeout(invocation.time_left(), all).await.is_err() {
        tracing::warn!("the sweep ran out of time; the next sweep continues");
    }
    index_read.map(|()| pass)
}

enum Work {
    Operation(Stored<Operation>),
    Job(Stored<Job>),
}

#[derive(Clone, Copy)]
enum AttemptResult {
    Finished,
    Remaining,
}

/// Streams due operations and jobs alternately. Failed work gets a later due time in the index that is being read, so
/// it is skipped when it appears there again.
fn due_work(app: &App, until: Timestamp) -> impl Stream<Item = Result<Work, StoreError>> {
    let operations = app.store.stream_due_operations(until).map_ok(Work::Operation);
    let jobs = app.store.stream_due_jobs(until).map_ok(Work::Job);
    let mut seen = HashSet::new();
    let work = stream::select(operations, jobs);
    work.try_filter(move |work| ready(seen.insert(work.id().to_owned())))
}

impl Work {
    fn id(&self) -> &str {
        match self {
            Self::Operation(operation) => operation.reference.as_str(),
            Self::Job(job) => job.id.as_str(),
        }
    }

    async fn attempt(self, app: &App, invocation: &Invocation) -> AttemptResult {
        let id = self.id().to_owned();
        let result = AssertUnwindSafe(self.run(app, invocation)).catch_unwind().await;
        match result {
            Ok(Ok(result)) => return result,
            Ok(Err(error)) => {
                tracing::warn!(id, cause = %error, "due work could not be saved and stays due");
            }
            Err(_) => tracing::error!(id, "due work panicked and stays due"),
        }
        AttemptResult::Remaining
    }

    async fn run(self, app: &App, invocation: &Invocation) -> Result<AttemptResult, StoreError> {
        Ok(match self {
            Self::Operation(operation) => match operations::recover(app, invocation, operation).await? {
                Some(OperationStatus::Closed(_)) => AttemptResult::Finished,
                Some(OperationStatus::Unknown) | None => AttemptResult::Remaining,
            },
            Self::Job(job) => match jobs::run(app, invocation, job).await? {
                JobResult::Done | JobResult::Dead | JobResult::ClaimLost => AttemptResult::Finished,
                JobResult::Postponed => AttemptResult::Remaining,
            },
        })
    }
}

impl Pass {
    fn count(&mut self, result: AttemptResult) {
        match result {
            AttemptResult::Finished => self.finished += 1,
            AttemptResult::Remaining => self.remaining += 1,
        }
    }
}
