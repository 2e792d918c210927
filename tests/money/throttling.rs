//! A throttled table: calls that DynamoDB did not carry out, or only in part, are repeated, and fail after a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use local::table;
use serde_json::{Value, json};
use shared::aws;
use shared::base::metrics::Metrics;
use shared::base::random::Random;
use shared::db::keys::Key;
use shared::db::{CommitError, Entity, Job, MAX_ACTIONS, Store, StoreError, Task, Write};
use shared::values::{JobId, MerchantId};
use upstreams::aws::{Aws, AwsOptions};
use upstreams::faults::{FaultKind, Faults};
use world::ManualClock;

use crate::harness::{Harness, PosRequest, closed_table, dynamodb_error, settings_with};

const TABLE: &str = "portal";
/// A call that was carried out in part, or cancelled, is repeated this often.
const RETRIES: usize = 6;
/// The SDK makes this many calls of one that is refused.
const CALLS: usize = 6;

struct FaultyTable {
    _aws: Aws,
    faults: Faults,
    store: Store,
    clock: ManualClock,
}

impl FaultyTable {
    async fn start() -> Self {
        let faults = Faults::default();
        let aws = Aws::start(AwsOptions { faults: faults.clone(), ..AwsOptions::default() }).await.unwrap();
        let settings = settings_with(&[("AWS_ENDPOINT_URL_DYNAMODB", aws.dynamodb.url())]);
        let client = aws::Aws::new(settings.aws).dynamodb();
        table::ensure(&client, TABLE).await.unwrap();
        let clock = ManualClock::at("2026-01-01T00:00:00Z");
        let store = Store::new(client, TABLE, no_delays(), Metrics::new(None, clock.clock()));
        Self { _aws: aws, faults, store, clock }
    }

    /// Replies to the next calls of an operation without carrying them out. Returns the number of its calls so far.
    fn reply(&self, operation: &'static str, times: usize, reply: FaultKind) -> Arc<AtomicUsize> {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        self.faults.decide(move |call| {
            let is_faulty = call.operation == operation && counted.fetch_add(1, Ordering::Relaxed) < times;
            is_faulty.then(|| reply.clone())
        });
        calls
    }

    fn job(&self, id: &str) -> Job {
        Job::with_id(JobId::new(id), MerchantId::new("m"), Task::FetchLogo, self.clock.clock().now())
    }

    async fn exists(&self, key: &Key) -> bool {
        self.store.exists(key).await.unwrap()
    }
}

/// The backoff waits for a random part of each delay.
fn no_delays() -> Random {
    Random::new(|bytes| bytes.fill(0))
}

fn cancelled(codes: &[&str]) -> FaultKind {
    let reasons: Vec<Value> = codes.iter().map(|code| json!({"Code": code})).collect();
    dynamodb_error("TransactionCanceledException", &json!({"CancellationReasons": reasons}))
}

fn key_item(key: &Key) -> Value {
    json!({"pk": {"S": key.pk}, "sk": {"S": key.sk}})
}

#[tokio::test]
async fn a_cancelled_transaction_is_repeated_if_another_attempt_can_succeed() {
    let table = FaultyTable::start().await;
    for (codes, failures, calls, is_committed) in [
        (&["ThrottlingError"][..], 1, 2, true),
        (&["None", "ProvisionedThroughputExceeded"], RETRIES, RETRIES + 1, true),
        (&["TransactionConflict", "ThrottlingError"], RETRIES, RETRIES + 1, true),
        (&["ThrottlingError"], usize::MAX, RETRIES + 1, false),
        (&["ValidationError"], 1, 1, false),
        (&["ThrottlingError", "ValidationError"], 1, 1, false),
    ] {
        let job = table.job(&format!("{codes:?} {failures}"));
        let made = table.reply("TransactWriteItems", failures, cancelled(codes));
        let result = table.store.commit(vec![Write::create(&job).unwrap()]).await;
        assert_eq!(made.load(Ordering::Relaxed), calls, "{codes:?}");
        match result {
            Ok(()) => assert!(is_committed, "{codes:?}"),
            Err(error) => {
                assert!(!is_committed && is_error_of(&error, codes), "{codes:?}: {error}");
            }
        }
        assert_eq!(table.exists(&job.key()).await, is_committed, "{codes:?}");
    }
}

/// Only what another attempt can resolve is reported as throttled.
fn is_error_of(error: &CommitError, codes: &[&str]) -> bool {
    let is_throttled = matches!(error, CommitError::Store(StoreError::Throttled { operation: "TransactWriteItems", .. }));
    is_throttled != codes.contains(&"ValidationError")
}

/// An error of a whole call, which the SDK repeats.
fn refused(code: &str) -> FaultKind {
    dynamodb_error(code, &json!({"message": "A test"}))
}

#[tokio::test]
async fn a_throttled_call_is_repeated() {
    let table = FaultyTable::start().await;
    let job = table.job("job");
    for code in [
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    ] {
        let made = table.reply("TransactWriteItems", 2, refused(code));
        table.store.commit(vec![Write::put(&job).unwrap()]).await.unwrap();
        assert_eq!(made.load(Ordering::Relaxed), 3, "{code}");
        let made = table.reply("GetItem", 2, refused(code));
        assert!(table.exists(&job.key()).await, "{code}");
        assert_eq!(made.load(Ordering::Relaxed), 3, "{code}");
    }
}

#[tokio::test]
async fn a_row_with_the_name_of_an_error_is_read_once() {
    let table = FaultyTable::start().await;
    let key = table.job("job").key();
    let mut row = key_item(&key);
    row["name"] = json!({"S": "TransactionConflictException"});
    let made = table.reply("GetItem", usize::MAX, FaultKind::Body(json!({"Item": row}).to_string()));
    assert!(table.exists(&key).await);
    assert_eq!(made.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_call_that_is_throttled_again_and_again_fails_as_throttled() {
    let table = FaultyTable::start().await;
    let job = table.job("job");
    let made = table.reply("TransactWriteItems", usize::MAX, refused("ThrottlingException"));
    let written = table.store.commit(vec![Write::create(&job).unwrap()]).await.unwrap_err();
    assert!(is_error_of(&written, &[]), "{written}");
    assert_eq!(made.load(Ordering::Relaxed), CALLS);
    let made = table.reply("GetItem", usize::MAX, refused("ProvisionedThroughputExceededException"));
    let read = table.store.exists(&job.key()).await.unwrap_err();
    assert!(matches!(read, StoreError::Throttled { operation: "GetItem", .. }), "{read}");
    assert_eq!(made.load(Ordering::Relaxed), CALLS);
    let made = table.reply("GetItem", usize::MAX, refused("ValidationException"));
    let read = table.store.exists(&job.key()).await.unwrap_err();
    assert!(matches!(read, StoreError::Call { operation: "GetItem", .. }), "{read}");
    assert_eq!(made.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_transaction_of_too_many_actions_is_refused_and_not_sent() {
    let table = FaultyTable::start().await;
    let sent = table.reply("TransactWriteItems", 0, cancelled(&[]));
    let writes =
        |count: usize| -> Vec<Write> { (0..count).map(|id| Write::create(&table.job(&id.to_string())).unwrap()).collect() };
    let refused = table.store.commit(writes(MAX_ACTIONS + 1)).await;
    assert!(matches!(refused, Err(CommitError::Store(StoreError::TooManyActions(101)))), "{refused:?}");
    assert_eq!(sent.load(Ordering::Relaxed), 0);
    table.store.commit(writes(MAX_ACTIONS)).await.unwrap();
    assert_eq!(sent.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn unprocessed_keys_are_read_again() {
    let table = FaultyTable::start().await;
    let job = table.job("job");
    table.store.commit(vec![Write::create(&job).unwrap()]).await.unwrap();
    let unprocessed = json!({
        "Responses": {TABLE: []},
        "UnprocessedKeys": {TABLE: {"Keys": [key_item(&job.key())], "ConsistentRead": true}},
    });
    for (failures, is_found) in [(1, true), (RETRIES, true), (usize::MAX, false)] {
        let calls = table.reply("BatchGetItem", failures, FaultKind::Body(unprocessed.to_string()));
        match table.store.get_items(&[job.key()]).await {
            Ok(found) => assert!(is_found && found.len() == 1, "{failures}"),
            Err(error) => {
                assert!(!is_found && matches!(error, StoreError::Throttled { operation: "BatchGetItem", .. }), "{error}");
            }
        }
        assert_eq!(calls.load(Ordering::Relaxed), failures.min(RETRIES) + 1);
    }
}

#[tokio::test]
async fn a_read_that_makes_progress_is_not_given_up() {
    let table = FaultyTable::start().await;
    let keys: Vec<Key> = (0..20).map(|id| table.job(&format!("job-{id}")).key()).collect();
    let calls = Arc::new(AtomicUsize::new(0));
    let (made, all) = (calls.clone(), keys.clone());
    // One row with each call.
    table.faults.decide(move |call| {
        let (read, rest) = all[made.fetch_add(usize::from(call.operation == "BatchGetItem"), Ordering::Relaxed)..].split_at(1);
        let rest: Vec<Value> = rest.iter().map(key_item).collect();
        let unprocessed = if rest.is_empty() { json!({}) } else { json!({TABLE: {"Keys": rest, "ConsistentRead": true}}) };
        let body = json!({"Responses": {TABLE: [key_item(&read[0])]}, "UnprocessedKeys": unprocessed});
        Some(FaultKind::Body(body.to_string()))
    });
    assert_eq!(table.store.get_items(&keys).await.unwrap().len(), keys.len());
    assert_eq!(calls.load(Ordering::Relaxed), keys.len());
}

#[tokio::test]
async fn unprocessed_items_are_written_again() {
    let table = FaultyTable::start().await;
    for (failures, is_removed) in [(1, true), (RETRIES, true), (usize::MAX, false)] {
        let job = table.job(&format!("job-{failures}"));
        table.store.commit(vec![Write::create(&job).unwrap()]).await.unwrap();
        let unprocessed = json!({"UnprocessedItems": {TABLE: [{"DeleteRequest": {"Key": key_item(&job.key())}}]}});
        let calls = table.reply("BatchWriteItem", failures, FaultKind::Body(unprocessed.to_string()));
        match table.store.remove(&job.key()).await {
            Ok(()) => assert!(is_removed, "{failures}"),
            Err(error) => {
                assert!(!is_removed && matches!(error, StoreError::Throttled { operation: "BatchWriteItem", .. }), "{error}");
            }
        }
        assert_eq!(calls.load(Ordering::Relaxed), failures.min(RETRIES) + 1);
        assert_eq!(table.exists(&job.key()).await, !is_removed);
    }
}

/// The table that a restore leaves behind refuses writes. A function that lacks a permission is a fault of ours.
#[tokio::test]
async fn a_closed_table_refuses_once_and_is_told_from_a_missing_permission() {
    let table = FaultyTable::start().await;
    let user =
        "User: arn:aws:sts::000000000000:assumed-role/pos/pos is not authorized to perform: dynamodb:PutItem on resource: table";
    for (reason, is_closed) in [
        ("with an explicit deny in a resource-based policy", true),
        ("because no identity-based policy allows the dynamodb:PutItem action", false),
        ("with an explicit deny in an identity-based policy", false),
    ] {
        let job = table.job(reason);
        let denied = dynamodb_error("AccessDeniedException", &json!({"Message": format!("{user} {reason}")}));
        let made = table.reply("TransactWriteItems", usize::MAX, denied);
        let error = table.store.commit(vec![Write::create(&job).unwrap()]).await.unwrap_err();
        assert_eq!(made.load(Ordering::Relaxed), 1, "{reason}");
        let found = matches!(&error, CommitError::Store(StoreError::Closed { operation: "TransactWriteItems" }));
        assert_eq!(found, is_closed, "{error}");
        let CommitError::Store(error) = error else { panic!("{error}") };
        let fault = shared::http::Fault::from(error);
        let status = axum::response::IntoResponse::into_response(fault).status();
        assert_eq!(status.as_u16(), if is_closed { 503 } else { 500 }, "{reason}");
    }
}

/// A sale is recorded before the card network is called.
#[tokio::test]
async fn nothing_is_sold_from_a_closed_table() {
    let harness = Harness::new().await;
    let merchant = harness.merchant().await;
    let till = harness.till("till", &merchant).await;
    harness.faults.decide(|call| (call.operation == "TransactWriteItems").then(closed_table));
    let refused = till.send(&PosRequest::sale("closed", 10_000)).await;
    assert_eq!((refused.status, refused.money_moved()), (503, "no"), "{refused:?}");
    harness.clear_faults();
    assert!(harness.open_operations().await.is_empty());
}
