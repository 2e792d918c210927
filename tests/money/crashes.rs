//! An invocation that is cut, at every point at which it can be, and whoever comes after it and is cut as well.

use std::future::Future;
use std::ops::AddAssign;
use std::pin::Pin;

use http::StatusCode;
use upstreams::faults::{Call, FaultKind, Target};

use crate::books::Books;
use crate::world::{Answer, Died, LEASE, Order, Points, Shop, Verdict, World};

/// What becomes of the call that moves the money.
#[derive(Debug, Clone, Copy)]
enum Weather {
    Fair,
    /// It never gets to the network.
    CallLost,
    /// It is carried out, and the reply gets lost.
    ReplyLost,
    /// The reply gets lost, and the network cannot be asked.
    Blackout,
}

fn moves_money(call: Call<'_>) -> bool {
    call.target == Target::CardNetwork && call.operation.starts_with("POST /v1/cards/")
}

impl Weather {
    const FOUL: [Self; 3] = [Self::CallLost, Self::ReplyLost, Self::Blackout];

    fn fate(self) -> impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static {
        move |call| {
            let asks = call.operation.starts_with("GET /v1/operations/");
            match self {
                Self::CallLost if moves_money(call) => Some(FaultKind::Drop),
                Self::ReplyLost | Self::Blackout if moves_money(call) => Some(FaultKind::After),
                Self::Blackout if asks => Some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE)),
                _ => None,
            }
        }
    }
}

/// Who comes after the invocation that was cut.
#[derive(Debug, Clone, Copy)]
enum Successor {
    Repeat,
    Sweep,
}

type OrderFor = fn(&Shop) -> Order;

const SALE: OrderFor = |_| Order::sale("sale", 2_500).keyed();
const PAYMENT: OrderFor = |shop| Order::payment("payment", &shop.cards[0], 1_234).keyed();
/// More than there is on the card.
const REFUSED: OrderFor = |shop| Order::payment("payment", &shop.cards[0], 99_999).keyed();

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    single: usize,
    pairs: usize,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.single += other.single;
        self.pairs += other.pairs;
    }
}

/// Places the order, or sweeps, until the invocation dies where it is told to, or comes to its end.
async fn run(
    world: &World,
    shop: &Shop,
    order: &Order,
    who: Successor,
    point: usize,
    weather: Weather,
) -> Result<(), Died> {
    let invocation: Pin<Box<dyn Future<Output = ()> + Send>> = match who {
        Successor::Sweep => {
            let sweep = world.sweep("sweep");
            Box::pin(async move { drop(sweep.await) })
        }
        Successor::Repeat => {
            let placed = world.till("till", shop).await.place(order);
            Box::pin(async move { drop(placed.await) })
        }
    };
    world.run_until(point, weather.fate(), invocation).await
}

/// After whatever happened: it settles, the books agree, and the order has one answer from now on.
async fn all_is_well(world: &World, shop: &Shop, order: &Order) -> Result<Answer, String> {
    world.settle().await;
    Books::of(world, shop).await.check(shop)?;

    let till = world.till("till", shop).await;
    let (answer, again) = (till.place(order).await, till.place(order).await);
    let books = Books::of(world, shop).await;
    books.check(shop)?;
    books.check_balances(world, shop).await?;
    let verdict = answer.verdict();
    if verdict != Verdict::Moved && verdict != Verdict::Refused {
        return Err(format!("no final answer: {answer:?}"));
    }
    if (again.status, &again.body, again.header("idempotent-replayed"))
        != (answer.status, &answer.body, Some("true"))
    {
        return Err(format!("{answer:?}, and then {again:?}"));
    }
    if books.moved.len() != usize::from(verdict == Verdict::Moved) {
        return Err(format!("{answer:?}, and moved was {:?}", books.moved));
    }
    Ok(answer)
}

/// Every point from `first` on, and with each of them every point of whoever comes next.
async fn every_crash(order_for: OrderFor, weather: Weather, first: usize) -> Count {
    let world = World::new().await;
    let mut count = Count::default();
    for first in first.. {
        let shop = world.shop().await;
        let order = order_for(&shop);
        let Err(died) = run(&world, &shop, &order, Successor::Repeat, first, weather).await else { break };
        let well = all_is_well(&world, &shop, &order).await;
        well.unwrap_or_else(|error| panic!("{} in {weather:?}, {died:?}: {error}", order.path));
        count.single += 1;
        for successor in [Successor::Repeat, Successor::Sweep] {
            count.pairs += every_second_crash(&world, order_for, weather, first, successor).await;
        }
    }
    count
}

async fn every_second_crash(
    world: &World,
    order_for: OrderFor,
    weather: Weather,
    first: usize,
    successor: Successor,
) -> usize {
    for second in 0.. {
        let shop = world.shop().await;
        let order = order_for(&shop);
        let died = run(world, &shop, &order, Successor::Repeat, first, weather).await;
        world.clock.advance_milliseconds(LEASE);
        let died_too = run(world, &shop, &order, successor, second, Weather::Fair).await;
        let well = all_is_well(world, &shop, &order).await;
        well.unwrap_or_else(|error| {
            panic!("{} in {weather:?}, {died:?}, then {successor:?}, {died_too:?}: {error}", order.path)
        });
        if died_too.is_ok() {
            return second;
        }
    }
    unreachable!()
}

/// The first point at which foul weather makes a difference.
async fn point_of_the_call(order_for: OrderFor) -> usize {
    let world = World::new().await;
    let shop = world.shop().await;
    let placed = world.till("till", &shop).await.place(&order_for(&shop));
    let (mut points, mut passed, (sender, receiver)) = (Points::default(), 0, std::sync::mpsc::channel());
    world.faults.decide(move |call| {
        if moves_money(call) {
            sender.send(passed).unwrap();
        }
        points.pass(call, usize::MAX);
        passed = points.passed();
        None
    });
    placed.await;
    receiver.recv().unwrap()
}

async fn enumerate(order_for: OrderFor) {
    let mut count = every_crash(order_for, Weather::Fair, 0).await;
    let call = point_of_the_call(order_for).await;
    for weather in Weather::FOUL {
        count += every_crash(order_for, weather, call + 1).await;
    }
    println!("{} crashes, {} pairs of crashes", count.single, count.pairs);
}

#[tokio::test]
async fn a_sale_survives_every_crash_and_every_pair_of_crashes() {
    enumerate(SALE).await;
}

#[tokio::test]
async fn a_payment_survives_every_crash_and_every_pair_of_crashes() {
    enumerate(PAYMENT).await;
}

#[tokio::test]
async fn a_payment_that_is_refused_survives_every_crash_and_every_pair_of_crashes() {
    let call = point_of_the_call(REFUSED).await;
    let count = every_crash(REFUSED, Weather::Fair, call).await;
    println!("{} crashes, {} pairs of crashes", count.single, count.pairs);
}

/// The time that the invocation has is over at each of its points in turn: it answers at once and as documented.
async fn time_runs_out(order_for: OrderFor, weather: Weather) -> usize {
    let world = World::new().await;
    for point in 0.. {
        let shop = world.shop().await;
        let order = order_for(&shop);
        let (mut points, mut fate, clock) = (Points::default(), weather.fate(), world.clock.clone());
        let (sender, receiver) = std::sync::mpsc::channel();
        let placed = world.till("till", &shop).await.place(&order);
        world.faults.decide(move |call| {
            if points.pass(call, point).is_some() {
                clock.advance_milliseconds(15_000);
                sender.send(call.operation.to_owned()).unwrap();
            }
            fate(call)
        });
        let answer = placed.await;
        let Ok(place) = receiver.try_recv() else { return point };
        let is_documented = matches!(answer.status, 200 | 401 | 422 | 502 | 503 | 504);
        assert!(is_documented, "{} in {weather:?}, no time left at {place}: {answer:?}", order.path);
        let well = all_is_well(&world, &shop, &order).await;
        let well = well.unwrap_or_else(|error| {
            panic!("{} in {weather:?}, no time left at {place}: {error}", order.path)
        });
        if answer.verdict() == Verdict::Moved || answer.verdict() == Verdict::Refused {
            assert_eq!((answer.status, answer.body), (well.status, well.body));
        }
    }
    unreachable!()
}

#[tokio::test]
async fn whenever_the_time_runs_out_the_answer_is_true() {
    let mut count = 0;
    for weather in [Weather::Fair, Weather::CallLost, Weather::ReplyLost, Weather::Blackout] {
        for order_for in [SALE, PAYMENT, REFUSED] {
            count += time_runs_out(order_for, weather).await;
        }
    }
    println!("the time ran out at {count} points");
}
