//! The rows of several partitions as one list, by their sort keys in descending order.

use std::collections::VecDeque;

use futures_util::future::try_join_all;

use crate::store::{Item, Range, Store, StoreError, item_key};

/// Reads a page of each partition at a time, all at once, when its rows are used up.
pub(super) struct Merge<'a> {
    store: &'a Store,
    ranges: Vec<OpenRange>,
}

/// A range, and the rows of its current page that have not been returned yet.
struct OpenRange {
    range: Range,
    rows: VecDeque<(String, Item)>,
    next: Next,
}

enum Next {
    Page(Option<Item>),
    End,
}

impl<'a> Merge<'a> {
    /// Merges ranges in descending order.
    pub(super) fn new(store: &'a Store, ranges: impl Iterator<Item = Range>) -> Self {
        let open = |range| OpenRange { range, rows: VecDeque::new(), next: Next::Page(None) };
        Self { store, ranges: ranges.map(open).collect() }
    }

    /// The next row, or `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<Item>, StoreError> {
        self.next_from("").await
    }

    /// The next row if its sort key is not before `first`.
    pub(super) async fn next_from(&mut self, first: &str) -> Result<Option<Item>, StoreError> {
        while self.ranges.iter().any(OpenRange::is_used_up) {
            let store = self.store;
            let used_up = self.ranges.iter_mut().filter(|range| range.is_used_up());
            try_join_all(used_up.map(|range| range.read_page(store))).await?;
        }
        let latest = self.ranges.iter_mut().max_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        let latest = latest.filter(|range| range.sort_key().is_some_and(|key| key >= first));
        Ok(latest.and_then(|range| range.rows.pop_front()).map(|(_, row)| row))
    }
}

impl OpenRange {
    fn is_used_up(&self) -> bool {
        self.rows.is_empty() && matches!(self.next, Next::Page(_))
    }

    fn sort_key(&self) -> Option<&str> {
        self.rows.front().map(|(key, _)| key.as_str())
    }

    async fn read_page(&mut self, store: &Store) -> Result<(), StoreError> {
        let Next::Page(start) = std::mem::replace(&mut self.next, Next::End) else { return Ok(()) };
        let (rows, next) = store.page(&self.range, start).await?;
        self.rows.extend(rows.into_iter().filter_map(|row| Some((item_key(&row)?.sk, row))));
        self.next = next.map_or(Next::End, |start| Next::Page(Some(start)));
        Ok(())
    }
}
