//! `GET /api/bff/merchant-orders/{orderId}`: an order with its items and gift cards.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::cards::model::order::{
    DeliveryType, FraudCheck, FraudStatus, GiftCard, GiftCardStatus, Order, OrderEntry, OrderItem,
};
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, PathIds, UtcTime, examples, permission};
use shared::projections::model::reports::fraud::reason_text;
use shared::values::{Currency, GiftCardId, Minor, OpenEnum, OrderId, QrCode, RedemptionId};
use utoipa::ToSchema;

use crate::summary::{OrderSummary, example};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Order)]
pub(crate) struct OrderDetail {
    #[serde(flatten)]
    summary: OrderSummary,
    /// When the order was last changed.
    updated_at: UtcTime,
    /// Where the cards are sent, which can be the buyer's address. Null if it is unknown.
    recipient_email: Option<String>,
    /// The name of the recipient. Null if it is unknown.
    recipient_name: Option<String>,
    /// How the cards reach their recipient.
    #[schema(value_type = DeliveryType)]
    delivery_type: OpenEnum<DeliveryType>,
    /// The cards that were or will be issued for the order.
    gift_cards: Vec<OrderGiftCard>,
    /// What was bought.
    items: Vec<Item>,
    /// What the fraud check has decided.
    fraud: Fraud,
    /// The id of the redemption whose purchase was returned, if the card gives it back. Null otherwise.
    refund_of: Option<RedemptionId>,
    /// The reason for the return. Null if none was given.
    refund_reason: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrderFraudCheck)]
struct Fraud {
    /// `NOT_CHECKED` before the check, and for orders that are not checked.
    #[schema(value_type = FraudStatus)]
    status: OpenEnum<FraudStatus>,
    /// Why the order is in review or blocked, as a sentence for the merchant. Null otherwise.
    reason: Option<&'static str>,
    /// When it was decided. Null if it is unknown.
    decided_at: Option<UtcTime>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderGiftCard {
    /// The id of the card in its order.
    id: GiftCardId,
    /// The code that a till scans. Null until the card is issued.
    qr_code: Option<QrCode>,
    /// Whether the card has been issued.
    #[schema(value_type = GiftCardStatus)]
    status: OpenEnum<GiftCardStatus>,
    /// The value when it was sold, not the balance, in minor units of `currency`.
    value_minor: Minor,
    /// ISO 4217 code of the value.
    currency: Currency,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OrderItem)]
struct Item {
    /// The name of the offer when it was sold.
    offer_name: String,
    /// Number of cards of the line.
    quantity: u32,
    /// In minor units of `currency`.
    amount_minor: Minor,
    /// ISO 4217 code of the amount.
    currency: Currency,
}

impl OrderDetail {
    fn new(order: Order) -> Self {
        Self {
            summary: OrderSummary::new(OrderEntry::from(&order)),
            updated_at: order.updated_at.into(),
            recipient_email: order.recipient_email,
            recipient_name: order.recipient_name,
            delivery_type: order.delivery_type,
            gift_cards: order.gift_cards.into_iter().map(OrderGiftCard::new).collect(),
            items: order.items.into_iter().map(Item::new).collect(),
            fraud: Fraud::new(order.fraud),
            refund_of: order.refund.map(|refund| refund.of),
            refund_reason: order.refund_reason,
        }
    }
}

impl Fraud {
    fn new(FraudCheck { status, reason_code, decided_at }: FraudCheck) -> Self {
        let is_flagged = matches!(status.known(), Some(FraudStatus::Review | FraudStatus::Blocked));
        let reason = is_flagged.then(|| reason_text(reason_code.as_deref()));
        Self { status, reason, decided_at: decided_at.map(UtcTime) }
    }
}

impl OrderGiftCard {
    fn new(card: GiftCard) -> Self {
        Self {
            id: card.id,
            qr_code: card.qr_code,
            status: card.status,
            value_minor: card.value.minor,
            currency: card.value.currency,
        }
    }
}

impl Item {
    fn new(item: OrderItem) -> Self {
        Self {
            offer_name: item.offer_name,
            quantity: item.quantity,
            amount_minor: item.amount.minor,
            currency: item.amount.currency,
        }
    }
}

endpoint_error! {
    pub(crate) enum OrderError {
        /// The order does not exist.
        NoSuchOrder => 404 NOT_FOUND "There is no such order.",
    }
}

pub(crate) async fn order(
    caller: Authorized<permission::Orders>,
    State(app): State<App>,
    path: PathIds,
) -> Result<Data<OrderDetail>, OrderError> {
    let id = path.get("orderId").map(OrderId::new).ok_or(OrderError::NoSuchOrder)?;
    let order = app.store.order(&caller.merchant.id, &id).await?;
    Ok(Data(OrderDetail::new(order.ok_or(OrderError::NoSuchOrder)?.value)))
}

pub(crate) fn describe() -> Description {
    let more = json!({
        "updatedAt": "2026-01-01T10:00:05.000Z", "recipientEmail": "ro@example.com", "recipientName": "Ro Lind",
        "deliveryType": "EMAIL",
        "giftCards": [{
            "id": examples::GIFT_CARD, "qrCode": examples::QR_CODE, "status": "ISSUED", "valueMinor": 50_000, "currency": "SEK",
        }],
        "items": [{"offerName": "Aurora gift card", "quantity": 1, "amountMinor": 50_000, "currency": "SEK"}],
        "fraud": {"status": "PASSED", "reason": null, "decidedAt": "2026-01-01T10:00:03.000Z"},
        "refundOf": null, "refundReason": null,
    });
    Description::new("getOrder", "Get an order", "Returns an order with its buyer, recipient, items and gift cards.")
        .success("The order.", examples::with(example(), more))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_a_sentence_about_flagged_orders_alone() {
        let fraud = |status: FraudStatus| {
            let decided_at = "2026-01-01T10:00:03Z".parse().ok();
            let fraud = Fraud::new(FraudCheck { status: status.into(), reason_code: Some("VELOCITY".to_owned()), decided_at });
            serde_json::to_value(fraud).unwrap()
        };
        let sentence = "Many orders were placed within a short time.";
        for (status, name, reason) in [
            (FraudStatus::Review, "REVIEW", json!(sentence)),
            (FraudStatus::Blocked, "BLOCKED", json!(sentence)),
            (FraudStatus::Passed, "PASSED", json!(null)),
        ] {
            assert_eq!(fraud(status), json!({"status": name, "reason": reason, "decidedAt": "2026-01-01T10:00:03.000Z"}));
        }
    }
}
