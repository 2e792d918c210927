//! Whoever holds a card asks what is left on it, without a session.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use shared::db::counters::Guesser;
use shared::values::MerchantId;
use world::shop::{REDEEM, card, payment};
use world::{ApiResponse, Caller, ManualClock, System};

const BALANCE: &str = "/api/merchants/aurora-coffee/balance";
const PAGE: &str = "/shop/aurora-coffee/card";
const NOW: &str = "2026-03-01T10:00:30Z";

async fn ask(caller: &Caller, code: &str) -> ApiResponse {
    caller.post(BALANCE, &json!({"code": code})).await
}

fn from(system: &System, number: u8) -> Caller {
    system.anonymous_at(IpAddr::V4(Ipv4Addr::new(127, 0, 0, number)))
}

fn not_found() -> Value {
    json!({"ok": false, "error": "This shop has no gift card with this code.", "code": "CARD_NOT_FOUND"})
}

/// The cards of the table of statuses.
async fn load_cards(system: &System) {
    let fields = [
        ("QR-FULL", json!({"expiresAt": "2028-12-31T10:00:00Z"})),
        ("QR-EMPTY", json!({"valueRemains": 0, "status": "BLOCKED", "expiresAt": "2020-01-01T00:00:00Z"})),
        ("QR-OVER", json!({"expiresAt": "2026-02-28", "status": "BLOCKED"})),
        ("QR-LAST-DAY", json!({"expiresAt": "2026-03-01"})),
        ("QR-STOPPED", json!({"status": "SUSPENDED"})),
        ("QR-NO-STATUS", json!({"status": null})),
        ("QR-ODD", json!({"valueRemains": "much", "currency": "kronor"})),
    ];
    let cards: Vec<Value> =
        fields.into_iter().map(|(code, fields)| world::shop::with(card("1001", code, 500, "SEK"), &fields)).collect();
    system.load_fixtures(&json!({"cardNetwork": {"cards": cards}})).await;
}

#[tokio::test]
async fn a_holder_is_told_what_is_left() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    load_cards(&system).await;
    let anonymous = system.anonymous();
    let full = ask(&anonymous, " qr–full ").await;
    assert_json_snapshot!("balance_of_a_card", full);
    assert_eq!(full.header("cache-control"), Some("no-store"));
    for (code, status, left) in [
        ("QR-FULL", "ACTIVE", json!(50_000)),
        ("QR-EMPTY", "EMPTY", json!(0)),
        ("QR-OVER", "EXPIRED", json!(50_000)),
        ("QR-LAST-DAY", "ACTIVE", json!(50_000)),
        ("QR-STOPPED", "BLOCKED", json!(50_000)),
        ("QR-NO-STATUS", "ACTIVE", json!(50_000)),
        ("QR-ODD", "ACTIVE", Value::Null),
    ] {
        let response = ask(&anonymous, code).await;
        let told = (response.at("/data/status"), response.at("/data/remainingValueMinor"));
        assert_eq!(told, (&json!(status), &left), "{code}: {response:?}");
    }
    let till = system.sign_in("u-till").await;
    till.post(REDEEM, &payment("QR-FULL", 100)).await;
    assert_eq!(ask(&anonymous, "QR-FULL").await.at("/data/remainingValueMinor"), 40_000);
}

#[tokio::test]
async fn codes_without_a_balance_look_the_same_and_take_a_second() {
    let system = System::start().await;
    let unowned = world::shop::with(card("1001", "QR-UNOWNED", 500, "SEK"), &json!({"merchantId": null}));
    system.load_fixtures(&json!({"cardNetwork": {"cards": [unowned]}})).await;
    let anonymous = system.anonymous();
    let begun = Instant::now();
    let responses = join_all(["NOBODY-HAS-THIS", "QR-RIVAL", "QR-UNOWNED", "..", "a/b"].map(|code| ask(&anonymous, code))).await;
    assert!(begun.elapsed() >= Duration::from_secs(1));
    for response in responses {
        assert_eq!((response.status, &response.body), (404, &not_found()));
    }
    for slug in ["nowhere", "m-aurora", ""] {
        let response = anonymous.post(&format!("/api/merchants/{slug}/balance"), &json!({"code": "QR-500"})).await;
        let body = json!({"ok": false, "error": "There is no such shop.", "code": "NOT_FOUND"});
        assert_eq!((response.status, &response.body), (404, &body), "{slug}");
    }
}

#[tokio::test]
async fn a_card_without_an_account_is_that_of_the_merchant_that_sold_it() {
    let system = System::start().await;
    let sold = system.sign_in("u-till").await.sell(300).await;
    let code = sold.at("/data/qrCode").as_str().unwrap().to_owned();
    let unowned = world::shop::with(card("1001", &code, 300, "SEK"), &json!({"merchantId": null}));
    system.load_fixtures(&json!({"cardNetwork": {"cards": [unowned]}})).await;
    assert_eq!(ask(&system.anonymous(), &code).await.at("/data/remainingValueMinor"), 30_000);
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    let long = "x".repeat(501);
    for (body, message) in [
        (json!({}), "code: is missing."),
        (json!({"code": null}), "code: is missing."),
        (json!({"code": "  "}), "code: is missing."),
        (json!({"code": 7}), "code: must be a string."),
        (json!({"code": long}), "code: must be at most 500 characters."),
    ] {
        let response = anonymous.post(BALANCE, &body).await;
        let expected = json!({"ok": false, "error": message, "code": "INVALID_REQUEST"});
        assert_eq!((response.status, &response.body), (400, &expected), "{body}");
    }
    for (kind, value) in [("status", json!(500)), ("status", json!(403)), ("drop", Value::Null), ("body", json!("busy"))] {
        system.set_network_fault("GET /v1/cards/QR-500", kind, value.clone()).await;
        let response = ask(&anonymous, "QR-500").await;
        let expected = (502, &json!("CARD_NETWORK_FAILED"));
        assert_eq!((response.status, response.at("/code")), expected, "{kind} {value}: {response:?}");
    }
}

#[tokio::test]
async fn the_20th_unknown_code_of_an_address_is_the_last_for_ten_minutes() {
    let (system, clock) = System::at(NOW).await;
    let (guesser, other) = (from(&system, 2), from(&system, 3));
    let codes: Vec<String> = (0..20).map(|number| format!("GUESS{number}")).collect();
    for response in join_all(codes.iter().map(|code| ask(&guesser, code))).await {
        assert_eq!(response.status, 404);
    }
    for code in ["GUESS20", "QR-500"] {
        let refused = ask(&guesser, code).await;
        assert_eq!((refused.status, refused.at("/code")), (429, &json!("TOO_MANY_REQUESTS")), "{code}");
        assert_eq!(refused.header("retry-after"), Some("600"));
    }
    assert_eq!(ask(&other, "QR-500").await.status, 200);
    clock.advance(600);
    assert_eq!(ask(&guesser, "QR-500").await.status, 200);
}

#[tokio::test]
async fn an_address_has_200_balances_in_ten_minutes() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let holder = from(&system, 2);
    for _ in 0..20 {
        // At most 20 at once: each may turn out to be a guess.
        let told = join_all((0..10).map(|_| ask(&holder, "QR-500"))).await;
        assert!(told.iter().all(|response| response.status == 200), "{told:?}");
    }
    let refused = ask(&holder, "QR-500").await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("600")));
}

#[tokio::test]
async fn strangers_who_guess_at_a_shop_stop_its_balances_and_never_its_tills() {
    let (system, clock) = System::at(NOW).await;
    let till = system.sign_in("u-till").await;
    let guess = async |addresses: std::ops::Range<u32>, each: u32| {
        let app = system.local.app();
        let (merchant, now) = (MerchantId::new("m-aurora"), app.clock.now());
        for number in addresses {
            let by = Guesser::Holder(Some(Ipv4Addr::from(0x0a00_0000 + number).into()));
            for _ in 0..each {
                let reserved = app.store.reserve_guess(&merchant, by, now).await.unwrap().unwrap();
                app.store.count_guess(&merchant, by, &reserved, now).await.unwrap();
            }
        }
    };
    let (new, other) = (from(&system, 4), from(&system, 5));
    guess(0..15, 20).await;
    for (code, status) in [("GUESS1", 404), ("GUESS2", 404), ("QR-500", 429)] {
        assert_eq!(ask(&new, code).await.status, status, "{code}");
    }
    assert_eq!(ask(&other, "QR-500").await.status, 200, "who has not guessed is told");
    guess(100..449, 2).await;
    for holder in [&new, &other, &from(&system, 6)] {
        assert_eq!(ask(holder, "QR-500").await.status, 429);
    }
    for code in ["GUESS3", "QR-500"] {
        let status = till.get(&format!("/api/bff/pos/card/{code}")).await.status;
        assert_eq!(status, if code == "QR-500" { 200 } else { 404 });
    }
    assert_eq!(till.post(REDEEM, &payment("QR-500", 1)).await.status, 200);
    let rival = other.post("/api/merchants/rival-tea/balance", &json!({"code": "QR-RIVAL"})).await;
    assert_eq!(rival.status, 200, "another shop goes on: {rival:?}");
    clock.advance(600 + 30);
    assert_eq!(ask(&other, "QR-500").await.status, 200);
}

#[tokio::test]
async fn the_page_shows_the_balance_and_asks_no_other_host() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    load_cards(&system).await;
    let client = world::client();
    let url = format!("{}{PAGE}", system.local.listening.api);
    let form = client.get(&url).send().await.unwrap();
    assert_eq!(form.status(), 200);
    for (name, value) in [("referrer-policy", "no-referrer"), ("cache-control", "no-store")] {
        assert_eq!(form.headers()[name], value);
    }
    let policy = form.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("img-src data:; "), "{policy}");
    assert!(policy.contains("form-action 'self'") && policy.contains("script-src 'none'"), "{policy}");
    assert!(!form.text().await.unwrap().contains("logo.png"));

    let post = async |code: &str| {
        let request = client.post(&url).header("content-type", "application/x-www-form-urlencoded").header("origin", "null");
        let body = format!("code={}", code.replace(' ', "+").replace('–', "%E2%80%93"));
        let response = request.body(body).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    };
    for (code, status, text) in [
        (" qr–full ", 200, "SEK\u{a0}500"),
        ("QR-FULL", 200, "Valid until</dt><dd>31 December 2028"),
        ("QR-LAST-DAY", 200, "Valid until</dt><dd>1 March 2026"),
        ("QR-OVER", 200, "Expired on</dt><dd>28 February 2026"),
        ("QR-EMPTY", 200, "The balance of this card is zero."),
        ("QR-STOPPED", 200, "This card cannot be used at the moment."),
        ("QR-ODD", 200, "Not known at the moment"),
        ("QR-RIVAL", 404, "This shop has no gift card with this code."),
        ("", 400, "Please enter the code of your card."),
    ] {
        let (actual, html) = post(code).await;
        assert!(actual == status && html.contains(text), "{code}: {actual} {html}");
        assert_eq!(
            html.contains("class=\"qr\""),
            status == 200 && ["full", "last", "odd"].iter().any(|name| code.to_lowercase().contains(name)),
            "{code}"
        );
        assert!(html.contains("<form method=\"post\">"), "{code}: the form is there for the next try");
    }
    let html =
        client.get(format!("{}/shop/aurora-coffee", system.local.listening.api)).send().await.unwrap().text().await.unwrap();
    assert!(html.contains("./aurora-coffee/card\">Check the balance of a card</a>"), "{html}");
    assert_eq!(client.get(format!("{}/shop/nowhere/card", system.local.listening.api)).send().await.unwrap().status(), 404);
}
