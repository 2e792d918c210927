//! Redemptions.

use std::collections::HashMap;

use super::card_history::event_of_redemption;
use crate::cards::model::redemption::{Redemption, RedemptionEntry};
use crate::db::keys::{self, Key};
use crate::db::{Entity, Item, Store, StoreError, Stored, entry_item, item_key};
use crate::projections::model::tally::Family;
use crate::values::{MerchantId, RedemptionId};

impl Entity for Redemption {
    fn key(&self) -> Key {
        keys::redemption(&self.merchant_id, &self.id)
    }

    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let pk = keys::entries(&self.merchant_id, Family::Redemptions);
        let sk = keys::entry_of_redemption(self);
        let listed = entry_item(Key { pk, sk }, &RedemptionEntry::from(self));
        std::iter::once(listed).chain(event_of_redemption(self)).collect()
    }
}

impl Store {
    pub async fn redemption(&self, merchant: &MerchantId, id: &RedemptionId) -> Result<Option<Stored<Redemption>>, StoreError> {
        self.get(&keys::redemption(merchant, id)).await
    }

    /// Redemptions by id. One that cannot be read is `None`; those that do not exist are left out.
    pub async fn redemptions_by_id(
        &self,
        merchant: &MerchantId,
        ids: &[&RedemptionId],
    ) -> Result<HashMap<RedemptionId, Option<Stored<Redemption>>>, StoreError> {
        let ids: HashMap<Key, &RedemptionId> = ids.iter().map(|id| (keys::redemption(merchant, id), *id)).collect();
        let keys: Vec<Key> = ids.keys().cloned().collect();
        let mut found = HashMap::new();
        for item in self.get_items(&keys).await? {
            let id = item_key(&item).and_then(|key| ids.get(&key).copied());
            let redemption = self.readable_row(item);
            found.extend(id.map(|id| (id.clone(), redemption)));
        }
        Ok(found)
    }
}
