//! Pages of lists, newest first.
//!
//! The tallies say how many rows lie within each month, day and minute, so that a page is found without reading the rows
//! before it: the month that contains it, then the day, then the minute. The first page needs only the number of all rows. From
//! there on, entries are read until the page is full. Orders of the last two minutes are counted from the entries themselves.

use std::collections::BTreeMap;
use std::ops::Range as Span;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::merge::Merge;
use super::search::{self, SearchError, SegmentObjects};
use crate::clock::iso_8601;
use crate::domain::calendar::{Calendar, Minute, date_of, day_span, live_from, month_span};
use crate::domain::ids::MerchantId;
use crate::domain::merchant::Merchant;
use crate::domain::open_enum::OpenEnum;
use crate::domain::order::{OrderEntry, OrderFilter};
use crate::domain::settlement::Settlement;
use crate::domain::tally::{Family, Series, SettlementKind, Sum, Tally};
use crate::store::pages::{Page, PageRequest};
use crate::store::tallies::{Bucket, entries_range};
use crate::store::{Item, Range, Store, StoreError, keys};

/// A page of the merchant's orders that match the filter.
pub async fn orders(
    store: &Store,
    segments: &SegmentObjects,
    merchant: &Merchant,
    filter: &OrderFilter,
    page: PageRequest,
    now: Timestamp,
) -> Result<Page<OrderEntry>, SearchError> {
    let calendar = merchant.calendars.require_serving().map_err(StoreError::from)?;
    if !filter.text.is_empty() {
        return search::orders(store, segments, &merchant.id, filter, page).await;
    }
    let live_from = live_from(now);
    let list = List { store, merchant: &merchant.id, calendar, series: vec![Series::Orders] };
    let mut live = Vec::new();
    let live_entries = entries_range(&merchant.id, Family::Orders, &(live_from..Timestamp::MAX));
    let (past, ()) = tokio::try_join!(
        list.before(live_from),
        store.for_each(live_entries, |order| if filter.matches(&order) {
            live.push(order);
        }),
    )?;
    let partitions = order_partitions(&merchant.id, filter, &past);
    let total = live.len() + past.iter().map(|part| part.count(&partitions)).sum::<usize>();
    let mut rows: Vec<OrderEntry> = live.iter().skip(page.offset).take(page.limit).cloned().collect();
    let rest = PageRequest { offset: page.offset.saturating_sub(live.len()), limit: page.limit - rows.len() };
    // The page goes on where the live orders end, even if some of the past are not counted yet.
    let start = match rest.offset {
        0 => Some(Start { end: live_from, minute: None, parts: past }),
        offset => list.locate(past, &partitions, offset, live_from).await?,
    };
    rows.extend(list.rows(start, &partitions, rest.limit).await?);
    Ok(Page { rows, total })
}

/// A page of the settlements that a merchant with its settlement mode sees, latest eligible time first. They are eligible in
/// the future, so that none of them are counted live: a new one is listed as soon as it is counted.
pub async fn settlements(
    store: &Store,
    merchant: &Merchant,
    page: PageRequest,
) -> Result<Page<Settlement>, StoreError> {
    merchant.calendars.require_serving()?;
    let kinds = SettlementKind::listed(merchant.settlement_mode.as_ref().and_then(OpenEnum::known));
    let calendar = Calendar::utc();
    let series = kinds.iter().map(|kind| Series::Settlements(*kind)).collect();
    let list = List { store, merchant: &merchant.id, calendar: &calendar, series };
    let months = list.months().await?;
    let partitions: Vec<ListedPartition> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| settlement_partition(&merchant.id, index, *kind))
        .collect();
    let total: usize = months.iter().map(|part| part.count(&partitions)).sum();
    let start = match page.offset {
        0 => Some(Start { end: Timestamp::MAX, minute: None, parts: months }),
        offset => list.locate(months, &partitions, offset, Timestamp::MAX).await?,
    };
    // No more than are counted, or the page had more rows than the list.
    let limit = page.limit.min(total.saturating_sub(page.offset));
    let rows = list.rows(start, &partitions, limit).await?;
    Ok(Page { rows, total })
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
    fn count(&self, tallies: &[Tally]) -> usize {
        let Some(tally) = tallies.get(self.series) else { return 0 };
        let count = tally.count_where(|labels| match (&self.status, labels) {
            (None, _) => true,
            (Some((status, payment_status)), [first, second, ..]) => {
                first == status && second == payment_status
            }
            (Some(_), _) => false,
        });
        usize::try_from(count).unwrap_or(usize::MAX)
    }
}

/// Without a filter, all orders lie in one partition. With one, each pair of statuses that occurs and matches has its own.
fn order_partitions(merchant: &MerchantId, filter: &OrderFilter, past: &[Part]) -> Vec<ListedPartition> {
    if filter.status.is_none() && filter.payment_status.is_none() {
        return vec![ListedPartition {
            key: keys::entries(merchant, Family::Orders),
            series: 0,
            status: None,
        }];
    }
    let status = filter.status.map(|status| OpenEnum::from(status).to_string());
    let payment_status = filter.payment_status.map(|status| OpenEnum::from(status).to_string());
    let all: Tally = past.iter().flat_map(|part| &part.tallies).collect();
    let mut partitions: BTreeMap<(String, String), ListedPartition> = BTreeMap::new();
    for (labels, _) in all.iter() {
        let [first, second, ..] = labels else { continue };
        let matches = status.as_ref().is_none_or(|status| status == first)
            && payment_status.as_ref().is_none_or(|status| status == second);
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

/// A span of time and its tallies, one for each series of the list.
#[derive(Debug)]
struct Part {
    span: PartSpan,
    tallies: Vec<Tally>,
}

/// Ordered by time within a level. A month and a day are named by their first date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PartSpan {
    Month(Date),
    Day(Date),
    Minute(Minute),
}

impl From<Bucket> for PartSpan {
    fn from(bucket: Bucket) -> Self {
        match bucket {
            Bucket::Day(date) => Self::Day(date),
            Bucket::Month(date) => Self::Month(date),
        }
    }
}

impl Part {
    fn end(&self, zone: &TimeZone) -> Timestamp {
        match self.span {
            PartSpan::Minute(minute) => minute.end(),
            PartSpan::Day(date) => day_span(date, zone).end,
            PartSpan::Month(date) => day_span(month_span(date).end, zone).start,
        }
    }

    fn count(&self, partitions: &[ListedPartition]) -> usize {
        partitions.iter().map(|partition| partition.count(&self.tallies)).sum()
    }
}

/// A list of a merchant, and the calendar by whose months and days it is counted.
struct List<'a> {
    store: &'a Store,
    merchant: &'a MerchantId,
    calendar: &'a Calendar,
    series: Vec<Series>,
}

impl List<'_> {
    /// The parts of all time before `end`, newest first: days of the last month, and months.
    async fn before(&self, end: Timestamp) -> Result<Vec<Part>, StoreError> {
        let month = date_of(end, &self.calendar.zone()).first_of_month();
        let tallies = self.store.tallies(self.merchant);
        let months = Date::MIN..month;
        let read =
            self.series.iter().map(|series| tallies.before(end, *series, self.calendar, month, &months));
        Ok(parts(try_join_all(read).await?, PartSpan::from))
    }

    /// At most `limit` rows from a start on.
    async fn rows<T: serde::de::DeserializeOwned>(
        &self,
        start: Option<Start>,
        partitions: &[ListedPartition],
        limit: usize,
    ) -> Result<Vec<T>, StoreError> {
        let Some(Start { end, minute, parts }) = start.filter(|_| limit > 0) else { return Ok(Vec::new()) };
        let wanted = limit + minute.as_ref().map_or(0, |minute| minute.skipped);
        let ranges =
            partitions.iter().zip(expected_rows(&parts, partitions, wanted)).filter(|(_, rows)| *rows > 0);
        let ranges = ranges.map(|(partition, rows)| {
            let range = Range::eventual(partition.key.clone()).descending().before(end);
            // One more, so that the merge knows what follows without another call.
            range.limit(u16::try_from(rows + 1).unwrap_or(u16::MAX))
        });
        let mut merge = Merge::new(self.store, ranges);
        let mut rows = match minute {
            Some(minute) => minute.rows(&mut merge).await?,
            None => Vec::new(),
        };
        rows.truncate(limit);
        while rows.len() < limit
            && let Some(row) = merge.next().await?
        {
            rows.push(row);
        }
        Ok(rows.into_iter().filter_map(|row| self.store.readable_value(row)).collect())
    }

    /// Where the row with this offset lies. `None` if there are not so many rows.
    async fn locate(
        &self,
        mut parts: Vec<Part>,
        partitions: &[ListedPartition],
        offset: usize,
        end: Timestamp,
    ) -> Result<Option<Start>, StoreError> {
        let (mut skipped, mut end) = (offset, end);
        loop {
            let mut before = 0;
            while let Some(count) =
                parts.get(before).map(|part| part.count(partitions)).filter(|count| skipped >= *count)
            {
                skipped -= count;
                before += 1;
            }
            parts.drain(..before);
            let Some(part) = parts.first() else { return Ok(None) };
            let zone = self.calendar.zone();
            let inner = match part.span {
                PartSpan::Minute(minute) => {
                    let remaining = part.count(partitions) - skipped;
                    let minute = Some(StartMinute { start: minute.start(), skipped, remaining });
                    let end = end.min(part.end(&zone));
                    return Ok(Some(Start { end, minute, parts }));
                }
                PartSpan::Day(date) => {
                    let day = day_span(date, &zone);
                    self.minutes(day.start..day.end.min(end)).await?
                }
                PartSpan::Month(date) => self.days(month_span(date)).await?,
            };
            end = end.min(part.end(&zone));
            parts.splice(..1, inner);
        }
    }

    async fn minutes(&self, span: Span<Timestamp>) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let read = self.series.iter().map(|series| tallies.minutes_within(*series, &span, Range::eventual));
        Ok(parts(try_join_all(read).await?, PartSpan::Minute))
    }

    async fn days(&self, dates: Span<Date>) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let read =
            self.series.iter().map(|series| tallies.days(*series, self.calendar, &dates, Range::eventual));
        Ok(parts(try_join_all(read).await?.into_iter().map(tallies_of), PartSpan::Day))
    }

    /// All months.
    async fn months(&self) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let read = self
            .series
            .iter()
            .map(|series| tallies.months(*series, self.calendar, Date::MIN, Date::MAX, Range::eventual));
        Ok(parts(try_join_all(read).await?.into_iter().map(tallies_of), PartSpan::Month))
    }
}

fn tallies_of(sums: Vec<(Date, Sum)>) -> Vec<(Date, Tally)> {
    sums.into_iter().map(|(date, sum)| (date, sum.tally)).collect()
}

/// Where the rows of a page begin.
struct Start {
    end: Timestamp,
    /// The minute within which they begin. `None` if they begin with the newest row before `end`.
    minute: Option<StartMinute>,
    /// What lies before `end`, newest first.
    parts: Vec<Part>,
}

/// A minute of which some rows are on earlier pages.
struct StartMinute {
    start: Timestamp,
    /// Counted rows that are on earlier pages.
    skipped: usize,
    /// Counted rows that are not.
    remaining: usize,
}

impl StartMinute {
    /// The rows of the minute that are not on earlier pages. They are counted from the oldest one, so that rows which have not
    /// been counted yet move none to another page.
    async fn rows(&self, merge: &mut Merge<'_>) -> Result<Vec<Item>, StoreError> {
        let start = iso_8601(self.start);
        let mut rows = Vec::new();
        while let Some(row) = merge.next_from(&start).await? {
            rows.push(row);
        }
        Ok(rows.split_off(rows.len().saturating_sub(self.remaining)))
    }
}

/// The number of rows of each partition among the next `wanted` rows of the list, by the tallies. More if a part has more.
fn expected_rows(parts: &[Part], partitions: &[ListedPartition], wanted: usize) -> Vec<usize> {
    let mut expected = vec![0; partitions.len()];
    for part in parts {
        if expected.iter().sum::<usize>() >= wanted {
            break;
        }
        for (rows, partition) in expected.iter_mut().zip(partitions) {
            *rows += partition.count(&part.tallies);
        }
    }
    expected.into_iter().map(|rows| rows.min(wanted)).collect()
}

/// Joins the tallies of several series by their span, newest first.
fn parts<T>(
    series: impl IntoIterator<IntoIter: ExactSizeIterator<Item = Vec<(T, Tally)>>>,
    span: fn(T) -> PartSpan,
) -> Vec<Part> {
    let mut joined: BTreeMap<PartSpan, Vec<Tally>> = BTreeMap::new();
    let series = series.into_iter();
    let count = series.len();
    for (index, tallies) in series.enumerate() {
        for (of, tally) in tallies {
            let part = joined.entry(span(of)).or_insert_with(|| vec![Tally::default(); count]);
            if let Some(place) = part.get_mut(index) {
                *place = tally;
            }
        }
    }
    joined.into_iter().rev().map(|(span, tallies)| Part { span, tallies }).collect()
}
