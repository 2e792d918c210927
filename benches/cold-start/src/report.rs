//! The figures of all starts, and what they miss.

use std::time::Duration;

use crate::measure::Start;

/// What a program turned out to be like: medians of its starts, and quantiles of all of its later requests.
#[derive(Debug)]
pub(crate) struct Figures {
    pub(crate) name: String,
    /// Milliseconds.
    init: f64,
    /// Milliseconds.
    first: f64,
    /// Microseconds.
    warm_p50: f64,
    /// Microseconds.
    warm_p99: f64,
    /// Megabytes, the highest of all starts.
    peak: Option<f64>,
    /// Megabytes.
    zip: Option<f64>,
}

impl Figures {
    pub(crate) fn of(name: &str, starts: &[Start], zipped: Option<usize>) -> Self {
        let of_starts = |part: fn(&Start) -> Duration| quantile(starts.iter().map(part).collect(), 50);
        let warm: Vec<Duration> = starts.iter().flat_map(|start| start.warm.iter().copied()).collect();
        Self {
            name: name.to_owned(),
            init: of_starts(|start| start.init).as_secs_f64() * 1e3,
            first: of_starts(|start| start.first).as_secs_f64() * 1e3,
            warm_p50: quantile(warm.clone(), 50).as_secs_f64() * 1e6,
            warm_p99: quantile(warm, 99).as_secs_f64() * 1e6,
            peak: starts.iter().filter_map(|start| start.peak).max().map(megabytes),
            zip: zipped.and_then(|bytes| u64::try_from(bytes).ok()).map(megabytes),
        }
    }

    /// Milliseconds from the start of the process to its first answer.
    fn cold(&self) -> f64 {
        self.init + self.first
    }
}

pub(crate) fn print_heading() {
    println!("                     INIT    first      sum        ×   warm p50   warm p99     peak      zip");
    println!("                       ms       ms       ms    floor         µs         µs       MB       MB");
}

pub(crate) fn print(figures: &Figures, floor: &Figures) {
    let Figures { name, init, first, warm_p50, warm_p99, peak, zip } = figures;
    let (cold, ratio) = (figures.cold(), figures.cold() / floor.cold());
    let [peak, zip] = [peak, zip].map(|size| size.map_or_else(String::new, |size| format!("{size:.2}")));
    println!(
        "{name:<16} {init:>8.2} {first:>8.2} {cold:>8.2} {ratio:>8.1} {warm_p50:>10.0} {warm_p99:>10.0} {peak:>8} {zip:>8}"
    );
}

/// What a function with routes ought to keep to, and does not.
pub(crate) fn missed(figures: &Figures, floor: &Figures, peer: Option<&Figures>) -> Vec<String> {
    const TIMES_FLOOR: f64 = 4.0;
    const TIMES_FASTER_THAN_PEER: f64 = 20.0;
    const WARM_ABOVE_FLOOR: f64 = 400.0;
    const PEAK: f64 = 16.0;
    const ZIP: f64 = 3.0;
    let faster = peer.map(|peer| peer.cold() / figures.cold());
    let bounds = [
        (Some(figures.cold() / floor.cold()), "times the floor from start to answer", TIMES_FLOOR),
        (faster.map(|faster| -faster), "times faster than the peer", -TIMES_FASTER_THAN_PEER),
        (Some(figures.warm_p50 - floor.warm_p50), "µs above the floor, warm", WARM_ABOVE_FLOOR),
        (figures.peak, "MB at the peak", PEAK),
        (figures.zip, "MB zipped", ZIP),
    ];
    let missed = bounds.into_iter().filter_map(|(figure, what, bound)| {
        let figure = figure.filter(|figure| *figure > bound)?;
        Some(format!("{}: {:.1} {what}, not {:.0}", figures.name, figure.abs(), bound.abs()))
    });
    missed.collect()
}

/// The value that so many in a hundred are not above.
fn quantile(mut values: Vec<Duration>, percent: usize) -> Duration {
    values.sort_unstable();
    let rank = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(rank).copied().unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "for people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
