//! Counts the operations that are open after a sweep.

use std::pin::pin;

use futures_util::stream::TryStreamExt;
use jiff::Timestamp;
use shared::app::App;
use shared::db::StoreError;

/// Operations with an unknown outcome, including those in progress.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct OpenOperations {
    pub count: u64,
    /// Age of the oldest open operation; 0 if there is none.
    pub oldest_seconds: u64,
}

/// Reads the whole index, including operations that are not due yet.
pub async fn count_open(app: &App) -> Result<OpenOperations, StoreError> {
    let now = app.clock.now();
    let mut operations = pin!(app.store.stream_due_operations(Timestamp::MAX));
    let mut open = OpenOperations::default();
    while let Some(operation) = operations.try_next().await? {
        let age = now.duration_since(operation.begun_at).as_secs();
        open.count += 1;
        open.oldest_seconds = open.oldest_seconds.max(age.try_into().unwrap_or_default());
    }
    Ok(open)
}
