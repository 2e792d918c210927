//! Card operations, and those that wait for their outcome.

use std::future::ready;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use jiff::Timestamp;

use super::keys::{self, DUE_SHARDS, DueWork, Key};
use super::{Entity, Item, Range, Store, StoreError, Stored, from_item};
use crate::best_effort::best_effort;
use crate::domain::ids::Reference;
use crate::domain::operation::Operation;

impl Entity for Operation {
    fn key(&self) -> Key {
        keys::operation(&self.reference)
    }

    fn due_index_key(&self) -> Option<Key> {
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

    /// Every open operation that is due by `until`, as its page comes.
    pub fn stream_due_operations(
        &self,
        until: Timestamp,
    ) -> impl Stream<Item = Result<Stored<Operation>, StoreError>> {
        self.stream_due(DueWork::Operations, until)
    }

    pub(super) async fn due<T: Entity>(
        &self,
        work: DueWork,
        until: Timestamp,
        most: u16,
    ) -> Result<Vec<Stored<T>>, StoreError> {
        let mut found = Vec::new();
        for shard in 0..DUE_SHARDS {
            let rows = self.query_items(due_range(work, shard, until).at_most(most)).await?.into_iter();
            found.extend(rows.filter_map(readable));
        }
        Ok(found)
    }

    /// The shards take turns: neither a long one nor one that cannot be read keeps the others waiting.
    pub(super) fn stream_due<T: Entity + Send + 'static>(
        &self,
        work: DueWork,
        until: Timestamp,
    ) -> impl Stream<Item = Result<Stored<T>, StoreError>> {
        const PAGE: u16 = 25;
        let shards = (0..DUE_SHARDS).map(move |shard| {
            let rows = self.stream_items(due_range(work, shard, until).at_most(PAGE));
            rows.try_filter_map(|row| ready(Ok(readable(row)))).boxed()
        });
        stream::select_all(shards)
    }
}

fn due_range(work: DueWork, shard: u8, until: Timestamp) -> Range {
    Range::due(keys::due_partition(work, shard)).between("0", keys::at_and_id(until, "\u{10ffff}"))
}

/// A row that does not read as `T` stays due and keeps no other from being found: somebody has to look, or another
/// version of the code knows it.
fn readable<T: Entity>(row: Item) -> Option<Stored<T>> {
    best_effort("a row of due work", from_item(row))
}
