//! The widget: configuration, gift cards, and visit counting.

use std::time::Duration;

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use world::{ApiResponse, Caller, System};

const CONFIG: &str = "/api/bff/widget/config";
const GIFT_CARDS: &str = "/api/bff/widget/giftcards";
const NO_STORE: Option<&str> = Some("no-store, max-age=0");

async fn get_gift_cards(system: &System, merchant: &str, cookies: &str) -> ApiResponse {
    let mut request = system.anonymous().request(Method::GET, &format!("{GIFT_CARDS}?merchantId={merchant}"));
    if !cookies.is_empty() {
        request = request.header("cookie", cookies);
    }
    Caller::send_request(request).await.ok()
}

fn cookie(response: &ApiResponse) -> Option<&str> {
    response.header("set-cookie").map(|cookie| cookie.split(';').next().unwrap())
}

/// Returns the visit count, the embed split and the entry split of the merchant's overview.
async fn visits(system: &System, user: &str) -> (Value, Value, Value) {
    let overview = system.sign_in(user).await.get("/api/bff/analytics/overview").await.ok();
    let at = |pointer: &str| overview.at(pointer).clone();
    (at("/data/kpis/uniqueSessions/value"), at("/data/embedSplit"), at("/data/entrySplit"))
}

async fn count_visits(system: &System, user: &str) -> Value {
    system.drain().await;
    visits(system, user).await.0
}

#[tokio::test]
async fn config_is_the_same_for_every_merchant_and_never_cached() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    let config = anonymous.get(CONFIG).await;
    assert_json_snapshot!("widget_config", config);
    assert_eq!(config.header("cache-control"), NO_STORE);
    assert_eq!(config.header("set-cookie"), None);
    assert_eq!(anonymous.get(&format!("{CONFIG}?merchantId=m-aurora")).await.comparable(), config.comparable());
    for (method, path, status) in [
        (Method::HEAD, CONFIG, 200),
        (Method::POST, CONFIG, 405),
        (Method::DELETE, CONFIG, 405),
        (Method::OPTIONS, CONFIG, 204),
        (Method::GET, "/api/bff/widget/config/more", 404),
        (Method::GET, "/api/bff/widget", 404),
    ] {
        let response = anonymous.send(method.clone(), path, None).await;
        assert_eq!((response.status, response.header("cache-control")), (status, NO_STORE), "{method} {path}");
    }
}

#[tokio::test]
async fn returns_the_merchants_gift_cards_or_the_default_ones() {
    let system = System::start().await;
    let anonymous = system.anonymous();
    assert_json_snapshot!("widget_gift_cards", anonymous.get(GIFT_CARDS).await);
    assert_json_snapshot!("widget_gift_cards_of_a_merchant", get_gift_cards(&system, "m-aurora", "").await);

    for (merchant, first) in [("m-hinode", "demo-hinode-books"), ("m-linden", "demo-linden-voucher")] {
        assert_eq!(get_gift_cards(&system, merchant, "").await.at("/data/items/0/id"), first);
    }
    let default = anonymous.get(GIFT_CARDS).await;
    for merchant in ["m-rival", "m-unheard-of", "%23", &"m".repeat(5000)] {
        let response = get_gift_cards(&system, merchant, "").await;
        assert_eq!(response.at("/data/items"), default.at("/data/items"), "{merchant}");
        assert_eq!(response.at("/data/count"), &json!(3));
    }
    assert_eq!(get_gift_cards(&system, "m%20rival", "").await.at("/data/merchantId"), "m rival");
}

#[tokio::test]
async fn images_can_be_embedded_in_html_and_css() {
    let system = System::start().await;
    let mut images = vec![system.anonymous().get(CONFIG).await.text("/data/merchant/logoUrl")];
    for merchant in ["m-unheard-of", "m-aurora", "m-hinode", "m-linden"] {
        let response = get_gift_cards(&system, merchant, "").await;
        images.extend(response.list("/data/items").iter().map(|item| item["imageUrl"].as_str().unwrap().to_owned()));
    }
    for image in images {
        let rest = image.strip_prefix("data:image/svg+xml,").unwrap_or_else(|| panic!("{image}"));
        assert!(!rest.contains(['\'', '"', '`', '<', '>', '\\', '#', ' ']), "{image}");
    }
}

#[tokio::test]
async fn rejects_a_blank_or_repeated_merchant_id() {
    let system = System::start().await;
    for (query, message) in [
        ("merchantId", "merchantId: must not be blank."),
        ("merchantId=", "merchantId: must not be blank."),
        ("merchantId=%20", "merchantId: must not be blank."),
        ("merchantId=m-aurora&merchantId=m-aurora", "merchantId: must be given once."),
        ("merchantId=&merchantId=m-aurora", "merchantId: must be given once."),
    ] {
        let rejected = system.anonymous().get(&format!("{GIFT_CARDS}?{query}")).await;
        assert_eq!(rejected.reply(), (400, json!({"ok": false, "error": message})), "{query}");
        assert_eq!((rejected.header("cache-control"), cookie(&rejected)), (NO_STORE, None));
    }
    assert_eq!(count_visits(&system, "u-admin").await, json!(0));
}

#[tokio::test]
async fn sets_a_cookie_that_works_on_other_sites() {
    let system = System::start().await;
    let response = get_gift_cards(&system, "m-aurora", "").await;
    let (pair, attributes) = response.header("set-cookie").unwrap().split_once("; ").unwrap();
    let id = pair.strip_prefix("gc_as=").unwrap();
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    assert_eq!(attributes, "Path=/; Max-Age=1800; Secure; HttpOnly; SameSite=None; Partitioned");
    assert_eq!(response.header("cache-control"), NO_STORE);
    assert_ne!(cookie(&get_gift_cards(&system, "m-aurora", "").await), Some(pair), "each visitor gets a new id");
}

#[tokio::test]
async fn repeated_requests_with_the_cookie_count_as_one_visit() {
    let (system, manual_clock) = System::at("2026-03-01T12:00:00Z").await;
    let first = get_gift_cards(&system, "m-aurora", "").await;
    let known_cookie = cookie(&first).unwrap();
    for _ in 0..3 {
        manual_clock.advance(29 * 60);
        let again = get_gift_cards(&system, "m-aurora", &format!("theme=dark; {known_cookie}; other=1")).await;
        assert_eq!(again.header("set-cookie"), first.header("set-cookie"), "the cookie's 30 minutes start over");
    }
    assert_eq!(count_visits(&system, "u-admin").await, json!(1));
    get_gift_cards(&system, "m-aurora", "").await;
    assert_eq!(count_visits(&system, "u-admin").await, json!(2), "a request without the cookie is a new visit");
    let cookie = format!("gc_as={}", "a1".repeat(16));
    futures_util::future::join_all((0..8).map(|_| get_gift_cards(&system, "m-aurora", &cookie))).await;
    assert_eq!(count_visits(&system, "u-admin").await, json!(3), "several at the same time are one visit");
}

#[tokio::test]
async fn records_at_most_60_new_visits_an_hour_from_one_address() {
    // In the future, so that DynamoDB does not delete the counted calls early: its TTL follows the system clock.
    let (system, manual_clock) = System::at("2050-03-01T12:00:00Z").await;
    let made_up = |number: usize| format!("gc_as={number:032x}");
    let first = get_gift_cards(&system, "m-aurora", "").await;
    for number in 1..60 {
        let merchant = if number % 2 == 0 { "m-aurora" } else { "m-rival" };
        let cookies = made_up(number);
        assert_eq!(cookie(&get_gift_cards(&system, merchant, &cookies).await), Some(&*cookies), "{number}");
    }
    let recorded = async || (count_visits(&system, "u-admin").await, count_visits(&system, "u-rival").await);
    assert_eq!(recorded().await, (json!(30), json!(30)));

    for (merchant, cookies) in [("m-aurora", ""), ("m-rival", &made_up(60)), ("m-yen", &made_up(1))] {
        let unrecorded = get_gift_cards(&system, merchant, cookies).await;
        assert!(unrecorded.at("/data/count").as_u64() > Some(0), "the catalog is returned: {unrecorded:?}");
        assert_eq!(cookie(&unrecorded), None, "{merchant}");
    }
    let known = get_gift_cards(&system, "m-aurora", cookie(&first).unwrap()).await;
    assert_eq!(cookie(&known), cookie(&first), "a visit goes on");
    assert_eq!(recorded().await, (json!(30), json!(30)));

    manual_clock.advance(3600);
    assert!(cookie(&get_gift_cards(&system, "m-aurora", "").await).is_some());
    assert_eq!(recorded().await, (json!(31), json!(30)));
}

#[tokio::test]
async fn counts_visits_per_merchant() {
    let system = System::start().await;
    let response = get_gift_cards(&system, "m-aurora", "").await;
    let known_cookie = cookie(&response).unwrap();
    assert_eq!(cookie(&get_gift_cards(&system, "m-rival", known_cookie).await), Some(known_cookie));
    get_gift_cards(&system, "m-rival", known_cookie).await;
    assert_eq!((count_visits(&system, "u-admin").await, count_visits(&system, "u-rival").await), (json!(1), json!(1)));
    assert_eq!(count_visits(&system, "u-yen").await, json!(0));
}

#[tokio::test]
async fn a_view_before_consent_is_neither_counted_nor_recognized_again() {
    let system = System::start().await;
    let known = format!("gc_as={}", "0f".repeat(16));
    for cookies in ["", &known] {
        let uncounted = get_gift_cards(&system, "m-aurora&count=no", cookies).await;
        let counted = get_gift_cards(&system, "m-rival", cookies).await;
        assert_eq!(uncounted.at("/data/count"), &json!(2));
        assert_eq!((cookie(&uncounted), cookie(&counted).is_some()), (None, true), "{cookies}");
    }
    assert_eq!(count_visits(&system, "u-admin").await, json!(0));
    for other in ["&count=yes", "&count=", "&count"] {
        assert!(cookie(&get_gift_cards(&system, &format!("m-aurora{other}"), "").await).is_some(), "{other}");
    }
    assert_eq!(count_visits(&system, "u-admin").await, json!(3));
}

#[tokio::test]
async fn replaces_an_invalid_cookie() {
    let system = System::start().await;
    let valid = "0f".repeat(16);
    for invalid in ["", "1", "m-aurora#1", &valid.to_uppercase(), &format!("{valid}0"), &format!("\"{valid}\""), &"z".repeat(32)]
    {
        let response = get_gift_cards(&system, "m-aurora", &format!("gc_as={invalid}")).await;
        let replaced = cookie(&response).unwrap();
        assert!(replaced != format!("gc_as={invalid}") && replaced.len() == "gc_as=".len() + 32, "{invalid}");
    }
    let second = get_gift_cards(&system, "m-aurora", &format!("gc_as=broken; gc_as={valid}")).await;
    assert_eq!(cookie(&second), Some(&*format!("gc_as={valid}")));
}

#[tokio::test]
async fn records_the_page_that_embeds_the_widget() {
    let system = System::start().await;
    let long = format!("https://shop.example/{}", "a".repeat(200));
    let known = ["https://shop.example/gifts?email=bo@example.com#top", &long];
    for referer in known.into_iter().chain(["https://shop.example/", "about:blank", "no address", ""]) {
        let request = system.anonymous().request(Method::GET, &format!("{GIFT_CARDS}?merchantId=m-aurora"));
        assert_eq!(Caller::send_request(request.header("referer", referer)).await.status, 200);
    }
    let (count, embeds, entries) = visits(&system, "u-admin").await;
    assert_eq!(count, json!(6));
    assert_eq!(embeds, json!([{"name": "Widget", "count": 6}]));
    let of_long = format!("/{}", "a".repeat(99));
    let expected = [("Unknown", 4), (&of_long, 1), ("/gifts", 1)].map(|(name, count)| json!({"name": name, "count": count}));
    assert_eq!(entries, json!(expected));
}

#[tokio::test]
async fn records_no_visit_without_a_known_merchant() {
    let system = System::start().await;
    assert_eq!(cookie(&system.anonymous().get(GIFT_CARDS).await), None);
    let known_cookie = format!("gc_as={}", "0f".repeat(16));
    for merchant in ["m-unheard-of", "aurora-coffee", "M-AURORA", "m-aurora%20", &"m".repeat(5000)] {
        assert_eq!(cookie(&get_gift_cards(&system, merchant, &known_cookie).await), None, "{merchant}");
    }
    assert_eq!(count_visits(&system, "u-admin").await, json!(0));
}

#[tokio::test]
async fn returns_gift_cards_even_if_the_visit_cannot_be_recorded() {
    let system = System::start().await;
    for operation in ["GetItem", "UpdateItem", "TransactWriteItems"] {
        for kind in ["throttle", "drop", "timeout"] {
            system.set_fault("dynamodb", operation, kind, ()).await;
            let response = tokio::time::timeout(Duration::from_secs(3), get_gift_cards(&system, "m-aurora", ""));
            let response = response.await.unwrap_or_else(|_| panic!("{operation} {kind}: not within 3 seconds"));
            assert_eq!((response.at("/data/count"), cookie(&response)), (&json!(2), None), "{operation} {kind}");
        }
    }
    system.set_faults(json!([])).await;
    assert_eq!(count_visits(&system, "u-admin").await, json!(0));
}
