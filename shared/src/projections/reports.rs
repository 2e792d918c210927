//! The tallies of a report: by day of its period, and of the preceding period as a whole.
//!
//! Tallies trail the entries by the delay of the table's stream. The last two minutes are therefore counted from the entries
//! themselves, once for all series of a family.
//!
//! The calls for one family are made one after the other, those for different families at once: each concurrent call needs a
//! connection, and a function that has just started spends more time on opening connections than on waiting for the calls.

use futures_util::future::try_join_all;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;

use super::live::{live_settlements, settlements_within};
use super::merge::Merge;
use super::parts::List;
use super::past::past;
use crate::domain::calendar::{Calendar, date_of, live_from};
use crate::domain::ids::MerchantId;
use crate::domain::merchant::Merchant;
use crate::domain::money::Currency;
use crate::domain::order::OrderEntry;
use crate::domain::redemption::RedemptionEntry;
use crate::domain::reports::payouts::Payouts;
use crate::domain::reports::period::ReportPeriod;
use crate::domain::reports::timeline::Timeline;
use crate::domain::span::Span;
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
    pub fn new(store: &'a Store, merchant: &'a Merchant, now: Timestamp, days: u8) -> Result<Self, StoreError> {
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
    pub async fn by_day_with_names(&self, series: Series, names: Series) -> Result<(Timeline<Tally>, Tally), StoreError> {
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
        let mut entries = Merge::new(self.store, vec![range]);
        let mut newest = Vec::new();
        while newest.len() < limit {
            let Some((_, item)) = entries.next().await? else { break };
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
    async fn add_past(&self, timeline: &mut Timeline<Tally>, series: Series, calendar: &Calendar) -> Result<(), StoreError> {
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
        let tallies = self.store.tallies(self.merchant_id());
        past(&tallies, series, calendar, &(from..months_until), live_from(self.now)).await
    }

    /// Calls `visit` with each entry of the last two minutes.
    async fn for_each_live(&self, family: Family, visit: impl FnMut(&dyn Countable)) -> Result<(), StoreError> {
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

/// What a merchant is owed and has been paid, for settlements of every source type.
pub async fn payouts(store: &Store, merchant: &Merchant, currency: Currency, now: Timestamp) -> Result<Payouts, StoreError> {
    merchant.calendars.require_serving()?;
    let (utc, window) = (Calendar::utc(), live_settlements(merchant, now));
    let series = SettlementKind::ALL.map(Series::Settlements).into();
    let list = List { store, merchant: &merchant.id, calendar: &utc, series };
    let live = SettlementKind::ALL.map(|kind| settlements_within(store, merchant, kind, &window));
    let (parts, live) = tokio::try_join!(list.parts_around(&window), try_join_all(live))?;
    let mut payouts = Payouts::new(currency, now);
    for part in parts.newer.iter().chain(&parts.older) {
        part.tallies.iter().for_each(|tally| payouts.add(part.start(&TimeZone::UTC), tally));
    }
    for settlement in live.into_iter().flatten() {
        let mut tally = Tally::default();
        settlement.count(Series::Settlements(settlement.kind()), &mut tally);
        payouts.add(settlement.eligible_at, &tally);
    }
    Ok(payouts)
}
