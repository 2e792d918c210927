//! Visits: analytics sessions of a merchant's shop.

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::{CommitError, Entity, Range, Store, StoreError, Write};
use crate::domain::ids::MerchantId;

/// What a visitor did first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitEvent {
    WidgetCatalogViewed,
}

/// One visitor's stay, wherever the shop was embedded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Visit {
    pub id: String,
    pub merchant_id: MerchantId,
    pub started_at: Timestamp,
    pub embed: Option<String>,
    pub entry: Option<String>,
    /// What began it, where that is known.
    #[serde(default)]
    pub event: Option<VisitEvent>,
}

/// Reports look back 181 days at most. What none of them can show any more is not kept.
const RETENTION: SignedDuration = SignedDuration::from_hours(24 * 400);

impl Entity for Visit {
    fn key(&self) -> Key {
        keys::visit(&self.merchant_id, &self.id)
    }

    fn list_index_key(&self) -> Option<Key> {
        Some(Key { pk: keys::visits(&self.merchant_id), sk: keys::at_and_id(self.started_at, &self.id) })
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.started_at.checked_add(RETENTION).ok()
    }
}

impl Store {
    /// Hands over what `V` has of the visits of the merchant's shop that began within these times, newest first.
    pub async fn for_each_visit<V: DeserializeOwned>(
        &self,
        merchant: &MerchantId,
        began: &std::ops::Range<Timestamp>,
        visit: impl FnMut(V),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::visits(merchant)).within(began), visit).await
    }

    /// Writes a visit down when it begins; one that goes on stays as it is.
    pub async fn begin_visit(&self, visit: &Visit) -> Result<(), StoreError> {
        match self.commit(vec![Write::create(visit)?]).await {
            Ok(()) | Err(CommitError::Conflict(_)) => Ok(()),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}
