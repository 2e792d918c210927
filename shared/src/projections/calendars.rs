//! Building of a calendar of another time zone, while the old one serves.

use jiff::{SignedDuration, Timestamp};

use super::compare::build_calendar;
use crate::clock::later;
use crate::domain::ids::MerchantId;
use crate::random::Random;
use crate::store::jobs::{Job, Task};
use crate::store::{Store, StoreError, Update, Write};

/// Requests that began before the change of the calendar may still read the old one.
const REMOVAL_DELAY: SignedDuration = SignedDuration::from_hours(1);

/// Adds up the calendar that is to be built, and lets it serve. If the merchant has changed its time zone back, there is nothing
/// to build. If it changes it meanwhile, the calendar does not serve: another job builds the newer one.
pub async fn build(store: &Store, merchant_id: &MerchantId, now: Timestamp, random: &Random) -> Result<(), StoreError> {
    let Some(merchant) = store.merchant(merchant_id).await? else { return Ok(()) };
    let Some(built) = merchant.calendars.building.clone() else { return Ok(()) };
    build_calendar(store, merchant_id, &built).await?;
    store
        .update(merchant, |merchant| {
            let mut changed = merchant.clone();
            let Some(replaced) = changed.calendars.switch_to(&built) else { return Ok((None, ())) };
            let remove = Write::create(&removal(merchant_id, replaced.generation, now, random))?;
            Ok((Some(Update { row: changed, with: vec![remove] }), ()))
        })
        .await
}

/// The job that removes a calendar, once nobody reads or adds it up any more.
pub fn removal(merchant_id: &MerchantId, generation: u32, now: Timestamp, random: &Random) -> Job {
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
