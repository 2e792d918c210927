//! Optimistic concurrency: a change is repeated on the current rows until no other writer has interfered.

use super::error::{CommitError, StoreError};
use super::row::{Entity, Stored};
use super::table::Store;
use super::write::Write;

/// The new state of a row, and what is written in the same transaction.
#[derive(Debug)]
pub struct Change<T> {
    pub row: T,
    pub with: Vec<Write>,
}

impl<T> From<T> for Change<T> {
    fn from(row: T) -> Self {
        Self { row, with: Vec::new() }
    }
}

/// Attempts of a change whose row others change at the same time. Enough for as many writers as a team has members.
const MAX_CONFLICT_ATTEMPTS: u32 = 10;

impl Store {
    /// Applies `change` to a row and writes the result, on condition that the row has not changed since it was read. On
    /// a conflict, `change` is applied to the row as it is by then. `None` from `change` leaves the row as it is.
    ///
    /// [`StoreError::Contended`] if every attempt conflicts, or the row is deleted in between.
    pub async fn update<T: Entity, E: From<StoreError>>(
        &self,
        read: Stored<T>,
        mut change: impl FnMut(&T) -> Result<Option<Change<T>>, E>,
    ) -> Result<(), E> {
        let mut current = read;
        for attempt in 0..MAX_CONFLICT_ATTEMPTS {
            let Some(Change { row, with }) = change(&current)? else { return Ok(()) };
            let mut writes = vec![Write::replace(&current, &row)?];
            writes.extend(with);
            match self.commit(writes).await {
                Ok(()) => return Ok(()),
                Err(CommitError::Store(error)) => return Err(error.into()),
                Err(CommitError::Conflict(_)) => self.back_off(attempt).await,
            }
            let Some(reread) = self.get(&current.key()).await? else { break };
            current = reread;
        }
        Err(StoreError::Contended("the row").into())
    }

    /// As [`Store::update`], for changes that depend on several rows or on other services: `attempt` reads what it
    /// needs and ends with a commit. It is called again if that commit conflicts.
    pub async fn retry_conflicts<E: From<StoreError>>(
        &self,
        mut attempt: impl AsyncFnMut() -> Result<Result<(), CommitError>, E>,
    ) -> Result<(), E> {
        for retries in 0..MAX_CONFLICT_ATTEMPTS {
            match attempt().await? {
                Ok(()) => return Ok(()),
                Err(CommitError::Store(error)) => return Err(error.into()),
                Err(CommitError::Conflict(_)) => self.back_off(retries).await,
            }
        }
        Err(StoreError::Contended("the rows").into())
    }
}
