//! Runs `admin tallies` against the local system: on tallies that were damaged, and on a merchant without any.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use reqwest::Method;
use serde_json::{Value, json};
use shared::domain::calendar::Calendars;
use shared::domain::ids::MerchantId;
use shared::domain::tally::{Family, Series, SettlementKind};
use shared::store::{Item, Range, Write, item_key, keys};
use world::{Caller, System};

const MERCHANT: &str = "m-1";

/// A merchant with orders, redemptions, settlements and visits on 24 days of two months.
async fn start() -> System {
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
    System::with_fixtures(&fixtures).await
}

/// Runs the command for the merchant. Returns whether it succeeded, and its output.
async fn tallies(system: &System, action: &str) -> (bool, String) {
    tallies_of(system, &[action, "--merchant", MERCHANT]).await
}

async fn tallies_of(system: &System, arguments: &[&str]) -> (bool, String) {
    let output = system.run_program(env!("CARGO_BIN_EXE_admin"), &[&["tallies"], arguments].concat()).await;
    (output.is_success, output.stdout + &output.stderr)
}

/// The first page of orders, the settlements and a report.
async fn responses(system: &System) -> Vec<Value> {
    let anna = system.sign_in("u-anna").await;
    let mut responses = Vec::new();
    for path in [
        "/api/bff/merchant-orders?pageSize=7&page=3",
        "/api/bff/merchant-orders?status=COMPLETED",
        "/api/bff/settlements?take=5&skip=10",
        "/api/bff/settlements/summary",
        "/api/bff/analytics/overview?days=30",
        "/api/bff/analytics/redemptions?days=90",
    ] {
        responses.push(anna.get(path).await.ok().body);
    }
    responses
}

async fn rows(system: &System, partition: String) -> Vec<Item> {
    system.store().query_items(Range::of_table(partition)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_and_cures_tallies_that_were_damaged_by_hand() {
    let system = start().await;
    let before = responses(&system).await;
    assert_eq!(tallies(&system, "compare").await, (true, "0 minutes differ\n".to_owned()));

    let store = system.store();
    for series in [Series::Orders, Series::Settlements(SettlementKind::Redemption)] {
        let rows = rows(&system, keys::tallies(&MerchantId::new(MERCHANT), series)).await;
        for row in rows.iter().step_by(rows.len() / 3) {
            store.remove(&item_key(row).unwrap()).await.unwrap();
        }
    }
    assert_ne!(responses(&system).await, before);
    let (succeeded, report) = tallies(&system, "compare").await;
    assert!(!succeeded && report.contains("Orders: ") && report.contains("Settlements(Redemption): "), "{report}");

    assert!(tallies(&system, "rebuild").await.0);
    assert_eq!(tallies(&system, "compare").await, (true, "0 minutes differ\n".to_owned()));
    assert_eq!(responses(&system).await, before);
}

/// Puts a merchant into the state that a release without entries left it in.
async fn remove_entries_and_tallies(system: &System, id: &MerchantId) {
    let store = system.store();
    let merchant = store.merchant(id).await.unwrap().unwrap();
    let mut changed = merchant.value.clone();
    changed.calendars = Calendars::default();
    store.commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
    let entries = Family::ALL.map(|family| keys::entries(id, family));
    let tally_partitions = Series::ALL.map(|series| keys::tallies(id, series));
    for partition in entries.into_iter().chain(tally_partitions) {
        for row in rows(system, partition).await {
            store.remove(&item_key(&row).unwrap()).await.unwrap();
        }
    }
}

/// Sends a request of a platform administrator, and returns the response's `data` once all work is done.
async fn administer(system: &System, user: &str, method: Method, path: &str, body: &Value) -> Value {
    let request = system.sign_in(user).await.request_with_json(method, path, body).header("idempotency-key", path);
    let response = Caller::send_request(request).await.ok();
    system.drain().await;
    response.at("/data").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn settlements_of_a_release_without_payouts_are_found_after_a_rebuild_and_paid() {
    let system = start().await;
    let id = MerchantId::new(MERCHANT);
    for row in rows(&system, keys::pending_settlements(&id)).await {
        system.store().remove(&item_key(&row).unwrap()).await.unwrap();
    }
    let payouts = async |run: &str| {
        let path = format!("/api/admin/payouts?{run}");
        administer(&system, "u-root", Method::POST, &path, &json!({})).await;
        administer(&system, "u-root", Method::GET, &path, &Value::Null).await["payouts"].clone()
    };
    assert_eq!(payouts("merchantId=m-1").await, json!([]), "nothing is found without the rows");

    assert!(tallies(&system, "compare").await.0, "the tallies do not tell");
    assert!(tallies_of(&system, &["rebuild", "--entries", "--merchant", MERCHANT]).await.0);
    let made = payouts("status=IN_BATCH").await;
    let amount: i64 = (0..24).map(|number| 100 + number * 3).sum();
    assert_eq!((&made[0]["count"], &made[0]["netAmountMinor"]), (&json!(24), &json!(amount)), "{made}");
    let path = format!("/api/admin/payouts/{}", made[0]["id"].as_str().unwrap());
    let paid = json!({"status": "PAID", "reference": "SEPA 1"});
    administer(&system, "u-rut", Method::PATCH, &path, &paid).await;
    assert_eq!(payouts("status=PAID").await[0]["netAmountMinor"], amount);
    assert_eq!(rows(&system, keys::pending_settlements(&id)).await.len(), 0);
    assert_eq!(tallies(&system, "compare").await, (true, "0 minutes differ\n".to_owned()));
}

async fn serves(system: &System, id: &MerchantId) -> bool {
    let merchant = system.store().merchant(id).await.unwrap().unwrap();
    merchant.calendars.serving.is_some() && merchant.calendars.building.is_none()
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_entries_and_tallies_for_a_merchant_that_has_none() {
    let system = start().await;
    let before = responses(&system).await;
    let (id, other) = (MerchantId::new(MERCHANT), MerchantId::new("m-2"));
    for merchant in [&id, &other] {
        remove_entries_and_tallies(&system, merchant).await;
    }

    assert!(tallies(&system, "rebuild").await.0);
    assert_eq!((serves(&system, &id).await, serves(&system, &other).await), (true, false));
    let (is_complete, report) = tallies_of(&system, &["compare", "--all"]).await;
    assert!(!is_complete && report.starts_with("m-2: no serving calendar\n"), "{report}");
    assert_eq!(responses(&system).await, before);
    assert_eq!(tallies(&system, "compare").await, (true, "0 minutes differ\n".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_entries_and_tallies_for_all_merchants() {
    let system = start().await;
    let before = responses(&system).await;
    let merchants = [MerchantId::new(MERCHANT), MerchantId::new("m-2")];
    for merchant in &merchants {
        remove_entries_and_tallies(&system, merchant).await;
    }

    assert!(tallies_of(&system, &["rebuild", "--all"]).await.0);
    for merchant in &merchants {
        assert!(serves(&system, merchant).await, "{merchant}");
    }
    assert_eq!(responses(&system).await, before);
    let compared = tallies_of(&system, &["compare", "--all"]).await;
    assert_eq!(compared, (true, "0 minutes differ\n".to_owned()));
}
