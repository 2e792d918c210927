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

#[cfg(test)]
mod tests {
    use super::*;
    use shared::values::{Currency, MerchantId, NetworkMerchantId};

    fn merchant() -> Merchant {
        let mut merchant = Merchant::new(MerchantId::new("m-1"), jiff::Timestamp::UNIX_EPOCH);
        merchant.network_merchant_id = Some(NetworkMerchantId::new("1001"));
        merchant.currency = Some(Currency::EUR);
        merchant
    }

    fn normalize(raw: &str) -> Result<Option<OfferWithRaw>, NetworkError> {
        OfferWithRaw::from_raw(&merchant(), serde_json::from_str(raw).unwrap())
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
          "saleProblem": null,
          "raw": {"giftCardOfferId":501,"merchantId":"1001","name":"Gift card","description":"For coffee","giftCardOfferType":"GIFTCARD_DIGITAL","giftCardOfferStatus":"AVAILABLE","currency":"SEK","default_price":"25.50","minPrice":10,"maxPrice":500.00000000000000001,"denominations":"10, 25.50","priceLocked":true,"availableForPurchaseTime":"2026-01-01T00:00:00Z","expireForPurchaseTime":null,"numberOfDaysCardIsValidFromPurchaseTime":365,"odd":0.10}
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
          "saleProblem": null,
          "raw": {"id":7,"merchantId":1001}
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
        assert!(OfferWithRaw::from_raw(&without_account, raw).unwrap().is_none());
    }

    #[test]
    fn rejects_an_offer_without_an_id() {
        assert!(normalize(r#"{"merchantId": "1001"}"#).is_err());
    }
}
