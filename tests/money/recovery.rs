//! Single failures and races, each with the mechanism that handles it.

use std::time::Duration;

use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};
use shared::base::invocation::Invocation;
use shared::cards::model::redemption::{Redemption, RedemptionStatus};
use shared::db::{Job, Stored, Task, Write, keys};
use shared::operations::{OperationState, Subject};
use shared::settlements::model::settlement::{Settlement, SettlementHold, SettlementStatus};
use shared::values::Reference;
use tokio::task::JoinHandle;
use upstreams::faults::{Call, FaultKind, Hold, HoldHandle};
use world::Log;

use crate::harness::{
    Harness, LEASE, Outcome, PosRequest, Response, TestMerchant, Till, dynamodb_error, is_lookup, moves_money, run_sweep,
};
use crate::reconciliation::Records;

/// Milliseconds.
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn is_redemption(call: Call<'_>) -> bool {
    call.operation == "POST /v1/cards/redeem"
}

fn redemption(merchant: &TestMerchant) -> PosRequest {
    PosRequest::redemption("redemption", &merchant.cards[0], 1_234).with_idempotency_key()
}

struct Setup {
    harness: Harness,
    merchant: TestMerchant,
    till: Till,
    request: PosRequest,
}

/// Returns a merchant, its till, and a redemption request that has not been sent.
async fn setup() -> Setup {
    let harness = Harness::new().await;
    let merchant = harness.merchant().await;
    let request = redemption(&merchant);
    let till = harness.till("till", &merchant).await;
    Setup { harness, merchant, till, request }
}

/// Sends a redemption and holds its call before the card network receives it.
async fn send_and_hold(harness: &Harness, till: &Till, request: &PosRequest) -> (JoinHandle<Response>, HoldHandle) {
    let (hold, mut held) = Hold::new();
    harness.faults.decide(move |call| is_redemption(call).then(|| FaultKind::Hold(hold.clone())));
    let response = tokio::spawn(till.send(request));
    held.reached().await;
    (response, held)
}

/// Sends a redemption that is executed. Its reply is lost and its lookups fail, so the operation stays open.
async fn leave_open(harness: &Harness, till: &Till, request: &PosRequest) {
    harness.faults.decide(|call| match call {
        call if is_redemption(call) => Some(FaultKind::After),
        call if is_lookup(call) => Some(FaultKind::Drop),
        _ => None,
    });
    let response = till.send(request).await;
    assert_eq!(response.outcome(), Outcome::Open, "{response:?}");
    harness.clear_faults();
}

#[tokio::test]
async fn records_the_networks_reply_after_the_sweep_has_acquired_the_lease() {
    let Setup { harness, merchant, till, request } = setup().await;
    let (reply, mut held_reply) = Hold::new();
    let (lookup, mut held_lookup) = Hold::new();
    let mut holds = Some((reply, lookup));
    harness.faults.decide(move |call| match holds.clone() {
        Some((reply, _)) if is_redemption(call) => Some(FaultKind::OnReply(Box::new(FaultKind::Hold(reply)))),
        Some((_, lookup)) if is_lookup(call) => {
            holds = None;
            Some(FaultKind::Hold(lookup))
        }
        _ => None,
    });
    let response = tokio::spawn(till.send(&request));
    held_reply.reached().await;
    // The sweep's clock is ahead: it takes the lease while its owner is still running.
    let early_instance = harness.instance_with_clock("sweep", harness.clock.clock_ahead(LEASE));
    let sweep = tokio::spawn(run_sweep(early_instance));
    held_lookup.reached().await;

    held_reply.release();
    let response = response.await.unwrap();
    assert_eq!(response.outcome(), Outcome::Succeeded, "{response:?}");
    Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();

    held_lookup.release();
    assert_eq!(sweep.await.unwrap().unwrap().finished, 1);
    Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn keeps_the_outcome_that_was_recorded_first() {
    let Setup { harness, merchant, till, request } = setup().await;
    let (response, held) = send_and_hold(&harness, &till, &request).await;
    let early_instance = harness.instance_with_clock("sweep", harness.clock.clock_ahead(LEASE));
    assert_eq!(run_sweep(early_instance).await.unwrap().finished, 1);
    // The card network refuses the reference now, with another status than the recorded one.
    held.release();
    let response = response.await.unwrap();
    assert_eq!((response.status, response.outcome()), (504, Outcome::Failed), "{response:?}");
    let repeat = till.send(&request).await;
    assert_eq!((repeat.status, repeat.is_replay()), (200, false), "{repeat:?}");
    Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn an_idempotency_key_does_not_expire_while_its_operation_is_open() {
    let Setup { harness, merchant, till, request } = setup().await;
    leave_open(&harness, &till, &request).await;
    harness.clock.advance_milliseconds(800 * DAY);
    let late = harness.till("till", &merchant).await.send(&request).await;
    assert_eq!((late.status, late.header("idempotent-replayed")), (200, Some("true")), "{late:?}");
    assert_eq!(Records::read(&harness, &merchant).await.movements.len(), 1);
    // The operation is closed, and the key was used for the first time more than two years ago: another request can use it.
    let other = PosRequest { body: PosRequest::redemption("redemption", &merchant.cards[0], 99).body, ..request };
    let new = harness.till("till", &merchant).await.send(&other).await;
    assert_eq!((new.status, new.header("idempotent-replayed")), (200, None), "{new:?}");
    let records = Records::read(&harness, &merchant).await;
    assert_eq!(records.movements.len(), 2);
    records.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn an_idempotency_key_is_not_used_again_for_two_years() {
    let Setup { harness, merchant, request, .. } = setup().await;
    let mut passed = 0;
    for (days, status, movements) in [(0, 200, 1), (89, 200, 1), (91, 409, 1), (729, 409, 1), (731, 200, 2)] {
        harness.clock.advance_milliseconds((days - passed) * DAY);
        passed = days;
        let response = harness.till("till", &merchant).await.send(&request).await;
        assert_eq!(response.status, status, "after {days} days: {response:?}");
        assert_eq!(Records::read(&harness, &merchant).await.movements.len(), movements, "after {days} days");
    }
}

#[tokio::test]
async fn a_closed_operation_is_deleted_after_a_week_and_answers_without_the_codes_of_cards() {
    let Setup { harness, merchant, till, request } = setup().await;
    leave_open(&harness, &till, &request).await;
    let reference = Reference::new(harness.network.operations()[0].reference.clone());
    let row = async || harness.app.store.get_items(&[keys::operation(&reference)]).await.unwrap().remove(0);
    assert!(!row().await.contains_key(keys::TTL), "an open operation is kept");

    harness.clock.advance_milliseconds(2 * HOUR);
    let closed_at = harness.clock.clock().now().as_second();
    let first = harness.till("till", &merchant).await.send(&request).await;
    assert_eq!((first.status, &first.body["data"]["qrCode"]), (200, &request.body["qrCode"]));
    assert_eq!(row().await[keys::TTL].as_n().unwrap(), &(closed_at + 7 * 24 * 3600).to_string());

    harness.clock.advance_milliseconds(8 * DAY);
    for is_deleted in [false, true] {
        if is_deleted {
            harness.app.store.remove(&keys::operation(&reference)).await.unwrap();
        }
        let replay = harness.till("till", &merchant).await.send(&request).await;
        assert_eq!((replay.status, replay.is_replay()), (200, true), "{replay:?}");
        let mut without_codes = first.body.clone();
        without_codes["data"]["qrCode"] = Value::Null;
        assert_eq!(replay.body, without_codes, "deleted: {is_deleted}");
    }
    let records = Records::read(&harness, &merchant).await;
    assert_eq!(records.movements.len(), 1);
    records.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn rejects_a_key_with_a_body_that_differs_in_a_deeply_nested_value() {
    let Setup { harness: _harness, merchant, till, .. } = setup().await;
    let nested = |text: &str| {
        let mut request = redemption(&merchant);
        request.body["note"] = (0..200).fold(json!(text), |inner, _| json!([inner]));
        request
    };
    let (first, other) = (nested("a"), nested("b"));
    assert_eq!(till.send(&first).await.status, 200);
    assert_eq!(till.send(&first).await.header("idempotent-replayed"), Some("true"));
    assert_eq!(till.send(&other).await.status, 422);
}

#[tokio::test]
async fn nothing_is_asked_before_the_networks_retry_after() {
    let Setup { harness, merchant, till, .. } = setup().await;
    let request = PosRequest::redemption("other", &merchant.cards[0], 5).with_idempotency_key();
    let of_redemption = |call: Call<'_>| is_redemption(call).then_some(FaultKind::Throttle);
    let of_lookup = |call: Call<'_>| match call {
        call if is_redemption(call) => Some(FaultKind::After),
        call if is_lookup(call) => Some(FaultKind::Throttle),
        _ => None,
    };
    for (is_executed, fault) in [(false, of_redemption as fn(Call<'_>) -> _), (true, of_lookup)] {
        harness.faults.decide(fault);
        assert_eq!(till.send(&request).await.outcome(), Outcome::Open);
        harness.clear_faults();
        for (seconds, finished) in [(11, 0), (18, 0), (1, 1)] {
            harness.clock.advance_milliseconds(seconds * 1_000);
            assert_eq!(run_sweep(harness.app.clone()).await.unwrap().finished, finished, "after {seconds} more seconds");
        }
        if is_executed {
            assert!(till.send(&request).await.is_replay());
        }
    }
}

#[tokio::test]
async fn records_very_long_and_deeply_nested_replies() {
    let harness = Harness::new().await;
    let long = "x".repeat(3_000_000);
    // A reply of more than 64 levels would be unreadable.
    let deep = (0..30).fold(json!(1e300), |inner, _| json!({"": [inner]}));
    let success = |extra: Value| {
        json!({
            "transactionId": "t-1", "amount": 12.34, "currency": "EUR", "valueRemains": 87.66, "networkCode": "N-1",
            "extra": extra,
        })
    };
    for (status, body, is_kept_unchanged) in [
        (200, success(json!(long)), false),
        (200, success(deep.clone()), true),
        (422, json!({"code": "CARD_BLOCKED", "message": long}), false),
        (422, json!({"code": "CARD_BLOCKED", "message": deep}), true),
        (422, json!({"code": "CARD_BLOCKED", "": 1e300}), true),
    ] {
        let merchant = harness.merchant().await;
        let till = harness.till("till", &merchant).await;
        let reply = FaultKind::Response(StatusCode::from_u16(status).unwrap(), body.to_string());
        let reply = if status == 200 { FaultKind::OnReply(Box::new(reply)) } else { reply };
        harness.faults.decide(move |call| is_redemption(call).then(|| reply.clone()));
        let response = till.send(&redemption(&merchant)).await;
        harness.clear_faults();
        assert_eq!(response.status, status, "{:.500}", format!("{response:?}"));
        let passed_on = if status == 200 { &response.body["data"] } else { &response.body["details"] };
        if is_kept_unchanged {
            assert_eq!(*passed_on, body);
        } else if status == 200 {
            assert_eq!(passed_on["transactionId"], "t-1");
            assert_eq!(passed_on["valueRemains"], 87.66);
        } else {
            assert_eq!(passed_on.as_str().unwrap().len(), 4096);
        }
        let again = till.send(&redemption(&merchant)).await;
        assert_eq!((again.status, again.body), (response.status, response.body));
        let records = Records::read(&harness, &merchant).await;
        records.reconcile(&merchant).unwrap();
        if status == 200 {
            assert_eq!(records.redemptions[0].network_code.as_deref(), Some("N-1"));
        }
    }
}

#[tokio::test]
async fn rejects_values_longer_than_1000_characters() {
    let Setup { harness, merchant, till, .. } = setup().await;
    for field in ["qrCode", "retailStoreName"] {
        let mut request = redemption(&merchant);
        request.body[field] = json!("x".repeat(1_001));
        let refused = till.send(&request).await;
        let message = format!("{field}: must be at most 1000 characters.");
        assert_eq!(refused.body, json!({"error": message, "code": "INVALID_REQUEST"}));
    }
    assert!(Records::read(&harness, &merchant).await.redemptions.is_empty());
}

#[tokio::test]
async fn executes_an_operation_whose_begin_was_committed_but_reported_as_a_conflict() {
    let Setup { harness, merchant, till, request } = setup().await;
    let reasons = json!({"Message": "Transaction cancelled", "CancellationReasons": [{"Code": "TransactionConflict"}]});
    let mut conflict = Some(FaultKind::OnReply(Box::new(dynamodb_error("TransactionCanceledException", &reasons))));
    harness.faults.decide(move |call| (call.operation == "TransactWriteItems").then(|| conflict.take()).flatten());
    assert_eq!(till.send(&request).await.status, 200);
    assert!(till.send(&request).await.is_replay());
    Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn enqueues_a_settlement_that_cannot_be_computed_and_keeps_the_redemption() {
    let harness = Harness::new().await;
    let merchant = loop {
        let merchant = harness.merchant().await;
        if !merchant.is_settled_on_sale {
            break merchant;
        }
    };
    let record = harness.app.store.merchant(&merchant.id).await.unwrap().unwrap();
    let mut changed = record.value.clone();
    // No date is this far ahead.
    changed.payout_delay_days = u32::MAX;
    harness.app.store.commit(vec![Write::replace(&record, &changed).unwrap()]).await.unwrap();

    let response = harness.till("till", &merchant).await.send(&redemption(&merchant)).await;
    assert_eq!(response.status, 200, "{response:?}");
    let records = Records::read(&harness, &merchant).await;
    assert_eq!(records.redemptions[0].status, RedemptionStatus::Succeeded);
    assert!(records.settlements.is_empty());
    let jobs = harness.app.store.due_jobs(Timestamp::MAX, 9).await.unwrap();
    let expected = Task::SettleRedemption { redemption_id: records.redemptions[0].id.clone() };
    assert_eq!(jobs.iter().map(|job| &job.task).collect::<Vec<_>>(), [&expected]);

    let mut finished = 0;
    for _ in 0..12 {
        harness.clock.advance_milliseconds(7 * HOUR);
        finished += run_sweep(harness.app.clone()).await.unwrap().finished;
    }
    assert_eq!((finished, harness.app.store.dead_jobs(9).await.unwrap().len()), (1, 1), "the job ends dead");
}

#[tokio::test]
async fn closes_an_operation_whose_redemption_was_deleted() {
    let Setup { harness, merchant, till, request } = setup().await;
    leave_open(&harness, &till, &request).await;
    let open = harness.open_operations().await;
    let Subject::Redeem(id) = &open[0].subject else { panic!("{open:?}") };
    harness.app.store.remove(&keys::redemption(&merchant.id, id)).await.unwrap();
    harness.sweep_until_idle().await;
    assert!(harness.open_operations().await.is_empty());
    assert_eq!(till.send(&request).await.status, 200);
}

#[tokio::test]
async fn a_retry_returns_the_outcome_that_the_sweep_has_recorded_meanwhile() {
    let Setup { harness, till, request, .. } = setup().await;
    leave_open(&harness, &till, &request).await;
    // The sweep closes the operation after the retry has read it and before the retry acquires the lease.
    let (hold, mut held) = Hold::new();
    harness.clock.advance_milliseconds(LEASE);
    harness.faults.decide(move |call| {
        let acquires_lease = call.operation == "TransactWriteItems" && call.application() == Some("till");
        acquires_lease.then(|| FaultKind::Hold(hold.clone()))
    });
    let retry = tokio::spawn(till.send(&request));
    held.reached().await;
    assert_eq!(run_sweep(harness.app.clone()).await.unwrap().finished, 1);
    held.release();
    let response = retry.await.unwrap();
    assert_eq!((response.status, response.header("idempotent-replayed")), (200, Some("true")), "{response:?}");
}

#[tokio::test]
async fn a_call_that_arrives_after_its_lookup_moves_no_money() {
    let Setup { harness, merchant, till, request } = setup().await;
    let (invocation, held) = send_and_hold(&harness, &till, &request).await;
    invocation.abort();
    harness.sweep_until_idle().await;
    let repeat = till.send(&request).await;
    assert_eq!((repeat.status, repeat.is_replay()), (200, false), "{repeat:?}");
    held.release();
    // The card network handles calls in order: these follow the released one.
    let records = Records::read(&harness, &merchant).await;
    records.reconcile_balances(&harness, &merchant).await.unwrap();
    assert_eq!(Records::read(&harness, &merchant).await.movements.len(), 1, "only the repeat moved money");
    records.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn releases_an_operation_once_if_the_commit_reply_is_lost() {
    let Setup { harness, merchant, till, request } = setup().await;
    let mut commits = 0;
    harness.faults.decide(move |call| {
        commits += usize::from(call.operation == "TransactWriteItems");
        match call {
            call if is_redemption(call) => Some(FaultKind::After),
            call if is_lookup(call) => Some(FaultKind::Drop),
            call if call.operation == "TransactWriteItems" && commits > 1 => Some(FaultKind::After),
            _ => None,
        }
    });
    assert_eq!(till.send(&request).await.outcome(), Outcome::Open);
    let open = harness.open_operations().await;
    assert!(matches!(open[0].state, OperationState::Open { failed_lookups: 1, .. }), "expected one release: {open:?}");
    harness.sweep_until_idle().await;
    assert_eq!(till.send(&request).await.status, 200);
    Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();
}

#[tokio::test]
async fn responds_in_time_while_the_table_hangs() {
    let harness = Harness::new().await;
    for network_replies in [true, false] {
        let merchant = harness.merchant().await;
        let till = harness.till("till", &merchant).await;
        let clock = harness.clock.clone();
        let mut commits = 0;
        harness.faults.decide(move |call| match call {
            call if call.operation == "TransactWriteItems" => {
                commits += 1;
                clock.advance_milliseconds(if commits == 1 { 11_400 } else { 0 });
                (commits > 1).then_some(FaultKind::Timeout)
            }
            call if is_redemption(call) => {
                clock.advance_milliseconds(if network_replies { 3_000 } else { 1_000 });
                (!network_replies).then_some(FaultKind::After)
            }
            call if is_lookup(call) => {
                clock.advance_milliseconds(2_000);
                Some(FaultKind::Drop)
            }
            _ => None,
        });
        // By default, the client retries for six seconds.
        let response = tokio::time::timeout(Duration::from_secs(5), till.send(&redemption(&merchant))).await;
        assert_eq!(response.unwrap().outcome(), Outcome::Open);
        harness.sweep_until_idle().await;
        assert_eq!(till.send(&redemption(&merchant)).await.status, 200);
        Records::read(&harness, &merchant).await.reconcile(&merchant).unwrap();
    }
}

/// The card network mails a card before its response to the sale arrives. The buyer spends it at the till of the same merchant, which
/// is paid for redemptions or for sales.
#[tokio::test]
async fn a_card_that_is_redeemed_before_its_sale_is_known_is_one_of_the_own_till() {
    let harness = Harness::new().await;
    for is_redemption_open_too in [false, true, false, true] {
        let merchant = harness.merchant().await;
        let till = harness.till("till", &merchant).await;
        harness.faults.decide(|call| match call {
            call if moves_money(call) => Some(FaultKind::After),
            call if is_lookup(call) => Some(FaultKind::Drop),
            _ => None,
        });
        let sale = PosRequest::sale("sale", 2_500).with_idempotency_key();
        assert_eq!(till.send(&sale).await.outcome(), Outcome::Open);
        let records = Records::read(&harness, &merchant).await;
        let (code, _) = &records.movements[0].amount;

        if !is_redemption_open_too {
            harness.clear_faults();
        }
        let redeemed = till.send(&PosRequest::redemption("redemption", code, 1_000).with_idempotency_key()).await;
        assert_eq!(redeemed.outcome() == Outcome::Open, is_redemption_open_too);
        harness.sweep_until_idle().await;
        let records = Records::read(&harness, &merchant).await;
        let held = records.settlements.iter().filter(|settlement| settlement.is_held() && settlement.order_id.is_some());
        assert_eq!(held.count(), usize::from(!merchant.is_settled_on_sale), "{records:?}");
        records.reconcile(&merchant).unwrap();
        records.reconcile_balances(&harness, &merchant).await.unwrap();
    }
}

/// The worker that links the redemption dies anywhere. Its settlement has joined a payout before the sale was known.
#[tokio::test]
async fn a_sale_at_the_own_till_that_is_known_too_late_sets_off_the_alarm_wherever_the_worker_dies() {
    let harness = Harness::new().await;
    let mut crashes = 0;
    loop {
        let merchant = harness.merchant().await;
        if merchant.is_settled_on_sale {
            continue;
        }
        let job = late_sale(&harness, &merchant).await;
        let (log, _capturing) = Log::of_thread();
        let app = harness.instance("worker");
        let worker = async move {
            let invocation = Invocation::new(&app.clock, "worker".to_owned());
            jobs::run(&app, &invocation, job).await.unwrap()
        };
        let is_over = harness.run_until_crash(crashes, |_| None, worker).await.is_ok();
        harness.sweep_until_idle().await;
        assert!(log.text().contains("is in a payout, although"), "after {crashes} calls: {}", log.text());
        let records = Records::read(&harness, &merchant).await;
        assert!(records.redemptions.iter().all(|redemption| redemption.card.is_some()), "{records:?}");
        if is_over {
            break;
        }
        crashes += 1;
    }
    assert!(crashes > 6, "{crashes}");
}

/// A redemption of a card of the own till as if the sale had not been known by then, and the job that links it.
async fn late_sale(harness: &Harness, merchant: &TestMerchant) -> Stored<Job> {
    let (app, till) = (&harness.app, harness.till("till", merchant).await);
    till.send(&PosRequest::sale("sale", 2_500)).await;
    let sold = Records::read(harness, merchant).await;
    till.send(&PosRequest::redemption("redemption", &sold.movements[0].amount.0, 1_000)).await;
    let records = Records::read(harness, merchant).await;
    let (redemption, settlement) = (&records.redemptions[0].id, &records.settlements[0].id);
    let redemption = app.store.redemption(&merchant.id, redemption).await.unwrap().unwrap();
    let settlement = app.store.settlement(&merchant.id, settlement).await.unwrap().unwrap();
    let unlinked = Redemption { card: None, ..redemption.value.clone() };
    let (hold, status) = (SettlementHold::default(), SettlementStatus::InBatch.into());
    let taken = Settlement { hold, status, order_id: None, gift_card_id: None, ..settlement.value.clone() };
    let task = Task::ClaimRedemptions { order_id: sold.orders[0].id.clone() };
    let job = Job::new(merchant.id.clone(), task, app.clock.now(), &app.random);
    let writes = [Write::replace(&redemption, &unlinked), Write::replace(&settlement, &taken), Write::create(&job)];
    app.store.commit(writes.into_iter().collect::<Result<_, _>>().unwrap()).await.unwrap();
    app.store.job(&job.id).await.unwrap().unwrap()
}
