//! Closing an intent: a decision that nothing will begin under its idempotency key.
//!
//! It is one conditional write of the key's row, against a request with that key which may still be on its way. Either the
//! request finds the closed key, or the key has an operation, which goes on.

use thiserror::Error;

use super::idempotency::ScopedKey;
use super::key_row::KeyRow;
use super::operation::Operation;
use crate::app::App;
use crate::db::counters::{Caller, Reservation};
use crate::db::{StoreError, Stored, Write};
use crate::limits::model::{UNUSED_KEYS, UsedUp};
use crate::team::model::till::Operator;

/// What a closed key has.
#[derive(Debug)]
pub enum ClosedKey {
    /// Nothing has begun under it, and nothing will.
    Unused,
    /// Its operation. No other one begins under it.
    Used(Box<Stored<Operation>>),
}

#[derive(Debug, Error)]
pub enum CancelError {
    #[error("too many keys were closed that nobody had used")]
    UsedUp(UsedUp),
    /// As [`IdempotencyError::Restored`](super::IdempotencyError::Restored).
    #[error("the key may have been used before a restore")]
    Restored,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ScopedKey {
    /// Closes the key. To repeat it is harmless.
    pub async fn close(&self, app: &App, by: &Operator) -> Result<ClosedKey, CancelError> {
        let mut reserved = None;
        let closed = self.try_to_close(app, by, &mut reserved).await;
        if let (Some(reservation), Ok(ClosedKey::Used(_)) | Err(CancelError::Restored)) = (reserved, &closed) {
            app.store.give_back(reservation).await;
        }
        closed
    }

    /// Reserves the closing of an unused key at the first attempt.
    async fn try_to_close(&self, app: &App, by: &Operator, reserved: &mut Option<Reservation>) -> Result<ClosedKey, CancelError> {
        let mut attempts = app.store.attempts("an idempotency key");
        loop {
            let now = app.clock.now();
            let (row, is_lost) = self.read(&app.store).await?;
            let (closed, writes) = match row {
                Some(row) if row.is_closed() && !row.has_expired(now) => return closed_key(app, &row).await,
                Some(row) => {
                    let closed = row.closed(now);
                    let write = Write::replace_if_same(&row, &closed, "reference")?;
                    (closed, vec![write])
                }
                None if is_lost => return Err(CancelError::Restored),
                None => {
                    if reserved.is_none() {
                        let limit = (UNUSED_KEYS, Caller::Operator(by));
                        *reserved = Some(app.store.reserve(&[limit], 1, now).await?.map_err(CancelError::UsedUp)?);
                    }
                    let closed = KeyRow::closed_unused(self.row_key.clone(), now);
                    let write = Write::create(&closed)?;
                    (closed, vec![write])
                }
            };
            if attempts.committed(app.store.commit(writes).await).await? {
                return closed_key(app, &closed).await;
            }
        }
    }
}

async fn closed_key(app: &App, row: &KeyRow) -> Result<ClosedKey, CancelError> {
    let Some(used) = &row.used else { return Ok(ClosedKey::Unused) };
    let operation = app.store.operation(&used.reference, app.clock.now()).await?;
    // The key was carried over by a restore, from a table that had the operation.
    let operation = operation.ok_or(CancelError::Restored)?;
    Ok(ClosedKey::Used(Box::new(operation)))
}
