//! Settlements, and the rows by which those of an order or a redemption are found.

use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::{Entity, Item, Store, StoreError, Stored, Write, to_item};
use crate::domain::ids::{MerchantId, SettlementId};
use crate::domain::settlement::Settlement;

impl Entity for Settlement {
    fn key(&self) -> Key {
        keys::settlement(&self.merchant_id, &self.id)
    }

    fn lists(&self) -> Option<Key> {
        let pk = keys::settlements(&self.merchant_id);
        Some(Key { pk, sk: keys::at_and_id(self.eligible_at, self.id.as_str()) })
    }
}

/// Says that a settlement is about an order or a redemption.
#[derive(Debug, Serialize, Deserialize)]
struct Settled {
    #[serde(flatten)]
    key: Key,
    settlement_id: SettlementId,
}

impl Entity for Settled {
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
}

fn sources(settlement: &Settlement) -> impl Iterator<Item = Settled> {
    let merchant = &settlement.merchant_id;
    let order = settlement.order_id.as_ref().map(|id| keys::settled_order(merchant, id));
    let redemption = settlement.redemption_id.as_ref().map(|id| keys::settled_redemption(merchant, id));
    let settlement_id = settlement.id.clone();
    let settled = move |partition| Settled {
        key: keys::settled(partition, &settlement_id),
        settlement_id: settlement_id.clone(),
    };
    [order, redemption].into_iter().flatten().map(settled)
}

/// What writes a settlement that must not exist yet; the settlement itself comes first.
pub fn new_settlement(settlement: &Settlement) -> Result<Vec<Write>, StoreError> {
    let sources = sources(settlement).map(|source| Write::put(&source));
    std::iter::once(Write::create(settlement)).chain(sources).collect()
}

/// The rows of a new settlement.
pub fn settlement_record(settlement: &Settlement) -> Result<Vec<Item>, StoreError> {
    let sources = sources(settlement).map(|source| to_item(&source, 1));
    std::iter::once(to_item(settlement, 1)).chain(sources).collect()
}
