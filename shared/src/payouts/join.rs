//! Joining: the payout takes all settlements that it admits, a few in a transaction.

use std::collections::HashSet;
use std::iter::Peekable;

use super::left_out::{LeftOutReason, left_out_of_payout};
use super::payout::Payout;
use super::store::PayoutSettlement;
use super::worker::{PayoutError, Worker};
use crate::app::App;
use crate::db::{ActionBudget, StoreError, Stored, Write};
use crate::settlements::model::settlement::{HeldBecause, Owed, Settlement};
use crate::settlements::rows::PendingSettlement;
use crate::values::SettlementId;

/// Settlements that are read at once: about as many as one transaction has room for.
const PAGE_SIZE: u16 = 24;

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
            let entries = store.pending_settlements(&payout.merchant_id, of_kind, before, last.as_ref(), PAGE_SIZE).await?;
            if entries.is_empty() {
                break;
            }
            let ids: Vec<&SettlementId> = entries.iter().map(|entry| &entry.settlement_id).collect();
            let settlements = store.settlements_by_id(&payout.merchant_id, &ids).await?;
            for entry in &entries {
                if !settlements.iter().any(|settlement| settlement.id == entry.settlement_id) {
                    unreadable = unreadable.zip(entry.net).and_then(|(owed, net)| owed.and(net));
                }
            }
            let mut admitted = admitted(worker.app, &payout, settlements).await?.into_iter().peekable();
            while admitted.peek().is_some() {
                if worker.is_over() {
                    return Ok(());
                }
                let Some(joined) = join_some(worker, payout, &mut admitted).await? else { return Ok(()) };
                payout = joined;
            }
            last = entries.into_iter().next_back();
        }
    }
    let mut writes = vec![Write::replace(&payout, &payout.complete()?)?];
    if unreadable.is_none_or(|owed| owed.count > 0) {
        let left_out = Box::pin(left_out_of_payout(store, &payout, unreadable, LeftOutReason::Unreadable)).await?;
        writes.push(Write::put(&left_out)?);
    }
    worker.commit(writes, 0).await?;
    Ok(())
}

/// Those of the settlements that the payout admits. Holds what the merchant sold at its own till.
async fn admitted(
    app: &App,
    payout: &Payout,
    mut settlements: Vec<Stored<Settlement>>,
) -> Result<Vec<Stored<Settlement>>, PayoutError> {
    settlements.retain(|settlement| payout.admits(settlement));
    let to_hold = sold_at_own_till(app, payout, &settlements).await?;
    for settlement in settlements.extract_if(.., |settlement| to_hold.contains(&settlement.id)) {
        hold(app, &settlement).await?;
    }
    Ok(settlements)
}

/// Returns the payout with as many of the settlements as one transaction has room for. `None` after a conflict.
async fn join_some(
    worker: &mut Worker<'_>,
    payout: Stored<Payout>,
    settlements: &mut Peekable<impl Iterator<Item = Stored<Settlement>>>,
) -> Result<Option<Stored<Payout>>, PayoutError> {
    let now = worker.app.clock.now();
    let mut budget = ActionBudget::beside([&Write::replace(&payout, &payout)?]);
    let (mut larger, mut writes, mut count) = (payout.value.clone(), Vec::new(), 0);
    while let Some(settlement) = settlements.peek() {
        match larger.join(settlement, now) {
            Ok((payout, joined)) => {
                let joining = join_settlement(&payout, settlement, joined)?;
                if !budget.spend(&joining) {
                    break;
                }
                larger = payout;
                writes.extend(joining);
                count += 1;
            }
            Err(error) => {
                tracing::error!(settlement = %settlement.id, cause = %error, "does not join the payout");
            }
        }
        settlements.next();
    }
    if writes.is_empty() {
        return Ok(Some(payout));
    }
    writes.push(Write::replace(&payout, &larger)?);
    let is_committed = worker.commit(writes, count).await?;
    Ok(is_committed.then(|| payout.replaced(larger)))
}

/// The writes of a settlement that joins a payout, beside that of the payout, which counts it.
pub fn join_settlement(payout: &Payout, read: &Stored<Settlement>, joined: Settlement) -> Result<Vec<Write>, StoreError> {
    let write = Write::replace(read, &joined)?;
    let of_payout = PayoutSettlement { payout_id: payout.id.clone(), settlement: joined };
    Ok(vec![write, Write::create(&of_payout)?])
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
    let codes: Vec<_> = redemptions.values().flatten().filter_map(|redemption| redemption.qr_code.as_ref()).collect();
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
        app.store.commit_if_possible(app.store.replace_settlement(settlement, &held).await?).await?;
        tracing::warn!(settlement = %settlement.id, "held: the card was sold at the merchant's own till, or cannot be read");
    }
    Ok(())
}
