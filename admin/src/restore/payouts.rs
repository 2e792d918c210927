//! Payouts and their settlements: what the previous table shows of them is carried over.
//!
//! A payout, and its copies of the settlements that joined it, say what was paid. The settlements themselves are written
//! accordingly, whatever the previous table has in them: it can be the reason for the restore.

use std::collections::BTreeSet;

use jiff::Timestamp;
use shared::db::{Job, Range, Store, Stored, Task, Write, from_item, item_key, keys, pack_transactions};
use shared::payouts::{Payout, PayoutRun, PayoutSettlement, PayoutState, carry_over_payout};
use shared::settlements::model::settlement::Settlement;
use shared::settlements::rows::create_settlement;
use shared::values::{JobId, PayoutId};

use super::{Prepared, RestoreError, rows};

/// Payouts that are read at once.
const PAYOUTS_PER_READ: usize = 100;
/// Settlements that are read at once.
const SETTLEMENTS_PER_READ: usize = 100;

/// A payout of one of the tables, or of both.
struct Both {
    previous: Option<Stored<Payout>>,
    restored: Option<Stored<Payout>>,
}

/// Carries payouts over that were made or have changed since the restored moment. A payout that only the restored table has is
/// withdrawn.
pub(super) async fn carry_over(
    restored: &Store,
    previous: &Store,
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    let mut building = Vec::new();
    for both in read_both(restored, previous).await? {
        match both {
            // After the others: one of them may have been the one that settlements joined at the restored moment.
            Both { previous: Some(previous), restored } if !previous.is_sealed() => {
                building.push((previous, restored));
            }
            Both { previous: Some(found), restored: here } => {
                carry_over_one(restored, previous, &found, here, now, prepared).await?;
            }
            Both { previous: None, restored: Some(here) } => withdraw(restored, &here, now, prepared).await?,
            Both { previous: None, restored: None } => {}
        }
    }
    for (found, here) in building {
        carry_over_one(restored, previous, &found, here, now, prepared).await?;
    }
    Ok(())
}

async fn read_both(restored: &Store, previous: &Store) -> Result<Vec<Both>, RestoreError> {
    let mut ids = listed(previous).await?;
    ids.extend(listed(restored).await?);
    let ids: Vec<PayoutId> = ids.into_iter().collect();
    let mut found = Vec::new();
    for chunk in ids.chunks(PAYOUTS_PER_READ) {
        let keys: Vec<_> = chunk.iter().map(keys::payout).collect();
        let mut here = rows::by_key(restored, &keys).await?;
        let mut there = rows::by_key(previous, &keys).await?;
        found.extend(keys.iter().map(|key| Both { previous: there.remove(key), restored: here.remove(key) }));
    }
    Ok(found)
}

/// The ids of all payouts.
async fn listed(store: &Store) -> Result<BTreeSet<PayoutId>, RestoreError> {
    let entries = store.query_items(Range::of_table(keys::payouts())).await?;
    let id = |entry| {
        let key = item_key(&entry).unwrap_or_else(|| keys::payout(&PayoutId::new("")));
        from_item::<Payout>(entry).map(|entry| entry.value.id).map_err(|_| RestoreError::Unreadable(key))
    };
    entries.into_iter().map(id).collect()
}

async fn carry_over_one(
    restored: &Store,
    previous: &Store,
    found: &Payout,
    here: Option<Stored<Payout>>,
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    let payout = found.carried_over();
    if here.as_ref().is_none_or(|here| here.value != payout) {
        let joined = settlements_of(previous, &payout).await?;
        if u64::try_from(joined.len()) != Ok(payout.count()) {
            return Err(RestoreError::IncompletePayout(payout.id));
        }
        for some in joined.chunks(SETTLEMENTS_PER_READ) {
            for writes in pack_transactions(settlements_carried_over(restored, &payout, some, now).await?) {
                restored.commit(writes).await?;
            }
        }
        // Last: until then, the payout differs, and is carried over again if this was interrupted.
        restored.commit(carry_over_payout(here.as_ref(), &payout)?).await?;
        prepared.carried_over.push(payout.clone());
    }
    if !payout.is_waiting_or_done() {
        let task = Task::AdvancePayout { payout_id: payout.id.clone() };
        ensure_job(restored, &format!("restored-{}", payout.id), Some(&payout), task, now).await?;
    }
    Ok(())
}

async fn settlements_of(store: &Store, payout: &Payout) -> Result<Vec<PayoutSettlement>, RestoreError> {
    let mut joined: Vec<PayoutSettlement> = Vec::new();
    loop {
        let last = joined.last().map(|last| last.settlement.id.to_string());
        let page = store.settlements_of_payout(&payout.id, last.as_deref(), 200).await?;
        if page.is_empty() {
            return Ok(joined);
        }
        joined.extend(page);
    }
}

/// The writes of each settlement that joined a payout in the previous table.
async fn settlements_carried_over(
    restored: &Store,
    payout: &Payout,
    joined: &[PayoutSettlement],
    now: Timestamp,
) -> Result<Vec<Vec<Write>>, RestoreError> {
    let key = |joined: &PayoutSettlement| keys::settlement(&payout.merchant_id, &joined.settlement.id);
    let keys: Vec<_> = joined.iter().map(key).collect();
    let mut here = rows::by_key::<Settlement>(restored, &keys).await?;
    let mut of_all = Vec::with_capacity(joined.len());
    for joined in joined {
        let mut writes = vec![Write::put(joined)?];
        let here = here.remove(&key(joined));
        let settlement = match payout.state() {
            PayoutState::Paid { .. } => joined.settlement.paid(&payout.id, now),
            PayoutState::Cancelled { .. } => here.as_ref().and_then(|here| here.returned(&payout.id, now)),
            _ => Some(joined.settlement.clone()),
        };
        match (here, settlement) {
            (Some(here), Some(settlement)) => writes.push(Write::replace(&here, &settlement)?),
            (None, Some(settlement)) => writes.extend(create_settlement(&settlement)?),
            (_, None) => {}
        }
        of_all.push(writes);
    }
    Ok(of_all)
}

/// Withdraws all payouts that were not decided as paid at the restored moment: nothing shows what has become of them since.
pub(super) async fn withdraw_all(restored: &Store, now: Timestamp, prepared: &mut Prepared) -> Result<(), RestoreError> {
    let ids: Vec<PayoutId> = listed(restored).await?.into_iter().collect();
    for chunk in ids.chunks(PAYOUTS_PER_READ) {
        let keys: Vec<_> = chunk.iter().map(keys::payout).collect();
        for payout in rows::by_key::<Payout>(restored, &keys).await?.into_values() {
            withdraw(restored, &payout, now, prepared).await?;
        }
    }
    Ok(())
}

/// Returns the settlements of a payout, held, unless it was decided as paid at the restored moment.
async fn withdraw(
    restored: &Store,
    payout: &Stored<Payout>,
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    let Some(withdrawn) = payout.withdrawn(now) else { return Ok(()) };
    for some in settlements_of(restored, payout).await?.chunks(SETTLEMENTS_PER_READ) {
        let keys: Vec<_> = some.iter().map(|joined| keys::settlement(&payout.merchant_id, &joined.settlement.id)).collect();
        let mut returns = Vec::new();
        for settlement in rows::by_key::<Settlement>(restored, &keys).await?.into_values() {
            let returned = settlement.returned(&payout.id, now);
            if let Some(held) = returned.and_then(|returned| returned.held_by_restore(now)) {
                prepared.count_held(&held);
                returns.push(vec![Write::replace(&settlement, &held)?]);
            }
        }
        for writes in pack_transactions(returns) {
            restored.commit(writes).await?;
        }
    }
    restored.commit(carry_over_payout(Some(payout), &withdrawn)?).await?;
    prepared.withdrawn.push(withdrawn);
    Ok(())
}

/// Carries a run over: its idempotency key is used, and it goes on after the merchants whose payouts it has made.
pub(super) async fn carry_over_run(
    restored: &Store,
    run: &PayoutRun,
    here: Option<Stored<PayoutRun>>,
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    match here {
        Some(here) if here.value == *run => {}
        Some(here) => {
            restored.commit(vec![Write::replace(&here, run)?]).await?;
            prepared.runs += 1;
        }
        None => {
            restored.commit(vec![Write::create(run)?]).await?;
            prepared.runs += 1;
        }
    }
    if run.finished_at.is_none() {
        let task = Task::RunPayouts { run_id: run.id.clone() };
        ensure_job(restored, &format!("restored-{}", run.id), None, task, now).await?;
    }
    Ok(())
}

/// Creates the job unless it is there. A second one beside that of another id does no harm: it finds nothing left to do.
async fn ensure_job(restored: &Store, id: &str, payout: Option<&Payout>, task: Task, now: Timestamp) -> Result<(), RestoreError> {
    let merchant = payout.map(|payout| payout.merchant_id.clone());
    let job = Job::with_id(JobId::new(id), merchant, task, now);
    restored.commit_if_possible(vec![Write::create(&job)?]).await?;
    Ok(())
}
