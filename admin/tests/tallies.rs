//! Runs `admin tallies` against the local system: on tallies that were damaged, and on a merchant without any.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Command;

use local::{Local, Options, StartingState};
use reqwest::Method;
use serde_json::{Value, json};
use shared::domain::calendar::Calendars;
use shared::domain::ids::MerchantId;
use shared::domain::tally::{Family, Series, SettlementKind};
use shared::store::{Item, Range, Write, item_key, keys};
use world::client;

const MERCHANT: &str = "m-1";

/// A merchant with orders, redemptions, settlements and visits on 24 days of two months.
async fn start() -> (Local, tempfile::TempDir) {
    let of_day = |day: usize, fields: Value| {
        let mut record = fields;
        record["merchantId"] = json!(MERCHANT);
        record["id"] = json!(format!("{day}"));
        record
    };
    let days = || (0..24).map(|number| number * 3);
    let orders = days().map(|day| {
        of_day(
            day,
            json!({"createdAt": format!("now-{day}d"), "status": "COMPLETED", "currency": "SEK", "totalAmountMinor": 100 + day}),
        )
    });
    let redemptions = days().map(|day| {
        of_day(
            day,
            json!({"occurredAt": format!("now-{day}d"), "status": "SUCCEEDED", "currency": "SEK", "amountMinor": 100 + day}),
        )
    });
    let settlements = days().map(|day| {
        of_day(day, json!({"eligibleAt": format!("now-{day}d"), "sourceType": "REDEMPTION", "sourceId": format!("{day}"), "grossAmountMinor": 100 + day, "currency": "SEK"}))
    });
    let visits =
        days().map(|day| json!({"merchantId": MERCHANT, "sessionId": format!("v-{day}"), "startedAt": format!("now-{day}d")}));
    let fixtures = json!({
        "merchants": [
            {"id": MERCHANT, "status": "ACTIVE", "currency": "SEK", "timeZone": "Europe/Stockholm"},
            {"id": "m-2", "status": "ACTIVE", "currency": "SEK", "timeZone": "UTC"},
        ],
        "users": [
            {"id": "u-anna", "email": "anna@m.example", "merchantId": MERCHANT, "merchantTeamRole": "ADMIN"},
            {"id": "u-root", "email": "root@portal.example", "isAdmin": true},
            {"id": "u-rut", "email": "rut@portal.example", "isAdmin": true},
        ],
        "orders": orders.collect::<Vec<_>>(), "redemptions": redemptions.collect::<Vec<_>>(),
        "settlements": settlements.collect::<Vec<_>>(), "analyticsSessions": visits.collect::<Vec<_>>(),
    });
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("fixtures.json");
    std::fs::write(&file, fixtures.to_string()).unwrap();
    let options = Options { fixtures: StartingState::File(file), ..Options::default() };
    (Local::start(options).await.unwrap(), directory)
}

/// Runs the command for the merchant. Returns whether it succeeded, and its output.
async fn tallies(local: &Local, action: &str) -> (bool, String) {
    tallies_of(local, &[action, "--merchant", MERCHANT]).await
}

async fn tallies_of(local: &Local, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_admin"));
    command.arg("tallies").args(arguments).envs(&local.environment);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    (output.status.success(), text)
}

/// The first page of orders, the settlements and a report.
async fn responses(local: &Local) -> Vec<Value> {
    let token = local.sign_in("u-anna").await.unwrap().unwrap();
    let mut responses = Vec::new();
    for path in [
        "/api/bff/merchant-orders?pageSize=7&page=3",
        "/api/bff/merchant-orders?status=COMPLETED",
        "/api/bff/settlements?take=5&skip=10",
        "/api/bff/settlements/summary",
        "/api/bff/analytics/overview?days=30",
        "/api/bff/analytics/redemptions?days=90",
    ] {
        let request = client().get(format!("{}{path}", local.listening.api)).bearer_auth(&token);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{path}");
        responses.push(serde_json::from_slice(&response.bytes().await.unwrap()).unwrap());
    }
    responses
}

async fn rows(local: &Local, partition: String) -> Vec<Item> {
    local.app().store.query_items(Range::of_table(partition)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_and_cures_tallies_that_were_damaged_by_hand() {
    let (local, _directory) = start().await;
    let before = responses(&local).await;
    assert_eq!(tallies(&local, "compare").await, (true, "0 minutes differ\n".to_owned()));

    let store = &local.app().store;
    for series in [Series::Orders, Series::Settlements(SettlementKind::Redemption)] {
        let rows = rows(&local, keys::tallies(&MerchantId::new(MERCHANT), series)).await;
        for row in rows.iter().step_by(rows.len() / 3) {
            store.remove(&item_key(row).unwrap()).await.unwrap();
        }
    }
    assert_ne!(responses(&local).await, before);
    let (succeeded, report) = tallies(&local, "compare").await;
    assert!(!succeeded && report.contains("Orders: ") && report.contains("Settlements(Redemption): "), "{report}");

    assert!(tallies(&local, "rebuild").await.0);
    assert_eq!(tallies(&local, "compare").await, (true, "0 minutes differ\n".to_owned()));
    assert_eq!(responses(&local).await, before);
}

/// Puts a merchant into the state that a release without entries left it in.
async fn remove_entries_and_tallies(local: &Local, id: &MerchantId) {
    let store = &local.app().store;
    let merchant = store.merchant(id).await.unwrap().unwrap();
    let mut changed = merchant.value.clone();
    changed.calendars = Calendars::default();
    store.commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
    let entries = Family::ALL.map(|family| keys::entries(id, family));
    let tally_partitions = Series::ALL.map(|series| keys::tallies(id, series));
    for partition in entries.into_iter().chain(tally_partitions) {
        for row in rows(local, partition).await {
            store.remove(&item_key(&row).unwrap()).await.unwrap();
        }
    }
}

/// Sends a request of a platform administrator, and returns the response's `data` once all work is done.
async fn administer(local: &Local, user: &str, method: Method, path: &str, body: &Value) -> Value {
    let token = local.sign_in(user).await.unwrap().unwrap();
    let url = |path: &str| format!("{}{path}", local.listening.api);
    let request = client().request(method, url(path)).bearer_auth(token).header("idempotency-key", path);
    let request = request.header("content-type", "application/json").body(body.to_string());
    let response = request.send().await.unwrap();
    let (status, body) = (response.status(), response.text().await.unwrap());
    assert!(status.is_success(), "{path}: {status} {body}");
    client().post(url("/__local/drain")).send().await.unwrap();
    serde_json::from_str::<Value>(&body).unwrap()["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn settlements_of_a_release_without_payouts_are_found_after_a_rebuild_and_paid() {
    let (local, _directory) = start().await;
    let id = MerchantId::new(MERCHANT);
    for row in rows(&local, keys::pending_settlements(&id)).await {
        local.app().store.remove(&item_key(&row).unwrap()).await.unwrap();
    }
    let payouts = async |run: &str| {
        let path = format!("/api/admin/payouts?{run}");
        administer(&local, "u-root", Method::POST, &path, &json!({})).await;
        administer(&local, "u-root", Method::GET, &path, &Value::Null).await["payouts"].clone()
    };
    assert_eq!(payouts("merchantId=m-1").await, json!([]), "nothing is found without the rows");

    assert!(tallies(&local, "compare").await.0, "the tallies do not tell");
    assert!(tallies_of(&local, &["rebuild", "--entries", "--merchant", MERCHANT]).await.0);
    let made = payouts("status=IN_BATCH").await;
    let amount: i64 = (0..24).map(|number| 100 + number * 3).sum();
    assert_eq!((&made[0]["count"], &made[0]["netAmountMinor"]), (&json!(24), &json!(amount)), "{made}");
    let path = format!("/api/admin/payouts/{}", made[0]["id"].as_str().unwrap());
    let paid = json!({"status": "PAID", "reference": "SEPA 1"});
    administer(&local, "u-rut", Method::PATCH, &path, &paid).await;
    assert_eq!(payouts("status=PAID").await[0]["netAmountMinor"], amount);
    assert_eq!(rows(&local, keys::pending_settlements(&id)).await.len(), 0);
    assert_eq!(tallies(&local, "compare").await, (true, "0 minutes differ\n".to_owned()));
}

async fn serves(local: &Local, id: &MerchantId) -> bool {
    let merchant = local.app().store.merchant(id).await.unwrap().unwrap();
    merchant.calendars.serving.is_some() && merchant.calendars.building.is_none()
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_entries_and_tallies_for_a_merchant_that_has_none() {
    let (local, _directory) = start().await;
    let before = responses(&local).await;
    let (id, other) = (MerchantId::new(MERCHANT), MerchantId::new("m-2"));
    for merchant in [&id, &other] {
        remove_entries_and_tallies(&local, merchant).await;
    }

    assert!(tallies(&local, "rebuild").await.0);
    assert_eq!((serves(&local, &id).await, serves(&local, &other).await), (true, false));
    let (is_complete, report) = tallies_of(&local, &["compare", "--all"]).await;
    assert!(!is_complete && report.starts_with("m-2: no serving calendar\n"), "{report}");
    assert_eq!(responses(&local).await, before);
    assert_eq!(tallies(&local, "compare").await, (true, "0 minutes differ\n".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_entries_and_tallies_for_all_merchants() {
    let (local, _directory) = start().await;
    let before = responses(&local).await;
    let merchants = [MerchantId::new(MERCHANT), MerchantId::new("m-2")];
    for merchant in &merchants {
        remove_entries_and_tallies(&local, merchant).await;
    }

    assert!(tallies_of(&local, &["rebuild", "--all"]).await.0);
    for merchant in &merchants {
        assert!(serves(&local, merchant).await, "{merchant}");
    }
    assert_eq!(responses(&local).await, before);
    let compared = tallies_of(&local, &["compare", "--all"]).await;
    assert_eq!(compared, (true, "0 minutes differ\n".to_owned()));
}
