//! The sweep, with more to do than it has time for, and with work that fails, hangs or cannot be read.

use std::sync::{Arc, Mutex};

use http::StatusCode;
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use shared::domain::operation::{Operation, OperationState};
use shared::http::invocation::Invocation;
use shared::store::keys::{DueWork, Key};
use shared::store::{Entity, Write, keys};
use tokio::task::JoinSet;
use upstreams::faults::{FaultKind, Hold};

use crate::books::Books;
use crate::world::{LEASE, Order, Shop, World, sweep_with};

/// So many payments whose outcome is open, and due to be asked for.
async fn open_payments(world: &World, count: usize) -> Shop {
    const AT_ONCE: usize = 20;
    let shop = world.shop().await;
    let token = world.sign_in(&shop).await;
    world.faults.decide(|call| call.operation.contains("/v1/").then_some(FaultKind::Drop));
    for first in (0..count).step_by(AT_ONCE) {
        let mut placed = JoinSet::new();
        for number in first..count.min(first + AT_ONCE) {
            let order = Order::payment(&format!("payment-{number}"), &shop.cards[0], 1);
            placed.spawn(world.till_with("till", token.clone()).place(&order));
        }
        placed.join_all().await;
    }
    world.heal();
    world.clock.advance_milliseconds(LEASE);
    assert_eq!(world.open_operations().await.len(), count);
    shop
}

#[tokio::test]
async fn all_pages_are_reached_in_one_run() {
    let world = World::new().await;
    let shop = open_payments(&world, 150).await;
    let pass = sweep_with(world.app.clone()).await.unwrap();
    assert_eq!((pass.finished, pass.remaining), (150, 0));
    Books::of(&world, &shop).await.check(&shop).unwrap();
}

/// How often the network was asked for the outcome in vain.
fn asked(operation: &Operation) -> Option<u32> {
    match operation.state {
        OperationState::Open { asked, .. } => Some(asked),
        OperationState::Closed(_) => None,
    }
}

#[tokio::test]
async fn work_that_hangs_blocks_no_other() {
    const HANGING: usize = 7;
    let world = World::new().await;
    open_payments(&world, 20).await;
    let before = world.open_operations().await;
    let (hold, mut held) = Hold::new();
    let hanging: Arc<Mutex<Vec<String>>> = Arc::default();
    let references = hanging.clone();
    world.faults.decide(move |call| {
        let reference = call.operation.strip_prefix("GET /v1/operations/")?;
        let mut references = references.lock().unwrap();
        if references.len() < HANGING {
            references.push(reference.to_owned());
        }
        references.iter().any(|hanging| hanging == reference).then(|| FaultKind::Hold(hold.clone()))
    });
    let sweep = tokio::spawn(sweep_with(world.app.clone()));
    held.reached().await;
    let still_open = loop {
        let open = world.open_operations().await;
        if open.len() == HANGING {
            break open;
        }
    };
    // One that was given up would have been written: all others were done before.
    for operation in &still_open {
        assert!(hanging.lock().unwrap().contains(&operation.reference.to_string()), "{operation:?}");
        let earlier = before.iter().find(|earlier| earlier.reference == operation.reference).unwrap();
        assert_eq!(asked(operation), asked(earlier), "{operation:?}");
    }
    held.release();
    // On a slow machine some of those that hang are given up before they are let go, and stay for the next time.
    let pass = sweep.await.unwrap().unwrap();
    assert_eq!(pass.finished + pass.remaining, 20);
    assert!(pass.finished >= 20 - HANGING, "{pass:?}");
}

#[tokio::test]
async fn at_most_eight_are_at_work_at_a_time() {
    let world = World::new().await;
    open_payments(&world, 30).await;
    let (hold, mut held) = Hold::new();
    let asked: Arc<Mutex<usize>> = Arc::default();
    let count = asked.clone();
    world.faults.decide(move |call| {
        call.operation.strip_prefix("GET /v1/operations/")?;
        *count.lock().unwrap() += 1;
        Some(FaultKind::Hold(hold.clone()))
    });
    let sweep = tokio::spawn(sweep_with(world.app.clone()));
    held.reached().await;
    while *asked.lock().unwrap() < 8 {
        tokio::task::yield_now().await;
    }
    // Time enough for a ninth to come.
    world.open_operations().await;
    assert_eq!(*asked.lock().unwrap(), 8);
    held.release();
    let pass = sweep.await.unwrap().unwrap();
    assert_eq!(pass.finished + pass.remaining, 30);
}

#[tokio::test]
async fn nothing_is_taken_on_that_there_is_no_time_for() {
    let world = World::new().await;
    open_payments(&world, 20).await;
    let mut invocation = Invocation::of_worker(&world.app.clock, "sweep".to_owned());
    invocation.deadline = world.app.clock.now().checked_add(SignedDuration::from_secs(4)).unwrap();
    let pass = sweep::sweep(&world.app, &invocation, world.app.clock.now()).await.unwrap();
    assert_eq!(pass, sweep::Pass::default());

    // Its time is nearly over as the tenth is being asked for.
    let mut asked = 0;
    let clock = world.clock.clone();
    world.faults.decide(move |call| {
        asked += usize::from(call.operation.starts_with("GET /v1/operations/"));
        if asked == 10 {
            clock.advance_milliseconds(10_000);
            asked += 1;
        }
        None
    });
    let pass = sweep_with(world.app.clone()).await.unwrap();
    assert!((10..20).contains(&pass.finished), "{pass:?}");
    world.heal();
    let left = world.open_operations().await;
    assert_eq!(left.len(), 20 - pass.finished);
    let is_untouched = |state: &OperationState| matches!(state, OperationState::Open { asked: 1, .. });
    assert!(left.iter().all(|operation| is_untouched(&operation.state)), "{left:?}");
}

/// A row of the due index that nobody can read.
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
async fn rows_that_cannot_be_read_do_not_stand_in_the_way() {
    let world = World::new().await;
    for number in 0..240 {
        let unreadable = Unreadable { number, reference: format!("unreadable-{number}") };
        world.app.store.commit(vec![Write::create(&unreadable).unwrap()]).await.unwrap();
    }
    open_payments(&world, 3).await;
    assert_eq!(sweep_with(world.app.clone()).await.unwrap().finished, 3);
}

#[tokio::test]
async fn a_part_of_the_index_that_cannot_be_read_is_told_of_after_all_else_was_done() {
    let world = World::new().await;
    open_payments(&world, 40).await;
    let refused = r#"{"__type": "com.amazonaws.dynamodb.v20120810#AccessDeniedException"}"#;
    let mut refused = Some(FaultKind::Response(StatusCode::BAD_REQUEST, refused.to_owned()));
    world.faults.decide(move |call| (call.operation == "Query").then(|| refused.take()).flatten());
    let unread = sweep_with(world.app.clone()).await;
    assert!(unread.is_err(), "{unread:?}");
    world.heal();
    let left = world.open_operations().await.len();
    assert!((1..30).contains(&left), "three of four parts were done: {left} left");
}
