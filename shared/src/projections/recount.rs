//! Recounting of tallies.
//!
//! Several workers can recount the same tally at once, and any of them can die between two calls. These rules make the
//! tallies equal to their entries nevertheless, as soon as each change of an entry has been worked on once to the end:
//!
//! - The version of a tally is read before what it is made of, and both consistently. So a tally that was written on
//!   condition of its version is not older than the one that it replaces.
//! - Every level is recounted for every change, even if the one below did not change: whoever changed that may have died
//!   before it came to this one.
//! - Who loses the race for a version tries again. It may leave if the version has moved by two since its first read: the
//!   second writer began after that read, so it has seen everything that the loser had to count. The first one may have
//!   begun before.
//! - A tally is never deleted, even if it is empty: its version would start again. (Those of visits expire, after more than a
//!   year, when no worker has read them.)
//! - The calendars are read after the minutes were written: a calendar that begins to be built later is made of these
//!   minutes. A calendar serves once it has been built, on condition that no other one is being built by then.
//! - A change that cannot be worked on now becomes a job. An entry that expires is no change: its tallies expire with it.
//!
//! `tests/projections/recounts.rs` tests them, and that none can be left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::db::{Store, StoreError};
use crate::projections::model::tally::{DatedSeries, Family, Series};
use crate::projections::rows::tallies::{Bucket, Minutes, Tallies};
use crate::values::{MerchantId, Minute, Quarter, date_of};

/// Far more than the writers of one tally at a time: one for each shard of the stream.
const MAX_ATTEMPTS: u32 = 100;
/// Backoff grows up to this attempt.
const MAX_BACKOFF: u32 = 4;

/// Recounts the tallies of the minutes in which entries of a family have changed, and all that contain them.
pub async fn recount(store: &Store, merchant: &MerchantId, family: Family, minutes: &BTreeSet<Minute>) -> Result<(), StoreError> {
    recount_with(&store.tallies(merchant), family, minutes).await
}

pub(crate) async fn recount_with(tallies: &impl Tallies, family: Family, minutes: &BTreeSet<Minute>) -> Result<(), StoreError> {
    for series in family.series() {
        for (quarter, minutes) in by_quarter(minutes) {
            recount_minutes(tallies, series, quarter, minutes).await?;
        }
    }
    for series in tallies.dated_series(family).await? {
        add_up_to_months(tallies, &series, minutes.iter().copied()).await?;
    }
    Ok(())
}

/// Adds up the days and the months that contain these minutes.
pub(crate) async fn add_up_to_months(
    tallies: &impl Tallies,
    series: &DatedSeries,
    minutes: impl Iterator<Item = Minute>,
) -> Result<(), StoreError> {
    let zone = series.zone();
    let dates: BTreeSet<_> = minutes.map(|minute| date_of(minute.start(), &zone)).collect();
    for date in &dates {
        add_up(tallies, series, &Bucket::Day(*date)).await?;
    }
    let months: BTreeSet<_> = dates.iter().map(|date| date.first_of_month()).collect();
    for month in months {
        add_up(tallies, series, &Bucket::Month(month)).await?;
    }
    Ok(())
}

fn by_quarter(minutes: &BTreeSet<Minute>) -> BTreeMap<Quarter, BTreeSet<u8>> {
    let mut quarters: BTreeMap<Quarter, BTreeSet<u8>> = BTreeMap::new();
    for minute in minutes {
        quarters.entry(minute.quarter()).or_default().insert(minute.of_quarter());
    }
    quarters
}

async fn recount_minutes(
    tallies: &impl Tallies,
    series: Series,
    quarter: Quarter,
    mut minutes: BTreeSet<u8>,
) -> Result<(), StoreError> {
    let first_read = tallies.minutes(series, quarter).await?;
    let mut read = first_read.clone();
    for attempt in 0..MAX_ATTEMPTS {
        let counted = tallies.count(series, quarter, &minutes).await?;
        if tallies.put_minutes(series, quarter, &read, counted).await? {
            return Ok(());
        }
        tallies.back_off(attempt.min(MAX_BACKOFF)).await;
        read = tallies.minutes(series, quarter).await?;
        minutes.retain(|minute| !has_been_recounted(version(&first_read, *minute), version(&read, *minute)));
        if minutes.is_empty() {
            return Ok(());
        }
    }
    Err(StoreError::Contended("the tally of a minute"))
}

fn version(minutes: &Minutes, minute: u8) -> u64 {
    minutes.get(&minute).map_or(0, |tally| tally.version)
}

/// Whether another worker has recounted a tally that had the version `first` when this worker read it first.
fn has_been_recounted(first: u64, current: u64) -> bool {
    current >= first + 2
}

async fn add_up(tallies: &impl Tallies, series: &DatedSeries, bucket: &Bucket) -> Result<(), StoreError> {
    let first = tallies.version(series, bucket).await?;
    let mut version = first;
    for attempt in 0..MAX_ATTEMPTS {
        let sum = tallies.add_up(series, bucket).await?;
        if tallies.put(series, bucket, version, sum).await? {
            return Ok(());
        }
        tallies.back_off(attempt.min(MAX_BACKOFF)).await;
        version = tallies.version(series, bucket).await?;
        if has_been_recounted(first, version) {
            return Ok(());
        }
    }
    Err(StoreError::Contended("the tally of a day or a month"))
}
