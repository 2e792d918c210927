//! Visits of a merchant's shop, for analytics.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::{CommitError, StoreError};
use super::keys::{self, Key};
use super::query::Range;
use super::row::Entity;
use super::table::Store;
use super::write::Write;
use crate::domain::ids::MerchantId;
use crate::domain::open_enum::OpenEnum;
use crate::domain::projection::Projection;

/// The event that began a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisitEvent {
    WidgetCatalogViewed,
}

/// A visit of one visitor to a merchant's shop.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Visit {
    pub id: String,
    pub merchant_id: MerchantId,
    pub started_at: Timestamp,
    pub embed: Option<String>,
    pub entry: Option<String>,
    /// The event that began it, if known.
    pub event: Option<OpenEnum<VisitEvent>>,
}

/// Reports look back 181 days at most.
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
    /// Calls `visit` with each visit that began within these times, newest first.
    pub async fn for_each_visit<P: Projection>(
        &self,
        merchant: &MerchantId,
        began: &std::ops::Range<Timestamp>,
        visit: impl FnMut(P),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::visits(merchant)).within(began), visit).await
    }

    /// Whether the visit exists. The read is eventually consistent.
    pub async fn visit_exists(&self, merchant: &MerchantId, id: &str) -> Result<bool, StoreError> {
        self.exists(&keys::visit(merchant, id)).await
    }

    /// Creates a visit unless it exists.
    pub async fn begin_visit(&self, visit: &Visit) -> Result<(), StoreError> {
        match self.commit(vec![Write::create(visit)?]).await {
            Ok(()) | Err(CommitError::Conflict(_)) => Ok(()),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}
