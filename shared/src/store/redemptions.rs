//! Redemptions.

use super::card_history::event_of_redemption;
use super::error::StoreError;
use super::keys::{self, Key};
use super::row::{Entity, Item, Stored, entry_item};
use super::table::Store;
use crate::domain::ids::{MerchantId, RedemptionId};
use crate::domain::redemption::{Redemption, RedemptionEntry};
use crate::domain::tally::Family;

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
    pub async fn redemption(
        &self,
        merchant: &MerchantId,
        id: &RedemptionId,
    ) -> Result<Option<Stored<Redemption>>, StoreError> {
        self.get(&keys::redemption(merchant, id)).await
    }

    /// Those of the redemptions that exist and can be read.
    pub async fn redemptions(
        &self,
        merchant: &MerchantId,
        ids: impl IntoIterator<Item = RedemptionId>,
    ) -> Result<Vec<Redemption>, StoreError> {
        let keys: Vec<Key> = ids.into_iter().map(|id| keys::redemption(merchant, &id)).collect();
        let rows = self.readable(self.get_items(&keys).await?);
        Ok(rows.into_iter().map(|row: Stored<Redemption>| row.value).collect())
    }
}
