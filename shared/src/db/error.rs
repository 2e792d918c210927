//! Errors of the store.

use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use thiserror::Error;

use super::keys::Key;
use crate::aws::sdk_error;

#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{operation} failed: {message}")]
    Call { operation: &'static str, message: String },
    #[error("unreadable row: {0}")]
    UnreadableRow(String),
    #[error("invalid request: {0}")]
    Request(#[from] BuildError),
    #[error("{0} was changed concurrently in every attempt")]
    Contended(&'static str),
    /// DynamoDB was too busy for the call in every attempt.
    #[error("{operation} was throttled in every attempt: {message}")]
    Throttled { operation: &'static str, message: String },
    /// A restore has closed the table to writes. Nothing was written.
    #[error("{operation}: the table is closed to writes")]
    Closed { operation: &'static str },
    #[error("a transaction of {0} actions is too large for DynamoDB")]
    TooManyActions(usize),
}

impl StoreError {
    /// Whether DynamoDB would carry out the same call at another moment, and has written nothing now.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Throttled { .. } | Self::Closed { .. })
    }
}

/// Converts an SDK error of the operation.
pub(crate) fn call<E>(operation: &'static str) -> impl Fn(SdkError<E>) -> StoreError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    move |error| {
        if error.code().is_some_and(|code| THROTTLED.contains(&code)) {
            return throttled(operation, &error);
        }
        if error.code() == Some("AccessDeniedException") && error.message().is_some_and(|text| text.contains(CLOSED)) {
            return StoreError::Closed { operation };
        }
        StoreError::Call { operation, message: sdk_error::describe(&error) }
    }
}

pub(crate) fn throttled<E>(operation: &'static str, error: &SdkError<E>) -> StoreError
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    StoreError::Throttled { operation, message: sdk_error::describe(error) }
}

/// The codes by which DynamoDB refuses a call that it would carry out at another moment.
const THROTTLED: [&str; 5] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
];

/// In the message by which DynamoDB refuses a write to a table with the policy of `admin/restore-table`. A function that lacks a
/// permission is refused without it.
const CLOSED: &str = "explicit deny in a resource-based policy";

/// Whether a conditional write was made. `false` if its condition failed.
pub(crate) fn is_written<T, E>(operation: &'static str, result: Result<T, SdkError<E>>) -> Result<bool, StoreError>
where
    E: ProvideErrorMetadata + std::error::Error + 'static,
{
    match result {
        Ok(_) => Ok(true),
        Err(error) if error.code() == Some("ConditionalCheckFailedException") => Ok(false),
        Err(error) => Err(call(operation)(error)),
    }
}

impl From<serde_dynamo::Error> for StoreError {
    /// Keeps only messages without values of the row, which can be card codes: this error is logged.
    fn from(error: serde_dynamo::Error) -> Self {
        let message = error.to_string();
        let is_without_values = ["missing field `", "Expected "].iter().any(|start| message.starts_with(start));
        Self::UnreadableRow(if is_without_values { message } else { "an attribute has an invalid value".to_owned() })
    }
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
