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

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(body: &'static str) -> Result<Fields, Invalid> {
        validated_fields(&RawBody(body.into()))
    }

    #[test]
    fn all_fields_are_optional() {
        let all_fields = r#"{
            "name": "A", "description": null, "giftCardOfferStatus": "HIDDEN", "usage": "WEB", "type": "t",
            "urlGiftcardResource": "u", "defaultPrice": 25, "minPrice": 0.10000000000000000001, "maxPrice": 5e2,
            "numberOfDaysCardIsValidFromPurchaseTime": 365, "priceLocked": false, "unlimited": true,
            "availableForPurchaseTime": "2026-06-01", "expireForPurchaseTime": "", "giftCardDesign": [{"urlImage": 1}],
            "denominations": [10, 25.5], "currency": "SEK", "id": 7, "giftCardOfferId": 7, "merchantId": "1001"
        }"#;
        let all_fields = fields(all_fields).unwrap();
        assert_eq!(all_fields.len(), 20);
        assert_eq!(all_fields["minPrice"].get(), "0.10000000000000000001");
        assert_eq!(fields(r#"{"currency": " sek"}"#).unwrap()["currency"].get(), r#""SEK""#);
        assert!(fields("{}").unwrap().is_empty());
    }

    #[test]
    fn errors_name_the_field() {
        for (body, message) in [
            (r#"{"name": ""}"#, "name: must not be empty"),
            (r#"{"name": null}"#, "name: must be a string."),
            (r#"{"description": 1}"#, "description: must be a string."),
            (r#"{"currency": null}"#, "currency: must be a string."),
            (r#"{"priceLocked": "true"}"#, "priceLocked: must be true or false."),
            (r#"{"defaultPrice": "25"}"#, "defaultPrice: must be a number"),
            (r#"{"defaultPrice": null}"#, "defaultPrice: must be a number"),
            (r#"{"maxPrice": 1e999}"#, "maxPrice: is too large"),
            (r#"{"denominations": [10, "25"]}"#, "denominations[1]: must be a number"),
            (r#"{"denominations": 10}"#, "denominations: must be a list."),
            (r#"{"giftCardDesign": ["x"]}"#, "giftCardDesign[0]: must be an object."),
            (r#"{"giftCardDesign": [{"urlImage": [[[[[[[1]]]]]]]}]}"#, "giftCardDesign[0].urlImage"),
            (r#"{"merchantId": 1001}"#, "merchantId: must be a string."),
            (r#"{"usage": "WEB", "usage": "POS"}"#, "usage: is given more than once."),
            (r#"{"faceValue": 25}"#, "faceValue: cannot be given here."),
            ("[]", "The body is not a JSON object."),
            ("{", "The body is not valid JSON."),
        ] {
            let fault = fields(body).unwrap_err();
            assert!(fault.message().starts_with(message), "{body}: {}", fault.message());
        }
    }
}
