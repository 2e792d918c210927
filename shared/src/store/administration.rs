//! What platform administrators change, each with its audit entry in the same transaction.

use jiff::Timestamp;
use thiserror::Error;

use super::error::StoreError;
use super::jobs::{Job, Task};
use super::merchants::ClaimError;
use super::row::Stored;
use super::table::Store;
use super::write::Write;
use crate::clock::{Clock, iso_8601};
use crate::domain::activity::Actor;
use crate::domain::administration::{MerchantChange, MerchantChangeError, audited_changes};
use crate::domain::audit::{AuditAction, AuditEntry, AuditedChange};
use crate::domain::ids::{MerchantId, UserId};
use crate::domain::merchant::Merchant;
use crate::domain::payout::{Decision, DecisionError, NotPayable, Payout, PayoutRun};

/// The administrators who are told of a new status. A transaction has at most 100 writes.
const MAX_RECIPIENTS: usize = 50;

#[derive(Debug, Error)]
pub enum ChangeMerchantError {
    #[error("there is no such merchant")]
    NoSuchMerchant,
    #[error(transparent)]
    Refused(#[from] MerchantChangeError),
    #[error(transparent)]
    Claim(#[from] ClaimError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, Error)]
pub enum DecidePayoutError {
    #[error(transparent)]
    Refused(#[from] DecisionError),
    #[error(transparent)]
    NotPayable(#[from] NotPayable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Changes a merchant, and tells its administrators of a new status.
    pub async fn change_merchant(
        &self,
        id: &MerchantId,
        change: &MerchantChange,
        reason: &str,
        by: &UserId,
        clock: &Clock,
    ) -> Result<(Merchant, AuditEntry), ChangeMerchantError> {
        let mut attempts = self.attempts("the merchant");
        loop {
            let now = clock.now();
            let merchant = self.merchant(id).await?.ok_or(ChangeMerchantError::NoSuchMerchant)?;
            let changed = change.apply(&merchant)?;
            let entry = AuditEntry {
                changes: audited_changes(&merchant, &changed),
                reason: Some(reason.to_owned()),
                ..self.new_audit_entry(by, Some(id), AuditAction::MerchantChanged, now)
            };
            let mut writes = vec![Write::replace(&merchant, &changed)?, Write::create(&entry)?];
            writes.extend(self.move_claims(Some(&merchant), &changed).await?);
            writes.extend(self.record_changes(&Actor::platform(), &merchant, &changed, now)?);
            if changed.status != merchant.status {
                let mail = |user_id| Task::StatusMail { user_id };
                writes.extend(self.mail_administrators(id, mail, now).await?);
            }
            if attempts.committed(self.commit(writes).await).await? {
                return Ok((changed, entry));
            }
        }
    }

    /// The writes of the jobs that mail a merchant's administrators.
    pub async fn mail_administrators(
        &self,
        merchant: &MerchantId,
        mail: impl Fn(UserId) -> Task,
        now: Timestamp,
    ) -> Result<Vec<Write>, StoreError> {
        let team = self.team(merchant).await?;
        let jobs = team.administrators().take(MAX_RECIPIENTS).map(|member| {
            Write::create(&Job::new(merchant.clone(), mail(member.user_id.clone()), now, &self.random))
        });
        jobs.collect()
    }

    /// Starts a payout run. `None` if it was started before.
    pub async fn start_payout_run(&self, run: &PayoutRun) -> Result<Option<AuditEntry>, StoreError> {
        let set = |field: &str, to: Option<String>| {
            to.map(|to| AuditedChange { field: field.to_owned(), from: None, to: Some(to) })
        };
        let changes = [
            set("currency", run.currency.map(|currency| currency.to_string())),
            set("eligibleBefore", Some(iso_8601(run.eligible_before))),
        ];
        let (by, merchant) = (&run.created_by, run.merchant_id.as_ref());
        let entry = AuditEntry {
            subject: Some(run.id.to_string()),
            changes: changes.into_iter().flatten().collect(),
            ..self.new_audit_entry(by, merchant, AuditAction::PayoutRunStarted, run.created_at)
        };
        let task = Task::RunPayouts { run_id: run.id.clone() };
        let job = Job::new(run.merchant_id.clone(), task, run.created_at, &self.random);
        let writes = vec![Write::create(run)?, Write::create(&job)?, Write::create(&entry)?];
        Ok(self.commit_if_possible(writes).await?.then_some(entry))
    }

    fn new_audit_entry(
        &self,
        by: &UserId,
        merchant: Option<&MerchantId>,
        action: AuditAction,
        at: Timestamp,
    ) -> AuditEntry {
        AuditEntry::new(self.random.uuid(at).to_string(), by, merchant, action, at)
    }

    /// Decides whether a payout is paid. Returns the payout, and the audit entry; none if the same was decided before.
    ///
    /// Its merchant is part of the transaction: it must not have been suspended or have changed its identity when the payout
    /// is confirmed as paid. What happens to the merchant afterwards does not change the decision.
    pub async fn decide_payout(
        &self,
        read: Stored<Payout>,
        decision: &Decision,
        by: &UserId,
        clock: &Clock,
    ) -> Result<(Payout, Option<AuditEntry>), DecidePayoutError> {
        let mut attempts = self.attempts("the payout");
        let mut payout = read;
        loop {
            let now = clock.now();
            let Some(decided) = payout.decided(decision, by, now)? else { return Ok((payout.value, None)) };
            let entry = self.decision_entry(&payout, &decided, decision, by, now);
            let task = Task::AdvancePayout { payout_id: decided.id.clone() };
            let job = Job::new(decided.merchant_id.clone(), task, now, &self.random);
            let mut writes =
                vec![Write::replace(&payout, &decided)?, Write::create(&job)?, Write::create(&entry)?];
            if matches!(decision, Decision::Paid { .. }) {
                writes.push(self.require_payable(&payout).await?);
            }
            if attempts.committed(self.commit(writes).await).await? {
                return Ok((decided, Some(entry)));
            }
            payout = self.payout(&payout.id).await?.ok_or(StoreError::Contended("the payout"))?;
        }
    }

    /// The condition that the merchant of a payout has not changed since it was found payable.
    async fn require_payable(&self, payout: &Payout) -> Result<Write, DecidePayoutError> {
        let merchant = self.merchant(&payout.merchant_id).await?.ok_or(NotPayable::Status)?;
        match merchant.not_payable() {
            Some(reason) => Err(reason.into()),
            None => Ok(Write::require_unchanged(&merchant)?),
        }
    }

    fn decision_entry(
        &self,
        from: &Payout,
        to: &Payout,
        decision: &Decision,
        by: &UserId,
        now: Timestamp,
    ) -> AuditEntry {
        let change = |field: &str, from: Option<String>, to: Option<String>| AuditedChange {
            field: field.to_owned(),
            from,
            to,
        };
        let mut changes = vec![change("status", Some(from.status.to_string()), Some(to.status.to_string()))];
        let (action, reason) = match decision.clone() {
            Decision::Paid { reference } => {
                changes.push(change("reference", None, Some(reference)));
                (AuditAction::PayoutPaid, None)
            }
            Decision::Cancelled { reason } => (AuditAction::PayoutCancelled, Some(reason)),
        };
        AuditEntry {
            subject: Some(to.id.to_string()),
            changes,
            reason,
            ..self.new_audit_entry(by, Some(&to.merchant_id), action, now)
        }
    }
}
