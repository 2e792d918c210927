//! `GET /api/bff/offers/{id}`: one of the merchant's offers.

use axum::extract::State;
use shared::app::App;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::path::PathIds;
use shared::http::reply::Data;

use crate::normalised::{NormalisedOffer, example};
use crate::own;

/// The offer.
///
/// 400 without an id, 404 for an offer that is not the merchant's; else whatever status the network fails with.
pub(crate) async fn offer(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<NormalisedOffer>, Fault> {
    let id = own::id(&path)?;
    own::find(&app, &invocation, &caller.merchant, &id).await.map(Data)
}
pub(crate) fn describe() -> Description {
    Description::new("Read an offer", "One of the merchant's offers.")
        .data::<NormalisedOffer>("The offer.", example())
        .refuses(400, "The id is blank.")
        .refuses(404, "There is no such offer.")
        .passes_on_the_network()
}
