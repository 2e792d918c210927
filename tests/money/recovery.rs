//! Single dangers, each with what keeps it from doing harm.

use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};
use shared::domain::operation::{OperationState, Subject};
use shared::domain::redemption::RedemptionStatus;
use shared::store::jobs::Task;
use shared::store::{Write, keys};
use tokio::task::JoinHandle;
use upstreams::faults::{Call, FaultKind, Hold, HoldHandle};

use crate::books::Books;
use crate::world::{Answer, LEASE, Order, Shop, Till, Verdict, World, sweep_with};

const HOUR: i64 = 3_600_000;

fn is_payment(call: Call<'_>) -> bool {
    call.operation == "POST /v1/cards/redeem"
}

fn asks(call: Call<'_>) -> bool {
    call.operation.starts_with("GET /v1/operations/")
}

fn payment(shop: &Shop) -> Order {
    Order::payment("payment", &shop.cards[0], 1_234).keyed()
}

struct Scene {
    world: World,
    shop: Shop,
    till: Till,
    order: Order,
}

/// A shop, its till, and a payment that is about to be placed there.
async fn scene() -> Scene {
    let world = World::new().await;
    let shop = world.shop().await;
    let order = payment(&shop);
    let till = world.till("till", &shop).await;
    Scene { world, shop, till, order }
}

/// Places a payment, and holds it before it reaches the network.
async fn held_on_its_way(world: &World, till: &Till, order: &Order) -> (JoinHandle<Answer>, HoldHandle) {
    let (hold, mut held) = Hold::new();
    world.faults.decide(move |call| is_payment(call).then(|| FaultKind::Hold(hold.clone())));
    let placed = tokio::spawn(till.place(order));
    held.reached().await;
    (placed, held)
}

/// A payment whose reply gets lost, while the network cannot be asked.
async fn leave_open(world: &World, till: &Till, order: &Order) {
    world.faults.decide(|call| match call {
        call if is_payment(call) => Some(FaultKind::After),
        call if asks(call) => Some(FaultKind::Drop),
        _ => None,
    });
    let answer = till.place(order).await;
    assert_eq!(answer.verdict(), Verdict::Open, "{answer:?}");
    world.heal();
}

#[tokio::test]
async fn what_the_network_said_is_recorded_though_the_sweep_has_taken_over() {
    let Scene { world, shop, till, order } = scene().await;
    let (reply, mut replying) = Hold::new();
    let (answer, mut answering) = Hold::new();
    let mut held = Some((reply, answer));
    world.faults.decide(move |call| match held.clone() {
        Some((reply, _)) if is_payment(call) => Some(FaultKind::OnReply(Box::new(FaultKind::Hold(reply)))),
        Some((_, answer)) if asks(call) => {
            held = None;
            Some(FaultKind::Hold(answer))
        }
        _ => None,
    });
    let placed = tokio::spawn(till.place(&order));
    replying.reached().await;
    // Its clock is ahead: it takes the operation over from an owner that is alive.
    let hasty = world.instance_with_clock("sweep", world.clock.clock_ahead(LEASE));
    let sweep = tokio::spawn(sweep_with(hasty));
    answering.reached().await;

    replying.release();
    let answer = placed.await.unwrap();
    assert_eq!(answer.verdict(), Verdict::Moved, "{answer:?}");
    Books::of(&world, &shop).await.check(&shop).unwrap();

    answering.release();
    assert_eq!(sweep.await.unwrap().unwrap().finished, 1);
    Books::of(&world, &shop).await.check(&shop).unwrap();
}

#[tokio::test]
async fn the_outcome_that_was_recorded_first_stands() {
    let Scene { world, shop, till, order } = scene().await;
    let (placed, held) = held_on_its_way(&world, &till, &order).await;
    let hasty = world.instance_with_clock("sweep", world.clock.clock_ahead(LEASE));
    assert_eq!(sweep_with(hasty).await.unwrap().finished, 1);

    // The network refuses it now, with another status than the one on record.
    held.release();
    let answer = placed.await.unwrap();
    assert_eq!((answer.status, answer.verdict()), (504, Verdict::Refused), "{answer:?}");
    assert_eq!(till.place(&order).await.body, answer.body);
    Books::of(&world, &shop).await.check(&shop).unwrap();
}

#[tokio::test]
async fn a_key_holds_for_as_long_as_its_operation_is_open() {
    let world = World::new().await;
    let shop = world.shop().await;
    let order = payment(&shop);
    leave_open(&world, &world.till("till", &shop).await, &order).await;

    world.clock.advance_milliseconds(25 * HOUR);
    let late = world.till("till", &shop).await.place(&order).await;
    assert_eq!((late.status, late.header("idempotent-replayed")), (200, Some("true")), "{late:?}");
    assert_eq!(Books::of(&world, &shop).await.moved.len(), 1);

    // Now it is closed, and the key is free: for another request as well.
    let other = Order { body: Order::payment("payment", &shop.cards[0], 99).body, ..order };
    let anew = world.till("till", &shop).await.place(&other).await;
    assert_eq!((anew.status, anew.header("idempotent-replayed")), (200, None), "{anew:?}");
    let books = Books::of(&world, &shop).await;
    assert_eq!(books.moved.len(), 2);
    books.check(&shop).unwrap();
}

#[tokio::test]
async fn a_key_is_free_after_a_day_and_not_before() {
    let world = World::new().await;
    let shop = world.shop().await;
    let order = payment(&shop);
    for (hours, movements) in [(0, 1), (23, 1), (2, 2), (1, 2)] {
        world.clock.advance_milliseconds(hours * HOUR);
        let answer = world.till("till", &shop).await.place(&order).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(Books::of(&world, &shop).await.moved.len(), movements, "after {hours} more hours");
    }
}

#[tokio::test]
async fn bodies_that_differ_deep_inside_are_different_requests() {
    let world = World::new().await;
    let shop = world.shop().await;
    let till = world.till("till", &shop).await;
    let deep = |text: &str| {
        let mut order = payment(&shop);
        order.body["note"] = (0..200).fold(json!(text), |inner, _| json!([inner]));
        order
    };
    let (first, other) = (deep("a"), deep("b"));
    assert_eq!(till.place(&first).await.status, 200);
    assert_eq!(till.place(&first).await.header("idempotent-replayed"), Some("true"));
    assert_eq!(till.place(&other).await.status, 422);
}

#[tokio::test]
async fn a_wish_to_be_left_alone_is_passed_on_and_kept() {
    let world = World::new().await;
    let shop = world.shop().await;
    let till = world.till("till", &shop).await;
    world.faults.decide(|call| is_payment(call).then_some(FaultKind::Throttle));
    for _ in 0..2 {
        let refused = till.place(&payment(&shop)).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, Some("30")), "{refused:?}");
        assert_eq!(refused.detail("code"), "RATE_LIMITED");
    }

    let order = Order::payment("other", &shop.cards[0], 5).keyed();
    world.faults.decide(|call| match call {
        call if is_payment(call) => Some(FaultKind::After),
        call if asks(call) => Some(FaultKind::Throttle),
        _ => None,
    });
    assert_eq!(till.place(&order).await.verdict(), Verdict::Open);
    world.heal();
    for (seconds, ended) in [(11, 0), (18, 0), (1, 1)] {
        world.clock.advance_milliseconds(seconds * 1_000);
        assert_eq!(sweep_with(world.app.clone()).await.unwrap().finished, ended, "after {seconds} more seconds");
    }
}

#[tokio::test]
async fn no_reply_is_too_long_or_too_strange_to_be_recorded() {
    let world = World::new().await;
    let long = "x".repeat(3_000_000);
    let deep = (0..50).fold(json!(1e300), |inner, _| json!({"": [inner]}));
    let success = |extra: Value| {
        json!({
            "transactionId": "t-1", "amount": 12.34, "currency": "EUR", "valueRemains": 87.66, "networkCode": "N-1",
            "extra": extra,
        })
    };
    for (status, body, stays_whole) in [
        (200, success(json!(long)), false),
        (200, success(deep.clone()), true),
        (422, json!({"code": "CARD_BLOCKED", "message": long}), false),
        (422, json!({"code": "CARD_BLOCKED", "message": deep}), true),
        (422, json!({"code": "CARD_BLOCKED", "": 1e300}), true),
    ] {
        let shop = world.shop().await;
        let till = world.till("till", &shop).await;
        let reply = FaultKind::Response(StatusCode::from_u16(status).unwrap(), body.to_string());
        let reply = if status == 200 { FaultKind::OnReply(Box::new(reply)) } else { reply };
        world.faults.decide(move |call| is_payment(call).then(|| reply.clone()));
        let answer = till.place(&payment(&shop)).await;
        world.heal();
        assert_eq!(answer.status, status, "{:.500}", format!("{answer:?}"));
        let passed_on = if status == 200 { &answer.body["data"] } else { &answer.body["details"] };
        if stays_whole {
            assert_eq!(*passed_on, body);
        } else if status == 200 {
            assert_eq!(passed_on["transactionId"], "t-1");
            assert_eq!(passed_on["valueRemains"], 87.66);
        } else {
            assert_eq!(passed_on.as_str().unwrap().len(), 4096);
        }
        let again = till.place(&payment(&shop)).await;
        assert_eq!((again.status, again.body), (answer.status, answer.body));
        let books = Books::of(&world, &shop).await;
        books.check(&shop).unwrap();
        if status == 200 {
            assert_eq!(books.redemptions[0].network_code.as_deref(), Some("N-1"));
        }
    }
}

#[tokio::test]
async fn what_could_grow_a_row_beyond_its_bounds_is_refused() {
    let world = World::new().await;
    let shop = world.shop().await;
    let till = world.till("till", &shop).await;
    for field in ["qrCode", "retailStoreName"] {
        let mut order = payment(&shop);
        order.body[field] = json!("x".repeat(1_001));
        let refused = till.place(&order).await;
        assert_eq!(refused.body, json!({"error": format!("{field}: must be at most 1000 characters.")}));
    }
    assert!(Books::of(&world, &shop).await.redemptions.is_empty());
}

#[tokio::test]
async fn a_begin_that_took_place_though_it_seemed_to_collide_is_carried_on() {
    let world = World::new().await;
    let shop = world.shop().await;
    let collision = json!({
        "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
        "Message": "Transaction cancelled", "CancellationReasons": [{"Code": "TransactionConflict"}],
    });
    let collision = FaultKind::Response(StatusCode::BAD_REQUEST, collision.to_string());
    let mut collides = Some(FaultKind::OnReply(Box::new(collision)));
    let till = world.till("till", &shop).await;
    world
        .faults
        .decide(move |call| (call.operation == "TransactWriteItems").then(|| collides.take()).flatten());
    let answer = till.place(&payment(&shop)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(till.place(&payment(&shop)).await.header("idempotent-replayed"), Some("true"));
    Books::of(&world, &shop).await.check(&shop).unwrap();
}

#[tokio::test]
async fn a_settlement_that_cannot_be_made_up_is_promised_and_the_payment_stands() {
    let world = World::new().await;
    let shop = loop {
        let shop = world.shop().await;
        if !shop.paid_on_sale {
            break shop;
        }
    };
    let merchant = world.app.store.merchant(&shop.merchant).await.unwrap().unwrap();
    let mut never_paid = merchant.value.clone();
    never_paid.payout_delay_days = u32::MAX;
    world.app.store.commit(vec![Write::replace(&merchant, &never_paid).unwrap()]).await.unwrap();

    let answer = world.till("till", &shop).await.place(&payment(&shop)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let books = Books::of(&world, &shop).await;
    assert_eq!(books.redemptions[0].status, RedemptionStatus::Succeeded);
    assert!(books.settlements.is_empty());
    let promised = world.app.store.due_jobs(Timestamp::MAX, 9).await.unwrap();
    let expected = Task::SettleRedemption { redemption_id: books.redemptions[0].id.clone() };
    assert_eq!(promised.iter().map(|promise| &promise.task).collect::<Vec<_>>(), [&expected]);

    let mut dead = 0;
    for _ in 0..12 {
        world.clock.advance_milliseconds(7 * HOUR);
        dead += sweep_with(world.app.clone()).await.unwrap().finished;
    }
    assert_eq!((dead, world.app.store.dead_jobs(9).await.unwrap().len()), (1, 1), "somebody has to look");
}

#[tokio::test]
async fn an_operation_whose_row_is_gone_is_closed_all_the_same() {
    let Scene { world, shop, till, order } = scene().await;
    leave_open(&world, &till, &order).await;
    let open = world.open_operations().await;
    let Subject::Redeem(id) = &open[0].subject else { panic!("{open:?}") };
    world.app.store.remove(&keys::redemption(&shop.merchant, id)).await.unwrap();

    world.settle().await;
    assert!(world.open_operations().await.is_empty());
    assert_eq!(till.place(&order).await.status, 200);
}

#[tokio::test]
async fn a_repeat_hears_what_somebody_else_has_found_out_meanwhile() {
    let Scene { world, till, order, .. } = scene().await;
    leave_open(&world, &till, &order).await;
    // The repeat has read the operation and is about to take it over when the sweep closes it.
    let (hold, mut held) = Hold::new();
    world.clock.advance_milliseconds(LEASE);
    world.faults.decide(move |call| {
        let takes_over = call.operation == "TransactWriteItems" && call.application() == Some("till");
        takes_over.then(|| FaultKind::Hold(hold.clone()))
    });
    let repeat = tokio::spawn(till.place(&order));
    held.reached().await;
    assert_eq!(sweep_with(world.app.clone()).await.unwrap().finished, 1);
    held.release();
    let answer = repeat.await.unwrap();
    assert_eq!((answer.status, answer.header("idempotent-replayed")), (200, Some("true")), "{answer:?}");
}

#[tokio::test]
async fn a_call_that_arrives_after_its_outcome_was_asked_for_moves_nothing() {
    let Scene { world, shop, till, order } = scene().await;
    let (invocation, held) = held_on_its_way(&world, &till, &order).await;
    invocation.abort();
    world.settle().await;
    let refused = till.place(&order).await;
    assert_eq!((refused.status, refused.verdict()), (504, Verdict::Refused), "{refused:?}");

    held.release();
    // The network takes one call after the other: this one comes behind the one that was let go.
    let books = Books::of(&world, &shop).await;
    books.check_balances(&world, &shop).await.unwrap();
    assert!(Books::of(&world, &shop).await.moved.is_empty());
    books.check(&shop).unwrap();
}

#[tokio::test]
async fn a_lost_reply_to_giving_an_operation_up_does_no_harm() {
    let Scene { world, shop, till, order } = scene().await;
    let mut commits = 0;
    world.faults.decide(move |call| {
        commits += usize::from(call.operation == "TransactWriteItems");
        match call {
            call if is_payment(call) => Some(FaultKind::After),
            call if asks(call) => Some(FaultKind::Drop),
            call if call.operation == "TransactWriteItems" && commits > 1 => Some(FaultKind::After),
            _ => None,
        }
    });
    assert_eq!(till.place(&order).await.verdict(), Verdict::Open);
    let open = world.open_operations().await;
    assert!(matches!(open[0].state, OperationState::Open { asked: 1, .. }), "it took place once: {open:?}");
    world.settle().await;
    assert_eq!(till.place(&order).await.status, 200);
    Books::of(&world, &shop).await.check(&shop).unwrap();
}

#[tokio::test]
async fn no_answer_waits_for_a_table_that_hangs() {
    let world = World::new().await;
    for network_answers in [true, false] {
        let shop = world.shop().await;
        let till = world.till("till", &shop).await;
        let clock = world.clock.clone();
        let mut commits = 0;
        world.faults.decide(move |call| match call {
            call if call.operation == "TransactWriteItems" => {
                commits += 1;
                clock.advance_milliseconds(if commits == 1 { 11_400 } else { 0 });
                (commits > 1).then_some(FaultKind::Timeout)
            }
            call if is_payment(call) => {
                clock.advance_milliseconds(if network_answers { 3_000 } else { 1_000 });
                (!network_answers).then_some(FaultKind::After)
            }
            call if asks(call) => {
                clock.advance_milliseconds(2_000);
                Some(FaultKind::Drop)
            }
            _ => None,
        });
        // Left to itself, the client tries for six seconds.
        let answer = tokio::time::timeout(Duration::from_secs(5), till.place(&payment(&shop))).await;
        assert_eq!(answer.unwrap().verdict(), Verdict::Open);
        world.settle().await;
        assert_eq!(till.place(&payment(&shop)).await.status, 200);
        Books::of(&world, &shop).await.check(&shop).unwrap();
    }
}
