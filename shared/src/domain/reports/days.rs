//! The days that a report covers, by the merchant's own calendar and clocks.

use std::ops::Range;

use jiff::civil::Date;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use utoipa::ToSchema;

/// The zone of a merchant: an IANA name, or a fixed offset such as `UTC+05:30`. Whatever else it says is UTC.
pub fn time_zone(name: &str) -> TimeZone {
    let name = name.trim();
    fixed(name).or_else(|| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC)
}

/// `UTC±HH:MM`, less than a day.
fn fixed(name: &str) -> Option<TimeZone> {
    const LENGTH: usize = "UTC+HH:MM".len();
    const DAY: i32 = 24 * 60 * 60;
    let offset = strtime::parse("UTC%:z", name).ok()?.offset().filter(|_| name.len() == LENGTH)?;
    (offset.seconds().abs() < DAY).then(|| TimeZone::fixed(offset))
}

/// A calendar day: `{dateKey: "2026-11-05", dateLabel: "5 Nov"}`.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Day {
    #[serde(rename = "dateKey")]
    pub date: Date,
    #[serde(rename = "dateLabel")]
    pub label: String,
    #[serde(skip)]
    begins: Timestamp,
}

impl Day {
    fn new(date: Date, zone: &TimeZone) -> Self {
        Self { date, label: date.strftime("%-d %b").to_string(), begins: midnight(date, zone) }
    }
}

/// The days of a period that ends with today, and the period of as many days that ends the day before.
#[derive(Debug, Clone)]
pub struct Days {
    /// When the preceding period begins.
    from: Timestamp,
    /// Oldest first.
    shown: Vec<Day>,
    /// When today ends.
    until: Timestamp,
}

/// When something happened, as a report sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodSlot {
    Preceding,
    /// On this day of the period, counted from 0.
    Day(usize),
}

impl Days {
    /// `count` days up to the one that it is `now` in the zone.
    pub fn up_to(now: Timestamp, zone: &TimeZone, count: u8) -> Self {
        let today = now.to_zoned(zone.clone()).date();
        let ago = |days: i64| today.saturating_sub(days.days());
        let count = i64::from(count);
        Self {
            from: midnight(ago(2 * count - 1), zone),
            shown: (0..count).rev().map(|days| Day::new(ago(days), zone)).collect(),
            until: midnight(ago(-1), zone),
        }
    }

    /// From the beginning of the preceding period to the end of today.
    pub fn both_periods(&self) -> Range<Timestamp> {
        self.from..self.until
    }

    /// The days of the period, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Day> {
        self.shown.iter()
    }

    /// Where a time belongs; none outside of both periods.
    pub fn place(&self, at: Timestamp) -> Option<PeriodSlot> {
        if !self.both_periods().contains(&at) {
            return None;
        }
        let begun = self.shown.partition_point(|day| day.begins <= at);
        Some(begun.checked_sub(1).map_or(PeriodSlot::Preceding, PeriodSlot::Day))
    }

    /// Whether a time belongs to the period itself.
    pub fn shows(&self, at: Timestamp) -> bool {
        matches!(self.place(at), Some(PeriodSlot::Day(_)))
    }
}

/// When a day begins: at midnight, or when the clocks go on where they skip midnight.
fn midnight(date: Date, zone: &TimeZone) -> Timestamp {
    // Fails only at the ends of the calendar, thousands of years from here.
    zone.to_ambiguous_timestamp(date.at(0, 0, 0, 0)).compatible().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use proptest::prelude::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    fn days(now: &str, zone: &str, count: u8) -> Days {
        Days::up_to(at(now), &time_zone(zone), count)
    }

    #[test]
    fn a_zone_is_a_known_name_or_a_fixed_offset_or_utc() {
        for (name, noon_in_utc) in [
            ("Europe/Stockholm", "2026-01-01T11:00:00Z"),
            (" Asia/Tokyo ", "2026-01-01T03:00:00Z"),
            ("UTC+05:30", "2026-01-01T06:30:00Z"),
            ("UTC-03:00", "2026-01-01T15:00:00Z"),
            ("UTC+00:00", "2026-01-01T12:00:00Z"),
            ("UTC", "2026-01-01T12:00:00Z"),
            ("UTC+5", "2026-01-01T12:00:00Z"),
            ("UTC+05:60", "2026-01-01T12:00:00Z"),
            ("UTC+05:30:30", "2026-01-01T12:00:00Z"),
            ("UTC+24:00", "2026-01-01T12:00:00Z"),
            ("UTC+99:00", "2026-01-01T12:00:00Z"),
            ("+05:30", "2026-01-01T12:00:00Z"),
            ("Mars/Olympus", "2026-01-01T12:00:00Z"),
            ("", "2026-01-01T12:00:00Z"),
        ] {
            let noon = "2026-01-01T12:00:00".parse::<jiff::civil::DateTime>().unwrap();
            assert_eq!(noon.to_zoned(time_zone(name)).unwrap().timestamp(), at(noon_in_utc), "{name}");
        }
    }

    #[test]
    fn a_period_ends_with_today_and_the_preceding_one_the_day_before_it() {
        let days = days("2026-03-05T12:00:00Z", "UTC", 7);
        assert_eq!(days.both_periods(), at("2026-02-20T00:00:00Z")..at("2026-03-06T00:00:00Z"));
        let shown: Vec<_> = days.iter().map(|day| (day.date.to_string(), day.label.as_str())).collect();
        assert_eq!(shown.first(), Some(&("2026-02-27".to_owned(), "27 Feb")));
        assert_eq!(shown.last(), Some(&("2026-03-05".to_owned(), "5 Mar")));
        assert_eq!(shown.len(), 7);
    }

    #[test]
    fn every_instant_has_its_place() {
        let days = days("2026-03-05T12:00:00Z", "UTC", 7);
        for (time, place) in [
            ("2026-02-19T23:59:59.999Z", None),
            ("2026-02-20T00:00:00Z", Some(PeriodSlot::Preceding)),
            ("2026-02-26T23:59:59.999Z", Some(PeriodSlot::Preceding)),
            ("2026-02-27T00:00:00Z", Some(PeriodSlot::Day(0))),
            ("2026-03-04T23:59:59.999Z", Some(PeriodSlot::Day(5))),
            ("2026-03-05T00:00:00Z", Some(PeriodSlot::Day(6))),
            ("2026-03-05T23:59:59.999Z", Some(PeriodSlot::Day(6))),
            ("2026-03-06T00:00:00Z", None),
        ] {
            assert_eq!(days.place(at(time)), place, "{time}");
        }
    }

    #[test]
    fn today_is_what_the_merchants_calendar_says() {
        for (now, zone, today) in [
            ("2026-01-01T20:00:00Z", "UTC", "2026-01-01"),
            ("2026-01-01T20:00:00Z", "Asia/Tokyo", "2026-01-02"),
            ("2026-01-01T10:30:00Z", "UTC-11:00", "2025-12-31"),
            ("2026-01-01T11:00:00Z", "UTC-11:00", "2026-01-01"),
        ] {
            let last = days(now, zone, 7).iter().last().map(|day| day.date.to_string());
            assert_eq!(last.as_deref(), Some(today), "{now} {zone}");
        }
    }

    #[test]
    fn a_day_has_as_many_hours_as_the_clocks_give_it() {
        for (zone, now, hours) in [
            ("Europe/Stockholm", "2026-03-29T12:00:00Z", 23),
            ("Europe/Stockholm", "2026-10-25T12:00:00Z", 25),
            ("Europe/Stockholm", "2026-06-01T12:00:00Z", 24),
            ("Africa/Cairo", "2026-04-24T12:00:00Z", 23),
            ("UTC+01:00", "2026-03-29T12:00:00Z", 24),
        ] {
            let days = days(now, zone, 7);
            let today = days.iter().last().unwrap();
            let length = days.both_periods().end.duration_since(today.begins);
            assert_eq!(length, SignedDuration::from_hours(hours), "{zone} {now}");
        }
    }

    proptest! {
        #[test]
        fn a_time_is_placed_on_the_date_that_the_clocks_show(
            zone in prop::sample::select(vec![
                "UTC", "Europe/Stockholm", "America/New_York", "Africa/Cairo", "America/Havana", "Asia/Kathmandu",
                "Australia/Lord_Howe", "Pacific/Apia", "UTC-11:30",
            ]),
            count in prop::sample::select(vec![7_u8, 14, 30, 90]),
            now in 1_262_304_000_i64..2_000_000_000,
            back in 0_i64..200 * 86_400,
        ) {
            let zone = time_zone(zone);
            let now = Timestamp::from_second(now).unwrap();
            let time = now - SignedDuration::from_secs(back);
            let days = Days::up_to(now, &zone, count);
            let date = time.to_zoned(zone.clone()).date();
            let shown = days.iter().position(|day| day.date == date);
            match days.place(time) {
                Some(PeriodSlot::Day(position)) => prop_assert_eq!(shown, Some(position)),
                Some(PeriodSlot::Preceding) | None => prop_assert_eq!(shown, None),
            }
            prop_assert!(matches!(days.place(now), Some(PeriodSlot::Day(last)) if last + 1 == usize::from(count)));
        }
    }
}
