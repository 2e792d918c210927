//! Parts of a list: adjacent spans of time, each with its tallies, which say how many rows lie in it.

use std::collections::BTreeMap;

use futures_util::future::try_join_all;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::past::past;
use crate::db::{Range, Store, StoreError, keys};
use crate::projections::model::tally::{DatedSeries, Series, SettlementKind, Sum, Tally};
use crate::projections::rows::tallies::Bucket;
use crate::values::{Calendar, MerchantId, Minute, Span, date_of, day_span, month_span};

/// A list of a merchant, and what counts its rows: series of the same calendar.
pub(super) struct List<'a> {
    pub(super) store: &'a Store,
    merchant: &'a MerchantId,
    pub(super) zone: TimeZone,
    series: Vec<DatedSeries>,
}

/// A span of time and its tallies, one for each series of the list.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) span: PartSpan,
    pub(super) tallies: Vec<Tally>,
}

/// A month is named by its first date.
#[derive(Debug, Clone, Copy)]
pub(super) enum PartSpan {
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

impl PartSpan {
    fn start(self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Minute(minute) => minute.start(),
            Self::Day(date) | Self::Month(date) => day_span(date, zone).start,
        }
    }

    pub(super) fn end(self, zone: &TimeZone) -> Timestamp {
        match self {
            Self::Minute(minute) => minute.end(),
            Self::Day(date) => day_span(date, zone).end,
            Self::Month(date) => day_span(month_span(date).end, zone).start,
        }
    }
}

impl Part {
    pub(super) fn start(&self, zone: &TimeZone) -> Timestamp {
        self.span.start(zone)
    }

    /// The number of its rows.
    pub(super) fn count(&self) -> usize {
        self.counts().sum()
    }

    /// The number of its rows in each partition of the list.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.tallies.iter().map(|tally| usize::try_from(tally.total()).unwrap_or(usize::MAX))
    }
}

/// The parts of all time but a window, newest first.
pub(super) struct PartsAround {
    pub(super) newer: Vec<Part>,
    pub(super) older: Vec<Part>,
}

impl<'a> List<'a> {
    /// All orders, by a calendar of the merchant.
    pub(super) fn of_orders(store: &'a Store, merchant: &'a MerchantId, calendar: &Calendar) -> Self {
        Self { store, merchant, zone: calendar.zone(), series: vec![DatedSeries::new(Series::Orders, calendar)] }
    }

    pub(super) fn of_settlements(store: &'a Store, merchant: &'a MerchantId, kinds: &[SettlementKind]) -> Self {
        let series = kinds.iter().map(|kind| DatedSeries::of_settlements(*kind)).collect();
        Self { store, merchant, zone: TimeZone::UTC, series }
    }

    /// The partitions of the rows, one for each series.
    pub(super) fn partitions(&self) -> Vec<String> {
        self.series.iter().map(|series| keys::entries(self.merchant, series.series().family())).collect()
    }

    /// The parts from a day on up to `end`, newest first: whole months where possible, and days.
    pub(super) async fn parts_before(&self, from: Date, end: Timestamp) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let dates = from..date_of(end, &self.zone).first_of_month();
        let read = self.series.iter().map(|series| past(&tallies, series, &dates, end));
        Ok(self.join(try_join_all(read).await?))
    }

    /// The parts of all time before and after a window of a few minutes.
    pub(super) async fn parts_around(&self, window: &Span<Timestamp>) -> Result<PartsAround, StoreError> {
        let read = self.series.iter().map(|series| self.outside(series, window));
        let mut newer = self.join(try_join_all(read).await?);
        let zone = &self.zone;
        let older = newer.split_off(newer.partition_point(|part| part.start(zone) >= window.end));
        Ok(PartsAround { newer, older })
    }

    /// What was counted outside of a window. The days of its months are read instead of the months: a day knows what lies
    /// outside of its latest minutes, and is in itself consistent while it is being recounted.
    async fn outside(&self, series: &DatedSeries, window: &Span<Timestamp>) -> Result<Vec<(PartSpan, Tally)>, StoreError> {
        let [first, last] = [window.start, window.end].map(|at| date_of(at, &self.zone));
        let days = first.first_of_month()..month_span(last).end;
        let tallies = self.store.tallies(self.merchant);
        let buckets = tallies.days_and_months(series, &days, &(Date::MIN..Date::MAX), Range::eventual).await?;
        let mut outside = Vec::new();
        for (bucket, sum) in buckets {
            match bucket {
                Bucket::Month(month) if days.contains(&month) => {}
                Bucket::Day(date) if date == first || date == last => {
                    outside.extend(self.day_outside(series.series(), date, sum, window).await?);
                }
                bucket => outside.push((bucket.into(), sum.tally)),
            }
        }
        Ok(outside)
    }

    /// What a day counts before the window, and each minute after it.
    async fn day_outside(
        &self,
        series: Series,
        date: Date,
        sum: Sum,
        window: &Span<Timestamp>,
    ) -> Result<Vec<(PartSpan, Tally)>, StoreError> {
        let has_later = sum.before(window.end).is_none_or(|before| before.total() < sum.tally.total());
        if !has_later && let Some(before) = sum.before(window.start) {
            return Ok(vec![(PartSpan::Day(date), before)]);
        }
        let tallies = self.store.tallies(self.merchant);
        let day = day_span(date, &self.zone);
        let minutes = tallies.minutes_within(series, &day, Range::eventual).await?;
        let before = minutes.iter().filter(|(minute, _)| minute.start() < window.start);
        let mut outside = vec![(PartSpan::Day(date), before.map(|(_, tally)| tally).collect())];
        let after = minutes.into_iter().filter(|(minute, _)| minute.start() >= window.end);
        outside.extend(after.map(|(minute, tally)| (PartSpan::Minute(minute), tally)));
        Ok(outside)
    }

    pub(super) async fn minutes(&self, span: Span<Timestamp>) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let read = self.series.iter().map(|series| tallies.minutes_within(series.series(), &span, Range::eventual));
        let minutes = try_join_all(read).await?.into_iter();
        Ok(self.join(
            minutes
                .map(|minutes| minutes.into_iter().map(|(minute, tally)| (PartSpan::Minute(minute), tally)).collect::<Vec<_>>()),
        ))
    }

    pub(super) async fn days(&self, dates: Span<Date>) -> Result<Vec<Part>, StoreError> {
        let tallies = self.store.tallies(self.merchant);
        let read = self.series.iter().map(|series| tallies.days(series, &dates, Range::eventual));
        let days = try_join_all(read).await?.into_iter();
        Ok(self.join(days.map(|days| days.into_iter().map(|(date, sum)| (Bucket::Day(date), sum.tally)).collect::<Vec<_>>())))
    }

    /// Joins the tallies of all series by their span, newest first.
    fn join<S: Into<PartSpan>>(&self, series: impl IntoIterator<Item = Vec<(S, Tally)>>) -> Vec<Part> {
        let mut joined: BTreeMap<Timestamp, Part> = BTreeMap::new();
        for (index, tallies) in series.into_iter().enumerate() {
            for (span, tally) in tallies {
                let span = span.into();
                let none = || Part { span, tallies: vec![Tally::default(); self.series.len()] };
                let part = joined.entry(span.start(&self.zone)).or_insert_with(none);
                if let Some(place) = part.tallies.get_mut(index) {
                    *place = tally;
                }
            }
        }
        joined.into_values().rev().collect()
    }
}
