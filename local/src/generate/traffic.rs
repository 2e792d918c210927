//! When orders are placed: by season, weekday and hour of the day, in UTC.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::Plan;
use crate::demo::Rng;

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

/// Hours at which shops are open.
pub(super) const OPEN: std::ops::Range<i64> = 9..20;

/// Orders of each hour of the day, relative to each other. Shops are busiest at lunch time and in the evening.
const HOURS: [i64; 24] = [1, 1, 1, 1, 1, 1, 2, 3, 6, 20, 26, 34, 52, 46, 30, 28, 34, 50, 56, 44, 14, 9, 6, 3];

/// A period of at least this many days has a day with one order in [`BUSIEST_SHARE`].
const DAYS_WITH_BUSIEST: i64 = 100;
const BUSIEST_SHARE: i64 = 20;

/// Yields the times of all orders of the history in ascending order, in whole milliseconds.
pub(super) fn times(plan: &Plan, mut rng: Rng) -> impl Iterator<Item = Timestamp> + use<> {
    let days = distribute(plan.orders, period(plan, &mut rng));
    days.into_iter().flat_map(move |(day, orders)| day.times(orders, &mut rng))
}

/// The start of a day of UTC, in milliseconds, and the time of that day.
pub(super) fn split(at: Timestamp) -> (i64, i64) {
    let time = at.as_millisecond().rem_euclid(DAY);
    (at.as_millisecond() - time, time)
}

pub(super) fn hour(at: Timestamp) -> i64 {
    split(at).1 / HOUR
}

/// The time on the day of `at` plus some days at which the clock shows this many milliseconds after the shops opened.
pub(super) fn after_opening(at: Timestamp, days: i64, milliseconds: i64) -> Timestamp {
    timestamp(split(at).0 + days * DAY + OPEN.start * HOUR + milliseconds)
}

/// Milliseconds of a day at which shops are open.
pub(super) fn open_milliseconds() -> i64 {
    (OPEN.end - OPEN.start) * HOUR
}

fn timestamp(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).unwrap_or_default()
}

#[derive(Debug)]
struct Day {
    /// In milliseconds.
    start: i64,
    /// The part of the day that lies in the past, in milliseconds.
    length: i64,
    /// Orders of the day, relative to other days.
    weight: i64,
}

/// The days of the history. The last one ends now.
fn period(plan: &Plan, rng: &mut Rng) -> Vec<Day> {
    let (today, time) = split(plan.now);
    let day = |days_ago: i64| {
        let start = today - days_ago * DAY;
        let length = if days_ago == 0 { time } else { DAY };
        let noise = 90 + rng.below(21);
        let mut day = Day { start, length, weight: 0 };
        // In hours, so that the numbers stay small. At least 1, so that a day that has just begun can have orders.
        day.weight = (day.traffic() / HOUR * season(day.date()) * weekday(day.date()) * noise).max(1);
        day
    };
    (0..plan.days).rev().map(day).collect()
}

fn season(date: Date) -> i64 {
    match (date.month(), date.day()) {
        (12, _) => 30,
        (2, 13 | 14) => 28,
        (2, 7..=12) => 18,
        (11, 20..) => 14,
        (7 | 8, _) => 8,
        _ => 10,
    }
}

fn weekday(date: Date) -> i64 {
    match date.weekday() {
        Weekday::Saturday => 17,
        Weekday::Friday => 13,
        Weekday::Thursday => 10,
        Weekday::Wednesday => 9,
        Weekday::Monday | Weekday::Tuesday => 8,
        Weekday::Sunday => 6,
    }
}

/// Distributes the orders over the days by their weights, except for those of the busiest day.
fn distribute(orders: i64, days: Vec<Day>) -> Vec<(Day, i64)> {
    let busiest = busiest(&days);
    let of_busiest = if busiest.is_some() { orders / BUSIEST_SHARE } else { 0 };
    let is_busiest = |day: &Day| busiest == Some(day.start);
    let total: i128 = days.iter().filter(|day| !is_busiest(day)).map(|day| i128::from(day.weight)).sum();
    let (mut weight, mut placed) = (0, 0);
    let with_orders = |day: Day| {
        if is_busiest(&day) {
            return (day, of_busiest);
        }
        weight += i128::from(day.weight);
        let until = weight * i128::from(orders - of_busiest) / total.max(1);
        let count = i64::try_from(until).unwrap_or_default() - placed;
        placed += count;
        (day, count)
    };
    days.into_iter().map(with_orders).collect()
}

/// The start of the busiest day of a long period: the last Saturday before Christmas, or else the middle Saturday.
fn busiest(days: &[Day]) -> Option<i64> {
    let is_long = i64::try_from(days.len()).is_ok_and(|count| count >= DAYS_WITH_BUSIEST);
    let (_, complete) = days.split_last().filter(|_| is_long)?;
    let saturdays: Vec<&Day> =
        complete.iter().filter(|day| day.date().weekday() == Weekday::Saturday).collect();
    let is_before_christmas = |day: &&&Day| day.date().month() == 12 && (18..=24).contains(&day.date().day());
    let christmas = saturdays.iter().rfind(is_before_christmas);
    christmas.or_else(|| saturdays.get(saturdays.len() / 2)).map(|day| day.start)
}

impl Day {
    fn date(&self) -> Date {
        timestamp(self.start).to_zoned(TimeZone::UTC).date()
    }

    /// The hours that have begun: the weight, the start and the length of each.
    fn hours(&self) -> impl Iterator<Item = (i64, i64, i64)> {
        (0..).zip(HOURS).map(move |(hour, weight)| {
            let start = hour * HOUR;
            (weight, start, (self.length - start).clamp(0, HOUR))
        })
    }

    /// The sum of the weights of all milliseconds.
    fn traffic(&self) -> i64 {
        self.hours().map(|(weight, _, length)| weight * length).sum()
    }

    /// Chooses the times of the day's orders, in ascending order.
    fn times(&self, orders: i64, rng: &mut Rng) -> Vec<Timestamp> {
        let traffic = self.traffic();
        let mut times: Vec<i64> = (0..orders).map(|_| self.time(rng.below(traffic))).collect();
        times.sort_unstable();
        times.into_iter().map(timestamp).collect()
    }

    /// The time at which this much of the day's traffic has passed.
    fn time(&self, mut traffic: i64) -> i64 {
        for (weight, start, length) in self.hours() {
            if traffic < weight * length {
                return self.start + start + traffic / weight;
            }
            traffic -= weight * length;
        }
        self.start + self.length
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn plan(orders: i64, days: i64, now: &str) -> Plan {
        Plan { orders, days, seed: 1, now: now.parse().unwrap() }
    }

    fn by_date(plan: &Plan) -> BTreeMap<Date, usize> {
        let mut dates = BTreeMap::new();
        for at in times(plan, Rng::new(plan.seed)) {
            *dates.entry(at.to_zoned(TimeZone::UTC).date()).or_default() += 1;
        }
        dates
    }

    fn of_weekday(dates: &BTreeMap<Date, usize>, weekday: Weekday) -> usize {
        dates.iter().filter(|(date, _)| date.weekday() == weekday).map(|(_, orders)| orders).sum()
    }

    #[test]
    fn yields_the_requested_number_in_order_within_the_period() {
        for now in ["2026-01-01T00:00:00Z", "2026-03-29T00:00:30Z", "2028-02-29T23:59:59.999Z"] {
            for (orders, days) in [(1, 1), (7, 365), (500, 1), (997, 100), (3000, 365), (1000, 1000)] {
                let plan = plan(orders, days, now);
                let times: Vec<Timestamp> = times(&plan, Rng::new(plan.seed)).collect();
                assert_eq!(i64::try_from(times.len()), Ok(orders), "{plan:?}");
                assert!(times.is_sorted(), "{plan:?}");
                let first_day = timestamp(split(plan.now).0 - (days - 1) * DAY);
                assert!(times[0] >= first_day && times[times.len() - 1] <= plan.now, "{plan:?}");
            }
        }
    }

    #[test]
    fn the_busiest_day_has_five_percent() {
        for (now, days, date) in [
            ("2026-07-15T12:34:56.789Z", 365, "2025-12-20"),
            ("2026-07-15T12:34:56.789Z", 1000, "2025-12-20"),
            ("2026-07-15T12:34:56.789Z", 100, "2026-05-30"),
            // The Saturday before Christmas is not over yet.
            ("2025-12-20T00:00:10Z", 200, "2025-09-13"),
        ] {
            let dates = by_date(&plan(20_000, days, now));
            let (busiest, orders) = dates.iter().max_by_key(|(_, orders)| **orders).unwrap();
            assert_eq!((busiest.to_string().as_str(), *orders), (date, 1000), "{now} {days}");
        }
    }

    #[test]
    fn traffic_follows_the_season_the_weekday_and_the_hour() {
        let plan = plan(30_000, 365, "2026-07-15T12:34:56.789Z");
        let dates = by_date(&plan);
        assert!(2 * of_weekday(&dates, Weekday::Saturday) > 3 * of_weekday(&dates, Weekday::Monday));
        let of_month = |month: i8| -> usize {
            dates.iter().filter(|(date, _)| date.month() == month).map(|(_, orders)| orders).sum()
        };
        assert!(of_month(12) > 2 * of_month(10), "{dates:?}");
        assert!(of_month(2) > of_month(3), "{dates:?}");
        let open = times(&plan, Rng::new(plan.seed)).filter(|at| OPEN.contains(&hour(*at))).count();
        assert!((26_000..28_000).contains(&open), "{open}");
    }
}
