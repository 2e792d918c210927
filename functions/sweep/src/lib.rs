//! Settles unknown outcomes and retries jobs on a schedule.

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
use shared::domain::operation::Operation;
use shared::http::invocation::Invocation;
use shared::operations::{self, Standing};
use shared::store::jobs::Job;
use shared::store::{StoreError, Stored};

pub use open::{Open, open};

/// What one pass over the due work did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Operations closed and jobs done, or given up for good.
    pub ended: usize,
    /// What was due and still waits.
    pub left: usize,
}

/// How much is worked on at a time.
const AT_ONCE: usize = 8;
/// No work is taken on with less time than this: it would be cut short.
const MIN_TIME: Duration = Duration::from_secs(5);

/// Tries everything once that is due by `until`, for as long as there is time. What fails is put off; that, something
/// that hangs or something that panics keeps nothing else from being tried.
///
/// Fails where the index could not be read to its end, after all that could be read was tried.
pub async fn sweep(app: &App, invocation: &Invocation, until: Timestamp) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    let mut unread = Ok(());
    let mut ends = work(app, until)
        .take_while(|_| ready(invocation.time_left() > MIN_TIME))
        .map(|work| async {
            match work {
                Ok(work) => Ok(work.try_once(app, invocation).await),
                Err(error) => Err(error),
            }
        })
        .buffer_unordered(AT_ONCE)
        .boxed();
    let all = async {
        while let Some(end) = ends.next().await {
            match end {
                Ok(end) => pass.count(end),
                Err(error) => unread = Err(error),
            }
        }
    };
    if tokio::time::timeout(invocation.time_left(), all).await.is_err() {
        tracing::warn!("the time of the sweep is over; what is left comes next time");
    }
    unread.map(|()| pass)
}

enum Work {
    Operation(Stored<Operation>),
    Job(Stored<Job>),
}

/// What became of one piece of work.
#[derive(Clone, Copy)]
enum End {
    Ended,
    Left,
}

/// Operations and jobs in turns. What was tried waits for a later time in the index that is being read here, and is
/// not tried again when it turns up there.
fn work(app: &App, until: Timestamp) -> impl Stream<Item = Result<Work, StoreError>> {
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

    async fn try_once(self, app: &App, invocation: &Invocation) -> End {
        let id = self.id().to_owned();
        let tried = AssertUnwindSafe(self.carry_out(app, invocation)).catch_unwind().await;
        match tried {
            Ok(Ok(end)) => return end,
            Ok(Err(error)) => {
                tracing::warn!(id, cause = %error, "due work could not be written down and stays due");
            }
            Err(_) => tracing::error!(id, "due work panicked and stays due"),
        }
        End::Left
    }

    async fn carry_out(self, app: &App, invocation: &Invocation) -> Result<End, StoreError> {
        Ok(match self {
            Self::Operation(operation) => match operations::resume(app, invocation, operation).await? {
                Some(Standing::Closed(_)) => End::Ended,
                Some(Standing::Unknown) | None => End::Left,
            },
            Self::Job(job) => match jobs::run(app, invocation, job).await? {
                JobResult::Done | JobResult::Dead | JobResult::Elsewhere => End::Ended,
                JobResult::Postponed => End::Left,
            },
        })
    }
}

impl Pass {
    fn count(&mut self, end: End) {
        match end {
            End::Ended => self.ended += 1,
            End::Left => self.left += 1,
        }
    }
}
