//! Tests of the card network simulator over HTTP.

use std::path::Path;

use http::Method;
use serde_json::{Value, json};

use super::{CardNetwork, OperationKind, OperationStatus};
use crate::simulators::{SimulatorOptions, http_client};

struct Network {
    simulator: CardNetwork,
    client: reqwest::Client,
}

/// The status code and the body, which is a JSON string if it is not valid JSON.
type CallOutcome = (u16, Value);

impl Network {
    async fn start(data: Option<&Path>) -> Self {
        let data = data.map(Path::to_owned);
        let options = SimulatorOptions { data, api_key: "key".to_owned(), ..SimulatorOptions::default() };
        Self { simulator: CardNetwork::start(options).await.unwrap(), client: http_client().unwrap() }
    }

    async fn with_demo_records() -> Self {
        let network = Self::start(None).await;
        network.load(&demo_fixtures());
        network
    }

    fn load(&self, fixtures: &Value) {
        self.simulator.load(&serde_json::from_value(fixtures.clone()).unwrap()).unwrap();
    }

    async fn send(&self, method: Method, path: &str, key: Option<&str>, body: String) -> reqwest::Result<CallOutcome> {
        let mut call = self.client.request(method, format!("{}{path}", self.simulator.url())).bearer_auth("key");
        if let Some(key) = key {
            call = call.header("Idempotency-Key", key);
        }
        let reply = call.body(body).send().await?;
        let status = reply.status().as_u16();
        let text = reply.text().await?;
        Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    async fn get(&self, path: &str) -> CallOutcome {
        self.send(Method::GET, path, None, String::new()).await.unwrap()
    }

    async fn write(&self, method: Method, path: &str, body: Value) -> CallOutcome {
        self.send(method, path, None, body.to_string()).await.unwrap()
    }

    async fn issue(&self, key: &str, body: Value) -> CallOutcome {
        self.send(Method::POST, "/v1/cards/issue", Some(key), body.to_string()).await.unwrap()
    }

    async fn redeem(&self, key: &str, body: Value) -> CallOutcome {
        self.send(Method::POST, "/v1/cards/redeem", Some(key), body.to_string()).await.unwrap()
    }

    /// The raw JSON of the balance in the card record.
    async fn balance(&self, qr_code: &str) -> String {
        let (status, card) = self.get(&format!("/v1/cards/{qr_code}")).await;
        assert_eq!(status, 200);
        card["valueRemains"].to_string()
    }
}

fn demo_fixtures() -> Value {
    json!({
        "merchants": [
            {"merchantId": "1", "name": "Aurora", "termsUrl": "https://aurora.example/terms", "segment": "cafe"},
            {"merchantId": "2", "name": "Borealis"},
        ],
        "stores": [{"merchantId": "1", "externalId": "main", "name": "Main street", "shelf": [1, 2]}],
        "offers": [
            {"merchantId": "1", "giftCardOfferId": 501, "giftCardOfferStatus": "AVAILABLE", "currency": "EUR",
             "minPrice": "5.50", "maxPrice": 5000, "numberOfDaysCardIsValidFromPurchaseTime": 365},
            {"merchantId": "1", "id": "502", "status": "AVAILABLE", "min": 1, "max": 10},
            {"merchantId": "1", "giftCardOfferId": 503, "giftCardOfferStatus": "HIDDEN", "currency": "EUR"},
            {"merchantId": "2", "giftCardOfferId": 504, "giftCardOfferStatus": "AVAILABLE", "currency": "EUR"},
        ],
        "cards": [
            {"merchantId": "1", "qrCode": "EUR", "status": "ACTIVE", "value": 500, "valueRemains": "400.10",
             "currency": "EUR", "networkCode": "NC-1", "note": "extra"},
            {"merchantId": "1", "qrCode": "JPY", "status": "ACTIVE", "valueRemains": 1000, "currency": "JPY"},
            {"merchantId": "1", "qrCode": "KWD", "status": "ACTIVE", "valueRemains": 1.234, "currency": "KWD"},
            {"merchantId": "1", "qrCode": "BLOCKED", "status": "BLOCKED", "valueRemains": 10, "currency": "EUR"},
            {"merchantId": "1", "qrCode": "EXPIRED", "status": "EXPIRED", "valueRemains": 10, "currency": "EUR"},
            {"merchantId": "1", "qrCode": "PAST", "status": "ACTIVE", "valueRemains": 10, "currency": "EUR",
             "expiresAt": "now-1h"},
            {"merchantId": "1", "qrCode": "INVALID", "valueRemains": "?", "currency": "EUR"},
            {"merchantId": "1", "qrCode": "FRESH", "value": 10, "valueRemains": null, "currency": "EUR"},
            {"giftCardOfferId": 504, "qrCode": "OLDER", "valueRemains": 10},
        ],
    })
}

fn issue_request(offer: &Value, value: &Value) -> Value {
    json!({"merchantId": "1", "giftCardOfferId": offer, "giftCardOfferType": "GIFTCARD_DIGITAL", "value": value,
        "currency": "EUR", "retailStoreId": 0, "deviceId": null, "paymentReference": "p",
        "deliveryDetails": {"deliveryType": "QR", "email": null, "phoneNumber": null}})
}

fn redeem_request(qr_code: &str, currency: &str, amount: &Value) -> Value {
    json!({"merchantId": "1", "qrCode": qr_code, "redeemAmount": amount, "purchaseAmount": amount,
        "currency": currency, "retailStoreId": "till-7", "retailStoreName": "Till"})
}

fn code(outcome: &CallOutcome) -> (u16, &str) {
    (outcome.0, outcome.1["code"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn an_issued_card_can_be_redeemed_to_the_last_cent() {
    let network = Network::with_demo_records().await;

    let (status, issued) = network.issue("i", issue_request(&json!(501), &json!("12.34"))).await;
    assert_eq!(status, 201);
    for field in ["reservationCode", "orderHash", "giftCardId", "cardNo", "qrCode"] {
        assert!(!issued[field].as_str().unwrap().is_empty(), "{field}");
    }
    let qr_code = issued["qrCode"].as_str().unwrap();
    let (_, card) = network.get(&format!("/v1/cards/{qr_code}")).await;
    assert_eq!(card["merchantId"], "1");
    assert_eq!(card["giftCardOfferId"], 501);
    assert_eq!(card["status"], "ACTIVE");
    assert_eq!(card["value"].to_string(), "12.34");
    assert!(card["expiresAt"].is_string());

    let (status, first) = network.redeem("r1", redeem_request(qr_code, "EUR", &json!(12.33))).await;
    assert_eq!(status, 200);
    assert_eq!(first["amount"].to_string(), "12.33");
    assert_eq!(first["valueRemains"].to_string(), "0.01");
    assert_eq!(first["status"], "ACTIVE");
    assert_eq!(first["networkCode"], card["networkCode"]);
    let (_, last) = network.redeem("r2", redeem_request(qr_code, "EUR", &json!("0.01"))).await;
    assert_eq!((&last["valueRemains"], &last["status"]), (&json!(0), &json!("REDEEMED")));
    let exceeding = network.redeem("r3", redeem_request(qr_code, "EUR", &json!("0.01"))).await;
    assert_eq!(code(&exceeding), (422, "INSUFFICIENT_FUNDS"));

    let operations: Vec<_> = network.simulator.operations().iter().map(|o| (o.kind, o.status, o.amount_minor)).collect();
    assert_eq!(
        operations,
        [
            (OperationKind::Issue, OperationStatus::Succeeded, 1234),
            (OperationKind::Redeem, OperationStatus::Succeeded, 1233),
            (OperationKind::Redeem, OperationStatus::Succeeded, 1),
            (OperationKind::Redeem, OperationStatus::Failed, 0),
        ]
    );
}

#[tokio::test]
async fn balances_are_exact_in_every_currency() {
    let network = Network::with_demo_records().await;
    for (qr_code, amount, remains) in [
        ("EUR", json!(0.2), r#""399.90""#),
        ("EUR", json!("12.34"), r#""387.56""#),
        ("JPY", json!(1), "999"),
        ("JPY", json!("998"), "1"),
        ("KWD", json!(0.001), "1.233"),
    ] {
        let reply = network.redeem(&format!("{qr_code}{amount}"), redeem_request(qr_code, qr_code, &amount)).await;
        assert_eq!(reply.0, 200, "{reply:?}");
        assert_eq!(network.balance(qr_code).await, remains);
    }
    assert_eq!(network.get("/v1/cards/EUR").await.1["note"], "extra");
    let too_many_decimals = network.redeem("decimals", redeem_request("JPY", "JPY", &json!("0.5"))).await;
    assert_eq!(code(&too_many_decimals), (422, "INVALID_AMOUNT"));
}

#[tokio::test]
async fn refuses_invalid_issue_requests() {
    let network = Network::with_demo_records().await;
    let other_merchant = |mut body: Value, merchant: &str| {
        body["merchantId"] = json!(merchant);
        body
    };
    let refused = [
        (other_merchant(issue_request(&json!(501), &json!(10)), "9"), (404, "MERCHANT_NOT_FOUND")),
        (other_merchant(issue_request(&json!(501), &json!(10)), "2"), (404, "OFFER_NOT_FOUND")),
        (issue_request(&json!(599), &json!(10)), (404, "OFFER_NOT_FOUND")),
        (issue_request(&json!("x"), &json!(10)), (404, "OFFER_NOT_FOUND")),
        (issue_request(&json!(503), &json!(10)), (422, "OFFER_NOT_AVAILABLE")),
        (issue_request(&json!(501), &json!(0)), (422, "INVALID_AMOUNT")),
        (issue_request(&json!(501), &json!(-10)), (422, "INVALID_AMOUNT")),
        (issue_request(&json!(501), &json!("5.49")), (422, "INVALID_AMOUNT")),
        (issue_request(&json!(501), &json!(5000.01)), (422, "INVALID_AMOUNT")),
        (issue_request(&json!(501), &json!("ten")), (422, "INVALID_AMOUNT")),
        (issue_request(&json!(501), &json!(null)), (400, "INVALID_REQUEST")),
        (issue_request(&json!("502"), &json!(10.01)), (422, "INVALID_AMOUNT")),
    ];
    for (number, (body, expected)) in refused.into_iter().enumerate() {
        let outcome = network.issue(&number.to_string(), body.clone()).await;
        assert_eq!(code(&outcome), expected, "{body}");
    }
    let mut other_currency = issue_request(&json!(501), &json!(10));
    other_currency["currency"] = json!("SEK");
    assert_eq!(code(&network.issue("other currency", other_currency).await), (422, "INVALID_AMOUNT"));
    assert_eq!(network.issue("within bounds", issue_request(&json!("501"), &json!("5.50"))).await.0, 201);
    assert_eq!(network.issue("older field names", issue_request(&json!(502), &json!(10))).await.0, 201);

    let without_key = network.write(Method::POST, "/v1/cards/issue", issue_request(&json!(501), &json!(10))).await;
    assert_eq!(code(&without_key), (400, "INVALID_REQUEST"));
}

#[tokio::test]
async fn refuses_invalid_redeem_requests() {
    let network = Network::with_demo_records().await;
    for (qr_code, currency, amount, expected) in [
        ("UNKNOWN", "EUR", json!(1), (404, "CARD_NOT_FOUND")),
        ("OLDER", "EUR", json!(1), (404, "CARD_NOT_FOUND")),
        ("BLOCKED", "EUR", json!(1), (422, "CARD_BLOCKED")),
        ("EXPIRED", "EUR", json!(1), (422, "CARD_EXPIRED")),
        ("PAST", "EUR", json!(1), (422, "CARD_EXPIRED")),
        ("EUR", "SEK", json!(1), (422, "INVALID_AMOUNT")),
        ("EUR", "EUR", json!(0), (422, "INVALID_AMOUNT")),
        ("EUR", "EUR", json!("400.11"), (422, "INSUFFICIENT_FUNDS")),
        ("INVALID", "EUR", json!(1), (422, "INSUFFICIENT_FUNDS")),
        ("FRESH", "EUR", json!(11), (422, "INSUFFICIENT_FUNDS")),
    ] {
        let key = format!("{qr_code} {currency} {amount}");
        let outcome = network.redeem(&key, redeem_request(qr_code, currency, &amount)).await;
        assert_eq!(code(&outcome), expected, "{key}");
    }
    assert_eq!(network.redeem("fresh", redeem_request("FRESH", "EUR", &json!(4))).await.0, 200);
    assert_eq!(network.balance("FRESH").await, "6");
    assert_eq!(network.balance("EUR").await, r#""400.10""#);

    let mut other_merchant = redeem_request("EUR", "EUR", &json!(1));
    other_merchant["merchantId"] = json!("2");
    let other_merchant = network.redeem("other merchant", other_merchant).await;
    assert_eq!(other_merchant, network.redeem("unknown", redeem_request("UNKNOWN", "EUR", &json!(1))).await);
}

#[tokio::test]
async fn fifty_concurrent_calls_with_one_reference_move_money_once() {
    let network = Network::with_demo_records().await;
    let calls = (0..50).map(|_| network.redeem("one", redeem_request("EUR", "EUR", &json!(10))));
    let replies = futures_util::future::join_all(calls).await;

    assert_eq!(replies[0].0, 200);
    assert!(replies.iter().all(|reply| *reply == replies[0]));
    assert_eq!(network.balance("EUR").await, r#""390.10""#);
    assert_eq!(network.simulator.operations().len(), 1);
}

#[tokio::test]
async fn a_repeated_reference_gets_the_first_error() {
    let network = Network::with_demo_records().await;
    let refused = network.redeem("key", redeem_request("EUR", "EUR", &json!(500))).await;
    assert_eq!(code(&refused), (422, "INSUFFICIENT_FUNDS"));

    assert_eq!(network.redeem("key", redeem_request("EUR", "EUR", &json!(1))).await, refused);
    assert_eq!(
        network.get("/v1/operations/key").await,
        (200, json!({"reference": "key", "kind": "REDEEM", "status": "FAILED", "httpStatus": 422, "result": refused.1}))
    );
}

#[tokio::test]
async fn a_lookup_fences_an_unknown_reference() {
    let network = Network::with_demo_records().await;
    for _ in 0..2 {
        assert_eq!(code(&network.get("/v1/operations/a%2Fb").await), (404, "OPERATION_NOT_FOUND"));
    }
    let late = network.redeem("a/b", redeem_request("EUR", "EUR", &json!(1))).await;
    assert_eq!(code(&late), (409, "REFERENCE_FENCED"));
    assert_eq!(network.get("/v1/operations/a%2Fb").await.0, 404);
    assert_eq!(network.balance("EUR").await, r#""400.10""#);
}

#[tokio::test]
async fn acknowledged_changes_survive_a_restart() {
    let data = tempfile::tempdir().unwrap();
    let network = Network::start(Some(data.path())).await;
    // Raw JSON with line breaks must not break the lines of the journal.
    network.simulator.load(&serde_json::from_str(&format!("{:#}", demo_fixtures())).unwrap()).unwrap();
    let issued = network.issue("issue", issue_request(&json!(501), &json!(10))).await;
    let redeemed = network.redeem("redeem", redeem_request("EUR", "EUR", &json!("0.10"))).await;
    let refused = network.redeem("refused", redeem_request("BLOCKED", "EUR", &json!(1))).await;
    network.get("/v1/operations/fenced").await;
    let patched = network.write(Method::PATCH, "/v1/merchants/1", json!({"name": "New"})).await;
    let offer = network.write(Method::POST, "/v1/offers", json!({"merchantId": "1", "name": "O"})).await;
    let operations = serde_json::to_value(network.simulator.operations()).unwrap();
    let stores = network.get("/v1/merchants/1/stores").await;
    drop(network);

    let network = Network::start(Some(data.path())).await;
    network.load(&demo_fixtures());
    assert_eq!(serde_json::to_value(network.simulator.operations()).unwrap(), operations);
    assert_eq!(network.issue("issue", issue_request(&json!(501), &json!(10))).await, issued);
    assert_eq!(network.redeem("redeem", redeem_request("EUR", "EUR", &json!("0.10"))).await, redeemed);
    assert_eq!(network.redeem("refused", redeem_request("EUR", "EUR", &json!(1))).await, refused);
    assert_eq!(code(&network.redeem("fenced", redeem_request("EUR", "EUR", &json!(1))).await), (409, "REFERENCE_FENCED"));
    assert_eq!(network.balance("EUR").await, r#""400""#);
    assert_eq!(network.get("/v1/merchants/1").await, patched);
    assert_eq!(network.get("/v1/merchants/1/stores").await, stores);
    let next = network.write(Method::POST, "/v1/offers", json!({"merchantId": "1", "name": "O"})).await;
    assert_eq!(next.1["giftCardOfferId"], offer.1["giftCardOfferId"].as_u64().unwrap() + 1);
}
