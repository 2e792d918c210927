//! Response times, memory and what requests cost in DynamoDB, and how they change over the time of the load. What a request costs tells
//! a portal that does more for each as its merchants grow from an embedded DynamoDB that takes longer for the same.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::Value;

use super::shift::Shift;

const MEMORY_INTERVAL: Duration = Duration::from_secs(1);
const COSTS_INTERVAL: Duration = Duration::from_secs(10);
const MEBIBYTE: f64 = 1024.0;
const SECONDS_OF_AN_HOUR: f64 = 3600.0;
/// Into which the time is divided.
const WINDOWS: usize = 8;
/// Those whose work grows with the number of requests.
const FUNCTIONS: [&str; 7] = ["pos", "orders", "settlements", "analytics", "accounts", "projections", "deliveries"];

/// What was measured of one thing, and how it changes.
pub(super) struct Trend {
    pub(super) figure: String,
    /// Whether it grows so much that it is not bounded by anything.
    pub(super) grows: bool,
    /// What was measured in parts of the time that follow each other, if it is of use to somebody who looks for the reason.
    pub(super) windows: Vec<f64>,
}

/// Samples the resident memory of the portal until the shift ends: seconds since its start, and MiB.
pub(super) async fn sample_memory(shift: Shift) -> Vec<(f64, f64)> {
    let mut samples = Vec::new();
    while !shift.has_ended() {
        if let Some(memory) = resident_memory(shift.process_id()) {
            samples.push((shift.elapsed().as_secs_f64(), memory));
        }
        tokio::time::sleep(MEMORY_INTERVAL).await;
    }
    samples
}

/// In MiB, by Linux.
fn resident_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes / MEBIBYTE)
}

/// What was measured after the first third of the time. Until then lists fill their pages, and the embedded DynamoDB, which goes through
/// the transactions of the last ten minutes at each new one, gets slower.
fn warm<T>(samples: &[(f64, T)]) -> &[(f64, T)] {
    let end = samples.last().map_or(0.0, |(second, _)| *second);
    &samples[samples.partition_point(|(second, _)| *second < end / 3.0)..]
}

fn windows<T>(samples: &[(f64, T)]) -> impl Iterator<Item = &[(f64, T)]> {
    samples.chunks(samples.len().div_ceil(WINDOWS).max(1))
}

/// How much the resident memory of the portal changes. The embedded services are in the same process.
pub(super) fn memory(samples: &[(f64, f64)]) -> Trend {
    /// MiB an hour.
    const MAX_GROWTH: f64 = 64.0;
    let peak = samples.iter().map(|(_, memory)| *memory).fold(0.0, f64::max);
    let figure = format!("memory up to {peak:.0} MiB");
    let warm = warm(samples);
    let Some(growth) = growth_in_an_hour(warm) else { return Trend { figure, grows: false, windows: Vec::new() } };
    let windows = windows(warm).map(|window| mean(window, |(_, memory)| *memory)).collect();
    Trend { figure: format!("{figure}, {growth:+.1} MiB an hour"), grows: growth > MAX_GROWTH, windows }
}

/// The time below which 99 of 100 requests were answered, and how it changes.
pub(super) fn response_times(name: &str, samples: &[(f64, f64)]) -> Trend {
    /// Of the p99 of all, in an hour.
    const MAX_GROWTH: f64 = 1.0;
    /// With fewer, the p99 of a window is that of a few requests.
    const MIN_SAMPLES: usize = 800;
    let warm = warm(samples);
    let by_window: Vec<(f64, f64)> = windows(warm).map(|window| (window[0].0, p99(window))).collect();
    let all = p99(samples);
    let figure = format!("{name}: {} requests, p99 {all:.0} ms", samples.len());
    let Some(growth) = growth_in_an_hour(&by_window).filter(|_| warm.len() >= MIN_SAMPLES) else {
        return Trend { figure, grows: false, windows: Vec::new() };
    };
    let growth = growth / all;
    let windows = by_window.iter().map(|(_, p99)| *p99).collect();
    Trend { figure: format!("{figure}, {:+.0} % an hour", growth * 100.0), grows: growth > MAX_GROWTH, windows }
}

/// What a function has done up to a moment, or within a time.
#[derive(Debug, Default, Clone, Copy)]
struct Totals {
    requests: f64,
    calls: f64,
    units: f64,
}

impl Totals {
    fn plus(self, other: Self) -> Self {
        Self { requests: self.requests + other.requests, calls: self.calls + other.calls, units: self.units + other.units }
    }

    fn minus(self, other: Self) -> Self {
        self.plus(Self { requests: -other.requests, calls: -other.calls, units: -other.units })
    }
}

/// The totals of all functions at a moment.
#[derive(Debug)]
pub(super) struct Costs {
    /// How often the portal was killed before: its counts begin anew.
    interruptions: usize,
    functions: BTreeMap<String, Totals>,
}

/// Samples the totals until the shift ends.
pub(super) async fn sample_costs(shift: Shift) -> Vec<(f64, Costs)> {
    let mut samples = Vec::new();
    while !shift.has_ended() {
        let interruptions = shift.interruptions();
        if let Some(usage) = shift.usage().await
            && shift.interruptions() == interruptions
        {
            let functions = totals(&usage, &shift.requests());
            samples.push((shift.elapsed().as_secs_f64(), Costs { interruptions, functions }));
        }
        tokio::time::sleep(COSTS_INTERVAL).await;
    }
    samples
}

fn totals(usage: &Value, requests: &BTreeMap<&'static str, f64>) -> BTreeMap<String, Totals> {
    let of_function = |(function, operations): (&String, &Value)| {
        let operations = operations.as_object().into_iter().flatten().filter(|(name, _)| !name.starts_with("S3."));
        let dynamodb: Vec<&Value> = operations.map(|(_, operation)| operation).collect();
        let sum = |name: &str| dynamodb.iter().filter_map(|operation| operation[name].as_f64()).sum::<f64>();
        // The work in the background follows from what tills do.
        let requests = requests.get(function.as_str()).or(requests.get("pos")).copied().unwrap_or_default();
        (function.clone(), Totals { requests, calls: sum("calls"), units: sum("readUnits") + sum("writeUnits") })
    };
    let functions = usage.as_object().into_iter().flatten();
    functions.filter(|(name, _)| FUNCTIONS.contains(&name.as_str())).map(of_function).collect()
}

/// What a request of each function costs, once the lists have rows enough for their pages. Nothing if the time was too short to say
/// how it changes.
pub(super) fn costs(samples: &[(f64, Costs)]) -> Vec<Trend> {
    /// Of the mean, in an hour. What works in batches costs a third more for each request when its batches get smaller.
    const MAX_GROWTH: f64 = 0.5;
    let warm = warm(samples);
    let functions: BTreeSet<&String> = warm.iter().flat_map(|(_, costs)| costs.functions.keys()).collect();
    let of_function = |function: &String| {
        let added = added(warm, function);
        let sum = |steps: &[(f64, Totals)]| steps.iter().fold(Totals::default(), |sum, (_, step)| sum.plus(*step));
        let by_window: Vec<(f64, Totals)> = windows(&added).map(|window| (window[0].0, sum(window))).collect();
        let by_window: Vec<(f64, Totals)> = by_window.into_iter().filter(|(_, window)| window.requests > 0.0).collect();
        let total = sum(&by_window);
        let of_request = |of: fn(&Totals) -> f64| {
            let windows: Vec<(f64, f64)> = by_window.iter().map(|(at, window)| (*at, of(window) / window.requests)).collect();
            let mean = of(&total) / total.requests;
            Some((mean, growth_in_an_hour(&windows)? / mean, windows))
        };
        let (calls, more_calls, _) = of_request(|totals| totals.calls)?;
        let (units, more_units, windows) = of_request(|totals| totals.units)?;
        let figure = format!(
            "{function}: {calls:.1} calls ({:+.0} % an hour) and {units:.1} units ({:+.0} % an hour) for each request",
            more_calls * 100.0,
            more_units * 100.0
        );
        let windows = windows.iter().map(|(_, units)| *units).collect();
        Some(Trend { figure, grows: more_calls.max(more_units) > MAX_GROWTH, windows })
    };
    functions.into_iter().filter_map(of_function).collect()
}

/// What a function has done between a sample and the next, of one run of the portal.
fn added(samples: &[(f64, Costs)], function: &String) -> Vec<(f64, Totals)> {
    let pairs = samples.windows(2).filter(|pair| pair[0].1.interruptions == pair[1].1.interruptions);
    let added =
        pairs.map(|pair| Some((pair[1].0, pair[1].1.functions.get(function)?.minus(*pair[0].1.functions.get(function)?))));
    added.flatten().collect()
}

/// `None` if the samples are of too short a time to say something about an hour.
fn growth_in_an_hour(samples: &[(f64, f64)]) -> Option<f64> {
    const MIN_SECONDS: f64 = 600.0;
    let (first, last) = (samples.first()?, samples.last()?);
    (last.0 - first.0 >= MIN_SECONDS).then(|| slope(samples) * SECONDS_OF_AN_HOUR)
}

fn p99(samples: &[(f64, f64)]) -> f64 {
    let mut times: Vec<f64> = samples.iter().map(|(_, time)| *time).collect();
    times.sort_by(f64::total_cmp);
    times[(times.len() * 99 / 100).min(times.len() - 1)]
}

fn mean(points: &[(f64, f64)], of: impl Fn(&(f64, f64)) -> f64) -> f64 {
    points.iter().map(of).sum::<f64>() / points.iter().map(|_| 1.0).sum::<f64>()
}

/// The slope of the line with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let (x, y) = (mean(points, |point| point.0), mean(points, |point| point.1));
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if variance == 0.0 { 0.0 } else { covariance / variance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_percentiles() {
        let rising: Vec<(f64, f64)> = (0..100).map(|second| (f64::from(second), 10.0 + 2.0 * f64::from(second))).collect();
        assert!((slope(&rising) - 2.0).abs() < 1e-9);
        assert!((p99(&rising) - 208.0).abs() < 1e-9);
        assert!(slope(&rising[..1]).abs() < 1e-9);
    }

    #[test]
    fn what_grows_for_long_is_noticed() {
        let growing = |by: f64| (0..2_400).map(|second| (f64::from(second), 100.0 + by * f64::from(second) / 3600.0)).collect();
        let samples: Vec<Vec<(f64, f64)>> = vec![growing(0.0), growing(50.0), growing(80.0), growing(500.0)];
        let grows: Vec<(bool, bool)> =
            samples.iter().map(|samples| (memory(samples).grows, response_times("reads", samples).grows)).collect();
        assert_eq!(grows, [(false, false), (false, false), (true, false), (true, true)]);
        // A minute says nothing about an hour.
        assert!(!memory(&samples[3][..60]).grows);
    }

    /// An hour in which a function has two requests a second, whose calls become more by a part in an hour. The portal is killed in its
    /// middle.
    fn hour(growth: f64) -> Vec<(f64, Costs)> {
        let mut totals = Totals::default();
        let sample = |step: u32| {
            if step == 180 {
                totals = Totals { requests: totals.requests, ..Totals::default() };
            }
            let second = f64::from(step) * 10.0;
            let calls = 100.0 * (1.0 + growth * second / 3600.0);
            totals = totals.plus(Totals { requests: 20.0, calls, units: 10.0 * calls });
            let functions = BTreeMap::from([("pos".to_owned(), totals)]);
            (second, Costs { interruptions: usize::from(step >= 180), functions })
        };
        (0..360).map(sample).collect()
    }

    #[test]
    fn what_costs_more_and_more_is_noticed() {
        let grows: Vec<bool> = [0.0, 0.7, 0.8].map(|growth| costs(&hour(growth))[0].grows).into();
        assert_eq!(grows, [false, false, true]);
        let figure = &costs(&hour(0.0))[0].figure;
        assert_eq!(figure, "pos: 5.0 calls (+0 % an hour) and 50.0 units (+0 % an hour) for each request");
    }
}
