//! Settlements: what is owed to a merchant, and the fee kept from it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use utoipa::ToSchema;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SourceType {
    Order,
    Redemption,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SettlementStatus {
    Pending,
    InBatch,
    Paid,
    Void,
}

impl SettlementStatus {
    /// What the portal calls it.
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

/// What money was earned with: an order when a card was sold, a redemption when one was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Order(OrderId),
    Redemption(RedemptionId),
}

impl Source {
    /// Of the settlements that are about this, the one to show: not a void one; one for this itself before one for
    /// something that belongs to it, as a redemption does to its card's order; then the newest.
    pub fn settlement(&self, about: Vec<Settlement>) -> Option<Settlement> {
        let candidates = about.into_iter().filter(|settlement| settlement.status != SettlementStatus::Void);
        candidates.max_by(|one, other| {
            let rank = |settlement: &Settlement| (settlement.source() == *self, settlement.created_at);
            rank(one).cmp(&rank(other)).then_with(|| one.id.cmp(&other.id))
        })
    }
}

impl Settlement {
    /// What it pays for.
    pub fn source(&self) -> Source {
        match self.source_type {
            SourceType::Order => Source::Order(OrderId::new(&self.source_id)),
            SourceType::Redemption => Source::Redemption(RedemptionId::new(&self.source_id)),
        }
    }

    /// Everything by which it can be found: what it pays for, and what that belongs to.
    pub fn about(&self) -> Vec<Source> {
        let own = (!self.source_id.is_empty()).then(|| self.source());
        let order = self.order_id.clone().map(Source::Order);
        let redemption = self.redemption_id.clone().map(Source::Redemption);
        let mut about: Vec<Source> = Vec::new();
        for source in [own, order, redemption].into_iter().flatten() {
            if !about.contains(&source) {
                about.push(source);
            }
        }
        about
    }
}

/// What tells whether a settlement is listed, and which it is.
#[derive(Debug, Deserialize)]
pub struct ListedSettlement {
    pub id: SettlementId,
    pub source_type: SourceType,
    pub status: SettlementStatus,
}

impl ListedSettlement {
    /// Whether it stands in the list of a merchant who is paid this way. Void settlements stand in none.
    pub fn is_shown(&self, mode: Option<SettlementMode>) -> bool {
        let paid_this_way = match mode {
            Some(SettlementMode::OnSale) => self.source_type == SourceType::Order,
            Some(SettlementMode::OnRedemption) => self.source_type == SourceType::Redemption,
            None => true,
        };
        paid_this_way && self.status != SettlementStatus::Void
    }
}

/// What counts of a settlement where money is added up.
#[derive(Debug, Deserialize)]
pub struct Payable {
    pub status: SettlementStatus,
    pub currency: Currency,
    pub net: Minor,
    pub eligible_at: Timestamp,
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
        let delay = SignedDuration::from_hours(i64::from(terms.payout_delay_days) * 24);
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
    use crate::domain::money::Money;
    use crate::domain::redemption::RedemptionStatus;
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

    fn settlement(id: &str, source: &Source, status: SettlementStatus, created_at: &str) -> Settlement {
        let (source_type, source_id) = match source {
            Source::Order(id) => (SourceType::Order, id.to_string()),
            Source::Redemption(id) => (SourceType::Redemption, id.to_string()),
        };
        Settlement {
            id: SettlementId::new(id),
            merchant_id: MerchantId::new("m-1"),
            source_type,
            source_id,
            order_id: Some(OrderId::new("o-1")),
            gift_card_id: None,
            redemption_id: None,
            gross: Minor::new(1000),
            fee: Minor::ZERO,
            net: Minor::new(1000),
            currency: Currency::EUR,
            fee_snapshot: serde_json::json!({}),
            status,
            payout_batch_id: None,
            eligible_at: created_at.parse().unwrap(),
            created_at: created_at.parse().unwrap(),
            updated_at: created_at.parse().unwrap(),
        }
    }

    #[test]
    fn of_several_settlements_the_one_for_the_thing_itself_counts_then_the_newest() {
        use SettlementStatus::{Paid, Pending, Void};
        let order = Source::Order(OrderId::new("o-1"));
        let redemption = Source::Redemption(RedemptionId::new("r-1"));
        let of_order = settlement("s-order", &order, Pending, "2026-01-01T00:00:00Z");
        let void = settlement("s-void", &order, Void, "2026-01-09T00:00:00Z");
        let first = settlement("s-first", &redemption, Paid, "2026-01-02T00:00:00Z");
        let second = settlement("s-second", &redemption, Paid, "2026-01-03T00:00:00Z");
        let twin = settlement("s-first-twin", &redemption, Paid, "2026-01-02T00:00:00Z");

        let shown = |about: &[&Settlement]| {
            let forwards = order.settlement(about.iter().map(|settlement| (*settlement).clone()).collect());
            let backwards =
                order.settlement(about.iter().rev().map(|settlement| (*settlement).clone()).collect());
            assert_eq!(forwards, backwards, "the order in which they are found does not matter");
            forwards.map(|settlement| settlement.id.to_string())
        };
        assert_eq!(shown(&[&second, &of_order, &void, &first]).as_deref(), Some("s-order"));
        assert_eq!(shown(&[&first, &second, &void]).as_deref(), Some("s-second"));
        assert_eq!(shown(&[&first, &twin]).as_deref(), Some("s-first-twin"));
        assert_eq!(shown(&[&void]), None);
        assert_eq!(shown(&[]), None);
    }

    #[test]
    fn a_settlement_is_found_by_what_it_pays_for_and_what_that_belongs_to() {
        let order = Source::Order(OrderId::new("o-1"));
        let redemption = Source::Redemption(RedemptionId::new("r-1"));
        let at = "2026-01-01T00:00:00Z";
        let about = |source| settlement("s", source, SettlementStatus::Paid, at).about();
        let nothing = Source::Redemption(RedemptionId::new(""));
        assert_eq!(about(&redemption), [redemption.clone(), order.clone()]);
        for source in [&order, &nothing] {
            assert_eq!(about(source), std::slice::from_ref(&order));
        }
    }

    #[test]
    fn a_list_shows_what_the_merchant_is_paid_for() {
        for (mode, listed) in [
            (Some(SettlementMode::OnSale), [true, false]),
            (Some(SettlementMode::OnRedemption), [false, true]),
            (None, [true, true]),
        ] {
            let of = |status| {
                [SourceType::Order, SourceType::Redemption].map(|source_type| {
                    ListedSettlement { id: SettlementId::new("s"), source_type, status }.is_shown(mode)
                })
            };
            assert_eq!(of(SettlementStatus::Paid), listed, "{mode:?}");
            assert_eq!(of(SettlementStatus::Void), [false, false], "{mode:?}");
        }
    }

    #[test]
    fn a_payout_date_outside_of_the_calendar_settles_nothing() {
        let redemption = |payout_delay_days| Redemption {
            id: RedemptionId::new("r"),
            merchant_id: MerchantId::new("m"),
            occurred_at: Timestamp::UNIX_EPOCH,
            status: RedemptionStatus::Succeeded,
            source: None,
            store_name: None,
            amount: Money::new(Minor::new(100), Currency::EUR),
            qr_code: None,
            network_code: None,
            card: None,
            terms: Some(SettlementTerms { fees: FeeTerms::default(), payout_delay_days }),
        };
        let settled = |days| Settlement::of(&redemption(days), Timestamp::UNIX_EPOCH);
        assert!(settled(7).unwrap().is_some());
        assert_eq!(settled(10_000_000), Err(CannotSettle));
        assert_eq!(settled(u32::MAX), Err(CannotSettle));
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
