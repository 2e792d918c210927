//! Pages of lists, newest first.
//!
//! The tallies say how many rows lie within each month, day and minute, so that a page is found without reading the rows
//! before it: the month that contains it, then the day, then the minute. From there on, entries are read until the page is
//! full. Orders of the last two minutes are counted from the entries themselves.

use std::collections::BTreeMap;
use std::ops::Range as Span;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use jiff::civil::Date;

use super::merge::Merge;
use crate::domain::calendar::{Calendar, Minute, date_of, day_span, live_from, month_span};
use crate::domain::ids::MerchantId;
use crate::domain::merchant::Merchant;
use crate::domain::open_enum::OpenEnum;
use crate::domain::order::{OrderEntry, OrderFilter};
use crate::domain::settlement::Settlement;
use crate::domain::tally::{Family, Series, SettlementKind, Tally};
use crate::store::pages::{Page, PageRequest};
use crate::store::tallies::entries_range;
use crate::store::{Range, Store, StoreError, keys};

/// All times.
const ALWAYS: Span<Timestamp> = Timestamp::MIN..Timestamp::MAX;

/// A page of the merchant's orders that match the filter.
pub async fn orders(
    store: &Store,
    merchant: &Merchant,
    filter: &OrderFilter,
    page: PageRequest,
    now: Timestamp,
) -> Result<Page<OrderEntry>, StoreError> {
    let Some(calendar) = &merchant.calendars.serving else {
        let mut matching = page.collect();
        let visit = |order| matching.push_if(filter.matches(&order), order);
        store.for_each_listed_order(&merchant.id, &ALWAYS, visit).await?;
        return Ok(matching.page());
    };
    if !filter.text.is_empty() {
        let mut matching = page.collect();
        let entries = entries_range(&merchant.id, Family::Orders, &ALWAYS).eventually();
        store.for_each(entries, |order| matching.push_if(filter.matches(&order), order)).await?;
        return Ok(matching.page());
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
    rows.extend(list.rows(past, &partitions, rest, live_from).await?);
    Ok(Page { rows, total })
}

/// A page of the settlements that a merchant with its settlement mode sees, latest eligible time first. They are eligible in
/// the future, so that none of them are counted live.
pub async fn settlements(
    store: &Store,
    merchant: &Merchant,
    page: PageRequest,
) -> Result<Page<Settlement>, StoreError> {
    let kinds = SettlementKind::listed(merchant.settlement_mode.as_ref().and_then(OpenEnum::known));
    if merchant.calendars.serving.is_none() {
        let mut listed = page.collect();
        let visit = |settlement| listed.push_if(true, settlement);
        store.for_each_listed_settlement(&merchant.id, &ALWAYS, kinds, visit).await?;
        return Ok(listed.page());
    }
    let calendar = Calendar::utc();
    let series = kinds.iter().map(|kind| Series::Settlements(*kind)).collect();
    let list = List { store, merchant: &merchant.id, calendar: &calendar, series };
    let months = list.months(Date::MIN, Date::MAX).await?;
    let partitions: Vec<ListedPartition> = kinds
        .iter()
        .enumerate()
        .map(|(index, kind)| settlement_partition(&merchant.id, index, *kind))
        .collect();
    let total = months.iter().map(|part| part.count(&partitions)).sum();
    let rows = list.rows(months, &partitions, page, Timestamp::MAX).await?;
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

impl Part {
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
    /// The parts of all time before `end`, newest first: minutes of the last day, days of the last month, and months.
    async fn before(&self, end: Timestamp) -> Result<Vec<Part>, StoreError> {
        let zone = self.calendar.zone();
        let day = date_of(end, &zone);
        let (minutes, days, months) = tokio::try_join!(
            self.minutes(day_span(day, &zone).start..end),
            self.days(day.first_of_month()..day),
            self.months(Date::MIN, day),
        )?;
        Ok(minutes.into_iter().chain(days).chain(months).collect())
    }

    /// The rows of a page of the parts, whose rows begin before `end`.
    async fn rows<T: serde::de::DeserializeOwned>(
        &self,
        parts: Vec<Part>,
        partitions: &[ListedPartition],
        page: PageRequest,
        end: Timestamp,
    ) -> Result<Vec<T>, StoreError> {
        if page.limit == 0 {
            return Ok(Vec::new());
        }
        let Some(Start { end, skip, parts }) = self.locate(parts, partitions, page.offset, end).await? else {
            return Ok(Vec::new());
        };
        let wanted = skip + page.limit;
        let ranges =
            partitions.iter().zip(expected_rows(&parts, partitions, wanted)).filter(|(_, rows)| *rows > 0);
        let ranges = ranges.map(|(partition, rows)| {
            let range = Range::eventual(partition.key.clone()).descending().before(end);
            range.limit(u16::try_from(rows).unwrap_or(u16::MAX))
        });
        let mut merge = Merge::new(self.store, ranges);
        let mut rows = Vec::new();
        for number in 0..wanted {
            let Some(item) = merge.next().await? else { break };
            if number >= skip {
                rows.extend(self.store.readable_value(item));
            }
        }
        Ok(rows)
    }

    /// Where the row with this offset lies. `None` if there are not so many rows.
    async fn locate(
        &self,
        mut parts: Vec<Part>,
        partitions: &[ListedPartition],
        offset: usize,
        end: Timestamp,
    ) -> Result<Option<Start>, StoreError> {
        let (mut skip, mut end) = (offset, end);
        if skip == 0 {
            return Ok(Some(Start { end, skip, parts }));
        }
        loop {
            let mut before = 0;
            while let Some(count) =
                parts.get(before).map(|part| part.count(partitions)).filter(|count| skip >= *count)
            {
                skip -= count;
                before += 1;
            }
            parts.drain(..before);
            let Some(part) = parts.first() else { return Ok(None) };
            let zone = self.calendar.zone();
            let inner = match part.span {
                PartSpan::Minute(minute) => {
                    end = end.min(minute.end());
                    return Ok(Some(Start { end, skip, parts }));
                }
                PartSpan::Day(date) => {
                    let span = day_span(date, &zone);
                    end = end.min(span.end);
                    self.minutes(span).await?
                }
                PartSpan::Month(date) => {
                    let dates = month_span(date);
                    end = end.min(day_span(dates.end, &zone).start);
                    self.days(dates).await?
                }
            };
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
        Ok(parts(try_join_all(read).await?, PartSpan::Day))
    }

    async fn months(&self, from: Date, until: Date) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let read = self
            .series
            .iter()
            .map(|series| tallies.months(*series, self.calendar, from, until, Range::eventual));
        Ok(parts(try_join_all(read).await?, PartSpan::Month))
    }
}

/// Where the rows of a page begin: `skip` rows after the newest one before `end`.
struct Start {
    end: Timestamp,
    skip: usize,
    /// What lies before `end`, newest first.
    parts: Vec<Part>,
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
fn parts<T>(series: Vec<Vec<(T, Tally)>>, span: fn(T) -> PartSpan) -> Vec<Part> {
    let mut joined: BTreeMap<PartSpan, Vec<Tally>> = BTreeMap::new();
    let count = series.len();
    for (index, tallies) in series.into_iter().enumerate() {
        for (of, tally) in tallies {
            let part = joined.entry(span(of)).or_insert_with(|| vec![Tally::default(); count]);
            if let Some(place) = part.get_mut(index) {
                *place = tally;
            }
        }
    }
    joined.into_iter().rev().map(|(span, tallies)| Part { span, tallies }).collect()
}
