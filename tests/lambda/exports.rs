//! What a large export needs of its function.

use std::path::PathBuf;

use bytes::Bytes;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use local::{Local, Options, StartingState};
use serde_json::json;
use shared::base::clock::iso_8601;
use shared::db::{Entity, Job, Task, Write};
use shared::projections::model::export::{
    Days, Export, ExportFormat, ExportKind, ExportProgress, ExportState, ExportedOrders, SelectedBy,
};
use shared::projections::model::tally::Family;
use shared::projections::rows::exports::RunningExport;
use shared::values::csv::Cell;
use shared::values::{ExportId, JobId, MerchantId, Minor, Money, later};
use world::runtime::{self, Function};

/// The memory of a function, in kilobytes.
const MEMORY: u64 = 256 * 1024;
const MERCHANT: &str = "m-big";

/// Lets the function `jobs` write as many parts as it can within one invocation, and prints rows, time and peak memory. The
/// function is the debug build, or the one in the folder `FUNCTIONS`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs the data directory EXPORT_DATA of `cargo run -- generate --data DIR --orders 100000`"]
async fn a_large_export_fits_into_the_memory_of_its_function() {
    let data = PathBuf::from(std::env::var("EXPORT_DATA").expect("EXPORT_DATA is set"));
    let options = Options { data: Some(data), fixtures: StartingState::Nothing, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    let progress = ExportProgress::new(local.app().clock.now());
    let (rows, _) = go_on(&local, ExportFormat::Csv, progress).await;
    assert!(rows > 0);
}

/// The same with the largest workbook, whose rows were read before.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a while"]
async fn the_largest_workbook_fits_into_the_memory_of_its_function() {
    let local = Local::start(Options { fixtures: StartingState::Nothing, ..Options::default() }).await.unwrap();
    let app = local.app();
    let mut progress = ExportProgress::new(app.clock.now());
    for piece in 0..20_u64 {
        let rows: String = (0..10_000).map(|row| row_of_workbook(piece * 10_000 + row)).collect();
        let key = format!("exports/piece-{piece}");
        app.documents().put_as(&key, Bytes::from(rows), "application/x-ndjson").await.unwrap();
        progress = progress.with_piece(key, 10_000, None, app.clock.now());
    }
    let (rows, state) = go_on(&local, ExportFormat::Xlsx, progress).await;
    assert!(matches!(state, ExportState::Ready { .. }), "{state:?}");
    assert_eq!(rows, 200_000);
    let file = app.documents().get("exports/measured").await.unwrap().unwrap();
    println!("{} bytes", file.bytes.len());
}

/// An order.
fn row_of_workbook(number: u64) -> String {
    let at: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let at = later(at, SignedDuration::from_secs(i64::try_from(number).unwrap() * 100));
    let amount = Money::new(Minor::new(i64::try_from(number).unwrap()), "SEK".parse().unwrap());
    let text = |prefix: &str| Cell::text(format!("{prefix}{:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let cells = [
        text("019c18a5-1d00-78f6-"),
        text(""),
        Cell::Date(at.to_zoned(TimeZone::UTC).date()),
        Cell::Time(at),
        Cell::text("COMPLETED"),
        Cell::text("PAYMENT_CAPTURE_SUCCEEDED"),
        Cell::text("FULFILLED"),
        Cell::Integer(amount.minor.get()),
        Cell::Units(amount),
        Cell::text("SEK"),
        Cell::Integer(1),
        text("Buyer "),
        text("buyer@mail.example"),
        text("pay_"),
        text("txn_"),
    ];
    serde_json::to_string(&cells).unwrap() + "\n"
}

/// Invokes the function once for an export with this progress. Returns its rows and its state.
async fn go_on(local: &Local, format: ExportFormat, progress: ExportProgress) -> (u64, ExportState) {
    let (app, merchant_id) = (local.app(), MerchantId::new(MERCHANT));
    let now = app.clock.now();
    let to = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let export = Export {
        id: ExportId::new(app.random.uuid(now).to_string()),
        merchant_id: merchant_id.clone(),
        kind: ExportKind::Orders,
        days: Days { from: to.saturating_sub(400.days()), to, time_zone: "UTC".to_owned() },
        by: SelectedBy::EligibleAt,
        format,
        families: vec![Family::Orders],
        orders: ExportedOrders::default(),
        object_key: "exports/measured".to_owned(),
        created_at: now,
        state: ExportState::Running(progress.clone()),
    };
    let export_id = export.id.clone();
    let running = RunningExport { merchant_id: merchant_id.clone(), export_id: export_id.clone(), fails_at: progress.fails_at };
    // The workers of the local system leave a job of later alone; the function is told that it is due.
    let job_id = JobId::new(export_id.as_str());
    let task = Task::WriteExport { export_id: export_id.clone() };
    let job = Job::with_id(job_id, merchant_id.clone(), task, now);
    let later = job.clone().due_at(later(now, SignedDuration::from_hours(1)));
    let writes = vec![Write::create(&export), Write::put(&running), Write::create(&later)];
    app.store.commit(writes.into_iter().map(Result::unwrap).collect()).await.unwrap();
    let (key, at) = (job.key(), iso_8601(now));
    let image = json!({
        "pk": {"S": key.pk}, "sk": {"S": key.sk}, "version": {"N": "1"}, "id": {"S": export_id.as_str()},
        "merchant_id": {"S": MERCHANT}, "created_at": {"S": at},
        "task": {"M": {"WriteExport": {"M": {"export_id": {"S": export_id.as_str()}}}}},
        "state": {"M": {"Waiting": {"M": {"attempts": {"N": "0"}, "next_attempt_at": {"S": at}}}}},
    });
    let record = json!({
        "awsRegion": "eu-west-1", "eventID": "1", "eventName": "INSERT",
        "dynamodb": {"Keys": {"pk": image["pk"], "sk": image["sk"]}, "NewImage": image, "SizeBytes": 1},
    });

    let function = match std::env::var_os("FUNCTIONS") {
        Some(folder) => Function::start_from(folder.as_ref(), "jobs", &local.environment).await,
        None => {
            runtime::build_binaries();
            Function::start("jobs", &local.environment).await
        }
    };
    let started = app.clock.now();
    function.invoke(&json!({"Records": [record]})).await;
    let (milliseconds, peak) = (app.clock.milliseconds_since(started), function.peak_memory());
    let export = app.store.export(&merchant_id, &export_id, app.clock.now()).await.unwrap().unwrap();
    let rows = match &export.state {
        ExportState::Running(progress) => progress.rows,
        ExportState::Ready { rows } => *rows,
        ExportState::Failed | ExportState::TooManyRows => 0,
    };
    println!("{rows} rows in {milliseconds} ms, peak memory {peak} kB, state {:?}", export.state);
    assert!(peak < MEMORY);
    (rows, export.value.state)
}
