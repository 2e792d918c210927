//! Runs `admin tallies` against the local system, on tallies that were damaged.

use local::{Options, StartingState};
use serde_json::{Value, json};
use shared::db::{Range, item_key, keys};
use shared::projections::model::tally::{Series, SettlementKind};
use shared::values::MerchantId;
use world::System;

const MERCHANT: &str = "m-1";

/// A merchant with orders, redemptions, settlements and visits on 24 days of two months.
async fn start() -> (System, tempfile::TempDir) {
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
        ],
        "orders": orders.collect::<Vec<_>>(), "redemptions": redemptions.collect::<Vec<_>>(),
        "settlements": settlements.collect::<Vec<_>>(), "analyticsSessions": visits.collect::<Vec<_>>(),
    });
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("fixtures.json");
    std::fs::write(&file, fixtures.to_string()).unwrap();
    let options = Options { fixtures: StartingState::File(file), ..Options::default() };
    (System::with_data_of(options).await, directory)
}

/// Returns whether the command succeeded, and its output.
async fn tallies(system: &System, action: &str, of: &[&str]) -> (bool, String) {
    let output = system.run_program(env!("CARGO_BIN_EXE_admin"), &[&["tallies", action], of].concat()).await;
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

/// Removes some tallies, as a restored table lacks those that were not counted yet.
async fn damage(system: &System) {
    let store = system.store();
    for series in [Series::Orders, Series::Settlements(SettlementKind::Redemption)] {
        let tallies = Range::of_table(keys::tallies(&MerchantId::new(MERCHANT), series));
        let rows = store.query_items(tallies).await.unwrap();
        for row in rows.iter().step_by(rows.len() / 3) {
            store.remove(&item_key(row).unwrap()).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_and_cures_tallies_that_were_damaged_by_hand() {
    let (system, _directory) = start().await;
    let before = responses(&system).await;
    let none_differ = (true, "0 minutes differ\n".to_owned());
    for of in [&["--merchant", MERCHANT][..], &["--all"]] {
        assert_eq!(tallies(&system, "compare", of).await, none_differ);
        damage(&system).await;
        assert_ne!(responses(&system).await, before);
        let (succeeded, report) = tallies(&system, "compare", of).await;
        assert!(!succeeded && report.contains("Orders: ") && report.contains("Settlements(Redemption): "), "{report}");
        assert!(tallies(&system, "rebuild", of).await.0);
        assert_eq!(tallies(&system, "compare", of).await, none_differ);
        assert_eq!(responses(&system).await, before);
    }
}

/// A restore is complete, and tills sell, before the tallies are rebuilt.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_sold_before_the_tallies_are_rebuilt_is_in_them() {
    let (system, _directory) = start().await;
    damage(&system).await;
    let sold = json!({
        "id": "later", "merchantId": MERCHANT, "createdAt": "now-0d", "status": "COMPLETED", "currency": "SEK", "totalAmountMinor": 700,
    });
    system.load_fixtures(&json!({ "orders": [sold] })).await;
    system.finish_work().await;
    assert!(tallies(&system, "rebuild", &["--all"]).await.0);
    assert_eq!(tallies(&system, "compare", &["--all"]).await, (true, "0 minutes differ\n".to_owned()));
    let orders = system.sign_in("u-anna").await.get("/api/bff/merchant-orders?pageSize=1").await.ok();
    assert_eq!(orders.at("/data/total"), &json!(25), "{orders:?}");
}
