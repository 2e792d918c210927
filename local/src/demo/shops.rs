//! The merchants, and their accounts, stores, offers and sample cards at the card network. None has an image: pages of the local
//! system ask no other host for anything.

use serde_json::{Value, json};
use shared::domain::fees::FeeTerms;

/// The parameters of an active merchant's history.
pub(super) struct Shop {
    /// Part of every id, such as `o-aurora-001`.
    pub(super) name: &'static str,
    pub(super) seed: u64,
    pub(super) orders: i64,
    /// Number of initial orders that are settled on sale. Later orders are settled on redemption.
    pub(super) orders_settled_on_sale: i64,
    pub(super) time_zone: &'static str,
    pub(super) currency: &'static str,
    /// Minor units per major unit.
    pub(super) minor_units: i64,
    pub(super) fees: FeeTerms,
    pub(super) payout_delay_days: i64,
    pub(super) network_merchant_id: &'static str,
    pub(super) offer_id: u64,
    pub(super) offer_name: &'static str,
    /// Minor units.
    pub(super) prices: &'static [i64],
    /// Redeemed amounts are multiples of this, in minor units.
    pub(super) step: i64,
    pub(super) store_names: &'static [Option<&'static str>],
    pub(super) first_names: &'static [&'static str],
    pub(super) last_names: &'static [&'static str],
}

impl Shop {
    pub(super) fn id(&self) -> String {
        format!("m-{}", self.name)
    }
}

pub(super) const ACTIVE: [&Shop; 3] = [&AURORA, &HINODE, &LINDEN];

/// Settled on redemption.
const AURORA: Shop = Shop {
    name: "aurora",
    seed: 1001,
    orders: 2400,
    orders_settled_on_sale: 0,
    time_zone: "Europe/Stockholm",
    currency: "SEK",
    minor_units: 100,
    fees: FeeTerms { percent_bps: 250, fixed_minor: 100 },
    payout_delay_days: 7,
    network_merchant_id: "1001",
    offer_id: 501,
    offer_name: "Aurora gift card",
    prices: &[10_000, 20_000, 20_000, 30_000, 50_000, 50_000, 100_000],
    step: 500,
    store_names: &[
        Some("Main street"),
        Some("Main street"),
        Some("Old town"),
        Some("Harbour"),
        Some("Airport"),
        None,
    ],
    first_names: &["Alva", "Elias", "Freja", "Hugo", "Ines", "Liam", "Maja", "Nils", "Saga", "Tove"],
    last_names: &["Andersson", "Berglund", "Dahl", "Ek", "Holm", "Lind", "Nyman", "Sandberg"],
};

/// Settled on sale at first, and on redemption since.
const HINODE: Shop = Shop {
    name: "hinode",
    seed: 1002,
    orders: 800,
    orders_settled_on_sale: 40,
    time_zone: "Asia/Tokyo",
    currency: "JPY",
    minor_units: 1,
    fees: FeeTerms { percent_bps: 320, fixed_minor: 30 },
    payout_delay_days: 14,
    network_merchant_id: "1002",
    offer_id: 601,
    offer_name: "Hinode book card",
    prices: &[1_000, 3_000, 3_000, 5_000, 10_000],
    step: 100,
    store_names: &[Some("Jimbocho"), Some("Jimbocho"), Some("Shibuya"), Some("Kyoto Station")],
    first_names: &["Aoi", "Daiki", "Emi", "Haruka", "Kenta", "Mei", "Ren", "Sora", "Yui"],
    last_names: &["Fujita", "Ito", "Kobayashi", "Mori", "Sato", "Tanaka", "Yamada"],
};

/// Settled on sale.
const LINDEN: Shop = Shop {
    name: "linden",
    seed: 1003,
    orders: 400,
    orders_settled_on_sale: 70,
    time_zone: "Europe/Berlin",
    currency: "EUR",
    minor_units: 100,
    fees: FeeTerms { percent_bps: 290, fixed_minor: 25 },
    payout_delay_days: 3,
    network_merchant_id: "1003",
    offer_id: 701,
    offer_name: "Linden voucher",
    prices: &[2_500, 5_000, 5_000, 7_500, 10_000, 15_000],
    step: 100,
    store_names: &[Some("Prenzlauer Berg"), Some("Altona"), Some("Altona"), None],
    first_names: &["Anton", "Clara", "Emil", "Greta", "Jonas", "Lena", "Mats", "Paula", "Theo"],
    last_names: &["Becker", "Fischer", "Hoffmann", "Keller", "Schulz", "Vogel", "Wolf"],
};

pub(super) fn merchants() -> Value {
    json!([
        {
            "id": "m-aurora", "slug": "aurora-coffee", "status": "ACTIVE",
            "name": "Aurora Coffee", "legalName": "Aurora Coffee AB", "tradeName": "Aurora Coffee",
            "tradingName": "Aurora",
            "registrationNumber": "556677-8899", "vatNumber": "SE556677889901", "country": "SE",
            "currency": AURORA.currency,
            "timeZone": AURORA.time_zone, "numberOfLocations": 4, "externalMerchantId": "crm-2041",
            "networkMerchantId": AURORA.network_merchant_id, "defaultOfferId": AURORA.offer_id.to_string(),
            "settlementMode": "SETTLEMENT_ON_REDEMPTION", "fees": AURORA.fees,
            "payoutDelayDays": AURORA.payout_delay_days,
            "legalAddress": {
                "line1": "Storgatan 12", "city": "Stockholm", "postalCode": "114 55", "country": "SE"
            },
            "directors": [
                {"name": "Anna Berg", "role": "Managing director"}, {"name": "Felix Strand", "role": "Director"}
            ],
            "verifierKybStatus": "APPROVED", "verifierCompanyId": "company-aurora",
            "brand": {
                "category": "Food and drink", "descriptor": "AURORA COFFEE",
                "website": "https://aurora.example", "facebook": "https://facebook.example/auroracoffee",
                "twitter": "https://twitter.example/auroracoffee",
                "instagram": "https://instagram.example/auroracoffee"
            },
            "storefront": {
                "description": "Coffee, roasted slowly", "primaryColor": "#1f4e5f",
                "secondaryColor": "#f4b942",
                "homeUrl": "https://aurora.example", "fraudSiteId": "site-aurora",
                "analyticsId": "analytics-aurora", "popularGiftCardAmount": 50_000
            }
        },
        {
            "id": "m-hinode", "slug": "hinode-books", "status": "ACTIVE",
            "name": "Hinode Books", "legalName": "Hinode Books KK", "tradeName": "Hinode Books",
            "tradingName": "Hinode",
            "registrationNumber": "0100-01-123456", "vatNumber": "T1234567890123", "country": "JP",
            "currency": HINODE.currency, "timeZone": HINODE.time_zone, "numberOfLocations": 3,
            "networkMerchantId": HINODE.network_merchant_id, "defaultOfferId": HINODE.offer_id.to_string(),
            "fees": HINODE.fees, "payoutDelayDays": HINODE.payout_delay_days,
            "legalAddress": {
                "line1": "1-7 Kanda", "city": "Tokyo", "postalCode": "101-0051", "country": "JP"
            },
            "directors": [{"name": "Haru Mori", "role": "Representative director"}],
            "brand": {"category": "Books", "descriptor": "HINODE BOOKS", "website": "https://hinode.example"},
            "storefront": {
                "primaryColor": "#b3202a", "homeUrl": "https://hinode.example", "popularGiftCardAmount": 3_000
            }
        },
        {
            "id": "m-linden", "slug": "linden-cycles", "status": "ACTIVE",
            "name": "Linden Cycles", "legalName": "Linden Cycles GmbH", "tradeName": "Linden Cycles",
            "tradingName": "Linden",
            "registrationNumber": "HRB 123456", "vatNumber": "DE123456789", "country": "DE",
            "currency": LINDEN.currency, "timeZone": LINDEN.time_zone, "numberOfLocations": 2,
            "networkMerchantId": LINDEN.network_merchant_id, "defaultOfferId": LINDEN.offer_id.to_string(),
            "settlementMode": "SETTLEMENT_ON_SALE", "fees": LINDEN.fees,
            "payoutDelayDays": LINDEN.payout_delay_days,
            "legalAddress": {
                "line1": "Kastanienallee 7", "city": "Berlin", "postalCode": "10435", "country": "DE"
            },
            "directors": [{"name": "Lena Wolf", "role": "Managing director"}],
            "brand": {"category": "Sport", "descriptor": "LINDEN CYCLES", "website": "https://linden.example"},
            "storefront": {
                "primaryColor": "#2f6b3a", "homeUrl": "https://linden.example", "popularGiftCardAmount": 5_000
            }
        },
        {
            "id": "m-fjord", "slug": "fjord-yoga", "status": "DRAFT", "name": "Fjord Yoga",
            "tradingName": "Fjord", "country": "NO", "currency": "NOK", "timeZone": "Europe/Oslo"
        }
    ])
}

pub(super) fn accounts() -> Value {
    json!([
        {
            "merchantId": AURORA.network_merchant_id, "name": "Aurora Coffee",
            "termsUrl": "https://aurora.example/terms", "country": "SE", "currency": "SEK", "status": "ACTIVE"
        },
        {
            "merchantId": HINODE.network_merchant_id, "name": "Hinode Books",
            "termsUrl": "https://hinode.example/terms", "country": "JP", "currency": "JPY", "status": "ACTIVE"
        },
        {
            "merchantId": LINDEN.network_merchant_id, "name": "Linden Cycles", "country": "DE", "currency": "EUR",
            "status": "ACTIVE"
        }
    ])
}

pub(super) fn stores() -> Vec<Value> {
    let store = |shop: &Shop, external_id: &str, name: &str, address: [&str; 4], cash_registers: u32| {
        let [address1, city, postcode, country] = address;
        json!({
            "merchantId": shop.network_merchant_id, "externalId": external_id, "name": name, "address1": address1,
            "address2": "",
            "city": city, "postcode": postcode, "country": country, "cashRegisters": cash_registers,
            "status": "ACTIVE",
        })
    };
    vec![
        store(&AURORA, "main", "Main street", ["Storgatan 12", "Stockholm", "114 55", "SE"], 3),
        store(&AURORA, "old-town", "Old town", ["Stora Nygatan 4", "Stockholm", "111 27", "SE"], 1),
        store(&AURORA, "harbour", "Harbour", ["Packhusplatsen 2", "Goteborg", "411 13", "SE"], 2),
        store(&AURORA, "airport", "Airport", ["Terminal 5", "Arlanda", "190 45", "SE"], 1),
        store(&HINODE, "jimbocho", "Jimbocho", ["1-7 Kanda", "Tokyo", "101-0051", "JP"], 4),
        store(&HINODE, "shibuya", "Shibuya", ["2-1 Dogenzaka", "Tokyo", "150-0043", "JP"], 2),
        store(&HINODE, "kyoto", "Kyoto Station", ["901 Higashi", "Kyoto", "600-8216", "JP"], 2),
        store(&LINDEN, "berlin", "Prenzlauer Berg", ["Kastanienallee 7", "Berlin", "10435", "DE"], 2),
        store(&LINDEN, "hamburg", "Altona", ["Ottenser Hauptstrasse 10", "Hamburg", "22765", "DE"], 1),
    ]
}

pub(super) fn offers() -> Value {
    json!([
        {
            "merchantId": AURORA.network_merchant_id, "giftCardOfferId": AURORA.offer_id, "name": AURORA.offer_name,
            "description": "For any amount, in every shop", "giftCardOfferType": "GIFTCARD_DIGITAL",
            "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH", "currency": "SEK", "minPrice": 50,
            "maxPrice": 5000,
            "availableForPurchaseTime": "now-365d", "numberOfDaysCardIsValidFromPurchaseTime": 1095
        },
        {
            "merchantId": AURORA.network_merchant_id, "giftCardOfferId": 502, "name": "A month of coffee",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "POS",
            "currency": "SEK", "defaultPrice": 649.5, "priceLocked": true,
            "numberOfDaysCardIsValidFromPurchaseTime": 90
        },
        {
            "merchantId": AURORA.network_merchant_id, "giftCardOfferId": 503, "name": "Beans at home",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "WEB",
            "currency": "SEK", "denominations": [150, 300, 600]
        },
        {
            "merchantId": AURORA.network_merchant_id, "giftCardOfferId": 504, "name": "Store credit",
            "giftCardOfferType": "REFUND_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "POS",
            "currency": "SEK", "minPrice": 1, "maxPrice": 2000
        },
        {
            "merchantId": AURORA.network_merchant_id, "giftCardOfferId": 505, "name": "Midwinter card",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "HIDDEN", "currency": "SEK",
            "minPrice": 100, "maxPrice": 1000, "expireForPurchaseTime": "now-30d"
        },
        // A legacy record, with older field names.
        {
            "merchantId": AURORA.network_merchant_id, "id": "506", "name": "Breakfast for two",
            "giftCardOfferType": "GIFTCARD",
            "status": "AVAILABLE", "currency": "SEK", "faceValue": "250.00", "denominations": null
        },
        {
            "merchantId": HINODE.network_merchant_id, "giftCardOfferId": HINODE.offer_id, "name": HINODE.offer_name,
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH",
            "currency": "JPY", "denominations": [1000, 3000, 5000, 10000]
        },
        {
            "merchantId": HINODE.network_merchant_id, "giftCardOfferId": 602, "name": "Library card",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AWAITING_APPROVAL",
            "currency": "JPY", "minPrice": 500, "maxPrice": 50000
        },
        {
            "merchantId": HINODE.network_merchant_id, "id": 603, "name": "Store credit", "giftCardOfferType": "refund",
            "status": "AVAILABLE", "currency": "JPY", "min_price": "1", "max_price": "30000"
        },
        {
            "merchantId": LINDEN.network_merchant_id, "giftCardOfferId": LINDEN.offer_id, "name": LINDEN.offer_name,
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "BOTH",
            "currency": "EUR", "minPrice": 10, "maxPrice": 500, "defaultPrice": 50
        },
        {
            "merchantId": LINDEN.network_merchant_id, "giftCardOfferId": 702, "name": "Spring check-up",
            "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "usage": "POS",
            "currency": "EUR", "defaultPrice": 79.9, "priceLocked": true
        }
    ])
}

/// Cards with codes that are easy to type.
pub(super) fn cards() -> Vec<Value> {
    let card = |shop: &Shop, kind: &str, status: &str, value: i64, remains: i64, expires: &str| {
        let code = format!("DEMO-{}-{kind}", shop.name.to_uppercase());
        json!({
            "merchantId": shop.network_merchant_id, "giftCardOfferId": shop.offer_id, "qrCode": code, "networkCode": code,
            "status": status, "value": value, "valueRemains": remains, "currency": shop.currency,
            "expiresAt": expires,
        })
    };
    vec![
        card(&AURORA, "500", "ACTIVE", 500, 500, "now+1000d"),
        card(&AURORA, "1000", "ACTIVE", 1000, 1000, "now+1000d"),
        card(&AURORA, "EMPTY", "REDEEMED", 500, 0, "now+1000d"),
        card(&AURORA, "EXPIRED", "ACTIVE", 500, 500, "now-10d"),
        card(&AURORA, "BLOCKED", "BLOCKED", 500, 500, "now+1000d"),
        card(&HINODE, "5000", "ACTIVE", 5000, 5000, "now+1000d"),
        card(&LINDEN, "50", "ACTIVE", 50, 50, "now+1000d"),
    ]
}
