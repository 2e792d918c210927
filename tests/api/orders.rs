//! Orders: list, detail, and gift card balances.

use std::collections::BTreeSet;

use insta::assert_json_snapshot;
use serde_json::{Value, json};
use world::shop::{self, with};
use world::{ApiResponse, Caller, System};

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

const PAYMENT_STATUSES: [&str; 5] =
    ["PAYMENT_CREATED", "PAYMENT_AUTHORIZED", "PAYMENT_CAPTURE_SUCCEEDED", "PAYMENT_CAPTURE_FAILED", "PAYMENT_FAILED"];

fn order_path(id: &str) -> String {
    format!("{ORDERS}/{id}")
}

fn balance_path(order: &str, card: &str) -> String {
    format!("{ORDERS}/{order}/gift-cards/{card}/balance")
}

fn refused(status: u16, message: &str) -> (u16, Value) {
    (status, json!({"ok": false, "error": message}))
}

fn ids(page: &ApiResponse) -> Vec<String> {
    page.list("/data/orders").iter().map(|order| order["id"].as_str().unwrap().to_owned()).collect()
}

async fn search(caller: &Caller, parameters: &[(&str, &str)]) -> Vec<String> {
    let query = query_string(parameters);
    let page = caller.get(&format!("{ORDERS}?pageSize=50&{query}")).await;
    let found = ids(&page);
    assert_eq!(page.at("/data/total"), &json!(found.len()), "{query}");
    found
}

fn query_string(parameters: &[(&str, &str)]) -> String {
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    let pairs = parameters.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// Returns an order of `m-yen`, which has no orders in the base fixtures.
fn order(id: &str, created_at: &str) -> Value {
    json!({"id": id, "merchantId": "m-yen", "createdAt": created_at})
}

/// An order with this card.
fn of_card(id: &str, merchant: &str, card: &str, code: &str) -> Value {
    let cards = json!([{"id": card, "qrCode": code, "currency": "SEK", "valueMinor": 100}]);
    shop::order(id, "2026-01-03T10:00:00Z", &json!({"merchantId": merchant, "giftCards": cards}))
}

async fn load_orders(system: &System, orders: &[Value]) {
    system.load_fixtures(&json!({"orders": orders})).await;
}

#[tokio::test]
async fn lists_order_summaries_and_returns_order_details() {
    let (_system, viewer) = System::signed_in("u-viewer").await;
    assert_json_snapshot!("orders_listed", viewer.get(ORDERS).await);
    assert_json_snapshot!("order_shown", viewer.get(&order_path("o-sold")).await);
    assert_json_snapshot!("balance_shown", viewer.get(&balance_path("o-sold", "g-sold")).await);
}

#[tokio::test]
async fn unset_order_fields_are_null() {
    let system = System::start().await;
    load_orders(&system, &[order("o-least", "2026-01-01T00:00:00.120Z")]).await;
    assert_json_snapshot!("order_with_the_least", system.sign_in("u-yen").await.get(&order_path("o-least")).await);
}

#[tokio::test]
async fn user_without_a_merchant_receives_an_empty_list() {
    let system = System::start().await;
    for (user, query, page, page_size) in [("u-nobody", "", 1, 20), ("u-root", "?page=3&pageSize=99&q=o-sold", 3, 50)] {
        let empty = system.sign_in(user).await.get(&format!("{ORDERS}{query}")).await;
        let data = json!({"orders": [], "total": 0, "page": page, "pageSize": page_size, "nextCursor": null});
        assert_eq!(empty.reply(), (200, json!({"ok": true, "data": data})));
    }
}

#[tokio::test]
async fn from_and_to_are_days_of_the_merchants_time_zone() {
    let system = System::start().await;
    let refunded = json!({"status": "REFUNDED", "currency": "SEK", "totalAmountMinor": 100});
    // The last moment of February, both ends of 1 March, and the first moment of 2 March in Stockholm.
    let times = [
        ("o-1", "2026-02-28T22:59:59.999Z"),
        ("o-2", "2026-02-28T23:00:00Z"),
        ("o-3", "2026-03-01T22:59:59.999Z"),
        ("o-4", "2026-03-01T23:00:00Z"),
    ];
    load_orders(&system, &times.map(|(id, at)| shop::order(id, at, &refunded))).await;
    let admin = system.sign_in("u-admin").await;
    for (days, expected) in [
        ("from=2026-03-01&to=2026-03-01", vec!["o-3", "o-2"]),
        ("from=2026-03-02", vec!["o-4"]),
        ("to=2026-02-28", vec!["o-1"]),
        ("from=2026-02-28&to=2026-03-02", vec!["o-4", "o-3", "o-2", "o-1"]),
        ("from=2026-03-02&to=2026-03-01", vec![]),
        ("from=1.3.2026&to=2026-3-1", vec!["o-4", "o-3", "o-2", "o-1"]),
        ("from=&to=2026-02-29", vec!["o-4", "o-3", "o-2", "o-1"]),
        ("from=0001-01-01&to=9999-12-31", vec!["o-4", "o-3", "o-2", "o-1"]),
        ("from=9999-12-31", vec![]),
    ] {
        for filter in ["status=REFUNDED", "status=REFUNDED&q=o-"] {
            let listed = admin.get(&format!("{ORDERS}?{filter}&{days}")).await;
            assert_eq!(ids(&listed), expected, "{days}");
            assert_eq!(listed.at("/data/total"), expected.len(), "{days}");
        }
    }
}

#[tokio::test]
async fn a_cursor_names_a_place_in_any_list_and_comes_before_a_page_number() {
    let system = System::start().await;
    for number in 1..5 {
        let at = format!("2026-03-0{number}T10:00:00Z");
        let of = |prefix: &str, merchant: &str| {
            let fields = json!({"merchantId": merchant, "currency": "SEK", "totalAmountMinor": 100, "status": "REFUNDED"});
            shop::order(&format!("{prefix}-{number}"), &at, &fields)
        };
        load_orders(&system, &[of("o", "m-aurora"), of("r", "m-rival")]).await;
    }
    let (admin, rival) = (system.sign_in("u-admin").await, system.sign_in("u-rival").await);
    let listed = async |caller: &Caller, query: &str| {
        let page = caller.get(&format!("{ORDERS}?status=REFUNDED&pageSize=2&{query}")).await;
        assert_eq!(page.at("/data/total"), &json!(4), "{query}");
        (ids(&page).join(" "), page.at("/data/nextCursor").as_str().map(str::to_owned))
    };
    let (first, cursor) = listed(&admin, "").await;
    let cursor = cursor.unwrap();
    assert_eq!(first, "o-4 o-3");
    assert_eq!(listed(&admin, &format!("after={cursor}&page=1")).await, ("o-2 o-1".to_owned(), None));
    for query in ["after=", "after=&page=2", "after=no-cursor&page=2", "page=1"] {
        assert_eq!(listed(&admin, query).await, ("o-4 o-3".to_owned(), Some(cursor.clone())), "{query}");
    }
    assert_eq!(listed(&rival, &format!("after={cursor}")).await.0, "r-2 r-1");
}

#[tokio::test]
async fn returns_404_for_another_merchants_order_or_card() {
    let (system, admin) = System::signed_in("u-admin").await;
    let other = of_card("o-other", "m-aurora", "g-other", "QR-500");
    // The id of an existing order of `m-aurora`.
    load_orders(&system, &[other, of_card("o-sold", "m-rival", "g-theirs", "QR-RIVAL")]).await;

    let unknown = admin.get(&order_path("o-none")).await;
    assert_eq!(unknown.reply(), refused(404, "There is no such order."));
    assert_eq!(admin.get(&order_path("o-rival")).await.comparable(), unknown.comparable());

    let unknown = admin.get(&balance_path("o-none", "g-none")).await;
    assert_eq!(unknown.reply(), refused(404, "There is no such gift card."));
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
        assert_eq!(admin.get(&balance_path(order, card)).await.comparable(), unknown.comparable(), "{card} of {order}");
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new());

    assert_eq!(admin.get(&order_path("o-sold")).await.at("/data/giftCards/0/id"), "g-sold");
    let rival = system.sign_in("u-rival").await;
    assert_eq!(rival.get(&order_path("o-sold")).await.at("/data/giftCards/0/id"), "g-theirs");
    assert_eq!(ids(&rival.get(ORDERS).await), ["o-sold", "o-rival"]);
    assert_eq!(search(&admin, &[("q", "o-rival")]).await, Vec::<String>::new());
}

#[tokio::test]
async fn clamps_page_and_page_size() {
    let (system, caller) = System::signed_in("u-yen").await;
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
        // Larger numbers are not the same to every client.
        ("?page=9007199254740991", 9_007_199_254_740_991, 20, 0),
        ("?page=9007199254740993", 9_007_199_254_740_991, 20, 0),
        ("?page=99999999999999999999", 9_007_199_254_740_991, 20, 0),
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
        ("?page=99999999999999999999&pageSize=50", 9_007_199_254_740_991, 50, 0),
        ("?&&=&page=2&unknown=1", 2, 20, 20),
    ] {
        let response = caller.get(&format!("{ORDERS}{query}")).await;
        assert_eq!(ids(&response).len(), rows, "{query}");
        let values = ["page", "pageSize", "total"].map(|field| response.body["data"][field].as_u64().unwrap());
        assert_eq!(values, [page, page_size, 60], "{query}");
    }
}

#[tokio::test]
async fn pages_contain_every_order_once_sorted_by_time_and_id() {
    let (system, caller) = System::signed_in("u-yen").await;
    // Neither the ids nor the insertion sequence match the creation times.
    let times = ["2026-01-02T10:00:00Z", "2025-12-31T23:59:59.999Z", "2026-01-02T10:00:00.001Z", "2026-01-02T10:00:00+00:00"];
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
            let response = caller.get(&format!("{ORDERS}?page={page}&pageSize={page_size}")).await;
            assert_eq!(response.at("/data/total"), &json!(37));
            seen.extend(ids(&response));
        }
        assert_eq!(seen, expected, "page size {page_size}");
    }
}

#[tokio::test]
async fn lists_orders_that_exceed_one_dynamodb_page() {
    let (system, caller) = System::signed_in("u-yen").await;
    // Exceeds 1 MB, the maximum that one DynamoDB query returns.
    let long = "long ".repeat(12_000);
    for batch in 0..2 {
        let orders = (0..15).map(|n| {
            let order = order(&format!("o-{:02}", batch * 15 + n), "2026-01-01T10:00:00Z");
            with(order, &json!({"items": [{"offerName": long}]}))
        });
        load_orders(&system, &orders.collect::<Vec<_>>()).await;
    }
    let expected: Vec<String> = (0..30).rev().map(|n| format!("o-{n:02}")).collect();
    assert_eq!(search(&caller, &[]).await, expected);
    let second = caller.get(&format!("{ORDERS}?page=2&pageSize=16")).await;
    assert_eq!((ids(&second), second.at("/data/total")), (expected[16..].to_vec(), &json!(30)));
}

#[tokio::test]
async fn combines_filters_and_ignores_invalid_ones() {
    let (system, caller) = System::signed_in("u-yen").await;
    let mut orders = Vec::new();
    for (s, status) in STATUSES.iter().enumerate() {
        for (p, payment) in PAYMENT_STATUSES.iter().enumerate() {
            let order = order(&format!("o-{s}-{p}"), "2026-01-01T10:00:00Z");
            let name = if s % 2 == 0 { "Even" } else { "Odd" };
            orders.push(with(order, &json!({"status": status, "paymentStatus": payment, "buyerName": name})));
        }
    }
    load_orders(&system, &orders).await;
    let set = |ids: Vec<String>| ids.into_iter().collect::<BTreeSet<_>>();
    for (s, status) in STATUSES.iter().enumerate() {
        let expected: BTreeSet<String> = (0..5).map(|p| format!("o-{s}-{p}")).collect();
        assert_eq!(set(search(&caller, &[("status", status)]).await), expected);
        for (p, payment) in PAYMENT_STATUSES.iter().enumerate() {
            let both = [("status", *status), ("paymentStatus", *payment)];
            assert_eq!(search(&caller, &both).await, [format!("o-{s}-{p}")]);
        }
        let odd = search(&caller, &[("status", status), ("q", "odd")]).await;
        assert_eq!(odd.len(), if s % 2 == 0 { 0 } else { 5 }, "{status}");
    }
    for (p, payment) in PAYMENT_STATUSES.iter().enumerate() {
        let expected: BTreeSet<String> = (0..12).map(|s| format!("o-{s}-{p}")).collect();
        assert_eq!(set(search(&caller, &[("paymentStatus", payment)]).await), expected);
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
        let all = caller.get(&format!("{ORDERS}?{}", query_string(&[(name, value)]))).await;
        assert_eq!(all.at("/data/total"), &json!(60), "{name}={value:?}");
    }
    assert_eq!(search(&caller, &[("status", "nonsense"), ("paymentStatus", "PAYMENT_CREATED")]).await.len(), 12);
    let repeated = [("status", "PAID"), ("status", "FAILED"), ("paymentStatus", "PAYMENT_FAILED")];
    assert_eq!(search(&caller, &repeated).await, ["o-6-4"]);
    let page = format!("{ORDERS}?status=PAID&page=2&pageSize=2");
    assert_eq!(ids(&caller.get(&page).await), ["o-6-2", "o-6-1"], "pages apply to the filtered list");
}

#[tokio::test]
async fn search_matches_substrings_of_five_fields_case_insensitively() {
    let (system, caller) = System::signed_in("u-yen").await;
    let hidden = json!({
        "processorTransactionId": "ch_1AbC.*", "recipientEmail": "hidden@example.com", "recipientName": "Hidden",
        "currency": "JPY", "items": [{"offerName": "Hidden"}],
        "giftCards": [{"id": "hidden", "qrCode": "HIDDEN", "networkCode": "HIDDEN"}],
    });
    let orders = [
        order("Order-ABC", "2026-01-05T00:00:00Z"),
        with(order("o-4", "2026-01-04T00:00:00Z"), &json!({"buyerEmail": "Anna.Berg+gift@Example.com"})),
        with(order("o-3", "2026-01-03T00:00:00Z"), &json!({"buyerName": "Åsa Öberg Straße ΝΊΚΟΣ"})),
        with(order("o-2", "2026-01-02T00:00:00Z"), &json!({"paymentTransactionId": "Receipt 7/50%_x"})),
        with(order("o-1", "2026-01-01T00:00:00Z"), &hidden),
        with(order("o-0", "2025-12-31T00:00:00Z"), &json!({"buyerName": "Zoe\u{308} Fisch"})),
    ];
    load_orders(&system, &orders).await;
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
        ("A\u{30a}SA O\u{308}berg", vec!["o-3"]),
        ("asa", vec!["o-3"]),
        ("asa oberg", vec!["o-3"]),
        ("zoë", vec!["o-0"]),
        ("ZOE\u{308}", vec!["o-0"]),
        ("ﬁsch", vec!["o-0"]),
        ("Ｆｉｓｃｈ", vec!["o-0"]),
        ("νίκος", vec!["o-3"]),
        ("νίκο", vec!["o-3"]),
        ("receipt 7", vec!["o-2"]),
        ("7/50%_X", vec!["o-2"]),
        ("CH_1abc", vec!["o-1"]),
        (".*", vec!["o-1"]),
        ("berg", vec!["o-4", "o-3"]),
        ("ABC", vec!["Order-ABC", "o-1"]),
        ("o-", vec!["o-4", "o-3", "o-2", "o-1", "o-0"]),
        ("anna berg", vec![]),
        ("a%", vec![]),
        ("^o", vec![]),
        ("hidden", vec![]),
        ("JPY", vec![]),
        ("2026", vec![]),
        ("o-sold", vec![]),
    ] {
        assert_eq!(search(&caller, &[("q", text)]).await, found, "{text:?}");
    }
}

#[tokio::test]
async fn search_uses_the_first_120_characters() {
    let (system, caller) = System::signed_in("u-yen").await;
    load_orders(&system, &[with(order("o-1", "2026-01-01T00:00:00Z"), &json!({"buyerName": "ä".repeat(200)}))]).await;
    let characters = |count: usize| "Ä".repeat(count);
    let decomposed = |count: usize| "A\u{308}".repeat(count);
    for (text, is_found) in [
        (characters(119), true),
        (characters(120), true),
        (characters(121), true),
        (characters(5000), true),
        (characters(119) + "x", false),
        (decomposed(120), true),
        (decomposed(121), true),
        (decomposed(119) + "x", false),
        (characters(120) + "x", true),
        (format!("  {}x", characters(120)), true),
        (format!("{}x", characters(118)), false),
    ] {
        let found = search(&caller, &[("q", &text)]).await;
        assert_eq!(!found.is_empty(), is_found, "{} characters", text.chars().count());
    }
}

#[tokio::test]
async fn percent_decodes_ids_once_and_rejects_blank_ones() {
    let (system, caller) = System::signed_in("u-yen").await;
    let orders = ["o 1+å&=;,", "50%", "o%41", "oA", "O-1"].map(|id| {
        let cards = json!({"giftCards": [{"id": format!("card of {id}"), "qrCode": "QR-JPY"}]});
        with(order(id, "2026-01-01T00:00:00Z"), &cards)
    });
    load_orders(&system, &orders).await;
    for (path, id) in [
        ("o%201+%C3%A5&=;,", "o 1+å&=;,"),
        ("%6f%201%2b%c3%a5%26%3D%3B%2C", "o 1+å&=;,"),
        ("50%25", "50%"),
        ("o%2541", "o%41"),
        ("o%41", "oA"),
        ("O-1", "O-1"),
    ] {
        let shown = caller.get(&order_path(path)).await;
        assert_eq!((shown.status, shown.at("/data/id")), (200, &json!(id)), "{path}: {shown:?}");
        let balance = caller.get(&balance_path(path, &format!("card%20of%20{path}"))).await;
        assert_eq!(balance.at("/data/giftCardId"), &json!(format!("card of {id}")), "{path}: {balance:?}");
    }

    let long = "x".repeat(3000);
    for path in ["", "%20", "%20%20", "%09", "%C2%A0", "o-1", "%20O-1", "O-1%20", "O-%091", "O-%0A1", "%00", &long] {
        assert_eq!(caller.get(&order_path(path)).await.reply(), refused(404, "There is no such order."), "{path:?}");
    }
    for (order, card, missing) in [
        ("", "g-1", "orderId"),
        ("%20", "g-1", "orderId"),
        ("O-1", "", "giftCardId"),
        ("O-1", "%20%20", "giftCardId"),
        ("o-none", "%20", "giftCardId"),
        ("", "", "orderId"),
    ] {
        let rejected = caller.get(&balance_path(order, card)).await;
        assert_eq!(rejected.reply(), refused(400, &format!("{missing}: is missing.")), "{card:?} of {order:?}");
    }
    for (order, card) in [("O-1", "card%20of%20O-1%20"), ("O-1", &*long), (&*long, "card%20of%20O-1")] {
        let rejected = caller.get(&balance_path(order, card)).await;
        assert_eq!(rejected.reply(), refused(404, "There is no such gift card."), "{card} of {order}");
    }
}

#[tokio::test]
async fn balance_is_exact_in_minor_units_or_null() {
    let system = System::start().await;
    let of_sek = vec![
        ("\"499.99\"", json!(49999)),
        ("500", json!(50000)),
        ("0.1", json!(10)),
        ("\"0\"", json!(0)),
        ("\" 12.30 \"", json!(1230)),
        ("12.340", json!(1234)),
        ("1.5e2", json!(15000)),
        ("90071992547409.91", json!(9_007_199_254_740_991_i64)),
        ("90071992547409.92", Value::Null),
        ("99999999999999999999", Value::Null),
        ("4.35", json!(435)),
        ("12.345", Value::Null),
        ("null", Value::Null),
        ("true", Value::Null),
        ("\"\"", Value::Null),
        ("\"12,50\"", Value::Null),
        ("\"many\"", Value::Null),
        ("{\"amount\": 5}", Value::Null),
        ("1e400", Value::Null),
    ];
    for (user, merchant, account, currency, amounts) in [
        ("u-rival", "m-rival", "1002", "SEK", of_sek),
        ("u-yen", "m-yen", "1003", "JPY", vec![("5000", json!(5000)), ("\"5000.00\"", json!(5000)), ("5000.5", Value::Null)]),
        ("u-dinar", "m-dinar", "1004", "KWD", vec![("10", json!(10000)), ("1.005", json!(1005)), ("1.0005", Value::Null)]),
    ] {
        let caller = system.sign_in(user).await;
        let codes: Vec<String> = (0..amounts.len()).map(|n| format!("{currency}-{n}")).collect();
        let gift_cards: Vec<Value> = codes.iter().map(|code| json!({"id": code, "qrCode": code, "currency": currency})).collect();
        let order = shop::order("o", "2026-01-01T00:00:00Z", &json!({"merchantId": merchant, "giftCards": gift_cards}));
        let network_card = |(code, (value, _)): (&String, &(&str, Value))| {
            let card = format!(r#""merchantId": "{account}", "qrCode": "{code}", "status": "ACTIVE""#);
            format!(r#"{{{card}, "currency": "{currency}", "valueRemains": {value}}}"#)
        };
        let network_cards: Vec<String> = codes.iter().zip(&amounts).map(network_card).collect();
        let document = format!(r#"{{"orders": [{order}], "cardNetwork": {{"cards": [{}]}}}}"#, network_cards.join(","));
        assert_eq!(system.anonymous().post_text("/__local/fixtures", &document).await.status, 200);

        for (code, (value, minor)) in codes.iter().zip(amounts) {
            let data = json!({"giftCardId": code, "qrCode": code, "remainingValueMinor": minor, "currency": currency,
                "upstreamStatus": "ACTIVE"});
            let balance = caller.get(&balance_path("o", code)).await;
            assert_eq!(balance.reply(), (200, json!({"ok": true, "data": data})), "{value} {currency}");
        }
    }
}

#[tokio::test]
async fn balance_has_the_networks_currency_and_status_if_present() {
    let (system, caller) = System::signed_in("u-rival").await;
    for (code, record, minor, currency, status) in [
        ("C-1", json!({"valueRemains": 5, "currency": "KWD", "status": "BLOCKED"}), json!(5000), "KWD", json!("BLOCKED")),
        ("C-2", json!({"valueRemains": 5, "currency": "JPY", "status": "odd one"}), json!(5), "JPY", json!("odd one")),
        ("C-3", json!({"valueRemains": 5, "currency": "POINTS", "status": ""}), json!(500), "SEK", json!("")),
        ("C-4", json!({"valueRemains": 5, "status": null}), json!(500), "SEK", Value::Null),
        ("C-5", json!({"value": 5}), Value::Null, "SEK", Value::Null),
    ] {
        let record = with(record, &json!({"qrCode": code}));
        let order = of_card(code, "m-rival", "g", code);
        system.load_fixtures(&json!({"orders": [order], "cardNetwork": {"cards": [record]}})).await;
        let data = json!({"giftCardId": "g", "qrCode": code, "remainingValueMinor": minor, "currency": currency,
            "upstreamStatus": status});
        assert_eq!(caller.get(&balance_path(code, "g")).await.reply(), (200, json!({"ok": true, "data": data})), "{code}");
    }
}

#[tokio::test]
async fn returns_400_for_the_balance_of_a_card_without_a_code() {
    let (system, admin) = System::signed_in("u-admin").await;
    load_orders(&system, &[of_card("o-empty", "m-aurora", "g", ""), of_card("o-blank", "m-aurora", "g", "  ")]).await;
    for (order, card) in [("o-sold", "g-codeless"), ("o-empty", "g"), ("o-blank", "g")] {
        let rejected = admin.get(&balance_path(order, card)).await;
        assert_eq!(rejected.reply(), refused(400, "The gift card has no QR code."), "{order}");
    }
    assert_eq!(system.network_calls().await, Vec::<Value>::new());
}

#[tokio::test]
async fn returns_500_if_the_balance_lookup_fails() {
    let (system, admin) = System::signed_in("u-admin").await;
    let failed = refused(500, "The balance could not be looked up. Please try again.");
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
        ("timeout", Value::Null),
    ] {
        system.set_network_fault("GET /v1/cards/*", kind, value.clone()).await;
        assert_eq!(admin.get(&balance_path("o-sold", "g-sold")).await.reply(), failed, "{kind} {value}");
    }
    system.set_faults(json!([])).await;

    // A card that the network does not know, a card of another merchant, and a card of a merchant without an account.
    let orders = [("o-1", "m-aurora", "QR-NONE"), ("o-2", "m-aurora", "QR-RIVAL"), ("o-3", "m-bare", "QR-OLD")];
    load_orders(&system, &orders.map(|(id, merchant, code)| of_card(id, merchant, "g", code))).await;
    for (caller, id) in [(&admin, "o-1"), (&admin, "o-2"), (&system.sign_in("u-bare").await, "o-3")] {
        assert_eq!(caller.get(&balance_path(id, "g")).await.reply(), failed, "{id}");
    }
}

#[tokio::test]
async fn retries_a_failed_balance_lookup_once() {
    let (system, admin) = System::signed_in("u-admin").await;
    for (kind, value, status, attempts) in
        [("status", json!(503), 200, 2), ("drop", Value::Null, 200, 2), ("status", json!(429), 500, 1)]
    {
        let before = system.network_calls().await.len();
        system.set_faults(json!([{"target": "card-network", "match": "GET *", "kind": kind, "times": 1, "value": value}])).await;
        let response = admin.get(&balance_path("o-sold", "g-sold")).await;
        let attempted = system.network_calls().await.len() - before;
        assert_eq!((response.status, attempted), (status, attempts), "{kind} {value}");
    }
}
