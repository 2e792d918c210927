//! Orders: purchases of gift cards.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::card_tag::TaggedCard;
use super::redemption::CardLink;
use crate::projections::model::reports::outstanding::{GIVEN_BACK, SOLD};
use crate::projections::model::tally::{Countable, Series, Tally};
use crate::team::model::till::NamedOperator;
use crate::values::{Dates, GiftCardId, MerchantId, Money, OpenEnum, OrderId, QrCode, RedemptionId, compose, fold};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum OrderStatus {
    PendingPayment,
    PaymentCapturedPendingFraudReview,
    PaymentCaptureSucceeded,
    PaymentAuthSucceeded,
    PaymentCapturePendingReview,
    PaymentFailed,
    Paid,
    Failed,
    IssueFailed,
    Completed,
    Cancelled,
    Refunded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PaymentStatus {
    PaymentCreated,
    PaymentAuthorized,
    PaymentCaptureSucceeded,
    PaymentCaptureFailed,
    PaymentFailed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FulfilmentStatus {
    FulfilmentFulfilled,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FraudStatus {
    #[default]
    NotChecked,
    Passed,
    Review,
    Blocked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum GiftCardStatus {
    Pending,
    Issued,
    Failed,
    Cancelled,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DeliveryType {
    #[default]
    Email,
    Sms,
    Qr,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FraudCheck {
    pub status: OpenEnum<FraudStatus>,
    pub reason_code: Option<String>,
    pub decided_at: Option<Timestamp>,
}

impl Default for FraudCheck {
    fn default() -> Self {
        Self { status: FraudStatus::NotChecked.into(), reason_code: None, decided_at: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderItem {
    #[serde(default)]
    pub offer_name: String,
    #[serde(default = "one")]
    pub quantity: u32,
    pub amount: Money,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GiftCard {
    pub id: GiftCardId,
    pub qr_code: Option<QrCode>,
    /// The card network's own code of the card. Reports show its last characters.
    pub network_code: Option<String>,
    pub status: OpenEnum<GiftCardStatus>,
    pub value: Money,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub id: OrderId,
    pub merchant_id: MerchantId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub status: OpenEnum<OrderStatus>,
    pub payment_status: OpenEnum<PaymentStatus>,
    pub fulfilment_status: Option<OpenEnum<FulfilmentStatus>>,
    pub total: Money,
    pub buyer_email: Option<String>,
    pub buyer_name: Option<String>,
    pub recipient_email: Option<String>,
    pub recipient_name: Option<String>,
    #[serde(default = "default_delivery_type")]
    pub delivery_type: OpenEnum<DeliveryType>,
    pub payment_transaction_id: Option<String>,
    pub processor_transaction_id: Option<String>,
    #[serde(default)]
    pub fraud: FraudCheck,
    #[serde(default)]
    pub items: Vec<OrderItem>,
    #[serde(default)]
    pub gift_cards: Vec<GiftCard>,
    /// Whether it was sold at a till, where the merchant took the money itself.
    #[serde(default)]
    pub sold_at_till: bool,
    /// Who sold it at a till. `None` in fixtures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sold_by: Option<NamedOperator>,
    /// The store that sold it, if a paired till did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_name: Option<String>,
    /// The redemption that its card gives back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<Refund>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund_reason: Option<String>,
    /// Its gift cards in their histories. Empty until they are issued, and in fixtures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tagged_cards: Vec<TaggedCard>,
}

/// What an order gives back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    pub of: RedemptionId,
    /// Whether the value is counted as given back. It is until the sale has failed.
    pub is_counted: bool,
}

impl Order {
    /// A new order whose payment is pending, without a buyer, items or gift cards.
    pub fn new(id: OrderId, merchant_id: MerchantId, created_at: Timestamp, total: Money) -> Self {
        Self {
            id,
            merchant_id,
            created_at,
            updated_at: created_at,
            status: OrderStatus::PendingPayment.into(),
            payment_status: PaymentStatus::PaymentCreated.into(),
            fulfilment_status: None,
            total,
            buyer_email: None,
            buyer_name: None,
            recipient_email: None,
            recipient_name: None,
            delivery_type: default_delivery_type(),
            payment_transaction_id: None,
            processor_transaction_id: None,
            fraud: FraudCheck::default(),
            items: Vec::new(),
            gift_cards: Vec::new(),
            sold_at_till: false,
            sold_by: None,
            store_name: None,
            refund: None,
            refund_reason: None,
            tagged_cards: Vec::new(),
        }
    }

    /// What redemptions of one of its gift cards refer to.
    pub fn link(&self, card: &GiftCard) -> CardLink {
        CardLink {
            order_id: self.id.clone(),
            gift_card_id: card.id.clone(),
            sold_at_till: self.sold_at_till,
            currency: card.value.currency,
        }
    }

    /// Its gift cards that were issued. A card of an order that was refunded or cancelled counts until its own status changes.
    fn issued_cards(&self) -> Tally {
        let has_issued =
            matches!(self.status.known(), Some(OrderStatus::Completed | OrderStatus::Refunded | OrderStatus::Cancelled));
        let issued = self.gift_cards.iter().filter(|card| has_issued && card.status == GiftCardStatus::Issued);
        let kind = if self.refund.is_some() { GIVEN_BACK } else { SOLD };
        let mut tally = Tally::default();
        issued.for_each(|card| tally.add([kind, card.value.currency.code()], card.value.minor));
        tally
    }

    /// What is still counted as given back although the sale has failed.
    pub fn refund_to_uncount(&self) -> Option<&Refund> {
        let has_failed = self.status == OrderStatus::IssueFailed;
        self.refund.as_ref().filter(|refund| has_failed && refund.is_counted)
    }
}

fn default_delivery_type() -> OpenEnum<DeliveryType> {
    DeliveryType::Email.into()
}

fn one() -> u32 {
    1
}

/// Longer ids are abbreviated to their last [`ABBREVIATED_LENGTH`] characters.
const MAX_REFERENCE_LENGTH: usize = 12;
const ABBREVIATED_LENGTH: usize = 8;

impl OrderId {
    /// The reference shown to people: the id, or the last eight characters of a long one. The search of orders finds
    /// either.
    pub fn reference(&self) -> &str {
        let id = self.as_str();
        let is_long = id.chars().nth(MAX_REFERENCE_LENGTH).is_some();
        let end = id.char_indices().rev().nth(ABBREVIATED_LENGTH - 1).and_then(|(start, _)| id.get(start..));
        end.filter(|_| is_long).unwrap_or(id)
    }
}

/// What lists, searches and reports show of an order. Stored beside the order, so that a list reads nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderEntry {
    pub id: OrderId,
    pub created_at: Timestamp,
    pub status: OpenEnum<OrderStatus>,
    pub payment_status: OpenEnum<PaymentStatus>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fulfilment_status: Option<OpenEnum<FulfilmentStatus>>,
    pub total: Money,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buyer_email: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buyer_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payment_transaction_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_transaction_id: Option<String>,
    #[serde(default)]
    pub fraud: FraudCheck,
    /// Number of line items, regardless of their quantities.
    pub item_count: usize,
    /// What it counts in [`Series::IssuedCards`].
    #[serde(default, skip_serializing_if = "Tally::is_empty")]
    pub issued_cards: Tally,
}

impl From<&Order> for OrderEntry {
    fn from(order: &Order) -> Self {
        Self {
            id: order.id.clone(),
            created_at: order.created_at,
            status: order.status.clone(),
            payment_status: order.payment_status.clone(),
            fulfilment_status: order.fulfilment_status.clone(),
            total: order.total,
            buyer_email: order.buyer_email.clone(),
            buyer_name: order.buyer_name.clone(),
            payment_transaction_id: order.payment_transaction_id.clone(),
            processor_transaction_id: order.processor_transaction_id.clone(),
            fraud: order.fraud.clone(),
            item_count: order.items.len(),
            issued_cards: order.issued_cards(),
        }
    }
}

impl OrderEntry {
    /// When the order was blocked or sent to review; if that is unknown, when it was placed. `None` if it was neither.
    pub fn flagged_at(&self) -> Option<Timestamp> {
        let is_flagged = matches!(self.fraud.status.known(), Some(FraudStatus::Review | FraudStatus::Blocked));
        is_flagged.then(|| self.fraud.decided_at.unwrap_or(self.created_at))
    }

    /// The texts that a search looks into.
    pub fn searched_texts(&self) -> impl Iterator<Item = &str> {
        let texts = [
            Some(self.id.as_str()),
            self.buyer_email.as_deref(),
            self.buyer_name.as_deref(),
            self.payment_transaction_id.as_deref(),
            self.processor_transaction_id.as_deref(),
        ];
        texts.into_iter().flatten()
    }
}

impl Countable for OrderEntry {
    fn counted_at(&self) -> Timestamp {
        self.created_at
    }

    fn count(&self, series: Series, tally: &mut Tally) {
        match series {
            Series::Orders => {
                let (status, payment_status) = (self.status.to_string(), self.payment_status.to_string());
                let fraud_status = self.fraud.status.to_string();
                tally.add([&status, &payment_status, &fraud_status, self.total.currency.code()], self.total.minor);
            }
            Series::IssuedCards => *tally += &self.issued_cards,
            _ => {}
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct OrderFilter {
    pub status: Option<OrderStatus>,
    pub payment_status: Option<PaymentStatus>,
    /// When the order was placed, in days of the merchant's time zone.
    pub placed: Dates,
    /// Matches anywhere in the order's id, buyer or transaction ids, ignoring case and Unicode forms. Empty matches every
    /// order.
    pub text: String,
}

/// The longest search text, in characters.
const MAX_TEXT_LENGTH: usize = 120;

impl OrderFilter {
    /// The text to search for as it was typed, without blanks around it and what is too long.
    pub fn text(typed: &str) -> String {
        // Composed before it is truncated: the limit counts what a user sees as one character.
        compose(typed.trim()).chars().take(MAX_TEXT_LENGTH).collect()
    }

    /// Whether an order matches, wherever it was placed in time.
    pub fn matches(&self, order: &OrderEntry) -> bool {
        self.status.is_none_or(|status| order.status == status)
            && self.payment_status.is_none_or(|status| order.payment_status == status)
            && self.matches_text(order)
    }

    /// Whether it matches every order of its days.
    pub fn has_only_days(&self) -> bool {
        self.status.is_none() && self.payment_status.is_none() && self.text.is_empty()
    }

    fn matches_text(&self, order: &OrderEntry) -> bool {
        let text = fold(&self.text);
        text.is_empty() || order.searched_texts().any(|searched| fold(searched).contains(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Currency, Minor};

    fn order(id: &str) -> OrderEntry {
        let value = Money::new(Minor::new(1000), Currency::EUR);
        OrderEntry::from(&Order::new(OrderId::new(id), MerchantId::new("m"), Timestamp::UNIX_EPOCH, value))
    }

    #[test]
    fn the_search_finds_an_order_by_its_reference() {
        for (id, reference) in [
            ("o-1", "o-1"),
            ("o-aurora-001", "o-aurora-001"),
            ("o-aurora-0001", "ora-0001"),
            ("0197f0c2-0000-7000-8000-9f3a1c2b4d5e", "1c2b4d5e"),
            ("ååååååååååååå", "åååååååå"),
        ] {
            let order = order(id);
            assert_eq!(order.id.reference(), reference);
            let filter = OrderFilter { text: reference.to_owned(), ..OrderFilter::default() };
            assert!(filter.matches(&order), "{id}");
        }
    }
}
