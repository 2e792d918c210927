//! The order fields that the list and the detail have in common.

use serde::Serialize;
use serde_json::{Value, json};
use shared::cards::model::order::{FulfilmentStatus, OrderEntry, OrderStatus, PaymentStatus};
use shared::http::{UtcTime, examples};
use shared::values::{Currency, Minor, OpenEnum, OrderId};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderSummary {
    /// The id of the order.
    id: OrderId,
    /// When the order was placed.
    created_at: UtcTime,
    /// The state of the order, from its payment to the issue of its cards.
    #[schema(value_type = OrderStatus)]
    status: OpenEnum<OrderStatus>,
    /// The state of its payment.
    #[schema(value_type = PaymentStatus)]
    payment_status: OpenEnum<PaymentStatus>,
    /// `FULFILMENT_FULFILLED` once its cards were issued. Null before.
    #[schema(value_type = Option<FulfilmentStatus>)]
    fulfilment_status: Option<OpenEnum<FulfilmentStatus>>,
    /// ISO 4217 code of the total amount.
    currency: Currency,
    /// What the buyer pays, in minor units of `currency`.
    total_amount_minor: Minor,
    /// The e-mail address of the buyer. Null if it is unknown.
    buyer_email: Option<String>,
    /// The name of the buyer. Null if it is unknown.
    buyer_name: Option<String>,
    /// The id of the payment; for a sale at a till, its payment reference. Null if there is none.
    payment_transaction_id: Option<String>,
    /// The id of the payment at the payment processor. Null if there is none.
    processor_transaction_id: Option<String>,
    /// Sizes of lists that are only in the detail of the order.
    #[serde(rename = "_count")]
    count: OrderCount,
}

#[derive(Debug, Serialize, ToSchema)]
struct OrderCount {
    /// Number of line items, regardless of their quantities.
    items: usize,
}

impl OrderSummary {
    pub(crate) fn new(order: OrderEntry) -> Self {
        Self {
            id: order.id,
            created_at: order.created_at.into(),
            status: order.status,
            payment_status: order.payment_status,
            fulfilment_status: order.fulfilment_status,
            currency: order.total.currency,
            total_amount_minor: order.total.minor,
            buyer_email: order.buyer_email,
            buyer_name: order.buyer_name,
            payment_transaction_id: order.payment_transaction_id,
            processor_transaction_id: order.processor_transaction_id,
            count: OrderCount { items: order.item_count },
        }
    }
}

/// Returns the example used in the API description.
pub(crate) fn example() -> Value {
    json!({
        "id": examples::ORDER, "createdAt": "2026-01-01T10:00:00.000Z", "status": "COMPLETED",
        "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "fulfilmentStatus": "FULFILMENT_FULFILLED", "currency": "SEK",
        "totalAmountMinor": 50000, "buyerEmail": "maja@example.com", "buyerName": "Maja Lind",
        "paymentTransactionId": "pay_7KQ2MXW9PD", "processorTransactionId": "psp-20260101-004817", "_count": {"items": 1},
    })
}
