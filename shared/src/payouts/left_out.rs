//! What a run leaves out: settlements that are eligible and in none of its payouts, and why.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

use super::payout::Payout;
use crate::db::{Store, StoreError};
use crate::merchants::model::merchant::{Merchant, MerchantStatus};
use crate::settlements::model::settlement::Owed;
use crate::values::{Currency, MerchantId, Minor, OpenEnum, PayoutRunId};

/// Why a merchant is not paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NotPayable {
    #[error("The merchant is neither ACTIVE nor INACTIVE.")]
    Status,
    /// Who the merchant is has changed, and no administrator has reviewed the change.
    #[error("The identity of the merchant has changed. An administrator has to review the change first.")]
    IdentityChanged,
}

impl Merchant {
    /// Why no payout is made for it or confirmed as paid. `None` if it can be paid.
    pub fn not_payable(&self) -> Option<NotPayable> {
        if !matches!(self.status.known(), Some(MerchantStatus::Active | MerchantStatus::Inactive)) {
            return Some(NotPayable::Status);
        }
        self.unreviewed_identity_changes().next().map(|_| NotPayable::IdentityChanged)
    }
}

/// Why settlements are not in a payout of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LeftOutReason {
    /// The merchant is neither `ACTIVE` nor `INACTIVE`.
    Status,
    /// Who the merchant is has changed, and no administrator has reviewed the change.
    IdentityChanged,
    /// The administrator who started the run belongs to the merchant, or has belonged to it.
    OwnMerchant,
    /// All of the merchant's settlements are held.
    AllHeld,
    /// The sum is 0 or less: a debt is set off against later settlements.
    NotPositive,
    /// The merchant or the settlements cannot be read.
    Unreadable,
    /// The merchant's settlement mode does not pay this kind of settlements.
    OtherKind,
    /// Settlements of this merchant and currency are joining a payout of another run.
    AnotherRun,
}

impl From<NotPayable> for LeftOutReason {
    fn from(reason: NotPayable) -> Self {
        match reason {
            NotPayable::Status => Self::Status,
            NotPayable::IdentityChanged => Self::IdentityChanged,
        }
    }
}

/// Settlements of a merchant in a currency that are in no payout of a run, although they are eligible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub run_id: PayoutRunId,
    pub merchant_id: MerchantId,
    /// Empty if the merchant cannot be read.
    pub merchant_name: String,
    pub currency: Currency,
    /// `None` if they cannot be counted: there are too many, or one cannot be read.
    pub count: Option<u64>,
    /// The sum of their net amounts, if they could be counted.
    pub net: Option<Minor>,
    pub reason: OpenEnum<LeftOutReason>,
}

impl LeftOut {
    pub(super) fn new(
        run: &PayoutRunId,
        (merchant, name): (&MerchantId, &str),
        currency: Currency,
        owed: Option<Owed>,
        reason: LeftOutReason,
    ) -> Self {
        Self {
            run_id: run.clone(),
            merchant_id: merchant.clone(),
            merchant_name: name.to_owned(),
            currency,
            count: owed.map(|owed| owed.count),
            net: owed.map(|owed| owed.net),
            reason: reason.into(),
        }
    }
}

/// What of its merchant and currency is not in a payout. `None` if it cannot be counted.
pub(super) async fn left_out_of_payout(
    store: &Store,
    payout: &Payout,
    owed: Option<Owed>,
    reason: LeftOutReason,
) -> Result<LeftOut, StoreError> {
    let merchant = match store.merchant(&payout.merchant_id).await {
        Err(StoreError::UnreadableRow(_)) => None,
        read => read?,
    };
    let name = merchant.map(|merchant| merchant.value.name).unwrap_or_default();
    Ok(LeftOut::new(&payout.run_id, (&payout.merchant_id, &name), payout.currency, owed, reason))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::values::UserId;

    #[test]
    fn active_and_inactive_merchants_are_paid_once_their_identity_is_reviewed() {
        use MerchantStatus::{Active, DecisionPending, Inactive, Suspended};
        let merchant = |status: MerchantStatus| Merchant {
            status: status.into(),
            ..Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH)
        };
        for (status, not_payable) in
            [(Active, None), (Inactive, None), (Suspended, Some(NotPayable::Status)), (DecisionPending, Some(NotPayable::Status))]
        {
            assert_eq!(merchant(status).not_payable(), not_payable, "{status:?}");
        }
        let before = merchant(Active);
        let mut renamed = Merchant { legal_name: "B".to_owned(), ..before.clone() };
        renamed.record_identity_changes(&before, &UserId::new("u"), Timestamp::UNIX_EPOCH);
        assert_eq!(renamed.not_payable(), Some(NotPayable::IdentityChanged));
        renamed.review_identity();
        assert_eq!(renamed.not_payable(), None);
    }
}
