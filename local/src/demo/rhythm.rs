//! When things happen in a shop, and chance that always falls the same way.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

/// Half a year.
const DAYS: i64 = 182;
/// The last ones come today, at this distance.
const TODAY: i64 = 5;
const MINUTES_APART: i64 = 23;

/// Hours of the day, the busier ones more than once.
const HOURS: [i64; 20] = [8, 9, 10, 11, 12, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21, 22];

/// When each of `count` things happened, oldest first: more of them as the shop grows, on weekends, and in December.
pub(super) fn moments(count: i64, zone: &str, now: Timestamp, dice: &mut Dice) -> Vec<Timestamp> {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let today = now.to_zoned(zone.clone()).date();
    let days = (1..=DAYS).rev().filter_map(|ago| Some((today.checked_sub(ago.days()).ok()?, ago)));
    let days: Vec<(Date, i64)> = days.map(|(date, ago)| (date, weight(date, ago))).collect();

    let total: i64 = days.iter().map(|(_, weight)| weight).sum();
    let mut moments = Vec::new();
    let (mut passed, mut placed) = (0, 0);
    for (date, weight) in days {
        passed += weight;
        while placed * total < passed * (count - TODAY) {
            moments.push(time_of_day(date, &zone, dice).unwrap_or(now));
            placed += 1;
        }
    }
    moments.sort_unstable();
    moments
        .extend((1..=TODAY).rev().map(|back| later(now, SignedDuration::from_mins(-back * MINUTES_APART))));
    moments
}

fn weight(date: Date, days_ago: i64) -> i64 {
    let growth = 2 * DAYS - days_ago;
    let of_the_week = match date.weekday() {
        Weekday::Saturday => 5,
        Weekday::Friday | Weekday::Sunday => 4,
        _ => 2,
    };
    let of_the_year = if date.month() == 12 { 2 } else { 1 };
    growth * of_the_week * of_the_year
}

fn time_of_day(date: Date, zone: &TimeZone, dice: &mut Dice) -> Option<Timestamp> {
    let midnight = date.to_zoned(zone.clone()).ok()?.timestamp();
    let seconds = dice.pick(&HOURS) * 3600 + dice.below(3600);
    Some(later(midnight, SignedDuration::from_secs(seconds)))
}

pub(super) fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.saturating_add(by).unwrap_or(time)
}

/// Throws that look like chance and are the same in every run (`SplitMix64`).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 up to, and without, `bound`.
    pub(super) fn below(&mut self, bound: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        i64::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or_default().checked_rem(bound).unwrap_or_default()
    }

    pub(super) fn pick<T: Copy + Default>(&mut self, table: &[T]) -> T {
        let position = self.below(i64::try_from(table.len()).unwrap_or_default());
        usize::try_from(position).ok().and_then(|position| table.get(position).copied()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_moments_as_asked_for_lie_in_the_half_year_in_order() {
        for now in ["2026-01-01T00:00:30Z", "2026-03-29T01:30:00Z", "2026-10-25T00:30:00Z"] {
            let now: Timestamp = now.parse().unwrap();
            for zone in ["Asia/Tokyo", "Europe/Stockholm", "nowhere"] {
                let moments = moments(140, zone, now, &mut Dice::new(1));
                assert_eq!(moments.len(), 140);
                assert!(
                    moments.last().unwrap() < &now
                        && moments[0] > later(now, SignedDuration::from_hours(-184 * 24))
                );
            }
        }
    }

    #[test]
    fn trade_grows_and_is_best_on_weekends() {
        let now = "2026-07-15T12:00:00Z".parse().unwrap();
        let moments = moments(1000, "UTC", now, &mut Dice::new(1));
        let days: Vec<Date> = moments.iter().map(|at| at.to_zoned(TimeZone::UTC).date()).collect();
        let on = |weekday| days.iter().filter(|day| day.weekday() == weekday).count();
        assert!(on(Weekday::Saturday) > 2 * on(Weekday::Tuesday));
        assert!(moments[500].duration_since(moments[0]) > now.duration_since(moments[500]));
    }
}
