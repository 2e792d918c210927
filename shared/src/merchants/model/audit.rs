//! The audit trail: what platform administrators did, whose data they read, and how a merchant's identity changed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::activity::Actor;
use crate::values::{MerchantId, OpenEnum, UserId};

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum AuditAction {
    MerchantRead,
    MerchantChanged,
    PayoutRunStarted,
    PayoutFileRead,
    PayoutPaid,
    PayoutCancelled,
    SettlementHeld,
    SettlementReleased,
    /// A member has changed who the merchant is, after its first submission.
    IdentityChanged,
    DocumentRead,
    ImageTakenDown,
    /// The platform has revoked a key.
    KeyRevoked,
    /// The platform lets a member sign in by mailed codes again, who has lost all passkeys.
    MailSignInTurnedOn,
}

impl AuditAction {
    /// Whether somebody only looked.
    pub fn is_read(self) -> bool {
        matches!(self, Self::MerchantRead | Self::PayoutFileRead | Self::DocumentRead)
    }
}

/// The change of a field, with its values as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditedChange {
    /// The name of the field in the API, such as `fees.percentBps`.
    pub field: String,
    /// The value before the change. Null if it was unset.
    pub from: Option<String>,
    /// The value after the change. Null if it is unset.
    pub to: Option<String>,
}

/// An entry of the audit trail of a merchant, or of the platform. It is written once, in the transaction of what it
/// reports, and never changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Unique within the trail.
    pub id: String,
    /// `None` for what concerns no single merchant.
    pub merchant_id: Option<MerchantId>,
    pub at: Timestamp,
    pub by: UserId,
    /// Who `by` is, if it is no user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<Actor>,
    pub action: OpenEnum<AuditAction>,
    /// What it was done to, such as a payout or a settlement, if it is not the merchant itself.
    pub subject: Option<String>,
    #[serde(default)]
    pub changes: Vec<AuditedChange>,
    pub reason: Option<String>,
}

impl AuditEntry {
    /// An entry without changes, subject and reason. `None` is the trail of the platform.
    pub fn new(id: String, by: &UserId, merchant: Option<&MerchantId>, action: AuditAction, at: Timestamp) -> Self {
        Self {
            id,
            merchant_id: merchant.cloned(),
            at,
            by: by.clone(),
            actor: None,
            action: action.into(),
            subject: None,
            changes: Vec::new(),
            reason: None,
        }
    }
}
