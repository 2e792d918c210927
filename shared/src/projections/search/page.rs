//! A page of the orders that a search finds: those with a text or a status.

use std::collections::HashMap;
use std::iter::Peekable;
use std::pin::pin;
use std::vec::IntoIter;

use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::error::SearchError;
use super::objects::SegmentObjects;
use super::records::{RecordFilter, Records};
use crate::cards::model::order::{OrderEntry, OrderFilter};
use crate::db::{Page, PageCollector, PageRequest, Store, StoreError, Stored, keys};
use crate::projections::model::tally::Family;
use crate::projections::rows::segments::{ChangedOrder, Segment};
use crate::projections::rows::tallies::entries_range;
use crate::values::{MerchantId, Span, day_span, month_span};

/// Objects that are fetched at once. Each opens a connection, and a handshake takes a new function longer than an object of a small
/// merchant; a large merchant's objects fill the function's bandwidth with four.
const CONCURRENT_OBJECTS: usize = 4;

/// A page of the merchant's orders that match the filter, newest first. `span` is that of the days of the filter. The merchant's
/// entries must be complete.
pub async fn orders(
    store: &Store,
    objects: &SegmentObjects,
    merchant: &MerchantId,
    filter: &OrderFilter,
    span: &Span<Timestamp>,
    page: &PageRequest,
) -> Result<Page<OrderEntry>, SearchError> {
    // Before the list of segments: an order is removed from the changed ones after a segment has it.
    let changed = store.changed_orders(merchant).await?;
    let list = store.segments(merchant).await?;
    let Some(segments) = list.and_then(|list| list.value.segments) else {
        return Ok(scan(store, merchant, filter, span, page).await?);
    };
    let found = Found { filter, span, changed: changed.into_iter().peekable(), page: page.clone().collect() };
    let read = segments.iter().filter(|segment| overlaps(segment, span));
    let read: Vec<_> = read.map(|segment| objects.read(merchant, segment)).collect();
    match found.in_segments(stream::iter(read).buffered(CONCURRENT_OBJECTS)).await {
        Ok(Page { rows, total, next }) => Ok(Page { rows: entries(store, merchant, filter, rows).await?, total, next }),
        // As after the table was restored to an earlier moment.
        Err(error @ SearchError::MissingObject) => {
            tracing::error!(cause = %error, %merchant, "a search reads all orders");
            Ok(scan(store, merchant, filter, span, page).await?)
        }
        Err(error) => Err(error),
    }
}

/// Reads all entries, for a merchant that has no segments.
async fn scan(
    store: &Store,
    merchant: &MerchantId,
    filter: &OrderFilter,
    span: &Span<Timestamp>,
    page: &PageRequest,
) -> Result<Page<OrderEntry>, StoreError> {
    let mut matching = page.clone().collect();
    let visit = |order: OrderEntry| {
        if filter.matches(&order) {
            matching.push_with(&keys::entry_of_order(&order), || order.clone());
        }
    };
    store.for_each(entries_range(merchant, Family::Orders, span), visit).await?;
    Ok(matching.page())
}

/// Whether a segment can contain orders of a span.
fn overlaps(segment: &Segment, span: &Span<Timestamp>) -> bool {
    let month = month_span(segment.month);
    day_span(month.start, &TimeZone::UTC).start < span.end && day_span(month.end, &TimeZone::UTC).start > span.start
}

/// An order that was found: itself, or its sort key.
enum Row {
    Changed(Box<OrderEntry>),
    Unchanged(String),
}

/// What was found so far, newest first.
struct Found<'a> {
    filter: &'a OrderFilter,
    span: &'a Span<Timestamp>,
    /// Changed orders that are older than what was found so far.
    changed: Peekable<IntoIter<Stored<ChangedOrder>>>,
    page: PageCollector<Row>,
}

impl Found<'_> {
    async fn in_segments(mut self, segments: impl Stream<Item = Result<Records, SearchError>>) -> Result<Page<Row>, SearchError> {
        let filter = RecordFilter::new(self.filter, self.span);
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
                self.page.push_with(sort_key, || Row::Unchanged(sort_key.to_owned()));
            }
        }
    }

    fn add_changed(&mut self, order: Stored<ChangedOrder>) {
        if self.span.contains(&order.entry.created_at) && self.filter.matches(&order.entry) {
            let sort_key = order.sort_key().to_owned();
            self.page.push_with(&sort_key, || Row::Changed(Box::new(order.value.entry)));
        }
    }

    fn page(mut self) -> Page<Row> {
        while let Some(order) = self.changed.next() {
            self.add_changed(order);
        }
        self.page.page()
    }
}

/// Reads the entries of the orders that have not changed. One that has changed since then, and no longer matches, is left out.
async fn entries(
    store: &Store,
    merchant: &MerchantId,
    filter: &OrderFilter,
    rows: Vec<Row>,
) -> Result<Vec<OrderEntry>, StoreError> {
    let unchanged = rows.iter().filter_map(|row| match row {
        Row::Unchanged(sort_key) => Some(sort_key.as_str()),
        Row::Changed(_) => None,
    });
    let mut entries: HashMap<String, OrderEntry> = store.order_entries(merchant, unchanged).await?.into_iter().collect();
    let shown = rows.into_iter().filter_map(|row| match row {
        Row::Changed(order) => Some(*order),
        Row::Unchanged(sort_key) => entries.remove(&sort_key).filter(|order| filter.matches(order)),
    });
    Ok(shown.collect())
}
