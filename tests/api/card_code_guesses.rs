//! Who asks for many card codes that the network does not know is slowed down.

use futures_util::future::join_all;
use serde_json::json;
use shared::team::model::till::Operator;
use shared::values::{MerchantId, TillId, UserId};
use world::shop::{REDEEM, payment};
use world::{ApiResponse, Caller, ManualClock, System, error_body};

const NOW: &str = "2026-03-01T10:00:30Z";

async fn look_up(caller: &Caller, code: &str) -> ApiResponse {
    caller.get(&format!("/api/bff/pos/card/{code}")).await
}

/// The responses of both look-ups and of redeem.
async fn ask(caller: &Caller, code: &str) -> [ApiResponse; 3] {
    [
        caller.get(&format!("/api/bff/cards/{code}")).await,
        look_up(caller, code).await,
        caller.post(REDEEM, &payment(code, 1)).await,
    ]
}

/// Look-ups. With 400, calls to the database of a busy machine without optimization would take too long.
fn at_once() -> usize {
    if world::all_cases() { 400 } else { 100 }
}

fn assert_refused(responses: &[ApiResponse; 3], seconds: &str) {
    let message = "Too many unknown card codes were tried. Please try again later.";
    let bare = json!({"error": message, "code": "TOO_MANY_REQUESTS"});
    let nested = error_body(429, message);
    for (response, body) in responses.iter().zip([&nested, &nested, &bare]) {
        assert_eq!((response.status, &response.body), (429, body));
        assert_eq!(response.header("retry-after"), Some(seconds));
    }
}

/// Counts guesses of another till of m-aurora.
async fn count(system: &System, till: u32, guesses: u32) {
    let app = system.local.app();
    let by = Operator::Till(TillId::new(format!("t-{till}")));
    let (merchant, now) = (MerchantId::new("m-aurora"), app.clock.now());
    for _ in 0..guesses {
        let reserved = app.store.reserve_guess(&merchant, &by, now).await.unwrap().unwrap();
        app.store.count_guess(&merchant, &by, &reserved, now).await.unwrap();
    }
}

#[tokio::test]
async fn the_60th_guess_is_the_last_until_ten_minutes_have_passed() {
    let (system, clock) = System::at(NOW).await;
    let admin = system.sign_in("u-admin").await;
    let replayed = admin.request(reqwest::Method::POST, REDEEM).header("idempotency-key", "before");
    let replayed = Caller::send_request(replayed.body(payment("QR-500", 1).to_string())).await;
    assert_eq!(replayed.status, 200);
    // A card of another merchant is a guess like any other.
    for number in 0..20 {
        let code = if number == 7 { "QR-RIVAL".to_owned() } else { format!("GUESS-{number}") };
        let statuses = ask(&admin, &code).await.map(|response| response.status);
        assert_eq!(statuses, [404; 3], "{code}");
    }
    assert_refused(&ask(&admin, "GUESS-60").await, "600");
    assert_refused(&ask(&admin, "QR-500").await, "600");
    let calls = system.network_calls().await;
    assert!(!calls.iter().any(|call| call.to_string().contains("GUESS-60")), "the network is not asked");

    // Others are not refused, and a repeat is answered as before.
    for other in ["u-full", "u-unset"] {
        let statuses = ask(&system.sign_in(other).await, "QR-500").await.map(|response| response.status);
        assert_eq!(statuses, [200; 3], "{other}");
    }
    assert_eq!(look_up(&system.sign_in("u-till").await, "QR-500").await.status, 200);
    let repeat = admin.request(reqwest::Method::POST, REDEEM).header("idempotency-key", "before");
    let repeat = Caller::send_request(repeat.body(payment("QR-500", 1).to_string())).await;
    assert_eq!((repeat.status, repeat.body), (200, replayed.body));
    // What is refused is not kept: the key is free.
    let new = admin.request(reqwest::Method::POST, REDEEM).header("idempotency-key", "meanwhile");
    assert_eq!(Caller::send_request(new.body(payment("QR-500", 1).to_string())).await.status, 429);

    clock.advance(599);
    assert_refused(&ask(&admin, "QR-500").await, "1");
    clock.advance(1);
    assert_eq!(ask(&admin, "QR-500").await.map(|response| response.status), [200; 3]);
}

/// Codes are asked for as they stand first: those of the card network can have small letters and blanks.
#[tokio::test]
async fn a_code_is_found_as_it_is_printed_and_typed() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let admin = system.sign_in("u-admin").await;
    let asked = || async {
        let calls = system.network_calls().await;
        calls.iter().filter(|call| call["path"].as_str().unwrap().starts_with("/v1/cards/")).count()
    };
    for (typed, status, times) in [
        ("QR-500", 200, 1),
        ("qr-500", 200, 2),
        ("QR%205%2000", 404, 2),
        ("%20qr%20-%20500%20", 200, 2),
        ("qr%E2%80%93500", 200, 2),
        ("%EF%BC%B1R-50%EF%BC%90", 200, 2),
        ("QR-RIVAL", 404, 1),
        ("qr-rival", 404, 2),
        ("QR-NONE", 404, 1),
    ] {
        for path in ["/api/bff/cards/{}", "/api/bff/pos/card/{}", "/api/bff/cards/{}/history"] {
            let before = asked().await;
            let response = admin.get(&path.replace("{}", typed)).await;
            assert_eq!((response.status, asked().await - before), (status, times), "{path} {typed}: {}", response.body);
            if status == 200 && !path.ends_with("history") {
                assert_eq!(response.body["data"]["qrCode"], "QR-500", "what a redemption has to name");
            }
        }
    }
    assert_eq!(admin.post(REDEEM, &payment("qr-500", 1)).await.status, 404, "a redemption takes the code as it is");
}

#[tokio::test]
async fn known_codes_do_not_count() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let till = system.sign_in("u-till").await;
    for number in 0..100 {
        let code = ["QR-500", "QR-BLOCKED", "QR-OLD"][number % 3];
        assert_eq!(look_up(&till, code).await.status, 200);
    }
    let blocked = join_all((0..60).map(|_| look_up(&till, "QR-BLOCKED"))).await;
    assert!(blocked.iter().all(|response| response.status == 200));
    for _ in 0..61 {
        assert_eq!(till.post(REDEEM, &payment("QR-BLOCKED", 1)).await.status, 422);
    }
    // Nor does what the network does not answer.
    system.set_network_fault("GET /v1/cards/*", "status", json!(500)).await;
    assert_eq!(look_up(&till, "QR-500").await.status, 500);
}

#[tokio::test]
async fn guesses_at_the_same_time_are_all_counted() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let till = system.sign_in("u-till").await;
    for _ in 0..15 {
        let guesses = ["A", "B", "C", "D"].map(|code| look_up(&till, code));
        assert!(join_all(guesses).await.iter().all(|response| response.status == 404));
    }
    assert_eq!(look_up(&till, "QR-500").await.status, 429);
}

/// A till that guesses codes as fast as it can.
#[tokio::test]
async fn of_many_unknown_codes_at_once_the_network_is_asked_for_60() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let till = system.sign_in("u-till").await;
    let codes: Vec<String> = (0..at_once()).map(|number| format!("GUESS-{number}")).collect();
    let before = system.network_calls().await.len();
    let responses = join_all(codes.iter().map(|code| look_up(&till, code))).await;
    let count = |status| responses.iter().filter(|response| response.status == status).count();
    let other = responses.iter().find(|response| ![404, 429].contains(&response.status)).map(|response| &response.body);
    assert_eq!((count(404), count(429), other), (60, codes.len() - 60, None));
    assert_eq!(system.network_calls().await.len() - before, 60);
    assert_eq!(look_up(&till, "QR-500").await.header("retry-after"), Some("600"));
    // Others go on meanwhile.
    assert_eq!(look_up(&system.sign_in("u-full").await, "QR-500").await.status, 200);
}

#[tokio::test]
async fn known_codes_at_once_are_refused_for_a_second_at_most() {
    let system = System::with_clock(ManualClock::at(NOW).clock()).await;
    let till = system.sign_in("u-till").await;
    for responses in [join_all((0..at_once()).map(|_| look_up(&till, "QR-500"))).await, vec![look_up(&till, "QR-500").await]] {
        for response in responses {
            let wait = response.header("retry-after");
            assert!(matches!((response.status, wait), (200, None) | (429, Some("1"))), "{response:?}");
        }
    }
    assert_eq!(look_up(&till, "QR-500").await.status, 200, "all were given back");
}

#[tokio::test]
async fn at_600_guesses_of_a_merchant_those_with_more_than_5_are_refused() {
    let (system, clock) = System::at(NOW).await;
    let (few, some) = (system.sign_in("u-till").await, system.sign_in("u-full").await);
    for (caller, guesses) in [(&few, 5), (&some, 6)] {
        for _ in 0..guesses {
            assert_eq!(look_up(caller, "GUESS").await.status, 404);
        }
    }
    clock.advance(60);
    for till in 0..10 {
        count(&system, till, 58).await;
    }
    count(&system, 10, 8).await;
    // 599 of the merchant.
    assert_eq!(look_up(&some, "QR-500").await.status, 200);
    count(&system, 11, 1).await;
    assert_refused(&ask(&some, "QR-500").await, "540");
    assert_eq!(look_up(&few, "QR-500").await.status, 200);
    assert_eq!(look_up(&system.sign_in("u-unset").await, "QR-500").await.status, 200);
    assert_eq!(look_up(&system.sign_in("u-rival").await, "QR-RIVAL").await.status, 200);
    assert_eq!(look_up(&few, "GUESS").await.status, 404);
    assert_eq!(look_up(&few, "QR-500").await.status, 429, "its sixth");
    // The first minute's guesses are over.
    clock.advance(540);
    assert_eq!(look_up(&some, "QR-500").await.status, 200);
}

#[tokio::test]
async fn a_member_and_a_till_of_the_same_id_are_counted_apart() {
    let (system, _) = System::at(NOW).await;
    let (store, merchant) = (&system.store(), MerchantId::new("m-aurora"));
    let till = Operator::Till(TillId::new("u-admin"));
    let member = Operator::User(UserId::new("u-admin"));
    let now = system.local.app().clock.now();
    for _ in 0..60 {
        let reserved = store.reserve_guess(&merchant, &till, now).await.unwrap().unwrap();
        store.count_guess(&merchant, &till, &reserved, now).await.unwrap();
    }
    assert!(store.reserve_guess(&merchant, &till, now).await.unwrap().is_err());
    assert!(store.reserve_guess(&merchant, &member, now).await.unwrap().is_ok());
}
