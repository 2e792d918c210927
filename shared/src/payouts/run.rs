//! Payout runs: requests to make the payouts of all merchants, or of one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::payout::Payout;
use super::state::{Building, PayoutState};
use crate::base::audit;
use crate::base::clock::iso_8601;
use crate::db::{Store, StoreError, Task, Write};
use crate::merchants::model::audit::{AuditAction, AuditEntry, AuditedChange};
use crate::merchants::model::merchant::Merchant;
use crate::values::{Currency, MerchantId, Minor, OpenEnum, PayoutId, PayoutRunId, UserId};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutRun {
    pub id: PayoutRunId,
    /// A hash of the request. The id follows from its idempotency key.
    pub fingerprint: String,
    /// `None` for all merchants.
    pub merchant_id: Option<MerchantId>,
    /// `None` for all currencies.
    pub currency: Option<Currency>,
    /// Settlements that are eligible at this time or later wait for another run.
    pub eligible_before: Timestamp,
    pub created_by: UserId,
    pub created_at: Timestamp,
    /// The merchant of the administrator who started it, which it leaves out.
    pub own_merchant_id: Option<MerchantId>,
    /// The last merchant whose payouts were started.
    pub after: Option<MerchantId>,
    pub finished_at: Option<Timestamp>,
}

impl PayoutRun {
    /// The id of the run with this idempotency key. It is the same for every caller and at any time.
    pub fn id_of(idempotency_key: &str) -> PayoutRunId {
        PayoutRunId::new(short_hash(&["run", idempotency_key]))
    }

    pub(super) fn payout_id(&self, merchant: &MerchantId, currency: Currency) -> PayoutId {
        PayoutId::new(short_hash(&["payout", self.id.as_str(), merchant.as_str(), currency.code()]))
    }

    /// The payout of a merchant's settlements in a currency, before any of them has joined.
    pub fn payout(&self, merchant: &Merchant, currency: Currency, now: Timestamp) -> Payout {
        Payout {
            id: self.payout_id(&merchant.id, currency),
            run_id: self.id.clone(),
            merchant_id: merchant.id.clone(),
            currency,
            settlement_mode: merchant.settlement_mode.as_ref().and_then(OpenEnum::known),
            eligible_before: self.eligible_before,
            created_by: self.created_by.clone(),
            created_at: now,
            count: 0,
            net: Minor::ZERO,
            state: PayoutState::Building(Building::Joining),
        }
    }

    /// Starts the run. `false` if one with this id was started before.
    pub async fn start(&self, store: &Store) -> Result<bool, StoreError> {
        let set =
            |field: &str, to: Option<String>| to.map(|to| AuditedChange { field: field.to_owned(), from: None, to: Some(to) });
        let changes = [
            set("currency", self.currency.map(|currency| currency.to_string())),
            set("eligibleBefore", Some(iso_8601(self.eligible_before))),
        ];
        let (by, merchant) = (&self.created_by, self.merchant_id.as_ref());
        let entry = AuditEntry {
            subject: Some(self.id.to_string()),
            changes: changes.into_iter().flatten().collect(),
            ..store.new_audit_entry(by, merchant, AuditAction::PayoutRunStarted, self.created_at)
        };
        let task = Task::RunPayouts { run_id: self.id.clone() };
        let job = store.enqueue(self.merchant_id.clone(), task, self.created_at)?;
        let writes = vec![Write::create(self)?, job, Write::create(&entry)?];
        let is_started = store.commit_if_possible(writes).await?;
        if is_started {
            audit::administration(&entry);
        }
        Ok(is_started)
    }
}

/// 128 bits of a hash, as 32 hexadecimal digits.
fn short_hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hex::encode(hash.finalize()).chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_the_idempotency_key_the_merchant_and_the_currency() {
        let payout_of = |key: &str, merchant_id: &str, currency: Currency| {
            let run = PayoutRun {
                id: PayoutRun::id_of(key),
                fingerprint: "f".to_owned(),
                merchant_id: None,
                currency: None,
                eligible_before: Timestamp::UNIX_EPOCH,
                created_by: UserId::new("u-1"),
                created_at: Timestamp::UNIX_EPOCH,
                own_merchant_id: None,
                after: None,
                finished_at: None,
            };
            run.payout(&Merchant::new(MerchantId::new(merchant_id), Timestamp::UNIX_EPOCH), currency, Timestamp::UNIX_EPOCH).id
        };
        let ids = [
            payout_of("key", "m", Currency::EUR),
            payout_of("key", "m", Currency::USD),
            payout_of("key", "mE", Currency::EUR),
            payout_of("other", "m", Currency::EUR),
        ];
        let different: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(different.len(), ids.len());
        assert!(ids.iter().all(|id| id.as_str().len() == 32));
        assert_eq!(payout_of("key", "m", Currency::EUR), ids[0]);
    }
}
