//! Analytics: overview, sales, redemptions and fraud of a merchant's last days.

use insta::assert_json_snapshot;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Caller, Hands, System};

const OVERVIEW: &str = "/api/bff/analytics/overview";
const SALES: &str = "/api/bff/analytics/sales";
const REDEMPTIONS: &str = "/api/bff/analytics/redemptions";
const FRAUD: &str = "/api/bff/analytics/fraud";
const ALL: [&str; 4] = [OVERVIEW, SALES, REDEMPTIONS, FRAUD];

/// The day after the clocks of Stockholm went on: seven days begin on 24 March there, at 23:00 in UTC, and the seven
/// before them on 17 March.
const NOW: &str = "2026-03-30T10:00:00Z";

async fn system_at(now: &str) -> System {
    System::with_clock(Hands::at(now).clock()).await
}

/// A row with these fields over its own.
fn with(mut row: Value, fields: Value) -> Value {
    let Value::Object(fields) = fields else { panic!("{fields} is no object") };
    row.as_object_mut().unwrap().extend(fields);
    row
}

/// Signs in to a new merchant who sees everything, unless `fields` say something else.
async fn shop<'a>(system: &'a System, id: &str, fields: Value) -> Caller<'a> {
    let merchant = with(json!({"id": id, "currency": "EUR", "timeZone": "Europe/Stockholm"}), fields);
    let user = format!("u-{id}");
    let email = format!("{user}@example.com");
    let users = json!([{"id": user, "email": email, "merchantId": id}]);
    system.load(&json!({"merchants": [merchant], "users": users})).await;
    system.user(&user).await
}

/// An order of the shop, completed and paid for unless `fields` say something else.
fn order(id: &str, created_at: &str, amount: i64, fields: Value) -> Value {
    with(
        json!({
            "id": id, "merchantId": "m-shop", "createdAt": created_at, "totalAmountMinor": amount, "currency": "EUR",
            "status": "COMPLETED", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED",
        }),
        fields,
    )
}

/// A redemption of the shop that succeeded, unless `fields` say something else.
fn redemption(id: &str, occurred_at: &str, amount: i64, fields: Value) -> Value {
    with(
        json!({
            "id": id, "merchantId": "m-shop", "occurredAt": occurred_at, "amountMinor": amount, "currency": "EUR",
            "status": "SUCCEEDED", "source": "POS", "storeName": "Main street", "networkCode": "NC-12345678",
        }),
        fields,
    )
}

fn session(id: &str, started_at: &str, embed: Option<&str>, entry: Option<&str>) -> Value {
    json!({"sessionId": id, "merchantId": "m-shop", "startedAt": started_at, "embed": embed, "entry": entry})
}

/// Each of these fields of every entry of a list.
fn told(answer: &Answer, list: &str, fields: &[&str]) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let entries = answer.at(list).as_array().unwrap();
    entries.iter().map(|entry| fields.iter().map(|field| entry[*field].clone()).collect()).collect()
}

/// The days of a series on which something was counted.
fn busy_days(answer: &Answer, count: &str) -> Vec<Value> {
    let days = told(answer, "/data/series", &["dateKey", count]);
    days.into_iter().filter(|day| day[1] != json!(0)).collect()
}

#[tokio::test]
async fn sales_are_compared_with_the_days_before() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    system
        .load(&json!({"orders": [
            order("o-1", "2026-03-30T08:00:00Z", 10_000, json!({})),
            order("o-2", "2026-03-29T22:30:00Z", 5_001, json!({})),
            order("o-3", "2026-03-29T21:59:59.999Z", 700, json!({"status": "PAID", "paymentStatus": "PAYMENT_AUTHORIZED"})),
            order("o-4", "2026-03-28T23:00:00Z", 3_000, json!({"currency": "USD"})),
            order("o-5", "2026-03-23T23:00:00Z", 400, json!({"status": "PAYMENT_FAILED", "paymentStatus": "PAYMENT_FAILED"})),
            order("o-6", "2026-03-23T22:59:59.999Z", 20_000, json!({})),
            order("o-7", "2026-03-16T23:00:00Z", 2_000, json!({})),
            order("o-8", "2026-03-16T22:59:59.999Z", 99_999, json!({})),
            order("o-9", "2026-03-30T22:00:00Z", 99_999, json!({})),
        ]}))
        .await;
    assert_json_snapshot!("sales", shop.get(&format!("{SALES}?days=7")).await);
}

#[tokio::test]
async fn redemptions_are_compared_with_the_days_before() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    system
        .load(&json!({"redemptions": [
            redemption("r-1", "2026-03-30T09:00:00Z", 2_500, json!({})),
            redemption("r-2", "2026-03-30T08:00:00Z", 9_900, json!({"status": "FAILED"})),
            redemption("r-3", "2026-03-29T09:00:00Z", 100, json!({"status": "PENDING", "source": "WEB", "storeName": null,
                                                                  "networkCode": null, "qrCode": "QR-1"})),
            redemption("r-4", "2026-03-28T12:00:00Z", 1_200, json!({"source": "", "storeName": " ", "networkCode": null})),
            redemption("r-5", "2026-03-27T12:00:00Z", 2_500, json!({"source": "WEB", "storeName": "Harbour",
                                                                    "networkCode": null, "qrCode": "QR-98765"})),
            redemption("r-6", "2026-03-25T12:00:00Z", 8_000, json!({"currency": "USD"})),
            redemption("r-7", "2026-03-20T12:00:00Z", 4_000, json!({})),
            redemption("r-8", "2026-03-18T12:00:00Z", 700, json!({"status": "FAILED"})),
            redemption("r-9", "2026-03-16T22:59:59.999Z", 99_999, json!({})),
        ]}))
        .await;
    assert_json_snapshot!("redemptions", shop.get(&format!("{REDEMPTIONS}?days=7")).await);
}

#[tokio::test]
async fn fraud_is_told_in_plain_words_by_the_time_of_the_decision() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    let checked = |status: &str, code: Option<&str>, decided_at: Option<&str>| json!({"fraud": {"status": status, "reasonCode": code, "decidedAt": decided_at}});
    let passed = || checked("PASSED", Some("TRUSTED"), Some("2026-03-29T12:00:00Z"));
    let mut in_crowns = checked("REVIEW", Some("HIGH_AMOUNT"), Some("2026-03-29T10:00:00Z"));
    in_crowns["currency"] = json!("SEK");
    let mut in_yen = checked("REVIEW", None, None);
    in_yen["currency"] = json!("JPY");
    system
        .load(&json!({"orders": [
            order("o-1", "2026-03-25T12:00:00Z", 10_050, checked("BLOCKED", Some("VELOCITY"), Some("2026-03-29T12:00:00Z"))),
            order("o-2", "2026-03-29T09:59:58Z", 250_000, in_crowns),
            order("o-3", "2026-03-28T12:00:00Z", 1_500, in_yen),
            order("0197f0c2-0000-7000-8000-9f3a1c2b4d5e", "2026-03-27T12:00:00Z", 5, checked("BLOCKED", Some("R7: score 0.93"), Some("2026-03-29T12:00:00Z"))),
            order("o-4", "2026-03-27T12:00:00Z", 5_000, passed()),
            order("o-5", "2026-03-26T12:00:00Z", 5_000, passed()),
            order("o-6", "2026-03-26T12:00:00Z", 5_000, checked("NOT_CHECKED", None, None)),
            order("o-7", "2026-03-20T12:00:00Z", 5_000, passed()),
            order("o-8", "2026-03-20T12:00:00Z", 5_000, checked("BLOCKED", None, Some("2026-03-29T12:00:00Z"))),
        ]}))
        .await;
    assert_json_snapshot!("fraud", shop.get(&format!("{FRAUD}?days=7")).await);
    let overview = shop.get(&format!("{OVERVIEW}?days=7")).await;
    let fraud = shop.get(&format!("{FRAUD}?days=7")).await;
    assert_eq!(overview.at("/data/fraudBreakdown"), fraud.at("/data/breakdown"));
}

#[tokio::test]
async fn the_overview_puts_visits_beside_orders() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    system
        .load(&json!({
            "analyticsSessions": [
                session("v-1", "2026-03-30T09:00:00Z", Some("Widget"), Some("/gift-cards")),
                session("v-2", "2026-03-30T09:00:00Z", Some("Widget"), Some("/")),
                session("v-3", "2026-03-24T09:00:00Z", Some("Checkout"), Some("/gift-cards")),
                session("v-4", "2026-03-24T09:00:00Z", None, None),
                session("v-5", "2026-03-25T09:00:00Z", None, None),
                session("v-6", "2026-03-20T09:00:00Z", Some("Elsewhere"), None),
                session("v-7", "2026-03-19T09:00:00Z", None, None),
                session("v-8", "2026-03-01T09:00:00Z", None, None),
            ],
            "orders": [
                order("o-1", "2026-03-30T09:30:00Z", 5_000, json!({"fraud": {"status": "PASSED"}})),
                order("o-2", "2026-03-24T09:30:00Z", 5_000, json!({"fraud": {"status": "BLOCKED"}, "status": "FAILED"})),
                order("o-3", "2026-03-20T09:30:00Z", 5_000, json!({"fraud": {"status": "REVIEW"}})),
            ],
            "redemptions": [
                redemption("r-1", "2026-03-30T09:30:00Z", 1_000, json!({})),
                redemption("r-2", "2026-03-29T09:30:00Z", 1_000, json!({"status": "FAILED"})),
                redemption("r-3", "2026-03-29T09:30:00Z", 1_000, json!({"status": "PENDING"})),
            ],
        }))
        .await;
    assert_json_snapshot!("overview", shop.get(&format!("{OVERVIEW}?days=7")).await);
}

#[tokio::test]
async fn where_nothing_happened_every_day_is_still_there() {
    let system = system_at(NOW).await;
    let bare = system.user("u-bare").await;
    for (path, name) in [
        (OVERVIEW, "empty_overview"),
        (SALES, "empty_sales"),
        (REDEMPTIONS, "empty_redemptions"),
        (FRAUD, "empty_fraud"),
    ] {
        assert_json_snapshot!(name, bare.get(&format!("{path}?days=7")).await);
    }
}

#[tokio::test]
async fn there_are_four_lengths_and_whatever_else_is_asked_for_is_a_fortnight() {
    let system = system_at(NOW).await;
    let bare = system.user("u-bare").await;
    for (query, days, first) in [
        ("", 14, "2026-03-17"),
        ("?days=7", 7, "2026-03-24"),
        ("?days=14", 14, "2026-03-17"),
        ("?days=30", 30, "2026-03-01"),
        ("?days=90", 90, "2025-12-31"),
        ("?days=6", 14, "2026-03-17"),
        ("?days=8", 14, "2026-03-17"),
        ("?days=91", 14, "2026-03-17"),
        ("?days=-7", 14, "2026-03-17"),
        ("?days=7.5", 14, "2026-03-17"),
        ("?days=week", 14, "2026-03-17"),
        ("?days=", 14, "2026-03-17"),
        ("?days=99999999999999999999", 14, "2026-03-17"),
        ("?days=7&days=30", 7, "2026-03-24"),
    ] {
        for path in ALL {
            let answer = bare.get(&format!("{path}{query}")).await;
            assert_eq!(answer.at("/data/periodDays"), &json!(days), "{path}{query}: {answer:?}");
            if path != FRAUD {
                let series = told(&answer, "/data/series", &["dateKey"]);
                assert_eq!(series.len(), days, "{path}{query}");
                assert_eq!(series[0], json!([first]), "{path}{query}");
                assert_eq!(series[days - 1], json!(["2026-03-30"]), "{path}{query}");
            }
        }
    }
}

#[tokio::test]
async fn a_day_begins_at_midnight_on_the_clocks_of_the_merchant() {
    let system = system_at(NOW).await;
    let times = [
        "2026-03-28T22:59:59.999Z",
        "2026-03-28T23:00:00Z",
        "2026-03-29T01:00:00Z",
        "2026-03-29T15:00:00Z",
        "2026-03-29T18:29:59Z",
        "2026-03-29T18:30:00Z",
        "2026-03-29T22:00:00Z",
        "2026-03-30T00:00:00Z",
    ];
    for (number, (zone, days)) in [
        // 23 hours long: from 23:00 to 22:00 in UTC.
        ("Europe/Stockholm", json!([["2026-03-28", 1], ["2026-03-29", 5], ["2026-03-30", 2]])),
        ("Asia/Tokyo", json!([["2026-03-29", 3], ["2026-03-30", 5]])),
        ("UTC+05:30", json!([["2026-03-29", 5], ["2026-03-30", 3]])),
        ("UTC-01:00", json!([["2026-03-28", 2], ["2026-03-29", 6]])),
        ("UTC", json!([["2026-03-28", 2], ["2026-03-29", 5], ["2026-03-30", 1]])),
        ("Middle-earth/Shire", json!([["2026-03-28", 2], ["2026-03-29", 5], ["2026-03-30", 1]])),
        ("UTC+5", json!([["2026-03-28", 2], ["2026-03-29", 5], ["2026-03-30", 1]])),
        ("", json!([["2026-03-28", 2], ["2026-03-29", 5], ["2026-03-30", 1]])),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("m-{number}");
        let shop = shop(&system, &id, json!({"timeZone": zone})).await;
        let owned = |mut row: Value| {
            row["merchantId"] = json!(id);
            row
        };
        let orders = times.map(|time| owned(order(&format!("o-{time}"), time, 100, json!({}))));
        let redemptions = times.map(|time| owned(redemption(&format!("r-{time}"), time, 100, json!({}))));
        let sessions = times.map(|time| owned(session(&format!("v-{time}"), time, None, None)));
        system
            .load(&json!({"orders": orders, "redemptions": redemptions, "analyticsSessions": sessions}))
            .await;

        let sales = shop.get(SALES).await;
        let overview = shop.get(OVERVIEW).await;
        assert_eq!(json!(busy_days(&sales, "total")), days, "{zone}");
        assert_eq!(json!(busy_days(&shop.get(REDEMPTIONS).await, "total")), days, "{zone}");
        assert_eq!(json!(busy_days(&overview, "orders")), days, "{zone}");
        assert_eq!(json!(busy_days(&overview, "sessions")), days, "{zone}");
    }
}

#[tokio::test]
async fn a_day_on_which_the_clocks_go_back_has_25_hours() {
    let system = system_at("2026-10-25T22:59:00Z").await;
    let shop = shop(&system, "m-shop", json!({})).await;
    system
        .load(&json!({"orders": [
            order("o-1", "2026-10-24T21:59:59.999Z", 100, json!({})),
            order("o-2", "2026-10-24T22:00:00Z", 100, json!({})),
            order("o-3", "2026-10-25T00:30:00Z", 100, json!({})),
            order("o-4", "2026-10-25T01:30:00Z", 100, json!({})),
            order("o-5", "2026-10-25T22:59:00Z", 100, json!({})),
            order("o-6", "2026-10-25T23:00:00Z", 100, json!({})),
        ]}))
        .await;
    let sales = shop.get(SALES).await;
    assert_eq!(json!(busy_days(&sales, "total")), json!([["2026-10-24", 1], ["2026-10-25", 4]]));
    let last = told(&sales, "/data/series", &["dateLabel"]).pop();
    assert_eq!(last, Some(json!(["25 Oct"])));
}

#[tokio::test]
async fn splits_show_the_largest_and_equals_go_by_name() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    let sessions: Vec<Value> = (0..12)
        .map(|number| {
            let name = if number < 3 { "b".to_owned() } else { format!("c{number:02}") };
            session(&format!("v-{number}"), "2026-03-30T09:00:00Z", Some(&name), Some(&name))
        })
        .collect();
    let redemptions: Vec<Value> = (0..12)
        .map(|number| {
            let name = format!("n{number:02}");
            let fields = json!({"source": name, "storeName": name});
            redemption(&format!("r-{number}"), "2026-03-30T09:00:00Z", 100 * (number / 2), fields)
        })
        .collect();
    let statuses = [
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
        "REFUNDED",
    ];
    let orders: Vec<Value> = (0..)
        .zip(statuses)
        .map(|(number, status)| {
            order(&format!("o-{number}"), "2026-03-30T09:00:00Z", 100, json!({"status": status}))
        })
        .collect();
    system.load(&json!({"analyticsSessions": sessions, "redemptions": redemptions, "orders": orders})).await;

    let overview = shop.get(OVERVIEW).await;
    let names = ["b", "c03", "c04", "c05", "c06", "c07", "c08", "c09"];
    for split in ["/data/embedSplit", "/data/entrySplit"] {
        assert_eq!(told(&overview, split, &["name"]), names.map(|name| json!([name])), "{split}");
        assert_eq!(overview.at(&format!("{split}/0/count")), &json!(3), "{split}");
    }
    let redemptions = shop.get(REDEMPTIONS).await;
    let names = ["n10", "n11", "n08", "n09", "n06", "n07", "n04", "n05"];
    for split in ["/data/topStores", "/data/sourceSplit"] {
        assert_eq!(told(&redemptions, split, &["name"]), names.map(|name| json!([name])), "{split}");
    }
    let sales = shop.get(SALES).await;
    let names = [
        "refunded",
        "cancelled",
        "completed",
        "failed",
        "issue failed",
        "paid",
        "payment auth succeeded",
        "payment capture pending review",
        "payment capture succeeded",
        "payment captured pending fraud review",
    ];
    assert_eq!(told(&sales, "/data/statusBreakdown", &["name"]), names.map(|name| json!([name])));
    let payments = told(&sales, "/data/paymentBreakdown", &["name", "count", "valueMinor"]);
    assert_eq!(payments, [json!(["payment capture succeeded", 13, 1300])]);
}

#[tokio::test]
async fn recent_lists_are_the_latest_of_the_period_and_one_millisecond_keeps_one_order() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    let at_once = "2026-03-29T09:00:00.123Z";
    let blocked = json!({"fraud": {"status": "BLOCKED", "decidedAt": at_once}});
    let orders: Vec<Value> = (1..=11)
        .map(|number| order(&format!("o-{number:02}"), at_once, 100, blocked.clone()))
        .chain([
            order("o-newest", "2026-03-30T09:00:00Z", 100, json!({})),
            order("o-before", "2026-03-23T22:00:00Z", 100, blocked.clone()),
        ])
        .collect();
    let redemptions: Vec<Value> = (1..=11)
        .map(|number| redemption(&format!("r-{number:02}"), at_once, 100, json!({})))
        .chain([redemption("r-before", "2026-03-23T22:00:00Z", 100, json!({}))])
        .collect();
    system.load(&json!({"orders": orders, "redemptions": redemptions})).await;

    let ids = |answer: &Answer, list: &str| -> Vec<String> {
        let ids = told(answer, list, &["id"]);
        ids.iter().map(|entry| entry[0].as_str().unwrap().to_owned()).collect()
    };
    let counted = |prefix: &str, from: u8, to: u8| -> Vec<String> {
        (to..=from).rev().map(|number| format!("{prefix}-{number:02}")).collect()
    };
    let sales = shop.get(&format!("{SALES}?days=7")).await;
    let recent = ids(&sales, "/data/recent");
    assert_eq!(recent[0], "o-newest");
    assert_eq!(recent[1..], counted("o", 11, 3));
    let redemptions = shop.get(&format!("{REDEMPTIONS}?days=7")).await;
    assert_eq!(ids(&redemptions, "/data/recent"), counted("r", 11, 2));
    let fraud = shop.get(&format!("{FRAUD}?days=7")).await;
    assert_eq!(ids(&fraud, "/data/recentEvents"), counted("o", 11, 4));
}

#[tokio::test]
async fn sums_are_in_the_currency_that_is_shown() {
    let system = system_at(NOW).await;
    for (number, (currency, shown, sum)) in
        [(json!("JPY"), "JPY", 2_500), (json!("KWD"), "KWD", 0), (Value::Null, "USD", 700)]
            .into_iter()
            .enumerate()
    {
        let id = format!("m-{number}");
        let shop = shop(&system, &id, json!({"currency": currency})).await;
        let fields = |currency: &str| json!({"currency": currency, "merchantId": id});
        let at = "2026-03-30T09:00:00Z";
        system
            .load(&json!({
                "orders": [
                    order("o-1", at, 2_500, fields("JPY")), order("o-2", at, 700, fields("USD")),
                    order("o-3", at, 50, fields("EUR")),
                ],
                "redemptions": [
                    redemption("r-1", at, 2_500, fields("JPY")), redemption("r-2", at, 700, fields("USD")),
                    redemption("r-3", at, 50, fields("EUR")),
                ],
            }))
            .await;
        let average = if sum == 0 { Value::Null } else { json!(sum) };
        for (path, count, total, mean) in [
            (SALES, "completed", "grossRevenueMinor", "avgCompletedMinor"),
            (REDEMPTIONS, "succeeded", "totalRedeemedMinor", "avgRedeemMinor"),
        ] {
            let answer = shop.get(path).await;
            let kpi = |name: &str| answer.at(&format!("/data/kpis/{name}/value")).clone();
            assert_eq!(answer.at("/data/currency"), &json!(shown), "{path}");
            assert_eq!(
                (kpi(count), kpi(total), kpi(mean)),
                (json!(3), json!(sum), average.clone()),
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn what_a_merchant_is_paid_for_decides_what_it_sees() {
    let system = system_at(NOW).await;
    let viewers = json!({"users": [
        {"id": "u-till-yen", "email": "t@example.com", "merchantId": "m-yen", "permissions": ["portal.pos"]},
        {"id": "u-viewer-yen", "email": "v@example.com", "merchantId": "m-yen", "merchantTeamRole": "VIEWER"},
    ]});
    system.load(&viewers).await;
    for (user, statuses) in [
        ("u-admin", [200, 403, 200, 200]),
        ("u-yen", [200, 200, 403, 200]),
        ("u-viewer-yen", [200, 200, 403, 200]),
        ("u-rival", [200, 200, 200, 200]),
        ("u-till-yen", [403, 403, 403, 403]),
        ("u-nobody", [404, 404, 404, 404]),
    ] {
        let caller = system.user(user).await;
        for (path, status) in ALL.into_iter().zip(statuses) {
            assert_eq!(caller.get(path).await.status, status, "{user} {path}");
        }
    }
    let refused = |message: &str| json!({"ok": false, "error": message});
    let sales = system.user("u-admin").await.get(SALES).await;
    assert_eq!(sales.body, refused("Sales are not shown to a merchant that is paid on redemption."));
    let redemptions = system.user("u-yen").await.get(REDEMPTIONS).await;
    assert_eq!(redemptions.body, refused("Redemptions are not shown to a merchant that is paid on sale."));
    // Who may not see analytics is not told how the merchant is paid.
    let denied = system.user("u-till-yen").await.get(REDEMPTIONS).await;
    assert_eq!(denied.body, refused("You do not have permission to do this."));
}

#[tokio::test]
async fn another_merchants_rows_are_never_counted() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    let at = "2026-03-30T09:00:00Z";
    let mut empty = Vec::new();
    for path in ALL {
        empty.push(shop.get(path).await.body);
    }
    // Merchants whose ids begin or end like the shop's.
    for other in ["m-shop2", "m-shop#", "m-sho", "M-SHOP", "m-rival"] {
        let fields = json!({"merchantId": other, "fraud": {"status": "BLOCKED"}});
        system
            .load(&json!({
                "orders": [order("o-1", at, 100, fields)],
                "redemptions": [redemption("r-1", at, 100, json!({"merchantId": other}))],
                "analyticsSessions": [{"sessionId": "v-1", "merchantId": other, "startedAt": at}],
            }))
            .await;
    }
    for (path, empty) in ALL.into_iter().zip(empty) {
        assert_eq!(shop.get(path).await.body, empty, "{path}");
    }
    let rival = system.user("u-rival").await;
    assert_eq!(rival.get(OVERVIEW).await.at("/data/kpis/ordersPlaced/value"), &json!(1));
}

#[tokio::test]
async fn only_the_days_that_are_compared_are_read() {
    let system = system_at(NOW).await;
    let shop = shop(&system, "m-shop", json!({})).await;
    let long_ago: Vec<Value> = (0..300)
        .map(|number| order(&format!("o-{number}"), "2026-03-16T22:59:59Z", 100, json!({})))
        .collect();
    let usage = async |days: u8| {
        system.anonymous().send(Method::DELETE, "/__local/usage", None).await;
        assert_eq!(shop.get(&format!("{SALES}?days={days}")).await.status, 200);
        system.anonymous().get("/__local/usage").await.body
    };
    let (seven, fourteen) = (usage(7).await, usage(14).await);
    system.load(&json!({"orders": long_ago})).await;
    assert_eq!(usage(7).await, seven);
    assert_ne!(usage(14).await, fourteen, "the same orders cost something once they are asked for");
}

#[tokio::test]
async fn what_goes_wrong_is_said_in_one_sentence() {
    let system = system_at(NOW).await;
    let rival = system.user("u-rival").await;
    system.faults(json!([{"target": "dynamodb", "match": "Query", "kind": "status", "value": 400, "times": "always"}])).await;
    for path in ALL {
        let failed = rival.get(path).await;
        assert_eq!(failed.status, 500, "{failed:?}");
        assert_eq!(
            failed.body,
            json!({"ok": false, "error": "Something went wrong. Please try again."}),
            "{path}"
        );
    }
    system.faults(json!([])).await;
    let flat = |answer: &Answer| answer.at("/ok") == &json!(false) && answer.at("/error").is_string();
    let unknown = rival.get("/api/bff/analytics/everything").await;
    assert!(unknown.status == 404 && flat(&unknown), "{unknown:?}");
    let wrong_method = rival.post(SALES, &json!({})).await;
    assert!(wrong_method.status == 405 && flat(&wrong_method), "{wrong_method:?}");
    assert_eq!(wrong_method.header("allow"), Some("GET,HEAD"));
}
