//! The demo: three merchants in business, a fourth that is about to sign up, and half a year of trade. It is a
//! fixtures document like any other.
//!
//! Its ids never depend on the time: loaded again over kept data, on whatever day, it changes nothing.

mod history;
mod people;
mod rhythm;
mod shops;

use jiff::Timestamp;
use serde_json::{Value, json};

use self::history::History;
use crate::fixtures::{self, FixtureError, Fixtures};

/// Who administers the first merchant.
pub const ADMIN: &str = "u-anna";

/// Secret of the administrator's session, known to everybody: it opens nothing but this machine's demo, and lets
/// examples be written down that work as they stand.
pub const SESSION_SECRET: [u8; 32] = *b"a session of the local demo only";

/// The demo as it looks at `now`.
pub fn document(now: Timestamp) -> Result<Fixtures, FixtureError> {
    fixtures::parse(json(now).to_string().as_bytes(), now)
}

fn json(now: Timestamp) -> Value {
    let mut history = History::default();
    for shop in shops::SELLING {
        history.tell(shop, now);
    }
    history.cards.extend(shops::cards());
    let History { orders, redemptions, settlements, sessions, cards } = history;
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

    /// Days on which counting days goes wrong most easily.
    const DAYS: [&str; 4] =
        ["2026-01-01T00:00:30Z", "2026-03-29T01:30:00Z", "2026-07-15T12:00:00.123Z", "2028-02-29T23:59:59Z"];

    fn at(time: &str) -> Value {
        json(time.parse().unwrap())
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
    fn it_is_a_fixtures_document() {
        for day in DAYS {
            document(day.parse().unwrap()).unwrap();
        }
    }

    #[test]
    fn ids_are_unique_and_the_same_on_every_day() {
        let first = at(DAYS[0]);
        assert_eq!(ids(&first).iter().collect::<HashSet<_>>().len(), ids(&first).len());
        for day in DAYS {
            assert_eq!(ids(&at(day)), ids(&first), "{day}");
        }
    }

    #[test]
    fn three_hundred_orders_tell_of_every_fate() {
        let demo = at(DAYS[2]);
        let mut fates = BTreeMap::new();
        for order in rows(&demo, "orders") {
            *fates.entry((text(order, "status"), text(&order["fraud"], "status"))).or_insert(0) += 1;
        }
        insta::assert_debug_snapshot!(fates);
        assert_eq!(fates.values().sum::<i32>(), 300);
    }

    #[test]
    fn nothing_has_happened_yet_that_lies_ahead() {
        for day in DAYS {
            let (now, demo): (Timestamp, _) = (day.parse().unwrap(), at(day));
            for (list, times) in [
                ("orders", ["createdAt", "updatedAt"]),
                ("redemptions", ["occurredAt", "occurredAt"]),
                ("settlements", ["createdAt", "updatedAt"]),
                ("analyticsSessions", ["startedAt", "startedAt"]),
            ] {
                for (row, time) in rows(&demo, list).iter().flat_map(|row| times.map(|time| (row, time))) {
                    assert!(text(row, time).parse::<Timestamp>().unwrap() <= now, "{list} on {day}: {row}");
                }
            }
            for order in rows(&demo, "orders") {
                assert!(order["createdAt"].as_str() <= order["updatedAt"].as_str(), "{order}");
            }
        }
    }

    #[test]
    fn a_card_holds_at_the_network_what_has_not_been_redeemed() {
        let demo = at(DAYS[2]);
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
        assert!(redeemed.is_empty(), "redeemed without a card: {redeemed:?}");
    }

    #[test]
    fn each_amount_is_settled_once_and_for_the_merchants_fees() {
        let demo = at(DAYS[2]);
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
            let terms: shared::domain::settlement::FeeTerms =
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
