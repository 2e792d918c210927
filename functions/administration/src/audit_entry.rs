//! Entries of the audit trail.

use jiff::Timestamp;
use shared::app::App;
use shared::domain::audit::{AuditAction, AuditEntry};
use shared::domain::ids::{MerchantId, UserId};

/// A new entry without changes, subject and reason. `None` is the trail of the platform.
pub(crate) fn new_audit_entry(
    app: &App,
    by: &UserId,
    merchant: Option<&MerchantId>,
    action: AuditAction,
    at: Timestamp,
) -> AuditEntry {
    AuditEntry::new(app.random.uuid(at).to_string(), by, merchant, action, at)
}
