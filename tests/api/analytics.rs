//! Analytics: the overview, sales, redemptions and fraud reports.

use insta::assert_json_snapshot;
use serde_json::{Value, json};
use world::shop::{self, with};
use world::{ApiResponse, Caller, ManualClock, System};

const OVERVIEW: &str = "/api/bff/analytics/overview";
const SALES: &str = "/api/bff/analytics/sales";
const REDEMPTIONS: &str = "/api/bff/analytics/redemptions";
const FRAUD: &str = "/api/bff/analytics/fraud";
const ALL: [&str; 4] = [OVERVIEW, SALES, REDEMPTIONS, FRAUD];

/// One day after the start of daylight saving time in Stockholm. The last 7 days begin there at midnight on 24 March
/// (23:00 UTC on 23 March), and the 7 days before at midnight on 17 March (23:00 UTC on 16 March).
const NOW: &str = "2026-03-30T10:00:00Z";

async fn system_at(now: &str) -> System {
    System::with_clock(ManualClock::at(now).clock()).await
}

/// Creates a merchant that sees every report, with `fields` applied, and signs in as its only user.
async fn sign_in_to_new_merchant(system: &System, id: &str, fields: Value) -> Caller {
    let merchant = with(json!({"id": id, "currency": "EUR", "timeZone": "Europe/Stockholm"}), &fields);
    let user = format!("u-{id}");
    system.load_fixtures(&json!({"merchants": [merchant], "users": [shop::member(&user, id, &json!({}))]})).await;
    system.sign_in(&user).await
}

/// At `NOW`.
async fn shop() -> (System, Caller) {
    let system = system_at(NOW).await;
    let caller = sign_in_to_new_merchant(&system, "m-shop", json!({})).await;
    (system, caller)
}

fn order(id: &str, created_at: &str, amount: i64, fields: &Value) -> Value {
    let paid = json!({
        "merchantId": "m-shop", "totalAmountMinor": amount, "currency": "EUR", "status": "COMPLETED",
        "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED",
    });
    with(shop::order(id, created_at, &paid), fields)
}

fn redemption(id: &str, occurred_at: &str, amount: i64, fields: &Value) -> Value {
    let of_shop = json!({"merchantId": "m-shop", "currency": "EUR", "storeName": "Main street", "networkCode": "NC-12345678"});
    with(shop::redemption(id, occurred_at, amount, &of_shop), fields)
}

fn visit(id: &str, started_at: &str, embed: Option<&str>, entry: Option<&str>) -> Value {
    json!({"sessionId": id, "merchantId": "m-shop", "startedAt": started_at, "embed": embed, "entry": entry})
}

/// Returns the values of these fields for each entry of the list.
fn field_values(response: &ApiResponse, list: &str, fields: &[&str]) -> Vec<Value> {
    assert_eq!(response.status, 200, "{response:?}");
    let entries = response.at(list).as_array().unwrap();
    entries.iter().map(|entry| fields.iter().map(|field| entry[*field].clone()).collect()).collect()
}

fn non_zero_days(response: &ApiResponse, count: &str) -> Vec<Value> {
    let days = field_values(response, "/data/series", &["dateKey", count]);
    days.into_iter().filter(|day| day[1] != json!(0)).collect()
}

#[tokio::test]
async fn sales_report_compares_with_the_previous_period() {
    let (system, caller) = shop().await;
    let fixtures = json!({"orders": [
        order("o-1", "2026-03-30T08:00:00Z", 10_000, &json!({})),
        order("o-2", "2026-03-29T22:30:00Z", 5_001, &json!({})),
        order("o-3", "2026-03-29T21:59:59.999Z", 700, &json!({"status": "PAID", "paymentStatus": "PAYMENT_AUTHORIZED"})),
        order("o-4", "2026-03-28T23:00:00Z", 3_000, &json!({"currency": "USD"})),
        order("o-5", "2026-03-23T23:00:00Z", 400, &json!({"status": "PAYMENT_FAILED", "paymentStatus": "PAYMENT_FAILED"})),
        order("o-6", "2026-03-23T22:59:59.999Z", 20_000, &json!({})),
        order("o-7", "2026-03-16T23:00:00Z", 2_000, &json!({})),
        order("o-8", "2026-03-16T22:59:59.999Z", 99_999, &json!({})),
        order("o-9", "2026-03-30T22:00:00Z", 99_999, &json!({})),
    ]});
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("sales", caller.get(&format!("{SALES}?days=7")).await);
}

#[tokio::test]
async fn redemptions_report_compares_with_the_previous_period() {
    let (system, caller) = shop().await;
    let fixtures = json!({"redemptions": [
        redemption("r-1", "2026-03-30T09:00:00Z", 2_500, &json!({})),
        redemption("r-2", "2026-03-30T08:00:00Z", 9_900, &json!({"status": "FAILED"})),
        redemption("r-3", "2026-03-29T09:00:00Z", 100, &json!({"status": "PENDING", "source": "WEB", "storeName": null,
                                                              "networkCode": null, "qrCode": "QR-1"})),
        redemption("r-4", "2026-03-28T12:00:00Z", 1_200, &json!({"source": "", "storeName": " ", "networkCode": null})),
        redemption("r-5", "2026-03-27T12:00:00Z", 2_500, &json!({"source": "WEB", "storeName": "Harbour",
                                                                "networkCode": null, "qrCode": "QR-98765"})),
        redemption("r-6", "2026-03-25T12:00:00Z", 8_000, &json!({"currency": "USD"})),
        redemption("r-7", "2026-03-20T12:00:00Z", 4_000, &json!({})),
        redemption("r-8", "2026-03-18T12:00:00Z", 700, &json!({"status": "FAILED"})),
        redemption("r-9", "2026-03-16T22:59:59.999Z", 99_999, &json!({})),
    ]});
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("redemptions", caller.get(&format!("{REDEMPTIONS}?days=7")).await);
}

#[tokio::test]
async fn fraud_report_explains_events_and_sorts_them_by_decision_time() {
    let (system, caller) = shop().await;
    let fraud_check = |status: &str, code: Option<&str>, decided_at: Option<&str>| json!({"fraud": {"status": status, "reasonCode": code, "decidedAt": decided_at}});
    let passed = || fraud_check("PASSED", Some("TRUSTED"), Some("2026-03-29T12:00:00Z"));
    let mut in_crowns = fraud_check("REVIEW", Some("HIGH_AMOUNT"), Some("2026-03-29T10:00:00Z"));
    in_crowns["currency"] = json!("SEK");
    let low_score = fraud_check("BLOCKED", Some("R7: score 0.93"), Some("2026-03-29T12:00:00Z"));
    let mut in_yen = fraud_check("REVIEW", None, None);
    in_yen["currency"] = json!("JPY");
    let fixtures = json!({"orders": [
        order("o-1", "2026-03-25T12:00:00Z", 10_050, &fraud_check("BLOCKED", Some(" velocity "), Some("2026-03-29T12:00:00Z"))),
        order("o-2", "2026-03-29T09:59:58Z", 250_000, &in_crowns),
        order("o-3", "2026-03-28T12:00:00Z", 1_500, &in_yen),
        order("0197f0c2-0000-7000-8000-9f3a1c2b4d5e", "2026-03-27T12:00:00Z", 5, &low_score),
        order("o-4", "2026-03-27T12:00:00Z", 5_000, &passed()),
        order("o-5", "2026-03-26T12:00:00Z", 5_000, &passed()),
        order("o-6", "2026-03-26T12:00:00Z", 5_000, &fraud_check("NOT_CHECKED", None, None)),
        order("o-7", "2026-03-20T12:00:00Z", 5_000, &passed()),
        order("o-8", "2026-03-20T12:00:00Z", 5_000, &fraud_check("BLOCKED", None, Some("2026-03-29T12:00:00Z"))),
    ]});
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("fraud", caller.get(&format!("{FRAUD}?days=7")).await);
    let overview = caller.get(&format!("{OVERVIEW}?days=7")).await;
    let fraud = caller.get(&format!("{FRAUD}?days=7")).await;
    assert_eq!(overview.at("/data/fraudBreakdown"), fraud.at("/data/breakdown"));
}

#[tokio::test]
async fn overview_counts_visits_orders_and_redemptions() {
    let (system, caller) = shop().await;
    let fixtures = json!({
        "analyticsSessions": [
            visit("v-1", "2026-03-30T09:00:00Z", Some("Widget"), Some("/gift-cards")),
            visit("v-2", "2026-03-30T09:00:00Z", Some("Widget"), Some("/")),
            visit("v-3", "2026-03-24T09:00:00Z", Some("Checkout"), Some("/gift-cards")),
            visit("v-4", "2026-03-24T09:00:00Z", None, None),
            visit("v-5", "2026-03-25T09:00:00Z", Some(" "), Some("")),
            visit("v-6", "2026-03-20T09:00:00Z", Some("Elsewhere"), None),
            visit("v-7", "2026-03-19T09:00:00Z", None, None),
            visit("v-8", "2026-03-01T09:00:00Z", None, None),
        ],
        "orders": [
            order("o-1", "2026-03-30T09:30:00Z", 5_000, &json!({"fraud": {"status": "PASSED"}})),
            order("o-2", "2026-03-24T09:30:00Z", 5_000, &json!({"fraud": {"status": "BLOCKED"}, "status": "FAILED"})),
            order("o-3", "2026-03-20T09:30:00Z", 5_000, &json!({"fraud": {"status": "REVIEW"}})),
        ],
        "redemptions": [
            redemption("r-1", "2026-03-30T09:30:00Z", 1_000, &json!({})),
            redemption("r-2", "2026-03-29T09:30:00Z", 1_000, &json!({"status": "FAILED"})),
            redemption("r-3", "2026-03-29T09:30:00Z", 1_000, &json!({"status": "PENDING"})),
        ],
    });
    system.load_fixtures(&fixtures).await;
    assert_json_snapshot!("overview", caller.get(&format!("{OVERVIEW}?days=7")).await);
}

#[tokio::test]
async fn empty_reports_list_every_day() {
    let system = system_at(NOW).await;
    let caller = system.sign_in("u-bare").await;
    for (path, name) in
        [(OVERVIEW, "empty_overview"), (SALES, "empty_sales"), (REDEMPTIONS, "empty_redemptions"), (FRAUD, "empty_fraud")]
    {
        assert_json_snapshot!(name, caller.get(&format!("{path}?days=7")).await);
    }
}

#[tokio::test]
async fn accepts_four_period_lengths_and_defaults_to_14_days() {
    let system = system_at(NOW).await;
    let caller = system.sign_in("u-bare").await;
    for (query, days, first) in [
        ("", 14, "2026-03-17"),
        ("?days=7", 7, "2026-03-24"),
        ("?days=14", 14, "2026-03-17"),
        ("?days=30", 30, "2026-03-01"),
        ("?days=90", 90, "2025-12-31"),
        ("?days=0", 14, "2026-03-17"),
        ("?days=6", 14, "2026-03-17"),
        ("?days=8", 14, "2026-03-17"),
        ("?days=91", 14, "2026-03-17"),
        ("?days=263", 14, "2026-03-17"),
        ("?days=-7", 14, "2026-03-17"),
        ("?days=7.5", 14, "2026-03-17"),
        ("?days=week", 14, "2026-03-17"),
        ("?days=", 14, "2026-03-17"),
        ("?days=99999999999999999999", 14, "2026-03-17"),
        ("?days=7&days=30", 7, "2026-03-24"),
    ] {
        for path in ALL {
            let response = caller.get(&format!("{path}{query}")).await;
            assert_eq!(response.at("/data/periodDays"), &json!(days), "{path}{query}: {response:?}");
            if path != FRAUD {
                let series = field_values(&response, "/data/series", &["dateKey"]);
                assert_eq!(series.len(), days, "{path}{query}");
                assert_eq!(series[0], json!([first]), "{path}{query}");
                assert_eq!(series[days - 1], json!(["2026-03-30"]), "{path}{query}");
            }
        }
    }
}

#[tokio::test]
async fn days_begin_at_midnight_in_the_merchants_time_zone() {
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
        // 29 March has 23 hours: from 23:00 UTC to 22:00 UTC.
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
        let caller = sign_in_to_new_merchant(&system, &id, json!({"timeZone": zone})).await;
        let owned = |mut row: Value| {
            row["merchantId"] = json!(id);
            row
        };
        let orders = times.map(|time| owned(order(&format!("o-{time}"), time, 100, &json!({}))));
        let redemptions = times.map(|time| owned(redemption(&format!("r-{time}"), time, 100, &json!({}))));
        let visits = times.map(|time| owned(visit(&format!("v-{time}"), time, None, None)));
        system.load_fixtures(&json!({"orders": orders, "redemptions": redemptions, "analyticsSessions": visits})).await;

        let sales = caller.get(SALES).await;
        let overview = caller.get(OVERVIEW).await;
        assert_eq!(json!(non_zero_days(&sales, "total")), days, "{zone}");
        assert_eq!(json!(non_zero_days(&caller.get(REDEMPTIONS).await, "total")), days, "{zone}");
        assert_eq!(json!(non_zero_days(&overview, "orders")), days, "{zone}");
        assert_eq!(json!(non_zero_days(&overview, "sessions")), days, "{zone}");
    }
}

#[tokio::test]
async fn day_has_25_hours_when_daylight_saving_time_ends() {
    let system = system_at("2026-10-25T22:59:00Z").await;
    let caller = sign_in_to_new_merchant(&system, "m-shop", json!({})).await;
    let fixtures = json!({"orders": [
        order("o-1", "2026-10-24T21:59:59.999Z", 100, &json!({})),
        order("o-2", "2026-10-24T22:00:00Z", 100, &json!({})),
        order("o-3", "2026-10-25T00:30:00Z", 100, &json!({})),
        order("o-4", "2026-10-25T01:30:00Z", 100, &json!({})),
        order("o-5", "2026-10-25T22:59:00Z", 100, &json!({})),
        order("o-6", "2026-10-25T23:00:00Z", 100, &json!({})),
    ]});
    system.load_fixtures(&fixtures).await;
    let sales = caller.get(SALES).await;
    assert_eq!(json!(non_zero_days(&sales, "total")), json!([["2026-10-24", 1], ["2026-10-25", 4]]));
    let last = field_values(&sales, "/data/series", &["dateLabel"]).pop();
    assert_eq!(last, Some(json!(["25 Oct"])));
}

#[tokio::test]
async fn splits_show_the_largest_entries_and_break_ties_by_name() {
    let (system, caller) = shop().await;
    let visits: Vec<Value> = (0..12)
        .map(|number| {
            let name = if number < 3 { "b".to_owned() } else { format!("c{number:02}") };
            visit(&format!("v-{number}"), "2026-03-30T09:00:00Z", Some(&name), Some(&name))
        })
        .collect();
    let redemptions: Vec<Value> = (0..12)
        .map(|number| {
            let name = format!("n{number:02}");
            let fields = json!({"source": name, "storeName": name});
            redemption(&format!("r-{number}"), "2026-03-30T09:00:00Z", 100 * (number / 2), &fields)
        })
        .collect();
    let statuses = "PENDING_PAYMENT PAYMENT_CAPTURED_PENDING_FRAUD_REVIEW PAYMENT_CAPTURE_SUCCEEDED PAYMENT_AUTH_SUCCEEDED \
                    PAYMENT_CAPTURE_PENDING_REVIEW PAYMENT_FAILED PAID FAILED ISSUE_FAILED COMPLETED CANCELLED REFUNDED \
                    REFUNDED";
    let orders: Vec<Value> = (0..)
        .zip(statuses.split(' '))
        .map(|(number, status)| order(&format!("o-{number}"), "2026-03-30T09:00:00Z", 100, &json!({"status": status})))
        .collect();
    system.load_fixtures(&json!({"analyticsSessions": visits, "redemptions": redemptions, "orders": orders})).await;

    let overview = caller.get(OVERVIEW).await;
    let names = ["b", "c03", "c04", "c05", "c06", "c07", "c08", "c09"];
    for split in ["/data/embedSplit", "/data/entrySplit"] {
        assert_eq!(field_values(&overview, split, &["name"]), names.map(|name| json!([name])), "{split}");
        assert_eq!(overview.at(&format!("{split}/0/count")), &json!(3), "{split}");
    }
    let redemptions = caller.get(REDEMPTIONS).await;
    let names = ["n10", "n11", "n08", "n09", "n06", "n07", "n04", "n05"];
    for split in ["/data/topStores", "/data/sourceSplit"] {
        assert_eq!(field_values(&redemptions, split, &["name"]), names.map(|name| json!([name])), "{split}");
    }
    let sales = caller.get(SALES).await;
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
    assert_eq!(field_values(&sales, "/data/statusBreakdown", &["name"]), names.map(|name| json!([name])));
    let payments = field_values(&sales, "/data/paymentBreakdown", &["name", "count", "valueMinor"]);
    assert_eq!(payments, [json!(["payment capture succeeded", 13, 1300])]);
}

#[tokio::test]
async fn recent_lists_show_the_latest_rows_of_the_period_and_break_ties_by_id() {
    let (system, caller) = shop().await;
    let same_time = "2026-03-29T09:00:00.123Z";
    let blocked = json!({"fraud": {"status": "BLOCKED", "decidedAt": same_time}});
    let orders: Vec<Value> = (1..=11)
        .map(|number| order(&format!("o-{number:02}"), same_time, 100, &blocked.clone()))
        .chain([
            order("o-newest", "2026-03-30T09:00:00Z", 100, &json!({})),
            order("o-before", "2026-03-23T22:00:00Z", 100, &blocked.clone()),
            order("o-earlier", "2026-03-16T22:00:00Z", 100, &blocked.clone()),
        ])
        .collect();
    let redemptions: Vec<Value> = (1..=11)
        .map(|number| redemption(&format!("r-{number:02}"), same_time, 100, &json!({})))
        .chain([redemption("r-before", "2026-03-23T22:00:00Z", 100, &json!({}))])
        .collect();
    system.load_fixtures(&json!({"orders": orders, "redemptions": redemptions})).await;

    let ids = |response: &ApiResponse, list: &str| -> Vec<String> {
        let ids = field_values(response, list, &["id"]);
        ids.iter().map(|entry| entry[0].as_str().unwrap().to_owned()).collect()
    };
    let ids_descending = |prefix: &str, first: u8, last: u8| -> Vec<String> {
        (last..=first).rev().map(|number| format!("{prefix}-{number:02}")).collect()
    };
    let sales = caller.get(&format!("{SALES}?days=7")).await;
    let recent = ids(&sales, "/data/recent");
    assert_eq!(recent[0], "o-newest");
    assert_eq!(recent[1..], ids_descending("o", 11, 3));
    assert_eq!(ids(&caller.get(&format!("{REDEMPTIONS}?days=7")).await, "/data/recent"), ids_descending("r", 11, 2));
    let fraud = caller.get(&format!("{FRAUD}?days=7")).await;
    // The order may have been placed up to one period earlier.
    let decided = [vec!["o-before".to_owned()], ids_descending("o", 11, 5)].concat();
    assert_eq!(ids(&fraud, "/data/recentEvents"), decided);
}

#[tokio::test]
async fn totals_include_only_the_shown_currency() {
    let system = system_at(NOW).await;
    for (number, (currency, shown, sum)) in
        [(json!("JPY"), "JPY", 2_500), (json!("KWD"), "SEK", 900), (Value::Null, "SEK", 900)].into_iter().enumerate()
    {
        let id = format!("m-{number}");
        let caller = sign_in_to_new_merchant(&system, &id, json!({"currency": currency})).await;
        let fields = |currency: &str| json!({"currency": currency, "merchantId": id});
        let at = "2026-03-30T09:00:00Z";
        let fixtures = json!({
            "orders": [
                order("o-1", at, 2_500, &fields("JPY")), order("o-2", at, 700, &fields("USD")),
                order("o-3", at, 400, &fields("SEK")), order("o-4", at, 500, &fields("SEK")),
                order("o-5", "2026-03-10T09:00:00Z", 1, &fields("KWD")),
            ],
            "redemptions": [
                redemption("r-1", at, 2_500, &fields("JPY")), redemption("r-2", at, 700, &fields("USD")),
                redemption("r-3", at, 400, &fields("SEK")), redemption("r-4", at, 500, &fields("SEK")),
                redemption("r-5", "2026-03-10T09:00:00Z", 1, &fields("KWD")),
            ],
        });
        system.load_fixtures(&fixtures).await;
        let average = if shown == "SEK" { 450 } else { sum };
        for (path, count, total, mean) in [
            (SALES, "completed", "grossRevenueMinor", "avgCompletedMinor"),
            (REDEMPTIONS, "succeeded", "totalRedeemedMinor", "avgRedeemMinor"),
        ] {
            let response = caller.get(path).await;
            let kpi = |name: &str| response.at(&format!("/data/kpis/{name}/value")).clone();
            assert_eq!(response.at("/data/currency"), &json!(shown), "{path}");
            assert_eq!((kpi(count), kpi(total), kpi(mean)), (json!(4), json!(sum), json!(average)), "{path}");
        }
    }
    for (currency, shown) in [(json!("KWD"), "KWD"), (Value::Null, "USD")] {
        let id = format!("m-empty-{shown}");
        let caller = sign_in_to_new_merchant(&system, &id, json!({"currency": currency})).await;
        for path in [SALES, REDEMPTIONS] {
            assert_eq!(caller.get(path).await.at("/data/currency"), &json!(shown), "{path} without rows");
        }
    }
}

#[tokio::test]
async fn only_succeeded_redemptions_are_in_the_splits() {
    let (system, caller) = shop().await;
    let at = "2026-03-30T09:00:00Z";
    let fixtures = json!({"redemptions": [
        redemption("r-1", at, 100, &json!({"source": "WEB", "storeName": "Harbour"})),
        redemption("r-2", at, 200, &json!({"status": "PENDING"})),
        redemption("r-3", at, 400, &json!({"status": "FAILED"})),
        redemption("r-4", at, 800, &json!({"source": " ", "storeName": null})),
    ]});
    system.load_fixtures(&fixtures).await;
    let report = caller.get(REDEMPTIONS).await;
    let kpis = ["totalAttempts", "succeeded", "failed", "totalRedeemedMinor"];
    let values = kpis.map(|name| report.at(&format!("/data/kpis/{name}/value")).clone());
    assert_eq!(values, [4, 2, 1, 900].map(|value| json!(value)));
    let fields = ["name", "count", "valueMinor"];
    let sources = [json!(["Other", 1, 800]), json!(["WEB", 1, 100])];
    assert_eq!(field_values(&report, "/data/sourceSplit", &fields), sources);
    let stores = [json!(["Unspecified location", 1, 800]), json!(["Harbour", 1, 100])];
    assert_eq!(field_values(&report, "/data/topStores", &fields), stores);
}

#[tokio::test]
async fn settlement_mode_decides_which_reports_are_available() {
    let system = system_at(NOW).await;
    let users = json!({"users": [
        {"id": "u-till-yen", "email": "t@example.com", "merchantId": "m-yen", "permissions": ["portal.pos"]},
        {"id": "u-viewer-yen", "email": "v@example.com", "merchantId": "m-yen", "merchantTeamRole": "VIEWER"},
    ]});
    system.load_fixtures(&users).await;
    for (user, statuses) in [
        ("u-admin", [200, 403, 200, 200]),
        ("u-yen", [200, 200, 403, 200]),
        ("u-viewer-yen", [200, 200, 403, 200]),
        ("u-rival", [200, 200, 200, 200]),
        ("u-till-yen", [403, 403, 403, 403]),
        ("u-nobody", [404, 404, 404, 404]),
    ] {
        let caller = system.sign_in(user).await;
        for (path, status) in ALL.into_iter().zip(statuses) {
            assert_eq!(caller.get(path).await.status, status, "{user} {path}");
        }
    }
    let error_body = |message: &str| json!({"ok": false, "error": message});
    let sales = system.sign_in("u-admin").await.get(SALES).await;
    assert_eq!(sales.body, error_body("Sales are not available to a merchant that is paid on redemption."));
    let redemptions = system.sign_in("u-yen").await.get(REDEMPTIONS).await;
    assert_eq!(redemptions.body, error_body("Redemptions are not available to a merchant that is paid on sale."));
    // The permission check comes first, so that the error does not reveal how the merchant is paid.
    let denied = system.sign_in("u-till-yen").await.get(REDEMPTIONS).await;
    assert_eq!(denied.body, error_body("You do not have permission to do this."));
}

#[tokio::test]
async fn never_counts_rows_of_other_merchants() {
    let (system, caller) = shop().await;
    let at = "2026-03-30T09:00:00Z";
    let mut empty = Vec::new();
    for path in ALL {
        empty.push(caller.get(path).await.body);
    }
    // Ids that extend or shorten `m-shop` or change its case, and an unrelated one.
    for other in ["m-shop2", "m-shop#", "m-sho", "M-SHOP", "m-rival"] {
        let fields = json!({"merchantId": other, "fraud": {"status": "BLOCKED"}});
        let fixtures = json!({
            "orders": [order("o-1", at, 100, &fields)],
            "redemptions": [redemption("r-1", at, 100, &json!({"merchantId": other}))],
            "analyticsSessions": [{"sessionId": "v-1", "merchantId": other, "startedAt": at}],
        });
        system.load_fixtures(&fixtures).await;
    }
    for (path, empty) in ALL.into_iter().zip(empty) {
        assert_eq!(caller.get(path).await.body, empty, "{path}");
    }
    assert_eq!(system.sign_in("u-rival").await.get(OVERVIEW).await.at("/data/kpis/ordersPlaced/value"), &json!(1));
}

#[tokio::test]
async fn a_report_costs_no_more_with_many_orders() {
    let (system, caller) = shop().await;
    let older_orders: Vec<Value> =
        (0..300).map(|number| order(&format!("o-{number}"), "2026-03-16T22:59:59Z", 100, &json!({}))).collect();
    let usage = async |days: u8| {
        system.reset_usage().await;
        assert_eq!(caller.get(&format!("{SALES}?days={days}")).await.status, 200);
        system.usage().await["analytics"]["Query"]["readUnits"].as_f64().unwrap()
    };
    let (seven, fourteen) = (usage(7).await, usage(14).await);
    system.load_fixtures(&json!({"orders": older_orders})).await;
    assert!(usage(7).await <= seven, "none of the orders is in the period");
    // The newest ten of them are shown.
    assert!(usage(14).await <= fourteen + 1.0);
}
