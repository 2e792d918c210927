//! Joining: the payout takes all settlements that it admits, a few in a transaction.

use std::collections::HashSet;

use super::left_out::{LeftOutReason, left_out};
use super::payout::Payout;
use super::store::PayoutSettlement;
use super::worker::{PayoutError, Worker};
use crate::app::App;
use crate::domain::ids::SettlementId;
use crate::domain::settlement::{HeldBecause, Owed, Settlement};
use crate::store::settlements::PendingSettlement;
use crate::store::{StoreError, Stored, Write};

/// A transaction has at most 100 rows. Four are those of the payout, and a settlement that joins has four: its own, its entry
/// in the list, the one by which it was found, and its row in the payout.
const JOINING: u16 = 24;

/// Lets all settlements join that are there, then none any more. Returns early at the end of the job and after a conflict.
pub(super) async fn join(worker: &mut Worker<'_>, mut payout: Stored<Payout>) -> Result<(), PayoutError> {
    let store = &worker.app.store;
    let mut unreadable = Some(Owed::default());
    for kind in payout.kinds() {
        let mut last: Option<PendingSettlement> = None;
        loop {
            if worker.is_over() {
                return Ok(());
            }
            let (of_kind, before) = ((*kind, payout.currency), payout.eligible_before);
            let entries = store
                .pending_settlements(&payout.merchant_id, of_kind, before, last.as_ref(), JOINING)
                .await?;
            if entries.is_empty() {
                break;
            }
            let ids: Vec<&SettlementId> = entries.iter().map(|entry| &entry.settlement_id).collect();
            let settlements = store.settlements_by_id(&payout.merchant_id, &ids).await?;
            for entry in &entries {
                if !settlements.iter().any(|settlement| settlement.id == entry.settlement_id) {
                    unreadable = unreadable.and_then(|owed| owed.and(entry.net.unwrap_or_default()));
                }
            }
            let Some(joined) = join_some(worker, payout, settlements).await? else { return Ok(()) };
            payout = joined;
            last = entries.into_iter().next_back();
        }
    }
    let mut writes = vec![Write::replace(&payout, &payout.complete()?)?];
    if unreadable.is_none_or(|owed| owed.count > 0) {
        let left_out = Box::pin(left_out(store, &payout, unreadable, LeftOutReason::Unreadable)).await?;
        writes.push(Write::put(&left_out)?);
    }
    worker.commit(writes, 0).await?;
    Ok(())
}

/// Returns the payout with those of the settlements that it admits. `None` after a conflict.
async fn join_some(
    worker: &mut Worker<'_>,
    payout: Stored<Payout>,
    mut settlements: Vec<Stored<Settlement>>,
) -> Result<Option<Stored<Payout>>, PayoutError> {
    let app = worker.app;
    settlements.retain(|settlement| payout.admits(settlement));
    let to_hold = sold_at_own_till(app, &payout, &settlements).await?;
    let now = app.clock.now();
    let mut joining = Vec::new();
    let mut larger = payout.value.clone();
    for settlement in settlements {
        if to_hold.contains(&settlement.id) {
            hold(app, &settlement).await?;
            continue;
        }
        match larger.join(&settlement, now) {
            Ok((payout, joined)) => {
                larger = payout;
                joining.push((settlement, joined));
            }
            Err(error) => {
                tracing::error!(settlement = %settlement.id, cause = %error, "does not join the payout");
            }
        }
    }
    if joining.is_empty() {
        return Ok(Some(payout));
    }
    let writes = join_payout(&payout, &larger, &joining)?;
    let is_committed = worker.commit(writes, joining.len()).await?;
    Ok(is_committed.then(|| payout.replaced(larger)))
}

/// Lets settlements join a payout, which counts them in the same transaction.
pub fn join_payout(
    read: &Stored<Payout>,
    payout: &Payout,
    joining: &[(Stored<Settlement>, Settlement)],
) -> Result<Vec<Write>, StoreError> {
    let mut writes = vec![Write::replace(read, payout)?];
    for (read, joined) in joining {
        let of_payout = PayoutSettlement { payout_id: payout.id.clone(), settlement: joined.clone() };
        writes.push(Write::replace(read, joined)?);
        writes.push(Write::create(&of_payout)?);
    }
    Ok(writes)
}

/// The settlements whose card the merchant sold at its own till, although that was not known when they were made. If the
/// redemption or the card cannot be read, the settlement is one of them.
async fn sold_at_own_till(
    app: &App,
    payout: &Payout,
    settlements: &[Stored<Settlement>],
) -> Result<HashSet<SettlementId>, PayoutError> {
    let ids: Vec<_> = settlements.iter().filter_map(|settlement| settlement.unchecked_redemption()).collect();
    let redemptions = app.store.redemptions_by_id(&payout.merchant_id, &ids).await?;
    let codes: Vec<_> =
        redemptions.values().flatten().filter_map(|redemption| redemption.qr_code.as_ref()).collect();
    let sold = app.store.cards_sold_at_till(&payout.merchant_id, &codes).await?;
    let is_sold = |settlement: &&Stored<Settlement>| {
        let redemption = settlement.unchecked_redemption().and_then(|id| redemptions.get(id));
        redemption.is_some_and(|redemption| match redemption {
            Some(redemption) => redemption.qr_code.as_ref().is_some_and(|code| sold.contains(code)),
            None => true,
        })
    };
    Ok(settlements.iter().filter(is_sold).map(|settlement| settlement.id.clone()).collect())
}

/// If it changes meanwhile, it is looked at again by the next payout.
async fn hold(app: &App, settlement: &Stored<Settlement>) -> Result<(), PayoutError> {
    if let Ok(Some(held)) = settlement.hold(HeldBecause::OwnSale, None, app.clock.now()) {
        app.store.commit_if_possible(vec![Write::replace(settlement, &held)?]).await?;
        tracing::warn!(settlement = %settlement.id, "held: the card was sold at the merchant's own till, or cannot be read");
    }
    Ok(())
}
