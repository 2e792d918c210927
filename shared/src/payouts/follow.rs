//! Paying and returning: the settlements of a decided payout follow it, a few in a transaction.

use super::payout::Payout;
use super::state::Followed;
use super::worker::{PayoutError, Worker};
use crate::domain::ids::SettlementId;
use crate::store::{Stored, Write};

/// A transaction has at most 100 rows. Four are those of the payout, and a settlement that is returned has three: its own, its
/// entry in the list, and the one by which payouts find it.
const FOLLOWING: u16 = 32;

/// Pays or returns some settlements. The payout is done if none is left.
pub(super) async fn follow(
    worker: &mut Worker<'_>,
    payout: &Stored<Payout>,
    followed: &Followed,
) -> Result<(), PayoutError> {
    let store = &worker.app.store;
    let of_payout = store.settlements_of_payout(&payout.id, followed.until.as_deref(), FOLLOWING).await?;
    let Some(last) = of_payout.last() else { return finish(worker, payout, followed).await };
    let ids: Vec<&SettlementId> = of_payout.iter().map(|joined| &joined.settlement.id).collect();
    let settlements = store.settlements_by_id(&payout.merchant_id, &ids).await?;
    let now = worker.app.clock.now();
    let mut writes = Vec::new();
    for settlement in &settlements {
        match payout.follow(settlement, now) {
            Some(followed) => writes.push(Write::replace(settlement, &followed)?),
            None => tracing::warn!(settlement = %settlement.id, "does not wait for its payout"),
        }
    }
    let count = writes.len();
    let until = Some(last.settlement.id.to_string());
    let followed = Followed { count: followed.count + count as u64, until };
    writes.push(Write::replace(payout, &payout.follow_up_to(followed)?)?);
    worker.commit(writes, count).await?;
    Ok(())
}

/// If a settlement was neither paid nor returned, all are looked at again by the next attempt. An operator has to repair
/// that settlement.
async fn finish(
    worker: &mut Worker<'_>,
    payout: &Stored<Payout>,
    followed: &Followed,
) -> Result<(), PayoutError> {
    if let Some(done) = payout.done() {
        worker.commit(vec![Write::replace(payout, &done)?], 0).await?;
        return Ok(());
    }
    let again = payout.follow_up_to(Followed { until: None, ..followed.clone() })?;
    worker.commit(vec![Write::replace(payout, &again)?], 0).await?;
    Err(PayoutError::Differs { count: payout.count(), followed: followed.count })
}
