//! Comparison of tallies with their entries, and rebuilding of those that differ.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::recount::{add_up_to_months, recount};
use crate::db::{Item, Range, Store, StoreError};
use crate::projections::model::tally::{Countable, DatedSeries, Family, Series, Sum, Tally};
use crate::projections::rows::tallies::{Bucket, Minutes, Versioned, bucket_item, kept_from, minutes_item};
use crate::values::{Calendar, MerchantId, Minute, Quarter, date_of, day_span};

/// The tallies of a family, counted anew from its entries.
#[derive(Debug, Default)]
pub struct Counted(BTreeMap<Series, BTreeMap<Minute, Tally>>);

impl Counted {
    pub fn add(&mut self, family: Family, entry: &dyn Countable) {
        for series in family.series() {
            let minutes = self.0.entry(series).or_default();
            entry.count(series, minutes.entry(Minute::of(entry.counted_at())).or_default());
        }
    }

    /// Counts all entries of a merchant.
    pub async fn read(store: &Store, merchant: &MerchantId) -> Result<Self, StoreError> {
        let mut counted = Self::default();
        for family in Family::ALL {
            counted.0.extend(Self::read_family(store, merchant, family).await?.0);
        }
        Ok(counted)
    }

    async fn read_family(store: &Store, merchant: &MerchantId, family: Family) -> Result<Self, StoreError> {
        let mut counted = Self::default();
        let all = Timestamp::MIN..Timestamp::MAX;
        store.for_each_entry(merchant, family, &all, |entry| counted.add(family, entry)).await?;
        Ok(counted)
    }

    /// The rows of the tallies, for loading data into a table without any.
    pub fn rows(&self, merchant: &MerchantId, calendar: &Calendar) -> Result<Vec<Item>, StoreError> {
        let mut rows = Vec::new();
        for (series, minutes) in &self.0 {
            let mut quarters: BTreeMap<Quarter, Minutes> = BTreeMap::new();
            for (minute, tally) in minutes {
                let quarter = quarters.entry(minute.quarter()).or_default();
                quarter.insert(minute.of_quarter(), Versioned { version: 1, tally: tally.clone() });
            }
            for (quarter, minutes) in &quarters {
                rows.push(minutes_item(merchant, *series, *quarter, minutes)?);
            }
            let series = DatedSeries::new(*series, calendar);
            for (bucket, sum) in add_up(minutes, series.calendar()) {
                rows.push(bucket_item(merchant, &series, &bucket, 1, sum)?);
            }
        }
        Ok(rows)
    }
}

/// The days and months that these minutes add up to.
fn add_up(minutes: &BTreeMap<Minute, Tally>, calendar: &Calendar) -> Vec<(Bucket, Sum)> {
    let zone = calendar.zone();
    let mut days: BTreeMap<Date, Vec<(Minute, Tally)>> = BTreeMap::new();
    for (minute, tally) in minutes {
        days.entry(date_of(minute.start(), &zone)).or_default().push((*minute, tally.clone()));
    }
    let days: Vec<(Date, Sum)> = days.into_iter().map(|(date, minutes)| (date, Sum::of_day(&minutes))).collect();
    let months = days.chunk_by(|(one, _), (other, _)| one.first_of_month() == other.first_of_month());
    let months: Vec<(Bucket, Sum)> = months
        .filter_map(|days| {
            let (date, _) = days.first()?;
            let month = Sum::of_month(days.iter().map(|(_, day)| &day.tally));
            Some((Bucket::Month(date.first_of_month()), month))
        })
        .collect();
    days.into_iter().map(|(date, sum)| (Bucket::Day(date), sum)).chain(months).collect()
}

/// The minutes whose tallies, or those of their day or month, differ from the entries.
pub type Drift = BTreeMap<Family, BTreeSet<Minute>>;

/// Compares all tallies of a merchant with its entries. A change that the projections have not processed yet is drift, too.
/// Visits that may have expired are left out: they are deleted at other moments than their tallies.
pub async fn compare(store: &Store, merchant: &MerchantId, calendars: &[Calendar], now: Timestamp) -> Result<Drift, StoreError> {
    let mut drift = Drift::new();
    for family in Family::ALL {
        let minutes = drift_of_family(store, merchant, family, calendars, kept_from(family, now)).await?;
        if !minutes.is_empty() {
            drift.insert(family, minutes);
        }
    }
    Ok(drift)
}

async fn drift_of_family(
    store: &Store,
    merchant: &MerchantId,
    family: Family,
    calendars: &[Calendar],
    kept_from: Timestamp,
) -> Result<BTreeSet<Minute>, StoreError> {
    let counted = Counted::read_family(store, merchant, family).await?;
    let mut drift = BTreeSet::new();
    for series in family.series() {
        let expected = counted.0.get(&series).cloned().unwrap_or_default();
        let stored = stored_minutes(store, merchant, series).await?;
        let minutes: BTreeSet<&Minute> = expected.keys().chain(stored.keys()).collect();
        let none = Tally::default();
        let differs = |minute: &&&Minute| expected.get(**minute).unwrap_or(&none) != stored.get(**minute).unwrap_or(&none);
        // The tallies of a quarter expire together.
        let is_kept = |minute: &&&Minute| minute.quarter().start() >= kept_from;
        drift.extend(minutes.iter().filter(is_kept).filter(differs).map(|minute| **minute));
    }
    for series in DatedSeries::of_family(family, calendars) {
        let expected = counted.0.get(&series.series()).cloned().unwrap_or_default();
        let stored = stored_buckets(store, merchant, &series).await?;
        let differing = drift_of_buckets(&expected, &stored, series.calendar());
        drift.extend(differing.into_iter().filter(|minute| minute.start() >= kept_from));
    }
    Ok(drift)
}

/// The first minute of each day and month whose stored tally is not what the minutes add up to.
fn drift_of_buckets(expected: &BTreeMap<Minute, Tally>, stored: &[(Bucket, Sum)], calendar: &Calendar) -> Vec<Minute> {
    let expected = add_up(expected, calendar);
    let sum_in = |sums: &[(Bucket, Sum)], bucket: &Bucket| -> Sum {
        let found = sums.iter().find(|(of, _)| of == bucket);
        found.map(|(_, sum)| sum.clone()).unwrap_or_default()
    };
    let buckets = expected.iter().chain(stored).map(|(bucket, _)| bucket);
    let differing = buckets.filter(|bucket| sum_in(&expected, bucket) != sum_in(stored, bucket));
    differing
        .map(|bucket| {
            let (Bucket::Day(date) | Bucket::Month(date)) = bucket;
            Minute::of(day_span(*date, &calendar.zone()).start)
        })
        .collect()
}

async fn stored_minutes(store: &Store, merchant: &MerchantId, series: Series) -> Result<BTreeMap<Minute, Tally>, StoreError> {
    let all = Timestamp::MIN..Timestamp::MAX;
    let minutes = store.tallies(merchant).minutes_within(series, &all, Range::of_table).await?;
    Ok(minutes.into_iter().collect())
}

async fn stored_buckets(store: &Store, merchant: &MerchantId, series: &DatedSeries) -> Result<Vec<(Bucket, Sum)>, StoreError> {
    let tallies = store.tallies(merchant);
    let days = tallies.days(series, &(Date::MIN..Date::MAX), Range::of_table).await?;
    let months = tallies.months(series, Date::MIN, Date::MAX, Range::of_table).await?;
    let days = days.into_iter().map(|(date, sum)| (Bucket::Day(date), sum));
    Ok(days.chain(months.into_iter().map(|(date, sum)| (Bucket::Month(date), sum))).collect())
}

/// Recounts what differs, one day after the other. `progress` is told how many minutes have been recounted.
pub async fn rebuild(
    store: &Store,
    merchant: &MerchantId,
    drift: &Drift,
    mut progress: impl FnMut(usize),
) -> Result<(), StoreError> {
    let mut done = 0;
    for (family, minutes) in drift {
        let mut days: BTreeMap<Date, BTreeSet<Minute>> = BTreeMap::new();
        for minute in minutes {
            let date = date_of(minute.start(), &TimeZone::UTC);
            days.entry(date).or_default().insert(*minute);
        }
        for minutes in days.values() {
            recount(store, merchant, *family, minutes).await?;
            done += minutes.len();
            progress(done);
        }
    }
    Ok(())
}

/// Adds up the days and months of a calendar from the minutes that are there.
pub async fn build_calendar(store: &Store, merchant: &MerchantId, calendar: &Calendar) -> Result<(), StoreError> {
    let tallies = store.tallies(merchant);
    for family in Family::ALL.into_iter().filter(|family| family.follows_time_zone()) {
        for series in DatedSeries::of_family(family, [calendar]) {
            let minutes = stored_minutes(store, merchant, series.series()).await?;
            add_up_to_months(&tallies, &series, minutes.into_keys()).await?;
        }
    }
    Ok(())
}
