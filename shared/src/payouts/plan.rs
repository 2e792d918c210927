//! What a payout run makes of the settlements of a merchant, and what it leaves out. Runs and previews have the same plan.

use std::collections::BTreeMap;

use super::left_out::{LeftOut, LeftOutReason};
use super::run::PayoutRun;
use crate::db::{Store, StoreError};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::tally::SettlementKind;
use crate::settlements::model::settlement::Owed;
use crate::settlements::rows::PendingList;
use crate::values::{Currency, MerchantId, Minor, OpenEnum};

/// What a run makes of the settlements of one merchant.
#[derive(Debug)]
pub struct PayoutPlan {
    /// The merchant to be paid. `None` if it is not.
    pub merchant: Option<Merchant>,
    /// The payouts to be made.
    pub payouts: Vec<PlannedPayout>,
    pub left_out: Vec<LeftOut>,
}

/// The payout of a merchant and a currency.
#[derive(Debug)]
pub struct PlannedPayout {
    pub merchant_id: MerchantId,
    pub merchant_name: String,
    pub currency: Currency,
    /// What it adds up to. `None` if the settlements cannot be counted: there are too many, or one cannot be read.
    pub owed: Option<Owed>,
}

impl PlannedPayout {
    /// The payout is not made.
    pub(super) fn left_out(&self, run: &PayoutRun, reason: LeftOutReason) -> LeftOut {
        let merchant = (&self.merchant_id, self.merchant_name.as_str());
        LeftOut::new(&run.id, merchant, self.currency, self.owed, reason)
    }
}

/// Settlements of a merchant in one currency, by what a run makes of them.
#[derive(Debug)]
struct Heaps {
    currency: Currency,
    /// Of the kinds that the merchant's mode pays.
    payable: Option<Sum>,
    /// Of the same kinds, held.
    held: Option<Sum>,
    of_other_kinds: Option<Sum>,
}

impl Heaps {
    fn of(currency: Currency) -> Self {
        Self { currency, payable: None, held: None, of_other_kinds: None }
    }
}

/// `None` if they cannot be counted.
type Sum = Option<Owed>;

fn add(heap: &mut Option<Sum>, sum: Sum) {
    *heap = Some(match heap {
        None => sum,
        Some(earlier) => earlier.zip(sum).and_then(|(earlier, sum)| earlier.plus(sum)),
    });
}

/// What a run makes of the settlements of a merchant now. A merchant whose settlement mode this release does not know is
/// not paid: a sale could be paid twice.
pub(super) async fn plan(store: &Store, run: &PayoutRun, id: &MerchantId) -> Result<PayoutPlan, StoreError> {
    let mut plan = PayoutPlan { merchant: None, payouts: Vec::new(), left_out: Vec::new() };
    let merchant = match store.merchant(id).await {
        Ok(None) => return Ok(plan),
        Ok(Some(merchant)) => Some(merchant.value),
        // One merchant does not hold up the others.
        Err(error @ StoreError::UnreadableRow(_)) => {
            tracing::error!(cause = %error, merchant = %id, "left out of a payout run");
            None
        }
        Err(error) => return Err(error),
    };
    let mode = merchant.as_ref().map(|merchant| merchant.settlement_mode.as_ref().map(OpenEnum::known));
    let (kinds, is_readable) = match mode {
        Some(None) => (SettlementKind::listed(None), true),
        Some(Some(Some(mode))) => (SettlementKind::listed(Some(mode)), true),
        Some(Some(None)) | None => (&SettlementKind::ALL[..], false),
    };
    let heaps = heaps(store, run, id, kinds).await?;
    if heaps.is_empty() {
        return Ok(plan);
    }
    let reason = match &merchant {
        Some(merchant) if is_readable => reason_not_to_pay(store, run, merchant).await?,
        _ => Some(LeftOutReason::Unreadable),
    };
    let name = merchant.as_ref().map(|merchant| merchant.name.clone()).unwrap_or_default();
    let out = |currency, owed, reason| LeftOut::new(&run.id, (id, &name), currency, owed, reason);
    for Heaps { payable, held, of_other_kinds, currency } in heaps.into_values() {
        match (payable, held, reason) {
            (Some(owed), _, None) => {
                let (merchant_id, merchant_name) = (id.clone(), name.clone());
                plan.payouts.push(PlannedPayout { merchant_id, merchant_name, currency, owed });
            }
            (Some(owed), _, Some(reason)) => plan.left_out.push(out(currency, owed, reason)),
            (None, Some(owed), _) => plan.left_out.push(out(currency, owed, LeftOutReason::AllHeld)),
            (None, None, _) => {}
        }
        let others = of_other_kinds.map(|owed| out(currency, owed, LeftOutReason::OtherKind));
        plan.left_out.extend(others);
    }
    plan.merchant = merchant.filter(|_| reason.is_none());
    Ok(plan)
}

/// What a run would make and leave out now, as far as it can be known before settlements join.
pub async fn preview(store: &Store, run: &PayoutRun, id: &MerchantId) -> Result<PayoutPlan, StoreError> {
    let mut plan = plan(store, run, id).await?;
    for planned in std::mem::take(&mut plan.payouts) {
        let is_positive = planned.owed.is_none_or(|owed| owed.net > Minor::ZERO);
        if store.is_building_payout(id, planned.currency).await? {
            plan.left_out.push(planned.left_out(run, LeftOutReason::AnotherRun));
        } else if is_positive {
            plan.payouts.push(planned);
        } else {
            plan.left_out.push(planned.left_out(run, LeftOutReason::NotPositive));
        }
    }
    Ok(plan)
}

async fn reason_not_to_pay(store: &Store, run: &PayoutRun, merchant: &Merchant) -> Result<Option<LeftOutReason>, StoreError> {
    let is_own =
        run.own_merchant_id.as_ref() == Some(&merchant.id) || store.has_ever_belonged(&run.created_by, &merchant.id).await?;
    let own = is_own.then_some(LeftOutReason::OwnMerchant);
    Ok(own.or_else(|| merchant.not_payable().map(LeftOutReason::from)))
}

/// The merchant's settlements that are eligible for the run, by the code of their currency.
async fn heaps(
    store: &Store,
    run: &PayoutRun,
    merchant: &MerchantId,
    kinds: &[SettlementKind],
) -> Result<BTreeMap<&'static str, Heaps>, StoreError> {
    let mut heaps: BTreeMap<&'static str, Heaps> = BTreeMap::new();
    for list in [PendingList::Payable, PendingList::Held] {
        for (kind, currency) in store.kinds_of_pending(merchant, list).await? {
            if run.currency.is_some_and(|wanted| wanted != currency) {
                continue;
            }
            let sum = store.pending_sum(merchant, list, (kind, currency), run.eligible_before).await?;
            if sum.is_some_and(|owed| owed.count == 0) {
                continue;
            }
            let heap = heaps.entry(currency.code()).or_insert_with(|| Heaps::of(currency));
            match (list, kinds.contains(&kind)) {
                (PendingList::Payable, true) => add(&mut heap.payable, sum),
                (PendingList::Payable, false) => add(&mut heap.of_other_kinds, sum),
                (PendingList::Held, true) => add(&mut heap.held, sum),
                (PendingList::Held, false) => {}
            }
        }
    }
    Ok(heaps)
}
