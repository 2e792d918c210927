//! Building of a merchant's calendar: of its first one, or of that of another time zone while the old one serves.

use jiff::{SignedDuration, Timestamp};

use super::compare::build_calendar;
use crate::clock::later;
use crate::domain::ids::MerchantId;
use crate::domain::merchant::Merchant;
use crate::random::Random;
use crate::store::jobs::{Job, Task};
use crate::store::{Store, StoreError, Stored, Update, Write};

/// Requests that began before the change of the calendar may still read the old one.
const REMOVAL_DELAY: SignedDuration = SignedDuration::from_hours(1);

/// Adds up the calendar that is to be built, and lets it serve. If the merchant has changed its time zone back, there is nothing
/// to build. If it changes it meanwhile, the calendar does not serve: another job builds the newer one. A merchant without a
/// serving calendar stays without: the entries of its rows may be incomplete.
pub async fn build(store: &Store, merchant_id: &MerchantId, now: Timestamp, random: &Random) -> Result<(), StoreError> {
    let Some(merchant) = store.merchant(merchant_id).await? else { return Ok(()) };
    if merchant.calendars.serving.is_none() {
        return Ok(());
    }
    build_and_serve(store, merchant, now, random).await
}

/// Lets a calendar of the merchant's time zone serve. The entries of all of its rows and the tallies of all minutes must be
/// there.
pub async fn serve(store: &Store, merchant_id: &MerchantId, now: Timestamp, random: &Random) -> Result<(), StoreError> {
    // Repeated if the merchant changes its time zone meanwhile.
    while let Some(merchant) = store.merchant(merchant_id).await? {
        if !merchant.calendars.clone().change_to(&merchant.time_zone) {
            break;
        }
        let change = |merchant: &Merchant| {
            let mut changed = merchant.clone();
            changed.calendars.change_to(&merchant.time_zone);
            Ok::<_, StoreError>(((changed != *merchant).then(|| changed.into()), ()))
        };
        store.update(merchant, change).await?;
        if let Some(merchant) = store.merchant(merchant_id).await? {
            Box::pin(build_and_serve(store, merchant, now, random)).await?;
        }
    }
    Ok(())
}

async fn build_and_serve(store: &Store, merchant: Stored<Merchant>, now: Timestamp, random: &Random) -> Result<(), StoreError> {
    let Some(built) = merchant.calendars.building.clone() else { return Ok(()) };
    let id = merchant.id.clone();
    build_calendar(store, &id, &built).await?;
    store
        .update(merchant, |merchant| {
            let mut changed = merchant.clone();
            let Some(replaced) = changed.calendars.switch_to(&built) else { return Ok((None, ())) };
            let remove = replaced.map(|replaced| Write::create(&removal(&id, replaced.generation, now, random)));
            let with = remove.into_iter().collect::<Result<_, _>>()?;
            Ok((Some(Update { row: changed, with }), ()))
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
