//! `GET /api/bff/pos/card/{qrcode}`: look a card up.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::http::access::AtTill;
use shared::http::card_lookup::find_card;
use shared::http::description::Description;
use shared::http::examples;
use shared::http::fault::Fault;
use shared::http::network_objects::{NetworkCard, Unchanged};
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::invocation::Invocation;

/// Returns the card record of the network.
///
/// 400 without a code or without a card network account; 429 for who has guessed too many codes; otherwise errors of the
/// network are passed on. The response for a card of another merchant is the same as for one that does not exist.
pub(crate) async fn card(
    caller: AtTill,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<Unchanged<NetworkCard>>, Fault> {
    let code = path.get("qrcode").ok_or_else(|| Fault::invalid("qrcode: is missing."))?;
    let card = find_card(&app, &invocation, &caller.merchant, &caller.operator(), code).await?;
    Ok(Data(card.raw.into()))
}

pub(crate) fn describe() -> Description {
    Description::new("lookUpGiftCard", "Look a card up", "Returns a card of the merchant by the code that a till scans.")
        .success(
            "The card.",
            json!({
                "qrCode": examples::QR_CODE, "cardNo": examples::CARD_NUMBER, "giftCardId": examples::GIFT_CARD,
                "giftCardOfferId": 501, "merchantId": "1001", "status": "ACTIVE", "value": 500, "valueRemains": 400,
                "currency": "SEK", "expiresAt": "2028-12-31T10:00:00Z", "networkCode": examples::NETWORK_CODE,
            }),
        )
        .error(400, "The code is blank, or there is no card network account.")
        .message("Your merchant has no account at the card network.")
        .error(404, "There is no such card.")
        .error(429, "The till or member has asked for too many unknown codes.")
        .message("There were too many unknown card codes. Please try again later.")
        .passes_on_card_network_errors()
        .card_network_message("The card could not be looked up.")
}
