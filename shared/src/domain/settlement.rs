//! Settlements: what is owed to a merchant, and the fee kept from it.

use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::ids::{GiftCardId, MerchantId, OrderId, RedemptionId, SettlementId};
use super::merchant::{Merchant, SettlementMode};
use super::money::{Currency, Minor};
use super::redemption::Redemption;

/// A merchant's fees, as they stood when a settlement was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct FeeTerms {
    /// Hundredths of a percent of the gross amount.
    pub percent_bps: u32,
    /// Minor units for each settlement.
    pub fixed_minor: u32,
}

impl FeeTerms {
    /// `gross × percentBps / 10000` rounded half up, plus the fixed part, and never more than the gross.
    pub fn fee(self, gross: Minor) -> Minor {
        let share = (i128::from(gross.get()) * i128::from(self.percent_bps) + 5_000) / 10_000;
        let fee = (share + i128::from(self.fixed_minor)).min(i128::from(gross.get())).max(0);
        Minor::new(i64::try_from(fee).unwrap_or(gross.get()))
    }
}

/// How a redemption will be settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettlementTerms {
    pub fees: FeeTerms,
    pub payout_delay_days: u32,
}

impl SettlementTerms {
    /// None for a merchant that is paid when a card is sold: its redemptions have been settled with the sale.
    pub fn for_redemption_at(merchant: &Merchant) -> Option<Self> {
        (merchant.settlement_mode != Some(SettlementMode::OnSale))
            .then_some(Self { fees: merchant.fees, payout_delay_days: merchant.payout_delay_days })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum SourceType {
    Order,
    Redemption,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SettlementStatus {
    Pending,
    InBatch,
    Paid,
    Void,
}

impl SettlementStatus {
    pub fn label(self) -> &'static str {
        match self {
            Self::Pending => "Pending payout",
            Self::InBatch => "In progress",
            Self::Paid => "Paid",
            Self::Void => "Void",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settlement {
    pub id: SettlementId,
    pub merchant_id: MerchantId,
    pub source_type: SourceType,
    pub source_id: String,
    pub order_id: Option<OrderId>,
    pub gift_card_id: Option<GiftCardId>,
    pub redemption_id: Option<RedemptionId>,
    pub gross: Minor,
    pub fee: Minor,
    pub net: Minor,
    pub currency: Currency,
    /// The fees that were applied; whatever was recorded, for rows from elsewhere.
    pub fee_snapshot: serde_json::Value,
    pub status: SettlementStatus,
    pub payout_batch_id: Option<String>,
    pub eligible_at: Timestamp,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A redemption that cannot be settled as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the payout date lies outside of the calendar")]
pub struct CannotSettle;

impl Settlement {
    /// The settlement of a successful redemption; none where the sale was settled. Its id follows from the
    /// redemption's, so that a second one cannot be written.
    pub fn of(redemption: &Redemption, now: Timestamp) -> Result<Option<Self>, CannotSettle> {
        let Some(terms) = redemption.terms else { return Ok(None) };
        let gross = redemption.amount.minor;
        let fee = terms.fees.fee(gross);
        let net = gross.checked_sub(fee).ok_or(CannotSettle)?;
        let delay = (i64::from(terms.payout_delay_days) * 24).hours();
        Ok(Some(Self {
            id: SettlementId::new(format!("settlement-{}", redemption.id)),
            merchant_id: redemption.merchant_id.clone(),
            source_type: SourceType::Redemption,
            source_id: redemption.id.to_string(),
            order_id: redemption.card.as_ref().map(|card| card.order_id.clone()),
            gift_card_id: redemption.card.as_ref().map(|card| card.gift_card_id.clone()),
            redemption_id: Some(redemption.id.clone()),
            gross,
            fee,
            net,
            currency: redemption.amount.currency,
            fee_snapshot: serde_json::json!(terms.fees),
            status: SettlementStatus::Pending,
            payout_batch_id: None,
            eligible_at: now.checked_add(delay).map_err(|_| CannotSettle)?,
            created_at: now,
            updated_at: now,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fees_round_half_up_and_stop_at_the_gross() {
        for (percent_bps, fixed_minor, gross, fee) in [
            (250, 100, 10_000, 350),
            (250, 0, 20, 1),
            (250, 0, 19, 0),
            (0, 0, 500, 0),
            (250, 100, 50, 50),
            (10_000, 5, 7, 7),
        ] {
            assert_eq!(FeeTerms { percent_bps, fixed_minor }.fee(Minor::new(gross)).get(), fee, "of {gross}");
        }
    }

    proptest! {
        #[test]
        fn a_fee_lies_between_nothing_and_the_gross(
            percent_bps: u32, fixed_minor: u32, gross in 0..=Minor::MAX.get(),
        ) {
            let fee = FeeTerms { percent_bps, fixed_minor }.fee(Minor::new(gross)).get();
            prop_assert!((0..=gross).contains(&fee));
        }
    }
}
