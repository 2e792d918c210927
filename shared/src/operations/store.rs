//! Card operations in the table: by reference, and open ones by the time of their next lookup.

use futures_util::stream::Stream;
use jiff::Timestamp;

use super::operation::{ClosedOperation, Operation};
use crate::db::keys::{self, DueWork, Key};
use crate::db::{Entity, Store, StoreError, Stored};
use crate::values::Reference;

impl Entity for Operation {
    fn key(&self) -> Key {
        keys::operation(&self.reference)
    }

    fn due_index_key(&self) -> Option<Key> {
        self.due_at().map(|at| keys::due(DueWork::Operations, at, self.reference.as_str()))
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at()
    }
}

impl Entity for ClosedOperation {
    fn key(&self) -> Key {
        keys::closed_operation(&self.0.reference)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at())
    }
}

impl Store {
    /// An operation. A week after it was closed, it has no codes of cards any more, or without an idempotency key is not there;
    /// two years after it was begun, none is.
    pub async fn operation(&self, reference: &Reference, now: Timestamp) -> Result<Option<Stored<Operation>>, StoreError> {
        let operation = self.get::<Operation>(&keys::operation(reference)).await?;
        if operation.as_ref().is_some_and(|operation| operation.expires_at().is_none_or(|at| now < at)) {
            return Ok(operation);
        }
        let closed = self.get::<ClosedOperation>(&keys::closed_operation(reference)).await?;
        let closed = closed.filter(|closed| now < closed.value.expires_at());
        Ok(closed.map(|closed| closed.map(|ClosedOperation(operation)| operation)))
    }

    /// Open operations that are due by `until`, at most `limit` of each shard.
    pub async fn due_operations(&self, until: Timestamp, limit: u16) -> Result<Vec<Stored<Operation>>, StoreError> {
        self.due(DueWork::Operations, until, limit).await
    }

    /// All open operations that are due by `until`, read page by page.
    pub fn stream_due_operations(&self, until: Timestamp) -> impl Stream<Item = Result<Stored<Operation>, StoreError>> {
        self.stream_due(DueWork::Operations, until)
    }
}
