//! What the card network knows of the merchant: its account, its stores, its offers and its latest cards.

use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::clock::later;
use upstreams::simulators::card_network::CardNetworkFixtures;

use super::history::Sale;
use super::merchant::{
    CURRENCY, GIFT_CARD, GIFT_CARD_BOUNDS, MINOR_UNITS, NAME, NETWORK_ID, STORES, TREAT, TREAT_PRICE,
};

const VALID_DAYS: i64 = 3 * 365;

pub(super) fn records<'a>(
    issued: impl Iterator<Item = &'a Sale>,
) -> Result<CardNetworkFixtures, serde_json::Error> {
    let records = json!({
        "merchants": [{
            "merchantId": NETWORK_ID, "name": NAME, "country": "IE", "currency": CURRENCY, "status": "ACTIVE",
        }],
        "stores": stores(),
        "offers": offers(),
        "cards": issued.filter_map(card).collect::<Vec<_>>(),
    });
    serde_json::from_str(&records.to_string())
}

fn stores() -> Vec<Value> {
    let store = |(number, name): (usize, &&str)| {
        json!({
            "merchantId": NETWORK_ID, "externalId": format!("store-{number:02}"), "name": name,
            "address1": "", "address2": "", "city": name.split(',').next(), "postcode": "", "country": "IE",
            "cashRegisters": 4, "status": "ACTIVE",
        })
    };
    (1..).zip(&STORES).map(store).collect()
}

fn offers() -> Value {
    let [min, max] = GIFT_CARD_BOUNDS;
    json!([
        {
            "merchantId": NETWORK_ID, "giftCardOfferId": GIFT_CARD.id, "name": GIFT_CARD.name,
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH",
            "currency": CURRENCY, "minPrice": min, "maxPrice": max,
            "numberOfDaysCardIsValidFromPurchaseTime": VALID_DAYS,
        },
        {
            "merchantId": NETWORK_ID, "giftCardOfferId": TREAT.id, "name": TREAT.name,
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH",
            "currency": CURRENCY, "defaultPrice": TREAT_PRICE, "priceLocked": true,
            "numberOfDaysCardIsValidFromPurchaseTime": VALID_DAYS,
        },
    ])
}

/// The card of a sale. All amounts of the history are whole currency units.
fn card(sale: &Sale) -> Option<Value> {
    let card = sale.order.gift_cards.first()?;
    let balance = card.value.minor.get() - sale.redeemed().get();
    let is_treat = sale.order.items.iter().any(|item| item.offer_name == TREAT.name);
    Some(json!({
        "merchantId": NETWORK_ID,
        "giftCardOfferId": if is_treat { TREAT.id } else { GIFT_CARD.id },
        "giftCardId": card.id,
        "qrCode": card.qr_code,
        "networkCode": card.network_code,
        "status": if balance == 0 { "REDEEMED" } else { "ACTIVE" },
        "value": card.value.minor.get() / MINOR_UNITS,
        "valueRemains": balance / MINOR_UNITS,
        "currency": CURRENCY,
        "expiresAt": later(sale.order.created_at, SignedDuration::from_hours(VALID_DAYS * 24)),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::history::sales;
    use super::*;

    #[test]
    fn all_records_are_valid() {
        let now = "2026-07-15T12:34:56.789Z".parse().unwrap();
        let plan = Plan { orders: 50, days: 30, seed: 1, now };
        let issued: Vec<Sale> = sales(&plan).filter(Sale::is_completed).collect();
        assert!(issued.iter().all(|sale| card(sale).is_some_and(|card| card["qrCode"].is_string())));
        records(issued.iter()).unwrap();
    }
}
