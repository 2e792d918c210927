//! The rows of several partitions as one list, by their sort keys in descending order.

use std::collections::VecDeque;

use futures_util::future::try_join_all;

use crate::db::{Item, Range, Store, StoreError, item_key};

/// Reads a page of each partition at a time, all at once, when its rows are used up.
pub(super) struct Merge<'a> {
    store: &'a Store,
    ranges: Vec<OpenRange>,
}

/// A row as it is stored, with its sort key.
pub(super) type Row = (String, Item);

/// A range, and the rows of its current page that have not been returned yet.
struct OpenRange {
    range: Range,
    rows: VecDeque<Row>,
    next: Next,
}

enum Next {
    Page(Option<Item>),
    End,
}

impl<'a> Merge<'a> {
    /// Merges ranges in descending order.
    pub(super) fn new(store: &'a Store, ranges: Vec<Range>) -> Self {
        Self { store, ranges: ranges.into_iter().map(OpenRange::new).collect() }
    }

    /// The next row, or `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<Row>, StoreError> {
        self.fill().await?;
        let latest = self.ranges.iter_mut().max_by(|one, other| one.sort_key().cmp(&other.sort_key()));
        Ok(latest.and_then(|range| range.rows.pop_front()))
    }

    /// Reads a page of each range whose rows are used up.
    async fn fill(&mut self) -> Result<(), StoreError> {
        while self.ranges.iter().any(OpenRange::is_used_up) {
            let store = self.store;
            let used_up = self.ranges.iter_mut().filter(|range| range.is_used_up());
            try_join_all(used_up.map(|range| range.read_page(store))).await?;
        }
        Ok(())
    }
}

impl OpenRange {
    fn new(range: Range) -> Self {
        Self { range, rows: VecDeque::new(), next: Next::Page(None) }
    }

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
