//! The work of one job on a payout, in transactions, at the pace at which settlements may change.

use std::time::Duration;

use thiserror::Error;

use super::payout::WrongState;
use crate::app::App;
use crate::aws::files::FileError;
use crate::base::invocation::Invocation;
use crate::db::{Attempts, CommitError, StoreError, Write};

/// Transactions in one job, so that other jobs of the stream do not wait for long.
const TRANSACTIONS_PER_JOB: usize = 40;
/// No transaction starts with less time left than this.
const MIN_TIME_LEFT: Duration = Duration::from_secs(4);

#[derive(Debug, Error)]
pub enum PayoutError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    WrongState(#[from] WrongState),
    #[error("the payout has {count} settlements, of which {followed} could be paid or returned")]
    Differs { count: u64, followed: u64 },
}

/// How far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Done,
    /// This worker's time is used up. Another job goes on.
    Unfinished,
    /// Another worker does the same. The job waits for it.
    Busy,
}

pub(super) struct Worker<'a> {
    pub(super) app: &'a App,
    invocation: &'a Invocation,
    attempts: Attempts<'a>,
    transactions: usize,
}

impl<'a> Worker<'a> {
    pub(super) fn new(app: &'a App, invocation: &'a Invocation) -> Self {
        Self { app, invocation, attempts: app.store.attempts("the payout"), transactions: 0 }
    }

    /// Whether the job has done its part.
    pub(super) fn is_over(&self) -> bool {
        self.transactions >= TRANSACTIONS_PER_JOB || self.invocation.time_left() < MIN_TIME_LEFT
    }

    /// Commits a transaction that changes this many settlements, then waits as long as the pace demands. Returns whether it
    /// was made: after a conflict, the caller reads the rows again.
    pub(super) async fn commit(&mut self, writes: Vec<Write>, settlements: usize) -> Result<bool, StoreError> {
        self.transactions += 1;
        let result: Result<(), CommitError> = self.app.store.commit(writes).await;
        let is_committed = self.attempts.committed(result).await?;
        if let Some(pause) = pause(settlements, self.app.settings.payout_settlements_per_second) {
            tokio::time::sleep(pause).await;
        }
        Ok(is_committed)
    }
}

/// The time in which this many settlements may change. `None` if there is no pace to keep.
fn pause(settlements: usize, per_second: u32) -> Option<Duration> {
    Duration::from_secs(settlements as u64).checked_div(per_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_settlements_change_in_any_time_than_the_pace_allows() {
        const MAX_SETTLEMENTS: u32 = 100;
        for per_second in [1, 3, 7, 24, 200, 100_000] {
            let (mut clock, mut changed) = (Duration::ZERO, 0_u32);
            // Transactions of all sizes, if the calls themselves took no time.
            for settlements in (0..=MAX_SETTLEMENTS).cycle().take(1_000) {
                changed += settlements;
                clock += pause(settlements as usize, per_second).unwrap();
                let allowed = clock.as_secs_f64() * f64::from(per_second);
                assert!(f64::from(changed) <= allowed + 0.001, "{changed} in {clock:?} at {per_second} a second");
            }
        }
        assert_eq!(pause(24, 0), None);
        assert_eq!(pause(24, 200), Some(Duration::from_millis(120)));
    }
}
