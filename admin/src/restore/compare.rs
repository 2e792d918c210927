//! Compares the other rows of the previous table with the restored ones: settlements outside of payouts, runs, the audit
//! trail, and idempotency keys. Reads the whole previous table.

use std::collections::HashMap;
use std::pin::pin;

use futures_util::TryStreamExt;
use jiff::Timestamp;
use shared::db::keys::{self, Key, Listed};
use shared::db::{Item, Store, Write, from_item, item_key, pack_transactions};
use shared::payouts::PayoutRun;
use shared::settlements::model::settlement::{Settlement, SettlementStatus};
use shared::settlements::rows::create_settlement;

use super::payouts::carry_over_run;
use super::{Prepared, RestoreError, rows};

/// Rows that are compared at once.
const ROWS_PER_READ: usize = 100;

/// After the payouts have been carried over.
pub(super) async fn compare(
    restored: &Store,
    previous: &Store,
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    let settlements = keys::listed_rows(Listed::Settlements, None);
    let prefixes = [&settlements, keys::PAYOUT_RUNS, keys::AUDIT_TRAILS, keys::IDEMPOTENCY_KEYS];
    let mut pages = pin!(previous.scan(prefixes.map(str::to_owned).into()));
    while let Some(page) = pages.try_next().await? {
        let mut by_kind: HashMap<&str, Vec<Item>> = HashMap::new();
        for item in page {
            let Some(key) = item_key(&item) else { continue };
            // What a run has left out is a record of it, as the audit trail is.
            let is_left_out = key.pk.starts_with(keys::PAYOUT_RUNS) && key.sk.starts_with(keys::LEFT_OUT);
            let kind = prefixes.into_iter().find(|prefix| key.pk.starts_with(prefix));
            let kind = if is_left_out { Some(keys::LEFT_OUT) } else { kind };
            by_kind.entry(kind.unwrap_or_default()).or_default().push(item);
        }
        for (kind, items) in by_kind {
            for some in items.chunks(ROWS_PER_READ) {
                match kind {
                    keys::PAYOUT_RUNS => compare_runs(restored, some, now, prepared).await?,
                    keys::AUDIT_TRAILS => {
                        prepared.audit_entries += add_records(restored, some).await?;
                    }
                    keys::LEFT_OUT => drop(add_records(restored, some).await?),
                    keys::IDEMPOTENCY_KEYS => add_used_keys(restored, some, prepared).await?,
                    _ => compare_settlements(restored, some, now, prepared).await?,
                }
            }
        }
    }
    Ok(())
}

fn keys_of(items: &[Item]) -> Vec<Key> {
    items.iter().filter_map(item_key).collect()
}

async fn compare_runs(restored: &Store, items: &[Item], now: Timestamp, prepared: &mut Prepared) -> Result<(), RestoreError> {
    let keys = keys_of(items);
    let mut here = rows::by_key::<PayoutRun>(restored, &keys).await?;
    for (item, key) in items.iter().zip(keys) {
        let run = from_item::<PayoutRun>(item.clone()).map_err(|_| RestoreError::Unreadable(key.clone()))?;
        carry_over_run(restored, &run, here.remove(&key), now, prepared).await?;
    }
    Ok(())
}

/// Records say what has happened, whether or not the restored table has it. Returns the number of those that it lacked.
async fn add_records(restored: &Store, items: &[Item]) -> Result<usize, RestoreError> {
    let records = items.iter().map(|item| vec![item.clone()]).collect();
    let new = restored.new_records(records).await?;
    let count = new.len();
    restored.import(new.into_iter().map(|item| vec![item]).collect()).await?;
    Ok(count)
}

/// Copies keys that were used or closed since the restored moment, without their operations: a key whose operation is missing
/// is neither replayed nor used again.
async fn add_used_keys(restored: &Store, items: &[Item], prepared: &mut Prepared) -> Result<(), RestoreError> {
    let state = |item: &Item| (item.get("reference").cloned(), item.get("closed_at").cloned());
    let here: HashMap<Key, Item> =
        restored.get_items(&keys_of(items)).await?.into_iter().filter_map(|item| Some((item_key(&item)?, item))).collect();
    for item in items {
        let Some(key) = item_key(item) else { continue };
        if here.get(&key).is_some_and(|here| state(here) == state(item)) {
            continue;
        }
        if here.contains_key(&key) {
            restored.remove(&key).await?;
        }
        restored.import(vec![vec![item.clone()]]).await?;
        prepared.used_keys += 1;
    }
    Ok(())
}

/// Holds settlements that only one of the tables would pay. Those that only the previous table has are carried over, held: the
/// merchant is owed them, but their redemptions are missing.
async fn compare_settlements(
    restored: &Store,
    items: &[Item],
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    let keys = keys_of(items);
    let mut here = rows::by_key::<Settlement>(restored, &keys).await?;
    let mut changes = Vec::new();
    for (item, key) in items.iter().zip(&keys) {
        let there = from_item::<Settlement>(item.clone()).ok().map(|there| there.value);
        match (here.remove(key), there) {
            (Some(here), there) => {
                if let Some(held) = here.held_by_restore(now).filter(|_| is_doubtful(&here, there.as_ref())) {
                    changes.push(vec![Write::replace(&here, &held)?]);
                    prepared.count_held(&held);
                }
            }
            (None, Some(there)) => {
                let settlement = carried_over(there, now);
                changes.push(create_settlement(&settlement)?);
                prepared.settlements_without_redemption += 1;
                if settlement.status == SettlementStatus::Pending {
                    prepared.count_held(&settlement);
                }
            }
            (None, None) => return Err(RestoreError::Unreadable(key.clone())),
        }
    }
    for writes in pack_transactions(changes) {
        restored.commit(writes).await?;
    }
    Ok(())
}

/// Whether only the restored table would pay a settlement. One that names a payout is as that payout says.
fn is_doubtful(here: &Settlement, there: Option<&Settlement>) -> bool {
    let agrees = |there: &Settlement| there.is_payable() || there.payout_batch_id.is_some();
    here.is_payable() && !there.is_some_and(agrees)
}

/// A settlement that is in no payout: those that are have been carried over with it.
fn carried_over(settlement: Settlement, now: Timestamp) -> Settlement {
    if settlement.status == SettlementStatus::Void {
        return settlement;
    }
    let status = SettlementStatus::Pending.into();
    let pending = Settlement { status, payout_batch_id: None, ..settlement };
    pending.held_by_restore(now).unwrap_or(pending)
}
