//! The tallies of a report: by day of its period, and of the preceding period as a whole.
//!
//! Tallies trail the entries by the delay of the table's stream. The last two minutes are therefore counted from the entries
//! themselves.
//!
//! The calls for one series are made one after the other, those for different series at once: each concurrent call needs a
//! connection, and a function that has just started spends more time on opening connections than on waiting for the calls.

use std::ops::Range as Span;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;

use super::merge::Merge;
use crate::domain::calendar::{Calendar, date_of, day_span, live_from, month_span};
use crate::domain::ids::MerchantId;
use crate::domain::merchant::Merchant;
use crate::domain::money::Currency;
use crate::domain::order::OrderEntry;
use crate::domain::redemption::RedemptionEntry;
use crate::domain::reports::payouts::Payouts;
use crate::domain::reports::period::ReportPeriod;
use crate::domain::reports::timeline::Timeline;
use crate::domain::tally::{Countable, Family, Series, SettlementKind, Tally};
use crate::store::{Range, Store, StoreError, keys};

/// Reads the tallies of one merchant for one report.
#[derive(Debug)]
pub struct ReportReader<'a> {
    store: &'a Store,
    merchant: &'a Merchant,
    calendar: &'a Calendar,
    now: Timestamp,
    period: ReportPeriod,
}

impl<'a> ReportReader<'a> {
    /// A report on the period of `days` that ends today, in the days of the calendar that serves the merchant.
    pub fn new(
        store: &'a Store,
        merchant: &'a Merchant,
        now: Timestamp,
        days: u8,
    ) -> Result<Self, StoreError> {
        let calendar = merchant.calendars.require_serving()?;
        let period = ReportPeriod::ending_at(now, &calendar.zone(), days);
        Ok(Self { store, merchant, calendar, now, period })
    }

    /// The tallies of each day of the period, and of the preceding period.
    pub async fn by_day(&self, series: Series) -> Result<Timeline<Tally>, StoreError> {
        let mut timeline = Timeline::new(self.period.clone());
        let span = self.period.range_with_preceding();
        let calendar = self.calendar;
        let zone = calendar.zone();
        // The last days of the preceding period are read together with those of the period.
        let (before, months, after) = whole_months(&(date_of(span.start, &zone)..self.first_day()));
        let days = after.start..self.live_day(calendar);
        let before = self.days(series, calendar, &before).await?;
        let months = self.months(series, calendar, &months).await?;
        let days = self.days(series, calendar, &days).await?;
        let recent = self.recent(series, calendar).await?;
        for (_, tally) in before.iter().chain(&months) {
            *timeline.preceding_mut() += tally;
        }
        let days = days.into_iter().map(|(date, tally)| (day_span(date, &zone).start, tally));
        for (at, tally) in days.chain(recent) {
            if let Some(day) = timeline.aggregate_mut(at) {
                *day += &tally;
            }
        }
        Ok(timeline)
    }

    /// The tally of the whole period, without the preceding one.
    pub async fn total(&self, series: Series) -> Result<Tally, StoreError> {
        let calendar = self.calendar;
        let past = self.first_day()..self.live_day(calendar);
        let past = self.sum(series, calendar, &past).await?;
        let recent = self.recent(series, calendar).await?;
        let recent = recent.iter().filter(|(at, _)| self.period.contains(*at)).map(|(_, tally)| tally);
        Ok(std::iter::once(&past).chain(recent).collect())
    }

    /// The newest orders of the period.
    pub async fn recent_orders(&self, limit: usize) -> Result<Vec<OrderEntry>, StoreError> {
        let orders = keys::entries(self.merchant_id(), Family::Orders);
        self.newest(orders, &self.period.range(), limit, |_| true).await
    }

    /// The newest redemptions of the period.
    pub async fn recent_redemptions(&self, limit: usize) -> Result<Vec<RedemptionEntry>, StoreError> {
        let redemptions = keys::entries(self.merchant_id(), Family::Redemptions);
        self.newest(redemptions, &self.period.range(), limit, |_| true).await
    }

    /// The orders that were blocked or sent to review within the period, latest decision first. The orders can be as old as
    /// the preceding period.
    pub async fn flagged_orders(&self, limit: usize) -> Result<Vec<OrderEntry>, StoreError> {
        let placed = self.period.range_with_preceding();
        let flagged = keys::flagged_orders(self.merchant_id());
        let is_placed = |order: &OrderEntry| placed.contains(&order.created_at);
        self.newest(flagged, &self.period.range(), limit, is_placed).await
    }

    /// The newest rows of a partition of entries that match.
    async fn newest<T: DeserializeOwned>(
        &self,
        partition: String,
        span: &Span<Timestamp>,
        limit: usize,
        matches: impl Fn(&T) -> bool,
    ) -> Result<Vec<T>, StoreError> {
        let range = Range::of_table(partition).descending().within(span);
        let range = range.limit(u16::try_from(limit).unwrap_or(u16::MAX));
        let mut entries = Merge::new(self.store, std::iter::once(range));
        let mut newest = Vec::new();
        while newest.len() < limit {
            let Some(item) = entries.next().await? else { break };
            newest.extend(self.store.readable_value(item).filter(&matches));
        }
        Ok(newest)
    }

    fn first_day(&self) -> Date {
        self.period.iter().next().map(|day| day.date).unwrap_or_default()
    }

    /// The day from which on days are not read as a whole: the one in which the live minutes begin. That is yesterday in the
    /// first minute of a day.
    fn live_day(&self, calendar: &Calendar) -> Date {
        date_of(live_from(self.now), &calendar.zone())
    }

    /// The tally of past days, read as whole months where possible.
    async fn sum(
        &self,
        series: Series,
        calendar: &Calendar,
        dates: &Span<Date>,
    ) -> Result<Tally, StoreError> {
        let (before, months, after) = whole_months(dates);
        let before = self.days(series, calendar, &before).await?;
        let months = self.months(series, calendar, &months).await?;
        let after = self.days(series, calendar, &after).await?;
        Ok(before.iter().chain(&months).chain(&after).map(|(_, tally)| tally).collect())
    }

    async fn days(
        &self,
        series: Series,
        calendar: &Calendar,
        dates: &Span<Date>,
    ) -> Result<Vec<(Date, Tally)>, StoreError> {
        self.store.tallies(self.merchant_id()).days(series, calendar, dates, Range::eventual).await
    }

    async fn months(
        &self,
        series: Series,
        calendar: &Calendar,
        months: &Span<Date>,
    ) -> Result<Vec<(Date, Tally)>, StoreError> {
        let tallies = self.store.tallies(self.merchant_id());
        tallies.months(series, calendar, months.start, months.end, Range::eventual).await
    }

    /// What is not read as a whole day: the tallies of minutes, and the entries of the last two minutes, each with its time.
    async fn recent(
        &self,
        series: Series,
        calendar: &Calendar,
    ) -> Result<Vec<(Timestamp, Tally)>, StoreError> {
        let live_from = live_from(self.now);
        let day = day_span(self.live_day(calendar), &calendar.zone());
        let tallies = self.store.tallies(self.merchant_id());
        let (past, live) = (day.start..live_from, live_from..self.period.range_with_preceding().end);
        let minutes = tallies.minutes_within(series, &past, Range::eventual).await?;
        let mut recent: Vec<_> = minutes.into_iter().map(|(minute, tally)| (minute.start(), tally)).collect();
        let count = |entry: &dyn Countable| {
            let mut tally = Tally::default();
            entry.count(series, &mut tally);
            recent.push((entry.counted_at(), tally));
        };
        self.store.for_each_entry(self.merchant_id(), series.family(), &live, count).await?;
        Ok(recent)
    }

    fn merchant_id(&self) -> &MerchantId {
        &self.merchant.id
    }
}

/// What a merchant is owed and has been paid, for settlements of every source type. They are eligible in the future, so that
/// none of them are counted live.
pub async fn payouts(
    store: &Store,
    merchant: &Merchant,
    currency: Currency,
    now: Timestamp,
) -> Result<Payouts, StoreError> {
    merchant.calendars.require_serving()?;
    let mut payouts = Payouts::new(currency, now);
    for kind in SettlementKind::ALL {
        let series = Series::Settlements(kind);
        let utc = Calendar::utc();
        let months =
            store.tallies(&merchant.id).months(series, &utc, Date::MIN, Date::MAX, Range::eventual).await?;
        for (month, tally) in months {
            payouts.add(day_span(month, &TimeZone::UTC).start, &tally);
        }
    }
    Ok(payouts)
}

/// The days before the first whole month, the whole months, and the days after the last one: all of them if there is no whole
/// month.
fn whole_months(dates: &Span<Date>) -> (Span<Date>, Span<Date>, Span<Date>) {
    let month = month_span(dates.start);
    let first = if month.start == dates.start { month.start } else { month.end };
    let last = dates.end.first_of_month();
    if first >= last {
        return (dates.start..dates.start, dates.start..dates.start, dates.clone());
    }
    (dates.start..first, first..last, last..dates.end)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn a_span_of_days_is_read_as_whole_months_where_possible() {
        for (dates, before, months, after) in [
            (
                "2026-01-01 2026-03-01",
                "2026-01-01 2026-01-01",
                "2026-01-01 2026-03-01",
                "2026-03-01 2026-03-01",
            ),
            (
                "2026-01-02 2026-03-05",
                "2026-01-02 2026-02-01",
                "2026-02-01 2026-03-01",
                "2026-03-01 2026-03-05",
            ),
            (
                "2026-01-02 2026-02-05",
                "2026-01-02 2026-01-02",
                "2026-01-02 2026-01-02",
                "2026-01-02 2026-02-05",
            ),
            (
                "2026-01-02 2026-01-05",
                "2026-01-02 2026-01-02",
                "2026-01-02 2026-01-02",
                "2026-01-02 2026-01-05",
            ),
        ] {
            let span = |text: &str| -> Span<Date> {
                let (start, end) = text.split_once(' ').unwrap();
                start.parse().unwrap()..end.parse().unwrap()
            };
            assert_eq!(whole_months(&span(dates)), (span(before), span(months), span(after)), "{dates}");
        }
    }

    #[test]
    fn the_parts_of_a_span_have_all_of_its_days() {
        let start: Date = "2025-12-30".parse().unwrap();
        for days in 0..100 {
            let end = start.saturating_add(days.days());
            let (before, months, after) = whole_months(&(start..end));
            assert_eq!(
                (before.start, before.end, months.end, after.end),
                (start, months.start, after.start, end)
            );
        }
    }
}
