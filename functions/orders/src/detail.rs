//! `GET /api/bff/merchant-orders/{orderId}`: one order, with what was bought and the cards that came of it.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::{GiftCardId, OrderId, QrCode};
use shared::domain::money::{Currency, Minor};
use shared::domain::order::{DeliveryType, GiftCard, GiftCardStatus, Order, OrderItem};
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::summary::{Summary, example};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Order)]
struct Detail<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    updated_at: Timestamp,
    recipient_email: Option<&'a str>,
    recipient_name: Option<&'a str>,
    delivery_type: DeliveryType,
    gift_cards: Vec<Card<'a>>,
    items: Vec<Item<'a>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrderGiftCard)]
struct Card<'a> {
    id: &'a GiftCardId,
    qr_code: Option<&'a QrCode>,
    status: GiftCardStatus,
    value_minor: Minor,
    currency: Currency,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrderItem)]
struct Item<'a> {
    offer_name: &'a str,
    quantity: u32,
    amount_minor: Minor,
    currency: Currency,
}

impl<'a> Detail<'a> {
    fn of(order: &'a Order) -> Self {
        Self {
            summary: Summary::of(order),
            updated_at: order.updated_at,
            recipient_email: order.recipient_email.as_deref(),
            recipient_name: order.recipient_name.as_deref(),
            delivery_type: order.delivery_type,
            gift_cards: order.gift_cards.iter().map(Card::of).collect(),
            items: order.items.iter().map(Item::of).collect(),
        }
    }
}

impl<'a> Card<'a> {
    fn of(card: &'a GiftCard) -> Self {
        Self {
            id: &card.id,
            qr_code: card.qr_code.as_ref(),
            status: card.status,
            value_minor: card.value.minor,
            currency: card.value.currency,
        }
    }
}

impl<'a> Item<'a> {
    fn of(item: &'a OrderItem) -> Self {
        Self {
            offer_name: &item.offer_name,
            quantity: item.quantity,
            amount_minor: item.amount.minor,
            currency: item.amount.currency,
        }
    }
}

/// The order; 404 without an id, and for an order that is not the merchant's.
pub(crate) async fn order(
    caller: Authorized<permission::Orders>,
    State(app): State<App>,
    path: PathIds,
) -> Result<Response, Fault> {
    let missing = || Fault::not_found("There is no such order.");
    let id = path.get("orderId").map(OrderId::new).ok_or_else(missing)?;
    let order = app.store.order(&caller.merchant.id, &id).await?.ok_or_else(missing)?;
    Ok(Data(Detail::of(&order)).into_response())
}

pub(crate) fn describe() -> Description {
    let mut order = example();
    if let Some(order) = order.as_object_mut() {
        order.insert("updatedAt".to_owned(), json!("2026-01-01T10:00:05Z"));
        order.insert("recipientEmail".to_owned(), json!("ro@example.com"));
        order.insert("recipientName".to_owned(), json!(null));
        order.insert("deliveryType".to_owned(), json!("EMAIL"));
        let card = json!({"id": "g-1", "qrCode": "QR-1", "status": "ISSUED", "valueMinor": 50000, "currency": "SEK"});
        order.insert("giftCards".to_owned(), json!([card]));
        let item = json!({"offerName": "Gift card", "quantity": 1, "amountMinor": 50000, "currency": "SEK"});
        order.insert("items".to_owned(), json!([item]));
    }
    Description::new("Read an order", "What was bought, by whom, and the cards that came of it.")
        .data::<Detail>("The order.", order)
        .refuses(404, "There is no such order.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::domain::ids::MerchantId;
    use shared::domain::money::Money;
    use shared::domain::order::{FraudCheck, FulfilmentStatus, OrderStatus, PaymentStatus};

    fn order() -> Order {
        let value = Money::new(Minor::new(2550), Currency::EUR);
        Order {
            id: OrderId::new("o-1"),
            merchant_id: MerchantId::new("m-1"),
            created_at: "2026-01-01T10:00:00Z".parse().unwrap(),
            updated_at: "2026-01-01T10:00:05Z".parse().unwrap(),
            status: OrderStatus::Completed,
            payment_status: PaymentStatus::PaymentCaptureSucceeded,
            fulfilment_status: Some(FulfilmentStatus::FulfilmentFulfilled),
            total: value,
            buyer_email: Some("buyer@example.com".to_owned()),
            buyer_name: None,
            recipient_email: None,
            recipient_name: Some("Rut".to_owned()),
            delivery_type: DeliveryType::Email,
            payment_transaction_id: Some("POS-1".to_owned()),
            processor_transaction_id: None,
            fraud: FraudCheck::default(),
            items: vec![OrderItem { offer_name: "Gift card".to_owned(), quantity: 2, amount: value }],
            gift_cards: vec![GiftCard {
                id: GiftCardId::new("g-1"),
                qr_code: None,
                network_code: Some("inside".to_owned()),
                status: GiftCardStatus::Issued,
                value,
            }],
        }
    }

    #[test]
    fn an_order_is_answered_whole_with_null_for_what_nobody_said() {
        insta::assert_json_snapshot!(Detail::of(&order()), @r#"
        {
          "id": "o-1",
          "createdAt": "2026-01-01T10:00:00Z",
          "status": "COMPLETED",
          "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED",
          "fulfilmentStatus": "FULFILMENT_FULFILLED",
          "currency": "EUR",
          "totalAmountMinor": 2550,
          "buyerEmail": "buyer@example.com",
          "buyerName": null,
          "paymentTransactionId": "POS-1",
          "processorTransactionId": null,
          "_count": {
            "items": 1
          },
          "updatedAt": "2026-01-01T10:00:05Z",
          "recipientEmail": null,
          "recipientName": "Rut",
          "deliveryType": "EMAIL",
          "giftCards": [
            {
              "id": "g-1",
              "qrCode": null,
              "status": "ISSUED",
              "valueMinor": 2550,
              "currency": "EUR"
            }
          ],
          "items": [
            {
              "offerName": "Gift card",
              "quantity": 2,
              "amountMinor": 2550,
              "currency": "EUR"
            }
          ]
        }
        "#);
    }
}
