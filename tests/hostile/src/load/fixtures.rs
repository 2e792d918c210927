//! The merchants of the load.

use serde_json::{Value, json};

/// What a card is worth at the start, in currency units: enough for all redemptions.
const CARD_VALUE: i64 = 100_000_000;
pub(super) const CARDS: usize = 4;
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
    let administrator = |id: &str, merchant: Value, is_admin: bool| {
        json!({"id": id, "email": format!("{id}@load.example"), "emailVerified": true, "isAdmin": is_admin, "merchantId": merchant,
            "merchantTeamRole": (!is_admin).then_some("ADMIN")})
    };
    let of_merchants = MERCHANTS.iter().flat_map(|merchant| {
        [merchant.administrator(), merchant.auditor()].map(|id| administrator(&id, json!(merchant.id), false))
    });
    let of_platform = PLATFORM_ADMINISTRATORS.iter().map(|id| administrator(id, Value::Null, true));
    let merchants = MERCHANTS.iter().map(|merchant| {
        json!({"id": merchant.id, "slug": merchant.id, "name": merchant.id, "status": "ACTIVE", "currency": "EUR",
            "timeZone": "Europe/Berlin", "networkMerchantId": merchant.network_id, "payoutDelayDays": 0,
            "settlementMode": "SETTLEMENT_ON_REDEMPTION", "fees": {"percentBps": 250, "fixedMinor": 10}})
    });
    json!({
        "merchants": merchants.collect::<Vec<Value>>(),
        "users": of_merchants.chain(of_platform).collect::<Vec<Value>>(),
        "cardNetwork": network(),
    })
}

/// The part of the document that belongs to the card network.
pub(super) fn network() -> Value {
    let of_each = |make: &dyn Fn(&Merchant) -> Vec<Value>| MERCHANTS.iter().flat_map(make).collect::<Vec<Value>>();
    json!({
        "merchants": of_each(&|merchant| vec![json!({"merchantId": merchant.network_id, "name": merchant.id})]),
        "stores": of_each(&|merchant| vec![json!({"merchantId": merchant.network_id, "externalId": "main", "name": "Main street"})]),
        "offers": of_each(&|merchant| {
            vec![json!({"merchantId": merchant.network_id, "giftCardOfferId": merchant.network_id.parse::<u32>().unwrap(),
                "name": "Gift card", "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE",
                "currency": "EUR", "minPrice": 1, "maxPrice": 5000})]
        }),
        "cards": of_each(&|merchant| {
            let card = |code: &String| {
                json!({"merchantId": merchant.network_id, "qrCode": code, "status": "ACTIVE", "value": CARD_VALUE,
                    "valueRemains": CARD_VALUE, "currency": "EUR"})
            };
            merchant.cards().iter().map(card).collect()
        }),
    })
}
