//! How many sales a second one merchant can make: a simulation of the write limit of DynamoDB's partitions.
//!
//! A sale commits twice: when it begins, and when the card network has answered. Each commit writes rows of the merchant's
//! partitions of entries, and is repeated with the backoff of `Store::commit` if one of these is throttled. Rows of other
//! partitions have keys of their own for each sale.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use test_support::SeededRandom;

/// Sales a second.
const RATES: [u32; 7] = [25, 100, 150, 180, 200, 220, 300];
const SECONDS: u64 = 120;
const SECOND: u64 = 1_000_000;
/// Write units a second of one partition, by DynamoDB's limit. What it can burst is taken to be used up.
const UNITS_PER_SECOND: f64 = 1000.0;
/// Between the commits of a sale: the call to the card network.
const CALL: u64 = 300_000;
/// Until the changed order is written to a segment and forgotten, without the minutes of waiting.
const FORGET: u64 = 1_000_000;
/// The backoff of `Store::commit`.
const MAX_RETRIES: u32 = 6;
const FIRST_BACKOFF: i64 = 20_000;
const SEED: u64 = 1;

const ORDERS: usize = 0;
const CHANGED_ORDERS: usize = 1;
const PENDING: usize = 2;
const COMPLETED: usize = 3;
const PARTITIONS: usize = 4;

/// The write units of an entry of less than 1 KB, in a transaction and alone.
const IN_TRANSACTION: f64 = 2.0;
const ALONE: f64 = 1.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Begin,
    Finish,
    Forget,
}

impl Step {
    fn units(self) -> &'static [(usize, f64)] {
        match self {
            Self::Begin => &[(ORDERS, IN_TRANSACTION), (CHANGED_ORDERS, IN_TRANSACTION), (PENDING, IN_TRANSACTION)],
            Self::Finish => &[
                (ORDERS, IN_TRANSACTION),
                (CHANGED_ORDERS, IN_TRANSACTION),
                (PENDING, IN_TRANSACTION),
                (COMPLETED, IN_TRANSACTION),
            ],
            Self::Forget => &[(CHANGED_ORDERS, ALONE)],
        }
    }
}

/// An attempt of a step, by its time in microseconds.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Attempt {
    at: u64,
    step: Step,
    retries: u32,
    /// How long the sale has waited for throttled partitions.
    waited: u64,
}

/// What becomes of the sales of a merchant.
#[derive(Debug, Default)]
struct Outcome {
    begun: u32,
    /// Sales that could not begin.
    refused: u32,
    /// Sales whose outcome could not be written, so that it is recovered later.
    open: u32,
    /// Microseconds, of each sale that was not refused.
    waits: Vec<u64>,
}

/// The write units that the partitions have left.
struct Partitions {
    units: [f64; PARTITIONS],
    at: u64,
}

impl Partitions {
    fn take(&mut self, at: u64, step: Step) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a few minutes in microseconds are exact")]
        let refilled = (at - self.at) as f64 / SECOND as f64 * UNITS_PER_SECOND;
        self.at = at;
        for units in &mut self.units {
            *units = (*units + refilled).min(UNITS_PER_SECOND);
        }
        let has = |(partition, needed): &(usize, f64)| self.units.get(*partition).is_some_and(|units| units >= needed);
        let is_taken = step.units().iter().all(has);
        for (partition, needed) in step.units().iter().filter(|_| is_taken) {
            if let Some(units) = self.units.get_mut(*partition) {
                *units -= needed;
            }
        }
        is_taken
    }
}

fn simulate(rate: u32) -> Outcome {
    let mut random = SeededRandom::new(SEED);
    let mut attempts: BinaryHeap<Reverse<Attempt>> = BinaryHeap::new();
    let mean = i64::try_from(SECOND).unwrap_or(i64::MAX) / i64::from(rate);
    let mut at = 0;
    while at < SECONDS * SECOND {
        attempts.push(Reverse(Attempt { at, step: Step::Begin, retries: 0, waited: 0 }));
        // Arrivals between none and twice the mean apart.
        at += u64::try_from(random.below(2 * mean + 1)).unwrap_or_default();
    }
    let mut partitions = Partitions { units: [0.0; PARTITIONS], at: 0 };
    let mut outcome = Outcome::default();
    while let Some(Reverse(attempt)) = attempts.pop() {
        let Attempt { at, step, retries, waited } = attempt;
        if partitions.take(at, step) {
            match step {
                Step::Begin => {
                    outcome.begun += 1;
                    let at = at + CALL;
                    attempts.push(Reverse(Attempt { at, step: Step::Finish, retries: 0, waited }));
                }
                Step::Finish => {
                    outcome.waits.push(waited);
                    let at = at + FORGET;
                    attempts.push(Reverse(Attempt { at, step: Step::Forget, retries: 0, waited }));
                }
                Step::Forget => {}
            }
        } else if retries < MAX_RETRIES || step == Step::Forget {
            let backoff = FIRST_BACKOFF << retries.min(MAX_RETRIES);
            let wait = u64::try_from(random.below(backoff)).unwrap_or_default();
            attempts.push(Reverse(Attempt { at: at + wait, step, retries: retries + 1, waited: waited + wait }));
        } else if step == Step::Begin {
            outcome.refused += 1;
        } else {
            outcome.open += 1;
        }
    }
    outcome.waits.sort_unstable();
    outcome
}

/// A Markdown table.
pub(crate) fn table() -> Vec<String> {
    let head =
        ["| sales a second | refused | outcome written later | wait of a sale, median ms | p99 ms |", "|---|---|---|---|---|"];
    let rows = RATES.iter().map(|rate| row(*rate, &simulate(*rate)));
    head.map(str::to_owned).into_iter().chain(rows).collect()
}

fn row(rate: u32, outcome: &Outcome) -> String {
    let percent = |count: u32| format!("{:.1} %", 100.0 * f64::from(count) / f64::from((outcome.begun + outcome.refused).max(1)));
    let quantile = |percent: usize| {
        let place = outcome.waits.len() * percent / 100;
        outcome.waits.get(place).or(outcome.waits.last()).map_or(0, |wait| wait / 1000)
    };
    let (refused, open) = (percent(outcome.refused), percent(outcome.open));
    format!("| {rate} | {refused} | {open} | {} | {} |", quantile(50), quantile(99))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sales_wait_only_beyond_what_a_partition_takes() {
        let below = simulate(150);
        assert_eq!((below.refused, below.open), (0, 0));
        let above = simulate(300);
        assert!(above.refused > 0, "{}", above.refused);
        assert!(above.begun < 250 * 120, "{}", above.begun);
    }
}
