//! An invocation that dies, at every point at which it can, and whoever comes after it that dies as well.

use std::future::Future;
use std::ops::AddAssign;
use std::pin::Pin;

use http::StatusCode;
use upstreams::faults::{Call, FaultKind, Target};

use crate::books::Books;
use crate::world::{Crash, LEASE, Order, Shop, Verdict, World};

/// What becomes of the call that moves the money, besides the crash.
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

impl Weather {
    const ALL: [Self; 4] = [Self::Fair, Self::CallLost, Self::ReplyLost, Self::Blackout];

    fn fate(self) -> impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static {
        move |call| {
            let moves_money = call.target == Target::CardNetwork && call.operation.starts_with("POST /v1/cards/");
            let asks = call.operation.starts_with("GET /v1/operations/");
            match self {
                Self::CallLost if moves_money => Some(FaultKind::Drop),
                Self::ReplyLost | Self::Blackout if moves_money => Some(FaultKind::After),
                Self::Blackout if asks => Some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE)),
                _ => None,
            }
        }
    }
}

/// Who comes after the invocation that died.
#[derive(Debug, Clone, Copy)]
enum Successor {
    Repeat,
    Sweep,
}

type Demand = fn(&Shop) -> Order;

const DEMANDS: [Demand; 3] = [
    |_| Order::sale("sale", 2_500).keyed(),
    |shop| Order::payment("payment", &shop.cards[0], 1_234).keyed(),
    // More than there is on the card.
    |shop| Order::payment("payment", &shop.cards[0], 99_999).keyed(),
];

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

/// The order's invocation, or the sweep, which dies where it is told to; false where it came to its end before.
async fn dies(world: &World, shop: &Shop, order: &Order, who: Option<Successor>, crash: Crash, weather: Weather) -> bool {
    let invocation: Pin<Box<dyn Future<Output = ()> + Send>> = match who {
        Some(Successor::Sweep) => {
            let sweep = world.sweep("sweep");
            Box::pin(async move { drop(sweep.await) })
        }
        Some(Successor::Repeat) | None => {
            let till = world.till("till", shop).await;
            let placed = till.place(order);
            Box::pin(async move { drop(placed.await) })
        }
    };
    world.run_until(crash, weather.fate(), invocation).await.is_none()
}

/// After whatever happened: it settles, the books agree, and the order has one answer from now on.
async fn all_is_well(world: &World, shop: &Shop, order: &Order) -> Result<(), String> {
    world.settle().await;
    Books::of(world, shop).await.check(shop)?;

    let till = world.till("till", shop).await;
    let (answer, again) = (till.place(order).await, till.place(order).await);
    let books = Books::of(world, shop).await;
    books.check(shop)?;
    let verdict = answer.verdict();
    if verdict != Verdict::Moved && verdict != Verdict::Refused {
        return Err(format!("no final answer: {answer:?}"));
    }
    if (again.status, &again.body, again.header("idempotent-replayed")) != (answer.status, &answer.body, Some("true")) {
        return Err(format!("{answer:?}, and then {again:?}"));
    }
    if books.moved.len() != usize::from(verdict == Verdict::Moved) {
        return Err(format!("{answer:?}, and moved was {:?}", books.moved));
    }
    Ok(())
}

async fn every_crash(demand: Demand, weather: Weather) -> Count {
    let world = World::new().await;
    let mut count = Count::default();
    for first in Crash::all() {
        let shop = world.shop().await;
        let order = demand(&shop);
        if !dies(&world, &shop, &order, None, first, weather).await {
            break;
        }
        let well = all_is_well(&world, &shop, &order).await;
        well.unwrap_or_else(|error| panic!("{} in {weather:?} died at {first:?}: {error}", order.path));
        count.single += 1;
        for successor in [Successor::Repeat, Successor::Sweep] {
            count.pairs += every_second_crash(&world, demand, weather, first, successor).await;
        }
    }
    count
}

async fn every_second_crash(
    world: &World,
    demand: Demand,
    weather: Weather,
    first: Crash,
    successor: Successor,
) -> usize {
    let mut count = 0;
    for second in Crash::all() {
        let shop = world.shop().await;
        let order = demand(&shop);
        dies(world, &shop, &order, None, first, weather).await;
        world.hands.turn(LEASE);
        let t = std::time::Instant::now();
        let has_died = dies(world, &shop, &order, Some(successor), second, Weather::Fair).await;
        if t.elapsed().as_millis() > 200 { println!("SLOW {weather:?} {first:?} {successor:?} {second:?} {:?}", t.elapsed()); }
        let t = std::time::Instant::now();
        let well = all_is_well(world, &shop, &order).await;
        if t.elapsed().as_millis() > 300 { println!("SLOWWELL {weather:?} {first:?} {successor:?} {second:?} {:?}", t.elapsed()); }
        well.unwrap_or_else(|error| {
            panic!("{} in {weather:?} died at {first:?}, {successor:?} at {second:?}: {error}", order.path)
        });
        if !has_died {
            break;
        }
        count += 1;
    }
    count
}

async fn enumerate(demand: Demand) {
    let mut count = Count::default();
    for weather in Weather::ALL {
        count += every_crash(demand, weather).await;
    }
    println!("{} crashes, {} pairs of crashes", count.single, count.pairs);
}

#[tokio::test]
async fn a_sale_survives_every_crash_and_every_pair_of_crashes() {
    enumerate(DEMANDS[0]).await;
}

#[tokio::test]
async fn a_payment_survives_every_crash_and_every_pair_of_crashes() {
    enumerate(DEMANDS[1]).await;
}

#[tokio::test]
async fn a_payment_that_is_refused_survives_every_crash_and_every_pair_of_crashes() {
    enumerate(DEMANDS[2]).await;
}

#[tokio::test]
async fn timing() {
    let world = World::new().await;
    for i in 0..3 {
        let t = std::time::Instant::now();
        let shop = world.shop().await;
        println!("shop {:?}", t.elapsed());
        let order = DEMANDS[1](&shop);
        let t = std::time::Instant::now();
        let till = world.till("till", &shop).await;
        println!("till {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let answer = till.place(&order).await;
        println!("place {:?} {}", t.elapsed(), answer.status);
        let t = std::time::Instant::now();
        let answer = till.place(&order).await;
        println!("again {:?} {}", t.elapsed(), answer.status);
        let t = std::time::Instant::now();
        world.sweep("sweep").await.unwrap();
        println!("sweep {:?}", t.elapsed());
        let t = std::time::Instant::now();
        world.settle().await;
        println!("settle {:?}", t.elapsed());
        let t = std::time::Instant::now();
        Books::of(&world, &shop).await.check(&shop).unwrap();
        println!("books {:?}", t.elapsed());
        let t = std::time::Instant::now();
        let died = dies(&world, &shop, &order, None, Crash { call: 2, when: crate::world::When::Before }, Weather::Fair).await;
        println!("dies {:?} {died} {i}", t.elapsed());
    }
}
