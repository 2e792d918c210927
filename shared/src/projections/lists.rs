//! Pages of lists, newest first.
//!
//! The tallies say how many rows lie within each month, day and minute, so that a page is found without reading the rows
//! before it: the month that contains it, then the day, then the minute. From there on, entries are read until the page is
//! full. Tallies trail the entries by the delay of the table's stream, so that they are used only for what they are good for:
//!
//! - What came about within the last two minutes is counted from the entries: orders of these minutes, and the settlements
//!   that are eligible a payout delay after these minutes.
//! - The first pages are counted off from the first row on.
//! - A page that begins after a row, and not after a number of rows, needs no tallies.
//! - A filter by status reads one partition for each pair of statuses. An order that moves from one to another while they are
//!   read can be missing in both, or be in both. So the changed orders are read last, and replace what was read before.
//! - The number of all rows is at least that of the rows which are known to exist.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::DeserializeOwned;

use super::live::{live_settlements, settlements_within};
use super::merge::Merge;
use super::parts::{List, Part, PartSpan};
use super::search::{self, SearchError, SegmentObjects};
use crate::base::clock::iso_8601;
use crate::cards::model::order::{OrderEntry, OrderFilter};
use crate::db::pages::{Cursor, Page, PageRequest, PageStart};
use crate::db::{Item, Range, Store, StoreError, Stored, keys};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::tally::{Family, SettlementKind, Tally};
use crate::projections::rows::segments::ChangedOrder;
use crate::projections::rows::tallies::entries_range;
use crate::settlements::model::settlement::Settlement;
use crate::values::calendar::{day_span, live_from, month_span};
use crate::values::ids::MerchantId;
use crate::values::open_enum::OpenEnum;
use crate::values::span::Span;

/// Up to this row of a section of a list, a page is found without tallies. The largest page has as many rows, and one more shows
/// that another page follows.
const FIRST_ROWS: usize = 201;

/// A page of the merchant's orders that match the filter.
pub async fn orders(
    store: &Store,
    segments: &SegmentObjects,
    merchant: &Merchant,
    filter: &OrderFilter,
    page: &PageRequest,
    now: Timestamp,
) -> Result<Page<OrderEntry>, SearchError> {
    let calendar = &merchant.calendars.serving;
    let span = filter.placed.span(&calendar.zone());
    if span.is_empty() {
        return Ok(Page::default());
    }
    if !filter.text.is_empty() {
        return search::orders(store, segments, &merchant.id, filter, &span, page).await;
    }
    let live_from = live_from(now).clamp(span.start, span.end);
    let list = List::of_orders(store, &merchant.id, calendar);
    let (parts, live) = tokio::try_join!(
        list.parts_before(filter.placed.from.unwrap_or(Date::MIN), live_from),
        live_orders(store, &merchant.id, filter, live_from..span.end),
    )?;
    let partitions = order_partitions(&merchant.id, filter, &parts);
    let moving = filter.has_status().then_some(filter);
    let past = Region { list: &list, span: span.start..live_from, parts, partitions: &partitions, moving };
    Ok(join(store, vec![Section::Read(live), Section::Counted(past)], page).await?)
}

/// The orders within a span that match the filter, newest first, with their sort keys.
async fn live_orders(
    store: &Store,
    merchant: &MerchantId,
    filter: &OrderFilter,
    span: Span<Timestamp>,
) -> Result<Vec<(String, OrderEntry)>, StoreError> {
    let mut live = Vec::new();
    if span.is_empty() {
        return Ok(live);
    }
    let visit = |order| {
        if filter.matches(&order) {
            live.push((keys::entry_of_order(&order), order));
        }
    };
    store.for_each(entries_range(merchant, Family::Orders, &span), visit).await?;
    Ok(live)
}

/// A page of the settlements that a merchant with its settlement mode sees, latest eligible time first.
pub async fn settlements(
    store: &Store,
    merchant: &Merchant,
    page: &PageRequest,
    now: Timestamp,
) -> Result<Page<Settlement>, StoreError> {
    let kinds = SettlementKind::listed(merchant.settlement_mode.as_ref().and_then(OpenEnum::known));
    let window = live_settlements(merchant, now);
    let list = List::of_settlements(store, &merchant.id, kinds);
    let (parts, live) = tokio::try_join!(list.parts_around(&window), settlements_within(store, merchant, kinds, &window))?;
    let live = live.into_iter().map(|settlement| (keys::entry_of_settlement(&settlement), settlement));
    let mut live: Vec<(String, Settlement)> = live.collect();
    live.sort_by(|(one, _), (other, _)| other.cmp(one));
    let partitions: Vec<ListedPartition> =
        kinds.iter().enumerate().map(|(index, kind)| settlement_partition(&merchant.id, index, *kind)).collect();
    let region = |span, parts| Region { list: &list, span, parts, partitions: &partitions, moving: None };
    let mut sections = Vec::new();
    // Only after the delay has become shorter, or of imported rows.
    if !parts.newer.is_empty() {
        sections.push(Section::Counted(region(window.end..Timestamp::MAX, parts.newer)));
    }
    sections.push(Section::Read(live));
    sections.push(Section::Counted(region(Timestamp::MIN..window.start, parts.older)));
    join(store, sections, page).await
}

/// A row as it is stored, with its sort key.
type Row = (String, Item);

/// A section of a list: rows that have been read and counted, or those of a region.
enum Section<'a, T> {
    Read(Vec<(String, T)>),
    Counted(Region<'a>),
}

impl<T> Section<'_, T> {
    fn count(&self) -> usize {
        match self {
            Self::Read(rows) => rows.len(),
            Self::Counted(region) => region.count(),
        }
    }
}

/// A page of the list that consists of these sections, newest first.
async fn join<T: DeserializeOwned>(
    store: &Store,
    sections: Vec<Section<'_, T>>,
    page: &PageRequest,
) -> Result<Page<T>, StoreError> {
    let counted: usize = sections.iter().map(Section::count).sum();
    let mut skip = page.start.offset();
    let mut rows: Vec<(String, Option<T>)> = Vec::new();
    for section in sections {
        // One more shows that another page follows.
        let wanted = page.limit + 1 - rows.len();
        if wanted == 0 {
            break;
        }
        match section {
            Section::Read(mut read) => {
                read.retain(|(sort_key, _)| page.start.allows(sort_key));
                let skipped = skip.min(read.len());
                skip -= skipped;
                let read = read.into_iter().skip(skipped).take(wanted);
                rows.extend(read.map(|(sort_key, row)| (sort_key, Some(row))));
            }
            Section::Counted(region) => {
                let found = region.rows(&page.start, skip, wanted).await?;
                skip -= found.skipped;
                rows.extend(found.rows.into_iter().map(|(sort_key, row)| (sort_key, store.readable_value(row))));
            }
        }
    }
    // Unreadable rows are neither listed nor counted.
    let readable = rows.iter().filter(|(_, row)| row.is_some()).count();
    let known = if readable == 0 { 0 } else { page.start.offset().saturating_add(readable) };
    let has_next = rows.len() > page.limit;
    rows.truncate(page.limit);
    let next = rows.last().filter(|_| has_next).map(|(sort_key, _)| Cursor::after(sort_key.as_str()));
    let rows = rows.into_iter().filter_map(|(_, row)| row).collect();
    Ok(Page { rows, total: counted.max(known), next })
}

/// A partition that contributes rows to a list, and the tallies that count them.
struct ListedPartition {
    key: String,
    /// Which of the list's series counts its rows.
    series: usize,
    /// The labels that its rows are counted with; all if `None`.
    status: Option<(String, String)>,
}

impl ListedPartition {
    fn count(&self, part: &Part) -> usize {
        let Some(tally) = part.tallies.get(self.series) else { return 0 };
        let count = tally.count_where(|labels| match (&self.status, labels) {
            (None, _) => true,
            (Some((status, payment_status)), [first, second, ..]) => first == status && second == payment_status,
            (Some(_), _) => false,
        });
        usize::try_from(count).unwrap_or(usize::MAX)
    }
}

/// Without a filter, all orders lie in one partition. With one, each pair of statuses that occurs and matches has its own.
fn order_partitions(merchant: &MerchantId, filter: &OrderFilter, past: &[Part]) -> Vec<ListedPartition> {
    if !filter.has_status() {
        return vec![ListedPartition { key: keys::entries(merchant, Family::Orders), series: 0, status: None }];
    }
    let status = filter.status.map(|status| OpenEnum::from(status).to_string());
    let payment_status = filter.payment_status.map(|status| OpenEnum::from(status).to_string());
    let all: Tally = past.iter().flat_map(|part| &part.tallies).collect();
    let mut partitions: BTreeMap<(String, String), ListedPartition> = BTreeMap::new();
    for (labels, _) in all.iter() {
        let [first, second, ..] = labels else { continue };
        let matches =
            status.as_ref().is_none_or(|status| status == first) && payment_status.as_ref().is_none_or(|status| status == second);
        if matches {
            let pair = (first.clone(), second.clone());
            let key = keys::orders_by_status(merchant, first, second);
            partitions.insert(pair.clone(), ListedPartition { key, series: 0, status: Some(pair) });
        }
    }
    partitions.into_values().collect()
}

fn settlement_partition(merchant: &MerchantId, series: usize, kind: SettlementKind) -> ListedPartition {
    ListedPartition { key: keys::entries(merchant, Family::Settlements(kind)), series, status: None }
}

/// A span of a list, whose rows are counted by tallies.
struct Region<'a> {
    list: &'a List<'a>,
    span: Span<Timestamp>,
    /// Newest first.
    parts: Vec<Part>,
    partitions: &'a [ListedPartition],
    /// The filter of the orders, if they can move between the partitions.
    moving: Option<&'a OrderFilter>,
}

/// Rows of a region that are on a page.
struct Found {
    rows: Vec<Row>,
    /// How many rows of the region precede them, or are in the region if there are none.
    skipped: usize,
}

/// Where rows are read.
struct Start {
    /// Rows have smaller sort keys.
    end: String,
    /// What the rows are counted by, newest first.
    parts: Vec<Part>,
    skip: Skip,
}

/// The first rows that are read, but not on the page.
enum Skip {
    Rows(usize),
    Minute(StartMinute),
}

/// A minute of which some rows are on earlier pages.
struct StartMinute {
    /// The smallest sort key.
    start: String,
    /// Counted rows that are on earlier pages.
    skipped: usize,
    /// Counted rows that are not. They are counted from the oldest one, so that rows which have not been counted yet move none
    /// to another page.
    remaining: usize,
}

impl Skip {
    fn expected(&self) -> usize {
        match self {
            Self::Rows(rows) => *rows,
            Self::Minute(minute) => minute.skipped,
        }
    }

    fn of(&self, rows: &[Row]) -> usize {
        match self {
            Self::Rows(skipped) => rows.len().min(*skipped),
            Self::Minute(minute) => {
                let within = rows.partition_point(|(sort_key, _)| *sort_key >= minute.start);
                within.saturating_sub(minute.remaining)
            }
        }
    }

    /// Whether more rows have to be read to know how many to skip, after those down to this sort key.
    fn needs_more_than(&self, sort_key: &str) -> bool {
        match self {
            Self::Rows(_) => false,
            Self::Minute(minute) => sort_key >= minute.start.as_str(),
        }
    }
}

impl Region<'_> {
    fn count(&self) -> usize {
        self.parts.iter().map(|part| self.count_part(part)).sum()
    }

    fn count_part(&self, part: &Part) -> usize {
        self.partitions.iter().map(|partition| partition.count(part)).sum()
    }

    /// At most `count` rows of the page, and no row if the page begins after the region.
    async fn rows(mut self, start: &PageStart, skip: usize, count: usize) -> Result<Found, StoreError> {
        let end = iso_8601(self.span.end);
        let parts = std::mem::take(&mut self.parts);
        match start {
            PageStart::After(cursor) => {
                let end = end.min(cursor.sort_key().to_owned());
                let zone = &self.list.zone;
                let parts = parts.into_iter().filter(|part| iso_8601(part.start(zone)) < end).collect();
                self.read(Start { end, parts, skip: Skip::Rows(0) }, count).await
            }
            PageStart::Offset(_) if skip == 0 || skip.saturating_add(count) <= FIRST_ROWS => {
                self.read(Start { end, parts, skip: Skip::Rows(skip) }, count).await
            }
            PageStart::Offset(_) => {
                self.parts = parts;
                let counted = self.count();
                match self.locate(skip).await? {
                    Some(start) => {
                        let found = self.read(start, count).await?;
                        Ok(Found { skipped: skip, ..found })
                    }
                    None => Ok(Found { rows: Vec::new(), skipped: counted }),
                }
            }
        }
    }

    /// Where the row with this offset lies. `None` if there are not so many rows.
    async fn locate(&mut self, offset: usize) -> Result<Option<Start>, StoreError> {
        let (mut parts, mut skipped, mut end) = (std::mem::take(&mut self.parts), offset, self.span.end);
        let zone = &self.list.zone;
        loop {
            let mut passed = 0;
            while let Some(count) = parts.get(passed).map(|part| self.count_part(part)).filter(|count| skipped >= *count) {
                skipped -= count;
                passed += 1;
            }
            parts.drain(..passed);
            let Some(part) = parts.first() else { return Ok(None) };
            end = end.min(part.span.end(zone));
            let inner = match part.span {
                PartSpan::Minute(minute) => {
                    let (start, remaining) = (iso_8601(minute.start()), self.count_part(part) - skipped);
                    let skip = Skip::Minute(StartMinute { start, skipped, remaining });
                    return Ok(Some(Start { end: iso_8601(end), parts, skip }));
                }
                PartSpan::Day(date) => {
                    let day = day_span(date, zone);
                    self.list.minutes(day.start..day.end.min(end)).await?
                }
                PartSpan::Month(date) => self.list.days(month_span(date)).await?,
            };
            parts.splice(..1, inner);
        }
    }

    /// At most `count` rows from a start on.
    async fn read(&self, start: Start, count: usize) -> Result<Found, StoreError> {
        let Start { end, parts, skip } = start;
        let from = iso_8601(self.span.start);
        if end <= from {
            return Ok(Found { rows: Vec::new(), skipped: 0 });
        }
        let mut merge = self.merge(&end, &parts, count + skip.expected());
        let is_enough = |rows: &[Row], read_to: &str| !skip.needs_more_than(read_to) && rows.len() >= skip.of(rows) + count;
        let (mut rows, mut read_to, mut is_end) = (Vec::new(), end.clone(), false);
        while !is_end && !is_enough(&rows, &read_to) {
            while !is_end && !is_enough(&rows, &read_to) {
                match merge.next().await? {
                    Some(row) => {
                        read_to.clone_from(&row.0);
                        // A cursor's own row is on the previous page.
                        rows.extend(Some(row).filter(|(sort_key, _)| *sort_key < end));
                    }
                    None => {
                        read_to.clone_from(&from);
                        is_end = true;
                    }
                }
            }
            // It can remove rows: then more are read.
            rows = self.with_changes(rows, &read_to, &end).await?;
        }
        let skipped = skip.of(&rows);
        let mut rows = rows.split_off(skipped);
        rows.truncate(count);
        Ok(Found { rows, skipped })
    }

    /// Merges the partitions, each read up to the rows that the parts count among the next `wanted` ones.
    fn merge(&self, end: &str, parts: &[Part], wanted: usize) -> Merge<'_> {
        let mut expected = vec![0; self.partitions.len()];
        let mut rest = parts.iter();
        let mut reached = self.span.start;
        while expected.iter().sum::<usize>() < wanted
            && let Some(part) = rest.next()
        {
            for (rows, partition) in expected.iter_mut().zip(self.partitions) {
                *rows += partition.count(part);
            }
            reached = part.start(&self.list.zone);
        }
        // At the end of the list, rows that have not been counted yet are looked for in every partition.
        let is_end = expected.iter().sum::<usize>() < wanted;
        let from = iso_8601(self.span.start);
        let range = |partition: &ListedPartition, rows: usize| {
            // One more, so that the merge knows what follows without another call, and one for a cursor's own row.
            let rows = u16::try_from(wanted.min(rows + 1) + 1).unwrap_or(u16::MAX);
            Range::eventual(partition.key.clone()).descending().between(from.as_str(), end).limit(rows)
        };
        let (mut now, mut later) = (Vec::new(), Vec::new());
        for (partition, rows) in self.partitions.iter().zip(expected) {
            if rows > 0 || is_end {
                now.push(range(partition, if is_end { wanted } else { rows }));
            } else {
                later.push(range(partition, 1));
            }
        }
        Merge::new(self.list.store, now).and_later(iso_8601(reached), later)
    }

    /// Replaces what the partitions say of orders that have changed a short time ago. Their sort keys lie from `from` to before
    /// `end`.
    async fn with_changes(&self, mut rows: Vec<Row>, from: &str, end: &str) -> Result<Vec<Row>, StoreError> {
        let Some(filter) = self.moving else { return Ok(rows) };
        let changed = self.list.store.changed_orders_between(self.list.merchant, from, end).await?;
        let sort_keys: HashSet<&str> = changed.iter().map(|order| order.sort_key()).collect();
        rows.retain(|(sort_key, _)| !sort_keys.contains(sort_key.as_str()));
        let is_listed = |order: &&Stored<ChangedOrder>| order.sort_key() < end && filter.matches(&order.entry);
        for order in changed.iter().filter(is_listed) {
            rows.push((order.sort_key().to_owned(), order.entry_row()?));
        }
        rows.sort_by(|(one, _), (other, _)| other.cmp(one));
        Ok(rows)
    }
}
