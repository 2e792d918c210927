//! `GET /api/bff/pos/card/{qrcode}`: look a card up.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::cards::view::{FindCardError, find_card};
use shared::http::{AtTill, Data, Description, Invalid, NetworkCard, PathIds, Unchanged, examples};

/// Returns the card record of the network. Another merchant's card is reported like an unknown card.
pub(crate) async fn card(
    caller: AtTill,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<Unchanged<NetworkCard>>, FindCardError> {
    let code = path.get("qrcode").ok_or(Invalid::new("qrcode: is missing."))?;
    let card = find_card(&app, &invocation, &caller.merchant, &caller.operator(), code).await?;
    Ok(Data(card.raw.into()))
}

pub(crate) fn describe() -> Description {
    Description::new("lookUpGiftCard", "Look up a card", "Returns a card of the merchant by the code that a till scans.").success(
        "The card.",
        json!({
            "qrCode": examples::QR_CODE, "cardNo": examples::CARD_NUMBER, "giftCardId": examples::GIFT_CARD,
            "giftCardOfferId": 501, "merchantId": "1001", "status": "ACTIVE", "value": 500, "valueRemains": 400,
            "currency": "SEK", "expiresAt": "2028-12-31T10:00:00Z", "networkCode": examples::NETWORK_CODE,
        }),
    )
}
