//! Access control: every route called by every kind of caller.

use std::collections::BTreeSet;

use futures_util::stream::TryStreamExt;
use reqwest::Method;
use serde_json::{Value, json};
use shared::http::access::Requirement;
use shared::http::fault::ErrorFormat;
use shared::http::routes::Route;
use test_support::assert_lists;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{ApiResponse, Caller, ManualClock, System};

/// The callers, one per column of `Row::statuses`.
const CALLERS: [&str; 8] = ["(no session)", "u-nobody", "u-viewer", "u-full", "u-admin", "u-unset", "u-till", "u-root"];

/// A request, and the status that each caller receives. `u-root` has no merchant.
struct Row {
    route: (&'static str, &'static str),
    path: &'static str,
    body: Value,
    statuses: [u16; 8],
}

#[expect(clippy::too_many_lines, reason = "the table has an entry for every route")]
fn rows() -> Vec<Row> {
    let row = |method, route, path, body, statuses| Row { route: (method, route), path, body, statuses };
    let get = |path, statuses| row("GET", path, path, Value::Null, statuses);
    let public = |route, path, status| row("GET", route, path, Value::Null, [status; 8]);
    let role = json!({"targetUserId": "u-viewer", "merchantTeamRole": "VIEWER"});
    let sale = json!({"value": 100, "deliveryDetails": {"deliveryType": "QR"}});
    let payment = json!({"qrCode": "QR-500", "redeemAmount": 1, "purchaseAmount": 1});
    let store = json!({"externalId": "main", "name": "Main street"});
    let status = json!({"status": "AVAILABLE"});
    let webhook = json!({"url": "http://localhost/", "events": ["merchant.status_changed"]});
    let test = json!({"event": "payout.paid"});
    let no_body = Value::Null;
    vec![
        row("GET", "/api/bff/merchant", "/api/bff/merchant", no_body.clone(), [401, 200, 200, 200, 200, 200, 403, 200]),
        row("PUT", "/api/bff/merchant", "/api/bff/merchant", json!({}), [401, 404, 403, 200, 200, 200, 403, 404]),
        row(
            "GET",
            "/api/bff/merchant/stats",
            "/api/bff/merchant/stats?days=7",
            no_body.clone(),
            [401, 403, 200, 200, 200, 200, 200, 403],
        ),
        row(
            "GET",
            "/api/bff/merchant/activity",
            "/api/bff/merchant/activity",
            no_body.clone(),
            [401, 404, 403, 403, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/merchant/users",
            "/api/bff/merchant/users",
            no_body.clone(),
            [401, 200, 200, 200, 200, 200, 200, 200],
        ),
        row("POST", "/api/bff/merchant/users", "/api/bff/merchant/users", json!({}), [401, 400, 400, 400, 400, 400, 400, 400]),
        row("PATCH", "/api/bff/merchant/users", "/api/bff/merchant/users", role, [401, 404, 403, 403, 200, 200, 403, 404]),
        row(
            "GET",
            "/api/bff/merchant-stores",
            "/api/bff/merchant-stores",
            no_body.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "POST",
            "/api/bff/retail-store",
            "/api/bff/retail-store",
            json!({"name": "New"}),
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row("PUT", "/api/bff/retail-store", "/api/bff/retail-store", store, [401, 404, 403, 200, 200, 200, 403, 404]),
        row("GET", "/api/bff/cards/{qr}", "/api/bff/cards/QR-500", no_body.clone(), [401, 404, 200, 200, 200, 200, 403, 404]),
        row(
            "GET",
            "/api/bff/cards/{qr}/history",
            "/api/bff/cards/QR-500/history",
            no_body.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row("GET", "/api/bff/offers", "/api/bff/offers", no_body.clone(), [401, 404, 200, 200, 200, 200, 403, 404]),
        row("POST", "/api/bff/offers", "/api/bff/offers", json!({"name": "New"}), [401, 404, 403, 200, 200, 200, 403, 404]),
        row("GET", "/api/bff/offers/{id}", "/api/bff/offers/501", no_body.clone(), [401, 404, 200, 200, 200, 200, 403, 404]),
        row("PUT", "/api/bff/offers/{id}", "/api/bff/offers/501", json!({}), [401, 404, 403, 200, 200, 200, 403, 404]),
        row(
            "PATCH",
            "/api/bff/offers/{id}/status",
            "/api/bff/offers/501/status",
            status,
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row("POST", "/api/bff/offers/media", "/api/bff/offers/media", json!({}), [401, 404, 403, 400, 400, 400, 403, 404]),
        row(
            "GET",
            "/api/bff/merchant-orders",
            "/api/bff/merchant-orders",
            no_body.clone(),
            [401, 200, 200, 200, 200, 200, 403, 200],
        ),
        row(
            "GET",
            "/api/bff/merchant-orders/{orderId}",
            "/api/bff/merchant-orders/o-sold",
            no_body.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance",
            "/api/bff/merchant-orders/o-sold/gift-cards/g-sold/balance",
            no_body.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row("POST", "/api/bff/pos/issue", "/api/bff/pos/issue", sale, [401, 404, 403, 200, 200, 200, 200, 404]),
        row("POST", "/api/bff/pos/redeem", "/api/bff/pos/redeem", payment, [401, 404, 403, 200, 200, 200, 200, 404]),
        row(
            "GET",
            "/api/bff/pos/card/{qrcode}",
            "/api/bff/pos/card/QR-500",
            no_body.clone(),
            [401, 404, 403, 200, 200, 200, 200, 404],
        ),
        get("/api/bff/pos/offers", [401, 404, 403, 200, 200, 200, 200, 404]),
        row(
            "GET",
            "/api/bff/pos/operations/{reference}",
            "/api/bff/pos/operations/none",
            no_body,
            [401, 404, 403, 404, 404, 404, 404, 404],
        ),
        row(
            "POST",
            "/api/bff/pos/operations/cancellation",
            "/api/bff/pos/operations/cancellation",
            json!({"kind": "REDEEM", "idempotencyKey": "never-used"}),
            [401, 404, 403, 200, 200, 200, 200, 404],
        ),
        get("/api/bff/analytics/overview", [401, 404, 200, 200, 200, 200, 403, 404]),
        // The merchant is paid on redemption and therefore sees no sales.
        get("/api/bff/analytics/sales", [401, 404, 403, 403, 403, 403, 403, 404]),
        get("/api/bff/analytics/redemptions", [401, 404, 200, 200, 200, 200, 403, 404]),
        get("/api/bff/analytics/fraud", [401, 404, 200, 200, 200, 200, 403, 404]),
        get("/api/bff/settlements", [401, 401, 200, 200, 200, 200, 403, 401]),
        get("/api/bff/settlements/summary", [401, 401, 200, 200, 200, 200, 403, 401]),
        get("/api/bff/settlements/by-source", [401, 401, 400, 400, 400, 400, 403, 401]),
        get("/api/bff/payouts", [401, 404, 200, 200, 200, 200, 403, 404]),
        get("/api/bff/payouts/{id}", [401, 404, 404, 404, 404, 404, 403, 404]),
        get("/api/bff/payouts/{id}/file", [401, 404, 404, 404, 404, 404, 403, 404]),
        row("POST", "/api/onboarding/submit", "/api/onboarding/submit", json!({}), [401, 400, 403, 403, 403, 403, 403, 400]),
        row("POST", "/api/onboarding/upload", "/api/onboarding/upload", json!({}), [401, 400, 403, 400, 400, 400, 403, 400]),
        row("GET", "/api/onboarding/document", "/api/onboarding/document", Value::Null, [401, 400, 400, 400, 400, 400, 403, 400]),
        row("POST", "/api/public/merchant/onboarding-check", "/api/public/merchant/onboarding-check", json!({}), [400; 8]),
        row("POST", "/api/public/merchant/kyb-decision", "/api/public/merchant/kyb-decision", json!({}), [401; 8]),
        row("POST", "/api/auth/code", "/api/auth/code", json!({}), [400; 8]),
        row("POST", "/api/auth/session", "/api/auth/session", json!({}), [400; 8]),
        get("/api/auth/session", [401, 200, 200, 200, 200, 200, 200, 200]),
        row("PATCH", "/api/auth/session/user", "/api/auth/session/user", json!({}), [401, 200, 200, 200, 200, 200, 200, 200]),
        row("POST", "/api/auth/merchant", "/api/auth/merchant", json!({}), [401, 400, 409, 409, 409, 409, 409, 409]),
        row("DELETE", "/api/auth/merchant", "/api/auth/merchant", Value::Null, [401, 404, 409, 409, 409, 409, 409, 404]),
        row("POST", "/api/auth/invites", "/api/auth/invites", json!({}), [401, 404, 403, 403, 400, 400, 403, 404]),
        row(
            "POST",
            "/api/auth/invites/{challengeId}/verification",
            "/api/auth/invites/none/verification",
            json!({"code": "ABCD-EFGH"}),
            [401, 404, 403, 403, 404, 404, 403, 404],
        ),
        row(
            "POST",
            "/api/auth/invites/{challengeId}/resend",
            "/api/auth/invites/none/resend",
            Value::Null,
            [401, 404, 403, 403, 404, 404, 403, 404],
        ),
        row(
            "DELETE",
            "/api/auth/invites/{challengeId}",
            "/api/auth/invites/none",
            Value::Null,
            [401, 404, 403, 403, 404, 404, 403, 404],
        ),
        row(
            "POST",
            "/api/auth/invites/{challengeId}/acceptance",
            "/api/auth/invites/none/acceptance",
            Value::Null,
            [401, 410, 410, 410, 410, 410, 410, 410],
        ),
        row(
            "DELETE",
            "/api/auth/members/{userId}",
            "/api/auth/members/none",
            Value::Null,
            [401, 404, 403, 403, 404, 404, 403, 404],
        ),
        get("/api/auth/tills", [401, 404, 403, 403, 200, 200, 403, 404]),
        row("POST", "/api/auth/tills", "/api/auth/tills", json!({}), [401, 404, 403, 403, 400, 400, 403, 404]),
        row("POST", "/api/auth/tills/pairing", "/api/auth/tills/pairing", json!({}), [400; 8]),
        row(
            "POST",
            "/api/auth/tills/{id}/pairing",
            "/api/auth/tills/none/pairing",
            Value::Null,
            [401, 404, 403, 403, 404, 404, 403, 404],
        ),
        row("DELETE", "/api/auth/tills/{id}", "/api/auth/tills/none", Value::Null, [401, 404, 403, 403, 404, 404, 403, 404]),
        get("/api/auth/sessions", [401, 200, 200, 200, 200, 200, 200, 200]),
        get("/api/admin/merchants", [401, 403, 403, 403, 403, 403, 403, 200]),
        row(
            "GET",
            "/api/admin/merchants/{id}",
            "/api/admin/merchants/m-rival",
            Value::Null,
            [401, 403, 403, 403, 403, 403, 403, 200],
        ),
        row(
            "GET",
            "/api/admin/merchants/{id}/audit",
            "/api/admin/merchants/m-rival/audit",
            Value::Null,
            [401, 403, 403, 403, 403, 403, 403, 200],
        ),
        row(
            "PATCH",
            "/api/admin/merchants/{id}",
            "/api/admin/merchants/m-rival",
            json!({"payoutDelayDays": 7, "reason": "agreed"}),
            [401, 403, 403, 403, 403, 403, 403, 200],
        ),
        row("POST", "/api/bff/exports", "/api/bff/exports", json!({}), [401, 404, 400, 400, 400, 400, 403, 404]),
        get("/api/bff/exports/{id}", [401, 404, 404, 404, 404, 404, 403, 404]),
        row("GET", "/api/bff/webhooks", "/api/bff/webhooks", Value::Null, [401, 404, 200, 200, 200, 200, 403, 404]),
        row("POST", "/api/bff/webhooks", "/api/bff/webhooks", webhook, [401, 404, 403, 201, 201, 201, 403, 404]),
        row("PATCH", "/api/bff/webhooks/{id}", "/api/bff/webhooks/none", json!({}), [401, 404, 403, 404, 404, 404, 403, 404]),
        row("DELETE", "/api/bff/webhooks/{id}", "/api/bff/webhooks/none", Value::Null, [401, 404, 403, 404, 404, 404, 403, 404]),
        row(
            "POST",
            "/api/bff/webhooks/{id}/rotation",
            "/api/bff/webhooks/none/rotation",
            json!({}),
            [401, 404, 403, 404, 404, 404, 403, 404],
        ),
        row("POST", "/api/bff/webhooks/{id}/test", "/api/bff/webhooks/none/test", test, [401, 404, 403, 404, 404, 404, 403, 404]),
        row(
            "GET",
            "/api/bff/webhooks/{id}/deliveries",
            "/api/bff/webhooks/none/deliveries",
            Value::Null,
            [401, 404, 404, 404, 404, 404, 403, 404],
        ),
        row(
            "POST",
            "/api/bff/webhooks/{id}/deliveries/{deliveryId}/retry",
            "/api/bff/webhooks/none/deliveries/none/retry",
            json!({}),
            [401, 404, 403, 404, 404, 404, 403, 404],
        ),
        row("POST", "/api/admin/payouts", "/api/admin/payouts", json!({}), [401, 403, 403, 403, 403, 403, 403, 400]),
        get("/api/admin/payouts", [401, 403, 403, 403, 403, 403, 403, 200]),
        get("/api/admin/payouts/preview", [401, 403, 403, 403, 403, 403, 403, 200]),
        row(
            "GET",
            "/api/admin/payouts/runs/{runId}",
            "/api/admin/payouts/runs/none",
            Value::Null,
            [401, 403, 403, 403, 403, 403, 403, 404],
        ),
        row("GET", "/api/admin/payouts/{id}", "/api/admin/payouts/none", Value::Null, [401, 403, 403, 403, 403, 403, 403, 404]),
        row(
            "PATCH",
            "/api/admin/payouts/{id}",
            "/api/admin/payouts/none",
            json!({"status": "CANCELLED", "reason": "None"}),
            [401, 403, 403, 403, 403, 403, 403, 404],
        ),
        row(
            "GET",
            "/api/admin/payouts/{id}/file",
            "/api/admin/payouts/none/file",
            Value::Null,
            [401, 403, 403, 403, 403, 403, 403, 404],
        ),
        get("/api/admin/settlements", [401, 403, 403, 403, 403, 403, 403, 200]),
        row(
            "PATCH",
            "/api/admin/settlements/{merchantId}/{id}",
            "/api/admin/settlements/m-rival/none",
            json!({"held": true, "reason": "None"}),
            [401, 403, 403, 403, 403, 403, 403, 404],
        ),
        row(
            "DELETE",
            "/api/admin/media",
            "/api/admin/media",
            json!({"key": "public/gift-cards/designs/none.png", "reason": "None"}),
            [401, 403, 403, 403, 403, 403, 403, 404],
        ),
        public("/api/bff/widget/config", "/api/bff/widget/config", 200),
        public("/api/bff/widget/giftcards", "/api/bff/widget/giftcards", 200),
        public("/api/merchants/{slug}", "/api/merchants/aurora-coffee", 200),
        public("/api/merchants/{slug}/catalog", "/api/merchants/aurora-coffee/catalog", 200),
        public("/shop/{slug}", "/shop/aurora-coffee", 200),
        public("/api/public/gift-card-image", "/api/public/gift-card-image", 404),
        // These end the sessions.
        row("DELETE", "/api/auth/sessions", "/api/auth/sessions", Value::Null, [401, 200, 200, 200, 200, 200, 200, 200]),
        row("DELETE", "/api/auth/session", "/api/auth/session", Value::Null, [200; 8]),
    ]
}

async fn call(caller: &Caller<'_>, row: &Row) -> ApiResponse {
    let method: Method = row.route.0.parse().unwrap();
    let body = (method != Method::GET).then_some(&row.body);
    caller.send(method, row.path, body).await
}

#[tokio::test]
async fn every_route_enforces_its_permissions() {
    let system = System::start().await;
    let mut callers = vec![system.anonymous()];
    for user in &CALLERS[1..] {
        callers.push(system.sign_in(user).await);
    }
    for row in rows() {
        for ((caller, name), expected) in callers.iter().zip(CALLERS).zip(row.statuses) {
            let response = call(caller, &row).await;
            assert_eq!(response.status, expected, "{name} at {:?}: {response:?}", row.route);
            if (401..=404).contains(&expected) {
                assert!(has_error_format_of_route(row.route.1, &response), "{name} at {:?}: {response:?}", row.route);
            }
            assert!(response.header("x-request-id").is_some_and(|id| !id.is_empty()), "{:?}", row.route);
        }
    }
}

#[tokio::test]
async fn a_paired_till_can_do_nothing_but_what_portal_pos_allows() {
    let system = System::start().await;
    let admin = system.sign_in("u-admin").await;
    let till = json!({"name": "Counter", "retailStoreId": "101"});
    let code = admin.post("/api/auth/tills", &till).await.text("/data/pairingCode");
    let paired = system.anonymous().post("/api/auth/tills/pairing", &json!({"code": code})).await;
    let till = system.with_token(&paired.text("/data/token"));
    for row in rows().iter().filter(|row| row.statuses[0] == 401) {
        let response = call(&till, row).await;
        let is_its_own = row.path.starts_with("/api/bff/pos/")
            || [("GET", "/api/auth/session"), ("GET", "/api/bff/cards/{qr}/history")].contains(&row.route);
        let expected = if is_its_own { row.statuses[4] } else { 403 };
        // A signature is asked for before anything else.
        let expected = if row.path.ends_with("kyb-decision") { 401 } else { expected };
        assert_eq!(response.status, expected, "{:?}: {response:?}", row.route);
    }
    assert_eq!(till.send(Method::DELETE, "/api/auth/session", None).await.status, 200);
    assert_eq!(till.get("/api/auth/session").await.status, 401);
}

/// The rows of all writes that need a session.
fn writes_in_a_session() -> Vec<Row> {
    let tables = local::route_tables();
    let routes: Vec<_> = tables.iter().flat_map(shared::http::routes::Routes::routes).collect();
    let needs_session = |row: &Row| {
        let is_of_row = |route: &&&Route| (route.method.as_str(), route.path) == row.route;
        routes.iter().find(is_of_row).unwrap().requirement != Requirement::Public
    };
    let mut rows = rows();
    rows.retain(|row| row.route.0 != "GET" && needs_session(row));
    rows
}

/// Sends the request of a row with `X-Expected-Merchant`.
async fn expecting(caller: &Caller<'_>, row: &Row, merchants: &[&str]) -> ApiResponse {
    let request = caller.request(row.route.0.parse().unwrap(), row.path);
    let request = merchants.iter().fold(request, |request, merchant| request.header("x-expected-merchant", *merchant));
    Caller::send_request(request.header("content-type", "application/json").body(row.body.to_string())).await
}

#[tokio::test]
async fn no_write_is_made_in_a_session_of_another_merchant_than_expected() {
    let system = System::start().await;
    let (admin, nobody, root) =
        (system.sign_in("u-admin").await, system.sign_in("u-nobody").await, system.sign_in("u-root").await);
    let pairing = json!({"name": "Counter", "retailStoreId": "101"});
    let code = admin.post("/api/auth/tills", &pairing).await.text("/data/pairingCode");
    let paired = system.anonymous().post("/api/auth/tills/pairing", &json!({"code": code})).await;
    let till = system.with_token(&paired.text("/data/token"));
    let message = "X-Expected-Merchant: you are signed in with another merchant by now. Nothing was done.";
    let other_merchant = json!({"ok": false, "error": {"message": message, "code": "OTHER_MERCHANT"}});
    system.drain().await;
    let before = (written_rows(&system).await, system.network_calls().await.len());
    for row in writes_in_a_session() {
        for (caller, merchants) in [
            (&admin, &["m-rival"][..]),
            (&admin, &["m-rival", "m-aurora"]),
            (&admin, &["M-AURORA"]),
            (&admin, &[""]),
            (&till, &["m-rival"]),
            (&nobody, &["m-aurora"]),
            // Not the merchant that an administrator reads or changes.
            (&root, &["m-rival"]),
        ] {
            let response = expecting(caller, &row, merchants).await;
            assert_eq!((response.status, &response.body), (409, &other_merchant), "{:?}", row.route);
        }
        let response = expecting(&system.anonymous(), &row, &["m-aurora"]).await;
        assert_eq!(response.status, 401, "{:?}", row.route);
    }
    assert_eq!((written_rows(&system).await, system.network_calls().await.len()), before);
}

/// The keys and versions of the rows that writes of the API leave behind.
async fn written_rows(system: &System) -> BTreeSet<String> {
    let kinds = "MERCHANT# ORDER# REDEMPTION# OPERATION# IDEMPOTENCY# INVITE# CHALLENGE# SESSION# USER# EXPORT# ACTIVITY# \
                 AUDIT# RATE# LEASE# PAYOUT_RUN#";
    let rows = system.local.app().store.scan(kinds.split_whitespace().map(str::to_owned).collect());
    let rows = rows.try_concat().await.unwrap().into_iter();
    rows.map(|item| format!("{:?} {:?} {:?}", item["pk"], item["sk"], item.get("version"))).collect()
}

#[tokio::test]
async fn the_expected_merchant_of_a_session_changes_nothing() {
    let system = System::start().await;
    let position = |user| CALLERS.iter().position(|name| *name == user).unwrap();
    let (viewer, admin) = (system.sign_in("u-viewer").await, system.sign_in("u-admin").await);
    for row in writes_in_a_session() {
        for (caller, name) in [(&viewer, "u-viewer"), (&admin, "u-admin")] {
            let response = expecting(caller, &row, &["m-aurora"]).await;
            assert_eq!(response.status, row.statuses[position(name)], "{name} at {:?}: {response:?}", row.route);
        }
    }
    let read = system.sign_in("u-till").await.request(Method::GET, "/api/bff/pos/card/QR-500");
    assert_eq!(Caller::send_request(read.header("x-expected-merchant", "m-rival")).await.status, 200);
}

#[tokio::test]
async fn another_merchant_than_expected_is_refused_before_the_idempotency_key_is_looked_up() {
    let system = System::start().await;
    let till = system.sign_in("u-till").await;
    let redeem = |merchant: &'static str, amount: u32| {
        let body = json!({"qrCode": "QR-500", "redeemAmount": amount, "purchaseAmount": 1});
        let request = till.request(Method::POST, "/api/bff/pos/redeem").header("idempotency-key", "k");
        let request = request.header("content-type", "application/json");
        Caller::send_request(request.header("x-expected-merchant", merchant).body(body.to_string()))
    };
    assert_eq!(redeem("m-rival", 1).await.status, 409);
    let first = redeem("m-aurora", 1).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (200, None));
    for amount in [1, 2] {
        let other = redeem("m-rival", amount).await;
        assert_eq!((other.status, other.text("/error/code").as_str()), (409, "OTHER_MERCHANT"));
    }
    let replay = redeem("m-aurora", 1).await;
    assert_eq!((replay.status, replay.header("idempotent-replayed")), (200, Some("true")));
}

#[tokio::test]
async fn treats_an_invalid_session_like_no_session() {
    let system = System::start().await;
    let (anonymous, with_invalid_token) = (system.anonymous(), system.with_token("made.up.token"));
    for row in rows().iter().filter(|row| row.statuses[0] == 401) {
        let signed_out = call(&anonymous, row).await;
        let invalid = call(&with_invalid_token, row).await;
        assert_eq!((signed_out.status, &signed_out.body), (invalid.status, &invalid.body), "{:?}", row.route);
    }
}

/// Routes on which members give or take powers.
const GIVING: [(&str, &str); 5] = [
    ("PATCH", "/api/bff/merchant/users"),
    ("POST", "/api/auth/invites"),
    ("POST", "/api/auth/tills"),
    ("POST", "/api/auth/tills/{id}/pairing"),
    ("DELETE", "/api/auth/members/{userId}"),
];

#[tokio::test]
async fn platform_administrator_with_a_merchant_passes_every_permission_check() {
    let system = System::start().await;
    let user = json!({"id": "u-linked", "email": "linked@portal.example", "isAdmin": true, "emailVerified": true,
                        "merchantId": "m-aurora", "merchantTeamRole": "VIEWER"});
    system.load_fixtures(&json!({"users": [user]})).await;
    let caller = system.sign_in("u-linked").await;
    let position = |user| CALLERS.iter().position(|name| *name == user).unwrap();
    let (admin, root) = (position("u-admin"), position("u-root"));
    for row in rows() {
        let response = call(&caller, &row).await;
        // Routes of the platform need no merchant.
        let expected = if row.path.starts_with("/api/admin/") { row.statuses[root] } else { row.statuses[admin] };
        // To pass the check gives no power over the team: a viewer gives and takes nothing.
        let is_about_powers = row.statuses[admin] < 300 && GIVING.contains(&row.route);
        let expected = if is_about_powers { 403 } else { expected };
        assert_eq!(response.status, expected, "{:?}: {response:?}", row.route);
    }
}

/// Checks that the error is a string on routes with the flat format, and an object with a `message` on all others.
fn has_error_format_of_route(route: &str, response: &ApiResponse) -> bool {
    let tables = local::route_tables();
    let mut routes = tables.iter().flat_map(shared::http::routes::Routes::routes);
    let is_flat = routes.any(|listed| listed.path == route && listed.error_format == ErrorFormat::Flat);
    let error = response.at("/error");
    let message = if is_flat { error } else { &error["message"] };
    response.at("/ok") == &json!(false) && message.is_string()
}

#[test]
fn table_covers_every_route() {
    let tables = local::route_tables();
    let listed: BTreeSet<(String, &str)> = tables
        .iter()
        .flat_map(shared::http::routes::Routes::routes)
        .map(|route| (route.method.to_string(), route.path))
        .collect();
    let tested: BTreeSet<(String, &str)> = rows().iter().map(|row| (row.route.0.to_owned(), row.route.1)).collect();
    assert_lists("rows() in tests/api/access.rs", &tested, &listed);
}

#[tokio::test]
async fn accepts_the_session_as_bearer_token_or_cookie_but_not_both() {
    let system = System::start().await;
    let signed_in = system.sign_in("u-admin").await;
    let token = signed_in.token();
    let cookie = format!("other=1; __Host-portal_session={token}");
    let anonymous = system.anonymous();
    let get = || anonymous.request(Method::GET, "/api/bff/merchant/stats");

    for (request, status) in [
        (get().header("authorization", format!("bearer {token}")), 200),
        (get().header("cookie", &cookie), 200),
        (get().bearer_auth(token).header("cookie", &cookie), 401),
        (get().header("cookie", format!("{cookie}; __Host-portal_session={token}")), 401),
        (get().bearer_auth(format!("{token}x")), 401),
        (get().bearer_auth("not.a.token"), 401),
        (get().header("authorization", format!("Basic {token}")), 401),
    ] {
        let request_line = format!("{request:?}");
        assert_eq!(Caller::send_request(request).await.status, status, "{request_line}");
    }
}

#[tokio::test]
async fn rejects_an_ended_session_immediately() {
    let system = System::start().await;
    let caller = system.sign_in("u-admin").await;
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 200);
    let session = json!({"token": caller.token()});
    system.anonymous().send(Method::DELETE, "/__local/sessions", Some(&session)).await;
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 401);
}

#[tokio::test]
async fn session_expires_after_twelve_hours() {
    let manual_clock = ManualClock::at("2026-05-28T20:26:40Z");
    let system = System::with_clock(manual_clock.clock()).await;
    let caller = system.sign_in("u-admin").await;

    manual_clock.advance(12 * 3600 - 1);
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 200);
    manual_clock.advance(1);
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 401);
}

#[tokio::test]
async fn writes_with_the_session_cookie_are_accepted_from_trusted_origins_only() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    let signed_in = system.sign_in("u-admin").await;
    let anonymous = system.anonymous();
    let own_origin = system.local.listening.api.as_str();
    let own_port = own_origin.rsplit_once(':').unwrap().1;
    let put = |headers: &[(&str, &str)]| {
        let put = anonymous.request(Method::PUT, "/api/bff/merchant").header("content-type", "application/json");
        headers.iter().fold(put, |put, (name, value)| put.header(*name, *value)).body("{}")
    };
    let (other_name, other_port) = (format!("http://localhost:{own_port}"), "http://127.0.0.1:1".to_owned());

    for (headers, expected) in [
        (vec![], 200),
        (vec![("sec-fetch-site", "same-origin")], 200),
        (vec![("sec-fetch-site", "same-site")], 403),
        (vec![("sec-fetch-site", "none")], 403),
        (vec![("sec-fetch-site", "cross-site")], 403),
        (vec![("origin", own_origin)], 200),
        (vec![("origin", own_origin), ("sec-fetch-site", "cross-site")], 200),
        (vec![("origin", DASHBOARD)], 200),
        (vec![("origin", DASHBOARD), ("sec-fetch-site", "same-site")], 200),
        (vec![("origin", other_name.as_str())], 403),
        (vec![("origin", other_name.as_str()), ("sec-fetch-site", "same-origin")], 403),
        (vec![("origin", other_port.as_str())], 403),
        (vec![("origin", "https://dashboard.example:8443"), ("sec-fetch-site", "same-origin")], 403),
        (vec![("origin", "https://evil.example")], 403),
        (vec![("origin", "null")], 403),
        (vec![("origin", DASHBOARD), ("origin", "https://evil.example")], 403),
    ] {
        let with_cookie = put(&headers).header("cookie", session_cookie(&signed_in));
        assert_eq!(Caller::send_request(with_cookie).await.status, expected, "{headers:?}");
    }
    for headers in [[("sec-fetch-site", "cross-site")], [("origin", other_name.as_str())]] {
        let with_bearer = put(&headers).bearer_auth(signed_in.token());
        assert_eq!(Caller::send_request(with_bearer).await.status, 200, "{headers:?}");
    }
    let read = anonymous.request(Method::GET, "/api/bff/merchant").header("sec-fetch-site", "cross-site");
    let read = read.header("cookie", session_cookie(&signed_in));
    assert_eq!(Caller::send_request(read).await.status, 200);
}

const DASHBOARD: &str = "https://dashboard.example";

fn session_cookie(caller: &Caller<'_>) -> String {
    format!("__Host-portal_session={}", caller.token())
}

#[tokio::test]
async fn a_body_sent_with_the_session_cookie_has_a_content_type_that_forms_cannot_send() {
    let system = System::start().await;
    let signed_in = system.sign_in("u-admin").await;
    let anonymous = system.anonymous();
    let form = "multipart/form-data; boundary=b";
    let image = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\nGIF89a\r\n--b--\r\n";
    let (profile, media) = ((Method::PUT, "/api/bff/merchant"), (Method::POST, "/api/bff/offers/media"));

    for ((method, path), content_type, body, with_cookie, with_bearer) in [
        (profile.clone(), Some("application/json"), "{}", 200, 200),
        (profile.clone(), Some("Application/JSON; charset=utf-8"), "{}", 200, 200),
        (profile.clone(), Some("application/merge-patch+json"), "{}", 200, 200),
        (profile.clone(), None, "{}", 415, 200),
        (profile.clone(), Some("text/plain"), "{}", 415, 200),
        (profile.clone(), Some("application/x-www-form-urlencoded"), "{}", 415, 200),
        (profile.clone(), Some("text/plain; application/json"), "{}", 415, 200),
        (profile.clone(), Some(form), "{}", 415, 200),
        (profile, None, "", 400, 400),
        (media.clone(), Some(form), image, 200, 200),
        (media.clone(), Some("text/plain"), image, 415, 400),
        (media.clone(), None, image, 415, 400),
        (media, Some("application/json"), "{}", 400, 400),
    ] {
        let request = anonymous.request(method, path).body(body);
        let request = content_type.into_iter().fold(request, |request, value| request.header("content-type", value));
        let cookie = request.try_clone().unwrap().header("cookie", session_cookie(&signed_in));
        assert_eq!(Caller::send_request(cookie).await.status, with_cookie, "cookie, {path} {content_type:?}");
        let bearer = request.bearer_auth(signed_in.token());
        assert_eq!(Caller::send_request(bearer).await.status, with_bearer, "bearer, {path} {content_type:?}");
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_use_the_error_format_of_their_group() {
    let system = System::start().await;
    let caller = system.anonymous();
    let is_nested = |response: &ApiResponse| response.at("/ok") == &json!(false) && response.at("/error/message").is_string();
    let is_flat = |response: &ApiResponse| response.at("/ok") == &json!(false) && response.at("/error").is_string();
    for path in ["/api/bff/pos/nothing", "/api/bff/merchant/nothing", "/api/bff/offers/1/nothing", "/api/nothing", "/nothing"] {
        let response = caller.get(path).await;
        assert!(response.status == 404 && is_nested(&response), "{path}: {response:?}");
    }
    let unknown_order_path = caller.get("/api/bff/merchant-orders/1/nothing").await;
    assert!(unknown_order_path.status == 404 && is_flat(&unknown_order_path));

    let wrong_method = caller.send(Method::DELETE, "/api/bff/offers/1", None).await;
    assert!(wrong_method.status == 405 && is_nested(&wrong_method), "{wrong_method:?}");
    let allowed: BTreeSet<&str> = wrong_method.header("allow").unwrap().split(',').map(str::trim).collect();
    assert_eq!(allowed, BTreeSet::from(["GET", "HEAD", "PUT"]));
    let wrong_method = caller.send(Method::POST, "/api/bff/merchant-orders", None).await;
    assert!(wrong_method.status == 405 && is_flat(&wrong_method), "{wrong_method:?}");
    for path in ["/api/bff/pos/redeem", "/api/bff/retail-store"] {
        let wrong_method = caller.send(Method::DELETE, path, None).await;
        let body = json!({"error": "This address does not support the method.", "code": "METHOD_NOT_ALLOWED"});
        assert_eq!((wrong_method.status, wrong_method.body), (405, body), "{path}");
    }
}

#[tokio::test]
async fn a_body_that_cannot_be_read_to_its_end_is_invalid() {
    let system = System::start().await;
    let address = system.local.listening.api.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /api/auth/code HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         transfer-encoding: chunked\r\n\r\n5\r\n{{\"ema\r\nnot a length\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = vec![0; 1024];
    let length = stream.read(&mut response).await.unwrap();
    let response = String::from_utf8_lossy(&response[..length]);
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
}

#[tokio::test]
async fn rejects_a_body_over_the_size_limit() {
    let system = System::start().await;
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1024 * 1024));
    for path in ["/api/bff/offers", "/api/bff/pos/issue", "/api/bff/retail-store", "/api/bff/pos/redeem"] {
        let response = system.sign_in("u-admin").await.post_text(path, &large).await;
        assert_eq!(response.status, 413, "{path}: {response:?}");
    }
}
