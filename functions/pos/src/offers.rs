//! `GET /api/bff/pos/offers`: what a till can sell now.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::NetworkError;
use shared::endpoint_error;
use shared::http::{AtTill, Data, Description, General, TruncatedList};
use shared::offers::model::offer::{OfferType, Seller};
use shared::offers::view::NormalizedOffer;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TillOffers)]
pub(crate) struct Offers {
    /// The offers that can be sold now, in the card network's order. Those that do not fit into the response are left out.
    #[schema(value_type = Vec<TillOffer>)]
    items: Vec<Box<RawValue>>,
}

#[derive(Debug, Serialize, ToSchema)]
struct TillOffer {
    #[serde(flatten)]
    offer: NormalizedOffer,
    /// `REFUND_DIGITAL` for cards that give back a redemption, which are not sold.
    r#type: OfferType,
}

endpoint_error! {
    pub(crate) enum OffersError {
        CardNetwork(#[from] NetworkError) => card_network "The offers could not be read.",
    }
}

/// Returns the offers that an issue can name now; none if the merchant has no card network account.
pub(crate) async fn offers(caller: AtTill, State(app): State<App>, invocation: Invocation) -> Result<Data<Offers>, OffersError> {
    let Some(account) = &caller.merchant.network_merchant_id else {
        return Ok(Data(Offers { items: Vec::new() }));
    };
    let list = app.card_network().offers(&invocation, account).await?;
    let seller = Seller::from(&*caller.merchant);
    let on_sale = list.on_sale(account, &seller, app.clock.now()).map(|sale| sale.offer);
    let items = on_sale.map(|offer| TillOffer { r#type: offer.offer_type, offer: NormalizedOffer::new(offer, &seller) });
    let shown = TruncatedList::new(items).map_err(|error| General::internal(error.to_string()))?;
    Ok(Data(Offers { items: shown.items }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listTillOffers",
        "List what a till can sell",
        "Returns the offers that are available and can be bought now, including those of the type `REFUND_DIGITAL`. Empty if the \
         merchant has no card network account.",
    )
    .success(
        "The offers.",
        json!({"items": [{
            "id": "501", "name": "Aurora gift card", "status": "AVAILABLE", "currency": "SEK", "defaultPrice": null,
            "min": 50, "max": 5000, "denominations": [], "priceLocked": false, "availableForPurchaseTime": null,
            "expireForPurchaseTime": null, "numberOfDaysCardIsValidFromPurchaseTime": 1095,
            "description": "For any amount, in every shop", "saleProblem": null, "type": "GIFTCARD_DIGITAL",
        }]}),
    )
}
