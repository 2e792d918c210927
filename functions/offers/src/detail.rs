//! `GET /api/bff/offers/{id}`: returns one of the merchant's offers.

use axum::extract::State;
use shared::app::App;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::invocation::Invocation;

use crate::merchant_offer;
use crate::normalized::{OfferWithRaw, example};

/// Returns the offer.
///
/// Responds with 400 if the id is blank and 404 if the merchant has no such offer. Passes on errors of the card
/// network.
pub(crate) async fn get_offer(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<OfferWithRaw>, Fault> {
    let id = merchant_offer::id(&path)?;
    merchant_offer::find(&app, &invocation, &caller.merchant, &id).await.map(Data)
}

pub(crate) fn describe() -> Description {
    Description::new("getOffer", "Get an offer", "Returns one of the merchant's offers.")
        .success("The offer.", example())
        .error(400, "The id is blank.")
        .message("id: is missing.")
        .error(404, "The merchant has no such offer.")
        .message("There is no such offer.")
        .passes_on_card_network_errors()
        .card_network_message("The card network could not do this with the offer.")
}
