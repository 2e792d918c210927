//! Audit log lines: one for each change of a role, each movement of money, and all that platform administrators do and read.
//! All have the message `audit`, an event, and the user who caused it.

use crate::merchants::model::audit::AuditEntry;
use crate::team::model::team::Powers;
use crate::team::model::till::Operator;
use crate::values::{MerchantId, Money, Reference, UserId};

pub fn role_changed(by: &UserId, merchant: &MerchantId, member: &UserId, from: &Powers, to: &Powers) {
    tracing::info!(event = "role-changed", user = %by, merchant = %merchant, member = %member, %from, %to, "audit");
}

/// A platform administrator received a link to a document. `document` is the id in its name: the rest of the name can
/// contain personal data.
pub fn document_read(by: &UserId, merchant: &MerchantId, document: &str) {
    tracing::info!(event = "document-read", user = %by, merchant = %merchant, document, "audit");
}

/// A movement of money is recorded, and about to be sent to the card network. `kind` is `issue` or `redeem`.
pub fn money_call(kind: &str, reference: &Reference, by: &Operator, merchant: &MerchantId, amount: Money) {
    let (user, till, key) = match by {
        Operator::User(user) => (Some(user.as_str()), None, None),
        Operator::Till(till) => (None, Some(till.as_str()), None),
        Operator::Key(key) => (None, None, Some(key.as_str())),
    };
    tracing::info!(
        event = "money-call", kind, reference = %reference, user, till, key, merchant = %merchant,
        amount = %amount.decimal(), currency = %amount.currency, "audit"
    );
}

/// A platform administrator did something. The entry's row has the values; they can be personal data.
pub fn administration(entry: &AuditEntry) {
    let merchant = entry.merchant_id.as_ref().map(MerchantId::as_str);
    let fields: Vec<&str> = entry.changes.iter().map(|change| change.field.as_str()).collect();
    tracing::info!(
        event = "administration", action = %entry.action, user = %entry.by, merchant, subject = entry.subject, ?fields, "audit"
    );
}
