//! Response times and memory, and how they change over the time of the load.

use std::time::Duration;

use super::shift::Shift;

const INTERVAL: Duration = Duration::from_secs(1);
const MEBIBYTE: f64 = 1024.0;
const SECONDS_OF_AN_HOUR: f64 = 3600.0;
/// Into which the time is divided.
pub(super) const WINDOWS: usize = 8;

/// Samples the resident memory of the portal until the shift ends: seconds since its start, and MiB.
pub(super) async fn sample_memory(shift: Shift) -> Vec<(f64, f64)> {
    let mut samples = Vec::new();
    while !shift.has_ended() {
        if let Some(memory) = resident_memory(shift.process_id()) {
            samples.push((shift.elapsed().as_secs_f64(), memory));
        }
        tokio::time::sleep(INTERVAL).await;
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
pub(super) fn warm<T: At>(samples: &[T]) -> &[T] {
    let end = samples.last().map_or(0.0, At::second);
    &samples[samples.partition_point(|sample| sample.second() < end / 3.0)..]
}

/// Something of a moment.
pub(super) trait At {
    /// Since the start.
    fn second(&self) -> f64;
}

impl At for (f64, f64) {
    fn second(&self) -> f64 {
        self.0
    }
}

/// What was measured of one thing, and how it changes.
pub(super) struct Trend {
    pub(super) figure: String,
    /// Whether it grows so much that it is not bounded by anything.
    pub(super) grows: bool,
    /// What was measured in parts of the time that follow each other, if it is of use to somebody who looks for the reason.
    pub(super) windows: Vec<f64>,
}

/// How much the resident memory of the portal changes. The embedded services are in the same process.
pub(super) fn memory(samples: &[(f64, f64)]) -> Trend {
    /// MiB an hour.
    const MAX_GROWTH: f64 = 64.0;
    let peak = samples.iter().map(|(_, memory)| *memory).fold(0.0, f64::max);
    let warm = warm(samples);
    let Some(growth) = growth_in_an_hour(warm) else {
        return Trend { figure: format!("memory up to {peak:.0} MiB"), grows: false, windows: Vec::new() };
    };
    let figure = format!("memory up to {peak:.0} MiB, {growth:+.1} MiB an hour");
    let windows = warm.chunks(warm.len().div_ceil(WINDOWS)).map(|window| mean(window, |(_, memory)| *memory));
    Trend { figure, grows: growth > MAX_GROWTH, windows: windows.collect() }
}

/// The time below which 99 of 100 requests were answered, and how it changes.
pub(super) fn response_times(name: &str, samples: &[(f64, f64)]) -> Trend {
    /// Of the p99 of all, in an hour.
    const MAX_GROWTH: f64 = 1.0;
    /// With fewer, the p99 of a window is that of a few requests.
    const MIN_SAMPLES: usize = 800;
    let warm = warm(samples);
    let windows = warm.chunks(warm.len().div_ceil(WINDOWS).max(1));
    let by_window: Vec<(f64, f64)> = windows.map(|window| (window[0].0, p99(window))).collect();
    let all = p99(samples);
    let figure = format!("{name}: {} requests, p99 {all:.0} ms", samples.len());
    let Some(growth) = growth_in_an_hour(&by_window).filter(|_| warm.len() >= MIN_SAMPLES) else {
        return Trend { figure, grows: false, windows: Vec::new() };
    };
    let growth = growth / all;
    let windows = by_window.iter().map(|(_, p99)| *p99).collect();
    Trend { figure: format!("{figure}, {:+.0} % an hour", growth * 100.0), grows: growth > MAX_GROWTH, windows }
}

/// `None` if the samples are of too short a time to say something about an hour.
pub(super) fn growth_in_an_hour(samples: &[(f64, f64)]) -> Option<f64> {
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
}
