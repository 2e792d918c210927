//! The demo: three active merchants, one merchant in draft, and a year of sales.
//!
//! The ids do not depend on the time, so loading the demo again over persistent state changes nothing.

mod accounts;

use jiff::{SignedDuration, Timestamp};
use shared::merchants::model::merchant::Merchant;

pub use self::accounts::DemoError;
pub(crate) use self::accounts::add as add_accounts;
use crate::fixtures::{self, FixtureError, Fixtures};
use crate::history::records::{cards_of, fixtures_of};
use crate::history::state::{BLOCKED, CANCELLED, ISSUE_FAILED, PAYMENT_FAILED, REFUNDED, Shares, UNCHECKED};
use crate::history::{Names, Offer, Sale, Shop, sales};

/// Id of the administrator of the first merchant.
pub const ADMIN: &str = "u-anna";
/// The platform administrator. It has no merchant.
pub const PLATFORM_ADMIN: &str = "u-root";
/// Confirms the payouts that the first one starts.
const SECOND_PLATFORM_ADMIN: &str = "u-rut";

/// Ids of merchants.
mod merchant {
    pub(super) const AURORA: &str = "m-aurora";
    pub(super) const HINODE: &str = "m-hinode";
    pub(super) const LINDEN: &str = "m-linden";
}

/// Secret of the sessions of both administrators. It is public and fixed, so that the session tokens in `events/` and in
/// examples are valid. It is only used in the local system.
pub const SESSION_SECRET: [u8; 32] = *b"a session of the local demo only";

/// The merchants, their users and invites, and what the card network knows. One user has no role. Two
/// offers have field names of earlier releases of the network. Nothing has an image: pages of the local system ask no other host
/// for anything.
const DOCUMENT: &str = include_str!("demo.json");

/// Sales of so many days are the latest ones, which are loaded first.
const LATEST_DAYS: i64 = 45;

/// Returns the merchants, then the latest weeks of their history, which ends at `now`.
pub fn initial(now: Timestamp) -> Result<Vec<Fixtures>, FixtureError> {
    let document = fixtures::parse(DOCUMENT.as_bytes(), now)?;
    let (latest, _) = all_sales(&document, now);
    Ok(vec![document, history(latest)?])
}

/// Returns the rest of the history.
pub fn earlier_history(now: Timestamp) -> Result<Fixtures, FixtureError> {
    let (_, earlier) = all_sales(&fixtures::parse(DOCUMENT.as_bytes(), now)?, now);
    history(earlier)
}

/// The sales of all shops: the latest ones, and those before.
fn all_sales(document: &Fixtures, now: Timestamp) -> (Vec<Sale>, Vec<Sale>) {
    let of_merchant = |merchant: &Merchant| {
        let (_, shop) = SHOPS.iter().find(|(id, _)| *id == merchant.id.as_str())?;
        Some(sales(*shop, merchant, now))
    };
    let is_latest = |sale: &Sale| now.duration_since(sale.order.created_at) <= SignedDuration::from_hours(LATEST_DAYS * 24);
    document.merchants.iter().filter_map(of_merchant).flatten().partition(is_latest)
}

fn history(sales: Vec<Sale>) -> Result<Fixtures, FixtureError> {
    let card_network = cards_of(&sales)?;
    let mut history = fixtures_of(sales);
    history.card_network = card_network;
    Ok(history)
}

const STATES: Shares =
    &[(60, UNCHECKED), (40, REFUNDED), (10, ISSUE_FAILED), (30, PAYMENT_FAILED), (20, CANCELLED), (60, BLOCKED)];

pub(crate) const SHOPS: [(&str, Shop); 3] = [(merchant::AURORA, AURORA), (merchant::HINODE, HINODE), (merchant::LINDEN, LINDEN)];

/// Settled on redemption. Its latest settlements are left to the payouts of [`accounts`]. With this seed, it has the records that
/// `events/` names.
const AURORA: Shop = Shop {
    seed: 1035,
    orders: 2400,
    days: 365,
    last_orders: 10,
    name: Some("aurora"),
    till_percent: 0,
    till_states: &[],
    web_states: STATES,
    offers: &[Offer { id: 501, name: "Aurora gift card", prices: &[10_000, 20_000, 20_000, 30_000, 50_000, 50_000, 100_000] }],
    redemptions: &[0, 0, 1, 1, 1, 2, 2, 3],
    visits: &[20, 24 * 60],
    settled_on_sale: 0,
    unpaid_days: accounts::UNPAID_DAYS,
    stores: &["Main street", "Old town", "Harbour", "Airport"],
    names: Names {
        first: &["Alva", "Elias", "Freja", "Hugo", "Ines", "Liam", "Maja", "Nils", "Saga", "Tove"],
        last: &["Andersson", "Berglund", "Dahl", "Ek", "Holm", "Lind", "Nyman", "Sandberg"],
    },
};

/// Settled on sale at first, and on redemption since.
const HINODE: Shop = Shop {
    seed: 1002,
    orders: 800,
    name: Some("hinode"),
    offers: &[Offer { id: 601, name: "Hinode book card", prices: &[1_000, 3_000, 3_000, 5_000, 10_000] }],
    settled_on_sale: 40,
    unpaid_days: 0,
    stores: &["Jimbocho", "Shibuya", "Kyoto Station"],
    names: Names {
        first: &["Aoi", "Daiki", "Emi", "Haruka", "Kenta", "Mei", "Ren", "Sora", "Yui"],
        last: &["Fujita", "Ito", "Kobayashi", "Mori", "Sato", "Tanaka", "Yamada"],
    },
    ..AURORA
};

/// Settled on sale.
const LINDEN: Shop = Shop {
    seed: 1003,
    orders: 400,
    name: Some("linden"),
    offers: &[Offer { id: 701, name: "Linden voucher", prices: &[2_500, 5_000, 5_000, 7_500, 10_000, 15_000] }],
    unpaid_days: 0,
    stores: &["Altona", "Prenzlauer Berg"],
    names: Names {
        first: &["Anton", "Clara", "Emil", "Greta", "Jonas", "Lena", "Mats", "Paula", "Theo"],
        last: &["Becker", "Fischer", "Hoffmann", "Keller", "Schulz", "Vogel", "Wolf"],
    },
    ..AURORA
};

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap, HashSet};

    use shared::cards::model::order::GiftCardStatus;
    use shared::cards::model::redemption::RedemptionStatus;
    use shared::values::Minor;

    use super::*;
    use crate::history::records::card_of;

    /// Times near year ends, a daylight saving time change and a leap day.
    const TIMES: [&str; 4] = ["2026-01-01T00:00:30Z", "2026-03-29T01:30:00Z", "2026-07-15T12:00:00.123Z", "2028-02-29T23:59:59Z"];

    /// All parts of the demo.
    fn at(time: &str) -> Vec<Fixtures> {
        let now = time.parse().unwrap();
        initial(now).unwrap().into_iter().chain([earlier_history(now).unwrap()]).collect()
    }

    /// The whole history.
    fn sales_at(time: &str) -> Vec<Sale> {
        let now = time.parse().unwrap();
        let (latest, earlier) = all_sales(&initial(now).unwrap()[0], now);
        [earlier, latest].concat()
    }

    /// The ids of all records.
    fn ids(demo: &[Fixtures]) -> Vec<String> {
        let mut ids = Vec::new();
        for part in demo {
            ids.extend(part.orders.iter().map(|order| order.id.to_string()));
            ids.extend(part.redemptions.iter().map(|redemption| redemption.id.to_string()));
            ids.extend(part.settlements.iter().map(|settlement| settlement.id.to_string()));
            ids.extend(part.visits.iter().map(|visit| visit.id.clone()));
            let codes = part.orders.iter().flat_map(|order| &order.gift_cards);
            ids.extend(codes.filter_map(|card| Some(card.qr_code.as_ref()?.as_str().to_owned())));
        }
        ids
    }

    #[test]
    fn ids_are_unique_and_independent_of_the_time() {
        let first = ids(&at(TIMES[0]));
        assert_eq!(first.iter().collect::<HashSet<_>>().len(), first.len());
        for time in TIMES {
            let ids = ids(&at(time));
            assert!(ids.iter().collect::<HashSet<_>>() == first.iter().collect(), "{time}");
        }
    }

    #[test]
    fn the_events_of_the_repository_find_their_records_in_the_latest_weeks() {
        for time in TIMES {
            let initial = ids(&initial(time.parse().unwrap()).unwrap());
            for id in ["o-aurora-2390", "r-aurora-2361-3", "settlement-r-aurora-2361-3"] {
                assert!(initial.iter().any(|known| known == id), "{id} at {time}");
            }
        }
    }

    #[test]
    fn has_orders_in_every_state() {
        let mut states = BTreeMap::new();
        for order in sales_at(TIMES[2]).iter().map(|sale| &sale.order) {
            *states.entry((order.status.to_string(), order.fraud.status.to_string())).or_insert(0) += 1;
        }
        insta::assert_debug_snapshot!(states);
        assert_eq!(states.values().sum::<i32>(), 3600);
    }

    #[test]
    fn nothing_is_in_the_future() {
        for time in TIMES {
            for sale in sales_at(time) {
                sale.assert_past(time.parse().unwrap());
            }
        }
    }

    #[test]
    fn card_balances_at_the_network_equal_value_minus_redemptions() {
        for sale in sales_at(TIMES[2]) {
            let Some(card) = sale.order.gift_cards.first().filter(|card| card.qr_code.is_some()) else {
                assert!(sale.redemptions.is_empty(), "{sale:?}");
                continue;
            };
            let succeeded = sale.redemptions.iter().filter(|one| one.status == RedemptionStatus::Succeeded);
            let redeemed: i64 = succeeded.map(|one| one.amount.minor.get()).sum();
            let at_network = card_of(&sale).unwrap();
            let minor = |field: &str| {
                let unit = if at_network["currency"] == "JPY" { 1 } else { 100 };
                at_network[field].as_i64().unwrap() * unit
            };
            assert_eq!(minor("value"), card.value.minor.get(), "{sale:?}");
            assert_eq!(minor("valueRemains"), card.value.minor.get() - redeemed, "{sale:?}");
            let is_blocked = card.status == GiftCardStatus::Cancelled;
            assert_eq!(at_network["status"] == "BLOCKED", is_blocked, "{sale:?}");
        }
    }

    #[test]
    fn settles_each_source_once_with_the_fees_of_the_merchant() {
        let demo = at(TIMES[2]);
        let fees: HashMap<_, _> = demo[0].merchants.iter().map(|one| (one.id.clone(), one.fees)).collect();
        let (mut settled, mut statuses) = (HashSet::new(), HashSet::new());
        for sale in sales_at(TIMES[2]) {
            let mut amounts: HashMap<String, Minor> = HashMap::new();
            amounts.insert(sale.order.id.to_string(), sale.order.total.minor);
            amounts.extend(sale.redemptions.iter().map(|one| (one.id.to_string(), one.amount.minor)));
            for settlement in sale.settlements {
                assert_eq!(settlement.gross, amounts[&settlement.source_id], "{settlement:?}");
                let fee = fees[&settlement.merchant_id].fee(settlement.gross);
                assert_eq!(settlement.fee, fee, "{settlement:?}");
                assert_eq!(settlement.net, settlement.gross.checked_sub(fee).unwrap(), "{settlement:?}");
                statuses.insert(settlement.status.to_string());
                assert!(settled.insert(settlement.source_id), "settled twice");
            }
        }
        let all = ["PENDING", "IN_BATCH", "PAID", "VOID"];
        assert_eq!(statuses, all.map(str::to_owned).into());
    }
}
