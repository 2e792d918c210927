//! The offers of the card network: what is made of any object, and what a change leaves alone.

use serde_json::Value;
use shared::card_network::{Fields, RawOffer};
use shared::domain::money::{Currency, Minor};
use shared::domain::offer::OfferStatus;
use shared::http::normalized_offer::NormalizedOffer;

use crate::support::APP;

pub fn offer(data: &[u8]) {
    let Ok(raw) = serde_json::from_slice::<RawOffer>(data) else { return };
    let text = serde_json::to_string(&raw).unwrap();
    let again: RawOffer = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), text);
    if let Ok(offer) = raw.read() {
        let (id, merchant) = (offer.id.clone(), offer.merchant.clone());
        let _ = offer.is_on_sale(APP.clock.now());
        for units in [0, 1, 2_500, Minor::MAX.get()] {
            let _ = offer.pricing.check(Minor::new(units), Currency::EUR);
        }
        assert_is_normal(&serde_json::to_string(&NormalizedOffer::new(offer, Some(Currency::EUR))).unwrap());

        // Whatever is changed, it stays the same offer of the same merchant, and the same change changes nothing more.
        let fields: Fields = serde_json::from_str(&text).unwrap();
        let changes: Fields = fields.into_keys().map(|name| (name, value("\"7\""))).collect();
        let merged = raw.clone().merged_with(changes.clone());
        let changed = merged.read().unwrap();
        assert_eq!((&changed.id, &changed.merchant), (&id, &merchant));
        let twice = merged.clone().merged_with(changes);
        assert_eq!(serde_json::to_string(&twice).unwrap(), serde_json::to_string(&merged).unwrap());
        let hidden = raw.with_status(OfferStatus::Hidden).unwrap().read().unwrap();
        assert_eq!((hidden.id, hidden.merchant, hidden.status.as_str()), (id, merchant, "HIDDEN"));
    }
}

fn value(json: &str) -> Box<serde_json::value::RawValue> {
    serde_json::from_str(json).unwrap()
}

/// The types of all fields, of which clients are told.
fn assert_is_normal(json: &str) {
    let offer: Value = serde_json::from_str(json).unwrap();
    let offer = offer.as_object().unwrap();
    assert!(["id", "name", "status", "currency"].iter().all(|name| offer[*name].is_string()), "{json}");
    let amounts = ["defaultPrice", "min", "max", "numberOfDaysCardIsValidFromPurchaseTime"];
    assert!(amounts.iter().all(|name| offer[*name].is_null() || offer[*name].is_number()), "{json}");
    assert!(offer["denominations"].as_array().unwrap().iter().all(Value::is_number), "{json}");
    assert!(offer["priceLocked"].is_boolean(), "{json}");
    let texts = ["availableForPurchaseTime", "expireForPurchaseTime", "description"];
    assert!(texts.iter().all(|name| offer[*name].is_null() || offer[*name].is_string()), "{json}");
}
