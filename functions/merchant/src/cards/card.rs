//! `GET /api/bff/cards/{qr}`: looks up a gift card.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::cards::view::{FindCardError, find_card};
use shared::http::{Authorized, Data, Description, Invalid, NetworkCard, PathIds, Unchanged, examples, permission};

/// Returns the card record unchanged from the card network. Another merchant's card is reported like an unknown card.
pub(crate) async fn get_card(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<Unchanged<NetworkCard>>, FindCardError> {
    let code = path.get("qr").ok_or(Invalid::new("qr: is missing."))?;
    let card = find_card(&app, &invocation, &caller.merchant, &caller.by.operator(), code).await?;
    Ok(Data(card.raw.into()))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getGiftCard",
        "Look up a gift card",
        "Returns the card record of the card network. Requires the permission to manage gift cards.",
    )
    .success(
        "The card.",
        json!({
            "qrCode": examples::QR_CODE, "cardNo": examples::CARD_NUMBER, "giftCardId": examples::GIFT_CARD,
            "giftCardOfferId": 501, "merchantId": "1001", "status": "ACTIVE", "value": 500, "valueRemains": 400,
            "currency": "SEK", "expiresAt": "2028-12-31T10:00:00Z", "networkCode": examples::NETWORK_CODE,
        }),
    )
}
