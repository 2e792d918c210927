//! Paying and returning: the settlements of a decided payout follow it, a few in a transaction.

use std::collections::HashMap;

use super::payout::Payout;
use super::state::Followed;
use super::worker::{PayoutError, Worker};
use crate::db::{ActionBudget, Stored, Write};
use crate::settlements::model::settlement::Settlement;
use crate::values::SettlementId;

/// Settlements that are read at once. Those for which the transaction has no room are read again.
const PAGE_SIZE: u16 = 48;

/// Pays or returns as many settlements as one transaction has room for. The payout is done if none is left.
pub(super) async fn follow(worker: &mut Worker<'_>, payout: &Stored<Payout>, followed: &Followed) -> Result<(), PayoutError> {
    let store = &worker.app.store;
    let of_payout = store.settlements_of_payout(&payout.id, followed.until.as_deref(), PAGE_SIZE).await?;
    if of_payout.is_empty() {
        return finish(worker, payout, followed).await;
    }
    let ids: Vec<&SettlementId> = of_payout.iter().map(|joined| &joined.settlement.id).collect();
    let settlements = store.settlements_by_id(&payout.merchant_id, &ids).await?.into_iter();
    let settlements: HashMap<SettlementId, Stored<Settlement>> =
        settlements.map(|settlement| (settlement.id.clone(), settlement)).collect();
    let now = worker.app.clock.now();
    let mut budget = ActionBudget::beside([&Write::replace(payout, payout)?]);
    let (mut writes, mut until) = (Vec::new(), None);
    for id in ids {
        let follows = settlements.get(id).and_then(|read| Some((read, payout.follow(read, now)?)));
        if let Some((read, settlement)) = follows {
            let write = Write::replace(read, &settlement)?;
            if !budget.spend([&write]) {
                break;
            }
            writes.push(write);
        } else {
            tracing::warn!(settlement = %id, "does not wait for its payout");
        }
        until = Some(id.to_string());
    }
    let count = writes.len();
    let followed = Followed { count: followed.count + count as u64, until };
    writes.push(Write::replace(payout, &payout.follow_up_to(followed)?)?);
    worker.commit(writes, count).await?;
    Ok(())
}

/// If a settlement was neither paid nor returned, all are looked at again by the next attempt. An operator has to repair
/// that settlement.
async fn finish(worker: &mut Worker<'_>, payout: &Stored<Payout>, followed: &Followed) -> Result<(), PayoutError> {
    if let Some(done) = payout.done() {
        worker.commit(vec![Write::replace(payout, &done)?], 0).await?;
        return Ok(());
    }
    let again = payout.follow_up_to(Followed { until: None, ..followed.clone() })?;
    worker.commit(vec![Write::replace(payout, &again)?], 0).await?;
    Err(PayoutError::Differs { count: payout.count(), followed: followed.count })
}
