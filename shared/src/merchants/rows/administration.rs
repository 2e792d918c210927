//! What platform administrators change, each with its audit entry in the same transaction.

use jiff::Timestamp;
use thiserror::Error;

use super::merchants::ClaimError;
use crate::base::clock::Clock;
use crate::db::{Store, StoreError, Task, Write, fill_transaction};
use crate::merchants::model::activity::Actor;
use crate::merchants::model::administration::{MerchantChange, MerchantChangeError, audited_changes};
use crate::merchants::model::audit::{AuditAction, AuditEntry};
use crate::merchants::model::merchant::{Merchant, MerchantStatus};
use crate::values::{MerchantId, UserId};

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

impl Store {
    /// Changes a merchant, and tells its administrators of a new status: as many as the transaction has room for.
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
            writes.extend(self.move_claims(&merchant, &changed).await?);
            writes.extend(self.record_changes(&Actor::platform(), &merchant, &changed, now)?);
            if changed.status != merchant.status && changed.status == MerchantStatus::Inactive {
                writes.extend(self.close_keys(&self.team(id).await?, &Actor::platform(), now)?);
            }
            if changed.status != merchant.status {
                let mail = |user_id| Task::StatusMail { user_id };
                fill_transaction(&mut writes, self.mail_administrators(id, mail, now).await?);
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
        team.administrators().map(|member| self.enqueue(merchant.clone(), mail(member.user_id.clone()), now)).collect()
    }

    /// A new entry without changes, subject and reason. `None` is the trail of the platform.
    pub fn new_audit_entry(&self, by: &UserId, merchant: Option<&MerchantId>, action: AuditAction, at: Timestamp) -> AuditEntry {
        AuditEntry::new(self.random.uuid(at).to_string(), by, merchant, action, at)
    }
}
