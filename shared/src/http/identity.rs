//! The log of identity changes.

use crate::domain::ids::UserId;
use crate::domain::merchant::IdentityField;

/// Logs which identity fields of a merchant changed after it submitted its application, without their values. The line
/// has the merchant's id from the request's span.
pub fn log_identity_changes(user: &UserId, fields: &[IdentityField]) {
    if fields.is_empty() {
        return;
    }
    tracing::info!(audit = "identity_changed", user = %user, ?fields, "identity changed after the submission");
}
