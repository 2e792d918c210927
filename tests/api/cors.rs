//! Which answers scripts of other sites may read.

use std::collections::BTreeSet;

use reqwest::Method;
use shared::http::access::Requirement;
use shared::http::routes::{Route, Routes};

use crate::support::{Answer, Caller, System};

const SHOP: &str = "https://shop.example";

fn routes() -> Vec<Route> {
    local::route_tables().iter().flat_map(Routes::listed).cloned().collect()
}

/// A path of the route that leads somewhere.
fn path(route: &Route) -> String {
    let named = route.path.replace("{slug}", "aurora-coffee");
    named.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect::<Vec<_>>().join("/")
}

/// The headers of an answer that are about other origins.
fn cors(answer: &Answer) -> Vec<(&str, &str)> {
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .filter(|(name, _)| name.starts_with("access-control-") || *name == "vary")
        .collect();
    headers.sort_unstable();
    headers
}

#[test]
fn only_routes_that_anybody_may_call_are_open() {
    let open: Vec<Route> = routes().into_iter().filter(|route| route.open_to_any_origin).collect();
    assert!(
        open.iter().all(|route| route.requirement == Requirement::Nothing && route.method == Method::GET)
    );
    let paths: BTreeSet<&str> = open.iter().map(|route| route.path).collect();
    let expected = [
        "/api/bff/widget/config",
        "/api/bff/widget/giftcards",
        "/api/merchants/{slug}",
        "/api/merchants/{slug}/catalog",
        "/api/public/gift-card-image",
    ];
    assert_eq!(paths, BTreeSet::from(expected));
}

#[tokio::test]
async fn any_origin_reads_every_answer_of_an_open_route() {
    let system = System::start().await;
    let nobody = system.anonymous();
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
        for origin in [SHOP, "http://localhost:5173", "null"] {
            let read = Caller::answer(nobody.request(method.clone(), path).header("origin", origin)).await;
            assert_eq!(read.status, status, "{method} {path}: {read:?}");
            let expected = [
                ("access-control-allow-credentials", "true"),
                ("access-control-allow-origin", origin),
                ("vary", "Origin"),
            ];
            assert_eq!(cors(&read), expected, "{method} {path}");
        }
        let unasked = nobody.send(method.clone(), path, None).await;
        assert_eq!(cors(&unasked), [("vary", "Origin")], "{method} {path}");
    }
}

#[tokio::test]
async fn a_failure_can_be_read_from_elsewhere_too() {
    let system = System::start().await;
    system.network_fault("*", "status", 500.into()).await;
    let path = "/api/merchants/aurora-coffee/catalog";
    let failed = Caller::answer(system.anonymous().request(Method::GET, path).header("origin", SHOP)).await;
    assert_eq!(failed.status, 500);
    assert_eq!(failed.header("access-control-allow-origin"), Some(SHOP));
}

#[tokio::test]
async fn a_preflight_is_answered_where_any_origin_may_read_and_nowhere_else() {
    let system = System::start().await;
    let nobody = system.anonymous();
    for route in routes() {
        let request = nobody.request(Method::OPTIONS, &path(&route));
        let request = request.header("origin", SHOP).header("access-control-request-method", "GET");
        let request = request.header("access-control-request-headers", "content-type,x-widget");
        let answer = Caller::answer(request).await;
        if !route.open_to_any_origin {
            assert_eq!((answer.status, cors(&answer)), (405, vec![]), "{route:?}");
            continue;
        }
        assert_eq!((answer.status, answer.body.as_str()), (204, Some("")), "{route:?}");
        let expected = [
            ("access-control-allow-credentials", "true"),
            ("access-control-allow-headers", "content-type,x-widget"),
            ("access-control-allow-methods", "GET"),
            ("access-control-allow-origin", SHOP),
            ("access-control-max-age", "86400"),
            ("vary", "Origin"),
        ];
        assert_eq!(cors(&answer), expected, "{route:?}");
        assert!(answer.header("x-request-id").is_some());
    }
}

#[tokio::test]
async fn a_preflight_allows_no_more_than_it_was_asked() {
    let system = System::start().await;
    let options = || system.anonymous().request(Method::OPTIONS, "/api/bff/widget/config");
    let plain = Caller::answer(options()).await;
    assert_eq!((plain.status, cors(&plain)), (204, vec![("vary", "Origin")]));

    let bare = Caller::answer(options().header("origin", SHOP)).await;
    assert_eq!(bare.header("access-control-allow-headers"), None);
    assert_eq!(bare.header("access-control-allow-methods"), Some("GET"));

    let unknown = Caller::answer(
        system.anonymous().request(Method::OPTIONS, "/api/bff/widget/nothing").header("origin", SHOP),
    )
    .await;
    assert_eq!((unknown.status, unknown.header("access-control-allow-methods")), (404, None));
}
