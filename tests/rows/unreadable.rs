//! Rows and entries that this release cannot read: they are left out of lists, and only a request for the row itself fails.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::golden::{self, find, find_with_entry, key};
use crate::reads::{PROFILE, TEAM, counts, order_path, read_all};
use crate::support::{System, logged, with_attribute};

struct Case {
    /// The beginnings of `pk` and `sk`.
    row: (&'static str, &'static str),
    attribute: &'static str,
    /// Null removes the attribute.
    value: Value,
    /// The counts that are one less.
    missing_from: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    let case = |row, attribute, value, missing_from| Case { row, attribute, value, missing_from };
    let order = ("ORDER#m-golden#o-golden-2", "ORDER");
    let settlement = ("SETTLEMENT#m-golden#s-golden-2", "SETTLEMENT");
    let redemption = ("REDEMPTION#m-golden#r-golden-1", "REDEMPTION");
    let merchant = "MERCHANT#m-golden";
    let orders = &["orders", "total of orders", "overview orders", "sales"];
    let settlements = &["settlements", "total of settlements", "unsettled"];
    let redemptions = &["redemptions", "overview redemptions"];
    vec![
        case(order, "id", Value::Null, orders),
        case(order, "total", Value::Null, orders),
        case(order, "total.minor", Value::Null, orders),
        case(order, "total.currency", json!({"S": "QQQ"}), orders),
        case(order, "created_at", json!({"N": "1"}), orders),
        case(order, "fraud", json!({"S": "PASSED"}), orders),
        case(order, "status", json!({"M": {}}), orders),
        case(settlement, "net", Value::Null, settlements),
        case(settlement, "eligible_at", json!({"BOOL": true}), settlements),
        case(settlement, "status", Value::Null, settlements),
        case(settlement, "created_at", json!({"S": "yesterday"}), settlements),
        case(redemption, "amount", Value::Null, redemptions),
        case(redemption, "occurred_at", json!({"N": "1"}), redemptions),
        case(("VISIT#m-golden#v-golden-1", "VISIT"), "started_at", Value::Null, &["overview visits"]),
        case((merchant, "MEMBER#u-full"), "user_id", Value::Null, &["team"]),
        case((merchant, "MEMBER#u-full"), "permissions", json!({"S": "portal.pos"}), &["team"]),
        case((merchant, "MEMBER#u-full"), "permissions", Value::Null, &["team"]),
        case((merchant, "MEMBER#u-full"), "role", Value::Null, &["team"]),
        case((merchant, "INVITE#c-2"), "role", Value::Null, &["team"]),
        case((merchant, "INVITE#c-2"), "expires_at", json!({"N": "1"}), &["team"]),
        case(("USER#u-full", "USER"), "email", Value::Null, &["team"]),
        case((merchant, "TEAM"), "merchant_id", Value::Null, &[]),
    ]
}

#[tokio::test]
async fn leaves_unreadable_rows_and_entries_out_of_lists_and_tallies() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let readable = counts(&read_all(&system, &rows).await);
    for Case { row: (pk, sk), attribute, value, missing_from } in cases() {
        let written = find_with_entry(&rows, pk, sk);
        let case = format!("{pk} {sk} with {attribute} {value}");
        let logged_before = log_lines(&written).len();
        system.put_with(&written, attribute, &value).await;
        system.drain().await;

        let responses = read_all(&system, &rows).await;
        let of_itself = order_path("o-golden-2");
        for (path, response) in &responses {
            if *path == of_itself && sk == "ORDER" {
                assert_eq!(response.status, 500, "{case}: {path}: {response:?}");
                let body = json!({"ok": false, "error": "Something went wrong. Please try again."});
                assert_eq!(response.body, body, "{case}");
            } else {
                assert_eq!(response.status, 200, "{case}: {path}: {response:?}");
            }
        }
        let expected: BTreeMap<_, _> =
            readable.iter().map(|(name, count)| (*name, count - u64::from(missing_from.contains(name)))).collect();
        assert_eq!(counts(&responses), expected, "{case}");

        let lines = log_lines(&written);
        assert!(lines.len() > logged_before, "{case}: the row is not logged");
        assert!(lines.iter().all(|line| line["cause"].is_string() && line["level"] == "ERROR"), "{lines:?}");
        for row in written {
            system.put(row).await;
        }
        system.drain().await;
    }
    assert_eq!(counts(&read_all(&system, &rows).await), readable, "the original rows are counted again");
}

/// The log lines about these rows.
fn log_lines(rows: &[&Value]) -> Vec<Value> {
    let keys: Vec<String> = rows.iter().map(|row| format!("{} {}", key(row).0, key(row).1)).collect();
    let lines = logged("skipped an unreadable row");
    lines.into_iter().filter(|line| keys.iter().any(|key| line["key"] == *key)).collect()
}

#[tokio::test]
async fn terms_and_items_without_an_amount_are_unreadable() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let merchant = find(&rows, "MERCHANT#m-golden", "MERCHANT");
    for attribute in ["fees", "fees.percentBps", "fees.fixedMinor", "payout_delay_days", "settlement_mode"] {
        system.put(&with_attribute(merchant, attribute, &Value::Null)).await;
        let profile = system.get(PROFILE).await;
        assert_eq!(profile.status, 500, "{attribute}: {profile:?}");
    }
    system.put(merchant).await;
    let order = find(&rows, "ORDER#m-golden#o-golden-2", "ORDER");
    system.put(&with_attribute(order, "items.0.amount", &Value::Null)).await;
    let detail = system.get(&order_path("o-golden-2")).await;
    assert_eq!(detail.status, 500, "{detail:?}");
}

#[tokio::test]
async fn unreadable_team_counter_fails_only_changes_of_the_team() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let newer = with_attribute(find(&rows, "MERCHANT#m-golden", "TEAM"), "merchant_id", &json!({"N": "1"}));
    system.put(&newer).await;
    let change = json!({"targetUserId": "u-full", "merchantTeamRole": "VIEWER"});
    let changed = system.send_json(Method::PATCH, TEAM, &change).await;
    assert!(changed.status >= 500, "{changed:?}");
    assert_eq!(system.stored(&newer).await, newer);
}
