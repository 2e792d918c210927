//! Tallies, and the entries that they count.
//!
//! The tallies of the minutes of a quarter of an hour share a row, each with a version of its own. Days and months have a
//! row each; that of a day has the tallies of its latest minutes as well.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use super::visits;
use crate::cards::model::order::OrderEntry;
use crate::cards::model::redemption::RedemptionEntry;
use crate::db::keys::{self, Key, SK, TTL};
use crate::db::{Item, Range, Store, StoreError, VERSION, call, entry_item, is_written, item_key, key_item, ttl};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::tally::{Countable, DatedSeries, Family, Series, Sum, Tally};
use crate::projections::model::visit::Visit;
use crate::settlements::model::settlement::Settlement;
use crate::values::{Calendar, MINUTES_PER_QUARTER, MerchantId, Minute, Quarter, Span, date_of, day_span, month_span};

/// A tally and the number of times that it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versioned {
    pub version: u64,
    pub tally: Tally,
}

/// The number of times that a row was written.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

/// The tallies of the minutes of a quarter of an hour, by their number from 0 to 14.
pub type Minutes = BTreeMap<u8, Versioned>;

/// A span of a calendar whose tally is the sum of others: a day of its minutes, a month of its days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bucket {
    Day(Date),
    /// Any date within the month.
    Month(Date),
}

impl Bucket {
    fn sort_key(&self, calendar: &Calendar) -> String {
        match self {
            Self::Day(date) => keys::day(calendar, *date),
            Self::Month(date) => keys::month(calendar, *date),
        }
    }

    pub fn first_date(self) -> Date {
        let (Self::Day(date) | Self::Month(date)) = self;
        date
    }
}

/// A row with more groups could outgrow DynamoDB's 400 KB. Only names can be so many; the rarest are left out.
const MAX_GROUPS: usize = 1000;

/// The tallies of a merchant, for whoever recounts them.
#[derive(Debug, Clone, Copy)]
pub struct MerchantTallies<'a> {
    store: &'a Store,
    merchant: &'a MerchantId,
}

impl Store {
    pub fn tallies<'a>(&'a self, merchant: &'a MerchantId) -> MerchantTallies<'a> {
        MerchantTallies { store: self, merchant }
    }

    /// Calls `visit` with each entry of a family within a span, newest first, read consistently.
    pub async fn for_each_entry(
        &self,
        merchant: &MerchantId,
        family: Family,
        span: &Span<Timestamp>,
        mut visit: impl FnMut(&dyn Countable),
    ) -> Result<(), StoreError> {
        let range = entries_range(merchant, family, span);
        match family {
            Family::Orders => self.for_each(range, |entry: OrderEntry| visit(&entry)).await,
            Family::Redemptions => self.for_each(range, |entry: RedemptionEntry| visit(&entry)).await,
            Family::Settlements(_) => self.for_each(range, |entry: Settlement| visit(&entry)).await,
            Family::Visits => self.for_each(range, |entry: Visit| visit(&entry)).await,
        }
    }
}

/// The calls by which tallies are recounted. All reads are consistent. A trait, so that the recount can be tested with races
/// that the embedded table cannot show.
pub(crate) trait Tallies {
    /// The series of a family, by each calendar whose tallies have to be kept up to date.
    async fn dated_series(&self, family: Family) -> Result<Vec<DatedSeries>, StoreError>;

    /// The tallies of a quarter's minutes.
    async fn minutes(&self, series: Series, quarter: Quarter) -> Result<Minutes, StoreError>;

    async fn count(&self, series: Series, quarter: Quarter, minutes: &BTreeSet<u8>) -> Result<BTreeMap<u8, Tally>, StoreError>;

    /// Replaces the tallies of some minutes, if none of them has changed since `read`. Returns whether it did.
    async fn put_minutes(
        &self,
        series: Series,
        quarter: Quarter,
        read: &Minutes,
        counted: BTreeMap<u8, Tally>,
    ) -> Result<bool, StoreError>;

    /// The version of a day or a month: the number of times that it was written.
    async fn version(&self, series: &DatedSeries, bucket: &Bucket) -> Result<u64, StoreError>;

    /// Adds up the minutes of a day, or the days of a month.
    async fn add_up(&self, series: &DatedSeries, bucket: &Bucket) -> Result<Sum, StoreError>;

    /// Replaces the tally of a day or a month, if it has not changed since its version was read. Returns whether it did.
    async fn put(&self, series: &DatedSeries, bucket: &Bucket, version: u64, sum: Sum) -> Result<bool, StoreError>;

    /// Waits before another attempt.
    async fn back_off(&self, attempt: u32);
}

impl Tallies for MerchantTallies<'_> {
    async fn dated_series(&self, family: Family) -> Result<Vec<DatedSeries>, StoreError> {
        if !family.follows_time_zone() {
            return Ok(DatedSeries::of_family(family, []));
        }
        let merchant = self.store.get::<Merchant>(&keys::merchant(self.merchant)).await?;
        Ok(DatedSeries::of_family(family, merchant.iter().flat_map(|merchant| merchant.calendars.all())))
    }

    async fn minutes(&self, series: Series, quarter: Quarter) -> Result<Minutes, StoreError> {
        minutes_of(self.row(series, keys::quarter(quarter)).await?.unwrap_or_default())
    }

    async fn count(&self, series: Series, quarter: Quarter, minutes: &BTreeSet<u8>) -> Result<BTreeMap<u8, Tally>, StoreError> {
        let mut tallies: BTreeMap<u8, Tally> = minutes.iter().map(|minute| (*minute, Tally::default())).collect();
        let (Some(first), Some(last)) = (minutes.first(), minutes.last()) else { return Ok(tallies) };
        let span = quarter.minute(*first).start()..quarter.minute(*last).end();
        let count = |entry: &dyn Countable| {
            let minute = Minute::of(entry.counted_at()).of_quarter();
            if let Some(tally) = tallies.get_mut(&minute) {
                entry.count(series, tally);
            }
        };
        self.store.for_each_entry(self.merchant, series.family(), &span, count).await?;
        Ok(tallies)
    }

    async fn put_minutes(
        &self,
        series: Series,
        quarter: Quarter,
        read: &Minutes,
        counted: BTreeMap<u8, Tally>,
    ) -> Result<bool, StoreError> {
        let key = self.key(series, keys::quarter(quarter));
        let mut update = self.store.client.update_item().table_name(&self.store.table);
        update = update.set_key(Some(key_item(&key)));
        let (mut assignments, mut conditions) = (Vec::new(), Vec::new());
        for (minute, tally) in counted {
            let version = read.get(&minute).map_or(0, |read| read.version);
            let (name, value) = (format!("#m{minute}"), format!(":m{minute}"));
            let new = Versioned { version: version + 1, tally: tally.largest(MAX_GROUPS) };
            if version == 0 {
                conditions.push(format!("attribute_not_exists({name})"));
            } else {
                conditions.push(format!("{name}.#version = :v{minute}"));
                let version = AttributeValue::N(version.to_string());
                update = update
                    .expression_attribute_names("#version", VERSION)
                    .expression_attribute_values(format!(":v{minute}"), version);
            }
            assignments.push(format!("{name} = {value}"));
            update = update
                .expression_attribute_names(name, attribute_of(minute))
                .expression_attribute_values(value, serde_dynamo::to_attribute_value(new)?);
        }
        if let Some(at) = expires_at(series, quarter.start()) {
            assignments.push("#ttl = :ttl".to_owned());
            update = update.expression_attribute_names("#ttl", TTL).expression_attribute_values(":ttl", ttl(at));
        }
        let update =
            update.update_expression(format!("SET {}", assignments.join(", "))).condition_expression(conditions.join(" AND "));
        is_written("UpdateItem", update.send().await)
    }

    async fn version(&self, series: &DatedSeries, bucket: &Bucket) -> Result<u64, StoreError> {
        let row = self.row(series.series(), bucket.sort_key(series.calendar())).await?;
        let row: Option<Version> = row.map(serde_dynamo::from_item).transpose()?;
        Ok(row.map_or(0, |row| row.version))
    }

    async fn add_up(&self, series: &DatedSeries, bucket: &Bucket) -> Result<Sum, StoreError> {
        match bucket {
            Bucket::Day(date) => {
                let span = day_span(*date, &series.zone());
                let minutes = self.minutes_within(series.series(), &span, Range::of_table).await?;
                Ok(Sum::of_day(&minutes))
            }
            Bucket::Month(date) => {
                let days = self.days(series, &month_span(*date), Range::of_table).await?;
                Ok(Sum::of_month(days.iter().map(|(_, day)| &day.tally)))
            }
        }
    }

    async fn put(&self, series: &DatedSeries, bucket: &Bucket, version: u64, sum: Sum) -> Result<bool, StoreError> {
        let row = bucket_item(self.merchant, series, bucket, version + 1, sum)?;
        let put = self.store.client.put_item().table_name(&self.store.table).set_item(Some(row));
        let put = if version == 0 {
            put.condition_expression("attribute_not_exists(pk)")
        } else {
            put.condition_expression("#version = :version")
                .expression_attribute_names("#version", VERSION)
                .expression_attribute_values(":version", AttributeValue::N(version.to_string()))
        };
        is_written("PutItem", put.send().await)
    }

    async fn back_off(&self, attempt: u32) {
        self.store.back_off(attempt).await;
    }
}

impl MerchantTallies<'_> {
    async fn row(&self, series: Series, sort_key: String) -> Result<Option<Item>, StoreError> {
        let key = self.key(series, sort_key);
        let read = self.store.client.get_item().table_name(&self.store.table).set_key(Some(key_item(&key)));
        let output = read.consistent_read(true).send().await.map_err(call("GetItem"))?;
        Ok(output.item)
    }

    /// The tallies of the minutes that begin within a span, oldest first. `range` decides how they are read.
    pub async fn minutes_within(
        &self,
        series: Series,
        span: &Span<Timestamp>,
        range: impl FnOnce(String) -> Range,
    ) -> Result<Vec<(Minute, Tally)>, StoreError> {
        if span.is_empty() {
            return Ok(Vec::new());
        }
        let first = Minute::of(span.start).quarter();
        let end = Minute::of(span.end).quarter();
        let range = range(keys::tallies(self.merchant, series)).between(keys::quarter(first), keys::quarter(end));
        let mut found = Vec::new();
        for item in self.store.query_items(range).await? {
            let Some(quarter) = quarter_of(&item) else { continue };
            for (minute, versioned) in minutes_of(item)? {
                let minute = quarter.minute(minute);
                if span.contains(&minute.start()) {
                    found.push((minute, versioned.tally));
                }
            }
        }
        Ok(found)
    }

    /// The sums of the days from `dates.start` to before `dates.end`, oldest first.
    pub async fn days(
        &self,
        series: &DatedSeries,
        dates: &Span<Date>,
        range: impl FnOnce(String) -> Range,
    ) -> Result<Vec<(Date, Sum)>, StoreError> {
        if dates.is_empty() {
            return Ok(Vec::new());
        }
        let buckets = self.days_and_months(series, dates, &(Date::MIN..Date::MIN), range).await?;
        Ok(buckets.into_iter().map(|(bucket, sum)| (bucket.first_date(), sum)).collect())
    }

    /// The sums of the months from that of `from` to before that of `until`, each by its first day, oldest first.
    pub async fn months(
        &self,
        series: &DatedSeries,
        from: Date,
        until: Date,
        range: impl FnOnce(String) -> Range,
    ) -> Result<Vec<(Date, Sum)>, StoreError> {
        let last = until.first_of_month().yesterday().unwrap_or(until);
        if last < from.first_of_month() {
            return Ok(Vec::new());
        }
        let (of, calendar) = (keys::tallies(self.merchant, series.series()), series.calendar());
        let range = range(of).between(keys::month(calendar, from), keys::month(calendar, last));
        let buckets = self.buckets(range, calendar).await?;
        Ok(buckets.into_iter().map(|(bucket, sum)| (bucket.first_date(), sum)).collect())
    }

    /// The sums of some days, and of the whole months within `months`, with one query: months follow the days of their
    /// calendar. What lies between them, as the days of a newer calendar while it is being built, is left out.
    pub async fn days_and_months(
        &self,
        series: &DatedSeries,
        days: &Span<Date>,
        months: &Span<Date>,
        range: impl FnOnce(String) -> Range,
    ) -> Result<Vec<(Bucket, Sum)>, StoreError> {
        let calendar = series.calendar();
        let last = |dates: &Span<Date>| dates.end.yesterday().unwrap_or(dates.end);
        let to = if months.is_empty() { keys::day(calendar, last(days)) } else { keys::month(calendar, last(months)) };
        let range = range(keys::tallies(self.merchant, series.series())).between(keys::day(calendar, days.start), to);
        let mut buckets = self.buckets(range, calendar).await?;
        buckets.retain(|(bucket, _)| match bucket {
            Bucket::Day(date) => days.contains(date),
            Bucket::Month(date) => months.contains(date),
        });
        Ok(buckets)
    }

    /// What is counted before a minute: the days from `first_day` on, the last one up to that minute, and whole months.
    pub async fn before(
        &self,
        end: Timestamp,
        series: &DatedSeries,
        first_day: Date,
        months: &Span<Date>,
    ) -> Result<Vec<(Bucket, Tally)>, StoreError> {
        let zone = series.zone();
        let last_day = date_of(end, &zone);
        let days = first_day..last_day.saturating_add(1.day());
        let sums = self.days_and_months(series, &days, months, Range::eventual).await?;
        let mut tallies = Vec::with_capacity(sums.len());
        for (bucket, sum) in sums {
            let tally = if bucket == Bucket::Day(last_day) {
                self.day_before(series.series(), &(day_span(last_day, &zone).start..end), &sum).await?
            } else {
                sum.tally
            };
            tallies.push((bucket, tally));
        }
        Ok(tallies)
    }

    /// What a day counts from its start to the end of the span. `sum` is that of the whole day.
    async fn day_before(&self, series: Series, span: &Span<Timestamp>, sum: &Sum) -> Result<Tally, StoreError> {
        if let Some(tally) = sum.before(span.end) {
            return Ok(tally);
        }
        let minutes = self.minutes_within(series, span, Range::eventual).await?;
        Ok(minutes.iter().map(|(_, tally)| tally).collect())
    }

    async fn buckets(&self, range: Range, calendar: &Calendar) -> Result<Vec<(Bucket, Sum)>, StoreError> {
        let items = self.store.query_items(range.only(&[SK, "tally", "latest"])).await?;
        let (days, months) = (keys::days(calendar), keys::months(calendar));
        let bucket = |key: &str| match key.strip_prefix(&days) {
            Some(date) => date.parse().ok().map(Bucket::Day),
            None => format!("{}-01", key.strip_prefix(&months)?).parse().ok().map(Bucket::Month),
        };
        let sums = items.into_iter().filter_map(|item| Some((bucket(sort_key(&item)?)?, item)));
        sums.map(|(bucket, item)| Ok((bucket, serde_dynamo::from_item::<_, Sum>(item)?))).collect()
    }

    /// Deletes the days and months of a calendar.
    pub async fn remove_calendar(&self, generation: u32) -> Result<(), StoreError> {
        let calendar = Calendar { generation, ..Calendar::utc() };
        for series in Series::ALL.into_iter().filter(|series| series.family().follows_time_zone()) {
            for prefix in [keys::days(&calendar), keys::months(&calendar)] {
                let range = Range::of_table(keys::tallies(self.merchant, series)).beginning_with(&prefix);
                for item in self.store.query_items(range).await? {
                    if let Some(key) = item_key(&item) {
                        self.store.remove(&key).await?;
                    }
                }
            }
        }
        Ok(())
    }

    fn key(&self, series: Series, sort_key: String) -> Key {
        tally_key(self.merchant, series, sort_key)
    }
}

fn tally_key(merchant: &MerchantId, series: Series, sort_key: String) -> Key {
    Key { pk: keys::tallies(merchant, series), sk: sort_key }
}

/// The row of a quarter's minutes, for loading data.
pub fn minutes_item(merchant: &MerchantId, series: Series, quarter: Quarter, minutes: &Minutes) -> Result<Item, StoreError> {
    let mut item = key_item(&tally_key(merchant, series, keys::quarter(quarter)));
    for (minute, versioned) in minutes {
        item.insert(attribute_of(*minute), serde_dynamo::to_attribute_value(versioned)?);
    }
    if let Some(at) = expires_at(series, quarter.start()) {
        item.insert(TTL.to_owned(), ttl(at));
    }
    Ok(item)
}

/// The row of a day or a month.
pub fn bucket_item(
    merchant: &MerchantId,
    series: &DatedSeries,
    bucket: &Bucket,
    version: u64,
    sum: Sum,
) -> Result<Item, StoreError> {
    let sum = Sum { tally: sum.tally.largest(MAX_GROUPS), ..sum };
    let mut item = entry_item(tally_key(merchant, series.series(), bucket.sort_key(series.calendar())), &sum)?;
    item.insert(VERSION.to_owned(), AttributeValue::N(version.to_string()));
    let (Bucket::Day(date) | Bucket::Month(date)) = bucket;
    let end = day_span(month_span(*date).end, &series.zone()).start;
    if let Some(at) = expires_at(series.series(), end) {
        item.insert(TTL.to_owned(), ttl(at));
    }
    Ok(item)
}

/// The entries of a family within a span, newest first, read consistently.
pub fn entries_range(merchant: &MerchantId, family: Family, span: &Span<Timestamp>) -> Range {
    Range::of_table(keys::entries(merchant, family)).descending().within(span)
}

/// The attribute of a minute's tally.
fn attribute_of(minute: u8) -> String {
    format!("m{minute:02}")
}

/// The minutes of a quarter's row.
fn minutes_of(mut item: Item) -> Result<Minutes, StoreError> {
    let mut minutes = Minutes::new();
    for minute in 0..MINUTES_PER_QUARTER {
        if let Some(tally) = item.remove(&attribute_of(minute)) {
            minutes.insert(minute, serde_dynamo::from_attribute_value(tally)?);
        }
    }
    Ok(minutes)
}

fn quarter_of(item: &Item) -> Option<Quarter> {
    let start: Timestamp = sort_key(item)?.strip_prefix(keys::QUARTERS)?.parse().ok()?;
    Some(Minute::of(start).quarter())
}

fn sort_key(item: &Item) -> Option<&str> {
    item.get(SK)?.as_s().ok().map(String::as_str)
}

/// What began at this time or later cannot have expired, neither entries nor tallies.
pub fn kept_from(family: Family, now: Timestamp) -> Timestamp {
    match family {
        Family::Visits => now.checked_sub(visits::RETENTION).unwrap_or(Timestamp::MIN),
        Family::Orders | Family::Redemptions | Family::Settlements(_) => Timestamp::MIN,
    }
}

/// Tallies of visits expire when their visits do. Others are kept.
fn expires_at(series: Series, start: Timestamp) -> Option<Timestamp> {
    match series.family() {
        Family::Visits => start.checked_add(visits::RETENTION).ok(),
        Family::Orders | Family::Redemptions | Family::Settlements(_) => None,
    }
}
