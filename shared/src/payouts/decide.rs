//! Deciding: an administrator says that a payout is paid, or cancels it.

use thiserror::Error;

use super::left_out::NotPayable;
use super::payout::{ConfirmedBy, Decision, DecisionError, Payout};
use crate::base::audit;
use crate::base::clock::Clock;
use crate::db::{Store, StoreError, Stored, Task, Write};
use crate::merchants::model::audit::{AuditAction, AuditEntry, AuditedChange};
use crate::merchants::model::merchant::Merchant;
use crate::values::UserId;
use crate::webhooks::model::Event;

#[derive(Debug, Error)]
pub enum DecidePayoutError {
    #[error(transparent)]
    Refused(#[from] DecisionError),
    #[error(transparent)]
    NotPayable(#[from] NotPayable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Decides whether a payout is paid, and returns it. A job does the rest.
///
/// Its merchant is part of the transaction: it must not have been suspended or have changed its identity when the payout
/// is confirmed as paid. What happens to the merchant afterwards does not change the decision.
pub async fn decide_payout(
    store: &Store,
    read: Stored<Payout>,
    decision: &Decision,
    by: &UserId,
    confirmed_by: ConfirmedBy,
    clock: &Clock,
) -> Result<Payout, DecidePayoutError> {
    let mut attempts = store.attempts("the payout");
    let mut payout = read;
    loop {
        let now = clock.now();
        let Some(decided) = payout.decide(decision, by, confirmed_by, now)? else { return Ok(payout.value) };
        let action = match decision {
            Decision::Paid { .. } => AuditAction::PayoutPaid,
            Decision::Cancelled { .. } => AuditAction::PayoutCancelled,
        };
        let entry = AuditEntry {
            subject: Some(decided.id.to_string()),
            changes: audited_changes(&payout, &decided),
            reason: decided.decided().reason.map(ToOwned::to_owned),
            ..store.new_audit_entry(by, Some(&decided.merchant_id), action, now)
        };
        let task = Task::AdvancePayout { payout_id: decided.id.clone() };
        let job = store.enqueue(decided.merchant_id.clone(), task, now)?;
        let mut writes = vec![Write::replace(&payout, &decided)?, job, Write::create(&entry)?];
        if matches!(decision, Decision::Paid { .. }) {
            let merchant = payable_merchant(store, &payout).await?;
            writes.push(Write::require_unchanged(&merchant)?);
            writes.extend(store.webhook_message(&merchant, Event::PayoutPaid { payout_id: decided.id.clone() }, now)?);
        }
        if attempts.committed(store.commit(writes).await).await? {
            audit::administration(&entry);
            return Ok(decided);
        }
        payout = store.payout(&payout.id).await?.ok_or(StoreError::Contended("the payout"))?;
    }
}

async fn payable_merchant(store: &Store, payout: &Payout) -> Result<Stored<Merchant>, DecidePayoutError> {
    let merchant = store.merchant(&payout.merchant_id).await?.ok_or(NotPayable::Status)?;
    match merchant.not_payable() {
        Some(reason) => Err(reason.into()),
        None => Ok(merchant),
    }
}

fn audited_changes(from: &Payout, to: &Payout) -> Vec<AuditedChange> {
    let change = |field: &str, from, to| AuditedChange { field: field.to_owned(), from, to };
    let status = change("status", Some(from.status().to_string()), Some(to.status().to_string()));
    let reference = to.decided().reference;
    let reference = reference.map(|reference| change("reference", None, Some(reference.to_owned())));
    std::iter::once(status).chain(reference).collect()
}
