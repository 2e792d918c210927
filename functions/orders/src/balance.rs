//! `GET /api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance`: the balance of a gift card.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::CardRecord;
use shared::cards::model::order::GiftCard;
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, General, Invalid, PathIds, examples, permission};
use shared::values::{Currency, GiftCardId, Minor, OrderId, QrCode};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Balance {
    /// The id of the card in the order.
    gift_card_id: GiftCardId,
    /// The code that a till scans.
    qr_code: QrCode,
    /// What can still be redeemed, in minor units of `currency`. Null if the card network reports no amount, or one
    /// that does not fit the currency.
    remaining_value_minor: Option<Minor>,
    /// ISO 4217 code: the one that the card network reports, else that of the order.
    currency: Currency,
    /// The status of the card, as the card network reports it. Null if it reports none.
    upstream_status: Option<String>,
}

impl Balance {
    /// Uses the currency reported by the card network, or that of the order if the network reports no valid one.
    fn new(card: GiftCard, qr_code: QrCode, upstream: CardRecord) -> Self {
        let upstream_currency = upstream.currency.and_then(|code| code.parse().ok());
        let currency = upstream_currency.unwrap_or(card.value.currency);
        Self {
            gift_card_id: card.id,
            qr_code,
            remaining_value_minor: upstream.value_remains.and_then(|value| value.minor(currency).ok()),
            currency,
            upstream_status: upstream.status,
        }
    }
}

endpoint_error! {
    pub(crate) enum BalanceError {
        /// An id is blank, or the gift card has no QR code.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "The gift card has no QR code.",
        /// The order does not exist or does not contain the gift card.
        NoSuchCard => 404 NOT_FOUND "There is no such gift card.",
    }
}

pub(crate) async fn balance(
    caller: Authorized<permission::Orders>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<Balance>, BalanceError> {
    let order_id = OrderId::new(required(&path, "orderId")?);
    let card_id = GiftCardId::new(required(&path, "giftCardId")?);
    let order = app.store.order(&caller.merchant.id, &order_id).await?;
    let cards = order.map(|order| order.value.gift_cards).unwrap_or_default();
    let card = cards.into_iter().find(|card| card.id == card_id);
    let card = card.ok_or(BalanceError::NoSuchCard)?;
    let qr_code = card.qr_code.clone().filter(|code| !code.as_str().trim().is_empty());
    let qr_code = qr_code.ok_or(Invalid::new("The gift card has no QR code."))?;

    // A merchant that has sold a card must have an account: a missing one is a server error, not the caller's.
    let account = caller.merchant.network_merchant_id.as_ref();
    let account = account.ok_or_else(|| lookup_failed("the merchant has no account at the card network"))?;
    let upstream = app.card_network().card(&invocation, account, &qr_code).await;
    let upstream = upstream.map_err(|error| lookup_failed(error.to_string()))?;
    Ok(Data(Balance::new(card, qr_code, upstream)))
}

fn required<'a>(path: &'a PathIds, name: &str) -> Result<&'a str, Invalid> {
    path.get(name).ok_or_else(|| Invalid::new(format!("{name}: is missing.")))
}

fn lookup_failed(cause: impl Into<String>) -> General {
    General::failed("The balance could not be looked up. Please try again.", cause)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getGiftCardBalance",
        "Get a gift card balance",
        "Looks up the remaining value of a gift card at the card network.",
    )
    .success(
        "The balance.",
        json!({
            "giftCardId": examples::GIFT_CARD, "qrCode": examples::QR_CODE, "remainingValueMinor": 40_000, "currency": "SEK",
            "upstreamStatus": "ACTIVE",
        }),
    )
}
