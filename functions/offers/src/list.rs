//! `GET /api/bff/offers`: lists the merchant's offers.

use std::ops::Not;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::card_network::NetworkError;
use shared::card_network::RawOffer;
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, General, TruncatedList, permission};
use shared::merchants::model::merchant::Merchant;
use utoipa::ToSchema;

use crate::normalized::{OfferWithRaw, example};

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Offers {
    /// The offers, in the card network's order.
    #[schema(value_type = Vec<OfferWithRaw>)]
    items: Vec<Box<RawValue>>,
    /// `true` if offers were left out because the list is too long for a response; missing otherwise. Each can be retrieved on
    /// its own.
    #[serde(skip_serializing_if = "Not::not")]
    #[schema(required = false)]
    truncated: bool,
}

endpoint_error! {
    pub(crate) enum ListOffersError {
        CardNetwork(#[from] NetworkError) => card_network "The offers could not be read.",
    }
}

/// Returns `{items}` in the card network's order; empty if the merchant has no card network account. Offers for which the
/// response has no room are left out.
pub(crate) async fn list_offers(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
) -> Result<Data<Offers>, ListOffersError> {
    let Some(account) = &caller.merchant.network_merchant_id else {
        return Ok(Data(Offers { items: Vec::new(), truncated: false }));
    };
    let list = app.card_network().offers(&invocation, account).await?;
    let items = list.offers().filter_map(|raw| own_offer(&caller.merchant, raw));
    let shown = TruncatedList::new(items).map_err(|error| General::internal(error.to_string()))?;
    Ok(Data(Offers { items: shown.items, truncated: shown.is_truncated || !list.is_complete }))
}

/// Skips offers that cannot be parsed or belong to another merchant.
fn own_offer(merchant: &Merchant, raw: RawOffer) -> Option<OfferWithRaw> {
    let offer = best_effort("an offer of the card network's list", OfferWithRaw::from_raw(merchant, raw))?;
    if offer.is_none() {
        tracing::warn!("the card network listed an offer of another merchant");
    }
    offer
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listOffers",
        "List offers",
        "Returns the merchant's offers in the card network's order. The list is empty if the merchant has no card \
         network account.",
    )
    .success("The offers.", json!({"items": [example()]}))
}
