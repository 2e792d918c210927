//! The tallies of a report: by day of its period, and of the preceding period as a whole.
//!
//! Tallies trail the entries by the delay of the table's stream. The last two minutes are therefore counted from the entries
//! themselves, once for all series of a family.
//!
//! The calls for one family are made one after the other, those for different families at once: each concurrent call needs a
//! connection, and a function that has just started spends more time on opening connections than on waiting for the calls.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;

use super::live::{live_settlements, settlements_within};
use super::merge::Merge;
use super::parts::List;
use super::past::past;
use crate::cards::model::order::OrderEntry;
use crate::cards::model::redemption::RedemptionEntry;
use crate::db::{Range, Store, StoreError, keys};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::reports::outstanding::OutstandingByCurrency;
use crate::projections::model::reports::payouts::Payouts;
use crate::projections::model::reports::timeline::Timeline;
use crate::projections::model::tally::{Countable, DatedSeries, Family, Series, SettlementKind, Tally};
use crate::projections::rows::tallies::Bucket;
use crate::values::{Calendar, Currency, MerchantId, ReportPeriod, Span, date_of, live_from, live_minutes};

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
    pub fn new(store: &'a Store, merchant: &'a Merchant, now: Timestamp, days: u8) -> Self {
        let calendar = &merchant.calendars.serving;
        let period = ReportPeriod::ending_at(now, &calendar.zone(), days);
        Self { store, merchant, calendar, now, period }
    }

    /// The tallies of each day of the period, and of the preceding period.
    pub async fn by_day(&self, series: Series) -> Result<Timeline<Tally>, StoreError> {
        let mut timeline = self.past_by_day(series).await?;
        self.for_each_live(series.family(), |entry| count_entry(&mut timeline, series, entry)).await?;
        Ok(timeline)
    }

    /// The visits of each day of the period, and the names of the whole period, without the preceding one.
    pub async fn visits(&self) -> Result<(Timeline<Tally>, Tally), StoreError> {
        let mut timeline = self.past_by_day(Series::Visits).await?;
        let mut names = self.past_of_period(Series::VisitNames).await?;
        self.for_each_live(Family::Visits, |visit| {
            count_entry(&mut timeline, Series::Visits, visit);
            self.count_in_period(&mut names, Series::VisitNames, visit);
        })
        .await?;
        Ok((timeline, names))
    }

    /// The orders of each day of the period, and the newest of the period.
    pub async fn orders(&self, limit: usize) -> Result<(Timeline<Tally>, Vec<OrderEntry>), StoreError> {
        let (mut timeline, newest) =
            tokio::try_join!(self.past_by_day(Series::Orders), self.newest_entries(Family::Orders, limit))?;
        self.for_each_live_or_newest(Family::Orders, &newest, limit, |order| count_entry(&mut timeline, Series::Orders, order))
            .await?;
        Ok((timeline, newest))
    }

    /// The redemptions of each day of the period, the names of the whole period, without the preceding one, and the newest
    /// redemptions of the period.
    pub async fn redemptions(&self, limit: usize) -> Result<(Timeline<Tally>, Tally, Vec<RedemptionEntry>), StoreError> {
        let past = async {
            let timeline = self.past_by_day(Series::Redemptions).await?;
            Ok((timeline, self.past_of_period(Series::RedemptionNames).await?))
        };
        let ((mut timeline, mut names), newest) = tokio::try_join!(past, self.newest_entries(Family::Redemptions, limit))?;
        self.for_each_live_or_newest(Family::Redemptions, &newest, limit, |redemption| {
            count_entry(&mut timeline, Series::Redemptions, redemption);
            self.count_in_period(&mut names, Series::RedemptionNames, redemption);
        })
        .await?;
        Ok((timeline, names, newest))
    }

    /// The orders that were blocked or sent to review within the period, latest decision first. The orders can be as old as
    /// the preceding period.
    pub async fn flagged_orders(&self, limit: usize) -> Result<Vec<OrderEntry>, StoreError> {
        let placed = self.period.range_with_preceding();
        let flagged = keys::flagged_orders(self.merchant_id());
        let is_placed = |order: &OrderEntry| placed.contains(&order.created_at);
        self.newest(flagged, &self.period.range(), limit, is_placed).await
    }

    async fn newest_entries<T: DeserializeOwned>(&self, family: Family, limit: usize) -> Result<Vec<T>, StoreError> {
        let entries = keys::entries(self.merchant_id(), family);
        self.newest(entries, &self.period.range(), limit, |_| true).await
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
    fn live_day(&self) -> Date {
        date_of(live_from(self.now), &self.calendar.zone())
    }

    /// What is not counted live, by day.
    async fn past_by_day(&self, series: Series) -> Result<Timeline<Tally>, StoreError> {
        let mut timeline = Timeline::new(self.period.clone());
        let from = date_of(self.period.range_with_preceding().start, &self.calendar.zone());
        for (bucket, tally) in self.past(series, from, self.first_day()).await? {
            match bucket {
                Bucket::Month(_) => *timeline.preceding_mut() += &tally,
                Bucket::Day(date) => {
                    if let Some(day) = timeline.on_mut(date) {
                        *day += &tally;
                    }
                }
            }
        }
        Ok(timeline)
    }

    /// What is not counted live, of the whole period.
    async fn past_of_period(&self, series: Series) -> Result<Tally, StoreError> {
        let past = self.past(series, self.first_day(), self.live_day()).await?;
        Ok(past.iter().map(|(_, tally)| tally).collect())
    }

    /// The tallies of the days from `from` to the live minutes. Those before `months_until` are read as whole months where
    /// possible.
    async fn past(&self, series: Series, from: Date, months_until: Date) -> Result<Vec<(Bucket, Tally)>, StoreError> {
        let tallies = self.store.tallies(self.merchant_id());
        past(&tallies, &DatedSeries::new(series, self.calendar), &(from..months_until), live_from(self.now)).await
    }

    fn count_in_period(&self, total: &mut Tally, series: Series, entry: &dyn Countable) {
        if self.period.contains(entry.counted_at()) {
            entry.count(series, total);
        }
    }

    /// Calls `visit` with each entry of the last two minutes.
    async fn for_each_live(&self, family: Family, visit: impl FnMut(&dyn Countable)) -> Result<(), StoreError> {
        let live = live_from(self.now)..self.period.range_with_preceding().end;
        self.store.for_each_entry(self.merchant_id(), family, &live, visit).await
    }

    /// As [`Self::for_each_live`], without another call if the newest entries contain all of the last two minutes.
    async fn for_each_live_or_newest<T: Countable>(
        &self,
        family: Family,
        newest: &[T],
        limit: usize,
        mut visit: impl FnMut(&dyn Countable),
    ) -> Result<(), StoreError> {
        let is_live = |entry: &T| entry.counted_at() >= live_from(self.now);
        if newest.len() == limit && newest.iter().all(is_live) {
            return self.for_each_live(family, visit).await;
        }
        newest.iter().filter(|entry| is_live(entry)).for_each(|entry| visit(entry));
        Ok(())
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
    let window = live_settlements(merchant, now);
    let list = List::of_settlements(store, &merchant.id, &SettlementKind::ALL);
    let live = settlements_within(store, merchant, &SettlementKind::ALL, &window);
    let (parts, live) = tokio::try_join!(list.parts_around(&window), live)?;
    let mut payouts = Payouts::new(currency, now);
    for part in parts.newer.iter().chain(&parts.older) {
        part.tallies.iter().for_each(|tally| payouts.add(part.start(&TimeZone::UTC), tally));
    }
    for settlement in live {
        let mut tally = Tally::default();
        settlement.count(Series::Settlements(settlement.kind()), &mut tally);
        payouts.add(settlement.eligible_at, &tally);
    }
    Ok(payouts)
}

/// What is outstanding of a merchant's gift cards, and how it came about in the last `months` months.
pub async fn outstanding(
    store: &Store,
    merchant: &Merchant,
    months: u8,
    now: Timestamp,
) -> Result<Vec<OutstandingByCurrency>, StoreError> {
    let [issued, redeemed] = [Series::IssuedCards, Series::Redemptions].map(|series| until_now(store, merchant, series, now));
    let (issued, redeemed) = tokio::try_join!(issued, redeemed)?;
    let own = merchant.currency.unwrap_or(Currency::EUR);
    let today = date_of(now, &merchant.calendars.serving.zone());
    Ok(OutstandingByCurrency::all(own, today, months, &[issued, redeemed].concat()))
}

/// All tallies of a series, each with a date of its month. The last two minutes are counted live.
async fn until_now(store: &Store, merchant: &Merchant, series: Series, now: Timestamp) -> Result<Vec<(Date, Tally)>, StoreError> {
    let (calendar, live) = (&merchant.calendars.serving, live_minutes(now));
    let zone = calendar.zone();
    let whole_months = Date::MIN..date_of(live.start, &zone).first_of_month();
    let past = past(&store.tallies(&merchant.id), &DatedSeries::new(series, calendar), &whole_months, live.start).await?;
    let mut tallies: Vec<(Date, Tally)> = past.into_iter().map(|(bucket, tally)| (bucket.first_date(), tally)).collect();
    let mut live_tallies: BTreeMap<Date, Tally> = BTreeMap::new();
    let count = |entry: &dyn Countable| entry.count(series, live_tallies.entry(date_of(entry.counted_at(), &zone)).or_default());
    store.for_each_entry(&merchant.id, series.family(), &live, count).await?;
    tallies.extend(live_tallies);
    Ok(tallies)
}
