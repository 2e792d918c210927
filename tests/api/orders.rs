//! Orders: listed, looked into, and what is left on their cards.

use std::collections::BTreeSet;

use insta::assert_json_snapshot;
use serde_json::{Value, json};

use crate::support::{Answer, Caller, System};

const ORDERS: &str = "/api/bff/merchant-orders";

const STATUSES: [&str; 12] = [
    "PENDING_PAYMENT",
    "PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW",
    "PAYMENT_CAPTURE_SUCCEEDED",
    "PAYMENT_AUTH_SUCCEEDED",
    "PAYMENT_CAPTURE_PENDING_REVIEW",
    "PAYMENT_FAILED",
    "PAID",
    "FAILED",
    "ISSUE_FAILED",
    "COMPLETED",
    "CANCELLED",
    "REFUNDED",
];

const PAYMENT_STATUSES: [&str; 5] = [
    "PAYMENT_CREATED",
    "PAYMENT_AUTHORIZED",
    "PAYMENT_CAPTURE_SUCCEEDED",
    "PAYMENT_CAPTURE_FAILED",
    "PAYMENT_FAILED",
];

fn one(id: &str) -> String {
    format!("{ORDERS}/{id}")
}

fn balance_of(order: &str, card: &str) -> String {
    format!("{ORDERS}/{order}/gift-cards/{card}/balance")
}

fn refusal(message: &str) -> Value {
    json!({"ok": false, "error": message})
}

/// The ids on one page, in their order.
fn ids(page: &Answer) -> Vec<String> {
    assert_eq!(page.status, 200, "{page:?}");
    let orders = page.at("/data/orders").as_array().unwrap();
    orders.iter().map(|order| order["id"].as_str().unwrap().to_owned()).collect()
}

async fn search(caller: &Caller<'_>, parameters: &[(&str, &str)]) -> Vec<String> {
    let query = url_query(parameters);
    let page = caller.get(&format!("{ORDERS}?pageSize=50&{query}")).await;
    let found = ids(&page);
    assert_eq!(page.at("/data/total"), &json!(found.len()), "{query}");
    found
}

fn url_query(parameters: &[(&str, &str)]) -> String {
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    let pairs = parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// An order of Hinode Books, which has none in the world.
fn order(id: &str, created_at: &str) -> Value {
    json!({"id": id, "merchantId": "m-yen", "createdAt": created_at})
}

async fn load_orders(system: &System, orders: &[Value]) {
    system.load(&json!({"orders": orders})).await;
}

#[tokio::test]
async fn an_order_is_listed_in_short_and_shown_whole() {
    let system = System::start().await;
    let viewer = system.user("u-viewer").await;
    assert_json_snapshot!("orders_listed", viewer.get(ORDERS).await);
    assert_json_snapshot!("order_shown", viewer.get(&one("o-sold")).await);
    assert_json_snapshot!("balance_shown", viewer.get(&balance_of("o-sold", "g-sold")).await);
}

#[tokio::test]
async fn what_nobody_said_of_an_order_is_null() {
    let system = System::start().await;
    load_orders(&system, &[order("o-least", "2026-01-01T00:00:00.120Z")]).await;
    assert_json_snapshot!("order_with_the_least", system.user("u-yen").await.get(&one("o-least")).await);
}

#[tokio::test]
async fn whoever_may_not_is_told_why() {
    let system = System::start().await;
    for path in
        [ORDERS, &one("o-sold"), &balance_of("o-sold", "g-sold"), &one("%20"), &balance_of("%20", "%20")]
    {
        let signed_out = system.anonymous().get(path).await;
        assert_eq!((signed_out.status, &signed_out.body), (401, &refusal("Sign in to do this.")), "{path}");
        let denied = system.user("u-till").await.get(path).await;
        let expected = refusal("You do not have permission to do this.");
        assert_eq!((denied.status, &denied.body), (403, &expected), "{path}");
        if path != ORDERS {
            let unlinked = system.user("u-nobody").await.get(path).await;
            let expected = refusal("Your account is not linked to a merchant.");
            assert_eq!((unlinked.status, &unlinked.body), (404, &expected), "{path}");
        }
    }
}

#[tokio::test]
async fn a_user_without_a_merchant_has_an_empty_list() {
    let system = System::start().await;
    for (user, query, page, page_size) in
        [("u-nobody", "", 1, 20), ("u-root", "?page=3&pageSize=99&q=o-sold", 3, 50)]
    {
        let empty = system.user(user).await.get(&format!("{ORDERS}{query}")).await;
        let expected =
            json!({"ok": true, "data": {"orders": [], "total": 0, "page": page, "pageSize": page_size}});
        assert_eq!((empty.status, &empty.body), (200, &expected));
    }
}

#[tokio::test]
async fn an_order_or_card_of_another_merchant_is_as_if_it_did_not_exist() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    system
        .load(&json!({"orders": [
            {"id": "o-other", "merchantId": "m-aurora", "createdAt": "2026-01-03T10:00:00Z", "giftCards": [{"id": "g-other", "qrCode": "QR-500"}]},
            // The same ids as those of somebody else are no way to them.
            {"id": "o-sold", "merchantId": "m-rival", "createdAt": "2026-01-03T10:00:00Z", "giftCards": [{"id": "g-theirs", "qrCode": "QR-RIVAL"}]},
        ]}))
        .await;

    let unknown = office.get(&one("o-none")).await;
    assert_eq!((unknown.status, &unknown.body), (404, &refusal("There is no such order.")));
    assert_eq!(office.get(&one("o-rival")).await.whole(), unknown.whole());

    let unknown = office.get(&balance_of("o-none", "g-none")).await;
    assert_eq!((unknown.status, &unknown.body), (404, &refusal("There is no such gift card.")));
    for (order, card) in [
        ("o-rival", "g-rival"),
        ("o-rival", "g-none"),
        ("o-none", "g-rival"),
        ("o-none", "g-sold"),
        ("o-sold", "g-none"),
        ("o-sold", "g-rival"),
        ("o-rival", "g-sold"),
        ("o-sold", "g-other"),
        ("o-other", "g-sold"),
        ("o-sold", "g-theirs"),
    ] {
        let refused = office.get(&balance_of(order, card)).await;
        assert_eq!(refused.whole(), unknown.whole(), "{card} of {order}");
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new());

    assert_eq!(office.get(&one("o-sold")).await.at("/data/giftCards/0/id"), "g-sold");
    let rival = system.user("u-rival").await;
    assert_eq!(rival.get(&one("o-sold")).await.at("/data/giftCards/0/id"), "g-theirs");
    assert_eq!(ids(&rival.get(ORDERS).await), ["o-sold", "o-rival"]);
    assert_eq!(search(&office, &[("q", "o-rival")]).await, Vec::<String>::new());
}

#[tokio::test]
async fn pages_stay_within_their_bounds_whatever_is_asked() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    let orders: Vec<Value> = (0..60).map(|n| order(&format!("o-{n:02}"), "2026-01-01T10:00:00Z")).collect();
    load_orders(&system, &orders).await;
    for (query, page, page_size, rows) in [
        ("", 1_u64, 20, 20),
        ("?page=1&pageSize=20", 1, 20, 20),
        ("?page=0", 1, 20, 20),
        ("?page=-1", 1, 20, 20),
        ("?page=2", 2, 20, 20),
        ("?page=3", 3, 20, 20),
        ("?page=4", 4, 20, 0),
        ("?page=two", 1, 20, 20),
        ("?page=2.0", 1, 20, 20),
        ("?page=", 1, 20, 20),
        ("?page", 1, 20, 20),
        ("?page=%202%20", 2, 20, 20),
        ("?page=2&page=3", 2, 20, 20),
        ("?PAGE=2", 1, 20, 20),
        ("?page=99999999999999999999", 9_223_372_036_854_775_807, 20, 0),
        ("?page=-99999999999999999999", 1, 20, 20),
        ("?pageSize=0", 1, 1, 1),
        ("?pageSize=-5", 1, 1, 1),
        ("?pageSize=1", 1, 1, 1),
        ("?pageSize=2", 1, 2, 2),
        ("?pageSize=49", 1, 49, 49),
        ("?pageSize=50", 1, 50, 50),
        ("?pageSize=51", 1, 50, 50),
        ("?pageSize=99999999999999999999", 1, 50, 50),
        ("?pageSize=-99999999999999999999", 1, 1, 1),
        ("?pageSize=many", 1, 20, 20),
        ("?pageSize=1e1", 1, 20, 20),
        ("?pageSize=NaN", 1, 20, 20),
        ("?pageSize=%FF", 1, 20, 20),
        ("?pageSize=", 1, 20, 20),
        ("?page=2&pageSize=50", 2, 50, 10),
        ("?page=6&pageSize=10", 6, 10, 10),
        ("?page=7&pageSize=10", 7, 10, 0),
        ("?page=99999999999999999999&pageSize=50", 9_223_372_036_854_775_807, 50, 0),
        ("?&&=&page=2&unknown=1", 2, 20, 20),
    ] {
        let answer = shop.get(&format!("{ORDERS}{query}")).await;
        assert_eq!(ids(&answer).len(), rows, "{query}");
        let seen = ["page", "pageSize", "total"].map(|field| answer.body["data"][field].as_u64().unwrap());
        assert_eq!(seen, [page, page_size, 60], "{query}");
    }
}

#[tokio::test]
async fn every_order_is_on_one_page_newest_first_and_equal_times_by_id() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    // Neither their ids nor the order in which they are stored say anything of their time.
    let times = [
        "2026-01-02T10:00:00Z",
        "2025-12-31T23:59:59.999Z",
        "2026-01-02T10:00:00.001Z",
        "2026-01-02T10:00:00+00:00",
    ];
    let mut expected = Vec::new();
    for n in 0..37_usize {
        let (id, at) = (format!("o-{}", (n * 17) % 37), times[n % times.len()]);
        load_orders(&system, &[order(&id, at)]).await;
        expected.push((at.parse::<jiff::Timestamp>().unwrap(), id));
    }
    expected.sort();
    let expected: Vec<String> = expected.into_iter().rev().map(|(_, id)| id).collect();
    for page_size in [1, 2, 5, 36, 37, 50] {
        let mut seen = Vec::new();
        for page in 1..=37_usize.div_ceil(page_size) {
            let answer = shop.get(&format!("{ORDERS}?page={page}&pageSize={page_size}")).await;
            assert_eq!(answer.at("/data/total"), &json!(37));
            seen.extend(ids(&answer));
        }
        assert_eq!(seen, expected, "{page_size} on a page");
    }
}

#[tokio::test]
async fn a_list_that_the_table_answers_in_parts_is_whole() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    // More than the megabyte that one answer of DynamoDB holds.
    let long = "long ".repeat(12_000);
    for half in 0..2 {
        let orders = (0..15).map(|n| {
            let mut order = order(&format!("o-{:02}", half * 15 + n), "2026-01-01T10:00:00Z");
            order["items"] = json!([{"offerName": long}]);
            order
        });
        load_orders(&system, &orders.collect::<Vec<_>>()).await;
    }
    let expected: Vec<String> = (0..30).rev().map(|n| format!("o-{n:02}")).collect();
    assert_eq!(search(&shop, &[]).await, expected);
    let second = shop.get(&format!("{ORDERS}?page=2&pageSize=16")).await;
    assert_eq!((ids(&second), second.at("/data/total")), (expected[16..].to_vec(), &json!(30)));
}

#[tokio::test]
async fn filters_narrow_together_and_one_that_makes_no_sense_is_ignored() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    let mut orders = Vec::new();
    for (s, status) in STATUSES.iter().enumerate() {
        for (p, payment) in PAYMENT_STATUSES.iter().enumerate() {
            let mut order = order(&format!("o-{s}-{p}"), "2026-01-01T10:00:00Z");
            order["status"] = json!(status);
            order["paymentStatus"] = json!(payment);
            order["buyerName"] = json!(if s % 2 == 0 { "Even" } else { "Odd" });
            orders.push(order);
        }
    }
    load_orders(&system, &orders).await;
    let set = |ids: Vec<String>| ids.into_iter().collect::<BTreeSet<_>>();
    for (s, status) in STATUSES.iter().enumerate() {
        let expected: BTreeSet<String> = (0..5).map(|p| format!("o-{s}-{p}")).collect();
        assert_eq!(set(search(&shop, &[("status", status)]).await), expected);
        for (p, payment) in PAYMENT_STATUSES.iter().enumerate() {
            let both = [("status", *status), ("paymentStatus", *payment)];
            assert_eq!(search(&shop, &both).await, [format!("o-{s}-{p}")]);
        }
        let odd = search(&shop, &[("status", status), ("q", "odd")]).await;
        assert_eq!(odd.len(), if s % 2 == 0 { 0 } else { 5 }, "{status}");
    }
    for (p, payment) in PAYMENT_STATUSES.iter().enumerate() {
        let expected: BTreeSet<String> = (0..12).map(|s| format!("o-{s}-{p}")).collect();
        assert_eq!(set(search(&shop, &[("paymentStatus", payment)]).await), expected);
    }
    for (name, value) in [
        ("status", ""),
        ("status", "completed"),
        ("status", " PAID"),
        ("status", "PAYMENT_CREATED"),
        ("status", "PAID,FAILED"),
        ("status", "\u{0}"),
        ("paymentStatus", ""),
        ("paymentStatus", "PAID"),
        ("paymentStatus", "payment_created"),
        ("fulfilmentStatus", "FULFILMENT_FULFILLED"),
        ("q", ""),
        ("q", " \t "),
    ] {
        let all = shop.get(&format!("{ORDERS}?{}", url_query(&[(name, value)]))).await;
        assert_eq!(all.at("/data/total"), &json!(60), "{name}={value:?}");
    }
    assert_eq!(
        search(&shop, &[("status", "nonsense"), ("paymentStatus", "PAYMENT_CREATED")]).await.len(),
        12
    );
    assert_eq!(
        search(&shop, &[("status", "PAID"), ("status", "FAILED"), ("paymentStatus", "PAYMENT_FAILED")]).await,
        ["o-6-4"]
    );
    let page = format!("{ORDERS}?status=PAID&page=2&pageSize=2");
    assert_eq!(ids(&shop.get(&page).await), ["o-6-2", "o-6-1"], "a page of what the filters leave");
}

#[tokio::test]
async fn a_text_is_found_anywhere_in_five_fields_whatever_its_case() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    load_orders(
        &system,
        &[
            json!({"id": "Order-ABC", "merchantId": "m-yen", "createdAt": "2026-01-05T00:00:00Z"}),
            json!({"id": "o-4", "merchantId": "m-yen", "createdAt": "2026-01-04T00:00:00Z", "buyerEmail": "Anna.Berg+gift@Example.com"}),
            json!({"id": "o-3", "merchantId": "m-yen", "createdAt": "2026-01-03T00:00:00Z", "buyerName": "Åsa Öberg Straße ΝΊΚΟΣ"}),
            json!({"id": "o-2", "merchantId": "m-yen", "createdAt": "2026-01-02T00:00:00Z", "paymentTransactionId": "Receipt 7/50%_x"}),
            json!({"id": "o-1", "merchantId": "m-yen", "createdAt": "2026-01-01T00:00:00Z", "processorTransactionId": "ch_1AbC.*",
                   "recipientEmail": "hidden@example.com", "recipientName": "Hidden", "currency": "JPY",
                   "items": [{"offerName": "Hidden"}], "giftCards": [{"id": "hidden", "qrCode": "HIDDEN", "networkCode": "HIDDEN"}]}),
        ],
    )
    .await;
    for (text, found) in [
        ("Order-ABC", vec!["Order-ABC"]),
        ("order-abc", vec!["Order-ABC"]),
        ("ORDER", vec!["Order-ABC"]),
        ("r-a", vec!["Order-ABC"]),
        ("anna.berg+gift@example.com", vec!["o-4"]),
        ("ANNA.BERG", vec!["o-4"]),
        ("@example", vec!["o-4"]),
        ("  berg+gift  ", vec!["o-4"]),
        ("åsa öberg", vec!["o-3"]),
        ("ÖBERG", vec!["o-3"]),
        ("sa ö", vec!["o-3"]),
        ("STRASSE", vec!["o-3"]),
        ("STRAẞE", vec!["o-3"]),
        ("νίκος", vec!["o-3"]),
        ("νίκο", vec!["o-3"]),
        ("receipt 7", vec!["o-2"]),
        ("7/50%_X", vec!["o-2"]),
        ("CH_1abc", vec!["o-1"]),
        (".*", vec!["o-1"]),
        ("berg", vec!["o-4", "o-3"]),
        ("ABC", vec!["Order-ABC", "o-1"]),
        ("o-", vec!["o-4", "o-3", "o-2", "o-1"]),
        ("anna berg", vec![]),
        ("a%", vec![]),
        ("^o", vec![]),
        ("hidden", vec![]),
        ("JPY", vec![]),
        ("2026", vec![]),
        ("o-sold", vec![]),
    ] {
        assert_eq!(search(&shop, &[("q", text)]).await, found, "{text:?}");
    }
}

#[tokio::test]
async fn the_first_120_characters_of_a_text_count() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    let name = "ä".repeat(200);
    let mut order = order("o-1", "2026-01-01T00:00:00Z");
    order["buyerName"] = json!(name);
    load_orders(&system, &[order]).await;
    let characters = |count: usize| "Ä".repeat(count);
    for (text, is_found) in [
        (characters(119), true),
        (characters(120), true),
        (characters(121), true),
        (characters(5000), true),
        (characters(119) + "x", false),
        (characters(120) + "x", true),
        (format!("  {}x", characters(120)), true),
        (format!("{}x", characters(118)), false),
    ] {
        let found = search(&shop, &[("q", &text)]).await;
        assert_eq!(!found.is_empty(), is_found, "{} characters", text.chars().count());
    }
}

#[tokio::test]
async fn an_id_is_read_decoded_once_and_one_that_is_blank_is_missing() {
    let system = System::start().await;
    let shop = system.user("u-yen").await;
    let mut orders = Vec::new();
    for id in ["o 1+å&=;,", "50%", "o%41", "oA", "O-1"] {
        let mut order = order(id, "2026-01-01T00:00:00Z");
        order["giftCards"] = json!([{"id": format!("card of {id}"), "qrCode": "QR-JPY"}]);
        orders.push(order);
    }
    load_orders(&system, &orders).await;
    for (path, id) in [
        ("o%201+%C3%A5&=;,", "o 1+å&=;,"),
        ("%6f%201%2b%c3%a5%26%3D%3B%2C", "o 1+å&=;,"),
        ("50%25", "50%"),
        ("o%2541", "o%41"),
        ("o%41", "oA"),
        ("O-1", "O-1"),
    ] {
        let shown = shop.get(&one(path)).await;
        assert_eq!((shown.status, shown.at("/data/id")), (200, &json!(id)), "{path}: {shown:?}");
        let balance = shop.get(&balance_of(path, &format!("card%20of%20{path}"))).await;
        assert_eq!(balance.at("/data/giftCardId"), &json!(format!("card of {id}")), "{path}: {balance:?}");
    }

    let no_order = refusal("There is no such order.");
    let long = "x".repeat(3000);
    for path in
        ["", "%20", "%20%20", "%09", "%C2%A0", "o-1", "%20O-1", "O-1%20", "O-%091", "O-%0A1", "%00", &long]
    {
        let refused = shop.get(&one(path)).await;
        assert_eq!((refused.status, &refused.body), (404, &no_order), "{path:?}");
    }
    for (order, card, missing) in [
        ("", "g-1", "orderId"),
        ("%20", "g-1", "orderId"),
        ("O-1", "", "giftCardId"),
        ("O-1", "%20%20", "giftCardId"),
        ("o-none", "%20", "giftCardId"),
        ("", "", "orderId"),
    ] {
        let refused = shop.get(&balance_of(order, card)).await;
        let expected = refusal(&format!("{missing}: is missing."));
        assert_eq!((refused.status, &refused.body), (400, &expected), "{card:?} of {order:?}");
    }
    let no_card = refusal("There is no such gift card.");
    for (order, card) in [("O-1", "card%20of%20O-1%20"), ("O-1", &*long), (&*long, "card%20of%20O-1")] {
        let refused = shop.get(&balance_of(order, card)).await;
        assert_eq!((refused.status, &refused.body), (404, &no_card), "{card} of {order}");
    }
}

#[tokio::test]
async fn a_balance_is_exact_in_minor_units_or_null() {
    let system = System::start().await;
    for (user, merchant, account, currency, amounts) in [
        (
            "u-rival",
            "m-rival",
            "1002",
            "SEK",
            vec![
                ("\"499.99\"", json!(49999)),
                ("500", json!(50000)),
                ("0.1", json!(10)),
                ("\"0\"", json!(0)),
                ("\" 12.30 \"", json!(1230)),
                ("12.340", json!(1234)),
                ("1.5e2", json!(15000)),
                ("90071992547409.91", json!(9_007_199_254_740_991_i64)),
                ("90071992547409.92", Value::Null),
                ("4.35", json!(435)),
                ("12.345", Value::Null),
                ("null", Value::Null),
                ("true", Value::Null),
                ("\"\"", Value::Null),
                ("\"12,50\"", Value::Null),
                ("\"many\"", Value::Null),
                ("{\"amount\": 5}", Value::Null),
                ("1e400", Value::Null),
            ],
        ),
        (
            "u-yen",
            "m-yen",
            "1003",
            "JPY",
            vec![("5000", json!(5000)), ("\"5000.00\"", json!(5000)), ("5000.5", Value::Null)],
        ),
        (
            "u-dinar",
            "m-dinar",
            "1004",
            "KWD",
            vec![("10", json!(10000)), ("1.005", json!(1005)), ("1.0005", Value::Null)],
        ),
    ] {
        let caller = system.user(user).await;
        let codes: Vec<String> = (0..amounts.len()).map(|n| format!("{currency}-{n}")).collect();
        let own: Vec<Value> =
            codes.iter().map(|code| json!({"id": code, "qrCode": code, "currency": currency})).collect();
        let order =
            json!({"id": "o", "merchantId": merchant, "createdAt": "2026-01-01T00:00:00Z", "giftCards": own});
        let upstream: Vec<String> = codes
            .iter()
            .zip(&amounts)
            .map(|(code, (value, _))| {
                format!(r#"{{"merchantId": "{account}", "qrCode": "{code}", "status": "ACTIVE", "valueRemains": {value}, "currency": "{currency}"}}"#)
            })
            .collect();
        let document =
            format!(r#"{{"orders": [{order}], "cardNetwork": {{"cards": [{}]}}}}"#, upstream.join(","));
        assert_eq!(system.anonymous().post_text("/__local/fixtures", &document).await.status, 200);

        for (code, (value, minor)) in codes.iter().zip(amounts) {
            let balance = caller.get(&balance_of("o", code)).await;
            let data = json!({"giftCardId": code, "qrCode": code, "remainingValueMinor": minor, "currency": currency, "upstreamStatus": "ACTIVE"});
            assert_eq!(
                (balance.status, &balance.body),
                (200, &json!({"ok": true, "data": data})),
                "{value} {currency}"
            );
        }
    }
}

#[tokio::test]
async fn a_balance_has_the_currency_and_the_status_of_the_network_where_it_says_one() {
    let system = System::start().await;
    let shop = system.user("u-rival").await;
    for (code, record, minor, currency, status) in [
        (
            "C-1",
            json!({"valueRemains": 5, "currency": "KWD", "status": "BLOCKED"}),
            json!(5000),
            "KWD",
            json!("BLOCKED"),
        ),
        (
            "C-2",
            json!({"valueRemains": 5, "currency": "JPY", "status": "odd one"}),
            json!(5),
            "JPY",
            json!("odd one"),
        ),
        ("C-3", json!({"valueRemains": 5, "currency": "POINTS", "status": ""}), json!(500), "SEK", json!("")),
        ("C-4", json!({"valueRemains": 5, "status": null}), json!(500), "SEK", Value::Null),
        ("C-5", json!({"value": 5}), Value::Null, "SEK", Value::Null),
    ] {
        let mut record = record;
        record["qrCode"] = json!(code);
        let order = json!({"id": code, "merchantId": "m-rival", "createdAt": "2026-01-01T00:00:00Z",
                           "giftCards": [{"id": "g", "qrCode": code, "currency": "SEK", "valueMinor": 100}]});
        system.load(&json!({"orders": [order], "cardNetwork": {"cards": [record]}})).await;
        let balance = shop.get(&balance_of(code, "g")).await;
        let data = json!({"giftCardId": "g", "qrCode": code, "remainingValueMinor": minor, "currency": currency, "upstreamStatus": status});
        assert_eq!((balance.status, &balance.body), (200, &json!({"ok": true, "data": data})), "{code}");
    }
}

#[tokio::test]
async fn a_card_without_a_code_has_no_balance_to_look_up() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    system
        .load(&json!({"orders": [{"id": "o-blank", "merchantId": "m-aurora", "createdAt": "2026-01-01T00:00:00Z",
                                  "giftCards": [{"id": "g-empty", "qrCode": ""}, {"id": "g-blank", "qrCode": "  "}]}]}))
        .await;
    for (order, card) in [("o-sold", "g-codeless"), ("o-blank", "g-empty"), ("o-blank", "g-blank")] {
        let refused = office.get(&balance_of(order, card)).await;
        assert_eq!(
            (refused.status, &refused.body),
            (400, &refusal("The gift card has no QR code.")),
            "{card}"
        );
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_balance_that_cannot_be_looked_up_is_a_failure_of_ours() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let failed = refusal("The balance could not be looked up. Please try again.");
    let path = balance_of("o-sold", "g-sold");
    for (kind, value) in [
        ("status", json!(401)),
        ("status", json!(403)),
        ("status", json!(404)),
        ("status", json!(422)),
        ("status", json!(429)),
        ("status", json!(500)),
        ("status", json!(503)),
        ("body", json!("<html>busy</html>")),
        ("body", json!(r#"{"qrCode": "QR-SOLD", "valueRem"#)),
        ("body", json!(r#"{"valueRemains": 5}"#)),
        ("body", json!("[]")),
        ("body", json!("")),
        ("drop", Value::Null),
    ] {
        system.network_fault("GET /v1/cards/*", kind, value.clone()).await;
        let answer = office.get(&path).await;
        assert_eq!((answer.status, &answer.body), (500, &failed), "{kind} {value}");
    }
    system.faults(json!([])).await;

    // Unknown at the network, there as another merchant's, and of a merchant without an account.
    let order = |id: &str, merchant: &str, code: &str| json!({"id": id, "merchantId": merchant, "createdAt": "2026-01-01T00:00:00Z", "giftCards": [{"id": "g", "qrCode": code}]});
    load_orders(
        &system,
        &[
            order("o-1", "m-aurora", "QR-NONE"),
            order("o-2", "m-aurora", "QR-RIVAL"),
            order("o-3", "m-bare", "QR-OLD"),
        ],
    )
    .await;
    for (caller, id) in [(&office, "o-1"), (&office, "o-2"), (&system.user("u-bare").await, "o-3")] {
        let answer = caller.get(&balance_of(id, "g")).await;
        assert_eq!((answer.status, &answer.body), (500, &failed), "{id}");
    }
}

#[tokio::test]
async fn a_balance_is_asked_for_twice_where_the_first_time_brought_nothing() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    for (kind, value, status, tries) in
        [("status", json!(503), 200, 2), ("drop", Value::Null, 200, 2), ("status", json!(429), 500, 1)]
    {
        let before = system.network_calls().await.len();
        system.faults(json!([{"target": "card-network", "match": "GET *", "kind": kind, "times": 1, "value": value}])).await;
        let answer = office.get(&balance_of("o-sold", "g-sold")).await;
        let tried = system.network_calls().await.len() - before;
        assert_eq!((answer.status, tried), (status, tries), "{kind} {value}");
    }
}

#[tokio::test]
async fn a_silent_network_leaves_a_balance_unknown() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    system.network_fault("GET /v1/cards/*", "timeout", Value::Null).await;
    let answer = office.get(&balance_of("o-sold", "g-sold")).await;
    let failed = refusal("The balance could not be looked up. Please try again.");
    assert_eq!((answer.status, &answer.body), (500, &failed));
}

#[tokio::test]
async fn a_table_that_fails_is_a_failure_without_a_reason() {
    let system = System::start().await;
    let office = system.user("u-admin").await;
    let failed = refusal("Something went wrong. Please try again.");
    for (operation, path) in [
        ("Query", ORDERS.to_owned()),
        ("GetItem", one("o-sold")),
        ("GetItem", balance_of("o-sold", "g-sold")),
    ] {
        let fault = |times: Value, kind: &str, value: Value| json!([{"target": "dynamodb", "match": operation, "kind": kind, "times": times, "value": value}]);
        system.faults(fault(json!("always"), "status", json!(400))).await;
        let answer = office.get(&path).await;
        assert_eq!((answer.status, &answer.body), (500, &failed), "{path}");
        system.faults(fault(json!(1), "throttle", Value::Null)).await;
        assert_eq!(office.get(&path).await.status, 200, "{path} once more");
    }
}
