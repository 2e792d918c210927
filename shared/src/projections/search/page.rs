//! A page of the orders that a search finds.

use std::collections::HashMap;
use std::iter::Peekable;
use std::pin::pin;
use std::vec::IntoIter;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};

use super::error::SearchError;
use super::objects::SegmentObjects;
use super::records::{RecordFilter, Records};
use crate::domain::ids::MerchantId;
use crate::domain::order::{OrderEntry, OrderFilter};
use crate::domain::tally::Family;
use crate::store::pages::{Page, PageCollector, PageRequest};
use crate::store::segments::ChangedOrder;
use crate::store::{Range, Store, StoreError, Stored, keys};

/// Objects that are fetched at once.
const CONCURRENT_OBJECTS: usize = 16;

/// A page of the merchant's orders that match the filter, newest first. The merchant's entries must be complete.
pub async fn orders(
    store: &Store,
    objects: &SegmentObjects,
    merchant: &MerchantId,
    filter: &OrderFilter,
    page: PageRequest,
) -> Result<Page<OrderEntry>, SearchError> {
    // Before the list of segments: an order is removed from the changed ones after a segment has it.
    let changed = store.changed_orders(merchant, None).await?;
    let list = store.segments(merchant).await?;
    let Some(segments) = list.and_then(|list| list.value.segments) else {
        return Ok(scan(store, merchant, filter, page).await?);
    };
    let found = Found { filter, changed: changed.into_iter().peekable(), page: page.collect() };
    let read: Vec<_> = segments.iter().map(|segment| objects.read(merchant, segment)).collect();
    match found.in_segments(stream::iter(read).buffered(CONCURRENT_OBJECTS)).await {
        Ok(found) => Ok(Page { total: found.total, rows: entries(store, merchant, found.rows).await? }),
        // As after the table was restored to an earlier moment.
        Err(error @ SearchError::MissingObject) => {
            tracing::error!(cause = %error, %merchant, "a search reads all orders");
            Ok(scan(store, merchant, filter, page).await?)
        }
        Err(error) => Err(error),
    }
}

/// Reads all entries, for a merchant that has no segments.
async fn scan(
    store: &Store,
    merchant: &MerchantId,
    filter: &OrderFilter,
    page: PageRequest,
) -> Result<Page<OrderEntry>, StoreError> {
    let mut matching = page.collect();
    let entries = Range::of_table(keys::entries(merchant, Family::Orders)).descending();
    store.for_each(entries, |order| matching.push_if(filter.matches(&order), order)).await?;
    Ok(matching.page())
}

/// An order that was found: itself, or its sort key.
enum Row {
    Changed(Box<OrderEntry>),
    Unchanged(String),
}

/// What was found so far, newest first.
struct Found<'a> {
    filter: &'a OrderFilter,
    /// Changed orders that are older than what was found so far.
    changed: Peekable<IntoIter<Stored<ChangedOrder>>>,
    page: PageCollector<Row>,
}

impl Found<'_> {
    async fn in_segments(
        mut self,
        segments: impl Stream<Item = Result<Records, SearchError>>,
    ) -> Result<Page<Row>, SearchError> {
        let filter = RecordFilter::new(self.filter);
        let mut segments = pin!(segments);
        while let Some(records) = segments.try_next().await? {
            self.add(&records, &filter);
        }
        Ok(self.page())
    }

    /// Adds the matching orders of the next older segment.
    fn add(&mut self, records: &Records, filter: &RecordFilter) {
        for sort_key in records.matching(filter) {
            let mut has_changed = false;
            while let Some(order) = self.changed.next_if(|order| order.sort_key() >= sort_key) {
                has_changed = order.sort_key() == sort_key;
                self.add_changed(order);
            }
            if !has_changed {
                self.page.push_with(|| Row::Unchanged(sort_key.to_owned()));
            }
        }
    }

    fn add_changed(&mut self, order: Stored<ChangedOrder>) {
        self.page.push_if(self.filter.matches(&order.entry), Row::Changed(Box::new(order.value.entry)));
    }

    fn page(mut self) -> Page<Row> {
        while let Some(order) = self.changed.next() {
            self.add_changed(order);
        }
        self.page.page()
    }
}

/// Reads the entries of the orders that have not changed.
async fn entries(
    store: &Store,
    merchant: &MerchantId,
    rows: Vec<Row>,
) -> Result<Vec<OrderEntry>, StoreError> {
    let unchanged = rows.iter().filter_map(|row| match row {
        Row::Unchanged(sort_key) => Some(sort_key.as_str()),
        Row::Changed(_) => None,
    });
    let mut entries: HashMap<String, OrderEntry> =
        store.order_entries(merchant, unchanged).await?.into_iter().collect();
    let shown = rows.into_iter().filter_map(|row| match row {
        Row::Changed(order) => Some(*order),
        Row::Unchanged(sort_key) => entries.remove(&sort_key),
    });
    Ok(shown.collect())
}
