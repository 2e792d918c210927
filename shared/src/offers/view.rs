//! The offer representation of this API. The card network has several names for some fields.

use serde::Serialize;
use utoipa::ToSchema;

use crate::offers::model::offer::{Offer, Seller};
use crate::values::{Currency, Decimal, OfferId};

/// An offer of the merchant. Amounts are decimals in currency units, with the digits of the card network.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NormalizedOffer {
    /// The number of the offer at the card network, as text.
    pub id: OfferId,
    /// The name that buyers see.
    name: String,
    /// The status at the card network. Only an `AVAILABLE` offer can be sold.
    status: String,
    /// ISO 4217 code. Defaults to the merchant's own currency; empty if neither is known. If it is not a valid code, as written
    /// by the card network.
    currency: String,
    /// The suggested price, or the only one if `priceLocked`, in currency units. Null if there is none, or it cannot be read.
    #[schema(value_type = Option<f64>)]
    default_price: Option<Decimal>,
    /// The lowest price in currency units. Null if there is none, or it cannot be read.
    #[schema(value_type = Option<f64>)]
    min: Option<Decimal>,
    /// The highest price in currency units. Null if there is none, or it cannot be read.
    #[schema(value_type = Option<f64>)]
    max: Option<Decimal>,
    /// The prices to choose from, in currency units.
    #[schema(value_type = Vec<f64>)]
    denominations: Vec<Decimal>,
    /// Whether the card is only sold at the `defaultPrice`. Null if it cannot be read.
    price_locked: Option<bool>,
    /// When the sale begins, as written by the card network: a time in ISO 8601 (in UTC if it has no offset), or a date, which
    /// means its start in the merchant's time zone. Null if there is no limit.
    available_for_purchase_time: Option<String>,
    /// When the sale ends: like `availableForPurchaseTime`, but a date means its end. Null if there is no limit.
    expire_for_purchase_time: Option<String>,
    /// For how many days after its sale a card can be redeemed. Null if there is no limit.
    #[schema(value_type = Option<f64>)]
    number_of_days_card_is_valid_from_purchase_time: Option<Decimal>,
    /// The text that buyers see. Null if there is none.
    description: Option<String>,
    /// Why the offer cannot be sold, whatever its status: a sentence that begins with the name of the field that cannot be read
    /// or leaves no valid price. Null if there is no such field.
    sale_problem: Option<String>,
}

impl NormalizedOffer {
    /// The offer, with its merchant's currency where it has none.
    pub fn new(offer: Offer, seller: &Seller) -> Self {
        let sale_problem = offer.sale_problem(seller).map(|problem| problem.to_string());
        let currency = offer.currency.text().or(seller.currency.as_ref().map(Currency::to_string));
        Self {
            id: offer.id,
            name: offer.name,
            status: offer.status,
            currency: currency.unwrap_or_default(),
            default_price: offer.pricing.default_price.shown(),
            min: offer.pricing.min.shown(),
            max: offer.pricing.max.shown(),
            denominations: offer.pricing.denominations.shown().unwrap_or_default(),
            price_locked: offer.pricing.price_locked.limit().ok().map(|locked| locked == Some(&true)),
            available_for_purchase_time: offer.available_for_purchase_time.text(),
            expire_for_purchase_time: offer.expire_for_purchase_time.text(),
            number_of_days_card_is_valid_from_purchase_time: offer.valid_days,
            description: offer.description,
            sale_problem,
        }
    }
}
