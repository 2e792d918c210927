//! Who may call what: every route with every kind of caller.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use shared::http::fault::ErrorFormat;

use crate::support::{Answer, Caller, System};

/// The callers of the world, in the order of the columns below.
const CALLERS: [&str; 8] =
    ["(no session)", "u-nobody", "u-viewer", "u-full", "u-admin", "u-unset", "u-till", "u-root"];

/// A route as it is called here, with the status for each caller. `u-root` has no merchant.
struct Row {
    route: (&'static str, &'static str),
    path: &'static str,
    body: Value,
    statuses: [u16; 8],
}

#[expect(clippy::too_many_lines, reason = "a table has as many lines as it has rows")]
fn rows() -> Vec<Row> {
    let row = |method, route, path, body, statuses| Row { route: (method, route), path, body, statuses };
    let read = |path, statuses| row("GET", path, path, Value::Null, statuses);
    let public = |route, path, status| row("GET", route, path, Value::Null, [status; 8]);
    let role = json!({"targetUserId": "u-viewer", "merchantTeamRole": "VIEWER"});
    let sale = json!({"value": 100, "deliveryDetails": {"deliveryType": "QR"}});
    let payment = json!({"qrCode": "QR-500", "redeemAmount": 1, "purchaseAmount": 1});
    let store = json!({"externalId": "main", "name": "Main street"});
    let status = json!({"status": "AVAILABLE"});
    let none = Value::Null;
    vec![
        row(
            "GET",
            "/api/bff/merchant",
            "/api/bff/merchant",
            none.clone(),
            [401, 200, 200, 200, 200, 200, 403, 200],
        ),
        row(
            "PUT",
            "/api/bff/merchant",
            "/api/bff/merchant",
            json!({}),
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/merchant/stats",
            "/api/bff/merchant/stats?days=7",
            none.clone(),
            [401, 403, 200, 200, 200, 200, 200, 403],
        ),
        row(
            "GET",
            "/api/bff/merchant/users",
            "/api/bff/merchant/users",
            none.clone(),
            [401, 200, 200, 200, 200, 200, 200, 200],
        ),
        row(
            "POST",
            "/api/bff/merchant/users",
            "/api/bff/merchant/users",
            json!({}),
            [401, 400, 400, 400, 400, 400, 400, 400],
        ),
        row(
            "PATCH",
            "/api/bff/merchant/users",
            "/api/bff/merchant/users",
            role,
            [401, 404, 403, 403, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/merchant-stores",
            "/api/bff/merchant-stores",
            none.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "POST",
            "/api/bff/retail-store",
            "/api/bff/retail-store",
            json!({"name": "New"}),
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row(
            "PUT",
            "/api/bff/retail-store",
            "/api/bff/retail-store",
            store,
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/cards/{qr}",
            "/api/bff/cards/QR-500",
            none.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/offers",
            "/api/bff/offers",
            none.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "POST",
            "/api/bff/offers",
            "/api/bff/offers",
            json!({"name": "New"}),
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/offers/{id}",
            "/api/bff/offers/501",
            none.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "PUT",
            "/api/bff/offers/{id}",
            "/api/bff/offers/501",
            json!({}),
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row(
            "PATCH",
            "/api/bff/offers/{id}/status",
            "/api/bff/offers/501/status",
            status,
            [401, 404, 403, 200, 200, 200, 403, 404],
        ),
        row(
            "POST",
            "/api/bff/offers/media",
            "/api/bff/offers/media",
            json!({}),
            [401, 404, 403, 400, 400, 400, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/merchant-orders",
            "/api/bff/merchant-orders",
            none.clone(),
            [401, 200, 200, 200, 200, 200, 403, 200],
        ),
        row(
            "GET",
            "/api/bff/merchant-orders/{orderId}",
            "/api/bff/merchant-orders/o-sold",
            none.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "GET",
            "/api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance",
            "/api/bff/merchant-orders/o-sold/gift-cards/g-sold/balance",
            none.clone(),
            [401, 404, 200, 200, 200, 200, 403, 404],
        ),
        row(
            "POST",
            "/api/bff/pos/issue",
            "/api/bff/pos/issue",
            sale,
            [401, 404, 403, 200, 200, 200, 200, 404],
        ),
        row(
            "POST",
            "/api/bff/pos/redeem",
            "/api/bff/pos/redeem",
            payment,
            [401, 404, 403, 200, 200, 200, 200, 404],
        ),
        row(
            "GET",
            "/api/bff/pos/card/{qrcode}",
            "/api/bff/pos/card/QR-500",
            none,
            [401, 404, 403, 200, 200, 200, 200, 404],
        ),
        read("/api/bff/analytics/overview", [401, 404, 200, 200, 200, 200, 403, 404]),
        // The merchant is paid on redemption.
        read("/api/bff/analytics/sales", [401, 404, 403, 403, 403, 403, 403, 404]),
        read("/api/bff/analytics/redemptions", [401, 404, 200, 200, 200, 200, 403, 404]),
        read("/api/bff/analytics/fraud", [401, 404, 200, 200, 200, 200, 403, 404]),
        read("/api/bff/settlements", [401, 401, 200, 200, 200, 200, 403, 401]),
        read("/api/bff/settlements/summary", [401, 401, 200, 200, 200, 200, 403, 401]),
        read("/api/bff/settlements/by-source", [401, 401, 400, 400, 400, 400, 403, 401]),
        row(
            "POST",
            "/api/onboarding/submit",
            "/api/onboarding/submit",
            json!({}),
            [401, 400, 403, 403, 403, 403, 403, 400],
        ),
        row(
            "POST",
            "/api/onboarding/upload",
            "/api/onboarding/upload",
            json!({}),
            [401, 400, 400, 400, 400, 400, 400, 400],
        ),
        row(
            "GET",
            "/api/onboarding/document",
            "/api/onboarding/document",
            Value::Null,
            [401, 400, 400, 400, 400, 400, 400, 400],
        ),
        row(
            "POST",
            "/api/public/merchant/onboarding-check",
            "/api/public/merchant/onboarding-check",
            json!({}),
            [400; 8],
        ),
        row(
            "POST",
            "/api/public/merchant/kyb-decision",
            "/api/public/merchant/kyb-decision",
            json!({}),
            [401; 8],
        ),
        public("/api/bff/widget/config", "/api/bff/widget/config", 200),
        public("/api/bff/widget/giftcards", "/api/bff/widget/giftcards", 200),
        public("/api/merchants/{slug}", "/api/merchants/aurora-coffee", 200),
        public("/api/merchants/{slug}/catalog", "/api/merchants/aurora-coffee/catalog", 200),
        public("/api/public/gift-card-image", "/api/public/gift-card-image", 404),
    ]
}

async fn call(caller: &Caller<'_>, row: &Row) -> Answer {
    let method: Method = row.route.0.parse().unwrap();
    let body = (method != Method::GET).then_some(&row.body);
    caller.send(method, row.path, body).await
}

#[tokio::test]
async fn every_route_admits_whom_it_should_and_nobody_else() {
    let system = System::start().await;
    let mut callers = vec![system.anonymous()];
    for user in &CALLERS[1..] {
        callers.push(system.user(user).await);
    }
    for row in rows() {
        for ((caller, name), expected) in callers.iter().zip(CALLERS).zip(row.statuses) {
            let answer = call(caller, &row).await;
            assert_eq!(answer.status, expected, "{name} at {:?}: {answer:?}", row.route);
            if (401..=404).contains(&expected) {
                assert!(
                    has_the_shape_of_its_route(row.route.1, &answer),
                    "{name} at {:?}: {answer:?}",
                    row.route
                );
            }
            assert!(answer.header("x-request-id").is_some_and(|id| !id.is_empty()), "{:?}", row.route);
        }
    }
}

#[tokio::test]
async fn a_bad_session_is_none() {
    let system = System::start().await;
    let (nobody, stranger) = (system.anonymous(), system.with_token("made.up.token"));
    for row in rows().iter().filter(|row| row.statuses[0] == 401) {
        let (without, bad) = (call(&nobody, row).await, call(&stranger, row).await);
        assert_eq!((without.status, &without.body), (bad.status, &bad.body), "{:?}", row.route);
    }
}

#[tokio::test]
async fn a_platform_administrator_with_a_merchant_passes_every_permission_check() {
    let system = System::start().await;
    let linked = json!({"id": "u-linked", "email": "linked@portal.example", "isAdmin": true, "emailVerified": true,
                        "merchantId": "m-aurora", "merchantTeamRole": "VIEWER"});
    system.load(&json!({"users": [linked]})).await;
    let (linked, admin) = (system.user("u-linked").await, CALLERS.iter().position(|name| *name == "u-admin"));
    for row in rows() {
        let answer = call(&linked, &row).await;
        assert_eq!(answer.status, row.statuses[admin.unwrap()], "{:?}: {answer:?}", row.route);
    }
}

/// Some groups say why in one sentence; every other one of these nests it.
fn has_the_shape_of_its_route(route: &str, answer: &Answer) -> bool {
    let tables = local::route_tables();
    let mut listed = tables.iter().flat_map(shared::http::routes::Routes::listed);
    let is_flat = listed.any(|listed| listed.path == route && listed.error_format == ErrorFormat::Flat);
    let error = answer.at("/error");
    let said = if is_flat { error } else { &error["message"] };
    answer.at("/ok") == &json!(false) && said.is_string()
}

#[test]
fn no_route_is_missing_from_the_table() {
    let tables = local::route_tables();
    let listed: BTreeSet<(String, &str)> = tables
        .iter()
        .flat_map(shared::http::routes::Routes::listed)
        .map(|route| (route.method.to_string(), route.path))
        .collect();
    let tested: BTreeSet<(String, &str)> =
        rows().iter().map(|row| (row.route.0.to_owned(), row.route.1)).collect();
    assert_eq!(listed, tested);
}

#[tokio::test]
async fn a_session_comes_as_a_bearer_or_as_the_cookie_but_not_as_both() {
    let system = System::start().await;
    let signed_in = system.user("u-admin").await;
    let token = signed_in.token();
    let cookie = format!("other=1; __Host-portal_session={token}");
    let nobody = system.anonymous();
    let get = || nobody.request(Method::GET, "/api/bff/merchant/stats");

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
        assert_eq!(Caller::answer(request).await.status, status, "{request_line}");
    }
}

#[tokio::test]
async fn an_ended_session_is_refused_at_once() {
    let system = System::start().await;
    let caller = system.user("u-admin").await;
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 200);
    let ended = json!({"token": caller.token()});
    system.anonymous().send(Method::DELETE, "/__local/sessions", Some(&ended)).await;
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 401);
}

#[tokio::test]
async fn a_session_lasts_twelve_hours() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use shared::clock::Clock;

    let now = Arc::new(AtomicI64::new(1_780_000_000));
    let hands = now.clone();
    let clock = Clock::new(move || jiff::Timestamp::from_second(hands.load(Ordering::Relaxed)).unwrap());
    let system = System::with_clock(clock).await;
    let caller = system.user("u-admin").await;

    now.fetch_add(12 * 3600 - 1, Ordering::Relaxed);
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 200);
    now.fetch_add(1, Ordering::Relaxed);
    assert_eq!(caller.get("/api/bff/merchant/stats").await.status, 401);
}

#[tokio::test]
async fn another_site_cannot_write_with_the_cookie() {
    let system = System::start().await;
    let signed_in = system.user("u-admin").await;
    let cookie = format!("__Host-portal_session={}", signed_in.token());
    let nobody = system.anonymous();
    let own = system.local.listening.api.clone();
    let put = || nobody.request(Method::PUT, "/api/bff/merchant").header("cookie", &cookie).body("{}");
    let get = || nobody.request(Method::GET, "/api/bff/merchant").header("cookie", &cookie);

    for (request, status) in [
        (put(), 200),
        (put().header("sec-fetch-site", "same-origin"), 200),
        (put().header("sec-fetch-site", "same-site"), 200),
        (put().header("sec-fetch-site", "cross-site"), 403),
        (put().header("sec-fetch-site", "cross-site").header("origin", &own), 403),
        (put().header("origin", &own), 200),
        (put().header("origin", "https://evil.example"), 403),
        (put().header("origin", "null"), 403),
        (get().header("sec-fetch-site", "cross-site"), 200),
        (
            nobody
                .request(Method::PUT, "/api/bff/merchant")
                .bearer_auth(signed_in.token())
                .header("sec-fetch-site", "cross-site")
                .body("{}"),
            200,
        ),
    ] {
        let request_line = format!("{request:?}");
        let answer = Caller::answer(request).await;
        assert_eq!(answer.status, status, "{request_line}: {answer:?}");
    }
}

#[tokio::test]
async fn paths_and_methods_that_do_not_exist_are_answered_in_the_shape_of_the_group() {
    let system = System::start().await;
    let caller = system.anonymous();
    let nested =
        |answer: &Answer| answer.at("/ok") == &json!(false) && answer.at("/error/message").is_string();
    let flat = |answer: &Answer| answer.at("/ok") == &json!(false) && answer.at("/error").is_string();
    for path in [
        "/api/bff/pos/nothing",
        "/api/bff/merchant/nothing",
        "/api/bff/offers/1/nothing",
        "/api/nothing",
        "/",
    ] {
        let answer = caller.get(path).await;
        assert!(answer.status == 404 && nested(&answer), "{path}: {answer:?}");
    }
    let unknown_order_path = caller.get("/api/bff/merchant-orders/1/nothing").await;
    assert!(unknown_order_path.status == 404 && flat(&unknown_order_path));

    let wrong_method = caller.send(Method::DELETE, "/api/bff/offers/1", None).await;
    assert!(wrong_method.status == 405 && nested(&wrong_method), "{wrong_method:?}");
    let allowed: BTreeSet<&str> = wrong_method.header("allow").unwrap().split(',').map(str::trim).collect();
    assert_eq!(allowed, BTreeSet::from(["GET", "HEAD", "PUT"]));
    let wrong_method = caller.send(Method::POST, "/api/bff/merchant-orders", None).await;
    assert!(wrong_method.status == 405 && flat(&wrong_method), "{wrong_method:?}");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let system = System::start().await;
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1024 * 1024));
    for path in ["/api/bff/offers", "/api/bff/pos/issue", "/api/bff/retail-store", "/api/bff/pos/redeem"] {
        let answer = system.user("u-admin").await.post_text(path, &large).await;
        assert_eq!(answer.status, 413, "{path}: {answer:?}");
    }
}
