//! The canary: sells and redeems a card of the merchant for tests, and of no other.

use serde_json::{Value, json};
use world::System;
use world::runtime::{self, Function};

const SECRET: &str = "portal/test/till";

async fn start() -> System {
    let system = System::demo().await;
    system.local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
    runtime::build_binaries();
    system
}

/// Runs the function with these settings and the token of a user. Returns its response and its log.
async fn run(system: &System, merchant: &str, account: &str, user: &str) -> (Value, String) {
    system.local.rotate_secret(SECRET, &json!({"token": system.sign_in(user).await.token()})).await.unwrap();
    let mut environment = system.local.environment.clone();
    environment.extend([
        ("TEST_MERCHANT", merchant.to_owned()),
        ("TEST_NETWORK_ACCOUNT", account.to_owned()),
        ("TEST_TILL_SECRET_ID", SECRET.to_owned()),
    ]);
    let function = Function::start("canary", &environment).await;
    let response = function.invoke(&json!({})).await;
    (response, function.stop())
}

async fn orders(system: &System) -> Value {
    system.sign_in("u-anna").await.get("/api/bff/merchant-orders").await.ok().at("/data/total").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_sold_and_redeemed_and_its_settlement_is_paid_to_nobody() {
    let system = start().await;
    let (response, log) = run(&system, "m-aurora", "1001", "u-anna").await;
    assert_eq!(response, Value::Null, "{log}");
    assert!(log.contains("\"CanaryFailures\":0"), "{log}");
    let settlements = system.sign_in("u-anna").await.get("/api/bff/settlements").await;
    let latest = settlements.at("/rows/0");
    assert_eq!((&latest["sourceType"], &latest["held"]), (&json!("REDEMPTION"), &json!(true)), "{latest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sold_for_another_merchant_or_with_another_account() {
    let system = start().await;
    let before = orders(&system).await;
    for (merchant, account, user, expected) in [
        ("m-aurora", "1002", "u-anna", "has another account at the card network"),
        ("m-nobody", "1001", "u-anna", "does not exist"),
        // The token of a till of another merchant.
        ("m-aurora", "1001", "u-lena", "sale: the response is 409"),
    ] {
        let (response, log) = run(&system, merchant, account, user).await;
        assert!(response["errorMessage"].as_str().is_some_and(|message| message.contains(expected)), "{response}: {log}");
        assert!(log.contains("\"CanaryFailures\":1"), "{log}");
    }
    assert_eq!(orders(&system).await, before);
}
