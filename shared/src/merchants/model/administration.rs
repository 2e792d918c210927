//! What platform administrators change of a merchant.

use thiserror::Error;

use super::audit::AuditedChange;
use super::merchant::{Merchant, MerchantStatus, SettlementMode};
use crate::settlements::model::fees::FeeTerms;
use crate::values::slug::Slug;
use crate::values::{Minor, NetworkMerchantId, OfferId, OpenEnum};

/// The fields to change. `None` leaves a field as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MerchantChange {
    pub status: Option<MerchantStatus>,
    pub slug: Option<Slug>,
    pub network_merchant_id: Option<Option<NetworkMerchantId>>,
    pub settlement_mode: Option<SettlementMode>,
    pub fees: Option<FeeTerms>,
    pub payout_delay_days: Option<u32>,
    pub default_offer_id: Option<Option<OfferId>>,
    pub max_sale_minor: Option<Option<Minor>>,
    /// The version of its identity that was read and reviewed.
    pub identity_reviewed: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MerchantChangeError {
    #[error("a merchant cannot go from status {0} to {to}", to = OpenEnum::from(*.1))]
    StatusConflict(OpenEnum<MerchantStatus>, MerchantStatus),
    /// Another mode would settle a sale twice, or not at all.
    #[error("the settlement mode is set and cannot be changed")]
    ModeFixed,
    #[error("the identity of the merchant has changed since it was read")]
    IdentityChanged,
}

impl MerchantStatus {
    /// Whether a platform administrator can move a merchant from this status to the other one.
    pub fn can_become(self, to: Self) -> bool {
        use MerchantStatus::{Active, DecisionPending, Declined, Inactive, Suspended, WaitingForInfo};
        matches!(
            (self, to),
            (DecisionPending, Active | Declined | WaitingForInfo)
                | (Active, Suspended | Inactive)
                | (Suspended, Active | Inactive)
                | (Declined, WaitingForInfo)
        )
    }
}

impl MerchantChange {
    /// The changed merchant.
    pub fn apply(&self, merchant: &Merchant) -> Result<Merchant, MerchantChangeError> {
        let mut changed = merchant.clone();
        if let Some(to) = self.status {
            if !merchant.status.known().is_some_and(|from| from.can_become(to)) {
                return Err(MerchantChangeError::StatusConflict(merchant.status.clone(), to));
            }
            changed.status = to.into();
        }
        if let Some(mode) = self.settlement_mode {
            if merchant.settlement_mode.as_ref().is_some_and(|current| *current != mode) {
                return Err(MerchantChangeError::ModeFixed);
            }
            changed.settlement_mode = Some(mode.into());
        }
        if let Some(version) = self.identity_reviewed {
            if version != merchant.identity_version {
                return Err(MerchantChangeError::IdentityChanged);
            }
            changed.review_identity();
        }
        if let Some(slug) = &self.slug {
            changed.slug = slug.to_string();
        }
        if let Some(account) = &self.network_merchant_id {
            changed.network_merchant_id.clone_from(account);
        }
        if let Some(offer) = &self.default_offer_id {
            changed.default_offer_id.clone_from(offer);
        }
        changed.max_sale_minor = self.max_sale_minor.unwrap_or(merchant.max_sale_minor);
        changed.fees = self.fees.unwrap_or(merchant.fees);
        changed.payout_delay_days = self.payout_delay_days.unwrap_or(merchant.payout_delay_days);
        Ok(changed)
    }
}

/// The differences in the fields that platform administrators change, under the names that they have in the API.
pub fn audited_changes(before: &Merchant, after: &Merchant) -> Vec<AuditedChange> {
    let (from, to) = (audited_fields(before), audited_fields(after));
    let pairs = from.into_iter().zip(to).filter(|((_, from), (_, to))| from != to);
    pairs.map(|((field, from), (_, to))| AuditedChange { field: field.to_owned(), from, to }).collect()
}

/// The fields that platform administrators change, with their values as text.
fn audited_fields(merchant: &Merchant) -> [(&'static str, Option<String>); 10] {
    let is_reviewed = merchant.unreviewed_identity_changes().next().is_none();
    [
        ("status", Some(merchant.status.to_string())),
        ("slug", Some(merchant.slug.clone())),
        ("networkMerchantId", text(merchant.network_merchant_id.as_ref())),
        ("settlementMode", text(merchant.settlement_mode.as_ref())),
        ("fees.percentBps", Some(merchant.fees.percent_bps.to_string())),
        ("fees.fixedMinor", Some(merchant.fees.fixed_minor.to_string())),
        ("payoutDelayDays", Some(merchant.payout_delay_days.to_string())),
        ("defaultOfferId", text(merchant.default_offer_id.as_ref())),
        ("maxSaleMinor", merchant.max_sale_minor.map(|amount| amount.get().to_string())),
        ("identityReviewed", is_reviewed.then(|| merchant.identity_version.to_string())),
    ]
}

fn text(value: Option<&impl ToString>) -> Option<String> {
    value.map(ToString::to_string)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::values::{MerchantId, UserId};

    fn merchant(status: impl Into<OpenEnum<MerchantStatus>>) -> Merchant {
        Merchant { status: status.into(), ..Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH) }
    }

    #[test]
    fn an_unknown_status_is_left_alone() {
        let unknown: OpenEnum<MerchantStatus> = OpenEnum::Unknown("ARCHIVED".to_owned());
        let change = MerchantChange { status: Some(MerchantStatus::Active), ..MerchantChange::default() };
        let error = change.apply(&merchant(unknown)).unwrap_err();
        assert_eq!(error.to_string(), "a merchant cannot go from status ARCHIVED to ACTIVE");
    }

    #[test]
    fn an_unknown_settlement_mode_is_left_alone() {
        let unknown = Some(OpenEnum::Unknown("ON_BOTH".to_owned()));
        let before = Merchant { settlement_mode: unknown, ..merchant(MerchantStatus::Draft) };
        let change = MerchantChange { settlement_mode: Some(SettlementMode::OnSale), ..MerchantChange::default() };
        assert_eq!(change.apply(&before), Err(MerchantChangeError::ModeFixed));
    }

    #[test]
    fn an_identity_is_reviewed_as_it_was_read() {
        let before = merchant(MerchantStatus::Active);
        let mut renamed = Merchant { legal_name: "B".to_owned(), ..before.clone() };
        renamed.record_identity_changes(&before, &UserId::new("u"), Timestamp::UNIX_EPOCH);
        let review = |version| MerchantChange { identity_reviewed: Some(version), ..MerchantChange::default() };
        for stale in [0, 2] {
            assert_eq!(review(stale).apply(&renamed), Err(MerchantChangeError::IdentityChanged), "{stale}");
        }
        let reviewed = review(1).apply(&renamed).unwrap();
        assert_eq!(reviewed.unreviewed_identity_changes().count(), 0);
        let change = |field: &str, from: Option<&str>, to: Option<&str>| AuditedChange {
            field: field.to_owned(),
            from: from.map(ToOwned::to_owned),
            to: to.map(ToOwned::to_owned),
        };
        assert_eq!(audited_changes(&renamed, &reviewed), [change("identityReviewed", None, Some("1"))]);
        assert_eq!(review(1).apply(&reviewed), Ok(reviewed));
    }
}
