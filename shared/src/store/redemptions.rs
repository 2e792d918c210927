//! Redemptions.

use jiff::Timestamp;

use super::error::StoreError;
use super::keys::{self, Key};
use super::query::Range;
use super::row::{Entity, Stored};
use super::table::Store;
use crate::domain::ids::{MerchantId, RedemptionId};
use crate::domain::projection::Projection;
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

    /// Calls `visit` with each redemption that occurred within these times, newest first.
    pub async fn for_each_redemption<P: Projection>(
        &self,
        merchant: &MerchantId,
        occurred: &std::ops::Range<Timestamp>,
        visit: impl FnMut(P),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::redemptions(merchant)).within(occurred), visit).await
    }
}
