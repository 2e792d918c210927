//! Exports: CSV files of orders, redemptions and settlements.

use jiff::SignedDuration;
use jiff::Timestamp;
use reqwest::Client;
use serde_json::{Value, json};
use shared::clock::{Clock, later};
use shared::domain::calendar::Calendars;
use shared::domain::export::{ExportState, UploadedPart};
use shared::domain::ids::{ExportId, JobId, MerchantId};
use shared::invocation::Invocation;
use shared::store::Write;
use shared::store::jobs::{Job, Task};

use crate::support::{ApiResponse, Caller, ManualClock, System, change_merchant, client, error_body};

const EXPORTS: &str = "/api/bff/exports";
const NOW: &str = "2026-11-05T09:00:00Z";

/// A system with these rows in addition to the base fixtures, at a time that only the test moves.
async fn system_with(fixtures: &Value) -> (System, ManualClock) {
    let clock = ManualClock::at(NOW);
    let system = System::with_clock(clock.clock()).await;
    system.load_fixtures(fixtures).await;
    (system, clock)
}

fn body(kind: &str, from: &str, to: &str) -> Value {
    json!({"kind": kind, "from": from, "to": to})
}

async fn start(caller: &Caller<'_>, body: &Value) -> String {
    let started = caller.post(EXPORTS, body).await;
    assert_eq!(started.status, 202, "{started:?}");
    assert_eq!(started.at("/data/status"), "RUNNING");
    started.text("/data/id")
}

async fn get(caller: &Caller<'_>, id: &str) -> ApiResponse {
    caller.get(&format!("{EXPORTS}/{id}")).await
}

async fn download(url: &str) -> reqwest::Response {
    client().get(url).send().await.unwrap()
}

/// Exports, and returns the response of the finished export and its file.
async fn export(system: &System, caller: &Caller<'_>, body: &Value) -> (ApiResponse, String) {
    let id = start(caller, body).await;
    assert_eq!(system.settle().await, json!({"pending": 0, "dead": 0}));
    let ready = get(caller, &id).await;
    assert_eq!(ready.at("/data/status"), "READY", "{ready:?}");
    let file = download(&ready.text("/data/url")).await;
    assert_eq!(file.status(), 200);
    (ready, file.text().await.unwrap())
}

fn order(id: &str, created_at: &str) -> Value {
    json!({"id": id, "merchantId": "m-aurora", "createdAt": created_at, "totalMinor": 10_000, "currency": "SEK",
           "status": "PAID", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED"})
}

#[tokio::test]
async fn exports_orders() {
    let orders = json!({"orders": [
        {"id": "o-a", "merchantId": "m-aurora", "createdAt": "2026-07-02T10:00:00.123Z", "totalMinor": 25_050,
         "currency": "SEK", "status": "PAID", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED",
         "fulfilmentStatus": "FULFILMENT_FULFILLED", "buyerName": "=HYPERLINK(\"http://x.example\")",
         "buyerEmail": "+46@a.example", "paymentTransactionId": "tx, \"1\"", "processorTransactionId": "line\r\nbreak",
         "items": [{"offerName": "Card", "quantity": 2, "amountMinor": 12_525}],
         "giftCards": [{"id": "g-a", "qrCode": "QR-SECRET", "networkCode": "NET-SECRET", "status": "ISSUED", "valueMinor": 25_050}]},
        {"id": "order-with-a-long-id", "merchantId": "m-aurora", "createdAt": "2026-07-01T23:30:00Z", "totalMinor": 1000,
         "currency": "JPY", "status": "PENDING_PAYMENT", "paymentStatus": "PAYMENT_CREATED", "buyerName": " ＝1+1"},
        {"id": "o-c", "merchantId": "m-aurora", "createdAt": "2026-07-03T10:00:00Z", "totalMinor": 1005, "currency": "KWD",
         "status": "REFUNDED", "paymentStatus": "PAYMENT_CAPTURE_SUCCEEDED", "buyerName": "Åsa O'Neil"},
    ]});
    let (system, _) = system_with(&orders).await;
    let admin = system.sign_in("u-admin").await;
    let (ready, file) = export(&system, &admin, &body("orders", "2026-07-01", "2026-07-03")).await;

    let expected = [
        r#""id","reference","date","createdAt","status","paymentStatus","fulfilmentStatus","totalMinor","total","currency","itemCount","buyerName","buyerEmail","paymentTransactionId","processorTransactionId""#,
        r#""order-with-a-long-id","-long-id","2026-07-02","2026-07-01T23:30:00.000Z","PENDING_PAYMENT","PAYMENT_CREATED","",1000,1000,"JPY",0,"' ＝1+1","","","""#,
        "\"o-a\",\"o-a\",\"2026-07-02\",\"2026-07-02T10:00:00.123Z\",\"PAID\",\"PAYMENT_CAPTURE_SUCCEEDED\",\"FULFILMENT_FULFILLED\",25050,250.50,\"SEK\",1,\"'=HYPERLINK(\"\"http://x.example\"\")\",\"'+46@a.example\",\"tx, \"\"1\"\"\",\"line\r\nbreak\"",
        r#""o-c","o-c","2026-07-03","2026-07-03T10:00:00.000Z","REFUNDED","PAYMENT_CAPTURE_SUCCEEDED","",1005,1.005,"KWD",0,"Åsa O'Neil","","","""#,
        "",
    ];
    assert_eq!(file, expected.join("\r\n"));
    let url = ready.text("/data/url");
    let key = url.split('?').next().unwrap().split("/portal-files/").nth(1).unwrap();
    let random = key.strip_prefix("exports/m-aurora/").and_then(|name| name.strip_suffix(".csv")).unwrap();
    assert!(random.len() == 32 && random.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    let id = ready.text("/data/id");
    assert_eq!(
        ready.body,
        json!({"ok": true, "data": {"id": id, "kind": "orders", "status": "READY", "rows": 3, "url": url,
               "expiresAt": "2026-11-05T09:10:00.000Z"}})
    );
    assert_eq!(ready.header("cache-control"), Some("no-store"));
}
