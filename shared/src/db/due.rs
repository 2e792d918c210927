//! The index of due work: open operations and waiting jobs, by the time of their next attempt.

use std::future::ready;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use jiff::Timestamp;

use super::error::StoreError;
use super::keys::{self, DUE_SHARDS, DueWork};
use super::query::Range;
use super::row::{Entity, Stored};
use super::table::Store;

impl Store {
    /// Work that is due by `until`, at most `limit` rows of each shard. An unreadable row stays due and is left out.
    pub(crate) async fn due<T: Entity>(&self, work: DueWork, until: Timestamp, limit: u16) -> Result<Vec<Stored<T>>, StoreError> {
        let mut found = Vec::new();
        for shard in 0..DUE_SHARDS {
            found.extend(self.query(due_range(work, shard, until).limit(limit)).await?);
        }
        Ok(found)
    }

    /// All work that is due by `until`, read page by page. The shards take turns, so that neither a long shard nor one
    /// that cannot be read delays the others.
    pub(crate) fn stream_due<T: Entity + Send + 'static>(
        &self,
        work: DueWork,
        until: Timestamp,
    ) -> impl Stream<Item = Result<Stored<T>, StoreError>> {
        const PAGE_SIZE: u16 = 25;
        let shards = (0..DUE_SHARDS).map(move |shard| {
            let rows = self.stream_items(due_range(work, shard, until).limit(PAGE_SIZE));
            rows.try_filter_map(|row| ready(Ok(self.readable_row(row)))).boxed()
        });
        stream::select_all(shards)
    }
}

fn due_range(work: DueWork, shard: u8, until: Timestamp) -> Range {
    Range::due(keys::due_partition(work, shard)).between("0", keys::at_and_id(until, "\u{10ffff}"))
}
