//! The demo: fixtures documents with three active merchants, one merchant in draft, and a year of sales.
//!
//! The ids do not depend on the time, so loading the demo again over persistent state changes nothing.

mod accounts;
mod history;
mod people;
mod shops;
mod timeline;

use jiff::Timestamp;
use serde_json::{Value, json};

pub use self::accounts::DemoError;
pub(crate) use self::accounts::add as add_accounts;
use self::history::{History, parts};
pub(crate) use self::timeline::Rng;
use crate::fixtures::{self, FixtureError, Fixtures};

/// Id of the administrator of the first merchant.
pub const ADMIN: &str = "u-anna";
/// The platform administrator. It has no merchant.
pub const PLATFORM_ADMIN: &str = "u-root";
/// Confirms the payouts that the first one starts.
const SECOND_PLATFORM_ADMIN: &str = "u-rut";

/// Ids of merchants.
mod merchant {
    pub(super) const AURORA: &str = "m-aurora";
    pub(super) const LINDEN: &str = "m-linden";
}

/// Secret of the sessions of both administrators. It is public and fixed, so that the session tokens in `events/` and in
/// examples are valid. It is only used in the local system.
pub const SESSION_SECRET: [u8; 32] = *b"a session of the local demo only";

/// Returns the demo with the latest weeks of its history, which ends at `now`.
pub fn document(now: Timestamp) -> Result<Fixtures, FixtureError> {
    fixtures::parse(json(now).to_string().as_bytes(), now)
}

/// Returns the rest of the history, the latest part first.
pub fn earlier_history(now: Timestamp) -> impl Iterator<Item = Result<Fixtures, FixtureError>> {
    let earlier = parts(&shops::ACTIVE, now).into_iter().skip(1);
    earlier.map(move |part| fixtures::parse(history_json(part).to_string().as_bytes(), now))
}

fn json(now: Timestamp) -> Value {
    let latest = parts(&shops::ACTIVE, now).into_iter().next().unwrap_or_default();
    let History { orders, redemptions, settlements, sessions, mut cards } = latest;
    cards.extend(shops::cards());
    json!({
        "merchants": shops::merchants(),
        "users": people::users(),
        "invites": people::invites(),
        "orders": orders,
        "redemptions": redemptions,
        "settlements": settlements,
        "analyticsSessions": sessions,
        "cardNetwork": {
            "merchants": shops::accounts(),
            "stores": shops::stores(),
            "offers": shops::offers(),
            "cards": cards,
        },
    })
}

fn history_json(history: History) -> Value {
    let History { orders, redemptions, settlements, sessions, cards } = history;
    json!({
        "orders": orders,
        "redemptions": redemptions,
        "settlements": settlements,
        "analyticsSessions": sessions,
        "cardNetwork": {"cards": cards},
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap, HashSet};

    use super::*;

    const LISTS: [(&str, &str); 6] = [
        ("merchants", "id"),
        ("users", "id"),
        ("invites", "challengeId"),
        ("orders", "id"),
        ("redemptions", "id"),
        ("settlements", "id"),
    ];

    /// Times near year ends, a daylight saving time change and a leap day.
    const TIMES: [&str; 4] =
        ["2026-01-01T00:00:30Z", "2026-03-29T01:30:00Z", "2026-07-15T12:00:00.123Z", "2028-02-29T23:59:59Z"];

    /// The demo with its whole history.
    fn at(time: &str) -> Value {
        let now = time.parse().unwrap();
        let mut demo = json(now);
        for part in parts(&shops::ACTIVE, now).into_iter().skip(1) {
            let mut part = history_json(part);
            for (list, _) in &LISTS[3..] {
                extend(&mut demo[list], &mut part[list]);
            }
            extend(&mut demo["analyticsSessions"], &mut part["analyticsSessions"]);
            extend(&mut demo["cardNetwork"]["cards"], &mut part["cardNetwork"]["cards"]);
        }
        demo
    }

    fn extend(list: &mut Value, with: &mut Value) {
        list.as_array_mut().unwrap().append(with.as_array_mut().unwrap());
    }

    fn rows<'a>(demo: &'a Value, list: &str) -> &'a Vec<Value> {
        demo[list].as_array().unwrap()
    }

    fn text<'a>(row: &'a Value, field: &str) -> &'a str {
        row[field].as_str().unwrap()
    }

    fn ids(demo: &Value) -> Vec<(&str, &str)> {
        LISTS
            .iter()
            .flat_map(|(list, id)| rows(demo, list).iter().map(|row| (*list, text(row, id))))
            .collect()
    }

    #[test]
    fn is_a_valid_fixtures_document() {
        for time in TIMES {
            document(time.parse().unwrap()).unwrap();
            for part in earlier_history(time.parse().unwrap()) {
                part.unwrap();
            }
        }
    }

    #[test]
    fn ids_are_unique_and_independent_of_the_time() {
        let first = at(TIMES[0]);
        assert_eq!(ids(&first).iter().collect::<HashSet<_>>().len(), ids(&first).len());
        for time in TIMES {
            let demo = at(time);
            assert!(ids(&demo).iter().collect::<HashSet<_>>() == ids(&first).iter().collect(), "{time}");
        }
    }

    #[test]
    fn has_orders_in_every_state() {
        let demo = at(TIMES[2]);
        let mut states = BTreeMap::new();
        for order in rows(&demo, "orders") {
            *states.entry((text(order, "status"), text(&order["fraud"], "status"))).or_insert(0) += 1;
        }
        insta::assert_debug_snapshot!(states);
        assert_eq!(states.values().sum::<i32>(), 3600);
    }

    #[test]
    fn has_no_timestamps_in_the_future() {
        for time in TIMES {
            let (now, demo): (Timestamp, _) = (time.parse().unwrap(), at(time));
            for (list, fields) in [
                ("orders", ["createdAt", "updatedAt"]),
                ("redemptions", ["occurredAt", "occurredAt"]),
                ("settlements", ["createdAt", "updatedAt"]),
                ("analyticsSessions", ["startedAt", "startedAt"]),
            ] {
                for (row, field) in rows(&demo, list).iter().flat_map(|row| fields.map(|field| (row, field)))
                {
                    assert!(text(row, field).parse::<Timestamp>().unwrap() <= now, "{list} at {time}: {row}");
                }
            }
            for order in rows(&demo, "orders") {
                assert!(order["createdAt"].as_str() <= order["updatedAt"].as_str(), "{order}");
            }
        }
    }

    #[test]
    fn card_balances_at_the_network_equal_value_minus_redemptions() {
        let demo = at(TIMES[2]);
        let mut redeemed: HashMap<&str, i64> = HashMap::new();
        for redemption in rows(&demo, "redemptions").iter().filter(|row| row["status"] == "SUCCEEDED") {
            *redeemed.entry(text(redemption, "qrCode")).or_default() +=
                redemption["amountMinor"].as_i64().unwrap();
        }
        let at_network: HashMap<&str, &Value> =
            rows(&demo["cardNetwork"], "cards").iter().map(|card| (text(card, "qrCode"), card)).collect();
        let cards = rows(&demo, "orders").iter().flat_map(|order| rows(order, "giftCards"));
        for card in cards.filter(|card| card["status"] == "ISSUED") {
            let code = text(card, "qrCode");
            let minor = |field: &str| {
                let unit = if card["currency"] == "JPY" { 1 } else { 100 };
                at_network[code][field].as_i64().unwrap() * unit
            };
            let value = card["valueMinor"].as_i64().unwrap();
            assert_eq!(minor("value"), value, "{card}");
            assert_eq!(minor("valueRemains"), value - redeemed.remove(code).unwrap_or_default(), "{card}");
        }
        assert!(redeemed.is_empty(), "redemptions without a card: {redeemed:?}");
    }

    #[test]
    fn settles_each_source_once_with_the_fees_of_the_merchant() {
        let demo = at(TIMES[2]);
        let fees: HashMap<&str, &Value> = rows(&demo, "merchants")
            .iter()
            .map(|merchant| (text(merchant, "id"), &merchant["fees"]))
            .collect();
        let amounts: HashMap<&str, i64> = [("orders", "totalAmountMinor"), ("redemptions", "amountMinor")]
            .into_iter()
            .flat_map(|(list, amount)| rows(&demo, list).iter().map(move |row| (row, amount)))
            .map(|(row, amount)| (text(row, "id"), row[amount].as_i64().unwrap()))
            .collect();
        let mut settled = HashSet::new();
        let mut statuses = HashSet::new();
        for row in rows(&demo, "settlements") {
            let minor = |field: &str| row[field].as_i64().unwrap();
            let terms: shared::domain::fees::FeeTerms =
                serde_json::from_value(fees[text(row, "merchantId")].clone()).unwrap();
            let gross = shared::domain::money::Minor::new(minor("grossAmountMinor"));
            assert_eq!(gross.get(), amounts[text(row, "sourceId")], "{row}");
            assert_eq!(minor("feeAmountMinor"), terms.fee(gross).get(), "{row}");
            assert_eq!(minor("netAmountMinor"), gross.get() - minor("feeAmountMinor"), "{row}");
            assert!(settled.insert(text(row, "sourceId")), "{row}");
            statuses.insert(text(row, "status"));
        }
        assert_eq!(statuses, HashSet::from(["PENDING", "IN_BATCH", "PAID", "VOID"]));
    }
}
