//! Orders: what somebody bought, and the cards that came of it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{GiftCardId, MerchantId, OrderId, QrCode};
use super::money::Money;

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

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FraudCheck {
    pub status: FraudStatus,
    pub reason_code: Option<String>,
    pub decided_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderItem {
    pub offer_name: String,
    pub quantity: u32,
    pub amount: Money,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GiftCard {
    pub id: GiftCardId,
    pub qr_code: Option<QrCode>,
    /// The network's own code of the card; its last characters stand for the card in reports.
    pub network_code: Option<String>,
    pub status: GiftCardStatus,
    pub value: Money,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    pub id: OrderId,
    pub merchant_id: MerchantId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub status: OrderStatus,
    pub payment_status: PaymentStatus,
    pub fulfilment_status: Option<FulfilmentStatus>,
    pub total: Money,
    pub buyer_email: Option<String>,
    pub buyer_name: Option<String>,
    pub recipient_email: Option<String>,
    pub recipient_name: Option<String>,
    pub delivery_type: DeliveryType,
    pub payment_transaction_id: Option<String>,
    pub processor_transaction_id: Option<String>,
    pub fraud: FraudCheck,
    pub items: Vec<OrderItem>,
    pub gift_cards: Vec<GiftCard>,
}

/// An id that is longer is too long to read.
const MAX_REFERENCE_LENGTH: usize = 12;
const REFERENCE: usize = 8;

impl OrderId {
    /// What people call the order: its id, or the last eight characters of a long one, by which the search of orders
    /// finds it.
    pub fn reference(&self) -> &str {
        let id = self.as_str();
        let is_long = id.chars().nth(MAX_REFERENCE_LENGTH).is_some();
        let end = id.char_indices().rev().nth(REFERENCE - 1).and_then(|(start, _)| id.get(start..));
        end.filter(|_| is_long).unwrap_or(id)
    }
}

/// What reports look at of an order.
#[derive(Debug, Deserialize)]
pub struct PlacedOrder {
    pub id: OrderId,
    pub created_at: Timestamp,
    pub status: OrderStatus,
    pub payment_status: PaymentStatus,
    pub total: Money,
    pub fraud: FraudCheck,
}

/// What tells whether an order is listed, and which it is.
#[derive(Debug, Deserialize)]
pub struct ListedOrder {
    pub id: OrderId,
    pub status: OrderStatus,
    pub payment_status: PaymentStatus,
    pub buyer_email: Option<String>,
    pub buyer_name: Option<String>,
    pub payment_transaction_id: Option<String>,
    pub processor_transaction_id: Option<String>,
}

/// Which orders a list shows.
#[derive(Debug, Clone, Default)]
pub struct OrderFilter {
    pub status: Option<OrderStatus>,
    pub payment_status: Option<PaymentStatus>,
    /// Found anywhere in an order's id, buyer or transaction ids, whatever the case. Empty finds all.
    pub text: String,
}

impl OrderFilter {
    pub fn admits(&self, order: &ListedOrder) -> bool {
        self.status.is_none_or(|status| order.status == status)
            && self.payment_status.is_none_or(|status| order.payment_status == status)
            && self.text_found(order)
    }

    fn text_found(&self, order: &ListedOrder) -> bool {
        let wanted = without_case(&self.text);
        let fields = [
            Some(order.id.as_str()),
            order.buyer_email.as_deref(),
            order.buyer_name.as_deref(),
            order.payment_transaction_id.as_deref(),
            order.processor_transaction_id.as_deref(),
        ];
        wanted.is_empty() || fields.into_iter().flatten().any(|field| without_case(field).contains(&wanted))
    }
}

/// Letter by letter, so that a part of a word folds as it does in the whole word: `to_lowercase` alone treats a sigma by
/// what follows it, and leaves `ß` apart from `SS`. The capital `ẞ` is first brought to its small letter.
fn without_case(text: &str) -> String {
    let small = text.chars().flat_map(char::to_lowercase);
    small.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(id: &str) -> ListedOrder {
        ListedOrder {
            id: OrderId::new(id),
            status: OrderStatus::Paid,
            payment_status: PaymentStatus::PaymentCreated,
            buyer_email: None,
            buyer_name: None,
            payment_transaction_id: None,
            processor_transaction_id: None,
        }
    }

    #[test]
    fn a_reference_is_short_and_finds_the_order() {
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
            assert!(filter.admits(&order), "{id}");
        }
    }
}
