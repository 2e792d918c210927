//! Measures how long calls take whose responses must not tell apart whom they are about.
//!
//! Calls of all classes of a route are made one after the other, in a random order, so that whatever else the machine does
//! concerns all of them. Two classes are told apart if somebody who knows the time of a call guesses its class better than by
//! chance.

mod calls;
pub(crate) mod statistics;

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;
use world::{ApiResponse, SeededRandom};

use crate::Effort;
use crate::report::Report;
use calls::{Callers, ROUTES, Route};
use statistics::{auc, standard_error};

/// The area under the curve is within this of 0.5.
const BOUND: f64 = 0.05;
/// Fewer calls are judged with room for chance.
const STANDARD_ERRORS: f64 = 4.0;
/// A difference of chance, or of a machine that did something else, is gone when it is measured again.
pub(crate) const ROUNDS: usize = 3;
/// Microseconds that must be noticed: by few calls, and by 5,000.
pub(crate) const PLANTED: (f64, f64) = (5_000.0, 1_000.0);

/// The times of the calls of each class, in microseconds.
pub(crate) type Times = BTreeMap<&'static str, Vec<f64>>;

pub(crate) async fn run(effort: Effort) -> Report {
    let report = Report::new("differences");
    let mut random = effort.random();
    let mut calls = 0;
    let mut areas = Vec::new();
    for route in ROUTES {
        let count = route.calls(effort.choose(120, 5_000));
        let planted = if count < 5_000 { PLANTED.0 } else { PLANTED.1 };
        let bound = bound(count);
        let mut open: Vec<_> = route.pairs().collect();
        let mut was_judged = false;
        for round in 1..=ROUNDS {
            let times = measure(route, count, &mut random, &report).await;
            calls += times.values().map(Vec::len).sum::<usize>();
            if is_deaf(&times, planted, &mut random, bound) {
                // The machine did much else: this round says nothing.
                if round == ROUNDS {
                    let deaf = format!("{:?}: a difference of {planted} µs is not noticed", route.kind);
                    // CI runs on busy machines as well. A pair that was told apart before is not excused by one.
                    if effort.quick && !was_judged { report.figure(deaf) } else { report.breach(deaf) }
                }
                continue;
            }
            was_judged = true;
            let of = |(first, second): &(&str, &str)| auc(&times[first], &times[second]);
            let (told_apart, equal): (Vec<_>, Vec<_>) = open.iter().copied().partition(|pair| (of(pair) - 0.5).abs() > bound);
            areas.extend(equal.iter().map(of));
            if round == ROUNDS {
                for pair in &told_apart {
                    areas.push(of(pair));
                    report.breach(format!("{:?}: {} and {} are told apart: {:.3}", route.kind, pair.0, pair.1, of(pair)));
                }
            }
            open = told_apart;
            if open.is_empty() {
                break;
            }
        }
    }
    let (low, high) = areas.iter().fold((0.5_f64, 0.5_f64), |(low, high), area| (low.min(*area), high.max(*area)));
    report.count(calls, "calls");
    report.count(areas.len(), "pairs of classes");
    report.figure(format!("AUC {low:.3} to {high:.3}"));
    report
}

pub(crate) fn bound(count: usize) -> f64 {
    // 5,000 calls are judged by the bound itself. Fewer are those of a build without optimization, which takes a noticeable time to
    // decode a row.
    if count >= 5_000 { BOUND } else { 2.0 * BOUND + STANDARD_ERRORS * standard_error(count, count) }
}

/// Makes `count` calls of each class while nothing works in the background: jobs, too, differ by whom they are about.
async fn measure(route: Route, count: usize, random: &mut SeededRandom, report: &Report) -> Times {
    let mut callers = Callers::start(route).await;
    let classes: Vec<&'static str> = route.classes().into_iter().collect();
    let mut order: Vec<_> = classes.iter().flat_map(|class| std::iter::repeat_n(*class, count)).collect();
    shuffle(&mut order, random);
    // The first calls open connections.
    let first = classes.iter().copied().cycle().take(5 * classes.len());
    let order = first.map(|class| (false, class)).chain(order.into_iter().map(|class| (true, class)));
    let (mut times, mut responses) = (Times::new(), BTreeMap::new());
    let system = callers.system.clone();
    let calls = async {
        for (is_measured, class) in order {
            let request = callers.prepare(class).await;
            let started = Instant::now();
            let response = world::send(request).await.unwrap();
            if !is_measured {
                continue;
            }
            times.entry(class).or_default().push(started.elapsed().as_secs_f64() * 1e6);
            let response = without_ids(response);
            let (_, expected) = responses.entry(route.group(class)).or_insert_with(|| (class, response.clone()));
            if expected.comparable() != response.comparable() {
                report.breach(format!("{:?}: {class} was answered with {response:?} instead of {expected:?}", route.kind));
            }
        }
    };
    system.local.pause(calls).await;
    times
}

/// Without the id of a challenge, which is new in each response to a request for a code.
fn without_ids(mut response: ApiResponse) -> ApiResponse {
    if let Some(id) = response.body.pointer_mut("/data/challengeId") {
        assert!(id.as_str().is_some_and(|id| id.len() == 32), "{id}");
        *id = Value::Null;
        response.bytes = response.body.to_string().into_bytes();
    }
    response
}

pub(crate) fn shuffle<T>(items: &mut [T], random: &mut SeededRandom) {
    for index in (1..items.len()).rev() {
        let other = usize::try_from(random.below(i64::try_from(index + 1).unwrap())).unwrap();
        items.swap(index, other);
    }
}

/// Whether so many microseconds more in half of the calls of a class would not be noticed.
pub(crate) fn is_deaf(times: &Times, planted: f64, random: &mut SeededRandom, bound: f64) -> bool {
    times.values().any(|times| {
        let (slower, faster): (Vec<f64>, Vec<f64>) = times.iter().partition(|_| random.percent(50));
        let slower: Vec<f64> = slower.into_iter().map(|time| time + planted).collect();
        (auc(&faster, &slower) - 0.5).abs() <= bound
    })
}
