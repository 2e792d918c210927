//! The audit trail of the platform's administration. Entries are only ever created.

use crate::db::keys::{self, Key};
use crate::db::{Cursor, Entity, Range, Store, StoreError, Stored, item_key};
use crate::merchants::model::audit::{AuditAction, AuditEntry};
use crate::values::MerchantId;

impl Entity for AuditEntry {
    fn key(&self) -> Key {
        keys::audit_entry(self.merchant_id.as_ref(), self.at, &self.id)
    }
}

/// A page of an audit trail, latest first.
#[derive(Debug)]
pub struct AuditPage {
    pub entries: Vec<AuditEntry>,
    /// Where the next page begins. `None` on the last one.
    pub next: Option<Cursor>,
}

/// What one call to the table reads, and the calls for a page of changes. It has fewer entries than it could if most people only
/// looked.
const ROWS_PER_CALL: u16 = 200;
const MAX_CALLS: usize = 5;

impl Store {
    /// The latest entries of a merchant's audit trail, latest first.
    pub async fn latest_audit_entries(&self, merchant: &MerchantId, limit: u16) -> Result<Vec<Stored<AuditEntry>>, StoreError> {
        self.query(Range::of_table(keys::audit_trail(Some(merchant))).descending().limit(limit)).await
    }

    /// At most `limit` entries of a merchant's audit trail from before `after`; without those of people who only looked, if wanted.
    pub async fn audit_page(
        &self,
        merchant: &MerchantId,
        only_changes: bool,
        mut after: Option<Cursor>,
        limit: usize,
    ) -> Result<AuditPage, StoreError> {
        let mut entries = Vec::new();
        for _ in 0..MAX_CALLS {
            let range = Range::of_table(keys::audit_trail(Some(merchant))).descending().limit(ROWS_PER_CALL);
            let rows = self.query_items(range.below(after.as_ref().map(Cursor::sort_key))).await?;
            let is_last = rows.len() < usize::from(ROWS_PER_CALL);
            for row in rows {
                let sort_key = item_key(&row).map(|key| key.sk);
                let entry: Option<AuditEntry> = self.readable_value(row);
                if let Some(entry) = entry.filter(|entry| !(only_changes && is_read(entry))) {
                    if entries.len() == limit {
                        return Ok(AuditPage { entries, next: after });
                    }
                    entries.push(entry);
                }
                after = sort_key.map(Cursor::after);
            }
            if is_last {
                return Ok(AuditPage { entries, next: None });
            }
        }
        Ok(AuditPage { entries, next: after })
    }
}

fn is_read(entry: &AuditEntry) -> bool {
    entry.action.known().is_some_and(AuditAction::is_read)
}
