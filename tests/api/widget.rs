//! The widget: its looks, its catalogue, and what is noted of its visitors.

use std::time::Duration;

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Caller, Hands, System};

const CONFIG: &str = "/api/bff/widget/config";
const GIFT_CARDS: &str = "/api/bff/widget/giftcards";
const NEVER_STORED: Option<&str> = Some("no-store, max-age=0");

/// Looks at a merchant's catalogue, with these cookies.
async fn look(system: &System, merchant: &str, cookies: &str) -> Answer {
    let path = format!("{GIFT_CARDS}?merchantId={merchant}");
    let request = system.anonymous().request(Method::GET, &path);
    let request = if cookies.is_empty() { request } else { request.header("cookie", cookies) };
    let seen = Caller::answer(request).await;
    assert_eq!(seen.status, 200, "{seen:?}");
    seen
}

/// `gc_as=…` as the browser sends it back.
fn cookie(seen: &Answer) -> Option<&str> {
    seen.header("set-cookie").map(|cookie| cookie.split(';').next().unwrap())
}

/// Visits as the merchant sees them: how many, and the two splits.
async fn visits(system: &System, user: &str) -> (Value, Value, Value) {
    let overview = system.user(user).await.get("/api/bff/analytics/overview").await;
    assert_eq!(overview.status, 200, "{overview:?}");
    let at = |pointer: &str| overview.at(pointer).clone();
    (at("/data/kpis/uniqueSessions/value"), at("/data/embedSplit"), at("/data/entrySplit"))
}

async fn count(system: &System, user: &str) -> Value {
    visits(system, user).await.0
}

#[tokio::test]
async fn the_widget_looks_the_same_everywhere_and_is_never_stored() {
    let system = System::start().await;
    let nobody = system.anonymous();
    let config = nobody.get(CONFIG).await;
    assert_json_snapshot!("widget_config", config);
    assert_eq!(config.header("cache-control"), NEVER_STORED);
    assert_eq!(config.header("set-cookie"), None);
    let with_more = nobody.get(&format!("{CONFIG}?merchantId=m-aurora")).await;
    assert_eq!(with_more.whole(), config.whole());

    for (method, path, status) in [
        (Method::HEAD, CONFIG, 200),
        (Method::POST, CONFIG, 405),
        (Method::DELETE, CONFIG, 405),
        (Method::OPTIONS, CONFIG, 204),
        (Method::GET, "/api/bff/widget/config/more", 404),
        (Method::GET, "/api/bff/widget", 404),
    ] {
        let answer = nobody.send(method.clone(), path, None).await;
        assert_eq!(
            (answer.status, answer.header("cache-control")),
            (status, NEVER_STORED),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn the_catalogue_is_the_merchants_own_or_the_usual_one() {
    let system = System::start().await;
    let nobody = system.anonymous();
    assert_json_snapshot!("widget_gift_cards", nobody.get(GIFT_CARDS).await);
    assert_json_snapshot!("widget_gift_cards_of_a_merchant", look(&system, "m-aurora", "").await);

    let usual = nobody.get(GIFT_CARDS).await;
    for merchant in ["m-rival", "m-unheard-of", "%23", &"m".repeat(5000)] {
        let seen = look(&system, merchant, "").await;
        assert_eq!(seen.at("/data/items"), usual.at("/data/items"), "{merchant}");
        assert_eq!(seen.at("/data/count"), &json!(3));
    }
    assert_eq!(look(&system, "m%20rival", "").await.at("/data/merchantId"), "m rival");
}

#[tokio::test]
async fn a_merchant_that_is_named_must_be_one_merchant() {
    let system = System::start().await;
    for (query, message) in [
        ("merchantId", "merchantId: must not be blank."),
        ("merchantId=", "merchantId: must not be blank."),
        ("merchantId=%20", "merchantId: must not be blank."),
        ("merchantId=m-aurora&merchantId=m-aurora", "merchantId: must be given once."),
        ("merchantId=&merchantId=m-aurora", "merchantId: must be given once."),
    ] {
        let refused = system.anonymous().get(&format!("{GIFT_CARDS}?{query}")).await;
        let expected = json!({"ok": false, "error": message});
        assert_eq!((refused.status, &refused.body), (400, &expected), "{query}");
        assert_eq!((refused.header("cache-control"), cookie(&refused)), (NEVER_STORED, None));
    }
    assert_eq!(count(&system, "u-admin").await, json!(0));
}

#[tokio::test]
async fn a_visitor_gets_a_cookie_that_works_on_other_sites() {
    let system = System::start().await;
    let seen = look(&system, "m-aurora", "").await;
    let (pair, attributes) = seen.header("set-cookie").unwrap().split_once("; ").unwrap();
    let id = pair.strip_prefix("gc_as=").unwrap();
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(attributes, "Path=/; Max-Age=1800; Secure; HttpOnly; SameSite=None; Partitioned");
    assert_eq!(seen.header("cache-control"), NEVER_STORED);
    assert_ne!(cookie(&look(&system, "m-aurora", "").await), Some(pair), "another visitor, another id");
}

#[tokio::test]
async fn a_stay_is_one_visit_however_often_the_catalogue_is_seen() {
    let hands = Hands::at("2026-03-01T12:00:00Z");
    let system = System::with_clock(hands.clock()).await;
    let first = look(&system, "m-aurora", "").await;
    let known = cookie(&first).unwrap();
    for _ in 0..3 {
        hands.turn(29 * 60);
        let again = look(&system, "m-aurora", &format!("theme=dark; {known}; other=1")).await;
        assert_eq!(again.header("set-cookie"), first.header("set-cookie"), "its 30 minutes begin again");
    }
    assert_eq!(count(&system, "u-admin").await, json!(1));

    look(&system, "m-aurora", "").await;
    assert_eq!(count(&system, "u-admin").await, json!(2), "without the cookie it is another visitor");
}

#[tokio::test]
async fn looks_at_the_same_moment_are_one_visit() {
    let system = System::start().await;
    let cookie = format!("gc_as={}", "a1".repeat(16));
    let looks = (0..8).map(|_| look(&system, "m-aurora", &cookie));
    futures_util::future::join_all(looks).await;
    assert_eq!(count(&system, "u-admin").await, json!(1));
}

#[tokio::test]
async fn a_visit_belongs_to_the_merchant_whose_catalogue_was_seen() {
    let system = System::start().await;
    let seen = look(&system, "m-aurora", "").await;
    let known = cookie(&seen).unwrap();
    let elsewhere = look(&system, "m-rival", known).await;
    assert_eq!(cookie(&elsewhere), Some(known));
    look(&system, "m-rival", known).await;
    assert_eq!((count(&system, "u-admin").await, count(&system, "u-rival").await), (json!(1), json!(1)));
    assert_eq!(count(&system, "u-yen").await, json!(0));
}

#[tokio::test]
async fn a_cookie_that_is_not_ours_is_replaced() {
    let system = System::start().await;
    let own = "0f".repeat(16);
    for foreign in ["", "1", "m-aurora#1", &own.to_uppercase(), &format!("{own}0"), &"z".repeat(32)] {
        let seen = look(&system, "m-aurora", &format!("gc_as={foreign}")).await;
        let replaced = cookie(&seen).unwrap();
        assert!(replaced != format!("gc_as={foreign}") && replaced.len() == "gc_as=".len() + 32, "{foreign}");
    }
    let second = look(&system, "m-aurora", &format!("gc_as=broken; gc_as={own}")).await;
    assert_eq!(cookie(&second), Some(&*format!("gc_as={own}")));
}

#[tokio::test]
async fn a_visit_says_where_the_widget_stood() {
    let system = System::start().await;
    for referer in
        ["https://shop.example/gifts?email=bo@example.com", "https://shop.example/", "no address", ""]
    {
        let request = system.anonymous().request(Method::GET, &format!("{GIFT_CARDS}?merchantId=m-aurora"));
        assert_eq!(Caller::answer(request.header("referer", referer)).await.status, 200);
    }
    let (count, embeds, entries) = visits(&system, "u-admin").await;
    assert_eq!(count, json!(4));
    assert_eq!(embeds, json!([{"name": "Widget", "count": 4}]));
    assert_eq!(entries, json!([{"name": "Unknown", "count": 3}, {"name": "/gifts", "count": 1}]));
}

#[tokio::test]
async fn nothing_is_noted_without_a_merchant_or_of_one_that_is_not_ours() {
    let system = System::start().await;
    let unnamed = system.anonymous().get(GIFT_CARDS).await;
    assert_eq!(cookie(&unnamed), None);
    let known = format!("gc_as={}", "0f".repeat(16));
    for merchant in ["m-unheard-of", "aurora-coffee", "M-AURORA", "m-aurora%20", &"m".repeat(5000)] {
        assert_eq!(cookie(&look(&system, merchant, &known).await), None, "{merchant}");
    }
    assert_eq!(count(&system, "u-admin").await, json!(0));
}

#[tokio::test]
async fn the_catalogue_comes_even_where_the_visitor_cannot_be_noted() {
    let system = System::start().await;
    for operation in ["GetItem", "TransactWriteItems"] {
        for kind in ["throttle", "drop", "timeout"] {
            let fault = json!({"target": "dynamodb", "match": operation, "kind": kind, "times": "always"});
            system.faults(json!([fault])).await;
            let seen = tokio::time::timeout(Duration::from_secs(3), look(&system, "m-aurora", ""));
            let seen = seen.await.unwrap_or_else(|_| panic!("{operation} {kind}: not within 3 seconds"));
            assert_eq!((seen.at("/data/count"), cookie(&seen)), (&json!(2), None), "{operation} {kind}");
        }
    }
    system.faults(json!([])).await;
    assert_eq!(count(&system, "u-admin").await, json!(0));
}
