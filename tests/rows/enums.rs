//! Enum values that no release knows yet.

use reqwest::Method;
use serde_json::{Value, json};

use crate::golden::{self, FAILED_REDEEM_BODY, FAILED_REDEEM_KEY, find, find_with_entry};
use crate::reads::{
    FRAUD, ORDERS, OVERVIEW, PROFILE, REDEEM, REDEMPTIONS, SALES, SETTLEMENT_OF_ORDER, SETTLEMENTS, SHOP, SUMMARY, TEAM,
    assert_all_answer, counts, order_path, read_all,
};
use crate::support::{System, with_attribute};

const UNKNOWN: &str = "FROM_A_NEWER_RELEASE";
const ORDER: &str = "/api/bff/merchant-orders/o-golden-1";

fn unknown() -> Value {
    json!({"S": UNKNOWN})
}

/// A row (the beginnings of `pk` and `sk`), the path of an enum in it and in its entry, and the requests that show its text.
type Case = (&'static str, &'static str, &'static str, &'static [&'static str]);

const CASES: [Case; 18] = [
    ("MERCHANT#m-golden", "MERCHANT", "status", &[PROFILE]),
    ("MERCHANT#m-golden", "MERCHANT", "settlement_mode", &[]),
    ("MERCHANT#m-golden", "MEMBER#u-full", "role", &[TEAM]),
    ("MERCHANT#m-golden", "MEMBER#u-till", "permissions.0", &[]),
    ("MERCHANT#m-golden", "INVITE#c-2", "role", &[TEAM]),
    ("ORDER#m-golden#o-golden-1", "ORDER", "status", &[ORDERS, ORDER, SALES]),
    ("ORDER#m-golden#o-golden-1", "ORDER", "payment_status", &[ORDERS, ORDER]),
    ("ORDER#m-golden#o-golden-1", "ORDER", "fulfilment_status", &[ORDERS, ORDER]),
    ("ORDER#m-golden#o-golden-1", "ORDER", "delivery_type", &[ORDER]),
    ("ORDER#m-golden#o-golden-1", "ORDER", "fraud.status", &[]),
    ("ORDER#m-golden#o-golden-1", "ORDER", "gift_cards.0.status", &[ORDER]),
    ("REDEMPTION#m-golden#r-golden-1", "REDEMPTION", "status", &[REDEMPTIONS]),
    ("REDEMPTION#m-golden#r-golden-1", "REDEMPTION", "source", &[REDEMPTIONS]),
    ("SETTLEMENT#m-golden#s-golden-2", "SETTLEMENT", "source_type", &[SETTLEMENTS]),
    ("SETTLEMENT#m-golden#s-golden-2", "SETTLEMENT", "status", &[SETTLEMENTS, SETTLEMENT_OF_ORDER]),
    ("SETTLEMENT#m-golden#s-golden-2", "SETTLEMENT", "fee_snapshot", &[]),
    ("VISIT#m-golden#", "VISIT", "event", &[]),
    ("SETTLEMENT#m-golden#s-golden-1", "SETTLEMENT", "status", &[SETTLEMENTS]),
];

#[tokio::test]
async fn keeps_unknown_enum_values() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let known = assert_all_answer(&system, &rows, "known values").await;
    for (pk, sk, path, shown_by) in CASES {
        let written = find_with_entry(&rows, pk, sk);
        let case = format!("{pk} {path}");
        system.put_with(&written, path, &unknown()).await;
        system.drain().await;
        let responses = read_all(&system, &rows).await;
        for (path, response) in &responses {
            // The shop is open only while the merchant is known to be active.
            let is_closed_shop = path == SHOP && case == "MERCHANT#m-golden status";
            let expected = if is_closed_shop { 404 } else { 200 };
            assert_eq!(response.status, expected, "{case}: {path}: {response:?}");
        }
        for path in shown_by {
            assert!(responses[*path].contains(UNKNOWN), "{case}: {path}: {:?}", responses[*path]);
        }
        let mut expected = counts(&known);
        if pk.starts_with("SETTLEMENT") && path == "status" {
            // Whether it is paid is not known.
            expected.insert("unsettled", counts(&responses)["unsettled"]);
        }
        assert_eq!(counts(&responses), expected, "{case}");
        for row in written {
            system.put(row).await;
        }
    }
}

fn count(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

#[tokio::test]
async fn unknown_kind_of_fees_is_shown_as_null() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let tiers = json!({"M": {"Tiered": {"M": {"tiers": {"L": [{"N": "1.5"}, {"NULL": true}]}}}}});
    let written = find_with_entry(&rows, "SETTLEMENT#m-golden#s-golden-2", "SETTLEMENT");
    system.put_with(&written, "fee_snapshot", &tiers).await;
    let listed = system.get(SETTLEMENTS).await;
    let listed = listed.at("/rows").as_array().unwrap().iter().find(|row| row["id"] == "s-golden-2").unwrap().clone();
    assert_eq!(listed["feeSnapshot"], Value::Null);
    assert_eq!(listed["grossAmountMinor"], 5000);
}

#[tokio::test]
async fn writes_keep_unknown_enum_values_and_attributes() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;

    let merchant = find(&rows, "MERCHANT#m-golden", "MERCHANT");
    let mut newer = with_attribute(&with_attribute(merchant, "status", &unknown()), "settlement_mode", &unknown());
    newer["an_attribute_of_a_newer_release"] = unknown();
    system.put(&newer).await;
    let change = json!({"company": {"legalName": "Renamed"}});
    let changed = system.send_json(Method::PUT, PROFILE, &change).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let stored = system.stored(merchant).await;
    assert_eq!((&stored["status"], &stored["settlement_mode"]), (&unknown(), &unknown()));
    assert_eq!(stored["an_attribute_of_a_newer_release"], unknown());
    assert_eq!(stored["legal_name"]["S"], "Renamed");

    let till = find(&rows, "MERCHANT#m-golden", "MEMBER#u-till");
    let newer = with_attribute(&with_attribute(till, "role", &unknown()), "permissions.0", &unknown());
    system.put(&newer).await;
    let change = json!({"targetUserId": "u-full", "merchantTeamRole": "VIEWER"});
    let changed = system.send_json(Method::PATCH, TEAM, &change).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(system.stored(till).await, newer);
    assert_eq!(system.stored(find(&rows, "MERCHANT#m-golden", "MEMBER#u-full")).await["role"]["S"], "VIEWER");

    // The sweep closes the open issue and changes the status of its order.
    let order = order_of_open_issue(&rows);
    let newer = with_attribute(&with_attribute(order, "payment_status", &unknown()), "fraud.status", &unknown());
    system.put(&with_attribute(&newer, "delivery_type", &unknown())).await;
    system.load_work(&rows).await;
    system.drain().await;
    let stored = system.stored(order).await;
    assert_eq!(stored["status"]["S"], "ISSUE_FAILED");
    for kept in [&stored["payment_status"], &stored["fraud"]["M"]["status"], &stored["delivery_type"]] {
        assert_eq!(kept, &unknown(), "{stored}");
    }
    let detail = system.get(&order_path(order["id"]["S"].as_str().unwrap())).await;
    assert_eq!(detail.at("/data/paymentStatus"), UNKNOWN);
    assert!(system.get(ORDERS).await.contains(UNKNOWN), "the entry that the sweep has written");
}

/// The order that the open operation creates.
fn order_of_open_issue(rows: &[Value]) -> &Value {
    let open = rows.iter().find(|row| row["state"]["M"].get("Open").is_some()).unwrap();
    let id = open["subject"]["M"]["Issue"]["S"].as_str().unwrap();
    find(rows, &format!("ORDER#m-golden#{id}"), "ORDER")
}

#[tokio::test]
async fn member_with_an_unknown_role_has_no_permissions() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let admin = find(&rows, "MERCHANT#m-golden", "MEMBER#u-golden");
    system.put(&with_attribute(admin, "role", &unknown())).await;
    for path in [PROFILE, ORDERS, ORDER, SETTLEMENTS, SUMMARY, OVERVIEW, SALES, REDEMPTIONS, FRAUD] {
        let response = system.get(path).await;
        assert_eq!(response.status, 403, "{path}: {response:?}");
    }
    let redeemed = system.send_with_key(REDEEM, FAILED_REDEEM_KEY, FAILED_REDEEM_BODY).await;
    assert_eq!(redeemed.status, 403, "{redeemed:?}");
    let team = system.get(TEAM).await;
    assert!(team.status == 200 && team.contains(UNKNOWN), "{team:?}");
}

#[tokio::test]
async fn work_of_an_unknown_kind_stays_and_does_not_block_other_work() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let job = |task: &str| {
        let jobs = rows.iter().filter(|row| golden::key(row).1 == "JOB" && row["state"]["M"].get("Dead").is_none());
        jobs.into_iter().find(|row| row["task"].to_string().contains(task)).unwrap()
    };
    let open = rows.iter().find(|row| row["state"]["M"].get("Open").is_some()).unwrap();
    let with_content = json!({"M": {UNKNOWN: {"M": {"id": {"S": "x"}}}}});
    let work: Vec<Value> = [
        (job("FetchLogo"), "task", unknown()),
        (job("VerificationMail"), "task", with_content.clone()),
        (job("VerifyMerchant"), "state", with_content.clone()),
        (job("MirrorMerchant"), "task.MirrorMerchant.fields.0", unknown()),
        (open, "subject", with_content.clone()),
        (open, "state", with_content.clone()),
        (open, "state.Open.first_error.details", json!({"N": "1"})),
    ]
    .into_iter()
    .enumerate()
    .map(|(number, (row, path, value))| {
        let mut row = with_attribute(row, path, &value);
        row["pk"] = json!({"S": format!("{}-{number}", golden::key(&row).0)});
        row
    })
    .collect();
    system.load_work(&work).await;
    system.load_work(&[job("AccountChangeMail").clone(), job("SettleRedemption").clone(), open.clone()]).await;

    assert_eq!(system.drain().await, json!({"pending": 0, "dead": 0}));
    for row in &work {
        assert_eq!(&system.stored(row).await, row, "changed or run");
    }
    assert_eq!(count(&json!(system.email_subjects().await)), 1);
    assert_eq!(system.stored(order_of_open_issue(&rows)).await["status"]["S"], "ISSUE_FAILED");
    assert!(system.get(SETTLEMENTS).await.contains("settlement-r-golden-1"));
}

#[tokio::test]
async fn operation_in_an_unknown_state_is_not_executed_again() {
    let rows = golden::rows();
    let system = System::with_rows(&rows).await;
    let has_failed = |row: &&Value| row["state"]["M"]["Closed"]["M"].get("Failed").is_some();
    let mut operations = rows.iter().filter(|row| golden::key(row).1 == "OPERATION");
    let failed = operations.find(has_failed).unwrap();
    for (path, value) in [
        ("state", json!({"M": {UNKNOWN: {"M": {}}}})),
        ("state", unknown()),
        ("state.Closed", json!({"M": {UNKNOWN: {"S": "{}"}}})),
        ("subject", json!({"M": {UNKNOWN: {"S": "x"}}})),
    ] {
        let newer = with_attribute(failed, path, &value);
        system.put(&newer).await;
        let repeated = system.send_with_key(REDEEM, FAILED_REDEEM_KEY, FAILED_REDEEM_BODY).await;
        assert_eq!(repeated.status, 500, "{path}: {repeated:?}");
        assert_eq!(system.stored(failed).await, newer);
    }
    assert_eq!(system.money_calls().await, 0);
}
