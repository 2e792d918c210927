//! Exports: CSV files of orders, redemptions and settlements.

use ::jobs::JobResult;
use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use shared::app::App;
use shared::base::clock::{Clock, iso_8601};
use shared::base::invocation::Invocation;
use shared::db::{Job, Stored};
use shared::values::later;
use world::shop::{self, with};
use world::{ApiResponse, Caller, ManualClock, System, client, error_code, outcomes, refusal, spreadsheet};

pub(crate) const EXPORTS: &str = "/api/bff/exports";
const DAY: i64 = 24 * 60 * 60;

/// A system with these rows in addition to the base fixtures. Its time is the real one, by which S3 verifies links, but only
/// the test moves it.
pub(crate) async fn system_with(fixtures: &Value) -> (System, ManualClock) {
    let clock = ManualClock::new(Clock::system().now());
    let system = System::with_clock(clock.clock()).await;
    system.load_fixtures(fixtures).await;
    (system, clock)
}

pub(crate) fn body(kind: &str, from: &str, to: &str) -> Value {
    json!({"kind": kind, "from": from, "to": to})
}

/// An export of orders of a day on which there are none.
fn empty() -> Value {
    body("orders", "2026-02-01", "2026-02-02")
}

pub(crate) async fn start(caller: &Caller, body: &Value) -> String {
    let started = caller.post(EXPORTS, body).await;
    let id = started.text("/data/id");
    assert_eq!(started.reply(), (202, json!({"ok": true, "data": {"id": id, "status": "RUNNING"}})));
    id
}

pub(crate) async fn get(caller: &Caller, id: &str) -> ApiResponse {
    caller.get(&format!("{EXPORTS}/{id}")).await
}

/// Runs jobs until none is left, also those that fail a few times.
pub(crate) async fn drain(system: &System) {
    for _ in 0..5 {
        if system.drain().await == json!({"pending": 0, "dead": 0}) {
            return;
        }
    }
    panic!("{:?}", system.drain().await);
}

pub(crate) async fn download(ready: &ApiResponse) -> Response {
    assert_eq!(ready.at("/data/status"), "READY", "{ready:?}");
    let file = client().get(ready.text("/data/url")).send().await.unwrap();
    assert_eq!(file.status(), 200);
    file
}

async fn export(system: &System, caller: &Caller, body: &Value) -> String {
    let id = start(caller, body).await;
    drain(system).await;
    download(&get(caller, &id).await).await.text().await.unwrap()
}

/// The first cells of the rows below the header. They contain neither quotes nor line breaks.
fn ids(file: &str) -> Vec<&str> {
    file.lines().skip(1).map(|line| line.split('"').nth(1).unwrap()).collect()
}

pub(crate) fn order(id: &str, created_at: &str) -> Value {
    shop::order(id, created_at, &json!({"totalAmountMinor": 10_000}))
}

fn ready(id: &str, kind: &str, rows: u64, url: &str, expires_at: Timestamp) -> Value {
    json!({"ok": true, "data": {"id": id, "kind": kind, "status": "READY", "rows": rows, "url": url,
           "code": null, "expiresAt": iso_8601(expires_at)}})
}

#[tokio::test]
async fn exports_orders() {
    let orders = json!({"orders": [
        {"id": "o-a", "merchantId": "m-aurora", "createdAt": "2026-07-02T10:00:00.123Z", "totalAmountMinor": 25_050,
         "currency": "SEK", "status": "PAID", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED",
         "fulfilmentStatus": "FULFILMENT_FULFILLED", "buyerName": "=HYPERLINK(\"http://x.example\")",
         "buyerEmail": "+46@a.example", "paymentTransactionId": "tx, \"1\"", "processorTransactionId": "line\r\nbreak",
         "items": [{"offerName": "Card", "quantity": 2, "amountMinor": 12_525}],
         "giftCards": [{"id": "g-a", "qrCode": "QR-SECRET", "networkCode": "NET-SECRET", "status": "ISSUED", "valueMinor": 25_050}]},
        {"id": "order-with-a-long-id", "merchantId": "m-aurora", "createdAt": "2026-07-01T23:30:00Z", "totalAmountMinor": 1000,
         "currency": "JPY", "status": "PENDING_PAYMENT", "paymentStatus": "PAYMENT_CREATED", "buyerName": " ＝1+1"},
        {"id": "o-c", "merchantId": "m-aurora", "createdAt": "2026-07-03T10:00:00Z", "totalAmountMinor": 1005,
         "currency": "KWD", "status": "REFUNDED", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "buyerName": "Åsa O'Neil"},
    ]});
    let (system, clock) = system_with(&orders).await;
    let admin = system.sign_in("u-admin").await;
    let id = start(&admin, &body("orders", "2026-07-01", "2026-07-03")).await;
    drain(&system).await;
    let export = get(&admin, &id).await;
    let url = export.text("/data/url");
    assert_eq!(export.body, ready(&id, "orders", 3, &url, later(clock.clock().now(), SignedDuration::from_mins(10))));
    assert_eq!(export.header("cache-control"), Some("no-store"));
    let key = url.split('?').next().unwrap().split("portal-files/").nth(1).unwrap();
    let random = key.strip_prefix("exports/m-aurora/").and_then(|name| name.strip_suffix(".csv")).unwrap();
    assert!(random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");

    let file = download(&export).await;
    for (name, value) in [
        ("content-type", "text/csv; charset=utf-8; header=present"),
        ("content-disposition", "attachment; filename=\"orders-2026-07-01-2026-07-03.csv\""),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(file.headers()[name], value);
    }
    let expected = [
        r#""id","reference","date","createdAt","status","paymentStatus","fulfilmentStatus","totalMinor","total","currency","itemCount","buyerName","buyerEmail","paymentTransactionId","processorTransactionId""#,
        r#""order-with-a-long-id","'-long-id","2026-07-02","2026-07-01T23:30:00.000Z","PENDING_PAYMENT","PAYMENT_CREATED","",1000,1000,"JPY",0,"' ＝1+1","","","""#,
        "\"o-a\",\"o-a\",\"2026-07-02\",\"2026-07-02T10:00:00.123Z\",\"PAID\",\"PAYMENT_CAPTURE_SUCCEEDED\",\"FULFILMENT_FULFILLED\",25050,250.50,\"SEK\",1,\"'=HYPERLINK(\"\"http://x.example\"\")\",\"'+46@a.example\",\"tx, \"\"1\"\"\",\"line\r\nbreak\"",
        r#""o-c","o-c","2026-07-03","2026-07-03T10:00:00.000Z","REFUNDED","PAYMENT_CAPTURE_SUCCEEDED","",1005,1.005,"KWD",0,"Åsa O'Neil","","","""#,
        "",
    ];
    assert_eq!(file.text().await.unwrap(), expected.join("\r\n"));
}

#[tokio::test]
async fn exports_the_orders_that_the_list_shows() {
    let row = |id: &str, status: &str, payment_status: &str, buyer: &str| {
        let fields = json!({"status": status, "paymentStatus": payment_status, "buyerName": buyer});
        with(order(id, "2026-07-02T10:00:00Z"), &fields)
    };
    let orders = json!([
        row("o-1", "COMPLETED", "PAYMENT_CAPTURE_SUCCEEDED", "Åsa Berg"),
        row("o-2", "REFUNDED", "PAYMENT_CAPTURE_SUCCEEDED", "Åsa Ek"),
        row("o-3", "COMPLETED", "PAYMENT_CREATED", "Bo Berg"),
    ]);
    let (system, _) = system_with(&json!({"orders": orders})).await;
    let admin = system.sign_in("u-admin").await;
    for (filter, expected) in [
        (json!({}), vec!["o-1", "o-2", "o-3"]),
        (json!({"status": "COMPLETED"}), vec!["o-1", "o-3"]),
        (json!({"paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "q": "  BERG "}), vec!["o-1"]),
        (json!({"q": "a\u{30a}sa"}), vec!["o-1", "o-2"]),
        (json!({"status": "PAID"}), vec![]),
    ] {
        let body = with(body("orders", "2026-07-01", "2026-07-03"), &filter);
        let file = export(&system, &admin, &body).await;
        let mut exported = ids(&file);
        exported.sort_unstable();
        assert_eq!(exported, expected, "{filter}");
        let query = filter.as_object().unwrap().iter().map(|(name, value)| format!("{name}={}", value.as_str().unwrap()));
        let query = query.collect::<Vec<_>>().join("&").replace(' ', "%20");
        let listed = admin.get(&format!("/api/bff/merchant-orders?from=2026-07-01&to=2026-07-03&{query}")).await;
        assert_eq!(listed.at("/data/total"), &json!(expected.len()), "{query}");
    }
    let of_settlements = with(body("settlements", "2026-07-01", "2026-07-03"), &json!({"q": "Anna"}));
    let message = "kind: only orders can be selected by `status`, `paymentStatus` or `q`.";
    assert_eq!(admin.post(EXPORTS, &of_settlements).await.reply(), refusal(400, message));
}

/// Redemptions and settlements of `m-aurora`, which is paid on redemption, and settlements of `m-rival`, which has no mode.
fn books() -> Value {
    let settlement = |id: &str, merchant: &str, source_type: &str, eligible_at: &str, status: &str| {
        json!({"id": id, "merchantId": merchant, "sourceType": source_type, "sourceId": format!("source-of-{id}"),
               "grossAmountMinor": 10_000, "feeAmountMinor": 350, "netAmountMinor": 9650, "currency": "SEK",
               "status": status, "createdAt": "2026-06-24T10:00:00Z", "updatedAt": "2026-06-25T10:00:00Z",
               "eligibleAt": eligible_at})
    };
    let of_refund = json!({
        "grossAmountMinor": -5, "feeAmountMinor": 0, "netAmountMinor": -5, "held": true, "payoutBatchId": "-batch",
        "orderId": "o-1", "giftCardId": "g-1", "redemptionId": "r-1",
    });
    let refund = with(settlement("s-refund", "m-aurora", "REDEMPTION", "2026-07-02T10:00:00Z", "PAID"), &of_refund);
    json!({
        "redemptions": [
            {"id": "r-1", "merchantId": "m-aurora", "occurredAt": "2026-07-01T10:00:00Z", "status": "SUCCEEDED",
             "source": "POS", "storeName": "@Main street", "amountMinor": 12_345, "currency": "SEK",
             "qrCode": "QR-SECRET-1234", "networkCode": "NET-SECRET-=789"},
            {"id": "r-2", "merchantId": "m-aurora", "occurredAt": "2026-07-02T10:00:00Z", "status": "FAILED",
             "amountMinor": 5, "currency": "SEK", "qrCode": "QR1"},
        ],
        "settlements": [
            settlement("s-1", "m-aurora", "REDEMPTION", "2026-07-01T10:00:00Z", "PENDING"),
            refund,
            settlement("s-void", "m-aurora", "REDEMPTION", "2026-07-01T11:00:00Z", "VOID"),
            settlement("s-of-order", "m-aurora", "ORDER", "2026-07-01T12:00:00Z", "PENDING"),
            settlement("s-later", "m-aurora", "REDEMPTION", "2026-08-01T10:00:00Z", "PENDING"),
            settlement("s-3", "m-rival", "REDEMPTION", "2026-07-01T10:00:00Z", "PENDING"),
            settlement("s-4", "m-rival", "ORDER", "2026-07-02T10:00:00Z", "PENDING"),
            settlement("s-5", "m-rival", "ORDER", "2026-07-01T10:00:00Z", "PENDING"),
        ],
    })
}

#[tokio::test]
async fn exports_redemptions_and_the_settlements_that_the_merchants_list_shows() {
    let (system, _) = system_with(&books()).await;
    let admin = system.sign_in("u-admin").await;
    let expected = [
        r#""id","date","occurredAt","status","amountMinor","amount","currency","cardRef","source","storeName""#,
        r#""r-1","2026-07-01","2026-07-01T10:00:00.000Z","SUCCEEDED",12345,123.45,"SEK","'=789","POS","'@Main street""#,
        r#""r-2","2026-07-02","2026-07-02T10:00:00.000Z","FAILED",5,0.05,"SEK","••••","","""#,
        "",
    ];
    let file = export(&system, &admin, &body("redemptions", "2026-07-01", "2026-07-31")).await;
    assert_eq!(file, expected.join("\r\n"));

    let expected = [
        r#""id","date","eligibleAt","createdAt","updatedAt","sourceType","sourceId","orderId","giftCardId","redemptionId","status","held","payoutBatchId","grossAmountMinor","grossAmount","feeAmountMinor","feeAmount","netAmountMinor","netAmount","currency""#,
        r#""s-1","2026-07-01","2026-07-01T10:00:00.000Z","2026-06-24T10:00:00.000Z","2026-06-25T10:00:00.000Z","REDEMPTION","source-of-s-1","","","","PENDING","false","",10000,100.00,350,3.50,9650,96.50,"SEK""#,
        r#""s-refund","2026-07-02","2026-07-02T10:00:00.000Z","2026-06-24T10:00:00.000Z","2026-06-25T10:00:00.000Z","REDEMPTION","source-of-s-refund","o-1","g-1","r-1","PAID","true","'-batch",-5,-0.05,0,0.00,-5,-0.05,"SEK""#,
        "",
    ];
    let july = body("settlements", "2026-07-01", "2026-07-31");
    assert_eq!(export(&system, &admin, &july).await, expected.join("\r\n"));
    assert_eq!(ids(&export(&system, &system.sign_in("u-rival").await, &july).await), ["s-5", "s-4", "s-3"]);
}

/// By the day on which they were created, none is left out because it is due later.
#[tokio::test]
async fn settlements_are_selected_by_the_day_on_which_they_are_due_or_were_created() {
    let settlement =
        |id: &str, created_at: &str, eligible_at: &str| shop::settlement(id, eligible_at, 100, &json!({"createdAt": created_at}));
    let settlements = json!({"settlements": [
        settlement("s-early", "2026-06-30T21:59:59Z", "2026-07-02T10:00:00Z"),
        settlement("s-first", "2026-06-30T22:00:00Z", "2026-07-14T10:00:00Z"),
        settlement("s-due-later", "2026-07-31T21:59:59Z", "2099-08-14T10:00:00Z"),
        settlement("s-late", "2026-07-31T22:00:00Z", "2026-07-31T10:00:00Z"),
    ]});
    let (system, _) = system_with(&settlements).await;
    let admin = system.sign_in("u-admin").await;
    let july = |by: &str| json!({"kind": "settlements", "from": "2026-07-01", "to": "2026-07-31", "by": by});
    for (body, expected) in [
        (body("settlements", "2026-07-01", "2026-07-31"), vec!["s-early", "s-first", "s-late"]),
        (july("eligibleAt"), vec!["s-early", "s-first", "s-late"]),
        (july("createdAt"), vec!["s-first", "s-due-later"]),
        (body("settlements", "2099-08-01", "2099-08-31"), vec!["s-due-later"]),
    ] {
        assert_eq!(ids(&export(&system, &admin, &body).await), expected, "{body}");
    }
    let file = export(&system, &admin, &july("createdAt")).await;
    assert!(file.contains(r#""s-first","2026-07-01","2026-07-14T10:00:00.000Z""#), "the day by which it was selected: {file}");
    let other = json!({"kind": "orders", "from": "2026-07-01", "to": "2026-07-31", "by": "createdAt"});
    admin.post(EXPORTS, &other).await.assert_invalid("by: ");
}

#[tokio::test]
async fn no_column_has_a_formula_whatever_separates_the_cells() {
    const AT: &str = "2026-07-02T10:00:00Z";
    let evils = ["=HYPERLINK(1)", "x;=HYPERLINK(1)", "x;\"=1", "x\t+1", "x\n@a", "x\r\n -1", ";\u{a0}＝1", "\"; '=1"];
    let (mut orders, mut redemptions, mut settlements) = (vec![], vec![], vec![]);
    for (number, evil) in evils.iter().enumerate() {
        let id = |kind: &str| format!("{kind}-evil-{number}");
        let texts = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), json!(evil))).collect::<Value>();
        let of_order = texts(&["buyerName", "buyerEmail", "paymentTransactionId", "processorTransactionId"]);
        orders.push(with(order(&id("o"), AT), &of_order));
        redemptions.push(shop::redemption(&id("r"), AT, 1000, &texts(&["networkCode", "source", "storeName"])));
        let of_settlement = texts(&["sourceId", "orderId", "giftCardId", "redemptionId", "payoutBatchId"]);
        settlements.push(shop::settlement(&id("s"), AT, 1000, &with(of_settlement, &json!({"createdAt": AT}))));
    }
    let rows = json!({"orders": orders, "redemptions": redemptions, "settlements": settlements});
    let (system, _) = system_with(&rows).await;
    let admin = system.sign_in("u-admin").await;
    for kind in ["orders", "redemptions", "settlements"] {
        let file = export(&system, &admin, &body(kind, "2026-07-01", "2026-07-31")).await;
        assert!((0..evils.len()).all(|number| file.contains(&format!("-evil-{number}"))), "{kind}: {file}");
        for cell in [',', ';', '\t'].iter().flat_map(|separator| spreadsheet(&file, *separator)).flatten() {
            let begin = cell.trim_start_matches([' ', '\u{a0}', '"']);
            assert!(!begin.starts_with(['=', '+', '-', '@', '＝']), "{kind}: {cell:?} in {file}");
        }
    }
}

#[tokio::test]
async fn days_are_those_of_the_merchants_time_zone_and_both_are_included() {
    // Daylight saving time begins on 29 March and ends on 25 October.
    let times = [
        ("o-1", "2026-03-28T22:59:59.999Z"),
        ("o-2", "2026-03-28T23:00:00Z"),
        ("o-3", "2026-03-29T21:59:59.999Z"),
        ("o-4", "2026-03-29T22:00:00Z"),
        ("o-5", "2026-10-24T21:59:59.999Z"),
        ("o-6", "2026-10-24T22:00:00Z"),
        ("o-7", "2026-10-25T22:59:59.999Z"),
        ("o-8", "2026-10-25T23:00:00Z"),
    ];
    let orders: Vec<Value> = times.iter().map(|(id, at)| order(id, at)).collect();
    let (system, _) = system_with(&json!({"orders": orders})).await;
    let admin = system.sign_in("u-admin").await;
    for (from, to, expected) in [
        ("2026-03-28", "2026-03-28", vec!["o-1"]),
        ("2026-03-29", "2026-03-29", vec!["o-2", "o-3"]),
        ("2026-03-29", "2026-03-30", vec!["o-2", "o-3", "o-4"]),
        ("2026-10-24", "2026-10-24", vec!["o-5"]),
        ("2026-10-25", "2026-10-25", vec!["o-6", "o-7"]),
        ("2026-10-26", "2027-10-26", vec!["o-8"]),
        ("2026-05-01", "2026-05-31", vec![]),
        ("9999-12-31", "9999-12-31", vec![]),
    ] {
        assert_eq!(ids(&export(&system, &admin, &body("orders", from, to)).await), expected, "{from} to {to}");
    }
    // The zone is the one of the time of the request.
    system.change_merchant("m-aurora", |merchant| merchant.time_zone = "UTC".to_owned()).await;
    assert_eq!(ids(&export(&system, &admin, &body("orders", "2026-03-29", "2026-03-29")).await), ["o-3", "o-4"]);
}

#[tokio::test]
async fn contains_a_sale_of_a_moment_ago() {
    let (system, admin) = System::signed_in("u-admin").await;
    let sold = admin.sell(100).await;
    let now = Clock::system().now().to_zoned(jiff::tz::TimeZone::get("Europe/Stockholm").unwrap());
    let days = body("orders", &now.date().yesterday().unwrap().to_string(), &now.date().to_string());
    let file = export(&system, &admin, &days).await;
    assert_eq!(ids(&file), [sold.text("/data/orderId")]);
    assert!(!file.contains(&sold.text("/data/qrCode")));
}

/// Orders of three parts: the names of their buyers are 24 KB long.
pub(crate) fn many_orders() -> Value {
    let name = "x".repeat(23_998) + "Ö";
    let orders = (0..600).map(|number| {
        let at = later("2026-07-01T00:00:00Z".parse().unwrap(), SignedDuration::from_secs(number));
        with(order(&format!("o-{number:03}"), &iso_8601(at)), &json!({"buyerName": format!("{name} {number}")}))
    });
    json!({"orders": orders.collect::<Vec<_>>()})
}

fn assert_has_all_orders(file: &str) {
    let expected: Vec<String> = (0..600).map(|number| format!("o-{number:03}")).collect();
    assert_eq!(ids(file), expected);
    assert!(file.starts_with("\"id\",") && file.ends_with("\r\n"));
    for (line, number) in file.lines().skip(1).zip(0..) {
        assert!(line.ends_with(&format!(" {number}\",\"\",\"\",\"\"")), "{number}");
    }
}

#[tokio::test]
async fn a_worker_goes_on_where_the_last_one_stopped() {
    let (system, _) = system_with(&many_orders()).await;
    let admin = system.sign_in("u-admin").await;
    let july = body("orders", "2026-07-01", "2026-07-31");
    let fault = |operation: &str, kind: &str| json!({"target": "s3", "match": operation, "kind": kind, "value": 400, "times": 3});
    for faults in [
        json!([]),
        json!([fault("CreateMultipartUpload", "status")]),
        json!([fault("UploadPart", "status")]),
        // The part is there, but the worker does not know.
        json!([fault("UploadPart", "after")]),
        json!([fault("CompleteMultipartUpload", "status")]),
        // The file is there, but the worker does not know: it is begun again.
        json!([fault("CompleteMultipartUpload", "after")]),
    ] {
        system.set_faults(faults.clone()).await;
        let id = start(&admin, &july).await;
        drain(&system).await;
        let ready = get(&admin, &id).await;
        assert_eq!(ready.at("/data/rows"), 600, "{faults}: {ready:?}");
        let file = download(&ready).await;
        assert!(file.headers()["etag"].to_str().unwrap().ends_with("-3\""), "{faults}: {:?}", file.headers());
        assert_has_all_orders(&file.text().await.unwrap());
    }
}

/// The job of an export once the worker of the local system has failed. It is due again in some seconds, and nobody runs it but the
/// test.
pub(crate) async fn failed_job(app: &App) -> Stored<Job> {
    loop {
        // None where one job has followed another in a shard that was read before.
        let Some(job) = app.store.due_jobs(Timestamp::MAX, 10).await.unwrap().pop() else { continue };
        let is_failed =
            |job: &Job| job.waits(app.clock.now()) && !job.waits(later(app.clock.now(), SignedDuration::from_secs(20)));
        if is_failed(&job) {
            return job;
        }
    }
}

#[tokio::test]
async fn a_job_without_time_writes_a_part_and_leaves_the_rest_to_another_one() {
    let (system, _) = system_with(&many_orders()).await;
    let admin = system.sign_in("u-admin").await;
    system.set_fault("s3", "UploadPart", "status", 400).await;
    let id = start(&admin, &body("orders", "2026-07-01", "2026-07-31")).await;
    let app = system.local.app();
    let job = failed_job(app).await;
    system.set_faults(json!([])).await;
    let no_time = Invocation::new(&app.clock, "r".to_owned()).until(Timestamp::MIN);
    assert_eq!(::jobs::run(app, &no_time, job).await.unwrap(), JobResult::Done);
    drain(&system).await;
    assert_has_all_orders(&download(&get(&admin, &id).await).await.text().await.unwrap());
}

/// Of 600 settlements in 14 MB, every fiftieth was created in July.
fn settlements_of_many_days() -> Value {
    let gift_card = "g".repeat(24_000);
    let settlements = (0..600).map(|number| {
        let at = later("2026-08-01T00:00:00Z".parse().unwrap(), SignedDuration::from_secs(number));
        let created_at = if number % 50 == 0 { "2026-07-02T10:00:00Z" } else { "2026-06-02T10:00:00Z" };
        let fields = json!({"giftCardId": gift_card, "createdAt": created_at});
        shop::settlement(&format!("s-{number:03}"), &iso_8601(at), 100, &fields)
    });
    json!({"settlements": settlements.collect::<Vec<_>>()})
}

#[tokio::test]
async fn a_step_reads_some_rows_however_few_of_them_are_exported() {
    let (system, _) = system_with(&settlements_of_many_days()).await;
    let admin = system.sign_in("u-admin").await;
    let july = json!({"kind": "settlements", "from": "2026-07-01", "to": "2026-07-31", "by": "createdAt"});
    let expected: Vec<String> = (0..600).step_by(50).map(|number| format!("s-{number:03}")).collect();
    let fault = |operation: &str, kind: &str| json!({"target": "s3", "match": operation, "kind": kind, "value": 400, "times": 3});

    system.set_faults(json!([fault("PutObject", "status"), fault("UploadPart", "status")])).await;
    let id = start(&admin, &july).await;
    let app = system.local.app();
    let job = failed_job(app).await;
    system.set_faults(json!([])).await;
    let no_time = Invocation::new(&app.clock, "r".to_owned()).until(Timestamp::MIN);
    assert_eq!(::jobs::run(app, &no_time, job).await.unwrap(), JobResult::Done);
    let running = get(&admin, &id).await;
    let rows = running.at("/data/rows").as_u64().unwrap();
    assert!(running.at("/data/status") == "RUNNING" && (1..12).contains(&rows), "{running:?}");
    drain(&system).await;
    assert_eq!(ids(&download(&get(&admin, &id).await).await.text().await.unwrap()), expected);

    // The rows are there, but the worker does not know; then they cannot be read.
    for faults in [fault("PutObject", "after"), fault("GetObject", "status")] {
        system.set_faults(json!([faults])).await;
        let id = start(&admin, &july).await;
        drain(&system).await;
        let ready = get(&admin, &id).await;
        assert_eq!(ready.at("/data/rows"), 12);
        assert_eq!(ids(&download(&ready).await.text().await.unwrap()), expected);
    }
}

#[tokio::test]
async fn one_export_of_a_merchant_runs_at_a_time_until_it_is_given_up() {
    let (system, clock) = system_with(&json!({})).await;
    let (admin, viewer, rival) =
        (system.sign_in("u-admin").await, system.sign_in("u-viewer").await, system.sign_in("u-rival").await);
    system.set_fault("s3", "UploadPart", "status", 400).await;
    let id = start(&admin, &empty()).await;
    let export = |status: &str, rows: Option<u8>| {
        let data =
            json!({"id": id, "kind": "orders", "status": status, "rows": rows, "url": null, "code": null, "expiresAt": null});
        json!({"ok": true, "data": data})
    };
    let (running, failed) = (export("RUNNING", Some(0)), export("FAILED", None));
    // A worker gives up two minutes before the half hour is over.
    for minutes in [0, 27] {
        clock.advance(minutes * 60);
        for caller in [&admin, &viewer] {
            let refused = caller.post(EXPORTS, &body("redemptions", "2026-01-01", "2026-01-01")).await;
            assert_eq!(error_code(&refused), (409, "EXPORT_RUNNING"));
            assert_eq!(refused.at("/error/message"), "Another export is running. Please wait until it is ready.");
        }
        assert_eq!(get(&viewer, &id).await.body, running);
    }
    start(&rival, &empty()).await;

    clock.advance(3 * 60);
    assert_eq!(get(&viewer, &id).await.body, failed);
    let next = start(&viewer, &empty()).await;
    system.set_faults(json!([])).await;
    drain(&system).await;
    assert_eq!(get(&viewer, &id).await.body, failed);
    assert_eq!(get(&viewer, &next).await.at("/data/status"), "READY");
    // None is left behind that would stop another one.
    start(&admin, &empty()).await;
    start(&rival, &empty()).await;
}

#[tokio::test]
async fn an_export_can_be_started_although_the_job_of_the_last_one_is_dead() {
    let (system, clock) = system_with(&json!({})).await;
    let admin = system.sign_in("u-admin").await;
    system.set_fault("s3", "UploadPart", "status", 400).await;
    let id = start(&admin, &empty()).await;
    let mut dead = json!(0);
    while dead == 0 {
        dead = system.drain().await["dead"].clone();
    }
    clock.advance(30 * 60);
    assert_eq!(get(&admin, &id).await.at("/data/status"), "FAILED");
    system.set_faults(json!([])).await;
    let next = start(&admin, &empty()).await;
    system.drain().await;
    assert_eq!(get(&admin, &next).await.at("/data/status"), "READY");
}

#[tokio::test]
async fn of_concurrent_requests_one_starts_an_export() {
    let (system, _) = system_with(&json!({})).await;
    let admin = system.sign_in("u-admin").await;
    system.set_fault("s3", "UploadPart", "status", 400).await;
    let request = empty();
    let started = join_all((0..8).map(|_| admin.post(EXPORTS, &request))).await;
    assert_eq!(outcomes(&started), [vec![(202, "")], vec![(409, "EXPORT_RUNNING"); 7]].concat());
}

#[tokio::test]
async fn a_merchant_can_make_twenty_exports_within_a_day() {
    let (system, clock) = system_with(&json!({})).await;
    let (admin, viewer, rival) =
        (system.sign_in("u-admin").await, system.sign_in("u-viewer").await, system.sign_in("u-rival").await);
    let first = clock.clock().now();
    for member in [&admin, &system.sign_in("u-full").await] {
        for _ in 0..10 {
            start(member, &empty()).await;
            drain(&system).await;
            clock.advance(30 * 60);
        }
        let refused = member.post(EXPORTS, &empty()).await;
        assert!(refused.status == 429 && refused.contains("You have reached your limit of 10 exports a day."), "{refused:?}");
    }
    let refused = viewer.post(EXPORTS, &empty()).await;
    let message = "Your team has reached its limit of 20 exports a day. Please try again in 14 hours.";
    assert_eq!((refused.reply(), refused.header("retry-after")), (refusal(429, message), Some("50400")));
    start(&rival, &empty()).await;
    // Sessions end sooner than that.
    clock.advance(14 * 60 * 60 - 1);
    assert_eq!(clock.clock().now(), later(first, SignedDuration::from_secs(DAY - 1)));
    let admin = system.sign_in("u-admin").await;
    assert_eq!(admin.post(EXPORTS, &empty()).await.header("retry-after"), Some("1"));
    clock.advance(1);
    start(&admin, &empty()).await;
    drain(&system).await;
    assert_eq!(admin.post(EXPORTS, &empty()).await.status, 429);
}

#[tokio::test]
async fn an_export_is_gone_after_a_day() {
    let (system, clock) = system_with(&json!({})).await;
    let admin = system.sign_in("u-admin").await;
    let started = clock.clock().now();
    let id = start(&admin, &empty()).await;
    drain(&system).await;
    clock.advance(DAY - 300);
    let admin = system.sign_in("u-admin").await;
    let export = get(&admin, &id).await;
    let url = export.text("/data/url");
    assert_eq!(export.body, ready(&id, "orders", 0, &url, later(started, SignedDuration::from_secs(DAY))));
    assert!(url.contains("X-Amz-Expires=300&"), "{url}");
    clock.advance(299);
    assert_eq!(get(&admin, &id).await.status, 200);
    clock.advance(1);
    assert_eq!(get(&admin, &id).await.reply(), refusal(404, "There is no such export."));
}

#[tokio::test]
async fn tenants_are_apart_and_no_other_route_reaches_a_file() {
    let (system, _) = system_with(&books()).await;
    let (admin, rival, root) = (system.sign_in("u-admin").await, system.sign_in("u-rival").await, system.sign_in("u-root").await);
    let july = body("settlements", "2026-07-01", "2026-07-31");
    let id = start(&admin, &july).await;
    drain(&system).await;
    let export = get(&admin, &id).await;
    for caller in [&rival, &root] {
        assert_eq!(get(caller, &id).await.status, 404);
    }
    for id in ["unknown", "RUNNING", "%23", &format!("../m-aurora/{id}")] {
        assert_eq!(get(&admin, id).await.status, 404, "{id}");
    }
    assert!(!ids(&self::export(&system, &rival, &july).await).contains(&"s-1"));

    let url = export.text("/data/url");
    let key = url.split('?').next().unwrap().split("portal-files/").nth(1).unwrap();
    let object = format!("https://portal-files.s3.eu-west-1.amazonaws.com/{key}");
    for caller in [&admin, &rival, &root] {
        let document = caller.get(&format!("/api/onboarding/document?url={object}")).await;
        assert!([400, 403].contains(&document.status), "{document:?}");
    }
    assert_eq!(admin.get(&format!("/api/public/gift-card-image?key={key}")).await.status, 404);
    assert_eq!(world::get(url.split('?').next().unwrap()).await.status, 403, "an unsigned link");
}

#[tokio::test]
async fn each_kind_needs_its_permission_for_reading() {
    let permissions = ["portal.orders", "portal.analytics", "portal.reports", "portal.pos"];
    let users = permissions
        .map(|permission| shop::member(permission, "m-aurora", &json!({"merchantTeamRole": null, "permissions": [permission]})));
    let (system, _) = system_with(&json!({"users": users})).await;
    let kinds = ["orders", "redemptions", "settlements"];
    let viewer = system.sign_in("u-viewer").await;
    let mut exports = Vec::new();
    for kind in kinds {
        exports.push(start(&viewer, &body(kind, "2026-01-01", "2026-01-01")).await);
        drain(&system).await;
    }
    for (user, allowed) in [
        ("portal.orders", vec!["orders"]),
        ("portal.analytics", vec!["redemptions"]),
        ("portal.reports", vec!["settlements"]),
        ("portal.pos", vec![]),
        ("u-till", vec![]),
        ("u-full", kinds.to_vec()),
        ("u-unset", kinds.to_vec()),
    ] {
        let caller = system.sign_in(user).await;
        for (kind, id) in kinds.iter().zip(&exports) {
            let expected = if allowed.contains(kind) { (400, 200) } else { (403, 403) };
            // The permission is checked before the days.
            let started = caller.post(EXPORTS, &body(kind, "2026-01-02", "2026-01-01")).await;
            assert_eq!((started.status, get(&caller, id).await.status), expected, "{user} {kind}");
        }
        let unknown = if allowed.is_empty() { 403 } else { 404 };
        assert_eq!(get(&caller, "unknown").await.status, unknown, "{user}");
    }
}

#[tokio::test]
async fn errors_name_the_field() {
    let (_system, admin) = System::signed_in("u-admin").await;
    for (body, message) in [
        (json!({}), "kind: is missing."),
        (json!({"kind": "cards"}), "kind: must be orders, redemptions or settlements."),
        (json!({"kind": "orders"}), "from: is missing."),
        (json!({"kind": "orders", "from": "2026-01-01"}), "to: is missing."),
        (json!({"kind": "orders", "from": 1, "to": "2026-01-01"}), "from: must be a string."),
        (body("orders", "2026-02-29", "2026-03-01"), "from: must be a day such as 2026-01-31."),
        (body("orders", "20260101", "2026-03-01"), "from: must be a day such as 2026-01-31."),
        (body("orders", "2026-1-1", "2026-03-01"), "from: must be a day such as 2026-01-31."),
        (body("orders", "2026-01-01", " 2026-01-01"), "to: must be a day such as 2026-01-31."),
        (body("orders", "2026-01-01", "2026-01-01T00:00:00"), "to: must be a day such as 2026-01-31."),
        (body("orders", "2026-01-01", "tomorrow"), "to: must be a day such as 2026-01-31."),
        (body("orders", "2026-01-02", "2026-01-01"), "to: must not be before `from`."),
        (body("orders", "2025-01-01", "2026-01-02"), "to: must be within 366 days of `from`."),
        (body("orders", "0001-01-01", "9999-12-31"), "to: must be within 366 days of `from`."),
    ] {
        assert_eq!(admin.post(EXPORTS, &body).await.reply(), refusal(400, message), "{body}");
    }
    start(&admin, &body("orders", "2025-01-01", "2026-01-01")).await;
    let text = admin.request(Method::POST, EXPORTS).body(empty().to_string()).header("content-type", "text/plain");
    assert_eq!(Caller::send_request(text).await.status, 415);
    let elsewhere = admin.request(Method::POST, EXPORTS).header("origin", "https://evil.example");
    let elsewhere = elsewhere.header("content-type", "application/json").body(empty().to_string());
    assert_eq!(Caller::send_request(elsewhere).await.status, 403);
}

#[tokio::test]
async fn only_exports_that_start_count() {
    let (system, _) = System::at("2026-05-28T20:26:40Z").await;
    let admin = system.sign_in("u-admin").await;
    for number in 0..10 {
        for (from, status) in [("2026-01-01", 202), ("2026-01-03", 400), ("2026-01-01", 409)] {
            let started = admin.post(EXPORTS, &body("orders", from, "2026-01-02")).await;
            assert_eq!(started.status, status, "{number}: {started:?}");
        }
        system.drain().await;
    }
    let refused = admin.post(EXPORTS, &body("orders", "2026-01-01", "2026-01-02")).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true));
}
