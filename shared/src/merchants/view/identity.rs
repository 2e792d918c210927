//! The audit of identity changes.

use jiff::Timestamp;

use crate::app::App;
use crate::merchants::model::audit::{AuditAction, AuditEntry, AuditedChange};
use crate::values::{MerchantId, UserId};

/// The entry of the audit trail for changes of a merchant's identity after it submitted its application. `None` if there are
/// none.
pub fn identity_audit(
    app: &App,
    merchant: &MerchantId,
    user: &UserId,
    changes: Vec<AuditedChange>,
    now: Timestamp,
) -> Option<AuditEntry> {
    if changes.is_empty() {
        return None;
    }
    let id = app.random.uuid(now).to_string();
    let entry = AuditEntry::new(id, user, Some(merchant), AuditAction::IdentityChanged, now);
    Some(AuditEntry { changes, ..entry })
}

/// Logs which identity fields changed, without their values. The line has the merchant's id from the request's span.
pub fn log_identity_changes(entry: Option<&AuditEntry>) {
    let Some(entry) = entry else { return };
    let fields: Vec<&str> = entry.changes.iter().map(|change| change.field.as_str()).collect();
    tracing::info!(audit = "identity_changed", user = %entry.by, ?fields, "identity changed after the submission");
}
