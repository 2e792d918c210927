//! The offer representation of this API. The card network has several names for some fields.

use serde::Serialize;
use serde_json::{Value, json};
use shared::card_network::{NetworkError, RawOffer};
use shared::domain::ids::OfferId;
use shared::domain::merchant::Merchant;
use shared::domain::money::Decimal;
use shared::http::network_objects::NetworkOffer;
use utoipa::ToSchema;

/// An offer of the merchant. Amounts are decimals in currency units, with the digits of the card network.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Offer)]
pub(crate) struct NormalizedOffer {
    /// The number of the offer at the card network, as text.
    pub(crate) id: OfferId,
    /// The name that buyers see.
    name: String,
    /// The status at the card network. Only an `AVAILABLE` offer can be sold.
    status: String,
    /// ISO 4217 code. Defaults to the merchant's own currency; empty if neither is known.
    currency: String,
    /// The price that is suggested, or the only one if `priceLocked`, in currency units. Null if there is none.
    #[schema(value_type = Option<f64>)]
    default_price: Option<Decimal>,
    /// The lowest price in currency units. Null if there is none.
    #[schema(value_type = Option<f64>)]
    min: Option<Decimal>,
    /// The highest price in currency units. Null if there is none.
    #[schema(value_type = Option<f64>)]
    max: Option<Decimal>,
    /// The prices to choose from, in currency units.
    #[schema(value_type = Vec<f64>)]
    denominations: Vec<Decimal>,
    /// Whether the card is only sold at the `defaultPrice`.
    price_locked: bool,
    /// When the sale begins, in ISO 8601. Null if it is not limited.
    available_for_purchase_time: Option<String>,
    /// When the sale ends, in ISO 8601. Null if it is not limited.
    expire_for_purchase_time: Option<String>,
    /// The days after its sale on which a card can be redeemed. Null if the card network names none.
    #[schema(value_type = Option<f64>)]
    number_of_days_card_is_valid_from_purchase_time: Option<Decimal>,
    /// The text that buyers see. Null if there is none.
    description: Option<String>,
    /// The unchanged offer of the card network.
    #[schema(value_type = NetworkOffer)]
    pub(crate) raw: RawOffer,
}

impl NormalizedOffer {
    /// Parses an offer of the card network. `None` if it belongs to another merchant; an error if it has no id.
    ///
    /// The only constructor, so that no route can return another merchant's offer.
    pub(crate) fn from_raw(merchant: &Merchant, raw: RawOffer) -> Result<Option<Self>, NetworkError> {
        let offer = raw.read()?;
        if !merchant.network_merchant_id.as_ref().is_some_and(|account| offer.belongs_to(account)) {
            return Ok(None);
        }
        let currency = match offer.currency_or(merchant.currency) {
            Ok(currency) => currency.map(|currency| currency.code().to_owned()),
            Err(_) => offer.currency,
        };
        Ok(Some(Self {
            id: offer.id,
            name: offer.name,
            status: offer.status,
            currency: currency.unwrap_or_default(),
            default_price: offer.pricing.default_price,
            min: offer.pricing.min,
            max: offer.pricing.max,
            denominations: offer.pricing.denominations,
            price_locked: offer.pricing.price_locked,
            available_for_purchase_time: offer.available_for_purchase_time,
            expire_for_purchase_time: offer.expire_for_purchase_time,
            number_of_days_card_is_valid_from_purchase_time: offer.valid_days,
            description: offer.description,
            raw,
        }))
    }
}

/// Returns the example for the API description.
pub(crate) fn example() -> Value {
    json!({
        "id": "501", "name": "Aurora gift card", "status": "AVAILABLE", "currency": "SEK", "defaultPrice": null, "min": 50,
        "max": 5000, "denominations": [], "priceLocked": false, "availableForPurchaseTime": null,
        "expireForPurchaseTime": null, "numberOfDaysCardIsValidFromPurchaseTime": 1095,
        "description": "For any amount, in every shop",
        "raw": {
            "giftCardOfferId": 501, "merchantId": "1001", "name": "Aurora gift card",
            "description": "For any amount, in every shop", "giftCardOfferType": "GIFTCARD_DIGITAL",
            "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH", "currency": "SEK", "minPrice": 50, "maxPrice": 5000,
            "numberOfDaysCardIsValidFromPurchaseTime": 1095,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::domain::ids::{MerchantId, NetworkMerchantId};
    use shared::domain::money::Currency;

    fn merchant() -> Merchant {
        let mut merchant = Merchant::new(MerchantId::new("m-1"));
        merchant.network_merchant_id = Some(NetworkMerchantId::new("1001"));
        merchant.currency = Some(Currency::EUR);
        merchant
    }

    fn normalize(raw: &str) -> Result<Option<NormalizedOffer>, NetworkError> {
        NormalizedOffer::from_raw(&merchant(), serde_json::from_str(raw).unwrap())
    }

    fn response_for(raw: &str) -> String {
        serde_json::to_string_pretty(&normalize(raw).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn returns_every_field_of_the_network() {
        let raw = r#"{
            "giftCardOfferId": 501, "merchantId": "1001", "name": "Gift card", "description": "For coffee",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "currency": "SEK",
            "default_price": "25.50", "minPrice": 10, "maxPrice": 500.00000000000000001,
            "denominations": "10, 25.50", "priceLocked": true,
            "availableForPurchaseTime": "2026-01-01T00:00:00Z", "expireForPurchaseTime": null,
            "numberOfDaysCardIsValidFromPurchaseTime": 365, "odd": 0.10
        }"#;
        insta::assert_snapshot!(response_for(raw), @r#"
        {
          "id": "501",
          "name": "Gift card",
          "status": "AVAILABLE",
          "currency": "SEK",
          "defaultPrice": 25.5,
          "min": 10,
          "max": 500.00000000000000001,
          "denominations": [
            10,
            25.5
          ],
          "priceLocked": true,
          "availableForPurchaseTime": "2026-01-01T00:00:00Z",
          "expireForPurchaseTime": null,
          "numberOfDaysCardIsValidFromPurchaseTime": 365,
          "description": "For coffee",
          "raw": {
            "availableForPurchaseTime": "2026-01-01T00:00:00Z",
            "currency": "SEK",
            "default_price": "25.50",
            "denominations": "10, 25.50",
            "description": "For coffee",
            "expireForPurchaseTime": null,
            "giftCardOfferId": 501,
            "giftCardOfferStatus": "AVAILABLE",
            "giftCardOfferType": "GIFTCARD_DIGITAL",
            "maxPrice": 500.00000000000000001,
            "merchantId": "1001",
            "minPrice": 10,
            "name": "Gift card",
            "numberOfDaysCardIsValidFromPurchaseTime": 365,
            "odd": 0.10,
            "priceLocked": true
          }
        }
        "#);
    }

    #[test]
    fn missing_fields_are_null_and_the_currency_defaults_to_the_merchants() {
        insta::assert_snapshot!(response_for(r#"{"id": 7, "merchantId": 1001}"#), @r#"
        {
          "id": "7",
          "name": "",
          "status": "",
          "currency": "EUR",
          "defaultPrice": null,
          "min": null,
          "max": null,
          "denominations": [],
          "priceLocked": false,
          "availableForPurchaseTime": null,
          "expireForPurchaseTime": null,
          "numberOfDaysCardIsValidFromPurchaseTime": null,
          "description": null,
          "raw": {
            "id": 7,
            "merchantId": 1001
          }
        }
        "#);
    }

    #[test]
    fn never_returns_an_offer_of_another_merchant() {
        for (raw, is_own) in [
            (r#"{"id": 7, "merchantId": "1001"}"#, true),
            (r#"{"id": 7, "merchantId": "1002"}"#, false),
            (r#"{"id": 7, "merchantId": null}"#, false),
            (r#"{"id": 7}"#, false),
        ] {
            assert_eq!(normalize(raw).unwrap().is_some(), is_own, "{raw}");
        }
        let without_account = Merchant { network_merchant_id: None, ..merchant() };
        let raw = serde_json::from_str(r#"{"id": 7, "merchantId": "1001"}"#).unwrap();
        assert!(NormalizedOffer::from_raw(&without_account, raw).unwrap().is_none());
    }

    #[test]
    fn rejects_an_offer_without_an_id() {
        assert!(normalize(r#"{"merchantId": "1001"}"#).is_err());
    }
}
