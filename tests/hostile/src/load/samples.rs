//! Response times and memory, and how they change over the time of the load.

use std::time::Duration;

use super::shift::Shift;

const INTERVAL: Duration = Duration::from_secs(1);
const MEBIBYTE: f64 = 1024.0;
const SECONDS_OF_AN_HOUR: f64 = 3600.0;

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

pub(super) fn memory_figure(samples: &[(f64, f64)]) -> String {
    let peak = samples.iter().map(|(_, memory)| *memory).fold(0.0, f64::max);
    // What the portal needs once it is warm.
    let warm = &samples[samples.len() / 3..];
    format!("memory up to {peak:.0} MiB, {:+.1} MiB an hour", slope(warm) * SECONDS_OF_AN_HOUR)
}

/// The time below which 99 of 100 requests were answered, in milliseconds, and how it changes: percent an hour.
pub(super) fn p99_figure(name: &str, samples: &[(f64, f64)]) -> String {
    const WINDOWS: usize = 12;
    let windows = samples.chunks(samples.len().div_ceil(WINDOWS).max(1));
    let by_window: Vec<(f64, f64)> = windows.map(|window| (window[0].0, p99(window))).collect();
    let all = p99(samples);
    let change = slope(&by_window) * SECONDS_OF_AN_HOUR / all * 100.0;
    format!("{name}: {} requests, p99 {all:.0} ms, {change:+.0} % an hour", samples.len())
}

fn p99(samples: &[(f64, f64)]) -> f64 {
    let mut times: Vec<f64> = samples.iter().map(|(_, time)| *time).collect();
    times.sort_by(f64::total_cmp);
    times[(times.len() * 99 / 100).min(times.len() - 1)]
}

/// The slope of the line with the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.iter().map(|_| 1.0).sum::<f64>();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(&|point| point.0), mean(&|point| point.1));
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
}
