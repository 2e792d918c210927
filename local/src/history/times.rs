//! When orders are placed: by season, weekday and hour of the day, on the clock of the shop.

use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::rng::Rng;

const HOUR: i64 = 60 * 60 * 1000;
const DAY: i64 = 24 * HOUR;

/// Hours at which shops are open.
const OPEN: std::ops::Range<i64> = 9..20;

/// Orders of each hour of the day, relative to each other. Shops are busiest at lunch time and in the evening.
const HOURS: [i64; 24] = [1, 1, 1, 1, 1, 1, 2, 3, 6, 20, 26, 34, 52, 46, 30, 28, 34, 50, 56, 44, 14, 9, 6, 3];

/// A period of at least this many days has a day with one order in [`BUSIEST_SHARE`].
const DAYS_WITH_BUSIEST: i64 = 100;
const BUSIEST_SHARE: i64 = 20;

/// The clock of a shop. It ignores changes between summer and winter time: its offset is the one at the end of the history.
#[derive(Debug, Clone, Copy)]
pub(super) struct WallClock {
    /// How far it is ahead of UTC, in milliseconds.
    offset: i64,
}

impl WallClock {
    pub(super) fn new(time_zone: &str, now: Timestamp) -> Self {
        let zone = TimeZone::get(time_zone).unwrap_or(TimeZone::UTC);
        Self { offset: i64::from(zone.to_offset(now).seconds()) * 1000 }
    }

    pub(super) fn is_open(self, at: Timestamp) -> bool {
        OPEN.contains(&(self.split(at).1 / HOUR))
    }

    /// The time on the day of `at` plus some days at which shops have been open for this many milliseconds.
    pub(super) fn in_opening_hours(self, at: Timestamp, days: i64, passed: i64) -> Timestamp {
        self.timestamp(self.split(at).0 + days * DAY + OPEN.start * HOUR + passed)
    }

    /// The start of the day, and the time since then, in milliseconds.
    fn split(self, at: Timestamp) -> (i64, i64) {
        let local = at.as_millisecond() + self.offset;
        let time = local.rem_euclid(DAY);
        (local - time, time)
    }

    fn timestamp(self, local: i64) -> Timestamp {
        timestamp(local - self.offset)
    }
}

/// The time of a day at which shops are open, in milliseconds.
pub(super) const OPEN_TIME: i64 = (OPEN.end - OPEN.start) * HOUR;

/// Yields the times of so many orders in ascending order, in whole milliseconds. The last of the days ends at `until`.
pub(super) fn times(orders: i64, days: i64, until: Timestamp, clock: WallClock, rng: Rng) -> impl Iterator<Item = Timestamp> {
    let days = distribute(orders, period(days, clock.split(until), &rng));
    days.into_iter().flat_map(move |(day, orders)| day.times(orders, &rng)).map(move |at| clock.timestamp(at))
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

/// The days of the history. Of the last one, only some time has passed.
fn period(days: i64, (today, time): (i64, i64), rng: &Rng) -> Vec<Day> {
    let day = |days_ago: i64| {
        let start = today - days_ago * DAY;
        let length = if days_ago == 0 { time } else { DAY };
        let noise = 90 + rng.below(21);
        let mut day = Day { start, length, weight: 0 };
        // In hours, so that the numbers stay small. At least 1, so that a day that has just begun can have orders.
        day.weight = (day.traffic() / HOUR * season(day.date()) * weekday(day.date()) * noise).max(1);
        day
    };
    (0..days).rev().map(day).collect()
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
    let saturdays: Vec<&Day> = complete.iter().filter(|day| day.date().weekday() == Weekday::Saturday).collect();
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
    fn times(&self, orders: i64, rng: &Rng) -> Vec<i64> {
        let traffic = self.traffic();
        let mut times: Vec<i64> = (0..orders).map(|_| self.time(rng.below(traffic))).collect();
        times.sort_unstable();
        times
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

    const UTC: WallClock = WallClock { offset: 0 };

    fn times(orders: i64, days: i64, now: &str) -> Vec<Timestamp> {
        super::times(orders, days, now.parse().unwrap(), UTC, Rng::new(1)).collect()
    }

    fn by_date(times: &[Timestamp]) -> BTreeMap<Date, usize> {
        let mut dates = BTreeMap::new();
        for at in times {
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
                let times = times(orders, days, now);
                assert_eq!(i64::try_from(times.len()), Ok(orders), "{days} {now}");
                assert!(times.is_sorted(), "{orders} {days} {now}");
                let now = now.parse().unwrap();
                let first_day = timestamp(UTC.split(now).0 - (days - 1) * DAY);
                assert!(times[0] >= first_day && times[times.len() - 1] <= now, "{orders} {days} {now}");
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
            let dates = by_date(&times(20_000, days, now));
            let (busiest, orders) = dates.iter().max_by_key(|(_, orders)| **orders).unwrap();
            assert_eq!((busiest.to_string().as_str(), *orders), (date, 1000), "{now} {days}");
        }
    }

    #[test]
    fn traffic_follows_the_season_the_weekday_and_the_hour() {
        let times = times(30_000, 365, "2026-07-15T12:34:56.789Z");
        let dates = by_date(&times);
        assert!(2 * of_weekday(&dates, Weekday::Saturday) > 3 * of_weekday(&dates, Weekday::Monday));
        let of_month =
            |month: i8| -> usize { dates.iter().filter(|(date, _)| date.month() == month).map(|(_, orders)| orders).sum() };
        assert!(of_month(12) > 2 * of_month(10), "{dates:?}");
        assert!(of_month(2) > of_month(3), "{dates:?}");
        let open = times.iter().filter(|at| UTC.is_open(**at)).count();
        assert!((26_000..28_000).contains(&open), "{open}");
    }

    #[test]
    fn orders_follow_the_clock_of_the_shop() {
        let now = "2026-07-15T12:34:56.789Z".parse().unwrap();
        for (zone, noon) in [("Asia/Tokyo", 3), ("Europe/Berlin", 10), ("unknown", 12)] {
            let clock = WallClock::new(zone, now);
            let times = super::times(20_000, 365, now, clock, Rng::new(1));
            let mut hours = [0; 24];
            times.for_each(|at| hours[usize::try_from(UTC.split(at).1 / HOUR).unwrap()] += 1);
            // Hours 12 and 18 are the busiest ones.
            assert!(hours[noon] > hours[noon - 2] && hours[noon] > hours[noon + 3], "{zone} {hours:?}");
            assert!(!clock.is_open(timestamp(clock.timestamp(OPEN.start * HOUR).as_millisecond() - 1)));
            assert!(clock.is_open(clock.in_opening_hours(now, 3, 0)));
        }
    }
}
