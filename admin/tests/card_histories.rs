//! Runs `admin card enter` against the local system, on rows of earlier releases.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use serde_json::{Value, json};
use shared::domain::ids::{MerchantId, OrderId, RedemptionId};
use shared::domain::money::{Currency, Minor, Money};
use shared::domain::order::{Order, OrderStatus, Refund};
use shared::store::Write;
use shared::store::given_back::give_back;
use world::System;

const ADMIN: &str = env!("CARGO_BIN_EXE_admin");

async fn enter(system: &System) -> String {
    system.run_program(ADMIN, &["card", "enter"]).await.result().unwrap()
}

async fn history(system: &System) -> Value {
    system.sign_in("u-1").await.get("/api/bff/cards/QR-1/history").await.ok().at("/data").clone()
}

fn kinds(history: &Value) -> Vec<&str> {
    history["events"].as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect()
}

/// A card of 500 that an earlier release has sold, and redeemed twice.
fn fixtures() -> Value {
    let redemption = |id: &str, status: &str, minor: i64| {
        json!({"id": id, "merchantId": "m-1", "occurredAt": "2026-01-02T10:00:00Z", "status": status, "source": "POS",
               "amountMinor": minor, "currency": "EUR", "qrCode": "QR-1"})
    };
    json!({
        "merchants": [{"id": "m-1", "slug": "m-1", "name": "M", "status": "ACTIVE", "currency": "EUR",
                       "networkMerchantId": "1", "settlementMode": "SETTLEMENT_ON_REDEMPTION"}],
        "users": [{"id": "u-1", "email": "u@m.example", "merchantId": "m-1", "merchantTeamRole": "ADMIN"}],
        "orders": [{"id": "o-1", "merchantId": "m-1", "createdAt": "2026-01-01T10:00:00Z", "status": "COMPLETED",
                    "totalAmountMinor": 50_000, "currency": "EUR", "giftCards": [
                        {"id": "g-1", "qrCode": "QR-1", "status": "ISSUED", "valueMinor": 50_000, "currency": "EUR"},
                        {"id": "g-2", "status": "PENDING", "valueMinor": 50_000, "currency": "EUR"}]}],
        "redemptions": [redemption("r-1", "SUCCEEDED", 10_000), redemption("r-2", "SUCCEEDED", 2_500),
                        redemption("r-3", "FAILED", 100)],
        "cardNetwork": {"cards": [{"merchantId": "1", "qrCode": "QR-1", "status": "ACTIVE", "value": 500,
                                   "valueRemains": 375, "currency": "EUR"}]},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn enters_what_earlier_releases_have_sold_and_redeemed_once() {
    let system = System::with_fixtures(&fixtures()).await;
    let before = history(&system).await;
    assert_eq!((kinds(&before), &before["addsUp"]), (vec![], &Value::Null));

    assert_eq!(enter(&system).await, "1 orders and 2 redemptions entered, 0 returns uncounted\n");
    for _ in 0..2 {
        let entered = history(&system).await;
        assert_eq!(kinds(&entered), ["REDEEMED", "REDEEMED", "ISSUED"]);
        assert_eq!(entered["addsUp"], true, "{entered}");
        assert_eq!(enter(&system).await, "0 orders and 0 redemptions entered, 0 returns uncounted\n");
    }
    // The next redemption is added up with the older ones.
    system.sign_in("u-1").await.redeem("QR-1", 75).await;
    let after = history(&system).await;
    assert_eq!((kinds(&after).len(), &after["addsUp"]), (4, &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn uncounts_returns_whose_sale_an_earlier_release_has_closed_as_failed() {
    let system = System::with_fixtures(&fixtures()).await;
    enter(&system).await;
    let (store, merchant) = (system.store(), MerchantId::new("m-1"));
    let redemption = store.redemption(&merchant, &RedemptionId::new("r-1")).await.unwrap().unwrap();
    let value = Money::new(Minor::new(4_000), Currency::EUR);
    let failed = Order {
        status: OrderStatus::IssueFailed.into(),
        refund: Some(Refund { of: redemption.id.clone(), is_counted: true }),
        ..Order::new(OrderId::new("o-2"), merchant, redemption.occurred_at, value)
    };
    let counted = give_back(&redemption, value.minor).unwrap().unwrap();
    store.commit(vec![Write::create(&failed).unwrap(), counted]).await.unwrap();
    let refunded = |history: &Value| {
        let events = history["events"].as_array().unwrap();
        events.iter().find(|event| event["redemptionId"] == "r-1").unwrap()["refundedMinor"].clone()
    };
    assert_eq!(refunded(&history(&system).await), 4_000);
    assert_eq!(enter(&system).await, "0 orders and 0 redemptions entered, 1 returns uncounted\n");
    assert_eq!(refunded(&history(&system).await), 0);
    assert_eq!(enter(&system).await, "0 orders and 0 redemptions entered, 0 returns uncounted\n");
}
