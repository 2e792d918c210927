//! The sweep with many open operations, and with operations that fail, hang or cannot be read.

use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use shared::base::invocation::Invocation;
use shared::db::keys::{DueWork, Key};
use shared::db::{Entity, Write, keys};
use shared::operations::{Operation, OperationState};
use tokio::task::JoinSet;
use upstreams::faults::{FaultKind, Hold};

use crate::harness::{Harness, LEASE, PosRequest, TestMerchant, closed_table, is_lookup, run_sweep};
use crate::reconciliation::Records;

/// Creates this number of redemptions with open operations that are due for a lookup.
async fn open_redemptions(harness: &Harness, count: usize) -> TestMerchant {
    const BATCH: usize = 20;
    let merchant = harness.merchant().await;
    let token = harness.sign_in(&merchant).await;
    harness.faults.decide(|call| call.operation.contains("/v1/").then_some(FaultKind::Drop));
    for first in (0..count).step_by(BATCH) {
        let mut running = JoinSet::new();
        for number in first..count.min(first + BATCH) {
            let label = format!("redemption-{number}");
            let request = PosRequest::redemption(&label, &merchant.cards[0], 1);
            running.spawn(harness.till_with_token("till", token.clone()).send(&request));
        }
        running.join_all().await;
    }
    harness.clear_faults();
    harness.clock.advance_milliseconds(LEASE);
    assert_eq!(harness.open_operations().await.len(), count);
    merchant
}

#[tokio::test]
async fn one_run_processes_all_pages() {
    let harness = Harness::new().await;
    let merchant = open_redemptions(&harness, 150).await;
    let pass = run_sweep(harness.app.clone()).await.unwrap();
    assert_eq!((pass.finished, pass.remaining), (150, 0));
    Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();
}

/// Returns the number of lookups that did not return an outcome, or `None` if the operation is closed.
fn failed_lookups(operation: &Operation) -> Option<u32> {
    match operation.state {
        OperationState::Open { failed_lookups, .. } => Some(failed_lookups),
        OperationState::Closed(_) => None,
    }
}

#[tokio::test]
async fn operations_that_hang_do_not_block_others() {
    const HANGING: usize = 7;
    let harness = Harness::new().await;
    open_redemptions(&harness, 20).await;
    let before = harness.open_operations().await;
    let (hold, mut held) = Hold::new();
    let hanging: Arc<Mutex<Vec<String>>> = Arc::default();
    let references = hanging.clone();
    harness.faults.decide(move |call| {
        let reference = call.operation.strip_prefix("GET /v1/operations/")?;
        let mut references = references.lock().unwrap();
        if references.len() < HANGING {
            references.push(reference.to_owned());
        }
        references.iter().any(|hanging| hanging == reference).then(|| FaultKind::Hold(hold.clone()))
    });
    let sweep = tokio::spawn(run_sweep(harness.app.clone()));
    held.reached().await;
    let still_open = loop {
        let open = harness.open_operations().await;
        if open.len() == HANGING {
            break open;
        }
    };
    // Only the hanging operations are open, and the sweep has not released them: a release would count a lookup.
    for operation in &still_open {
        assert!(hanging.lock().unwrap().contains(&operation.reference.to_string()), "{operation:?}");
        let earlier = before.iter().find(|earlier| earlier.reference == operation.reference).unwrap();
        assert_eq!(failed_lookups(operation), failed_lookups(earlier), "{operation:?}");
    }
    held.release();
    // On a slow machine, some hanging lookups time out before they are released. The next sweep retries them.
    let pass = sweep.await.unwrap().unwrap();
    assert_eq!(pass.finished + pass.remaining, 20);
    assert!(pass.finished >= 20 - HANGING, "{pass:?}");
}

#[tokio::test]
async fn recovers_at_most_eight_operations_concurrently() {
    let harness = Harness::new().await;
    open_redemptions(&harness, 30).await;
    let (hold, mut held) = Hold::new();
    let lookups: Arc<Mutex<usize>> = Arc::default();
    let count = lookups.clone();
    harness.faults.decide(move |call| {
        if !is_lookup(call) {
            return None;
        }
        *count.lock().unwrap() += 1;
        Some(FaultKind::Hold(hold.clone()))
    });
    let sweep = tokio::spawn(run_sweep(harness.app.clone()));
    held.reached().await;
    while *lookups.lock().unwrap() < 8 {
        tokio::task::yield_now().await;
    }
    // Leaves time for a ninth lookup.
    harness.open_operations().await;
    assert_eq!(*lookups.lock().unwrap(), 8);
    held.release();
    let pass = sweep.await.unwrap().unwrap();
    assert_eq!(pass.finished + pass.remaining, 30);
}

#[tokio::test]
async fn starts_no_recovery_that_it_has_no_time_to_complete() {
    let harness = Harness::new().await;
    open_redemptions(&harness, 20).await;
    let mut invocation = Invocation::new(&harness.app.clock, "sweep".to_owned());
    invocation.deadline = harness.app.clock.now().checked_add(SignedDuration::from_secs(4)).unwrap();
    let pass = sweep::sweep(&harness.app, &invocation, harness.app.clock.now()).await.unwrap();
    assert_eq!(pass, sweep::Pass::default());

    // The deadline is near after the tenth lookup.
    let mut lookups = 0;
    let clock = harness.clock.clone();
    harness.faults.decide(move |call| {
        lookups += usize::from(is_lookup(call));
        if lookups == 10 {
            clock.advance_milliseconds(10_000);
            lookups += 1;
        }
        None
    });
    let pass = run_sweep(harness.app.clone()).await.unwrap();
    assert!((10..20).contains(&pass.finished), "{pass:?}");
    harness.clear_faults();
    let left = harness.open_operations().await;
    assert_eq!(left.len(), 20 - pass.finished);
    let is_untouched = |state: &OperationState| matches!(state, OperationState::Open { failed_lookups: 1, .. });
    assert!(left.iter().all(|operation| is_untouched(&operation.state)), "{left:?}");
}

/// An item in the due index that cannot be parsed as an operation.
#[derive(Serialize, Deserialize)]
struct Unreadable {
    number: usize,
    reference: String,
}

impl Entity for Unreadable {
    fn key(&self) -> Key {
        Key { pk: format!("OPERATION#unreadable-{}", self.number), sk: "OPERATION".to_owned() }
    }

    fn due_index_key(&self) -> Option<Key> {
        Some(keys::due(DueWork::Operations, jiff::Timestamp::UNIX_EPOCH, &self.reference))
    }
}

#[tokio::test]
async fn skips_items_that_cannot_be_parsed() {
    let harness = Harness::new().await;
    for number in 0..240 {
        let unreadable = Unreadable { number, reference: format!("unreadable-{number}") };
        harness.app.store.commit(vec![Write::create(&unreadable).unwrap()]).await.unwrap();
    }
    open_redemptions(&harness, 3).await;
    assert_eq!(run_sweep(harness.app.clone()).await.unwrap().finished, 3);
}

#[tokio::test]
async fn fails_after_all_other_work_if_a_partition_of_the_index_cannot_be_read() {
    let harness = Harness::new().await;
    open_redemptions(&harness, 40).await;
    let mut denied = Some(closed_table());
    harness.faults.decide(move |call| (call.operation == "Query").then(|| denied.take()).flatten());
    let result = run_sweep(harness.app.clone()).await;
    assert!(result.is_err(), "{result:?}");
    harness.clear_faults();
    let left = harness.open_operations().await.len();
    assert!((1..30).contains(&left), "expected three of four partitions to be processed: {left} left");
}
