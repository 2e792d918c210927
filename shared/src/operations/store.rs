//! Card operations in the table: by reference, and open ones by the time of their next lookup.

use futures_util::stream::Stream;
use jiff::Timestamp;

use super::operation::Operation;
use crate::domain::ids::Reference;
use crate::store::keys::{self, DueWork, Key};
use crate::store::{Entity, Store, StoreError, Stored};

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

impl Store {
    /// An operation, also an expired one that DynamoDB has not deleted yet.
    pub async fn operation(&self, reference: &Reference) -> Result<Option<Stored<Operation>>, StoreError> {
        self.get(&keys::operation(reference)).await
    }

    /// Open operations that are due by `until`, at most `limit` of each shard.
    pub async fn due_operations(
        &self,
        until: Timestamp,
        limit: u16,
    ) -> Result<Vec<Stored<Operation>>, StoreError> {
        self.due(DueWork::Operations, until, limit).await
    }

    /// All open operations that are due by `until`, read page by page.
    pub fn stream_due_operations(
        &self,
        until: Timestamp,
    ) -> impl Stream<Item = Result<Stored<Operation>, StoreError>> {
        self.stream_due(DueWork::Operations, until)
    }
}
