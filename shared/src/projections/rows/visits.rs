//! Visits of a merchant's shop, for analytics.

use jiff::{SignedDuration, Timestamp};

use crate::db::keys::{self, Key, TTL};
use crate::db::{Entity, Item, Store, StoreError, Write, entry_item, ttl};
use crate::projections::model::tally::Family;
use crate::projections::model::visit::Visit;
use crate::values::MerchantId;

/// Reports look back 181 days at most.
pub(crate) const RETENTION: SignedDuration = SignedDuration::from_hours(24 * 400);

impl Entity for Visit {
    fn key(&self) -> Key {
        keys::visit(&self.merchant_id, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.started_at.checked_add(RETENTION).ok()
    }

    /// The entry expires with the visit.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let pk = keys::entries(&self.merchant_id, Family::Visits);
        let mut entry = entry_item(Key { pk, sk: keys::at_and_id(self.started_at, &self.id) }, self)?;
        if let Some(at) = self.expires_at() {
            entry.insert(TTL.to_owned(), ttl(at));
        }
        Ok(vec![entry])
    }
}

impl Store {
    /// Whether the visit exists. The read is eventually consistent.
    pub async fn visit_exists(&self, merchant: &MerchantId, id: &str) -> Result<bool, StoreError> {
        self.exists(&keys::visit(merchant, id)).await
    }

    /// Creates a visit unless it exists.
    pub async fn begin_visit(&self, visit: &Visit) -> Result<(), StoreError> {
        self.commit_if_possible(vec![Write::create(visit)?]).await?;
        Ok(())
    }
}
