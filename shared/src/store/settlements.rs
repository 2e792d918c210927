//! Settlements, and the rows by which those of an order or a redemption are found.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::pages::{Page, PageRequest};
use super::{Entity, Item, Range, Store, StoreError, Stored, Write, from_item, to_item};
use crate::domain::ids::{MerchantId, SettlementId};
use crate::domain::merchant::SettlementMode;
use crate::domain::settlement::{ListedSettlement, Settlement, Source};

impl Entity for Settlement {
    fn key(&self) -> Key {
        keys::settlement(&self.merchant_id, &self.id)
    }

    fn list_index_key(&self) -> Option<Key> {
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

    /// The settlements that are listed for a merchant who is paid this way, the one that falls due last first.
    pub async fn listed_settlements(
        &self,
        merchant: &MerchantId,
        mode: Option<SettlementMode>,
        stretch: PageRequest,
    ) -> Result<Page<Settlement>, StoreError> {
        let key = |settlement: &ListedSettlement| keys::settlement(merchant, &settlement.id);
        let all = Range::newest(keys::settlements(merchant));
        self.list(all, stretch, |settlement| settlement.is_shown(mode), key).await
    }

    /// Hands over what `V` has of every settlement of the merchant, void ones included, the one that falls due last
    /// first.
    pub async fn for_each_settlement<V: DeserializeOwned>(
        &self,
        merchant: &MerchantId,
        visit: impl FnMut(V),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::settlements(merchant)), visit).await
    }

    /// Every settlement that is about this, void ones included.
    pub async fn settlements_about(
        &self,
        merchant: &MerchantId,
        source: &Source,
    ) -> Result<Vec<Settlement>, StoreError> {
        let rows = self.query::<Settled>(Range::of_table(keys::settled_partition(merchant, source))).await?;
        let keys: Vec<Key> = rows.iter().map(|row| keys::settlement(merchant, &row.settlement_id)).collect();
        let found = self.get_items(&keys).await?.into_iter();
        found.map(|item| from_item::<Settlement>(item).map(|stored| stored.value)).collect()
    }
}

fn sources(settlement: &Settlement) -> impl Iterator<Item = Settled> {
    settlement.about().into_iter().map(|source| Settled {
        key: keys::settled(&settlement.merchant_id, &source, &settlement.id),
        settlement_id: settlement.id.clone(),
    })
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
