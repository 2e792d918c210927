//! Whether the cost of a target grows faster than its input.
//!
//! An input of a fuzzer is short, and what is quadratic still fast on it. So a part of it is repeated until the input is long
//! enough to tell. Costs are compared with each other, and not with a time that a machine should need: four times the input
//! may cost a bit more than four times as much, and not twelve times as much, which is far below the sixteen times of a
//! quadratic function. The clock is passed in; `../../cargo-fuzz` counts the time of the thread's own work on the processor, so
//! that others on the machine do not matter.

use std::time::Duration;

const SHORT: usize = 8 * 1024;
const LONG: usize = 4 * SHORT;
/// How often the long input may cost what the short one does.
const MAX_GROWTH: u32 = 12;
/// What costs less is not judged: a linear target needs a tenth of it, and a quadratic one some times as much.
const FLOOR: Duration = Duration::from_millis(40);
/// The least of several measurements is the one that nothing disturbed.
const REPEATS: usize = 3;
const MAX_UNIT: usize = 32;

/// Panics if the cost of some longer input grows faster than its length.
pub fn check(data: &[u8], mut cost: impl FnMut(&[u8]) -> Duration) {
    let long = stretched(data, LONG);
    if cost(&long) < FLOOR {
        return;
    }
    let short = stretched(data, SHORT);
    let mut least = |input: &[u8]| (0..REPEATS).map(|_| cost(input)).min().unwrap_or_default();
    let (least_long, least_short) = (least(&long), least(&short));
    assert!(
        least_long < FLOOR || least_long < least_short * MAX_GROWTH,
        "{} bytes cost {least_short:?}, and {} bytes {least_long:?}",
        short.len(),
        long.len()
    );
}

/// The input with a part of it repeated until it is about as long as asked for. Which part depends on its content, so that a fuzzer
/// tries many.
fn stretched(data: &[u8], length: usize) -> Vec<u8> {
    // FNV-1a.
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = data.iter().fold(0xcbf2_9ce4_8422_2325, step);
    let below = |number: u64, bound: usize| usize::try_from(number % (bound as u64).max(1)).unwrap_or_default();
    let start = below(hash, data.len());
    let unit = (1 + below(hash >> 32, MAX_UNIT)).min(data.len() - start);
    let (before, rest) = data.split_at(start);
    let (unit, after) = rest.split_at(unit);
    let repeats = length.saturating_sub(data.len()) / unit.len().max(1);
    [before, &unit.repeat(repeats + 1), after].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &[u8] = b"a=\"=?UTF-8?B?\"; b";

    fn microseconds(steps: usize) -> Duration {
        Duration::from_micros(steps as u64)
    }

    #[test]
    fn a_quadratic_target_is_noticed() {
        let refused = std::panic::catch_unwind(|| check(DATA, |input| microseconds(input.len() * input.len() / 1024)));
        assert!(refused.is_err());
    }

    #[test]
    fn a_linear_target_is_not_refused() {
        for factor in [1, 10, 1000] {
            check(DATA, |input| microseconds(input.len() * factor));
        }
        check(DATA, |input| microseconds(input.len() * usize::try_from(input.len().ilog2()).unwrap()));
    }

    #[test]
    fn a_disturbance_is_not_a_cost() {
        let mut calls = 0;
        check(DATA, |_| {
            calls += 1;
            microseconds(if calls == 1 { 1_000_000 } else { 10 })
        });
    }

    #[test]
    fn a_part_of_the_input_is_repeated_to_the_length() {
        for data in [DATA, b"x", b""] {
            let long = stretched(data, 1000);
            assert!((1000 - MAX_UNIT..=1000 + MAX_UNIT).contains(&long.len()) || data.is_empty(), "{}", long.len());
            let is_in_input = |byte: &u8| data.contains(byte);
            assert!(long.iter().all(is_in_input));
        }
    }
}
