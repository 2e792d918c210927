//! Runs the targets under libFuzzer.

use std::sync::atomic::{AtomicU64, Ordering};

use cpu_time::ThreadTime;
use fuzz_targets::{Target, cost};

/// How many inputs are run for each one whose cost is measured: that takes some hundred times as long. The first one is measured,
/// so that a single input that is run again is.
const COST_EVERY: u64 = 2048;

static RUNS: AtomicU64 = AtomicU64::new(0);

/// Runs a target on an input, and now and then measures its cost on a longer one.
pub fn run(target: Target, data: &[u8]) {
    target(data);
    if RUNS.fetch_add(1, Ordering::Relaxed) % COST_EVERY == 0 {
        cost::check(data, |input| {
            let start = ThreadTime::now();
            target(input);
            start.elapsed()
        });
    }
}
