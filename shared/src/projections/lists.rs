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
//! - The number of all rows is at least that of the rows which are known to exist.
//!
//! Orders with a status or a text are found by a [`search`].

use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::DeserializeOwned;

use super::live::{live_settlements, settlements_within};
use super::merge::{Merge, Row};
use super::parts::{List, Part, PartSpan};
use super::search::{self, SearchError, SegmentObjects};
use crate::base::clock::iso_8601;
use crate::cards::model::order::{OrderEntry, OrderFilter};
use crate::db::{Cursor, Page, PageRequest, PageStart, Range, Store, StoreError, keys};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::tally::{Family, SettlementKind};
use crate::projections::rows::tallies::entries_range;
use crate::settlements::model::settlement::Settlement;
use crate::values::{MerchantId, OpenEnum, Span, day_span, live_from, month_span};

/// Up to this row of a section of a list, a page is found without tallies. The largest page has as many rows, and one more shows
/// that another page follows.
const FIRST_ROWS: usize = 201;

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
    if !filter.has_only_days() {
        return search::orders(store, segments, &merchant.id, filter, &span, page).await;
    }
    let live_from = live_from(now).clamp(span.start, span.end);
    let list = List::of_orders(store, &merchant.id, calendar);
    let (parts, live) = tokio::try_join!(
        list.parts_before(filter.placed.from.unwrap_or(Date::MIN), live_from),
        orders_within(store, &merchant.id, live_from..span.end),
    )?;
    let past = Region { list: &list, span: span.start..live_from, parts };
    Ok(join(store, vec![Section::Read(live), Section::Counted(past)], page).await?)
}

/// The orders within a span, newest first, with their sort keys.
async fn orders_within(
    store: &Store,
    merchant: &MerchantId,
    span: Span<Timestamp>,
) -> Result<Vec<(String, OrderEntry)>, StoreError> {
    let mut orders = Vec::new();
    if !span.is_empty() {
        let visit = |order| orders.push((keys::entry_of_order(&order), order));
        store.for_each(entries_range(merchant, Family::Orders, &span), visit).await?;
    }
    Ok(orders)
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
    let mut sections = Vec::new();
    // Only after the delay has become shorter, or of imported rows.
    if !parts.newer.is_empty() {
        sections.push(Section::Counted(Region { list: &list, span: window.end..Timestamp::MAX, parts: parts.newer }));
    }
    sections.push(Section::Read(live));
    sections.push(Section::Counted(Region { list: &list, span: Timestamp::MIN..window.start, parts: parts.older }));
    join(store, sections, page).await
}

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

/// A span of a list, whose rows are counted by tallies.
struct Region<'a> {
    list: &'a List<'a>,
    span: Span<Timestamp>,
    /// Newest first.
    parts: Vec<Part>,
}

/// Rows of a region that are on a page.
struct Found {
    rows: Vec<Row>,
    /// How many rows of the region precede them, or are in the region if there are none.
    skipped: usize,
}

/// The first rows that are read, but not on the page.
enum Skip {
    Rows(usize),
    /// The rows of a minute that are on earlier pages.
    OfMinute {
        /// The smallest sort key of the minute.
        start: String,
        skipped: usize,
        /// The minute's other rows. They are counted from the oldest one, so that rows which have not been counted yet move none
        /// to another page.
        remaining: usize,
    },
}

impl Skip {
    fn expected(&self) -> usize {
        match self {
            Self::Rows(skipped) | Self::OfMinute { skipped, .. } => *skipped,
        }
    }

    fn of(&self, rows: &[Row]) -> usize {
        match self {
            Self::Rows(skipped) => rows.len().min(*skipped),
            Self::OfMinute { start, remaining, .. } => {
                rows.partition_point(|(sort_key, _)| sort_key >= start).saturating_sub(*remaining)
            }
        }
    }

    /// Whether more rows have to be read to know how many to skip.
    fn needs_more_than(&self, rows: &[Row]) -> bool {
        match self {
            Self::Rows(_) => false,
            Self::OfMinute { start, .. } => rows.last().is_none_or(|(sort_key, _)| sort_key >= start),
        }
    }
}

impl Region<'_> {
    fn count(&self) -> usize {
        self.parts.iter().map(Part::count).sum()
    }

    /// At most `count` rows of the page, and no row if the page begins after the region.
    async fn rows(mut self, start: &PageStart, skip: usize, count: usize) -> Result<Found, StoreError> {
        let end = iso_8601(self.span.end);
        match start {
            PageStart::After(cursor) => self.read(&end.min(cursor.sort_key().to_owned()), &Skip::Rows(0), count).await,
            PageStart::Offset(_) if skip.saturating_add(count) <= FIRST_ROWS => self.read(&end, &Skip::Rows(skip), count).await,
            PageStart::Offset(_) => {
                let counted = self.count();
                match self.locate(skip).await? {
                    Some((end, of_minute)) => Ok(Found { skipped: skip, ..self.read(&end, &of_minute, count).await? }),
                    None => Ok(Found { rows: Vec::new(), skipped: counted }),
                }
            }
        }
    }

    /// The end of the minute in which the row with this offset lies, and which of its rows precede it. `None` if there are not so
    /// many rows. The first of the parts is this minute then.
    async fn locate(&mut self, offset: usize) -> Result<Option<(String, Skip)>, StoreError> {
        let (mut skipped, mut end) = (offset, self.span.end);
        let zone = &self.list.zone;
        loop {
            let mut passed = 0;
            while let Some(count) = self.parts.get(passed).map(Part::count).filter(|count| skipped >= *count) {
                skipped -= count;
                passed += 1;
            }
            self.parts.drain(..passed);
            let Some(part) = self.parts.first() else { return Ok(None) };
            end = end.min(part.span.end(zone));
            let inner = match part.span {
                PartSpan::Minute(minute) => {
                    let (start, remaining) = (iso_8601(minute.start()), part.count() - skipped);
                    return Ok(Some((iso_8601(end), Skip::OfMinute { start, skipped, remaining })));
                }
                PartSpan::Day(date) => {
                    let day = day_span(date, zone);
                    self.list.minutes(day.start..day.end.min(end)).await?
                }
                PartSpan::Month(date) => self.list.days(month_span(date)).await?,
            };
            self.parts.splice(..1, inner);
        }
    }

    /// At most `count` rows with sort keys before `end`.
    async fn read(&self, end: &str, skip: &Skip, count: usize) -> Result<Found, StoreError> {
        let mut merge = self.merge(end, count + skip.expected());
        let mut rows: Vec<Row> = Vec::new();
        while skip.needs_more_than(&rows) || rows.len() < skip.of(&rows) + count {
            let Some(row) = merge.next().await? else { break };
            // A cursor's own row is on the previous page.
            if *row.0 < *end {
                rows.push(row);
            }
        }
        let skipped = skip.of(&rows);
        Ok(Found { rows: rows.into_iter().skip(skipped).take(count).collect(), skipped })
    }

    /// Merges the partitions, each read up to the rows that the parts count among the next `wanted` ones.
    fn merge(&self, end: &str, wanted: usize) -> Merge<'_> {
        let partitions = self.list.partitions();
        let mut expected = vec![0; partitions.len()];
        for part in self.parts.iter().skip_while(|part| *iso_8601(part.start(&self.list.zone)) >= *end) {
            if expected.iter().sum::<usize>() >= wanted {
                break;
            }
            for (rows, counted) in expected.iter_mut().zip(part.counts()) {
                *rows += counted;
            }
        }
        // At the end of the list, rows that have not been counted yet are looked for in every partition.
        let is_end = expected.iter().sum::<usize>() < wanted;
        let from = iso_8601(self.span.start);
        let range = |(partition, rows): (String, usize)| {
            let rows = if is_end { wanted } else { wanted.min(rows + 1) };
            // One more, so that the merge knows what follows without another call, and one for a cursor's own row.
            let rows = u16::try_from(rows + 1).unwrap_or(u16::MAX);
            Range::eventual(partition).descending().between(from.as_str(), end).limit(rows)
        };
        Merge::new(self.list.store, partitions.into_iter().zip(expected).map(range).collect())
    }
}
