//! Redemptions.

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use super::keys::{self, Key};
use super::{Entity, Range, Store, StoreError, Stored};
use crate::domain::ids::{MerchantId, RedemptionId};
use crate::domain::redemption::Redemption;

impl Entity for Redemption {
    fn key(&self) -> Key {
        keys::redemption(&self.merchant_id, &self.id)
    }

    fn list_index_key(&self) -> Option<Key> {
        let pk = keys::redemptions(&self.merchant_id);
        Some(Key { pk, sk: keys::at_and_id(self.occurred_at, self.id.as_str()) })
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

    /// Hands over what `V` has of the merchant's redemptions that took place within these times, newest first.
    pub async fn for_each_redemption<V: DeserializeOwned>(
        &self,
        merchant: &MerchantId,
        occurred: &std::ops::Range<Timestamp>,
        visit: impl FnMut(V),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::redemptions(merchant)).within(occurred), visit).await
    }
}
