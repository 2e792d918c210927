//! The tallies of a report: by day of its period, and of the preceding period as a whole.
//!
//! Tallies trail the entries by the delay of the table's stream. The last two minutes are therefore counted from the entries
//! themselves, once for all series of a family.
//!
//! The calls for one family are made one after the other, those for different families at once: each concurrent call needs a
//! connection, and a function that has just started spends more time on opening connections than on waiting for the calls.

use std::ops::Range as Span;

use futures_util::future::try_join_all;
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
use crate::store::tallies::Bucket;
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
        let calendar = self.calendar;
        self.add_past(&mut timeline, series, calendar).await?;
        self.for_each_live(series.family(), |entry| count_entry(&mut timeline, series, entry)).await?;
        Ok(timeline)
    }

    /// As [`Self::by_day`], and the tally of the whole period, without the preceding one, of the names of the same family.
    pub async fn by_day_with_names(
        &self,
        series: Series,
        names: Series,
    ) -> Result<(Timeline<Tally>, Tally), StoreError> {
        let calendar = self.calendar;
        let mut timeline = Timeline::new(self.period.clone());
        self.add_past(&mut timeline, series, calendar).await?;
        let first_day = self.first_day();
        let past = self.past(names, calendar, first_day, self.live_day(calendar)).await?;
        let mut total: Tally = past.iter().map(|(_, tally)| tally).collect();
        self.for_each_live(series.family(), |entry| {
            count_entry(&mut timeline, series, entry);
            if self.period.contains(entry.counted_at()) {
                entry.count(names, &mut total);
            }
        })
        .await?;
        Ok((timeline, total))
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

    /// Adds what is not counted live.
    async fn add_past(
        &self,
        timeline: &mut Timeline<Tally>,
        series: Series,
        calendar: &Calendar,
    ) -> Result<(), StoreError> {
        let from = date_of(self.period.range_with_preceding().start, &calendar.zone());
        for (bucket, tally) in self.past(series, calendar, from, self.first_day()).await? {
            match bucket {
                Bucket::Month(_) => *timeline.preceding_mut() += &tally,
                Bucket::Day(date) => {
                    if let Some(day) = timeline.on_mut(date) {
                        *day += &tally;
                    }
                }
            }
        }
        Ok(())
    }

    /// The tallies of the days from `from` to the live minutes. Those before `months_until` are read as whole months where
    /// possible.
    async fn past(
        &self,
        series: Series,
        calendar: &Calendar,
        from: Date,
        months_until: Date,
    ) -> Result<Vec<(Bucket, Tally)>, StoreError> {
        let (before, months, after) = whole_months(&(from..months_until));
        let tallies = self.store.tallies(self.merchant_id());
        let before = tallies.days(series, calendar, &before, Range::eventual).await?;
        let rest = tallies.before(live_from(self.now), series, calendar, after.start, &months).await?;
        let before = before.into_iter().map(|(date, sum)| (Bucket::Day(date), sum.tally));
        Ok(before.chain(rest).collect())
    }

    /// Calls `visit` with each entry of the last two minutes.
    async fn for_each_live(
        &self,
        family: Family,
        visit: impl FnMut(&dyn Countable),
    ) -> Result<(), StoreError> {
        let live = live_from(self.now)..self.period.range_with_preceding().end;
        self.store.for_each_entry(self.merchant_id(), family, &live, visit).await
    }

    fn merchant_id(&self) -> &MerchantId {
        &self.merchant.id
    }
}

fn count_entry(timeline: &mut Timeline<Tally>, series: Series, entry: &dyn Countable) {
    if let Some(tally) = timeline.aggregate_mut(entry.counted_at()) {
        entry.count(series, tally);
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
    let (tallies, utc) = (store.tallies(&merchant.id), Calendar::utc());
    let months = SettlementKind::ALL
        .map(|kind| tallies.months(Series::Settlements(kind), &utc, Date::MIN, Date::MAX, Range::eventual));
    for (month, sum) in try_join_all(months).await?.into_iter().flatten() {
        payouts.add(day_span(month, &TimeZone::UTC).start, &sum.tally);
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
