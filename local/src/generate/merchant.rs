//! The merchant and its administrator, its stores and what it sells.

use shared::domain::fees::FeeTerms;
use shared::domain::ids::{MerchantId, NetworkMerchantId, OfferId, UserId};
use shared::domain::merchant::{Merchant, MerchantStatus};
use shared::domain::money::Currency;
use shared::domain::team::{Membership, Powers, Role, User};

pub(super) const ID: &str = "m-big";
pub(super) const ADMIN: &str = "u-big";
const ADMIN_EMAIL: &str = "u-big@example.com";
/// The merchant's account at the card network.
pub(super) const NETWORK_ID: &str = "2001";
pub(super) const NAME: &str = "Big Stores";
pub(super) const CURRENCY: Currency = Currency::EUR;
/// Minor units of the currency in a unit.
pub(super) const MINOR_UNITS: i64 = 100;

/// An offer at the card network.
#[derive(Debug, Clone, Copy)]
pub(super) struct Offer {
    pub(super) id: u64,
    pub(super) name: &'static str,
}

/// A card of any amount.
pub(super) const GIFT_CARD: Offer = Offer { id: 801, name: "Big Stores gift card" };
/// The smallest and the largest amount of a gift card, in currency units.
pub(super) const GIFT_CARD_BOUNDS: [i64; 2] = [10, 500];
/// A card of a fixed amount.
pub(super) const TREAT: Offer = Offer { id: 802, name: "An afternoon for two" };
/// In currency units.
pub(super) const TREAT_PRICE: i64 = 59;

/// The names of the stores, busiest first.
pub(super) const STORES: [&str; 40] = [
    "Dublin, Grafton Street",
    "Paris, Opéra",
    "Berlin, Mitte",
    "Madrid, Gran Vía",
    "Milano, Duomo",
    "Amsterdam, Dam",
    "Wien, Graben",
    "Lisboa, Chiado",
    "Aarhus",
    "Antwerpen",
    "Athína",
    "Barcelona",
    "Bologna",
    "Bordeaux",
    "Bratislava",
    "Brno",
    "Brussel",
    "Cork",
    "Dresden",
    "Firenze",
    "Galway",
    "Gdańsk",
    "Göteborg",
    "Graz",
    "Hamburg",
    "Helsinki",
    "Köln",
    "Kraków",
    "Liège",
    "Ljubljana",
    "Lyon",
    "Málaga",
    "Malmö",
    "Marseille",
    "München",
    "Porto",
    "Rotterdam",
    "Sevilla",
    "Tallinn",
    "Zagreb",
];

pub(super) fn id() -> MerchantId {
    MerchantId::new(ID)
}

/// Its settlement mode is not set, so that it is settled on redemption.
pub(super) fn merchant() -> Merchant {
    Merchant {
        slug: "big-stores".to_owned(),
        status: MerchantStatus::Active.into(),
        name: NAME.to_owned(),
        legal_name: format!("{NAME} Ltd"),
        trade_name: NAME.to_owned(),
        trading_name: NAME.to_owned(),
        country: "IE".to_owned(),
        currency: Some(CURRENCY),
        number_of_locations: 40,
        network_merchant_id: Some(NetworkMerchantId::new(NETWORK_ID)),
        default_offer_id: Some(OfferId::new(GIFT_CARD.id.to_string())),
        fees: FeeTerms { percent_bps: 250, fixed_minor: 0 },
        payout_delay_days: 7,
        ..Merchant::new(id())
    }
}

pub(super) fn administrator() -> User {
    User {
        first_name: "Bea".to_owned(),
        last_name: "Byrne".to_owned(),
        email_verified: true,
        merchant_id: Some(id()),
        ..User::new(UserId::new(ADMIN), ADMIN_EMAIL)
    }
}

pub(super) fn membership() -> Membership {
    Membership::new(id(), UserId::new(ADMIN), Powers::of_role(Role::Admin), None)
}
