//! Changes of a merchant's identity that neither the identity verifier nor a platform administrator has seen.

use jiff::Timestamp;

use super::audit::AuditedChange;
use super::merchant::{Director, Document, IdentityChange, IdentityField, LegalAddress, Merchant, MerchantStatus};
use crate::values::{OpenEnum, UserId};

/// In characters. The row of a merchant keeps two values of each field.
const MAX_ROW_TEXT_LENGTH: usize = 1_000;
/// In characters. Keeps an audit entry with two long lists below DynamoDB's 400 KB item limit.
const MAX_AUDIT_TEXT_LENGTH: usize = 10_000;

impl IdentityField {
    const ALL: [Self; 9] = [
        Self::LegalName,
        Self::TradeName,
        Self::TradingName,
        Self::RegistrationNumber,
        Self::VatNumber,
        Self::Country,
        Self::LegalAddress,
        Self::Directors,
        Self::Documents,
    ];

    fn differs(self, one: &Merchant, other: &Merchant) -> bool {
        match self {
            Self::LegalName => one.legal_name != other.legal_name,
            Self::TradeName => one.trade_name != other.trade_name,
            Self::TradingName => one.trading_name != other.trading_name,
            Self::RegistrationNumber => one.registration_number != other.registration_number,
            Self::VatNumber => one.vat_number != other.vat_number,
            Self::Country => one.country != other.country,
            Self::LegalAddress => one.legal_address != other.legal_address,
            Self::Directors => one.directors != other.directors,
            Self::Documents => one.documents != other.documents,
        }
    }

    /// Whether the merchant is not paid until an administrator has reviewed a change of this field. The names under which it
    /// trades do not say whom the money belongs to.
    fn needs_review(self) -> bool {
        !matches!(self, Self::TradeName | Self::TradingName)
    }

    /// The value as text. `None` if it is empty.
    fn text(self, merchant: &Merchant) -> Option<String> {
        let text = match self {
            Self::LegalName => merchant.legal_name.clone(),
            Self::TradeName => merchant.trade_name.clone(),
            Self::TradingName => merchant.trading_name.clone(),
            Self::RegistrationNumber => merchant.registration_number.clone(),
            Self::VatNumber => merchant.vat_number.clone(),
            Self::Country => merchant.country.clone(),
            Self::LegalAddress => address(&merchant.legal_address),
            Self::Directors => list(&merchant.directors, director),
            Self::Documents => list(&merchant.documents, document),
        };
        (!text.is_empty()).then_some(text)
    }
}

fn address(LegalAddress { line1, city, state, postal_code, country }: &LegalAddress) -> String {
    let parts = [line1, city, state, postal_code, country].map(String::as_str);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join("; ")
}

fn director(Director { name, role }: &Director) -> String {
    format!("{name} ({role})")
}

fn document(Document { r#type, url, name }: &Document) -> String {
    format!("{} {} {url}", r#type, name.as_deref().unwrap_or_default())
}

/// Marks a text that is cut off.
fn shortened(text: Option<String>, max_length: usize) -> Option<String> {
    text.map(|text| match text.char_indices().nth(max_length) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    })
}

impl IdentityChange {
    /// Whether the merchant is not paid because of it.
    fn waits_for_review(&self) -> bool {
        !self.reviewed && self.field.known().is_none_or(IdentityField::needs_review)
    }
}

impl Merchant {
    /// Records which identity fields differ from those in `before`. Changes of a draft are not recorded: nobody has seen
    /// it yet. Returns the recorded changes, for the audit trail.
    pub fn record_identity_changes(&mut self, before: &Self, user: &UserId, now: Timestamp) -> Vec<AuditedChange> {
        if before.status == MerchantStatus::Draft {
            return Vec::new();
        }
        let changed = IdentityField::ALL.into_iter().filter(|field| field.differs(before, self));
        let changed: Vec<IdentityField> = changed.collect();
        for field in &changed {
            self.record_identity_change(*field, before, user, now);
        }
        if changed.iter().any(|field| field.needs_review()) {
            self.identity_version = self.identity_version.saturating_add(1);
        }
        let audited = changed.into_iter().map(|field| AuditedChange {
            field: OpenEnum::from(field).to_string(),
            from: shortened(field.text(before), MAX_AUDIT_TEXT_LENGTH),
            to: shortened(field.text(self), MAX_AUDIT_TEXT_LENGTH),
        });
        audited.collect()
    }

    fn record_identity_change(&mut self, field: IdentityField, before: &Self, user: &UserId, now: Timestamp) {
        let earlier = self.identity_changes.iter().position(|change| change.field == field);
        let earlier = earlier.map(|index| self.identity_changes.remove(index));
        let unreviewed = earlier.filter(|change| !change.reviewed);
        let from = unreviewed.map_or_else(|| field.text(before), |change| change.from);
        self.identity_changes.push(IdentityChange {
            field: field.into(),
            user_id: user.clone(),
            changed_at: now,
            from: shortened(from, MAX_ROW_TEXT_LENGTH),
            to: shortened(field.text(self), MAX_ROW_TEXT_LENGTH),
            reviewed: false,
        });
    }

    /// The changes that remain unseen after the verifier was sent the fields of `sent`.
    pub fn identity_changes_since(&self, sent: &Self) -> Vec<IdentityChange> {
        let is_unseen = |change: &&IdentityChange| change.field.known().is_none_or(|field| field.differs(sent, self));
        self.identity_changes.iter().filter(is_unseen).cloned().collect()
    }

    /// The changes for which it is not paid until an administrator has reviewed them, oldest first.
    pub fn unreviewed_identity_changes(&self) -> impl Iterator<Item = &IdentityChange> {
        self.identity_changes.iter().filter(|change| change.waits_for_review())
    }

    /// Marks all changes of its identity as reviewed.
    pub fn review_identity(&mut self) {
        for change in &mut self.identity_changes {
            change.reviewed = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merchants::model::merchant::Director;
    use crate::values::MerchantId;

    fn merchant(status: MerchantStatus) -> Merchant {
        Merchant { status: status.into(), ..Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH) }
    }

    /// Applies a change at a second, by a user of the same number.
    fn change(before: &Merchant, second: i64, apply: impl FnOnce(&mut Merchant)) -> Merchant {
        let mut after = before.clone();
        apply(&mut after);
        let at = Timestamp::from_second(second).unwrap();
        after.record_identity_changes(before, &UserId::new(second.to_string()), at);
        after
    }

    fn recorded(merchant: &Merchant) -> Vec<(IdentityField, &str, i64)> {
        let changes = merchant.identity_changes.iter();
        changes.map(|change| (change.field.known().unwrap(), change.user_id.as_str(), change.changed_at.as_second())).collect()
    }

    #[test]
    fn a_change_waits_for_its_review_with_the_value_that_was_reviewed() {
        let named = |name: &str| {
            let name = name.to_owned();
            move |merchant: &mut Merchant| merchant.legal_name = name
        };
        let unreviewed = |merchant: &Merchant| {
            let changes = merchant.unreviewed_identity_changes();
            changes.map(|change| (change.from.clone(), change.to.clone())).collect::<Vec<_>>()
        };
        let text = |text: &str| Some(text.to_owned());
        let first = change(&merchant(MerchantStatus::Active), 1, named("A"));
        let second = change(&first, 2, named("B"));
        assert_eq!((unreviewed(&second), second.identity_version), (vec![(None, text("B"))], 2));

        let mut reviewed = second;
        reviewed.review_identity();
        assert_eq!(unreviewed(&reviewed), []);
        assert_eq!(recorded(&reviewed).len(), 1, "the verifier has not seen it");
        let third = change(&reviewed, 3, named("C"));
        assert_eq!((unreviewed(&third), third.identity_version), (vec![(text("B"), text("C"))], 3));

        let traded = change(&reviewed, 3, |merchant| merchant.trade_name = "T".to_owned());
        assert_eq!((unreviewed(&traded), traded.identity_version), (vec![], 2));
    }

    #[test]
    fn audited_are_the_values_of_every_field() {
        let before = merchant(MerchantStatus::WaitingForInfo);
        let mut after = before.clone();
        after.legal_address = LegalAddress { line1: "Road 1".to_owned(), city: "Lund".to_owned(), ..LegalAddress::default() };
        after.directors = vec![Director { name: "A".to_owned(), role: "CEO".to_owned() }];
        after.vat_number = "x".repeat(MAX_AUDIT_TEXT_LENGTH + 1);
        let audited = after.record_identity_changes(&before, &UserId::new("u"), Timestamp::UNIX_EPOCH);
        let audited: Vec<_> = audited.iter().map(|change| (change.field.as_str(), change.to.as_deref())).collect();
        let long = format!("{}…", "x".repeat(MAX_AUDIT_TEXT_LENGTH));
        assert_eq!(
            audited,
            [("vatNumber", Some(long.as_str())), ("legalAddress", Some("Road 1, Lund")), ("directors", Some("A (CEO)")),]
        );
        let stored = after.identity_changes.first().and_then(|change| change.to.as_deref());
        assert_eq!(stored.map(|text| text.chars().count()), Some(MAX_ROW_TEXT_LENGTH + 1));
    }
}
