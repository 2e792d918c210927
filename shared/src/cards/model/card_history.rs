//! The history of a gift card, from the rows of the merchant that sold or redeemed it.
//!
//! Sales and redemptions are its *events*. Its *sums*, one row for each currency, are counted in the transactions that make
//! them, so that a history of any length adds up without being read. A redemption whose outcome is not known yet is *open*: the
//! sums name it, until the transaction that closes it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card_tag::{CardTag, TaggedCard};
use super::order::{GiftCardStatus, Order};
use super::redemption::{Redemption, RedemptionStatus};
use crate::team::model::code::CodeKey;
use crate::team::model::till::NamedOperator;
use crate::values::{Currency, Minor, Money, OpenEnum, OrderId, RedemptionId};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CardEventKind {
    /// The card was sold.
    Issued,
    Redeemed,
    /// The card was issued for what was given back of a redemption.
    GivenBack,
    /// A redemption whose outcome is not known yet.
    Unknown,
}

/// Stored beside the order or the redemption that it is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardEvent {
    pub at: Timestamp,
    pub kind: OpenEnum<CardEventKind>,
    pub amount: Money,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_name: Option<String>,
    /// Who sold or redeemed it at a till.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<NamedOperator>,
    /// The sale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
    /// The redemption, or the one that the card gives back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redemption_id: Option<RedemptionId>,
}

impl CardEvent {
    /// The sale of a card of the order.
    pub fn issued(order: &Order, card: &TaggedCard) -> Self {
        let kind = if order.refund.is_some() { CardEventKind::GivenBack } else { CardEventKind::Issued };
        Self {
            at: order.created_at,
            kind: kind.into(),
            amount: card.value,
            store_name: order.store_name.clone(),
            by: order.sold_by.clone(),
            order_id: Some(order.id.clone()),
            redemption_id: order.refund.as_ref().map(|refund| refund.of.clone()),
        }
    }

    /// `None` for a redemption that failed.
    pub fn of_redemption(redemption: &Redemption) -> Option<Self> {
        let kind = match redemption.status.known() {
            Some(RedemptionStatus::Succeeded) => CardEventKind::Redeemed,
            Some(RedemptionStatus::Failed) => return None,
            Some(RedemptionStatus::Pending) | None => CardEventKind::Unknown,
        };
        Some(Self {
            at: redemption.occurred_at,
            kind: kind.into(),
            amount: redemption.amount,
            store_name: redemption.store_name.clone(),
            by: redemption.requested_by.clone(),
            order_id: None,
            redemption_id: Some(redemption.id.clone()),
        })
    }
}

/// The cards of an order that were issued, in their histories: each code once.
pub fn tagged_cards(order: &Order, key: &CodeKey) -> Vec<TaggedCard> {
    let mut values: BTreeMap<CardTag, Money> = BTreeMap::new();
    for card in order.gift_cards.iter().filter(|card| card.status == GiftCardStatus::Issued) {
        let Some(code) = &card.qr_code else { continue };
        let tag = CardTag::new(key, &order.merchant_id, code);
        let value = values.entry(tag).or_insert(Money::new(Minor::ZERO, card.value.currency));
        if value.currency == card.value.currency {
            value.minor = Minor::new(value.minor.get().saturating_add(card.value.minor.get()));
        }
    }
    values.into_iter().map(|(tag, value)| TaggedCard { tag, value }).collect()
}

/// What a card's events add up to in one currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardSums {
    pub currency: Currency,
    /// `None` if no sale of the card is known.
    pub issued: Option<Minor>,
    /// Without the open ones.
    pub redeemed: Minor,
    /// The sort keys of the open redemptions.
    pub open: BTreeSet<String>,
}

/// What the card should be worth by its history. `open` are the redemptions that the sums name as open, as they are by now.
/// `None` if that is not known.
pub fn expected_balance(sums: &[CardSums], open: &[Redemption]) -> Option<Money> {
    let [CardSums { currency, issued, redeemed, open: named }] = sums else { return None };
    if open.len() != named.len() {
        return None;
    }
    let mut balance = issued.as_ref()?.get().checked_sub(redeemed.get())?;
    for redemption in open {
        match redemption.status.known() {
            Some(RedemptionStatus::Succeeded) => {
                balance = balance.checked_sub(redemption.amount.minor.get())?;
            }
            Some(RedemptionStatus::Failed) => {}
            Some(RedemptionStatus::Pending) | None => return None,
        }
    }
    Some(Money::new(Minor::new(balance), *currency))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(minor: i64) -> Money {
        Money::new(Minor::new(minor), Currency::EUR)
    }

    fn sums(issued: Option<i64>, redeemed: i64, open: &[&str]) -> CardSums {
        CardSums {
            currency: Currency::EUR,
            issued: issued.map(Minor::new),
            redeemed: Minor::new(redeemed),
            open: open.iter().map(|key| (*key).to_owned()).collect(),
        }
    }

    #[test]
    fn a_balance_is_expected_if_the_sale_and_every_redemption_are_known() {
        use RedemptionStatus::{Failed, Pending, Succeeded};
        let redemption =
            |status: RedemptionStatus| Redemption { status: status.into(), amount: money(200), ..Redemption::example() };
        let in_dollars = CardSums { currency: Currency::USD, ..sums(None, 100, &[]) };
        for (sums, open, expected) in [
            (vec![], vec![], None),
            (vec![sums(None, 100, &[])], vec![], None),
            (vec![sums(Some(1000), 0, &[])], vec![], Some(1000)),
            (vec![sums(Some(1000), 300, &[])], vec![], Some(700)),
            (vec![sums(Some(1000), 300, &["a"])], vec![redemption(Pending)], None),
            // Closed since the sums were read.
            (vec![sums(Some(1000), 300, &["a"])], vec![redemption(Succeeded)], Some(500)),
            (vec![sums(Some(1000), 300, &["a"])], vec![redemption(Failed)], Some(700)),
            (vec![sums(Some(1000), 300, &["a", "b"])], vec![redemption(Failed)], None),
            (vec![sums(Some(1000), 300, &[]), in_dollars], vec![], None),
        ] {
            let balance = expected_balance(&sums, &open);
            assert_eq!(balance, expected.map(money), "{sums:?} {open:?}");
        }
    }
}
