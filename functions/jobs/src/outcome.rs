//! What comes of a job: how far its task is, or why it failed, and the result of the attempt.

use rust_xlsxwriter::XlsxError;
use shared::aws::files::FileError;
use shared::aws::mail::MailError;
use shared::aws::secrets::SecretError;
use shared::card_network::NetworkError;
use shared::db::{CommitError, Job, StoreError};
use shared::payouts::{self, PayoutError};
use shared::settlements::model::settlement::SettlementError;
use shared::verifier::VerifierError;
use thiserror::Error;
use tokio::task::JoinError;

/// The result of an attempt to run a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobResult {
    Done,
    /// The attempt failed; the job waits for its next attempt.
    Postponed,
    /// The last attempt failed.
    Dead,
    /// Another worker claimed or finished the job. The task did not run here, or its result was not saved.
    ClaimLost,
}

/// The reason why a task failed.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Template(#[from] askama::Error),
    #[error(transparent)]
    Settlement(#[from] SettlementError),
    #[error(transparent)]
    Verifier(#[from] VerifierError),
    #[error(transparent)]
    Secret(#[from] SecretError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the workbook cannot be made: {0}")]
    Workbook(#[from] XlsxError),
    #[error(transparent)]
    Interrupted(#[from] JoinError),
    #[error(transparent)]
    Payout(#[from] PayoutError),
    #[error("the job has no merchant")]
    NoMerchant,
    #[error("the worker of the last attempt did not finish")]
    WorkerLost,
}

impl Failure {
    /// Returns the upstream's `Retry-After`, in seconds.
    pub(crate) fn retry_after(&self) -> Option<u32> {
        match self {
            Self::Network(error) => error.retry_after(),
            _ => None,
        }
    }
}

/// How far a task is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    /// These jobs do the rest. They are created in the transaction that deletes this one.
    DoneBy(Vec<Job>),
    /// This worker's time is used up. Another job goes on.
    Unfinished,
    /// Another worker does the same. The job waits for it.
    Busy,
}

impl From<payouts::Progress> for Progress {
    fn from(progress: payouts::Progress) -> Self {
        match progress {
            payouts::Progress::Done => Self::Done,
            payouts::Progress::Unfinished => Self::Unfinished,
            payouts::Progress::Busy => Self::Busy,
        }
    }
}
