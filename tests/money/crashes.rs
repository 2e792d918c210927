//! Interrupts an invocation at each crash point, then interrupts the invocation that recovers it at each crash point.

use std::future::Future;
use std::ops::AddAssign;
use std::pin::Pin;

use http::StatusCode;
use upstreams::faults::{Call, FaultKind};

use crate::harness::{Crash, CrashPoints, Harness, LEASE, Outcome, PosRequest, Response, TestMerchant, is_lookup, moves_money};
use crate::reconciliation::Records;

/// The state of the card network during an invocation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NetworkCondition {
    Healthy,
    /// The call that moves money is lost before the card network receives it.
    RequestLost,
    /// The call that moves money is executed and its reply is lost.
    ReplyLost,
    /// As `ReplyLost`, and lookups fail.
    ReplyLostAndLookupsFail,
}

impl NetworkCondition {
    pub(crate) const ALL: [Self; 4] = [Self::Healthy, Self::RequestLost, Self::ReplyLost, Self::ReplyLostAndLookupsFail];
    const UNHEALTHY: [Self; 3] = [Self::RequestLost, Self::ReplyLost, Self::ReplyLostAndLookupsFail];

    fn faults(self) -> impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static {
        move |call| match self {
            Self::RequestLost if moves_money(call) => Some(FaultKind::Drop),
            Self::ReplyLost | Self::ReplyLostAndLookupsFail if moves_money(call) => Some(FaultKind::After),
            Self::ReplyLostAndLookupsFail if is_lookup(call) => Some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE)),
            _ => None,
        }
    }
}

/// The function that is invoked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Function {
    Pos,
    Sweep,
}

pub(crate) type RequestFor = fn(&TestMerchant) -> PosRequest;

pub(crate) const SALE: RequestFor = |_| PosRequest::sale("sale", 2_500).with_idempotency_key();
pub(crate) const REDEMPTION: RequestFor =
    |merchant| PosRequest::redemption("redemption", &merchant.cards[0], 1_234).with_idempotency_key();
/// Exceeds the card's balance.
const REFUSED_REDEMPTION: RequestFor =
    |merchant| PosRequest::redemption("redemption", &merchant.cards[0], 99_999).with_idempotency_key();

/// The number of tested crashes.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct CrashCount {
    single: usize,
    pairs: usize,
}

impl AddAssign for CrashCount {
    fn add_assign(&mut self, other: Self) {
        self.single += other.single;
        self.pairs += other.pairs;
    }
}

/// Invokes the function, with the request if it is the POS function, and interrupts it at the crash point.
pub(crate) async fn run(
    harness: &Harness,
    merchant: &TestMerchant,
    request: &PosRequest,
    function: Function,
    point: usize,
    condition: NetworkCondition,
) -> Result<(), Crash> {
    let invocation: Pin<Box<dyn Future<Output = ()> + Send>> = match function {
        Function::Sweep => {
            let sweep = harness.sweep("sweep");
            Box::pin(async move { drop(sweep.await) })
        }
        Function::Pos => {
            let response = harness.till("till", merchant).await.send(request);
            Box::pin(async move { drop(response.await) })
        }
    };
    harness.run_until_crash(point, condition.faults(), invocation).await
}

/// Checks that the operation closes, that all records match, and that every retry gets the same final response.
async fn check_recovery(harness: &Harness, merchant: &TestMerchant, request: &PosRequest) -> Result<Response, String> {
    harness.sweep_until_idle().await;
    Records::read(harness, merchant).await.reconcile(merchant)?;
    let till = harness.till("till", merchant).await;
    let (first, second) = (till.send(request).await, till.send(request).await);
    let records = Records::read(harness, merchant).await;
    records.reconcile(merchant)?;
    records.reconcile_balances(harness, merchant).await?;
    if !first.is_final() {
        return Err(format!("the response is not final: {first:?}"));
    }
    if !second.is_replay() || (second.status, &second.body) != (first.status, &first.body) {
        return Err(format!("the responses differ: {first:?}, then {second:?}"));
    }
    if records.movements.len() != usize::from(first.outcome() == Outcome::Succeeded) {
        return Err(format!("{first:?} does not match the movements {:?}", records.movements));
    }
    Ok(first)
}

/// Interrupts the request at each point from `first` on, alone and followed by each crash of the recovering invocation.
async fn test_crashes(request_for: RequestFor, condition: NetworkCondition, first: usize) -> CrashCount {
    let harness = Harness::new().await;
    let mut count = CrashCount::default();
    for first in first.. {
        let merchant = harness.merchant().await;
        let request = request_for(&merchant);
        let Err(crash) = run(&harness, &merchant, &request, Function::Pos, first, condition).await else {
            break;
        };
        let recovered = check_recovery(&harness, &merchant, &request).await;
        recovered.unwrap_or_else(|error| panic!("{} in {condition:?}, {crash:?}: {error}", request.path));
        count.single += 1;
        for function in [Function::Pos, Function::Sweep] {
            count.pairs += test_second_crashes(&harness, request_for, condition, first, function).await;
        }
    }
    count
}

/// Interrupts the request at the `first` point and the recovering `function` at each of its points. Returns their number.
async fn test_second_crashes(
    harness: &Harness,
    request_for: RequestFor,
    condition: NetworkCondition,
    first: usize,
    function: Function,
) -> usize {
    for second in 0.. {
        let merchant = harness.merchant().await;
        let request = request_for(&merchant);
        let crash = run(harness, &merchant, &request, Function::Pos, first, condition).await;
        harness.clock.advance_milliseconds(LEASE);
        let second_crash = run(harness, &merchant, &request, function, second, NetworkCondition::Healthy).await;
        let recovered = check_recovery(harness, &merchant, &request).await;
        recovered.unwrap_or_else(|error| {
            panic!("{} in {condition:?}, {crash:?}, then {function:?}, {second_crash:?}: {error}", request.path)
        });
        if second_crash.is_ok() {
            return second;
        }
    }
    unreachable!()
}

/// Returns the crash point before the call that moves money: up to it, the network condition makes no difference.
async fn point_of_money_call(request_for: RequestFor) -> usize {
    let harness = Harness::new().await;
    let merchant = harness.merchant().await;
    let response = harness.till("till", &merchant).await.send(&request_for(&merchant));
    let (mut points, mut passed) = (CrashPoints::default(), 0);
    let (sender, receiver) = std::sync::mpsc::channel();
    harness.faults.decide(move |call| {
        if moves_money(call) {
            sender.send(passed).unwrap();
        }
        points.pass(call, usize::MAX);
        passed = points.passed();
        None
    });
    response.await;
    receiver.recv().unwrap()
}

async fn test_crashes_in_every_condition(request_for: RequestFor) {
    let mut count = test_crashes(request_for, NetworkCondition::Healthy, 0).await;
    let money_call = point_of_money_call(request_for).await;
    for condition in NetworkCondition::UNHEALTHY {
        count += test_crashes(request_for, condition, money_call + 1).await;
    }
    println!("{} crashes, {} pairs of crashes", count.single, count.pairs);
}

#[tokio::test]
async fn a_sale_recovers_from_every_crash_and_every_pair_of_crashes() {
    test_crashes_in_every_condition(SALE).await;
}

#[tokio::test]
async fn a_redemption_recovers_from_every_crash_and_every_pair_of_crashes() {
    test_crashes_in_every_condition(REDEMPTION).await;
}

#[tokio::test]
async fn a_refused_redemption_recovers_from_every_crash_and_every_pair_of_crashes() {
    let money_call = point_of_money_call(REFUSED_REDEMPTION).await;
    let count = test_crashes(REFUSED_REDEMPTION, NetworkCondition::Healthy, money_call).await;
    println!("{} crashes, {} pairs of crashes", count.single, count.pairs);
}

/// Lets the invocation's deadline pass at each of its points in turn. Returns their number.
async fn test_deadlines(request_for: RequestFor, condition: NetworkCondition) -> usize {
    let harness = Harness::new().await;
    for point in 0.. {
        let merchant = harness.merchant().await;
        let request = request_for(&merchant);
        let (mut points, mut faults, clock) = (CrashPoints::default(), condition.faults(), harness.clock.clone());
        let (sender, receiver) = std::sync::mpsc::channel();
        let response = harness.till("till", &merchant).await.send(&request);
        harness.faults.decide(move |call| {
            if points.pass(call, point).is_some() {
                clock.advance_milliseconds(15_000);
                sender.send(call.operation.to_owned()).unwrap();
            }
            faults(call)
        });
        let response = response.await;
        let Ok(call) = receiver.try_recv() else { return point };
        let context = format!("{} in {condition:?}, deadline passed at {call}", request.path);
        let is_documented = matches!(response.status, 200 | 401 | 422 | 502 | 503 | 504);
        assert!(is_documented, "{context}: {response:?}");
        let recovered = check_recovery(&harness, &merchant, &request).await;
        let recovered = recovered.unwrap_or_else(|error| panic!("{context}: {error}"));
        if response.is_final() {
            assert_eq!((response.status, response.body), (recovered.status, recovered.body));
        }
    }
    unreachable!()
}

#[tokio::test]
async fn responds_correctly_wherever_the_deadline_passes() {
    let mut count = 0;
    for condition in [
        NetworkCondition::Healthy,
        NetworkCondition::RequestLost,
        NetworkCondition::ReplyLost,
        NetworkCondition::ReplyLostAndLookupsFail,
    ] {
        for request_for in [SALE, REDEMPTION, REFUSED_REDEMPTION] {
            count += test_deadlines(request_for, condition).await;
        }
    }
    println!("the deadline passed at {count} points");
}
