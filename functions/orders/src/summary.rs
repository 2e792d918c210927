//! What the list and the detail both tell of an order.

use jiff::Timestamp;
use serde::Serialize;
use shared::domain::ids::OrderId;
use shared::domain::money::{Currency, Minor};
use shared::domain::order::{FulfilmentStatus, Order, OrderStatus, PaymentStatus};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
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

#[derive(Debug, Serialize)]
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
