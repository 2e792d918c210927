//! What the list and the detail both tell of an order.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use shared::domain::ids::OrderId;
use shared::domain::money::{Currency, Minor};
use shared::domain::order::{FulfilmentStatus, Order, OrderStatus, PaymentStatus};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrderSummary)]
pub(crate) struct Summary<'a> {
    id: &'a OrderId,
    created_at: Timestamp,
    status: OrderStatus,
    payment_status: PaymentStatus,
    fulfilment_status: Option<FulfilmentStatus>,
    currency: Currency,
    total_amount_minor: Minor,
    buyer_email: Option<&'a str>,
    buyer_name: Option<&'a str>,
    payment_transaction_id: Option<&'a str>,
    processor_transaction_id: Option<&'a str>,
    #[serde(rename = "_count")]
    count: Count,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderCount)]
struct Count {
    /// Lines of the order, whatever their quantities.
    items: usize,
}

impl<'a> Summary<'a> {
    pub(crate) fn of(order: &'a Order) -> Self {
        Self {
            id: &order.id,
            created_at: order.created_at,
            status: order.status,
            payment_status: order.payment_status,
            fulfilment_status: order.fulfilment_status,
            currency: order.total.currency,
            total_amount_minor: order.total.minor,
            buyer_email: order.buyer_email.as_deref(),
            buyer_name: order.buyer_name.as_deref(),
            payment_transaction_id: order.payment_transaction_id.as_deref(),
            processor_transaction_id: order.processor_transaction_id.as_deref(),
            count: Count { items: order.items.len() },
        }
    }
}

/// How an order looks in the description of the API.
pub(crate) fn example() -> Value {
    json!({
        "id": "o-1", "createdAt": "2026-01-01T10:00:00Z", "status": "COMPLETED",
        "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "fulfilmentStatus": "FULFILMENT_FULFILLED", "currency": "SEK",
        "totalAmountMinor": 50000, "buyerEmail": "bo@example.com", "buyerName": "Bo Ek",
        "paymentTransactionId": "pay-1", "processorTransactionId": null, "_count": {"items": 1},
    })
}
