//! Summarizes the measurements of each program and compares them with the targets.

use std::time::Duration;

use crate::measure::Measurement;

/// The measurements of a program: medians over all starts, and quantiles over all warm requests.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) name: String,
    init_milliseconds: f64,
    first_request_milliseconds: f64,
    warm_p50_microseconds: f64,
    warm_p99_microseconds: f64,
    /// The maximum over all starts.
    peak_megabytes: Option<f64>,
    zip_megabytes: Option<f64>,
}

impl Summary {
    /// `zip_size` is in bytes.
    pub(crate) fn new(name: &str, measurements: &[Measurement], zip_size: Option<usize>) -> Self {
        let median = |part: fn(&Measurement) -> Duration| quantile(measurements.iter().map(part).collect(), 50);
        let warm: Vec<Duration> = measurements.iter().flat_map(|measurement| measurement.warm_requests.iter().copied()).collect();
        let peak = measurements.iter().filter_map(|measurement| measurement.peak_memory).max();
        Self {
            name: name.to_owned(),
            init_milliseconds: median(|measurement| measurement.init).as_secs_f64() * 1e3,
            first_request_milliseconds: median(|measurement| measurement.first_request).as_secs_f64() * 1e3,
            warm_p50_microseconds: quantile(warm.clone(), 50).as_secs_f64() * 1e6,
            warm_p99_microseconds: quantile(warm, 99).as_secs_f64() * 1e6,
            peak_megabytes: peak.map(megabytes),
            zip_megabytes: zip_size.and_then(|bytes| u64::try_from(bytes).ok()).map(megabytes),
        }
    }

    fn cold_start(&self) -> f64 {
        self.init_milliseconds + self.first_request_milliseconds
    }
}

pub(crate) fn print_heading() {
    println!("                     INIT    first      sum        ×   warm p50   warm p99     peak      zip");
    println!("                       ms       ms       ms baseline         µs         µs       MB       MB");
}

pub(crate) fn print(summary: &Summary, baseline: &Summary) {
    let Summary {
        name,
        init_milliseconds: init,
        first_request_milliseconds: first,
        warm_p50_microseconds: warm_p50,
        warm_p99_microseconds: warm_p99,
        peak_megabytes: peak,
        zip_megabytes: zip,
    } = summary;
    let (sum, ratio) = (summary.cold_start(), summary.cold_start() / baseline.cold_start());
    let [peak, zip] = [peak, zip].map(|size| size.map_or_else(String::new, |size| format!("{size:.2}")));
    println!("{name:<16} {init:>8.2} {first:>8.2} {sum:>8.2} {ratio:>8.1} {warm_p50:>10.0} {warm_p99:>10.0} {peak:>8} {zip:>8}");
}

/// What functions with routes are meant to stay below, beside the peak memory.
struct Targets {
    times_baseline: f64,
    /// Above the baseline, for a warm request.
    warm_microseconds: f64,
}

/// Of a read of few rows: one call to the table, and for some a second one after it, to the table or to the card network. Without
/// other load, these take 2.6 to 3.5 times the baseline and up to 0.4 ms for each call; with it, up to a fifth more.
const FEW_ROWS: Targets = Targets { times_baseline: 4.5, warm_microseconds: 1_000.0 };
/// Of a list with sums, a report or a search, which decode up to some hundred rows.
const MANY_ROWS: Targets = Targets { times_baseline: 10.0, warm_microseconds: 3_000.0 };
const READERS_OF_MANY_ROWS: [&str; 3] = ["analytics", "orders", "settlements"];
const MAX_PEAK_MEGABYTES: f64 = 16.0;

pub(crate) fn missed_targets(summary: &Summary, baseline: &Summary) -> Vec<String> {
    let targets = if READERS_OF_MANY_ROWS.contains(&summary.name.as_str()) { MANY_ROWS } else { FEW_ROWS };
    let warm = summary.warm_p50_microseconds - baseline.warm_p50_microseconds;
    let compared = [
        (summary.cold_start() / baseline.cold_start(), "× the cold start of the baseline", targets.times_baseline),
        (warm, "µs above the baseline for a warm request", targets.warm_microseconds),
        (summary.peak_megabytes.unwrap_or_default(), "MB peak memory", MAX_PEAK_MEGABYTES),
    ];
    let missed = compared.into_iter().filter(|(value, _, target)| value > target);
    missed.map(|(value, unit, target)| format!("{}: {value:.1} {unit}, target {target}", summary.name)).collect()
}

/// Returns the smallest value that is not exceeded by this percentage of the values.
fn quantile(mut values: Vec<Duration>, percent: usize) -> Duration {
    values.sort_unstable();
    let rank = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(rank).copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "printed only")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
