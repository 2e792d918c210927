//! Settles unknown outcomes and retries deliveries on a schedule.

use deliveries::Delivered;
use jiff::Timestamp;
use shared::app::App;
use shared::http::invocation::Invocation;
use shared::operations::{self, Standing};
use shared::store::StoreError;

/// What one pass over the due work did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Pass {
    /// Operations closed and deliveries done, or given up for good.
    pub ended: usize,
    /// What was due and still waits.
    pub left: usize,
}

/// How much of each shard one pass takes on.
const MOST_PER_SHARD: u16 = 25;

/// Tries everything once that is due by `until`. What fails is put off, and keeps nothing else from being tried.
pub async fn sweep(app: &App, invocation: &Invocation, until: Timestamp) -> Result<Pass, StoreError> {
    let mut pass = Pass::default();
    for operation in app.store.due_operations(until, MOST_PER_SHARD).await? {
        match operations::resume(app, invocation, operation).await {
            Ok(Some(Standing::Closed(_))) => pass.ended += 1,
            Ok(Some(Standing::Unknown) | None) => pass.left += 1,
            Err(error) => pass.put_off(&error),
        }
    }
    for delivery in app.store.due_deliveries(until, MOST_PER_SHARD).await? {
        match deliveries::deliver(app, invocation, delivery).await {
            Ok(Delivered::Done | Delivered::Dead | Delivered::Elsewhere) => pass.ended += 1,
            Ok(Delivered::Postponed) => pass.left += 1,
            Err(error) => pass.put_off(&error),
        }
    }
    Ok(pass)
}

impl Pass {
    fn put_off(&mut self, error: &StoreError) {
        self.left += 1;
        tracing::warn!(cause = %error, "due work could not be written down and stays due");
    }
}
