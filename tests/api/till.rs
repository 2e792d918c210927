//! What a till is told: unknown outcomes, and repeats of a request under an idempotency key.

use futures_util::TryStreamExt;
use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use shared::db::model::restore::{LostSpan, Restores};
use shared::db::{Write, item_key};
use shared::merchants::model::merchant::MerchantStatus;
use shared::settlements::model::settlement::{Settlement, SettlementStatus};
use shared::settlements::rows::create_settlement;
use shared::values::{MerchantId, Minor, RedemptionId};
use world::shop::{ISSUE, REDEEM, payment, sale, with};
use world::{ApiResponse, Caller, System, error_code};

const MERCHANT: &str = "m-aurora";

/// The path of the operation whose reference is at a JSON pointer.
fn operation_path(response: &ApiResponse, pointer: &str) -> String {
    format!("/api/bff/pos/operations/{}", response.text(pointer))
}

#[tokio::test]
async fn an_unknown_outcome_is_called_unknown_until_it_can_be_looked_up() {
    let (system, [till, admin]) = System::with_callers(["u-till", "u-admin"]).await;
    system.lose_outcomes("after").await;

    let sold = till.post(ISSUE, &sale(100)).await;
    assert_json_snapshot!("issue_unknown", sold, {
        ".body.error.details.reference" => "[reference]", ".body.error.details.orderId" => "[id]",
        ".body.error.details.paymentReference" => "[reference]",
    });
    let redeemed = till.post(REDEEM, &payment("QR-500", 100)).await;
    assert_json_snapshot!("redeem_unknown", redeemed, {
        ".body.details.reference" => "[reference]", ".body.details.redemptionId" => "[id]",
    });
    assert_eq!(admin.get("/api/bff/merchant-orders?pageSize=1").await.at("/data/orders/0/status"), "PAID");
    assert_eq!(system.drain().await, json!({"pending": 2, "dead": 0}));
    for response in [&sold, &redeemed] {
        assert_eq!(response.header("retry-after"), Some("5"), "{response:?}");
    }
    let operation_of_sale = operation_path(&sold, "/error/details/reference");
    let operation_of_redemption = operation_path(&redeemed, "/details/reference");
    for path in [&operation_of_sale, &operation_of_redemption] {
        let shown = till.get(path).await;
        assert_eq!((shown.status, shown.at("/data/status")), (200, &json!("OPEN")), "{shown:?}");
        assert_eq!(shown.at("/data/result"), &Value::Null);
    }

    system.set_faults(json!([])).await;
    let shown = till.get(&operation_of_sale).await;
    assert_json_snapshot!("operation_of_a_sale", shown, {
        ".body.data.reference" => "[reference]", ".body.data.orderId" => "[id]",
        ".body.data.result.data.orderId" => "[id]", ".body.data.result.data.reservationCode" => "[code]",
        ".body.data.result.data.orderHash" => "[hash]", ".body.data.result.data.giftCardId" => "[id]",
        ".body.data.result.data.cardNo" => "[number]", ".body.data.result.data.qrCode" => "[code]",
        ".body.data.result.data.paymentReference" => "[reference]",
    });
    system.finish_work().await;
    let shown = till.get(&operation_of_redemption).await;
    assert_json_snapshot!("operation_of_a_redemption", shown, {
        ".body.data.reference" => "[reference]", ".body.data.redemptionId" => "[id]",
        ".body.data.result.redemptionId" => "[id]", ".body.data.result.data.transactionId" => "[id]",
        ".body.data.result.data.networkCode" => "[code]",
    });
    for (user, status) in [("u-rival", 404), ("u-viewer", 403)] {
        assert_eq!(system.sign_in(user).await.get(&operation_of_sale).await.status, status, "{user}");
    }
    assert_eq!(till.get("/api/bff/pos/operations/none").await.status, 404);
    assert_eq!(admin.get("/api/bff/merchant-orders?pageSize=1").await.at("/data/orders/0/status"), "COMPLETED");
    assert_eq!(till.remaining("QR-500").await, json!(400));
}

#[tokio::test]
async fn repeated_key_replays_the_first_response() {
    let (system, till) = System::signed_in("u-till").await;
    for (path, body, other) in [
        (ISSUE, sale(100), sale(101)),
        (REDEEM, payment("QR-500", 100), payment("QR-500", 101)),
        (REDEEM, payment("QR-NONE", 100), payment("QR-NONE", 101)),
    ] {
        let key = format!("key-{}", body["qrCode"]).replace('"', "");
        let first = till.post_with_key(path, &key, &body).await;
        let again = till.post_with_key(path, &key, &body).await;
        assert_eq!(first.header("idempotent-replayed"), None);
        assert_eq!((again.header("idempotent-replayed"), again.reply()), (Some("true"), first.reply()));
        assert_eq!(till.post_with_key(path, &key, &other).await.status, 422);
        let other_merchant = system.sign_in("u-rival").await.post_with_key(path, &key, &body).await;
        assert_eq!(other_merchant.header("idempotent-replayed"), None, "keys are scoped to a merchant");
    }
    let calls = system.network_calls().await;
    assert_eq!(calls.iter().filter(|call| call["path"] == "/v1/cards/redeem" && call["body"]["merchantId"] == "1001").count(), 2);
    assert_eq!(till.remaining("QR-500").await, json!(400));
}

#[tokio::test]
async fn accepts_keys_of_1_to_255_visible_ascii_characters() {
    let (_system, till) = System::signed_in("u-till").await;
    for (key, status) in [("k", 200), (&*"k".repeat(255), 200), (&*"k".repeat(256), 400), ("", 400), ("a b", 400), ("a,b", 400)] {
        assert_eq!(till.post_with_key(ISSUE, key, &sale(100)).await.status, status, "{key:?}");
    }
    // Which of two is meant cannot be known.
    for (first, second) in [("one", "other"), ("one", "one")] {
        let request = till.request(Method::POST, ISSUE).header("idempotency-key", first).header("idempotency-key", second);
        assert_eq!(Caller::send_request(request.body(sale(100).to_string())).await.status, 400);
    }
    // That of a rejected request can be used again.
    for (value, status) in [(1, 400), (100, 200)] {
        assert_eq!(till.post_with_key(ISSUE, "again", &sale(value)).await.status, status, "{value}");
    }
}

#[tokio::test]
async fn repeated_key_looks_up_an_unknown_outcome_again() {
    let (system, till) = System::signed_in("u-till").await;
    let faults = json!([
        {"target": "card-network", "match": "POST /v1/cards/*", "kind": "after", "times": "always"},
        {"target": "card-network", "match": "GET /v1/operations/*", "kind": "status", "value": 503, "times": 2},
    ]);
    system.set_faults(faults).await;
    let body = payment("QR-500", 100);
    assert_eq!(till.post_with_key(REDEEM, "k", &body).await.status, 504);
    let still_unknown = till.post_with_key(REDEEM, "k", &body).await;
    assert_eq!((still_unknown.status, still_unknown.at("/details/outcome")), (504, &json!("unknown")));
    let known = till.post_with_key(REDEEM, "k", &body).await;
    assert_eq!((known.status, known.header("idempotent-replayed")), (200, Some("true")));
    assert_eq!(till.remaining("QR-500").await, json!(400));
}

#[tokio::test]
async fn a_failed_operation_shows_the_networks_refusal() {
    let (system, till) = System::signed_in("u-till").await;
    system.lose_outcomes("drop").await;
    let unknown = till.post(REDEEM, &payment("QR-500", 100)).await;
    system.set_faults(json!([])).await;
    let shown = till.get(&operation_path(&unknown, "/details/reference")).await;
    assert_eq!((shown.at("/data/status"), shown.at("/data/kind")), (&json!("FAILED"), &json!("REDEEM")));
    assert_eq!(shown.at("/data/result"), &json!({"error": "Redeem failed", "details": null}));
    assert_eq!(shown.at("/data/redemptionId"), unknown.at("/details/redemptionId"));
}

#[tokio::test]
async fn a_used_key_is_answered_whatever_has_changed_since() {
    let (system, till) = System::signed_in("u-till").await;
    let requests = [(ISSUE, sale(100)), (REDEEM, payment("QR-500", 100))];
    let mut first_responses = Vec::new();
    for (path, body) in &requests {
        first_responses.push(till.post_with_key(path, "k", body).await);
    }
    system.change_merchant(MERCHANT, |merchant| merchant.status = MerchantStatus::Suspended.into()).await;
    for ((path, body), first) in requests.iter().zip(&first_responses) {
        let again = till.post_with_key(path, "k", body).await;
        assert_eq!((again.reply(), again.header("idempotent-replayed")), ((200, first.body.clone()), Some("true")), "{path}");
        let other = till.post_with_key(path, "k", &json!({"value": -1, "qrCode": 7})).await;
        assert_eq!(error_code(&other), (422, "IDEMPOTENCY_KEY_REUSED"), "{path}");
        let inactive = json!({"ok": false, "error": {
            "message": "The merchant is not active: it can neither sell nor redeem cards.", "code": "MERCHANT_NOT_ACTIVE",
        }});
        assert_eq!(till.post_with_key(path, "new", body).await.reply(), (403, inactive), "{path}");
        assert_eq!(till.post(path, &json!({})).await.status, 403, "{path}: the status comes before the body");
    }
}

#[tokio::test]
async fn money_moves_only_for_an_active_merchant() {
    let (system, till) = System::signed_in("u-till").await;
    let root = system.sign_in("u-root").await;
    for status in [
        MerchantStatus::Draft,
        MerchantStatus::Submitted,
        MerchantStatus::WaitingForInfo,
        MerchantStatus::KybInProgress,
        MerchantStatus::DecisionPending,
        MerchantStatus::Inactive,
        MerchantStatus::Suspended,
        MerchantStatus::Declined,
    ] {
        system.change_merchant(MERCHANT, |merchant| merchant.status = status.into()).await;
        assert_eq!(till.post(ISSUE, &sale(100)).await.status, 403, "{status:?}");
        assert_eq!(till.post(REDEEM, &payment("QR-500", 1)).await.status, 403, "{status:?}");
        let for_merchant = with(sale(100), &json!({"merchantId": "m-aurora"}));
        assert_eq!(root.post(ISSUE, &for_merchant).await.status, 403, "{status:?}");
        assert_eq!(till.get("/api/bff/pos/card/QR-500").await.status, 200, "{status:?}: a look-up moves none");
    }
    let moved = system.network_calls().await.into_iter().filter(|call| call["method"] == "POST").count();
    assert_eq!(moved, 0);
}

#[tokio::test]
async fn a_repeat_with_the_same_value_in_another_spelling_is_the_same_request() {
    let (_system, till) = System::signed_in("u-till").await;
    let sale = |value: &str| format!("{{\"value\": {value}, \"deliveryDetails\": {{\"deliveryType\": \"QR\"}}}}");
    let send = |body| Caller::send_request(till.request(Method::POST, ISSUE).header("idempotency-key", "k").body(body));
    let first = send(sale("100")).await;
    for value in ["100.0", "1e2", "100.000"] {
        assert_eq!(send(sale(value)).await.reply(), (200, first.body.clone()), "{value}");
    }
    for value in ["100.01", "\"100\""] {
        assert_eq!(send(sale(value)).await.status, 422, "{value}");
    }
}

#[tokio::test]
async fn a_failure_that_says_nothing_about_the_request_frees_the_key() {
    let (system, [till, admin]) = System::with_callers(["u-till", "u-admin"]).await;
    for (path, body) in [(ISSUE, sale(100)), (REDEEM, payment("QR-500", 100))] {
        system.set_network_fault("POST /v1/cards/*", "status", json!(503)).await;
        assert_eq!(till.post_with_key(path, "k", &body).await.status, 503);
        system.set_faults(json!([])).await;
        let repeat = till.post_with_key(path, "k", &body).await;
        assert_eq!((repeat.status, repeat.header("idempotent-replayed")), (200, None), "{repeat:?}");
    }
    let orders = admin.get("/api/bff/merchant-orders?pageSize=2").await;
    assert_eq!(orders.at("/data/orders/0/status"), "COMPLETED");
    assert_eq!(orders.at("/data/orders/1/status"), "ISSUE_FAILED", "the failed attempt stays: {orders:?}");
    assert_eq!(till.remaining("QR-500").await, json!(400));
}

#[tokio::test]
async fn a_sale_above_the_merchants_limit_is_refused() {
    let (system, till) = System::signed_in("u-till").await;
    system.change_merchant(MERCHANT, |merchant| merchant.max_sale_minor = Some(Minor::new(10_050))).await;
    assert_eq!(till.post(ISSUE, &sale("100.50")).await.status, 200);
    let expected = json!({"ok": false, "error": {
        "message": "value: must be at most 100.5, the merchant's limit for one sale.", "code": "SALE_LIMIT",
    }});
    assert_eq!(till.post(ISSUE, &sale("100.51")).await.reply(), (400, expected));
}

/// Sends a sale with a key of its own and the time at which it was made.
async fn sell_made_at(till: &Caller, key: &str, made_at: &str) -> ApiResponse {
    send_made_at(till, ISSUE, key, made_at, &sale(100)).await
}

async fn send_made_at(till: &Caller, path: &str, key: &str, made_at: &str, body: &Value) -> ApiResponse {
    let request = till.request(Method::POST, path).header("idempotency-key", key).header("idempotency-made-at", made_at);
    Caller::send_request(request.body(body.to_string())).await
}

async fn lose(system: &System, from: &str, to: Option<&str>) {
    let span = LostSpan { from: from.parse().unwrap(), to: to.map(|to| to.parse().unwrap()) };
    let lost = Write::put(&Restores { spans: vec![span], ..Restores::default() }).unwrap();
    system.store().commit(vec![lost]).await.unwrap();
}

#[tokio::test]
async fn a_key_that_may_have_been_used_in_a_lost_span_is_never_used_again() {
    let (system, till) = System::signed_in("u-till").await;
    let made_in_span = "2026-01-05T10:30:00.000Z";
    sell_made_at(&till, "known", made_in_span).await.ok();
    lose(&system, "2026-01-05T10:00:00.000Z", Some("2026-01-05T11:00:00.000Z")).await;

    for (key, made_at, status) in [
        ("before", "2026-01-05T09:59:59.999Z", 200),
        ("first", "2026-01-05T10:00:00Z", 409),
        ("in-another-zone", "2026-01-05T12:30:00+02:00", 409),
        ("last", "2026-01-05T11:00:00.000Z", 409),
        ("last", "2026-01-05T11:00:00.000Z", 409),
        ("after", "2026-01-05T11:00:00.001Z", 200),
        ("known", made_in_span, 200),
    ] {
        let sold = sell_made_at(&till, key, made_at).await;
        assert_eq!(sold.status, status, "{key}: {sold:?}");
        if status == 409 {
            assert_eq!(sold.at("/error/code"), "RESTORED", "{key}");
            assert_eq!(sold.header("retry-after"), None, "{key}: it stays so");
        }
        assert_eq!(sold.header("idempotent-replayed").is_some(), key == "known", "{key}");
    }
    let redeemed = send_made_at(&till, REDEEM, "first", made_in_span, &payment("QR-500", 100)).await;
    assert_eq!(error_code(&redeemed), (409, "RESTORED"));
    assert_eq!(till.remaining("QR-500").await, json!(500));

    // One that does not say when it was made is new.
    assert_eq!(till.post_with_key(ISSUE, "first", &sale(100)).await.status, 200);
    lose(&system, "2026-01-05T10:00:00.000Z", None).await;
    let sold = sell_made_at(&till, "while-open", "2099-01-01T00:00:00Z").await;
    assert_eq!(sold.status, 409, "the restore is not complete: {sold:?}");
}

#[tokio::test]
async fn a_key_whose_operation_was_lost_is_refused() {
    let (system, till) = System::signed_in("u-till").await;
    assert_eq!(till.post_with_key(ISSUE, "k", &sale(100)).await.status, 200);
    let store = system.store();
    for operation in store.scan(vec!["OPERATION#".to_owned()]).try_concat().await.unwrap() {
        store.remove(&item_key(&operation).unwrap()).await.unwrap();
    }
    for value in [100, 101] {
        assert_eq!(error_code(&till.post_with_key(ISSUE, "k", &sale(value)).await), (409, "RESTORED"));
    }
}

#[tokio::test]
async fn the_time_of_a_request_is_an_instant() {
    let (_system, till) = System::signed_in("u-till").await;
    for made_at in ["", "yesterday", "2026-01-05", "2026-01-05T10:00:00", "1767607200"] {
        sell_made_at(&till, "k", made_at).await.assert_invalid("Idempotency-Made-At: ");
    }
    let request = till.request(Method::POST, ISSUE).body(sale(100).to_string());
    let twice =
        request.header("idempotency-made-at", "2026-01-05T10:00:00Z").header("idempotency-made-at", "2026-01-05T10:00:00Z");
    assert_eq!(Caller::send_request(twice).await.status, 400);
}

/// A restore carries settlements over, but not the outcomes of their operations.
#[tokio::test]
async fn a_redemption_is_closed_although_its_settlement_exists() {
    let (system, till) = System::signed_in("u-till").await;
    system.lose_outcomes("after").await;
    let unknown = till.post(REDEEM, &payment("QR-500", 100)).await;
    let store = system.store();
    let (merchant, id) = (MerchantId::new(MERCHANT), RedemptionId::new(unknown.text("/details/redemptionId")));
    let redemption = store.redemption(&merchant, &id).await.unwrap().unwrap();
    let settlement = Settlement::of_redemption(&redemption, system.local.app().clock.now()).unwrap().unwrap();
    let paid = Settlement { status: SettlementStatus::Paid.into(), ..settlement };
    store.commit(create_settlement(&paid).unwrap()).await.unwrap();

    system.set_faults(json!([])).await;
    system.finish_work().await;
    assert_eq!(till.get(&operation_path(&unknown, "/details/reference")).await.at("/data/status"), "SUCCEEDED");
    let kept = store.settlement(&merchant, &paid.id).await.unwrap().unwrap();
    assert_eq!(kept.value, paid);
}
