//! What a large export needs of its function.

use std::path::PathBuf;

use jiff::{SignedDuration, ToSpan};
use local::{Local, Options, StartingState};
use serde_json::json;
use shared::base::clock::iso_8601;
use shared::db::jobs::{Job, Task};
use shared::db::{Entity, Write};
use shared::projections::model::export::{Days, Export, ExportKind, ExportProgress, ExportState, ExportedOrders, SelectedBy};
use shared::projections::model::tally::Family;
use shared::projections::rows::exports::RunningExport;
use shared::values::ids::{ExportId, JobId, MerchantId};
use shared::values::span::later;
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
    let (app, merchant_id) = (local.app(), MerchantId::new(MERCHANT));
    let now = app.clock.now();
    let progress = ExportProgress::new(now);
    let to = now.to_zoned(jiff::tz::TimeZone::UTC).date();
    let export = Export {
        id: ExportId::new(app.random.uuid(now).to_string()),
        merchant_id: merchant_id.clone(),
        kind: ExportKind::Orders,
        days: Days { from: to.saturating_sub(400.days()), to, time_zone: "UTC".to_owned() },
        by: SelectedBy::EligibleAt,
        families: vec![Family::Orders],
        orders: ExportedOrders::default(),
        object_key: "exports/measured.csv".to_owned(),
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

    runtime::build_binaries();
    let function = match std::env::var_os("FUNCTIONS") {
        Some(folder) => Function::start_from(folder.as_ref(), "jobs", &local.environment).await,
        None => Function::start("jobs", &local.environment).await,
    };
    let started = app.clock.now();
    function.invoke(&json!({"Records": [record]})).await;
    let (milliseconds, peak) = (app.clock.milliseconds_since(started), function.peak_memory());
    let export = app.store.export(&merchant_id, &export_id, app.clock.now()).await.unwrap().unwrap();
    let rows = match &export.state {
        ExportState::Running(progress) => progress.rows,
        ExportState::Ready { rows } => *rows,
        ExportState::Failed => 0,
    };
    println!("{rows} rows in {milliseconds} ms, peak memory {peak} kB, state {:?}", export.state);
    assert!(rows > 0 && peak < MEMORY);
}
