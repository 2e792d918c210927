//! What is open once a sweep is over.

use std::pin::pin;

use futures_util::stream::TryStreamExt;
use jiff::Timestamp;
use shared::app::App;
use shared::store::StoreError;

/// The operations whose outcome is not known, those that somebody is at work on included.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Open {
    pub count: u64,
    /// How long ago the oldest of them was begun; 0 where there is none.
    pub oldest_seconds: u64,
}

/// Looks through the whole index, at what is not due yet as well.
pub async fn open(app: &App) -> Result<Open, StoreError> {
    let now = app.clock.now();
    let mut operations = pin!(app.store.stream_due_operations(Timestamp::MAX));
    let mut open = Open::default();
    while let Some(operation) = operations.try_next().await? {
        let age = now.duration_since(operation.begun_at).as_secs();
        open.count += 1;
        open.oldest_seconds = open.oldest_seconds.max(age.try_into().unwrap_or_default());
    }
    Ok(open)
}
