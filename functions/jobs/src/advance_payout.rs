//! Does what is left to do for a payout: lets settlements join, seals it, and carries out what was decided about it.
//!
//! Every step is one transaction of the payout and some of its settlements, on condition that none of them has changed since
//! it was read. So any worker can go on where another one has died, and workers that race do nothing twice.

use std::collections::HashSet;
use std::time::Duration;

use shared::app::App;
use shared::domain::ids::{PayoutId, SettlementId};
use shared::domain::money::Minor;
use shared::domain::payout::{LeftOut, LeftOutReason, Owed, Payout, PayoutStep};
use shared::domain::settlement::{HeldBecause, Settlement};
use shared::invocation::Invocation;
use shared::store::payouts::{join_payout, seal_payout};
use shared::store::settlements::{PendingList, PendingSettlement};
use shared::store::{Attempts, CommitError, StoreError, Stored, Write, keys};

use crate::payout_file::{self, Written};
use crate::{Failure, Progress};

/// A transaction has at most 100 rows. Four are those of the payout, and a settlement that joins has four: its own, its entry
/// in the list, the one by which it was found, and its row in the payout.
const JOINING: u16 = 24;
/// A settlement that is returned has three: its own, its entry in the list, and the one by which payouts find it.
const CLOSING: u16 = 32;
/// Transactions in one job, so that other jobs of the stream do not wait for long.
const TRANSACTIONS_PER_JOB: usize = 40;
/// No transaction starts with less time left than this.
const MIN_TIME_LEFT: Duration = Duration::from_secs(4);

/// One worker at a time works on the payouts of a merchant, so that all of them together keep the pace. What is written does
/// not depend on it.
pub(crate) async fn advance(app: &App, invocation: &Invocation, id: &PayoutId) -> Result<Progress, Failure> {
    let Some(payout) = app.store.payout(id).await? else { return Ok(Progress::Done) };
    if payout.next_step() == PayoutStep::Nothing {
        return Ok(Progress::Done);
    }
    let key = keys::payouts_lease(&payout.merchant_id);
    let Some(lease) = app.store.try_acquire_lease(key, &app.clock).await? else {
        return Ok(Progress::Busy);
    };
    let attempts = app.store.attempts("the payout");
    let progress = Slice { app, invocation, attempts, transactions: 0 }.advance(id).await;
    app.store.release_lease(&lease).await?;
    progress
}

/// The part of the work that one job does.
struct Slice<'a> {
    app: &'a App,
    invocation: &'a Invocation,
    attempts: Attempts<'a>,
    transactions: usize,
}

impl Slice<'_> {
    async fn advance(mut self, id: &PayoutId) -> Result<Progress, Failure> {
        while !self.is_over() {
            let Some(payout) = self.app.store.payout(id).await? else { return Ok(Progress::Done) };
            match payout.next_step() {
                PayoutStep::Join => self.join(payout).await?,
                PayoutStep::Seal => self.seal(&payout).await?,
                PayoutStep::Pay | PayoutStep::Return => self.close(&payout).await?,
                PayoutStep::Nothing => return Ok(Progress::Done),
            }
        }
        Ok(Progress::Unfinished)
    }

    fn is_over(&self) -> bool {
        self.transactions >= TRANSACTIONS_PER_JOB || self.invocation.time_left() < MIN_TIME_LEFT
    }

    /// Commits a transaction that changes this many settlements, then waits as long as the pace demands. Returns whether it
    /// was made: after a conflict, the caller reads the rows again.
    async fn commit(&mut self, writes: Vec<Write>, settlements: usize) -> Result<bool, StoreError> {
        self.transactions += 1;
        let result: Result<(), CommitError> = self.app.store.commit(writes).await;
        let is_committed = self.attempts.committed(result).await?;
        if let Some(pause) = pause(settlements, self.app.settings.payout_settlements_per_second) {
            tokio::time::sleep(pause).await;
        }
        Ok(is_committed)
    }

    /// Lets all settlements join that are there, then none any more. Returns early at the end of the slice and after a
    /// conflict.
    async fn join(&mut self, mut payout: Stored<Payout>) -> Result<(), Failure> {
        let mut unreadable = Some(Owed::default());
        for kind in payout.kinds() {
            let mut last: Option<PendingSettlement> = None;
            loop {
                if self.is_over() {
                    return Ok(());
                }
                let store = &self.app.store;
                let entries = store.pending_settlements(&payout, *kind, last.as_ref(), JOINING).await?;
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
                let Some(joined) = self.join_some(payout, settlements).await? else { return Ok(()) };
                payout = joined;
                last = entries.into_iter().next_back();
            }
        }
        let mut writes = vec![Write::replace(&payout, &payout.completed())?];
        if unreadable.is_none_or(|owed| owed.count > 0) {
            let left_out = Box::pin(self.left_out(&payout, unreadable, LeftOutReason::Unreadable)).await?;
            writes.push(Write::put(&left_out)?);
        }
        self.commit(writes, 0).await?;
        Ok(())
    }

    /// What of its merchant and currency is not in the payout.
    async fn left_out(
        &self,
        payout: &Payout,
        owed: Option<Owed>,
        reason: LeftOutReason,
    ) -> Result<LeftOut, Failure> {
        let merchant = match self.app.store.merchant(&payout.merchant_id).await {
            Err(StoreError::UnreadableRow(_)) => None,
            read => read?,
        };
        Ok(LeftOut {
            run_id: payout.run_id.clone(),
            merchant_id: payout.merchant_id.clone(),
            merchant_name: merchant.map(|merchant| merchant.name.clone()).unwrap_or_default(),
            currency: payout.currency,
            count: owed.map(|owed| owed.count),
            net: owed.map(|owed| owed.net),
            reason: reason.into(),
        })
    }

    /// Returns the payout with those of the settlements that it admits. `None` after a conflict.
    async fn join_some(
        &mut self,
        payout: Stored<Payout>,
        mut settlements: Vec<Stored<Settlement>>,
    ) -> Result<Option<Stored<Payout>>, Failure> {
        let app = self.app;
        settlements.retain(|settlement| payout.admits(settlement));
        let to_hold = sold_at_own_till(app, &payout, &settlements).await?;
        let now = app.clock.now();
        let mut joining = Vec::new();
        let mut changed = payout.value.clone();
        for settlement in settlements {
            if to_hold.contains(&settlement.id) {
                hold(app, &settlement).await?;
                continue;
            }
            if let Some(larger) = changed.joined_by(&settlement) {
                changed = larger;
                let joined = settlement.joined(&payout.id, now);
                joining.push((settlement, joined));
            } else {
                tracing::error!(settlement = %settlement.id, "the sum of the payout would be too large");
            }
        }
        if joining.is_empty() {
            return Ok(Some(payout));
        }
        let writes = join_payout(&payout, &changed, &joining)?;
        let is_committed = self.commit(writes, joining.len()).await?;
        Ok(is_committed.then(|| payout.replaced(changed)))
    }

    /// Writes the next part of the file. Count and sum are fixed once the file is written.
    async fn seal(&mut self, payout: &Stored<Payout>) -> Result<(), Failure> {
        let written = payout_file::write_part(self.app, payout).await?;
        let writes = match written {
            Written::Part(upload) => {
                vec![Write::replace(payout, &Payout { upload: Some(upload), ..payout.value.clone() })?]
            }
            Written::File => {
                let mut writes = seal_payout(payout, &payout.sealed(self.app.clock.now()))?;
                writes.extend(Box::pin(self.not_paid(payout)).await?);
                writes
            }
            Written::Nothing => {
                vec![Write::replace(payout, &Payout { upload: None, ..payout.value.clone() })?]
            }
        };
        self.commit(writes, 0).await?;
        Ok(())
    }

    /// What the run leaves out because a payout adds up to nothing: a debt, or settlements that were held meanwhile.
    async fn not_paid(&self, payout: &Payout) -> Result<Option<Write>, Failure> {
        if payout.net > Minor::ZERO {
            return Ok(None);
        }
        if payout.count > 0 {
            let owed = Owed { count: payout.count, net: payout.net };
            let left_out = self.left_out(payout, Some(owed), LeftOutReason::NotPositive).await?;
            return Ok(Some(Write::put(&left_out)?));
        }
        let mut held = Some(Owed::default());
        for kind in payout.kinds() {
            let of_kind = (*kind, payout.currency);
            let store = &self.app.store;
            let before = payout.eligible_before;
            let sum = store.pending_sum(&payout.merchant_id, PendingList::Held, of_kind, before).await?;
            held = held.zip(sum).and_then(|(held, sum)| held.plus(sum));
        }
        if held.is_some_and(|held| held.count == 0) {
            return Ok(None);
        }
        let left_out = self.left_out(payout, held, LeftOutReason::AllHeld).await?;
        Ok(Some(Write::put(&left_out)?))
    }

    /// Pays or returns some settlements, or finishes the payout if none is left.
    async fn close(&mut self, payout: &Stored<Payout>) -> Result<(), Failure> {
        let store = &self.app.store;
        let after = payout.closed_until.as_deref();
        let of_payout = store.settlements_of_payout(&payout.id, after, CLOSING).await?;
        let Some(last) = of_payout.last() else { return self.finish(payout).await };
        let ids: Vec<&SettlementId> = of_payout.iter().map(|joined| &joined.settlement.id).collect();
        let settlements = store.settlements_by_id(&payout.merchant_id, &ids).await?;
        let now = self.app.clock.now();
        let mut writes = Vec::new();
        for settlement in &settlements {
            match payout.closed(settlement, now) {
                Some(closed) => writes.push(Write::replace(settlement, &closed)?),
                None => tracing::warn!(settlement = %settlement.id, "does not wait for its payout"),
            }
        }
        let count = writes.len();
        let closed = payout.closed_up_to(last.settlement.id.to_string(), count as u64);
        writes.push(Write::replace(payout, &closed)?);
        self.commit(writes, count).await?;
        Ok(())
    }

    /// If a settlement was neither paid nor returned, all are looked at again by the next attempt. An operator has to repair
    /// that settlement.
    async fn finish(&mut self, payout: &Stored<Payout>) -> Result<(), Failure> {
        if let Some(finished) = payout.finished() {
            self.commit(vec![Write::replace(payout, &finished)?], 0).await?;
            return Ok(());
        }
        let again = Payout { closed_until: None, ..payout.value.clone() };
        self.commit(vec![Write::replace(payout, &again)?], 0).await?;
        Err(Failure::PayoutDiffers { count: payout.count, closed: payout.closed_count })
    }
}

/// The time in which this many settlements may change. `None` if there is no pace to keep.
fn pause(settlements: usize, per_second: u32) -> Option<Duration> {
    Duration::from_secs(settlements as u64).checked_div(per_second)
}

/// The settlements whose card the merchant sold at its own till, although that was not known when they were made: the outcome
/// of the sale was still open. A settlement that names its card was checked then. If the redemption or the card cannot be
/// read, the settlement is one of them.
async fn sold_at_own_till(
    app: &App,
    payout: &Payout,
    settlements: &[Stored<Settlement>],
) -> Result<HashSet<SettlementId>, Failure> {
    let is_unchecked = |settlement: &&Stored<Settlement>| {
        settlement.gift_card_id.is_none() && !settlement.hold_lifted && settlement.redemption_id.is_some()
    };
    let unchecked: Vec<&Stored<Settlement>> = settlements.iter().filter(is_unchecked).collect();
    let ids: Vec<_> = unchecked.iter().filter_map(|settlement| settlement.redemption_id.as_ref()).collect();
    let redemptions = app.store.redemptions_by_id(&payout.merchant_id, &ids).await?;
    let codes: Vec<_> =
        redemptions.values().flatten().filter_map(|redemption| redemption.qr_code.as_ref()).collect();
    let sold = app.store.cards_sold_at_till(&payout.merchant_id, &codes).await?;
    let is_sold = |settlement: &&Stored<Settlement>| {
        let redemption = settlement.redemption_id.as_ref().and_then(|id| redemptions.get(id));
        redemption.is_some_and(|redemption| match redemption {
            Some(redemption) => redemption.qr_code.as_ref().is_some_and(|code| sold.contains(code)),
            None => true,
        })
    };
    Ok(unchecked.into_iter().filter(is_sold).map(|settlement| settlement.id.clone()).collect())
}

/// If it changes meanwhile, it is looked at again by the next payout.
async fn hold(app: &App, settlement: &Stored<Settlement>) -> Result<(), Failure> {
    if let Ok(Some(held)) = settlement.with_hold(Some(HeldBecause::OwnSale), None, app.clock.now()) {
        app.store.commit_if_possible(vec![Write::replace(settlement, &held)?]).await?;
        tracing::warn!(settlement = %settlement.id, "held: the card was sold at the merchant's own till, or cannot be read");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_settlements_change_in_any_time_than_the_pace_allows() {
        for per_second in [1, 3, 7, 24, 200, 100_000] {
            let (mut clock, mut changed) = (Duration::ZERO, 0_u32);
            // Transactions of all sizes, if the calls themselves took no time.
            for settlements in (0..=CLOSING).cycle().take(1_000) {
                changed += u32::from(settlements);
                clock += pause(usize::from(settlements), per_second).unwrap();
                let allowed = clock.as_secs_f64() * f64::from(per_second);
                assert!(
                    f64::from(changed) <= allowed + 0.001,
                    "{changed} in {clock:?} at {per_second} a second"
                );
            }
        }
        assert_eq!(pause(usize::from(JOINING), 0), None);
        assert_eq!(pause(usize::from(JOINING), 200), Some(Duration::from_millis(120)));
    }
}
