//! The offers of the card network: what is made of any object, and what a change leaves alone.

use jiff::tz::TimeZone;
use serde_json::Value;
use shared::card_network::{Fields, RawOffer};
use shared::offers::model::offer::{NotForSale, OfferStatus, OnSale, Seller};
use shared::offers::model::prices::Prices;
use shared::offers::view::NormalizedOffer;
use shared::values::{Currency, Minor};

use crate::support::APP;

pub fn offer(data: &[u8]) {
    let Ok(raw) = serde_json::from_slice::<RawOffer>(data) else { return };
    let text = serde_json::to_string(&raw).unwrap();
    let again: RawOffer = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&again).unwrap(), text);
    if let Ok(offer) = raw.read() {
        let (id, merchant) = (offer.id.clone(), offer.merchant.clone());
        let seller = Seller { currency: Some(Currency::EUR), zone: TimeZone::UTC };
        let problem = offer.sale_problem(&seller);
        match offer.clone().on_sale(&seller, APP.clock.now()) {
            Ok(OnSale { currency, prices, .. }) => {
                assert_eq!(problem, None);
                for units in [0, 1, 2_500, Minor::MAX.get()] {
                    let _ = prices.check(Minor::new(units), currency);
                }
                let shown = Prices::of(prices.clone(), Some(Minor::new(2_500)));
                assert!(shown.options.iter().all(|price| prices.check(*price, currency).is_ok()), "{shown:?}");
            }
            Err(NotForSale::Unreadable(unreadable)) => assert_eq!(problem, Some(unreadable)),
            Err(NotForSale::NotAvailable | NotForSale::OutsidePurchaseTimes) => {}
        }
        assert_is_normal(&serde_json::to_string(&NormalizedOffer::new(offer, &seller)).unwrap());

        // Whatever is changed, it stays the same offer of the same merchant, and the same change changes nothing more.
        let fields: Fields = serde_json::from_str(&text).unwrap();
        // A request has at most twenty.
        let changes: Fields = fields.into_keys().take(20).map(|name| (name, value("\"7\""))).collect();
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
    assert!(offer["priceLocked"].is_null() || offer["priceLocked"].is_boolean(), "{json}");
    let texts = ["availableForPurchaseTime", "expireForPurchaseTime", "description", "saleProblem"];
    assert!(texts.iter().all(|name| offer[*name].is_null() || offer[*name].is_string()), "{json}");
}
