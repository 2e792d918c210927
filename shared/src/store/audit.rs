//! The audit trail of the platform's administration. Entries are only ever created.

use super::error::StoreError;
use super::keys::{self, Key};
use super::query::Range;
use super::row::{Entity, Stored};
use super::table::Store;
use crate::domain::audit::AuditEntry;
use crate::domain::ids::MerchantId;

impl Entity for AuditEntry {
    fn key(&self) -> Key {
        keys::audit_entry(self.merchant_id.as_ref(), self.at, &self.id)
    }
}

impl Store {
    /// The latest entries of a merchant's audit trail, latest first.
    pub async fn latest_audit_entries(&self, merchant: &MerchantId, limit: u16) -> Result<Vec<Stored<AuditEntry>>, StoreError> {
        self.query(Range::of_table(keys::audit_trail(Some(merchant))).descending().limit(limit)).await
    }
}
