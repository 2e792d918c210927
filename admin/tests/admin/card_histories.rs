//! Runs `admin card enter` against the local system, after the key of codes has been replaced.

use serde_json::{Value, json};
use shared::cards::model::card_history::tagged_cards;
use shared::cards::model::card_tag::CardTag;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::Redemption;
use shared::db::Write;
use shared::db::keys::{Listed, listed_rows};
use shared::team::model::code::CodeKey;
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

/// A card of 500 that was sold, and redeemed twice.
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

/// The tags that orders and redemptions have from a key that was replaced.
async fn tag_with_former_key(system: &System) {
    let key: CodeKey = serde_json::from_value(json!({"key": "the-former-key-that-tags-followed-from"})).unwrap();
    let store = system.store();
    for order in store.scan_all::<Order>(listed_rows(Listed::Orders, None)).await.unwrap() {
        let tagged = Order { tagged_cards: tagged_cards(&order, &key), ..order.value.clone() };
        store.commit(vec![Write::replace(&order, &tagged).unwrap()]).await.unwrap();
    }
    for redemption in store.scan_all::<Redemption>(listed_rows(Listed::Redemptions, None)).await.unwrap() {
        let tag = CardTag::new(&key, &redemption.merchant_id, redemption.qr_code.as_ref().unwrap());
        let tagged = Redemption { card_tag: Some(tag), ..redemption.value.clone() };
        store.commit(vec![Write::replace(&redemption, &tagged).unwrap()]).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn enters_what_was_sold_and_redeemed_before_the_key_was_replaced_once() {
    let system = System::with_fixtures(&fixtures()).await;
    tag_with_former_key(&system).await;
    let before = history(&system).await;
    assert_eq!((kinds(&before), &before["addsUp"]), (vec![], &Value::Null));
    assert_eq!(enter(&system).await, "1 orders and 2 redemptions entered\n");
    for _ in 0..2 {
        let entered = history(&system).await;
        assert_eq!(kinds(&entered), ["REDEEMED", "REDEEMED", "ISSUED"]);
        assert_eq!(entered["addsUp"], true, "{entered}");
        assert_eq!(enter(&system).await, "0 orders and 0 redemptions entered\n");
    }
    // The next redemption is added up with the older ones.
    system.sign_in("u-1").await.redeem("QR-1", 75).await;
    let after = history(&system).await;
    assert_eq!((kinds(&after).len(), &after["addsUp"]), (4, &json!(true)));
}
