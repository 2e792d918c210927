//! Optimistic concurrency: a change is repeated on the current rows until no other writer has interfered.

use super::error::{CommitError, StoreError};
use super::row::{Entity, Stored};
use super::table::Store;
use super::write::Write;

/// The new state of a row, and what is written in the same transaction.
#[derive(Debug)]
pub struct Update<T> {
    pub row: T,
    pub with: Vec<Write>,
}

impl<T> From<T> for Update<T> {
    fn from(row: T) -> Self {
        Self { row, with: Vec::new() }
    }
}

/// The maximum number of attempts of a change whose rows are changed concurrently: enough if all members of a team change
/// the same row at once.
const MAX_CONFLICT_ATTEMPTS: u32 = 10;

/// The attempts of one change.
#[derive(Debug)]
pub struct Attempts<'a> {
    store: &'a Store,
    /// What is changed, for the log.
    target: &'static str,
    made: u32,
}

impl Attempts<'_> {
    /// Whether an attempt was committed. `false` after a conflict: the caller reads the rows again and makes another
    /// attempt. [`StoreError::Contended`] if the last attempt conflicts.
    pub async fn committed(&mut self, result: Result<(), CommitError>) -> Result<bool, StoreError> {
        Ok(self.made(result).await?.is_some())
    }

    /// As [`Self::committed`], with what an attempt has made. `None` after a conflict.
    pub async fn made<T>(&mut self, result: Result<T, CommitError>) -> Result<Option<T>, StoreError> {
        match result {
            Ok(made) => Ok(Some(made)),
            Err(CommitError::Store(error)) => Err(error),
            Err(CommitError::Conflict(_)) => {
                self.made += 1;
                if self.made == MAX_CONFLICT_ATTEMPTS {
                    return Err(StoreError::Contended(self.target));
                }
                self.store.back_off(self.made).await;
                Ok(None)
            }
        }
    }
}

impl Store {
    /// Starts the attempts of a change that depends on several rows or on other services. For a change of one row, see
    /// [`Store::update`].
    pub fn attempts(&self, target: &'static str) -> Attempts<'_> {
        Attempts { store: self, target, made: 0 }
    }

    /// Applies `change` to a row and writes the result, on condition that the row has not changed since it was read. On
    /// a conflict, `change` is applied to the row as it is by then. `None` from `change` leaves the row as it is. Returns what the
    /// last call of `change` returns beside the update.
    ///
    /// [`StoreError::Contended`] if every attempt conflicts, or the row is deleted in between.
    pub async fn update<T: Entity, R, E: From<StoreError>>(
        &self,
        read: Stored<T>,
        change: impl Fn(&T) -> Result<(Option<Update<T>>, R), E>,
    ) -> Result<R, E> {
        let mut attempts = self.attempts("the row");
        let mut current = read;
        loop {
            let (Update { row, with }, result) = match change(&current)? {
                (Some(update), result) => (update, result),
                (None, result) => return Ok(result),
            };
            let mut writes = vec![Write::replace(&current, &row)?];
            writes.extend(with);
            if attempts.committed(self.commit(writes).await).await? {
                return Ok(result);
            }
            let reread = self.get(&current.key()).await?;
            current = reread.ok_or(StoreError::Contended("the row"))?;
        }
    }
}
