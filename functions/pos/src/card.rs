//! `GET /api/bff/pos/card/{qrcode}`: a card as the network has it.

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
    caller: Authorized<permission::Pos>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<Box<RawValue>>, Fault> {
    let code = path.get("qrcode").ok_or_else(|| Fault::invalid("qrcode: is missing."))?;
    let account = caller.network_account()?;
    let card = app.card_network().card(&invocation, account, &QrCode::new(code)).await;
    let card = card.map_err(|error| error.into_fault("The card could not be looked up."))?;
    Ok(Data(card.raw))
}
pub(crate) fn describe() -> Description {
    Description::new("Look a card up", "A card of the merchant's, by the code that a till scans.")
        .data::<AsTheNetworkHasIt>(
            "The card.",
            json!({"qrCode": "QR-1", "status": "ACTIVE", "value": 250.5, "valueRemains": 150.5, "currency": "SEK"}),
        )
        .refuses(400, "The code is blank, or there is no card network account.")
        .refuses(404, "There is no such card.")
        .passes_on_the_network()
}
