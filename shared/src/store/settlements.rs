//! Settlements, by id, by time and by source.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::{self, Key};
use super::query::Range;
use super::row::{Entity, Item, Stored, entry_item, new_rows, to_item};
use super::table::Store;
use super::write::Write;
use crate::domain::ids::{MerchantId, SettlementId};
use crate::domain::money::Currency;
use crate::domain::settlement::{Settlement, Source};
use crate::domain::tally::Family;

impl Entity for Settlement {
    fn key(&self) -> Key {
        keys::settlement(&self.merchant_id, &self.id)
    }

    /// The whole settlement, because lists show all of it. A void settlement is not listed. One that a payout can take has
    /// another entry, by which the payout finds it.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let pk = keys::entries(&self.merchant_id, Family::Settlements(self.kind()));
        let sk = keys::entry_of_settlement(self);
        let listed = self.is_listed().then(|| entry_item(Key { pk, sk }, self));
        let payable = self.is_payable().then(|| PendingSettlement::from(self)).map(|entry| {
            let kind = self.kind();
            let key =
                keys::pending_settlement(&self.merchant_id, kind, self.currency, self.eligible_at, &self.id);
            entry_item(key, &entry)
        });
        listed.into_iter().chain(payable).collect()
    }
}

/// The entry of a settlement that a payout can take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingSettlement {
    pub settlement_id: SettlementId,
    pub currency: Currency,
    pub eligible_at: Timestamp,
}

impl From<&Settlement> for PendingSettlement {
    fn from(settlement: &Settlement) -> Self {
        Self {
            settlement_id: settlement.id.clone(),
            currency: settlement.currency,
            eligible_at: settlement.eligible_at,
        }
    }
}

/// A reference from an order or a redemption to a settlement.
#[derive(Debug, Serialize, Deserialize)]
struct SettlementBySource {
    #[serde(flatten)]
    key: Key,
    settlement_id: SettlementId,
}

impl Entity for SettlementBySource {
    fn key(&self) -> Key {
        self.key.clone()
    }
}

impl Store {
    pub async fn settlement(
        &self,
        merchant: &MerchantId,
        id: &SettlementId,
    ) -> Result<Option<Stored<Settlement>>, StoreError> {
        self.get(&keys::settlement(merchant, id)).await
    }

    /// The settlements that refer to a source, void ones included.
    pub async fn settlements_by_source(
        &self,
        merchant: &MerchantId,
        source: &Source,
    ) -> Result<Vec<Settlement>, StoreError> {
        let rows = self
            .query::<SettlementBySource>(Range::of_table(keys::settled_partition(merchant, source)))
            .await?;
        let keys: Vec<Key> = rows.iter().map(|row| keys::settlement(merchant, &row.settlement_id)).collect();
        let found = self.readable::<Settlement>(self.get_items(&keys).await?);
        Ok(found.into_iter().map(|stored| stored.value).collect())
    }
}

fn by_source(settlement: &Settlement) -> impl Iterator<Item = SettlementBySource> {
    settlement.sources().into_iter().map(|source| SettlementBySource {
        key: keys::settled(&settlement.merchant_id, &source, &settlement.id),
        settlement_id: settlement.id.clone(),
    })
}

/// Creates a settlement, which must not exist yet, and the references to it.
pub fn create_settlement(settlement: &Settlement) -> Result<Vec<Write>, StoreError> {
    let references = by_source(settlement).map(|reference| Write::put(&reference));
    std::iter::once(Write::create(settlement)).chain(references).collect()
}

/// The rows of a new settlement.
pub fn settlement_record(settlement: &Settlement) -> Result<Vec<Item>, StoreError> {
    let mut rows = new_rows(settlement)?;
    for reference in by_source(settlement) {
        rows.push(to_item(&reference, 1)?);
    }
    Ok(rows)
}
