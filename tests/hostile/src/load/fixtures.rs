//! The merchants of the load.

use serde_json::{Value, json};
use world::shop::{card, member, merchant, offer, platform_administrator};

/// What a card is worth at the start, in currency units: enough for all redemptions.
const CARD_VALUE: u32 = 100_000_000;
const CARDS: usize = 4;
pub(super) const PLATFORM_ADMINISTRATORS: [&str; 2] = ["u-first", "u-second"];

/// A merchant that is settled on redemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merchant {
    pub(super) id: &'static str,
    pub(super) network_id: &'static str,
}

pub(super) const MERCHANTS: [Merchant; 3] = [
    Merchant { id: "m-one", network_id: "1001" },
    Merchant { id: "m-two", network_id: "1002" },
    Merchant { id: "m-three", network_id: "1003" },
];

impl Merchant {
    pub(super) fn administrator(&self) -> String {
        format!("u-{}", self.id)
    }

    /// Reads everything at the end. A member of its own: the dashboard may have reached limits that hold for each member.
    pub(super) fn auditor(&self) -> String {
        format!("u-{}-auditor", self.id)
    }

    /// The codes of the cards that exist at the start.
    pub(super) fn cards(&self) -> [String; CARDS] {
        std::array::from_fn(|number| format!("QR-{}-{number}", self.network_id))
    }
}

pub(super) fn document() -> Value {
    let company = json!({"timeZone": "Europe/Berlin", "payoutDelayDays": 0, "fees": {"percentBps": 250, "fixedMinor": 10}});
    let merchants = MERCHANTS.map(|of| merchant(of.id, of.network_id, "EUR", &company));
    let verified = json!({"emailVerified": true});
    let members = MERCHANTS.iter().flat_map(|of| [of.administrator(), of.auditor()].map(|id| member(&id, of.id, &verified)));
    let users: Vec<Value> = members.chain(PLATFORM_ADMINISTRATORS.map(platform_administrator)).collect();
    json!({"merchants": merchants, "users": users, "cardNetwork": network()})
}

/// The part of the document that belongs to the card network.
pub(super) fn network() -> Value {
    let price = json!({"currency": "EUR", "minPrice": 1, "maxPrice": 5000});
    let cards = |of: &Merchant| of.cards().map(|code| card(of.network_id, &code, CARD_VALUE, "EUR"));
    json!({
        "merchants": MERCHANTS.map(|of| json!({"merchantId": of.network_id, "name": of.id})),
        "stores": MERCHANTS.map(|of| json!({"merchantId": of.network_id, "externalId": "main", "name": "Main street"})),
        "offers": MERCHANTS.map(|of| offer(of.network_id, of.network_id.parse().unwrap(), &price)),
        "cards": MERCHANTS.iter().flat_map(cards).collect::<Vec<Value>>(),
    })
}
