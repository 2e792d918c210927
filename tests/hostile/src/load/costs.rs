//! What the requests of each function cost in DynamoDB, and how that changes. It tells a portal that does more for each request as
//! its merchants grow from an embedded DynamoDB that takes longer for the same.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;
use shared::app::App;
use shared::domain::ids::MerchantId;

use super::fixtures::MERCHANTS;
use super::samples::{At, Trend, WINDOWS, growth_in_an_hour, warm};
use super::shift::Shift;

const INTERVAL: Duration = Duration::from_secs(10);
/// Those whose work grows with the number of requests.
const FUNCTIONS: [&str; 7] = ["pos", "orders", "settlements", "analytics", "accounts", "projections", "deliveries"];
const YARDSTICK_INTERVAL: Duration = Duration::from_millis(100);

/// What a function has done up to a moment.
#[derive(Debug, Default, Clone, Copy)]
struct Totals {
    requests: f64,
    calls: f64,
    units: f64,
}

/// The totals of all functions at a moment.
#[derive(Debug)]
pub(super) struct Sample {
    second: f64,
    /// How often the portal was killed before: its counts begin anew.
    interruptions: usize,
    functions: BTreeMap<String, Totals>,
}

impl At for Sample {
    fn second(&self) -> f64 {
        self.second
    }
}

/// Samples the totals until the shift ends.
pub(super) async fn sample(shift: Shift) -> Vec<Sample> {
    let mut samples = Vec::new();
    while !shift.has_ended() {
        let interruptions = shift.interruptions();
        if let Some(usage) = shift.usage().await
            && shift.interruptions() == interruptions
        {
            let functions = totals(&usage, &shift.requests());
            samples.push(Sample { second: shift.elapsed().as_secs_f64(), interruptions, functions });
        }
        tokio::time::sleep(INTERVAL).await;
    }
    samples
}

fn totals(usage: &Value, requests: &BTreeMap<&'static str, f64>) -> BTreeMap<String, Totals> {
    let of_function = |(function, operations): (&String, &Value)| {
        let operations = operations.as_object().into_iter().flatten();
        let dynamodb: Vec<&Value> =
            operations.filter(|(name, _)| !name.starts_with("S3.")).map(|(_, operation)| operation).collect();
        let sum = |name: &str| dynamodb.iter().filter_map(|operation| operation[name].as_f64()).sum::<f64>();
        // The work in the background follows from what tills do.
        let requests = requests.get(function.as_str()).or(requests.get("pos")).copied().unwrap_or_default();
        let totals = Totals { requests, calls: sum("calls"), units: sum("readUnits") + sum("writeUnits") };
        (function.clone(), totals)
    };
    let functions = usage.as_object().into_iter().flatten();
    functions.filter(|(name, _)| FUNCTIONS.contains(&name.as_str())).map(of_function).collect()
}

/// What a request of each function costs, once the lists have rows enough for their pages. Nothing if the time was too short to say
/// how it changes.
pub(super) fn trends(samples: &[Sample]) -> Vec<Trend> {
    /// Of the mean, in an hour. What works in batches costs a third more for each request when its batches get smaller.
    const MAX_GROWTH: f64 = 0.5;
    let warm = warm(samples);
    let functions: BTreeSet<&String> = warm.iter().flat_map(|sample| sample.functions.keys()).collect();
    let of_function = |function: &String| {
        let windows: Vec<(f64, Totals)> =
            windows(warm, function).into_iter().filter(|(_, window)| window.requests > 0.0).collect();
        let total = windows.iter().fold(Totals::default(), |sum, (_, window)| sum.plus(*window));
        let growth = |of: fn(&Totals) -> f64| {
            let by_window: Vec<(f64, f64)> = windows.iter().map(|(at, window)| (*at, of(window))).collect();
            growth_in_an_hour(&by_window).map(|growth| growth / of(&total))
        };
        let (more_calls, more_units) = (growth(Totals::calls_of_request)?, growth(Totals::units_of_request)?);
        let (calls, units) = (total.calls_of_request(), total.units_of_request());
        let figure = format!(
            "{function}: {calls:.1} calls ({:+.0} % an hour) and {units:.1} units ({:+.0} % an hour) for each request",
            more_calls * 100.0,
            more_units * 100.0
        );
        let grows = more_calls.max(more_units) > MAX_GROWTH;
        Some(Trend { figure, grows, windows: windows.iter().map(|(_, window)| window.units_of_request()).collect() })
    };
    functions.into_iter().filter_map(of_function).collect()
}

/// What was added between samples that are some minutes apart, of one run of the portal.
fn windows(samples: &[Sample], function: &String) -> Vec<(f64, Totals)> {
    let steps: Vec<(f64, Totals)> = samples
        .windows(2)
        .filter(|pair| pair[0].interruptions == pair[1].interruptions)
        .filter_map(|pair| Some((pair[1].second, pair[1].functions.get(function)?.minus(*pair[0].functions.get(function)?))))
        .collect();
    let of_window =
        |steps: &[(f64, Totals)]| (steps[0].0, steps.iter().fold(Totals::default(), |sum, (_, totals)| sum.plus(*totals)));
    steps.chunks(steps.len().div_ceil(WINDOWS).max(1)).map(of_window).collect()
}

impl Totals {
    fn calls_of_request(&self) -> f64 {
        self.calls / self.requests
    }

    fn units_of_request(&self) -> f64 {
        self.units / self.requests
    }

    fn plus(self, other: Self) -> Self {
        Self { requests: self.requests + other.requests, calls: self.calls + other.calls, units: self.units + other.units }
    }

    fn minus(self, other: Self) -> Self {
        Self { requests: self.requests - other.requests, calls: self.calls - other.calls, units: self.units - other.units }
    }
}

/// Reads the same row again and again, past the portal: what slows this down is the embedded DynamoDB, or the machine.
pub(super) async fn yardstick(shift: Shift, app: App) {
    let id = MerchantId::new(MERCHANTS[0].id);
    while !shift.has_ended() {
        let started = Instant::now();
        if app.store.merchant(&id).await.is_ok() {
            shift.record("a row of DynamoDB", started.elapsed());
        }
        tokio::time::sleep(YARDSTICK_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An hour in which a function has two requests a second, whose calls become more by a part in an hour. The portal is killed in its
    /// middle.
    fn hour(growth: f64) -> Vec<Sample> {
        let mut totals = Totals::default();
        let sample = |step: u32| {
            let interruptions = usize::from(step >= 180);
            if step == 180 {
                totals = Totals { requests: totals.requests, ..Totals::default() };
            }
            let second = f64::from(step) * 10.0;
            let calls = 100.0 * (1.0 + growth * second / 3600.0);
            totals = totals.plus(Totals { requests: 20.0, calls, units: 10.0 * calls });
            Sample { second, interruptions, functions: BTreeMap::from([("pos".to_owned(), totals)]) }
        };
        (0..360).map(sample).collect()
    }

    #[test]
    fn what_costs_more_and_more_is_noticed() {
        let grows: Vec<bool> = [0.0, 0.7, 0.8].map(|growth| trends(&hour(growth))[0].grows).into();
        assert_eq!(grows, [false, false, true]);
        let figure = &trends(&hour(0.0))[0].figure;
        assert_eq!(figure, "pos: 5.0 calls (+0 % an hour) and 50.0 units (+0 % an hour) for each request");
    }
}
