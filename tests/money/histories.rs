//! Random histories of a shop: sales and payments by one to three tills at a time, with all that can go wrong on the way
//! going wrong at random. When it is over and everything is healed, the books have to agree.
//!
//! `MONEY_HISTORIES` is how many, `MONEY_SEED` the seed of the first; each next one has the next seed.

use std::collections::HashMap;
use std::ops::AddAssign;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use http::StatusCode;
use serde_json::Value;
use test_support::SeededRandom;
use tokio::task::JoinSet;
use upstreams::faults::{Call, FaultKind, Hold, HoldHandle, Target};

use crate::books::Books;
use crate::world::{Answer, Order, Shop, Till, Verdict, World};

/// A fresh set of services from time to time keeps each history as fast as the first.
const HISTORIES_IN_A_WORLD: u64 = 250;

/// What becomes of an invocation, call by call.
struct Fate {
    /// The chance of a mishap at each call, in percent.
    bad_luck: u64,
    pace: Pace,
    crash: Option<Hold>,
    random: SeededRandom,
}

/// How the network's speed compares with the time that there is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Pace {
    #[default]
    Usual,
    TooSlow,
    /// The time is running out.
    Late,
    /// The call that moves money has taken too long.
    TooLate,
}

/// Calls that are on their way, and arrive when somebody lets them.
type Delayed = Arc<Mutex<Vec<HoldHandle>>>;

impl Fate {
    fn of_call(&mut self, call: Call<'_>, turn: impl Fn(i64), delayed: &Delayed) -> Option<FaultKind> {
        let moves_money = call.operation.starts_with("POST /v1/cards/");
        let asks = call.operation.starts_with("GET /v1/operations/");
        match self.pace {
            // What is left then is little enough for a test to wait for.
            Pace::TooSlow if call.operation == "TransactWriteItems" => {
                turn(11_470);
                self.pace = Pace::Late;
            }
            Pace::Late if moves_money => {
                turn(1_500);
                self.pace = Pace::TooLate;
                return Some(self.too_slow(delayed));
            }
            Pace::TooLate if asks => return Some(FaultKind::Timeout),
            _ => {}
        }
        if !self.random.percent(self.bad_luck) {
            return None;
        }
        if let Some(crash) = self.crash.take_if(|_| self.random.percent(25)) {
            let crash = FaultKind::Hold(crash);
            return Some(if self.random.percent(50) {
                crash
            } else {
                FaultKind::OnReply(Box::new(crash))
            });
        }
        if self.random.percent(10) {
            turn(self.random.below(9_000));
            return None;
        }
        Some(match call.target {
            Target::CardNetwork => self.mishap_at_the_network(moves_money || asks),
            _ => self.mishap_at_aws(),
        })
    }

    fn too_slow(&mut self, delayed: &Delayed) -> FaultKind {
        match self.random.below(3) {
            0 => FaultKind::Timeout,
            1 => FaultKind::OnReply(Box::new(FaultKind::Timeout)),
            _ => {
                let (hold, held) = Hold::new();
                delayed.lock().unwrap().push(held);
                FaultKind::Hold(hold)
            }
        }
    }

    /// Nothing that would be a lie: what the network refuses it has not carried out.
    fn mishap_at_the_network(&mut self, has_effect: bool) -> FaultKind {
        let status = |status: u16| FaultKind::Status(StatusCode::from_u16(status).unwrap());
        let body = |text: &str| FaultKind::Body(text.to_owned());
        let mishap = match self.random.below(14) {
            0 => FaultKind::Drop,
            1 => status(500),
            2 => status(503),
            3 => status(408),
            4 => body("<html>busy</html>"),
            5 => body(r#"{"code": "UNAVAILABLE", "message": "not now"}"#),
            6 => body(r#"{"transactionId": "t-1", "qrCode": "#),
            7 => body(""),
            8 => FaultKind::OnReply(Box::new(FaultKind::Drop)),
            9 => FaultKind::OnReply(Box::new(status(503))),
            10 => FaultKind::OnReply(Box::new(body("<html>busy</html>"))),
            11 => FaultKind::Throttle,
            12 => status(422),
            _ => status(401),
        };
        if has_effect { mishap } else { FaultKind::Drop }
    }

    fn mishap_at_aws(&mut self) -> FaultKind {
        match self.random.below(4) {
            0 => FaultKind::Throttle,
            1 => FaultKind::Drop,
            2 => FaultKind::Status(StatusCode::INTERNAL_SERVER_ERROR),
            _ => FaultKind::After,
        }
    }
}

/// What a till has asked for, and what it was told.
struct Placed {
    order: Order,
    answers: Vec<Answer>,
}

/// Who is at work at a time.
#[derive(Clone, Copy)]
enum Actor {
    Till { till: usize, placed: usize },
    Sweep,
}

/// What came up in histories.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    moved: usize,
    refused: usize,
    open: usize,
    turned_away: usize,
    died: usize,
    sweeps: usize,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.moved += other.moved;
        self.refused += other.refused;
        self.open += other.open;
        self.turned_away += other.turned_away;
        self.died += other.died;
        self.sweeps += other.sweeps;
    }
}

impl Tally {
    fn add(&mut self, ended: &Ended) {
        match ended {
            Ended::Answered(_, answer) => match answer.verdict() {
                Verdict::Moved => self.moved += 1,
                Verdict::Refused => self.refused += 1,
                Verdict::Open => self.open += 1,
                Verdict::TurnedAway => self.turned_away += 1,
            },
            Ended::Swept => self.sweeps += 1,
            Ended::Died => self.died += 1,
        }
    }
}

/// How an invocation ended.
enum Ended {
    /// The order that was placed, and what its till was told.
    Answered(usize, Answer),
    Swept,
    Died,
}

type Invocation = Pin<Box<dyn Future<Output = Ended> + Send>>;

struct History<'a> {
    world: &'a World,
    shop: Shop,
    random: SeededRandom,
    token: String,
    tills: Vec<Till>,
    placed: Vec<Placed>,
    delayed: Delayed,
    tally: Tally,
}

impl<'a> History<'a> {
    async fn begin(world: &'a World, seed: u64) -> Self {
        let shop = world.shop().await;
        let token = world.sign_in(&shop).await;
        let tills = (0..3).map(|till| world.till_with(&name(till), token.clone())).collect();
        Self {
            world,
            shop,
            random: SeededRandom::new(seed),
            token,
            tills,
            placed: Vec::new(),
            delayed: Delayed::default(),
            tally: Tally::default(),
        }
    }

    async fn run(mut self) -> Result<Tally, String> {
        for _ in 0..3 + self.random.below(5) {
            match self.random.below(10) {
                0..6 => self.act(1).await,
                6 | 7 => {
                    let actors = 2 + self.random.below(2);
                    self.act(actors).await;
                }
                8 => self.let_one_arrive(),
                _ => {
                    let time = *self.random.pick(&[1_000, 6_000, 25_000, 120_000]);
                    self.world.clock.advance_milliseconds(time);
                }
            }
        }
        self.check().await
    }

    /// So many do something at the same time.
    async fn act(&mut self, actors: i64) {
        let actors: Vec<Actor> = (0..actors).map(|till| self.actor(usize::try_from(till).unwrap())).collect();
        let mut fates = HashMap::new();
        let mut running = JoinSet::new();
        for actor in actors {
            let (name, invocation) = self.invocation(actor);
            let (crash, mut held) = Hold::new();
            fates.insert(name, self.fate(crash));
            running.spawn(async move {
                tokio::select! {
                    ended = invocation => ended,
                    () = held.reached() => Ended::Died,
                }
            });
        }
        self.decide(fates);
        while let Some(ended) = running.join_next().await {
            let ended = ended.unwrap();
            self.tally.add(&ended);
            if let Ended::Answered(placed, answer) = ended {
                self.placed[placed].answers.push(answer);
            }
        }
        self.world.heal();
        if self.random.percent(20) {
            self.start_afresh();
        }
    }

    /// Under the name by which its calls are known.
    fn invocation(&self, actor: Actor) -> (String, Invocation) {
        match actor {
            Actor::Sweep => {
                let sweep = self.world.sweep("sweep");
                let swept = async move {
                    // Where it could not read its index it says so, and comes again.
                    drop(sweep.await);
                    Ended::Swept
                };
                ("sweep".to_owned(), Box::pin(swept))
            }
            Actor::Till { till, placed } => {
                let answer = self.tills[till].place(&self.placed[placed].order);
                (name(till), Box::pin(async move { Ended::Answered(placed, answer.await) }))
            }
        }
    }

    fn actor(&mut self, till: usize) -> Actor {
        let earlier = self.placed.len();
        if self.random.percent(15) {
            return Actor::Sweep;
        }
        if earlier > 0 && self.random.percent(45) {
            // Of late, more often than not: that is what races.
            let back = usize::try_from(self.random.below(3)).unwrap().min(earlier - 1);
            return Actor::Till { till, placed: earlier - 1 - back };
        }
        let order = self.order(&format!("order-{earlier}"));
        self.placed.push(Placed { order, answers: Vec::new() });
        Actor::Till { till, placed: earlier }
    }

    fn order(&mut self, label: &str) -> Order {
        let order = if self.random.percent(40) {
            Order::sale(label, 100 + self.random.below(50_000))
        } else {
            let amount = 1 + self.random.below(6_000);
            let cards: Vec<String> = self.shop.cards.iter().cloned().chain(self.sold_cards()).collect();
            Order::payment(label, self.random.pick::<String>(&cards), amount)
        };
        if self.random.percent(75) { order.keyed() } else { order }
    }

    /// The codes of cards that a till was told.
    fn sold_cards(&self) -> impl Iterator<Item = String> {
        let answers = self.placed.iter().flat_map(|placed| &placed.answers);
        answers.filter_map(|answer| {
            Some(
                answer
                    .body
                    .pointer("/data/reservationCode")
                    .and(answer.body.pointer("/data/qrCode"))?
                    .as_str()?
                    .to_owned(),
            )
        })
    }

    fn fate(&mut self, crash: Hold) -> Fate {
        let bad_luck = *self.random.pick(&[0, 0, 5, 15, 30]);
        let pace = if self.random.percent(6) { Pace::TooSlow } else { Pace::Usual };
        Fate { bad_luck, pace, crash: Some(crash), random: self.random.fork() }
    }

    fn decide(&self, mut fates: HashMap<String, Fate>) {
        let (clock, delayed) = (self.world.clock.clone(), self.delayed.clone());
        self.world.faults.decide(move |call| {
            let who = call.application().or(call.request_id()).unwrap_or_default();
            fates.get_mut(who)?.of_call(call, |time| clock.advance_milliseconds(time), &delayed)
        });
    }

    fn let_one_arrive(&mut self) {
        if let Some(held) = self.delayed.lock().unwrap().pop() {
            held.release();
        }
    }

    /// Instances end, and others take their place.
    fn start_afresh(&mut self) {
        let token = &self.token;
        self.tills = (0..3).map(|till| self.world.till_with(&name(till), token.clone())).collect();
    }

    async fn check(mut self) -> Result<Tally, String> {
        for held in self.delayed.lock().unwrap().drain(..) {
            held.release();
        }
        self.world.settle().await;
        Books::of(self.world, &self.shop).await.check(&self.shop)?;

        self.token = self.world.sign_in(&self.shop).await;
        self.start_afresh();
        for placed in self.placed.iter_mut().filter(|placed| placed.order.key.is_some()) {
            placed.answers.push(self.tills[0].place(&placed.order).await);
        }
        let books = Books::of(self.world, &self.shop).await;
        books.check(&self.shop)?;
        books.check_balances(self.world, &self.shop).await?;
        self.placed.iter().try_for_each(|placed| placed.check(&books))?;
        Ok(self.tally)
    }
}

fn name(till: usize) -> String {
    format!("till-{till}")
}

impl Placed {
    /// No answer was a lie, and under a key there is but one.
    fn check(&self, books: &Books) -> Result<(), String> {
        let of = |verdict| self.answers.iter().filter(move |answer| answer.verdict() == verdict);
        let successes = books.successes(&self.order.label);
        let wrong = |what: &str| {
            Err(format!("{what}: {successes} successes of {:?}: {:?}", self.order, self.answers))
        };
        if let Some(strange) = self.answers.iter().find(|answer| !answer.is_documented()) {
            return wrong(&format!("an answer that is not documented, {strange:?}"));
        }
        if self.order.key.is_none() {
            let moved = of(Verdict::Moved).count();
            return if successes < moved { wrong("too few") } else { Ok(()) };
        }
        let finals: Vec<(u16, &Value)> = of(Verdict::Moved)
            .chain(of(Verdict::Refused))
            .map(|answer| (answer.status, &answer.body))
            .collect();
        if finals.is_empty() || finals.iter().any(|other| *other != finals[0]) {
            return wrong("not one final answer");
        }
        let said = usize::from(finals[0].0 == 200);
        if successes == said { Ok(()) } else { wrong("another outcome than was said") }
    }
}

impl Answer {
    fn is_documented(&self) -> bool {
        let may_come_again = self.header("retry-after").is_some();
        match self.status {
            200 | 401 | 404 | 408 | 422 | 500 | 502 | 503 | 504 => true,
            409 => may_come_again || self.detail("code") == "REFERENCE_FENCED",
            429 => may_come_again,
            _ => false,
        }
    }
}

pub(crate) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().expect(name))
}

/// Tells histories that nobody has told yet.
async fn tell(next: Arc<AtomicU64>, end: u64) -> Tally {
    let (mut world, mut tally) = (World::new().await, Tally::default());
    for told in 1.. {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            return tally;
        }
        let ended = History::begin(&world, seed).await.run().await;
        tally += ended.unwrap_or_else(|error| panic!("MONEY_SEED={seed} MONEY_HISTORIES=1 fails: {error}"));
        if told % HISTORIES_IN_A_WORLD == 0 {
            world = World::new().await;
        }
    }
    unreachable!()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_any_history_the_books_agree() {
    /// Each has a world of its own. More of them than cores, since histories wait now and then.
    const TELLERS: usize = 4;
    let (first, count) = (number("MONEY_SEED", 1), number("MONEY_HISTORIES", 500));
    let (next, started) = (Arc::new(AtomicU64::new(first)), Instant::now());
    let mut tellers: JoinSet<Tally> = (0..TELLERS).map(|_| tell(next.clone(), first + count)).collect();
    let mut tally = Tally::default();
    while let Some(told) = tellers.join_next().await {
        tally += told.unwrap();
    }
    let seconds = started.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let rate = count as f64 / seconds;
    println!("{count} histories from seed {first} in {seconds:.0} s, {rate:.0} a second: {tally:?}");
}
