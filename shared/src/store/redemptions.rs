//! Redemptions.

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
        let sk = keys::at_and_id(self.occurred_at, self.id.as_str());
        Ok(vec![entry_item(Key { pk, sk }, &RedemptionEntry::from(self))?])
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
}
