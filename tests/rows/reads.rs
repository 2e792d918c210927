//! What the API returns for the golden rows, with and without attributes that this release does not know.

use std::collections::BTreeMap;

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::golden::{
    self, DRAFT_SESSION_TOKEN, FAILED_REDEEM_BODY, FAILED_REDEEM_KEY, ISSUE_BODY, ISSUE_KEY, OPEN_ISSUE_KEY, REDEEM_BODY,
    REDEEM_KEY, TILL_BODY, TILL_KEY,
};
use crate::support::{ApiResponse, System};

pub(crate) const PROFILE: &str = "/api/bff/merchant";
const TILLS: &str = "/api/auth/tills";
pub(crate) const TEAM: &str = "/api/bff/merchant/users";
pub(crate) const ORDERS: &str = "/api/bff/merchant-orders";
pub(crate) const SETTLEMENTS: &str = "/api/bff/settlements";
pub(crate) const SETTLEMENT_OF_ORDER: &str = "/api/bff/settlements/by-source?orderId=o-golden-1";
pub(crate) const SUMMARY: &str = "/api/bff/settlements/summary";
pub(crate) const OVERVIEW: &str = "/api/bff/analytics/overview?days=14";
pub(crate) const SALES: &str = "/api/bff/analytics/sales?days=14";
pub(crate) const REDEMPTIONS: &str = "/api/bff/analytics/redemptions?days=14";
pub(crate) const FRAUD: &str = "/api/bff/analytics/fraud?days=14";
pub(crate) const SHOP: &str = "/api/merchants/golden-coffee";
const CHECK: &str = "/api/public/merchant/onboarding-check";
const BALANCE: &str = "/api/bff/merchant-orders/o-golden-1/gift-cards/g-golden-1/balance";
const CARD: &str = "/api/bff/pos/card/QR-GOLDEN";
pub(crate) const ISSUE: &str = "/api/bff/pos/issue";
pub(crate) const REDEEM: &str = "/api/bff/pos/redeem";

pub(crate) type Responses = BTreeMap<String, ApiResponse>;

/// The path of an order's details.
pub(crate) fn order_path(id: &str) -> String {
    format!("{ORDERS}/{id}")
}

/// Every path that reads the rows.
pub(crate) fn paths(rows: &[Value]) -> Vec<String> {
    let orders = rows.iter().filter(|row| golden::key(row).1 == "ORDER");
    let details = orders.map(|row| order_path(row["id"]["S"].as_str().unwrap()));
    let lists = [
        PROFILE,
        TEAM,
        ORDERS,
        BALANCE,
        CARD,
        SETTLEMENTS,
        SETTLEMENT_OF_ORDER,
        SUMMARY,
        OVERVIEW,
        SALES,
        REDEMPTIONS,
        FRAUD,
        SHOP,
    ];
    lists.map(str::to_owned).into_iter().chain(details).collect()
}

/// The responses of every path that reads the rows.
pub(crate) async fn read_all(system: &System, rows: &[Value]) -> Responses {
    let mut responses = BTreeMap::new();
    for path in paths(rows) {
        let response = system.get(&path).await;
        responses.insert(path, response);
    }
    responses
}

/// Fails unless every path is answered with 200.
pub(crate) async fn assert_all_answer(system: &System, rows: &[Value], case: &str) -> Responses {
    let responses = read_all(system, rows).await;
    for (path, response) in &responses {
        assert_eq!(response.status, 200, "{case}: {path}: {response:?}");
    }
    responses
}

/// The numbers of rows that the lists and reports show.
pub(crate) fn counts(responses: &Responses) -> BTreeMap<&'static str, u64> {
    let listed = |path: &str, pointer: &str| {
        let list = responses[path].at(pointer).as_array();
        u64::try_from(list.unwrap_or_else(|| panic!("{path} {pointer}")).len()).unwrap()
    };
    let number = |path: &str, pointer: &str| {
        let number = responses[path].at(pointer).as_u64();
        number.unwrap_or_else(|| panic!("{path} {pointer}: {:?}", responses[path]))
    };
    [
        ("orders", listed(ORDERS, "/data/orders")),
        ("total of orders", number(ORDERS, "/data/total")),
        ("settlements", listed(SETTLEMENTS, "/rows")),
        ("total of settlements", number(SETTLEMENTS, "/total")),
        ("unsettled", number(SUMMARY, "/unsettledCount")),
        ("team", listed(TEAM, "/data")),
        ("overview orders", number(OVERVIEW, "/data/kpis/ordersPlaced/value")),
        ("overview visits", number(OVERVIEW, "/data/kpis/uniqueSessions/value")),
        ("overview redemptions", number(OVERVIEW, "/data/kpis/redemptionAttempts/value")),
        ("sales", number(SALES, "/data/kpis/ordersPlaced/value")),
        ("redemptions", number(REDEMPTIONS, "/data/kpis/totalAttempts/value")),
    ]
    .into()
}

/// Repeats the requests of the stored idempotency keys.
async fn repeat_requests(system: &System) -> Responses {
    let mut responses = BTreeMap::new();
    for (path, key, body) in [
        (ISSUE, ISSUE_KEY, ISSUE_BODY),
        (REDEEM, REDEEM_KEY, REDEEM_BODY),
        (REDEEM, FAILED_REDEEM_KEY, FAILED_REDEEM_BODY),
        (TILLS, TILL_KEY, TILL_BODY),
    ] {
        responses.insert(format!("{path} {key}"), system.send_with_key(path, key, body).await);
    }
    assert_eq!(system.money_calls().await, 0, "money moved again");
    responses
}

/// Reads the rows, then adds the due work, runs it and reads what it has changed.
async fn compare_with_snapshots(rows: &[Value]) {
    let system = System::with_rows(rows).await;
    let mut responses = assert_all_answer(&system, rows, "golden rows").await;
    responses.extend(repeat_requests(&system).await);
    let email = json!({"email": "admin@golden.example"});
    responses.insert(CHECK.to_owned(), system.send_json(Method::POST, CHECK, &email).await);
    // This merchant is paid on redemption.
    let sales = system.anonymous(Method::GET, SALES).bearer_auth(DRAFT_SESSION_TOKEN);
    responses.insert(format!("{SALES} u-draft"), system.send(sales).await);
    assert_json_snapshot!("golden_1_reads", responses);

    system.load_work(rows).await;
    let left = system.drain().await;
    let mut changed = BTreeMap::new();
    for path in [ORDERS, SETTLEMENTS, SUMMARY, OVERVIEW] {
        changed.insert(path.to_owned(), json!(system.get(path).await));
    }
    // The network never received the issue, which frees its key: the repeat is a new sale.
    let repeated = system.send_with_key(ISSUE, OPEN_ISSUE_KEY, ISSUE_BODY).await;
    assert_eq!(repeated.status, 200, "{repeated:?}");
    let emails = system.email_subjects().await;
    assert_json_snapshot!("golden_1_after_due_work", json!({"left": left, "emails": emails, "responses": changed}));
}

#[tokio::test]
async fn reads_golden_rows() {
    compare_with_snapshots(&golden::rows()).await;
}

#[tokio::test]
async fn ignores_unknown_attributes() {
    let rows: Vec<Value> = golden::rows().iter().map(with_unknown_attributes).collect();
    compare_with_snapshots(&rows).await;
}

/// An attribute of each DynamoDB type.
fn unknown_attributes() -> Value {
    json!({
        "newer_s": {"S": "FROM_A_NEWER_RELEASE"},
        "newer_n": {"N": "12345678901234567890123456789012345678"},
        "newer_fraction": {"N": "-0.5"},
        "newer_b": {"B": "3q2+7w=="},
        "newer_bool": {"BOOL": true},
        "newer_null": {"NULL": true},
        "newer_l": {"L": [{"N": "1"}, {"M": {"a": {"B": "AA=="}}}, {"L": []}]},
        "newer_m": {"M": {"a": {"S": ""}, "b": {"M": {}}}},
        "newer_ss": {"SS": ["a", "b"]},
        "newer_ns": {"NS": ["1", "2.5"]},
        "newer_bs": {"BS": ["AA==", "AQ=="]},
    })
}

fn with_unknown_attributes(row: &Value) -> Value {
    Value::Object(extended(row.as_object().unwrap()))
}

/// The fields of a row or of a nested struct, with unknown ones.
fn extended(fields: &Map<String, Value>) -> Map<String, Value> {
    let known = fields.iter().map(|(name, value)| (name.clone(), nested(value)));
    known.chain(unknown_attributes().as_object().unwrap().clone()).collect()
}

fn nested(attribute: &Value) -> Value {
    if let Some(list) = attribute["L"].as_array() {
        return json!({"L": list.iter().map(nested).collect::<Vec<_>>()});
    }
    let Some(fields) = attribute["M"].as_object() else { return attribute.clone() };
    match variant(fields) {
        // The map has the name of the variant and no other entry.
        Some((name, content)) => json!({"M": {name: nested(content)}}),
        None => json!({"M": extended(fields)}),
    }
}

/// The name and the content of an enum's variant. Names of fields begin with a lower case letter.
fn variant(fields: &Map<String, Value>) -> Option<(&String, &Value)> {
    let only = fields.iter().next().filter(|_| fields.len() == 1);
    only.filter(|(name, _)| name.starts_with(|first: char| first.is_ascii_uppercase()))
}
