//! The canary: sells and redeems a card of the merchant for tests, and of no other.

use local::{Local, Options};
use reqwest::Method;
use serde_json::{Value, json};
use world::client;
use world::runtime::{self, Function};

const SECRET: &str = "portal/test/till";

struct System {
    local: Local,
}

impl System {
    async fn start() -> Self {
        let local = Local::start(Options::default()).await.unwrap();
        local.sign_in_to_demo().await.unwrap().expect("the demo is loaded");
        runtime::build_binaries();
        Self { local }
    }

    /// Runs the function with these settings and the token of a user. Returns its response and its log.
    async fn run(&self, merchant: &str, account: &str, user: &str) -> (Value, String) {
        let token = self.local.sign_in(user).await.unwrap().unwrap();
        self.local.rotate_secret(SECRET, &json!({"token": token})).await.unwrap();
        let mut environment = self.local.environment.clone();
        environment.extend([
            ("TEST_MERCHANT", merchant.to_owned()),
            ("TEST_NETWORK_ACCOUNT", account.to_owned()),
            ("TEST_TILL_SECRET_ID", SECRET.to_owned()),
        ]);
        let function = Function::start("canary", &environment).await;
        let response = function.invoke(&json!({})).await;
        (response, function.stop())
    }

    async fn get(&self, path: &str) -> Value {
        let token = self.local.sign_in("u-anna").await.unwrap().unwrap();
        let url = format!("{}{path}", self.local.listening.api);
        let response = client().request(Method::GET, url).bearer_auth(token).send().await.unwrap();
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    async fn orders(&self) -> u64 {
        let orders = self.get("/api/bff/merchant-orders").await;
        orders["data"]["total"].as_u64().unwrap_or_else(|| panic!("{orders}"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_sold_and_redeemed_and_its_settlement_is_paid_to_nobody() {
    let system = System::start().await;
    let (response, log) = system.run("m-aurora", "1001", "u-anna").await;
    assert_eq!(response, Value::Null, "{log}");
    assert!(log.contains("\"CanaryFailures\":0"), "{log}");
    let settlements = system.get("/api/bff/settlements").await;
    let latest = &settlements["rows"][0];
    assert_eq!((&latest["sourceType"], &latest["held"]), (&json!("REDEMPTION"), &json!(true)), "{latest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sold_for_another_merchant_or_with_another_account() {
    let system = System::start().await;
    let before = system.orders().await;
    for (merchant, account, user, expected) in [
        ("m-aurora", "1002", "u-anna", "has another account at the card network"),
        ("m-nobody", "1001", "u-anna", "does not exist"),
        // The token of a till of another merchant.
        ("m-aurora", "1001", "u-lena", "sale: the response is 409"),
    ] {
        let (response, log) = system.run(merchant, account, user).await;
        assert!(response["errorMessage"].as_str().is_some_and(|message| message.contains(expected)), "{response}: {log}");
        assert!(log.contains("\"CanaryFailures\":1"), "{log}");
    }
    assert_eq!(system.orders().await, before);
}
