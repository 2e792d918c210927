//! Timestamps of the demo records, and a deterministic random number generator.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use shared::clock::later;

const DAYS: i64 = 365;
/// The last timestamps are shortly before now, at a fixed interval.
const RECENT_COUNT: i64 = 5;
const RECENT_INTERVAL_MINUTES: i64 = 23;

/// Hours of the day. Busier hours are repeated.
const HOURS: [i64; 20] = [8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 22];

/// Returns `count` timestamps in ascending order. They are more frequent on recent days, on
/// weekends and before Christmas.
pub(super) fn timestamps(count: i64, zone: &str, now: Timestamp, rng: &mut Rng) -> Vec<Timestamp> {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let today = now.to_zoned(zone.clone()).date();
    let days =
        (1..=DAYS).rev().filter_map(|days_ago| Some((today.checked_sub(days_ago.days()).ok()?, days_ago)));
    let days: Vec<(Date, i64)> = days.map(|(date, days_ago)| (date, weight(date, days_ago))).collect();

    let total_weight: i64 = days.iter().map(|(_, weight)| weight).sum();
    let mut timestamps = Vec::new();
    let (mut cumulative_weight, mut placed) = (0, 0);
    for (date, weight) in days {
        cumulative_weight += weight;
        while placed * total_weight < cumulative_weight * (count - RECENT_COUNT) {
            timestamps.push(random_time_of_day(date, &zone, rng).unwrap_or(now));
            placed += 1;
        }
    }
    timestamps.sort_unstable();
    let recent = (1..=RECENT_COUNT).rev().map(|intervals| -intervals * RECENT_INTERVAL_MINUTES);
    timestamps.extend(recent.map(|minutes| later(now, SignedDuration::from_mins(minutes))));
    timestamps
}

fn weight(date: Date, days_ago: i64) -> i64 {
    let growth = 2 * DAYS - days_ago;
    let weekday = match date.weekday() {
        Weekday::Saturday => 5,
        Weekday::Friday | Weekday::Sunday => 4,
        _ => 2,
    };
    // Presents for Christmas, and a quiet summer.
    let month = match date.month() {
        12 => 5,
        11 => 3,
        6..=8 => 1,
        _ => 2,
    };
    growth * weekday * month
}

fn random_time_of_day(date: Date, zone: &TimeZone, rng: &mut Rng) -> Option<Timestamp> {
    let midnight = date.to_zoned(zone.clone()).ok()?.timestamp();
    let seconds = rng.pick(&HOURS) * 3600 + rng.below(3600);
    Some(later(midnight, SignedDuration::from_secs(seconds)))
}

/// A `SplitMix64` generator: the same seed produces the same values in every run.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a value in `0..bound`.
    pub(crate) fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        i64::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or_default().checked_rem(bound).unwrap_or_default()
    }

    pub(crate) fn pick<T: Copy + Default>(&mut self, values: &[T]) -> T {
        let index = self.below(i64::try_from(values.len()).unwrap_or_default());
        usize::try_from(index).ok().and_then(|index| values.get(index).copied()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_requested_number_of_timestamps_within_a_year() {
        for now in ["2026-01-01T00:00:30Z", "2026-03-29T01:30:00Z", "2026-10-25T00:30:00Z"] {
            let now: Timestamp = now.parse().unwrap();
            for zone in ["Asia/Tokyo", "Europe/Stockholm", "unknown"] {
                let timestamps = timestamps(140, zone, now, &mut Rng::new(1));
                assert_eq!(timestamps.len(), 140);
                assert!(
                    timestamps.last().unwrap() < &now
                        && timestamps[0] > later(now, SignedDuration::from_hours(-367 * 24))
                );
            }
        }
    }

    #[test]
    fn timestamps_are_more_frequent_on_weekends_and_recent_days() {
        let now = "2026-01-10T12:00:00Z".parse().unwrap();
        let timestamps = timestamps(1000, "UTC", now, &mut Rng::new(1));
        let days: Vec<Date> = timestamps.iter().map(|at| at.to_zoned(TimeZone::UTC).date()).collect();
        let on = |weekday| days.iter().filter(|day| day.weekday() == weekday).count();
        assert!(on(Weekday::Saturday) > 2 * on(Weekday::Tuesday));
        assert!(timestamps[500].duration_since(timestamps[0]) > now.duration_since(timestamps[500]));
    }
}
