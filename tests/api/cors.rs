//! CORS: which responses scripts on other origins can read; and the header that rules out plain HTTP.

use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use lambda_http::RequestExt;
use reqwest::Method;
use reqwest::header::HeaderMap;
use shared::http::{Requirement, Route, Routes, SESSION_COOKIE};
use tower::ServiceExt;
use world::{ApiResponse, Caller, System};

const SHOP: &str = "https://shop.example";
const DASHBOARD: &str = "https://dashboard.example";

fn routes() -> Vec<Route> {
    local::route_tables().iter().flat_map(Routes::routes).cloned().collect()
}

/// Returns a path for the route: `{slug}` is an existing merchant, every other parameter is `1`.
fn path(route: &Route) -> String {
    let path = route.path.replace("{slug}", "aurora-coffee");
    path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect::<Vec<_>>().join("/")
}

fn cors_headers(response: &ApiResponse) -> Vec<(&str, &str)> {
    let mut headers: Vec<_> = response
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .filter(|(name, _)| name.starts_with("access-control-") || *name == "vary")
        .collect();
    headers.sort_unstable();
    headers
}

#[test]
fn only_public_routes_are_open_to_any_origin() {
    let open: Vec<Route> = routes().into_iter().filter(|route| route.allows_any_origin).collect();
    assert!(open.iter().all(|route| route.requirement == Requirement::Public));
    let paths: BTreeSet<&str> = open.iter().map(|route| route.path).collect();
    let expected = "/api/bff/widget/config /api/bff/widget/giftcards /api/merchants/{slug} /api/merchants/{slug}/balance \
                    /api/merchants/{slug}/catalog /api/public/gift-card-image /shop/{slug} /shop/{slug}/card";
    assert_eq!(paths, expected.split(' ').collect());
}

#[tokio::test]
async fn any_origin_can_read_every_response_of_an_open_route() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    for (method, path, status) in [
        (Method::GET, "/api/bff/widget/config", 200),
        (Method::HEAD, "/api/bff/widget/config", 200),
        (Method::GET, "/api/bff/widget/giftcards", 200),
        (Method::GET, "/api/bff/widget/giftcards?merchantId=", 400),
        (Method::POST, "/api/bff/widget/config", 405),
        (Method::GET, "/api/bff/widget/nothing", 404),
        (Method::GET, "/api/merchants/aurora-coffee", 200),
        (Method::GET, "/api/merchants/nowhere", 404),
        (Method::GET, "/api/merchants/", 404),
        (Method::DELETE, "/api/merchants/aurora-coffee", 405),
        (Method::GET, "/api/merchants/aurora-coffee/catalog", 200),
        (Method::GET, "/api/merchants/nowhere/catalog", 404),
        (Method::GET, "/api/public/gift-card-image", 404),
        (Method::PUT, "/api/public/gift-card-image", 405),
    ] {
        for origin in [SHOP, "http://localhost:5173"] {
            let response = Caller::send_request(anonymous.request(method.clone(), path).header("origin", origin)).await;
            assert_eq!(response.status, status, "{method} {path}: {response:?}");
            let expected = [
                ("access-control-allow-credentials", "true"),
                ("access-control-allow-origin", origin),
                ("access-control-expose-headers", "x-request-id"),
                ("vary", "Origin"),
            ];
            assert_eq!(cors_headers(&response), expected, "{method} {path}");
        }
        let without_origin = anonymous.send(method.clone(), path, None).await;
        assert_eq!(cors_headers(&without_origin), [("vary", "Origin")], "{method} {path}");
        for origin in ["null", "https://", "chrome-extension://abc"] {
            let response = Caller::send_request(anonymous.request(method.clone(), path).header("origin", origin)).await;
            assert_eq!(cors_headers(&response), [("vary", "Origin")], "{method} {path} {origin}");
        }
    }
}

#[tokio::test]
async fn browsers_are_told_to_use_https_on_every_path() {
    let system = System::start().await;
    for (method, path) in [
        (Method::GET, "/api/bff/widget/config"),
        (Method::OPTIONS, "/api/bff/widget/config"),
        (Method::GET, "/api/bff/widget/nothing"),
        (Method::GET, "/api/bff/merchant"),
        (Method::DELETE, "/api/bff/merchant"),
        (Method::GET, "/api/bff/merchant/nothing"),
        (Method::GET, "/nothing"),
    ] {
        let response = system.anonymous().send(method.clone(), path, None).await;
        let headers = ["strict-transport-security", "x-content-type-options"].map(|name| response.header(name));
        assert_eq!(headers, [Some("max-age=31536000"), Some("nosniff")], "{method} {path}");
    }
}

#[tokio::test]
async fn server_errors_carry_cors_headers() {
    let system = System::start().await;
    system.set_network_fault("*", "status", 500.into()).await;
    let path = "/api/merchants/aurora-coffee/catalog";
    let failed = Caller::send_request(system.anonymous().request(Method::GET, path).header("origin", SHOP)).await;
    assert_eq!(failed.status, 500);
    assert_eq!(failed.header("access-control-allow-origin"), Some(SHOP));
}

#[tokio::test]
async fn preflight_succeeds_for_any_origin_on_open_routes_and_for_the_dashboard_on_all_others() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    let anonymous = system.anonymous();
    for route in routes() {
        for origin in [SHOP, DASHBOARD, "https://sibling.dashboard.example", "null"] {
            let request = anonymous.request(Method::OPTIONS, &path(&route));
            let request = request.header("origin", origin).header("access-control-request-method", "GET");
            let request = request.header("access-control-request-headers", "content-type,x-widget");
            let response = Caller::send_request(request).await;
            let is_admitted = if route.allows_any_origin { origin != "null" } else { origin == DASHBOARD };
            if !is_admitted {
                // The local system rejects requests of other sites to the portal.
                let expected = if route.allows_any_origin { (204, vec![("vary", "Origin")]) } else { (403, vec![]) };
                assert_eq!((response.status, cors_headers(&response)), expected, "{origin} {route:?}");
                continue;
            }
            assert_eq!((response.status, response.body.as_str()), (204, Some("")), "{route:?}");
            let (headers, methods, max_age) = if route.allows_any_origin {
                ("content-type", "GET,POST", "86400")
            } else {
                (
                    "authorization,content-type,idempotency-key,idempotency-made-at,x-expected-merchant,\
                     pairing-attempt",
                    "GET,POST,PUT,PATCH,DELETE",
                    "7200",
                )
            };
            let expected = [
                ("access-control-allow-credentials", "true"),
                ("access-control-allow-headers", headers),
                ("access-control-allow-methods", methods),
                ("access-control-allow-origin", origin),
                ("access-control-max-age", max_age),
                ("vary", "Origin"),
            ];
            assert_eq!(cors_headers(&response), expected, "{origin} {route:?}");
            assert!(response.header("x-request-id").is_some());
        }
    }
}

/// A slash in an id is not part of the route, as at API Gateway.
#[tokio::test]
async fn preflight_succeeds_for_ids_with_slashes() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    for path in ["/api/bff/cards/A%2FB", "/api/bff/cards/A%2fB%2F", "/api/bff/cards/A%5CB"] {
        let request = system.anonymous().request(Method::OPTIONS, path).header("origin", DASHBOARD);
        let response = Caller::send_request(request.header("access-control-request-method", "GET")).await;
        assert_eq!((response.status, response.header("access-control-allow-origin")), (204, Some(DASHBOARD)), "{path}");
    }
}

#[tokio::test]
async fn only_the_dashboard_can_read_responses_of_the_portal() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    let admin = system.sign_in("u-admin").await;
    for (path, status) in [("/api/bff/merchant", 200), ("/api/bff/offers/999", 404), ("/api/bff/offers/1/2", 404)] {
        for (origin, is_admitted) in [(DASHBOARD, true), (SHOP, false), ("null", false)] {
            let response = Caller::send_request(admin.request(Method::GET, path).header("origin", origin)).await;
            if !is_admitted {
                // The local system rejects requests of other sites.
                assert_eq!((response.status, cors_headers(&response)), (403, vec![]), "{path} {origin}");
                continue;
            }
            assert_eq!(response.status, status, "{path}");
            let expected = [
                ("access-control-allow-credentials", "true"),
                ("access-control-allow-origin", origin),
                (
                    "access-control-expose-headers",
                    "x-request-id,idempotent-replayed,retry-after,money-moved,session-merchant,date",
                ),
                ("vary", "Origin"),
            ];
            assert_eq!(cors_headers(&response), expected, "{path} {origin}");
        }
    }
}

/// An origin, and whether it may use the portal and the public routes.
const ORIGINS: [(&str, bool, bool); 8] = [
    (DASHBOARD, true, true),
    (SHOP, false, true),
    ("https://sibling.dashboard.example", false, true),
    ("https://dashboard.example.evil.example", false, true),
    ("https://dashboard.example:8443", false, true),
    ("http://dashboard.example", false, true),
    ("null", false, false),
    ("", false, false),
];

/// The headers with which a function answers, without the gateway of the local system, which refuses pages of other sites before.
async fn answered_by_function(function: &Router, method: Method, path: &str, headers: &[(&str, &str)]) -> HeaderMap {
    let request = headers
        .iter()
        .fold(http::Request::builder().method(method).uri(path), |request, (name, value)| request.header(*name, *value));
    let mut request = request.header("content-type", "application/json").body(Body::from("{}")).unwrap();
    request.extensions_mut().insert(lambda_http::Context::default());
    function.clone().oneshot(request.with_raw_http_path(path)).await.unwrap().into_parts().0.headers
}

fn allowed(headers: &HeaderMap) -> Vec<(&str, &str)> {
    let all = headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap()));
    let mut allowed: Vec<_> = all.filter(|(name, _)| name.starts_with("access-control-")).collect();
    allowed.sort_unstable();
    allowed
}

/// Whether or not somebody is signed in.
#[tokio::test]
async fn no_function_lets_a_page_of_another_site_ask_or_read_what_is_not_public() {
    let system = System::with_dashboard_origin(DASHBOARD).await;
    let cookie = format!("{SESSION_COOKIE}={}", system.sign_in("u-admin").await.token());
    for routes in local::route_tables() {
        let all = routes.routes().to_vec();
        let function = routes.into_router(system.local.app().clone());
        for (route, (origin, of_portal, of_public)) in all.iter().flat_map(|route| ORIGINS.map(|origin| (route, origin))) {
            let is_allowed = if route.allows_any_origin { of_public } else { of_portal };
            let expected = [("access-control-allow-credentials", "true"), ("access-control-allow-origin", origin)];
            let check = |headers: &HeaderMap, what: &str| {
                let (context, allowed) = (format!("{what} {} {} from {origin:?}", route.method, route.path), allowed(headers));
                assert!(headers.get_all("vary").iter().any(|vary| vary == "Origin"), "{context}: {headers:?}");
                if is_allowed {
                    assert!(expected.iter().all(|header| allowed.contains(header)), "{context}: {allowed:?}");
                } else {
                    assert_eq!(allowed, [], "{context}");
                }
            };
            let preflight = [("origin", origin), ("access-control-request-method", route.method.as_str())];
            check(&answered_by_function(&function, Method::OPTIONS, &path(route), &preflight).await, "preflight of");
            check(&answered_by_function(&function, route.method.clone(), &path(route), &[("origin", origin)]).await, "anonymous");
            // What somebody who is signed in does at the dashboard would have effects.
            if origin != DASHBOARD {
                let signed_in = [("origin", origin), ("cookie", cookie.as_str())];
                check(&answered_by_function(&function, route.method.clone(), &path(route), &signed_in).await, "signed in");
            }
        }
    }
}

#[tokio::test]
async fn preflight_has_cors_headers_only_with_an_origin_and_on_known_paths() {
    let system = System::start().await;
    let options = || system.anonymous().request(Method::OPTIONS, "/api/bff/widget/config");
    let without_origin = Caller::send_request(options()).await;
    assert_eq!((without_origin.status, cors_headers(&without_origin)), (204, vec![("vary", "Origin")]));
    let unknown =
        Caller::send_request(system.anonymous().request(Method::OPTIONS, "/api/bff/widget/nothing").header("origin", SHOP)).await;
    assert_eq!((unknown.status, unknown.header("access-control-allow-methods")), (404, None));
}
