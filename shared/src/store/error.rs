//! Errors of the store.

use aws_sdk_dynamodb::error::{BuildError, DisplayErrorContext, SdkError};
use thiserror::Error;

use super::keys::Key;

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{operation} failed: {message}")]
    Call { operation: &'static str, message: String },
    #[error("unreadable row: {0}")]
    UnreadableRow(#[from] serde_dynamo::Error),
    #[error("invalid request: {0}")]
    Request(#[from] BuildError),
    #[error("{0} was changed concurrently in every attempt")]
    Contended(&'static str),
}

/// Converts an SDK error of the operation.
pub(super) fn call<E, R>(operation: &'static str) -> impl Fn(SdkError<E, R>) -> StoreError
where
    SdkError<E, R>: std::error::Error,
{
    move |error| StoreError::Call { operation, message: DisplayErrorContext(error).to_string() }
}

/// Why a transaction was not committed. Nothing of it was written.
#[derive(Debug, Error)]
pub enum CommitError {
    /// The condition on this row failed: it exists already, or has changed since it was read.
    #[error("a condition failed")]
    Conflict(Key),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<serde_dynamo::Error> for CommitError {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::Store(error.into())
    }
}
