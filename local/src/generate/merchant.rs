//! The merchant and its administrator, its stores and what it sells.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::fixtures::{self, FixtureError, Fixtures};
use crate::history::records::VALID_DAYS;
use crate::history::state::{
    BLOCKED, CANCELLED, CAPTURE_FAILED, CAPTURED, CAPTURED_IN_REVIEW, IN_REVIEW, ISSUE_FAILED, PAID, PAYMENT_FAILED,
    PENDING_PAYMENT, REFUNDED, State, UNCHECKED,
};
use crate::history::{Names, Offer, Shop};

pub(super) const ID: &str = "m-big";
pub(super) const ADMIN: &str = "u-big";
/// The merchant's account at the card network.
const NETWORK_ID: &str = "2001";
const NAME: &str = "Big Stores";

/// A card of any amount.
const GIFT_CARD: Offer = Offer {
    id: 801,
    name: "Big Stores gift card",
    prices: &[1000, 1500, 2000, 2000, 2500, 2500, 2500, 3000, 5000, 5000, 5000, 5000, 7500, 10_000, 10_000, 20_000],
};
/// A card of a fixed amount.
const TREAT: Offer = Offer { id: 802, name: "An afternoon for two", prices: &[5900] };

/// The shape of its history. The number of orders and days, and the seed, are those of the command line.
pub(crate) const BIG: Shop = Shop {
    seed: 1,
    orders: 0,
    days: 365,
    last_orders: 0,
    name: None,
    // 60 % of all orders.
    till_percent: 67,
    till_states: &[(20, REFUNDED), (20, State { card: None, ..ISSUE_FAILED }), (10, PAID), (317, UNCHECKED)],
    web_states: &[
        (15, CAPTURED_IN_REVIEW),
        (10, IN_REVIEW),
        (13, BLOCKED),
        (20, CAPTURE_FAILED),
        (50, PAYMENT_FAILED),
        (40, CANCELLED),
        (30, PENDING_PAYMENT),
        (20, CAPTURED),
        (20, PAID),
        (30, ISSUE_FAILED),
        (50, REFUNDED),
    ],
    offers: &[GIFT_CARD, TREAT],
    redemptions: &[0, 1],
    visits: &[20],
    settled_on_sale: 0,
    unpaid_days: 7,
    stores: &[
        "Dublin", "Paris", "Berlin", "Madrid", "Milano", "Utrecht", "Wien", "Lisboa", "Aarhus", "Anvers", "Athína", "Bergen",
        "Bologna", "Bordeaux", "Brno", "Brussel", "Cork", "Dresden", "Firenze", "Galway", "Gdańsk", "Uppsala", "Graz", "Hamburg",
        "Helsinki", "Köln", "Kraków", "Liège", "Lyon", "Málaga", "Malmö", "München", "Nantes", "Porto", "Praha", "Sevilla",
        "Tallinn", "Torino", "Warszawa", "Zagreb",
    ],
    names: Names {
        first: &[
            "Ada", "Adèle", "Agata", "Aino", "Alva", "Amélie", "André", "Åsa", "Aurora", "Bastien", "Björn", "Bruno", "Carmen",
            "Céline", "Chiara", "Clara", "Daan", "Diego", "Dóra", "Élodie", "Elias", "Emma", "Ewa", "Fátima", "Finn", "Gaëlle",
            "Freja", "Giulia", "Greta", "Hélène", "Hugo", "Inês", "Isabel", "Jakub", "Joana", "Jörg", "José", "Jürgen", "Lars",
            "Léa", "Lena", "Liam", "Łukasz", "Maja", "Márton", "Mateo", "Matěj", "Mila", "Nils", "Noémie", "Olga", "Paula",
            "Raúl", "Saga", "Siân", "Søren", "Théo", "Ursula", "Zoë", "Željko",
        ],
        last: &[
            "Adler", "Almeida", "Åberg", "Bakker", "Becker", "Beneš", "Berglund", "Bianchi", "Boyle", "Brânză", "Byrne",
            "Castro", "Čapek", "Conti", "Costa", "Dahl", "De Vries", "Dubois", "Eklund", "Esposito", "Ferrari", "Fischer",
            "Fournier", "García", "Gauthier", "Gómez", "Groß", "Haavisto", "Hansen", "Hoffmann", "Holm", "Horváth", "Ionescu",
            "Jansen", "Jensen", "Kaya", "Keller", "Kovács", "Kowalski", "Krüger", "Laurent", "Lefèvre", "Lindholm", "López",
            "Łuczak", "Martin", "Meyer", "Moreau", "Müller", "Muñoz", "Murphy", "Nagy", "Nieminen", "Novák", "Nyman", "O'Brien",
            "Olsen", "Öztürk", "Pereira", "Petrov", "Rasmusen", "Ricci", "Rossi", "Sánchez", "Santos", "Schäfer", "Schmidt",
            "Silva", "Sørby", "Şahin", "Teixeira", "Virtanen", "Vogel", "Weiß", "Wójcik", "Zanetti", "Žižek",
        ],
    },
};

/// Its settlement mode is not set, so that it is settled on redemption.
pub(crate) fn merchant(now: Timestamp) -> Result<Fixtures, FixtureError> {
    let document = json!({
        "merchants": [{
            "id": ID, "slug": "big-stores", "status": "ACTIVE", "name": NAME, "legalName": format!("{NAME} Ltd"),
            "tradeName": NAME, "tradingName": NAME, "country": "IE", "currency": "EUR",
            "numberOfLocations": BIG.stores.len(), "networkMerchantId": NETWORK_ID,
            "defaultOfferId": GIFT_CARD.id.to_string(), "fees": {"percentBps": 250}, "payoutDelayDays": 7,
        }],
        "users": [{
            "id": ADMIN, "email": "u-big@example.com", "firstName": "Bea", "lastName": "Byrne",
            "emailVerified": true, "merchantId": ID, "merchantTeamRole": "ADMIN",
        }],
        "cardNetwork": {
            "merchants": [{
                "merchantId": NETWORK_ID, "name": NAME, "country": "IE", "currency": "EUR", "status": "ACTIVE",
            }],
            "stores": stores(),
            "offers": [
                {
                    "merchantId": NETWORK_ID, "giftCardOfferId": GIFT_CARD.id, "name": GIFT_CARD.name,
                    "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH",
                    "currency": "EUR", "minPrice": 10, "maxPrice": 500,
                    "numberOfDaysCardIsValidFromPurchaseTime": VALID_DAYS,
                },
                {
                    "merchantId": NETWORK_ID, "giftCardOfferId": TREAT.id, "name": TREAT.name,
                    "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH",
                    "currency": "EUR", "defaultPrice": 59, "priceLocked": true,
                    "numberOfDaysCardIsValidFromPurchaseTime": VALID_DAYS,
                },
            ],
        },
    });
    fixtures::parse(document.to_string().as_bytes(), now)
}

fn stores() -> Vec<Value> {
    let store = |(number, name): (usize, &&str)| {
        json!({
            "merchantId": NETWORK_ID, "externalId": format!("store-{number:02}"), "name": name,
            "address1": "", "address2": "", "city": name, "postcode": "", "country": "IE",
            "cashRegisters": 4, "status": "ACTIVE",
        })
    };
    (1..).zip(BIG.stores).map(store).collect()
}
