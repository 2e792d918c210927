//! Card operations, and those that wait for their outcome.

use jiff::Timestamp;

use super::keys::{self, DUE_SHARDS, DueWork, Key};
use super::{Entity, Range, Store, StoreError, Stored, from_item};
use crate::best_effort::best_effort;
use crate::domain::ids::Reference;
use crate::domain::operation::Operation;

impl Entity for Operation {
    fn key(&self) -> Key {
        keys::operation(&self.reference)
    }

    fn due(&self) -> Option<Key> {
        self.due_at().map(|at| keys::due(DueWork::Operations, at, self.reference.as_str()))
    }
}

impl Store {
    pub async fn operation(&self, reference: &Reference) -> Result<Option<Stored<Operation>>, StoreError> {
        self.get(&keys::operation(reference)).await
    }

    /// Open operations that are due by `until`, at most `most` of each shard.
    pub async fn due_operations(
        &self,
        until: Timestamp,
        most: u16,
    ) -> Result<Vec<Stored<Operation>>, StoreError> {
        self.due(DueWork::Operations, until, most).await
    }

    /// A row that does not read as `T` stays due and keeps no other from being found: somebody has to look, or another
    /// version of the code knows it.
    pub(super) async fn due<T: Entity>(
        &self,
        work: DueWork,
        until: Timestamp,
        most: u16,
    ) -> Result<Vec<Stored<T>>, StoreError> {
        let mut found = Vec::new();
        for shard in 0..DUE_SHARDS {
            let range = Range::due(keys::due_partition(work, shard));
            let range = range.between("0", keys::at_and_id(until, "\u{10ffff}")).at_most(most);
            let rows = self.query_items(range).await?.into_iter();
            found.extend(rows.filter_map(|row| best_effort("a row of due work", from_item(row))));
        }
        Ok(found)
    }
}
