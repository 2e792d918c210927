//! The offer representation of this API, with the card network's own.

use serde::Serialize;
use serde_json::{Value, json};
use shared::card_network::{NetworkError, RawOffer};
use shared::http::NetworkOffer;
use shared::merchants::model::merchant::Merchant;
use shared::offers::model::offer::Seller;
use shared::offers::view::NormalizedOffer;
use utoipa::ToSchema;

/// An offer of the merchant.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Offer)]
pub(crate) struct OfferWithRaw {
    #[serde(flatten)]
    pub(crate) normalized: NormalizedOffer,
    /// The unchanged offer of the card network: its fields in their original order, including duplicates.
    #[schema(value_type = NetworkOffer)]
    pub(crate) raw: RawOffer,
}

impl OfferWithRaw {
    /// Parses an offer of the card network. `None` if it belongs to another merchant; an error if it has no id.
    ///
    /// The only constructor, so that no route can return another merchant's offer.
    pub(crate) fn from_raw(merchant: &Merchant, raw: RawOffer) -> Result<Option<Self>, NetworkError> {
        let offer = raw.read()?;
        if !merchant.network_merchant_id.as_ref().is_some_and(|account| offer.belongs_to(account)) {
            return Ok(None);
        }
        Ok(Some(Self { normalized: NormalizedOffer::new(offer, &Seller::from(merchant)), raw }))
    }
}

/// Returns the example for the API description.
pub(crate) fn example() -> Value {
    json!({
        "id": "501", "name": "Aurora gift card", "status": "AVAILABLE", "currency": "SEK", "defaultPrice": null, "min": 50,
        "max": 5000, "denominations": [], "priceLocked": false, "availableForPurchaseTime": null,
        "expireForPurchaseTime": null, "numberOfDaysCardIsValidFromPurchaseTime": 1095,
        "description": "For any amount, in every shop", "saleProblem": null,
        "raw": {
            "giftCardOfferId": 501, "merchantId": "1001", "name": "Aurora gift card",
            "description": "For any amount, in every shop", "giftCardOfferType": "GIFTCARD_DIGITAL",
            "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH", "currency": "SEK", "minPrice": 50, "maxPrice": 5000,
            "numberOfDaysCardIsValidFromPurchaseTime": 1095,
        },
    })
}
