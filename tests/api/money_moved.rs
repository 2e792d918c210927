//! `Money-Moved`, closed keys, and keys that are older than their operations.

use reqwest::Method;
use serde_json::{Value, json};

use shared::merchants::model::merchant::MerchantStatus;
use world::shop::{ISSUE, REDEEM, payment, sale};
use world::{ApiResponse, Caller, System, error_code};

const CANCELLATION: &str = "/api/bff/pos/operations/cancellation";
const MERCHANT: &str = "m-aurora";
const DAY: i64 = 24 * 3600;

fn requests() -> [(&'static str, &'static str, Value); 2] {
    [("ISSUE", ISSUE, sale(100)), ("REDEEM", REDEEM, payment("QR-500", 10))]
}

async fn send(caller: &Caller, path: &str, key: Option<&str>, body: &Value) -> ApiResponse {
    let mut request = caller.request(Method::POST, path).body(body.to_string());
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    Caller::send_request(request).await
}

async fn cancel(caller: &Caller, kind: &str, key: &str) -> ApiResponse {
    caller.post(CANCELLATION, &json!({"kind": kind, "idempotencyKey": key})).await
}

fn moved(response: &ApiResponse) -> &str {
    response.header("money-moved").unwrap_or_else(|| panic!("no Money-Moved: {response:?}"))
}

fn code(response: &ApiResponse) -> &str {
    error_code(response).1
}

/// The status of an operation, and what is certain about its money.
fn state(response: &ApiResponse) -> (&str, &str) {
    (response.at("/data/status").as_str().unwrap_or_default(), moved(response))
}

async fn calls_that_move_money(system: &System) -> usize {
    system.network_calls().await.iter().filter(|call| call["method"] == "POST").count()
}

/// What makes the calls that move money fail.
#[derive(Clone, Copy)]
enum Trouble {
    None,
    /// The card network does not answer and cannot be asked: whether money moved stays unknown.
    OutcomeLost,
    RefusedByNetwork(u16),
    Throttled(&'static str),
}

impl Trouble {
    async fn begin(self, system: &System) {
        match self {
            Self::None => system.set_faults(json!([])).await,
            Self::OutcomeLost => system.lose_outcomes("after").await,
            Self::RefusedByNetwork(status) => system.set_network_fault("POST /v1/cards/*", "status", json!(status)).await,
            Self::Throttled(operations) => system.set_fault("dynamodb", operations, "throttle", ()).await,
        }
    }
}

#[tokio::test]
async fn a_busy_table_asks_for_another_request() {
    let (system, admin) = System::signed_in("u-admin").await;
    Trouble::Throttled("*").begin(&system).await;
    let message = "The service is busy. Please try again.";
    for (path, expected) in [
        ("/api/bff/merchant", json!({"ok": false, "error": {"message": message, "code": "UNAVAILABLE"}})),
        ("/api/bff/merchant-orders", json!({"ok": false, "error": message})),
    ] {
        let busy = admin.get(path).await;
        assert_eq!((busy.status, busy.header("retry-after")), (503, Some("2")), "{busy:?}");
        assert_eq!(busy.body, expected, "{path}");
    }
}

#[tokio::test]
async fn every_response_says_what_is_certain() {
    let (system, [till, viewer]) = System::with_callers(["u-till", "u-viewer"]).await;
    let nobody = system.anonymous();
    let (none, some) = (None, Some("key"));
    for (kind, path, body) in requests() {
        let (invalid, not_json) = (json!({"value": -1}), json!("x"));
        // Who sends what; the status; and Money-Moved without and with a key.
        for (name, caller, body, status, without, with) in [
            ("no session", &nobody, &body, 401, "no", "unknown"),
            ("no permission", &viewer, &body, 403, "no", "unknown"),
            ("invalid", &till, &invalid, 400, "no", "not-yet"),
            ("no object", &till, &not_json, 400, "no", "not-yet"),
        ] {
            for (key, expected) in [(none, without), (some, with)] {
                let response = send(caller, path, key, body).await;
                assert_eq!((response.status, moved(&response)), (status, expected), "{kind} {name} {key:?}");
            }
        }
        let malformed = send(&till, path, Some(""), &body).await;
        assert_eq!((malformed.status, moved(&malformed)), (400, "unknown"), "{kind}: a malformed key");

        for (name, trouble, status, without, with, again) in [
            ("refused", Trouble::RefusedByNetwork(422), 422, "no", "no", "no"),
            ("busy", Trouble::RefusedByNetwork(503), 503, "no", "not-yet", "not-yet"),
            ("writes-throttled", Trouble::Throttled("TransactWriteItems"), 503, "no", "not-yet", "not-yet"),
            ("throttled", Trouble::Throttled("*"), 503, "no", "unknown", "unknown"),
            ("unknown", Trouble::OutcomeLost, 504, "unknown", "unknown", "unknown"),
            ("done", Trouble::None, 200, "yes", "yes", "yes"),
        ] {
            trouble.begin(&system).await;
            let first = send(&till, path, None, &body).await;
            assert_eq!((first.status, moved(&first)), (status, without), "{kind} {name}: {first:?}");
            for expected in [with, again] {
                let response = send(&till, path, Some(name), &body).await;
                assert_eq!((response.status, moved(&response)), (status, expected), "{kind} {name}: {response:?}");
            }
        }
        let reused = send(&till, path, Some("done"), &sale(7)).await;
        assert_eq!((reused.status, moved(&reused)), (422, "unknown"), "{kind}");
    }
}

#[tokio::test]
async fn a_merchant_that_is_not_active_moved_nothing_yet() {
    let (system, till) = System::signed_in("u-till").await;
    system.change_merchant(MERCHANT, |merchant| merchant.status = MerchantStatus::Suspended.into()).await;
    for (kind, path, body) in requests() {
        for (key, expected) in [(None, "no"), (Some("key"), "not-yet")] {
            let refused = send(&till, path, key, &body).await;
            assert_eq!((refused.status, moved(&refused)), (403, expected), "{kind}");
        }
        assert_eq!(cancel(&till, kind, "key").await.status, 200, "an intent can be closed in any status");
        let cancelled = send(&till, path, Some("key"), &body).await;
        assert_eq!((cancelled.status, code(&cancelled)), (409, "CANCELLED"), "{kind}");
    }
}

#[tokio::test]
async fn an_operation_says_what_is_certain_about_its_money() {
    let (system, till) = System::signed_in("u-till").await;
    for (kind, path, body) in requests() {
        let operation = |response: &ApiResponse| {
            let details = response.at("/details").as_object().or(response.at("/error/details").as_object());
            format!("/api/bff/pos/operations/{}", details.unwrap()["reference"].as_str().unwrap())
        };
        system.lose_outcomes("after").await;
        let unknown = send(&till, path, Some("a"), &body).await;
        let (done, missing) = (operation(&unknown), "/api/bff/pos/operations/none");
        assert_eq!(state(&till.get(&done).await), ("OPEN", "unknown"));
        // The network never receives the second call.
        system.lose_outcomes("drop").await;
        let failed = operation(&send(&till, path, Some("b"), &body).await);
        let without_key = operation(&send(&till, path, None, &body).await);
        system.set_faults(json!([])).await;
        for (path, status, expected) in [
            (&*done, "SUCCEEDED", "yes"),
            (&*failed, "FAILED", "not-yet"),
            (&*without_key, "FAILED", "no"),
            (missing, "", "unknown"),
        ] {
            assert_eq!(state(&till.get(path).await), (status, expected), "{kind} {path}");
        }
        // Nothing begins under the freed key any more.
        assert_eq!(cancel(&till, kind, "b").await.at("/data/status"), "CANCELLED");
        assert_eq!(moved(&till.get(&failed).await), "no", "{kind}");
        assert_eq!(moved(&system.anonymous().get(&done).await), "unknown");
    }
}

#[tokio::test]
async fn nothing_begins_under_a_closed_key() {
    let (system, clock) = System::at("2026-01-06T10:00:00Z").await;
    for (kind, path, body) in requests() {
        let till = system.sign_in("u-till").await;
        for _ in 0..2 {
            let cancelled = cancel(&till, kind, "k").await;
            assert_eq!((cancelled.status, moved(&cancelled)), (200, "no"), "{cancelled:?}");
            assert_eq!(cancelled.body, json!({"ok": true, "data": {"status": "CANCELLED", "kind": kind}}));
        }
        for body in [&body, &json!({"value": -1}), &sale(200)] {
            let refused = send(&till, path, Some("k"), body).await;
            assert_eq!((refused.status, code(&refused), moved(&refused)), (409, "CANCELLED", "no"), "{refused:?}");
        }
        clock.advance(400 * DAY);
        let (till, rival) = (system.sign_in("u-till").await, system.sign_in("u-rival").await);
        assert_eq!(code(&send(&till, path, Some("k"), &body).await), "CANCELLED", "after 400 days");
        assert_eq!(calls_that_move_money(&system).await, 0);
        let of_rival = cancel(&rival, kind, "k").await;
        assert_eq!(of_rival.at("/data/status"), "CANCELLED", "keys are scoped to a merchant: {of_rival:?}");
    }
    let till = system.sign_in("u-till").await;
    cancel(&till, "ISSUE", "sold").await;
    let redeemed = send(&till, REDEEM, Some("sold"), &payment("QR-500", 10)).await;
    assert_eq!(redeemed.status, 200, "keys are scoped to a route: {redeemed:?}");
}

#[tokio::test]
async fn an_operation_goes_on_under_a_closed_key_and_nothing_follows_it() {
    let (system, till) = System::signed_in("u-till").await;
    for (kind, path, body) in requests() {
        system.set_faults(json!([])).await;
        let done = send(&till, path, Some("done"), &body).await;
        assert_eq!(state(&cancel(&till, kind, "done").await), ("SUCCEEDED", "yes"));
        let again = send(&till, path, Some("done"), &body).await;
        assert_eq!((again.status, &again.body, moved(&again)), (200, &done.body, "yes"));

        Trouble::RefusedByNetwork(422).begin(&system).await;
        send(&till, path, Some("refused"), &body).await;
        assert_eq!(state(&cancel(&till, kind, "refused").await), ("FAILED", "no"));

        // It fails for a reason that would free its key, after that was closed.
        system.lose_outcomes("drop").await;
        assert_eq!(send(&till, path, Some("late"), &body).await.status, 504);
        assert_eq!(state(&cancel(&till, kind, "late").await), ("OPEN", "unknown"));
        system.set_faults(json!([])).await;
        for _ in 0..2 {
            let failed = send(&till, path, Some("late"), &body).await;
            assert_eq!((failed.header("idempotent-replayed"), moved(&failed)), (Some("true"), "no"), "{failed:?}");
        }
        assert_eq!(state(&cancel(&till, kind, "late").await), ("FAILED", "no"));
    }
}

#[tokio::test]
async fn a_cancellation_names_what_is_wrong_with_it() {
    let (system, till) = System::signed_in("u-till").await;
    let long = "k".repeat(256);
    for (body, field) in [
        (json!({"idempotencyKey": "k"}), "kind"),
        (json!({"kind": "issue", "idempotencyKey": "k"}), "kind"),
        (json!({"kind": 1, "idempotencyKey": "k"}), "kind"),
        (json!({"kind": "ISSUE"}), "idempotencyKey"),
        (json!({"kind": "ISSUE", "idempotencyKey": ""}), "idempotencyKey"),
        (json!({"kind": "ISSUE", "idempotencyKey": "a b"}), "idempotencyKey"),
        (json!({"kind": "ISSUE", "idempotencyKey": long}), "idempotencyKey"),
    ] {
        let refused = till.post(CANCELLATION, &body).await;
        refused.assert_invalid(field);
        assert_eq!(moved(&refused), "unknown", "{body}");
    }
    let other = json!({"kind": "ISSUE", "idempotencyKey": "k", "merchantId": "m-borealis"});
    assert_eq!(till.post(CANCELLATION, &other).await.status, 403);
    let root = system.sign_in("u-root").await;
    let named = json!({"kind": "ISSUE", "idempotencyKey": "k", "merchantId": MERCHANT});
    assert_eq!(root.post(CANCELLATION, &named).await.at("/data/status"), "CANCELLED");
    assert_eq!(code(&send(&till, ISSUE, Some("k"), &sale(100)).await), "CANCELLED");
}

#[tokio::test]
async fn a_till_closes_200_unused_keys_an_hour() {
    let (system, clock) = System::at("2026-01-06T10:00:00Z").await;
    let till = system.sign_in("u-till").await;
    let sold = send(&till, ISSUE, Some("sold"), &sale(100)).await;
    assert_eq!(sold.status, 200);
    for number in 0..200 {
        assert_eq!(cancel(&till, "ISSUE", &format!("k-{number}")).await.status, 200, "{number}");
    }
    let refused = cancel(&till, "ISSUE", "k-200").await;
    assert_eq!((refused.status, moved(&refused)), (429, "not-yet"), "{refused:?}");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(cancel(&till, "ISSUE", "k-7").await.status, 200, "a repeat does not count");
    assert_eq!(cancel(&till, "ISSUE", "sold").await.at("/data/status"), "SUCCEEDED", "nor does a key that was used");
    clock.advance(3600);
    assert_eq!(cancel(&till, "ISSUE", "k-200").await.status, 200);
}

/// Days after the operation; what a repeat answers, and what the operation shows.
#[tokio::test]
async fn a_key_answers_for_90_days_and_is_remembered_for_two_years() {
    let (system, clock) = System::at("2026-01-06T10:00:00Z").await;
    let till = system.sign_in("u-till").await;
    let mut operations = Vec::new();
    for (kind, path, body) in requests() {
        let done = send(&till, path, Some("done"), &body).await;
        let refused_body = if kind == "ISSUE" { body.clone() } else { payment("QR-500", 9_999) };
        let trouble = if kind == "ISSUE" { Trouble::RefusedByNetwork(422) } else { Trouble::None };
        trouble.begin(&system).await;
        let refused = send(&till, path, Some("refused"), &refused_body).await;
        assert_eq!(moved(&refused), "no", "{refused:?}");
        system.set_faults(json!([])).await;
        operations.push((kind, path, body, refused_body, done, refused));
    }
    let made = calls_that_move_money(&system).await;
    let mut passed = 0;
    for (days, has_codes, is_replayed) in
        [(6, true, true), (8, false, true), (89, false, true), (91, false, false), (729, false, false)]
    {
        clock.advance((days - passed) * DAY);
        passed = days;
        let till = system.sign_in("u-till").await;
        for (kind, path, body, refused_body, done, refused) in &operations {
            let again = send(&till, path, Some("done"), body).await;
            let refused_again = send(&till, path, Some("refused"), refused_body).await;
            if is_replayed {
                let pointer = "/data/qrCode";
                let expected = if has_codes { done.at(pointer).clone() } else { Value::Null };
                assert_eq!((again.status, again.at(pointer)), (200, &expected), "{kind} after {days} days: {again:?}");
                for pointer in ["/redemptionId", "/data/orderId", "/data/paymentReference", "/data/amount"] {
                    assert_eq!(again.at(pointer), done.at(pointer), "{kind} {pointer}");
                }
                assert_eq!((again.header("idempotent-replayed"), moved(&again)), (Some("true"), "yes"));
                assert_eq!((refused_again.status, moved(&refused_again)), (refused.status, "no"));
            } else {
                assert_eq!((again.status, code(&again), moved(&again)), (409, "KEY_EXPIRED", "yes"), "{kind}");
                assert_eq!((refused_again.status, code(&refused_again), moved(&refused_again)), (409, "KEY_EXPIRED", "no"));
            }
            let closed = cancel(&till, kind, "done").await;
            assert_eq!(state(&closed), ("SUCCEEDED", "yes"), "{kind}");
            let reference = closed.at("/data/reference").as_str().unwrap();
            let shown = till.get(&format!("/api/bff/pos/operations/{reference}")).await;
            assert_eq!(shown.body, closed.body);
            assert_eq!(shown.at("/data/result").is_null(), !is_replayed, "{kind} after {days} days: {shown:?}");
        }
    }
    assert_eq!(calls_that_move_money(&system).await, made, "nothing was done again");
}
