//! Changes of a merchant's identity that the identity verifier has not seen.

use jiff::Timestamp;

use super::ids::UserId;
use super::merchant::{IdentityChange, IdentityField, Merchant, MerchantStatus};

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
}

impl Merchant {
    /// Records which identity fields differ from those in `before`. Changes of a draft are not recorded: nobody has seen
    /// it yet. Returns the recorded fields.
    pub fn record_identity_changes(
        &mut self,
        before: &Self,
        user: &UserId,
        now: Timestamp,
    ) -> Vec<IdentityField> {
        if before.status == MerchantStatus::Draft {
            return Vec::new();
        }
        let changed = IdentityField::ALL.into_iter().filter(|field| field.differs(before, self));
        let changed: Vec<IdentityField> = changed.collect();
        self.identity_changes.retain(|change| !changed.iter().any(|field| change.field == *field));
        self.identity_changes.extend(changed.iter().map(|field| IdentityChange {
            field: (*field).into(),
            user_id: user.clone(),
            changed_at: now,
        }));
        changed
    }

    /// The changes that remain unseen after the verifier was sent the fields of `sent`.
    pub fn identity_changes_since(&self, sent: &Self) -> Vec<IdentityChange> {
        let is_unseen =
            |change: &&IdentityChange| change.field.known().is_none_or(|field| field.differs(sent, self));
        self.identity_changes.iter().filter(is_unseen).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::MerchantId;
    use crate::domain::merchant::Director;

    fn merchant(status: MerchantStatus) -> Merchant {
        Merchant { status: status.into(), ..Merchant::new(MerchantId::new("m")) }
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
        changes
            .map(|change| {
                (change.field.known().unwrap(), change.user_id.as_str(), change.changed_at.as_second())
            })
            .collect()
    }

    #[test]
    fn every_field_is_recorded_once_with_its_latest_change() {
        use IdentityField::{Directors, LegalName, VatNumber};
        let first = change(&merchant(MerchantStatus::Active), 1, |merchant| {
            merchant.legal_name = "A".to_owned();
            merchant.vat_number = "1".to_owned();
        });
        assert_eq!(recorded(&first), [(LegalName, "1", 1), (VatNumber, "1", 1)]);
        let second = change(&first, 2, |merchant| {
            merchant.legal_name = "B".to_owned();
            merchant.directors = vec![Director { name: "A".to_owned(), role: "CEO".to_owned() }];
        });
        assert_eq!(recorded(&second), [(VatNumber, "1", 1), (LegalName, "2", 2), (Directors, "2", 2)]);
        let unrelated = change(&second, 3, |merchant| merchant.brand.website = "w".to_owned());
        assert_eq!(recorded(&unrelated), recorded(&second));
    }

    #[test]
    fn changes_of_a_draft_are_not_recorded() {
        let draft =
            change(&merchant(MerchantStatus::Draft), 1, |merchant| merchant.country = "SE".to_owned());
        assert!(draft.identity_changes.is_empty());
    }

    #[test]
    fn changes_after_the_verifier_was_sent_the_fields_remain() {
        let sent = change(&merchant(MerchantStatus::WaitingForInfo), 1, |merchant| {
            merchant.legal_name = "A".to_owned();
            merchant.trade_name = "A".to_owned();
        });
        assert!(sent.identity_changes_since(&sent).is_empty());
        let now = change(&sent, 2, |merchant| merchant.trade_name = "B".to_owned());
        let unseen = now.identity_changes_since(&sent);
        assert_eq!(
            recorded(&Merchant { identity_changes: unseen, ..now }),
            [(IdentityField::TradeName, "2", 2)]
        );
    }
}
