//! Figures as they are printed.

use std::time::Duration;

/// A whole number with commas between thousands.
pub(crate) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let length = digits.len();
    let with_commas = digits.char_indices().flat_map(|(at, digit)| {
        let comma = (at > 0 && (length - at).is_multiple_of(3)).then_some(',');
        comma.into_iter().chain([digit])
    });
    with_commas.collect()
}

/// One decimal below 10, if it is not 0.
pub(crate) fn short(number: f64) -> String {
    let rounded = (number * 10.0).round() / 10.0;
    if rounded < 10.0 && rounded.fract() > 0.0 { format!("{rounded:.1}") } else { grouped(number) }
}

/// Capacity units are multiples of one half.
pub(crate) fn units(units: f64) -> String {
    if units.fract() > 0.0 && units < 1000.0 { format!("{units:.1}") } else { grouped(units) }
}

pub(crate) fn milliseconds(time: Duration) -> String {
    short(time.as_secs_f64() * 1e3)
}

/// Two digits that count below a dollar.
pub(crate) fn dollars(amount: f64) -> String {
    let decimals = match amount {
        10.0.. => 0,
        0.1.. => 2,
        0.01.. => 3,
        _ => 4,
    };
    if decimals == 0 { grouped(amount) } else { format!("{amount:.decimals$}") }
}

pub(crate) const NOTHING: &str = "–";

/// Exact for all counts that occur.
pub(crate) fn from_count(count: impl TryInto<u32>) -> f64 {
    count.try_into().map_or(f64::INFINITY, f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_thousands() {
        for (number, expected) in [(0.0, "0"), (999.6, "1,000"), (123.0, "123"), (12_345.0, "12,345"), (1e6, "1,000,000")] {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    fn units_keep_a_half() {
        for (number, expected) in [(8.0, "8"), (8.5, "8.5"), (999.5, "999.5"), (84_321.5, "84,322")] {
            assert_eq!(units(number), expected);
        }
    }

    #[test]
    fn times_are_in_milliseconds() {
        assert_eq!(milliseconds(Duration::from_micros(1_250)), "1.3");
        assert_eq!(milliseconds(Duration::from_millis(14_900)), "14,900");
    }

    #[test]
    fn small_amounts_keep_digits_that_count() {
        for (amount, expected) in [(1234.5, "1,234"), (12.3, "12"), (1.234, "1.23"), (0.0123, "0.012"), (0.000_12, "0.0001")] {
            assert_eq!(dollars(amount), expected);
        }
    }
}
