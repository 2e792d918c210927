//! Building of a calendar with other days, while the old one serves: of another time zone, or of time zone data that has moved days.
//!
//! After a deployment with other time zone data, the sweep goes through all merchants: the calendar of a zone whose days have moved
//! is built anew, any other one only names the new release. It begins once no other release has run for half an hour. So while two
//! releases run, neither undoes what the other one has done, and what the older one has written meanwhile is found. A rollback is a
//! deployment like any other.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::compare::build_calendar;
use crate::base::random::Random;
use crate::db::keys::{self, Key};
use crate::db::{Entity, Job, Store, StoreError, Task, Update, Write};
use crate::merchants::model::merchant::Merchant;
use crate::values::{MerchantId, later, release};

/// Requests that began before the change of the calendar may still read the old one.
const REMOVAL_DELAY: SignedDuration = SignedDuration::from_hours(1);

/// A rollout takes 15 minutes at most (`Rollout` in the template), and does not begin at the same moment for every function.
const ALONE: SignedDuration = SignedDuration::from_mins(30);
/// A sweep that dies repeats at most this many merchants, of which those that are done cost a read.
const MERCHANTS_PER_PAGE: u16 = 25;

/// The release of the time zone data that runs, and how far the calendars of all merchants follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowedRelease {
    pub release: String,
    /// No sweep of another release has run since.
    pub alone_since: Timestamp,
    /// The last merchant whose calendars follow it.
    pub after: Option<MerchantId>,
    /// When those of all merchants did.
    pub finished_at: Option<Timestamp>,
}

impl Entity for FollowedRelease {
    fn key(&self) -> Key {
        keys::followed_release()
    }
}

/// Lets the calendars of all merchants follow the time zone data of this program, page by page as long as `has_time`. The next sweep
/// goes on. One read if there is nothing to do.
pub async fn follow_release(
    store: &Store,
    now: Timestamp,
    random: &Random,
    has_time: impl Fn() -> bool,
) -> Result<(), StoreError> {
    let noticed = FollowedRelease { release: release().to_owned(), alone_since: now, after: None, finished_at: None };
    let Some(mut followed) = store.get::<FollowedRelease>(&keys::followed_release()).await? else {
        store.commit_if_possible(vec![Write::create(&noticed)?]).await?;
        return Ok(());
    };
    if followed.release != noticed.release {
        tracing::info!(from = followed.release, to = noticed.release, "other time zone data runs");
        store.commit_if_possible(vec![Write::replace(&followed, &noticed)?]).await?;
        return Ok(());
    }
    while followed.finished_at.is_none() && later(followed.alone_since, ALONE) <= now && has_time() {
        let (merchants, others_follow) = store.merchant_ids_page(followed.after.as_ref(), MERCHANTS_PER_PAGE).await?;
        for merchant in &merchants {
            follow(store, merchant, now, random).await?;
        }
        let after = merchants.last().cloned().or_else(|| followed.after.clone());
        let next = FollowedRelease { after, finished_at: (!others_follow).then_some(now), ..followed.value.clone() };
        // Another sweep is as far, or other data runs.
        if !store.commit_if_possible(vec![Write::replace(&followed, &next)?]).await? {
            return Ok(());
        }
        followed = followed.replaced(next);
        if !others_follow {
            tracing::info!(release = followed.release, "all calendars follow the time zone data");
        }
    }
    Ok(())
}

/// Nothing but a read if the merchant's calendars follow the data already. A merchant that cannot be read is left behind, so that the
/// others are not.
async fn follow(store: &Store, id: &MerchantId, now: Timestamp, random: &Random) -> Result<(), StoreError> {
    let merchant = match store.merchant(id).await {
        Err(StoreError::UnreadableRow(cause)) => {
            tracing::error!(merchant = %id, cause, "its calendar cannot follow the time zone data");
            return Ok(());
        }
        read => read?,
    };
    let Some(merchant) = merchant else { return Ok(()) };
    store
        .update(merchant, |merchant| {
            let mut changed = merchant.clone();
            changed.calendars.change_to(&merchant.time_zone);
            if changed == *merchant {
                return Ok((None, ()));
            }
            let jobs = jobs_of_change(merchant, &changed, now, random);
            if !jobs.is_empty() {
                let zone = &merchant.time_zone;
                tracing::info!(merchant = %id, zone, release = release(), "days have moved; its tallies are counted anew");
            }
            let with = jobs.iter().map(Write::create).collect::<Result<_, _>>()?;
            Ok((Some(Update { row: changed, with }), ()))
        })
        .await
}

/// The jobs of a merchant whose calendars were changed: to build the new one, and to remove one that is not built any more.
pub fn jobs_of_change(merchant: &Merchant, changed: &Merchant, now: Timestamp, random: &Random) -> Vec<Job> {
    let (before, after) = (&merchant.calendars, &changed.calendars);
    let build = after.building_only_here(before).map(|_| Job::new(merchant.id.clone(), Task::BuildCalendar, now, random));
    let dropped = before.building_only_here(after);
    build.into_iter().chain(dropped.map(|generation| removal(&merchant.id, generation, now, random))).collect()
}

/// Adds up the calendar that is to be built, and lets it serve. If the merchant has changed its time zone back, there is nothing
/// to build. If it changes it meanwhile, the calendar does not serve: another job builds the newer one. `false` if its days are those
/// of other time zone data: a function that has this data builds it, or the sweep replaces it.
pub async fn build(store: &Store, merchant_id: &MerchantId, now: Timestamp, random: &Random) -> Result<bool, StoreError> {
    let Some(merchant) = store.merchant(merchant_id).await? else { return Ok(true) };
    let Some(built) = merchant.calendars.building.clone() else { return Ok(true) };
    if !built.can_be_counted() {
        tracing::warn!(of = built.release, here = release(), "the calendar waits for a function with its time zone data");
        return Ok(false);
    }
    build_calendar(store, merchant_id, &built).await?;
    store
        .update(merchant, |merchant| {
            let mut changed = merchant.clone();
            let Some(replaced) = changed.calendars.switch_to(&built) else { return Ok((None, true)) };
            let remove = Write::create(&removal(merchant_id, replaced.generation, now, random))?;
            Ok((Some(Update { row: changed, with: vec![remove] }), true))
        })
        .await
}

/// The job that removes a calendar, once nobody reads or adds it up any more.
fn removal(merchant_id: &MerchantId, generation: u32, now: Timestamp, random: &Random) -> Job {
    let task = Task::RemoveCalendar { generation };
    Job::new(merchant_id.clone(), task, now, random).due_at(later(now, REMOVAL_DELAY))
}

/// Deletes the days and months of a calendar, unless it is still used.
pub async fn remove(store: &Store, merchant_id: &MerchantId, generation: u32) -> Result<(), StoreError> {
    let Some(merchant) = store.merchant(merchant_id).await? else { return Ok(()) };
    if merchant.calendars.all().any(|calendar| calendar.generation == generation) {
        return Ok(());
    }
    store.tallies(merchant_id).remove_calendar(generation).await
}
