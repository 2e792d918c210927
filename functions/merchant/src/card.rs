//! `GET /api/bff/cards/{qr}`: look a gift card up, as those who manage gift cards do.

use axum::extract::State;
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::domain::ids::QrCode;
use shared::http::access::{Authorized, permission};
use shared::http::description::{AsTheNetworkHasIt, Description};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::path::PathIds;
use shared::http::reply::Data;

/// The raw card record.
///
/// 400 without a code or a card network account; else whatever status the network answers with. A card of another
/// merchant is answered like one that does not exist.
pub(crate) async fn card(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<Box<RawValue>>, Fault> {
    let code = path.get("qr").ok_or_else(|| Fault::invalid("qr: is missing."))?;
    let account = caller.network_account()?;
    let card = app.card_network().card(&invocation, account, &QrCode::new(code)).await;
    let card = card.map_err(|error| error.into_fault("The card could not be looked up."))?;
    Ok(Data(card.raw))
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Look a gift card up",
        "The card as the card network has it, for those who manage gift cards.",
    )
    .data::<AsTheNetworkHasIt>(
        "The card.",
        json!({"qrCode": "QR-1", "status": "ACTIVE", "valueRemains": 150.25, "currency": "SEK"}),
    )
    .refuses(400, "The code is blank, or there is no card network account.")
    .passes_on_the_network()
}
