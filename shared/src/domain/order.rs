//! Orders: purchases of gift cards.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{GiftCardId, MerchantId, OrderId, QrCode};
use super::money::Money;
use super::open_enum::OpenEnum;
use super::search::fold;
use crate::projection;

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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
        }
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

projection! {
    /// The fields that reports count.
    pub struct PlacedOrder of Order {
        id: OrderId,
        created_at: Timestamp,
        status: OpenEnum<OrderStatus>,
        payment_status: OpenEnum<PaymentStatus>,
        total: Money,
        #[serde(default)]
        fraud: FraudCheck,
    }
}

projection! {
    /// The fields that [`OrderFilter`] matches.
    pub struct ListedOrder of Order {
        id: OrderId,
        status: OpenEnum<OrderStatus>,
        payment_status: OpenEnum<PaymentStatus>,
        buyer_email: Option<String>,
        buyer_name: Option<String>,
        payment_transaction_id: Option<String>,
        processor_transaction_id: Option<String>,
    }
}

/// The filter of an order list.
#[derive(Debug, Clone, Default)]
pub struct OrderFilter {
    pub status: Option<OrderStatus>,
    pub payment_status: Option<PaymentStatus>,
    /// Matches anywhere in the order's id, buyer or transaction ids, ignoring case and Unicode forms. Empty matches every
    /// order.
    pub text: String,
}

impl OrderFilter {
    pub fn matches(&self, order: &ListedOrder) -> bool {
        self.status.is_none_or(|status| order.status == status)
            && self.payment_status.is_none_or(|status| order.payment_status == status)
            && self.matches_text(order)
    }

    fn matches_text(&self, order: &ListedOrder) -> bool {
        let text = fold(&self.text);
        let fields = [
            Some(order.id.as_str()),
            order.buyer_email.as_deref(),
            order.buyer_name.as_deref(),
            order.payment_transaction_id.as_deref(),
            order.processor_transaction_id.as_deref(),
        ];
        text.is_empty() || fields.into_iter().flatten().any(|field| fold(field).contains(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: &str) -> ListedOrder {
        ListedOrder {
            id: OrderId::new(id),
            status: OrderStatus::Paid.into(),
            payment_status: PaymentStatus::PaymentCreated.into(),
            buyer_email: None,
            buyer_name: None,
            payment_transaction_id: None,
            processor_transaction_id: None,
        }
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
