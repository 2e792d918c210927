//! `PUT /api/bff/offers/{id}`: updates some fields of an offer.

use axum::extract::State;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::{Fields, RawOffer};
use shared::http::{Authorized, Data, Description, Invalid, Number, OfferDesign, PathIds, RawBody, permission};
use shared::values::Currency;
use utoipa::ToSchema;

use crate::bounds;
use crate::merchant_offer::{self, ChangeOfferError};
use crate::normalized::{OfferWithRaw, example};

/// The fields of an offer to change. `id`, `giftCardOfferId` and `merchantId` are accepted and ignored.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "validates the body, whose fields are sent to the card network unchanged")]
struct OfferChanges {
    /// The name that buyers see.
    #[serde(default, deserialize_with = "not_empty")]
    #[schema(min_length = 1)]
    name: String,
    /// The text that buyers see. Null removes it.
    #[serde(default)]
    description: Option<String>,
    /// Such as `AVAILABLE` or `HIDDEN`. The card network validates it.
    #[serde(default)]
    gift_card_offer_status: String,
    /// Where cards can be redeemed: on the web, at tills or both. The card network defines the values.
    #[serde(default)]
    usage: String,
    /// Sent to the card network unchanged. It cannot change the kind of card.
    #[serde(default)]
    r#type: String,
    /// The address of the image.
    #[serde(default)]
    url_giftcard_resource: String,
    /// The suggested price, or the only one if `priceLocked`, in currency units.
    #[serde(default)]
    #[schema(value_type = f64)]
    default_price: Number,
    /// The lowest price in currency units.
    #[serde(default)]
    #[schema(value_type = f64)]
    min_price: Number,
    /// The highest price in currency units.
    #[serde(default)]
    #[schema(value_type = f64)]
    max_price: Number,
    /// For how many days after its sale a card can be redeemed.
    #[serde(default)]
    #[schema(value_type = f64)]
    number_of_days_card_is_valid_from_purchase_time: Number,
    /// Whether the card is only sold at the `defaultPrice`.
    #[serde(default)]
    price_locked: bool,
    /// Whether any number of cards can be sold.
    #[serde(default)]
    unlimited: bool,
    /// When the sale begins: a time in ISO 8601 (in UTC if it has no offset), or a date, which means its start in the merchant's
    /// time zone. Empty for no limit.
    #[serde(default)]
    available_for_purchase_time: String,
    /// When the sale ends: a time in ISO 8601, or a date, which means its end. Empty for no limit.
    #[serde(default)]
    expire_for_purchase_time: String,
    /// The images of the card, as `urlImage` and `urlResource`.
    #[serde(default)]
    #[schema(value_type = Vec<OfferDesign>)]
    gift_card_design: Vec<Fields>,
    /// The prices to choose from, in currency units.
    #[serde(default)]
    #[schema(value_type = Vec<f64>)]
    denominations: Vec<Number>,
    /// ISO 4217 code of the prices, case-insensitive. It must be a current code, unless it is unchanged.
    #[serde(default)]
    currency: String,
    /// Ignored: the path names the offer.
    #[serde(default)]
    #[schema(value_type = f64)]
    id: Number,
    /// Ignored: the path names the offer.
    #[serde(default)]
    #[schema(value_type = f64)]
    gift_card_offer_id: Number,
    /// Ignored: an offer stays with its merchant.
    #[serde(default)]
    merchant_id: String,
}

fn not_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() { Err(D::Error::custom("must not be empty")) } else { Ok(text) }
}

/// Merges the fields into the offer and returns the updated offer.
pub(crate) async fn update_offer(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    body: RawBody,
) -> Result<Data<OfferWithRaw>, ChangeOfferError> {
    let id = merchant_offer::id(&path)?;
    let changes = validated_fields(&body)?;
    let change = |current: RawOffer| match current.problem_of_change(&changes) {
        Some(problem) => Err(Invalid::new(problem.to_string()).into()),
        None => Ok(current.merged_with(changes)),
    };
    merchant_offer::update(&app, &invocation, &caller, &id, change).await.map(Data)
}

fn validated_fields(body: &RawBody) -> Result<Fields, Invalid> {
    let currency = body.parse::<OfferChanges>()?.currency.parse::<Currency>().ok();
    let mut fields: Fields = body.parse()?;
    bounds::check(&fields)?;
    if let Some((kept, currency)) = fields.get_mut("currency").zip(currency) {
        *kept = to_raw_value(&currency).map_err(|error| Invalid::new(format!("currency: {error}.")))?;
    }
    Ok(fields)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "updateOffer",
        "Update an offer",
        "Updates the fields of the body and keeps the others. `id`, `giftCardOfferId` and `merchantId` are accepted \
         and ignored.",
    )
    .body::<OfferChanges>(json!({"description": "For any amount, in every shop", "maxPrice": 5000}))
    .success("The updated offer.", example())
}
