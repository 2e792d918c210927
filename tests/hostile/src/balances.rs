//! Strangers who try codes of gift cards at a shop: what they are told tells them nothing, and its tills do not notice them.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::{self, FuturesUnordered};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use shared::base::clock::Clock;
use tokio::time::interval;
use world::shop::{ISSUE, REDEEM, card, member, merchant, offer, payment, sale, with};
use world::{ApiResponse, Caller, ManualClock, SeededRandom, System};

use crate::Effort;
use crate::report::Report;
use crate::shop::paired_till;
use crate::timing::statistics::auc;
use crate::timing::{PLANTED, ROUNDS, Times, bound, is_deaf, shuffle};

/// What a code can be that has no balance at the shop.
const CLASSES: [&str; 6] = ["UNKNOWN", "FOREIGN", "FOREIGN-BLOCKED", "FOREIGN-EXPIRED", "FOREIGN-EMPTY", "OF-NO-ACCOUNT"];
const CARDS_OF_CLASS: usize = 20;
/// Calls at the same time. Those without a balance take a second.
const AT_ONCE: usize = 40;
/// Between two calls whose times are compared, so that they do not wait for each other.
const PACE: Duration = Duration::from_millis(40);
const UNKNOWN_CODES_OF_TILL: usize = 60;

pub(crate) async fn run(effort: Effort) -> Report {
    let report = Report::new("breaches");
    tell_apart(effort, &report).await;
    Box::pin(stop_the_till(effort, &report)).await;
    report
}

/// A code of a class. All have the same length.
fn code(class: &str, number: usize) -> String {
    format!("{class:-<15}-{number:08}")
}

/// Two shops, of which the second has the foreign cards.
fn fixtures() -> Value {
    let shops = ["1", "2"];
    let cards = CLASSES[1..].iter().flat_map(|class| {
        (0..CARDS_OF_CLASS).map(move |number| {
            let fields = match *class {
                "FOREIGN-BLOCKED" => json!({"status": "BLOCKED"}),
                "FOREIGN-EXPIRED" => json!({"status": "EXPIRED", "expiresAt": "2020-01-01T00:00:00Z"}),
                "FOREIGN-EMPTY" => json!({"status": "REDEEMED", "valueRemains": 0}),
                "OF-NO-ACCOUNT" => json!({"merchantId": null}),
                _ => json!({}),
            };
            with(card("1002", &code(class, number), 500, "SEK"), &fields)
        })
    });
    let own = card("1001", "OWN", 500, "SEK");
    let prices = json!({"currency": "SEK", "minPrice": 1, "maxPrice": 5_000});
    let brand = json!({"brand": {"logoUrl": "https://shop.example/logo.png"}});
    json!({
        "merchants": shops.map(|number| merchant(&format!("m-{number}"), &format!("100{number}"), "SEK", &brand)),
        "users": [member("u-1", "m-1", &json!({}))],
        "cardNetwork": {
            "merchants": shops.map(|number| json!({"merchantId": format!("100{number}"), "name": number})),
            "offers": [offer("1001", 501, &prices)],
            "cards": cards.chain([own]).collect::<Vec<_>>(),
        },
    })
}

async fn system(clock: &ManualClock) -> System {
    let system = System::empty(clock.clock()).await;
    system.load_fixtures(&fixtures()).await;
    system
}

fn strangers(system: &System, count: usize) -> Vec<Caller> {
    let first = u32::from(Ipv4Addr::new(127, 1, 0, 1));
    (first..).take(count).map(|address| system.anonymous_at(Ipv4Addr::from(address).into())).collect()
}

/// The two ways to ask.
const ROUTES: [&str; 2] = ["/api/merchants/m-1/balance", "/shop/m-1/card"];

fn request(stranger: &Caller, route: &str, code: &str) -> RequestBuilder {
    let request = stranger.request(Method::POST, route);
    if route == ROUTES[0] {
        request.header("content-type", "application/json").body(json!({"code": code}).to_string())
    } else {
        let form = request.header("content-type", "application/x-www-form-urlencoded").header("origin", "null");
        form.body(format!("code={code}"))
    }
}

/// Compares the answers to codes of all classes, and their times, of which few calls say little.
async fn tell_apart(effort: Effort, report: &Report) {
    let (mut random, mut total, mut areas) = (effort.random(), 0, Vec::new());
    if effort.quick {
        ask_for_all(120, &mut random, report).await;
        report.count(120, "calls with codes of 6 kinds");
        return;
    }
    let calls = 5_000;
    let mut open: Vec<(usize, &str)> =
        (0..ROUTES.len()).flat_map(|route| CLASSES[1..].iter().map(move |class| (route, *class))).collect();
    for round in 1..=ROUNDS {
        let times = ask_for_all(calls, &mut random, report).await;
        total += times.iter().flat_map(BTreeMap::values).map(Vec::len).sum::<usize>();
        let bound = bound(calls / ROUTES.len() / CLASSES.len());
        if times.iter().any(|times| is_deaf(times, PLANTED.0, &mut random, bound)) {
            // The machine did much else: this round says nothing.
            if round == ROUNDS {
                report.breach(format!("a difference of {} µs is not noticed", PLANTED.0));
            }
            continue;
        }
        let of = |(route, class): &(usize, &str)| auc(&times[*route][CLASSES[0]], &times[*route][*class]);
        let (told_apart, equal): (Vec<_>, Vec<_>) = open.iter().copied().partition(|pair| (of(pair) - 0.5).abs() > bound);
        areas.extend(equal.iter().map(of));
        open = told_apart;
        if round == ROUNDS {
            for pair in &open {
                report.breach(format!("{}: {} is told from {}: {:.3}", ROUTES[pair.0], pair.1, CLASSES[0], of(pair)));
            }
        }
        if open.is_empty() {
            break;
        }
    }
    let (low, high) = areas.iter().fold((0.5_f64, 0.5_f64), |(low, high), area| (low.min(*area), high.max(*area)));
    report.count(total, "calls with codes of 6 kinds");
    report.figure(format!("AUC {low:.3} to {high:.3}"));
}

/// The times by route and class. The clock moves so far that no limit is met.
async fn ask_for_all(calls: usize, random: &mut SeededRandom, report: &Report) -> Vec<Times> {
    let clock = ManualClock::new(Clock::system().now());
    let system = system(&clock).await;
    let strangers = strangers(&system, AT_ONCE);
    let kinds: Vec<(usize, &'static str)> = (0..ROUTES.len()).flat_map(|route| CLASSES.map(|class| (route, class))).collect();
    let mut all: Vec<(usize, &'static str)> = kinds.iter().copied().cycle().take(calls.next_multiple_of(kinds.len())).collect();
    shuffle(&mut all, random);
    // The first calls open connections.
    let first = kinds.iter().copied().cycle().take(2 * AT_ONCE);
    let all = first.map(|(route, class)| (false, route, class)).chain(all.into_iter().map(|(route, class)| (true, route, class)));
    let mut times = vec![Times::new(); ROUTES.len()];
    let mut expected: Vec<Option<ApiResponse>> = vec![None; ROUTES.len()];
    let mut pace = interval(PACE);
    let mut judge = |(is_measured, route, class, time, response): (bool, usize, &'static str, f64, ApiResponse)| {
        let first = expected[route].get_or_insert_with(|| response.clone());
        if first.status != 404 || first.comparable() != response.comparable() {
            report.breach(format!("{}: {class} was answered with {response:?} instead of {first:?}", ROUTES[route]));
        }
        if time < 1e6 {
            report.breach(format!("{}: {class} was answered after {time} µs", ROUTES[route]));
        }
        if is_measured {
            times[route].entry(class).or_default().push(time);
        }
    };
    let mut asked = FuturesUnordered::new();
    for (number, (is_measured, route, class)) in all.enumerate() {
        pace.tick().await;
        clock.advance_milliseconds(2_500);
        let code = code(class, if class == CLASSES[0] { number } else { number % CARDS_OF_CLASS });
        let request = request(&strangers[number % strangers.len()], ROUTES[route], &code);
        asked.push(tokio::spawn(async move {
            let started = Instant::now();
            let response = world::send(request).await.unwrap();
            (is_measured, route, class, started.elapsed().as_secs_f64() * 1e6, response)
        }));
    }
    while let Some(answer) = asked.next().await {
        judge(answer.unwrap());
    }
    times
}

/// Strangers at many addresses, and as many calls at that of the till, at a time that does not move: no call of them ends.
async fn stop_the_till(effort: Effort, report: &Report) {
    let (calls, addresses) = effort.choose((600, 40), (10_000, 600));
    let system = system(&ManualClock::new(Clock::system().now())).await;
    let (_, till) = paired_till(&system, &system.sign_in("u-1").await).await;
    let (many, shared) = (strangers(&system, addresses), system.anonymous());
    let asked = stream::iter(0..calls).map(|number| {
        let stranger = if number % 2 == 0 { &many[number / 2 % addresses] } else { &shared };
        let code = if number % 10 < 2 { "OWN".to_owned() } else { code(CLASSES[0], number) };
        world::send(request(stranger, ROUTES[number / 4 % 2], &code))
    });
    let is_over = AtomicBool::new(false);
    let attack = async {
        let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
        let mut asked = asked.buffer_unordered(AT_ONCE);
        while let Some(response) = asked.next().await {
            let response = response.unwrap();
            *statuses.entry(response.status).or_default() += 1;
            if !matches!(response.status, 200 | 404 | 429) {
                report.breach(format!("a stranger was answered with {response:?}"));
            }
        }
        is_over.store(true, Ordering::Relaxed);
        statuses
    };
    let (statuses, sold) = tokio::join!(attack, sell_until(&is_over, &till, report));
    if !statuses.contains_key(&429) {
        report.breach(format!("no stranger was refused: {statuses:?}"));
    }
    guess_at_the_till(&till, report).await;
    let of = |status: u16| statuses.get(&status).copied().unwrap_or_default();
    report.count(calls, &format!("calls of strangers at {} addresses", addresses + 1));
    report.figure(format!("{} told, {} unknown, {} refused", of(200), of(404), of(429)));
    report.count(sold, "sales, look-ups and redemptions at the till meanwhile");
}

/// Sells cards, looks them up and redeems a part of them until the strangers have gone. Returns how many.
async fn sell_until(is_over: &AtomicBool, till: &Caller, report: &Report) -> usize {
    let mut sold = 0;
    while !is_over.load(Ordering::Relaxed) {
        let issued = till.post(ISSUE, &sale(100)).await;
        let code = issued.at("/data/qrCode").as_str().unwrap_or_default().to_owned();
        let found = till.get(&format!("/api/bff/pos/card/{code}")).await;
        let redeemed = till.post(REDEEM, &payment(&code, 10)).await;
        let left = till.get(&format!("/api/bff/pos/card/{code}")).await;
        for response in [&issued, &found, &redeemed, &left] {
            if response.status != 200 {
                report.breach(format!("the till was answered with {response:?}"));
            }
        }
        if left.at("/data/valueRemains").as_f64() != Some(90.0) {
            report.breach(format!("after a redemption: {left:?}"));
        }
        sold += 1;
    }
    sold
}

/// The till has as many attempts as if nobody else had tried anything.
async fn guess_at_the_till(till: &Caller, report: &Report) {
    for number in 0..=UNKNOWN_CODES_OF_TILL {
        let response = till.get(&format!("/api/bff/pos/card/{}", code("TYPED", number))).await;
        let expected = if number < UNKNOWN_CODES_OF_TILL { 404 } else { 429 };
        if response.status != expected {
            report.breach(format!("attempt {number} of the till was answered with {response:?}"));
        }
    }
}
