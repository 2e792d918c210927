//! `GET /api/bff/offers/{id}`: returns one of the merchant's offers.

use axum::extract::State;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::http::{Authorized, Data, Description, PathIds, permission};

use crate::merchant_offer::{self, OfferError};
use crate::normalized::{OfferWithRaw, example};

pub(crate) async fn get_offer(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
) -> Result<Data<OfferWithRaw>, OfferError> {
    let id = merchant_offer::id(&path)?;
    merchant_offer::find(&app, &invocation, &caller.merchant, &id).await.map(Data)
}

pub(crate) fn describe() -> Description {
    Description::new("getOffer", "Get an offer", "Returns one of the merchant's offers.").success("The offer.", example())
}
