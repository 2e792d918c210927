//! The period that a report covers, in days of the merchant's time zone.

use jiff::civil::Date;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;
use utoipa::ToSchema;

use crate::values::span::Span;

/// Parses a merchant's time zone: an IANA name, or a fixed offset such as `UTC+05:30`. Defaults to UTC.
pub fn time_zone(name: &str) -> TimeZone {
    let name = name.trim();
    fixed_offset(name).or_else(|| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC)
}

pub fn is_time_zone(name: &str) -> bool {
    fixed_offset(name).is_some() || TimeZone::get(name).is_ok_and(|zone| !zone.is_unknown())
}

/// Parses `UTC±HH:MM`. The offset must be less than a day.
fn fixed_offset(name: &str) -> Option<TimeZone> {
    const LENGTH: usize = "UTC+HH:MM".len();
    const DAY: i32 = 24 * 60 * 60;
    let offset = strtime::parse("UTC%:z", name).ok()?.offset().filter(|_| name.len() == LENGTH)?;
    (offset.seconds().abs() < DAY).then(|| TimeZone::fixed(offset))
}

/// A calendar day: `{dateKey: "2026-11-05", dateLabel: "5 Nov"}`.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Day {
    /// The calendar day, in the merchant's time zone.
    #[serde(rename = "dateKey")]
    pub date: Date,
    /// The day for people, such as `5 Nov`.
    #[serde(rename = "dateLabel")]
    pub label: String,
    #[serde(skip)]
    starts_at: Timestamp,
}

impl Day {
    fn new(date: Date, zone: &TimeZone) -> Self {
        Self { date, label: date.strftime("%-d %b").to_string(), starts_at: start_of_day(date, zone) }
    }
}

/// A period of days that ends today, and the preceding period of the same length.
#[derive(Debug, Clone)]
pub struct ReportPeriod {
    /// Start of the preceding period.
    start: Timestamp,
    /// The days of the period, oldest first.
    days: Vec<Day>,
    /// End of today, exclusive.
    end: Timestamp,
}

/// The part of a report that a timestamp belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodSlot {
    /// The preceding period.
    Preceding,
    /// A day of the period, as a zero-based index.
    Day(usize),
}

impl ReportPeriod {
    /// Returns the period of `count` days that ends with the day of `now` in `zone`.
    pub fn ending_at(now: Timestamp, zone: &TimeZone, count: u8) -> Self {
        let today = now.to_zoned(zone.clone()).date();
        let days_ago = |days: i64| today.saturating_sub(days.days());
        let count = i64::from(count);
        Self {
            start: start_of_day(days_ago(2 * count - 1), zone),
            days: (0..count).rev().map(|days| Day::new(days_ago(days), zone)).collect(),
            end: start_of_day(days_ago(-1), zone),
        }
    }

    /// Returns the range from the start of the preceding period to the end of today.
    pub fn range_with_preceding(&self) -> Span<Timestamp> {
        self.start..self.end
    }

    /// Returns the range from the start of the period to the end of today.
    pub fn range(&self) -> Span<Timestamp> {
        self.days.first().map_or(self.end, |day| day.starts_at)..self.end
    }

    /// Iterates over the days of the period, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Day> {
        self.days.iter()
    }

    /// Returns the slot of a timestamp, or `None` if it is outside both periods.
    pub fn slot(&self, time: Timestamp) -> Option<PeriodSlot> {
        if !self.range_with_preceding().contains(&time) {
            return None;
        }
        let started = self.days.partition_point(|day| day.starts_at <= time);
        Some(started.checked_sub(1).map_or(PeriodSlot::Preceding, PeriodSlot::Day))
    }

    /// Returns `true` if a timestamp is in the period itself.
    pub fn contains(&self, time: Timestamp) -> bool {
        matches!(self.slot(time), Some(PeriodSlot::Day(_)))
    }
}

/// Returns the first instant of a day: midnight, or the end of the gap if a daylight saving transition skips midnight.
pub(super) fn start_of_day(date: Date, zone: &TimeZone) -> Timestamp {
    // Fails only for dates outside jiff's range, thousands of years from now.
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

    fn period(now: &str, zone: &str, count: u8) -> ReportPeriod {
        ReportPeriod::ending_at(at(now), &time_zone(zone), count)
    }

    #[test]
    fn accepts_iana_names_and_fixed_offsets_and_defaults_to_utc() {
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
    fn the_period_ends_today_and_follows_the_preceding_period() {
        let period = period("2026-03-05T12:00:00Z", "UTC", 7);
        assert_eq!(period.range_with_preceding(), at("2026-02-20T00:00:00Z")..at("2026-03-06T00:00:00Z"));
        let listed: Vec<_> = period.iter().map(|day| (day.date.to_string(), day.label.as_str())).collect();
        assert_eq!(listed.first(), Some(&("2026-02-27".to_owned(), "27 Feb")));
        assert_eq!(listed.last(), Some(&("2026-03-05".to_owned(), "5 Mar")));
        assert_eq!(listed.len(), 7);
    }

    #[test]
    fn assigns_timestamps_to_days_and_periods() {
        let period = period("2026-03-05T12:00:00Z", "UTC", 7);
        for (time, slot) in [
            ("2026-02-19T23:59:59.999Z", None),
            ("2026-02-20T00:00:00Z", Some(PeriodSlot::Preceding)),
            ("2026-02-26T23:59:59.999Z", Some(PeriodSlot::Preceding)),
            ("2026-02-27T00:00:00Z", Some(PeriodSlot::Day(0))),
            ("2026-03-04T23:59:59.999Z", Some(PeriodSlot::Day(5))),
            ("2026-03-05T00:00:00Z", Some(PeriodSlot::Day(6))),
            ("2026-03-05T23:59:59.999Z", Some(PeriodSlot::Day(6))),
            ("2026-03-06T00:00:00Z", None),
        ] {
            assert_eq!(period.slot(at(time)), slot, "{time}");
        }
    }

    #[test]
    fn today_depends_on_the_time_zone() {
        for (now, zone, today) in [
            ("2026-01-01T20:00:00Z", "UTC", "2026-01-01"),
            ("2026-01-01T20:00:00Z", "Asia/Tokyo", "2026-01-02"),
            ("2026-01-01T10:30:00Z", "UTC-11:00", "2025-12-31"),
            ("2026-01-01T11:00:00Z", "UTC-11:00", "2026-01-01"),
        ] {
            let last = period(now, zone, 7).iter().last().map(|day| day.date.to_string());
            assert_eq!(last.as_deref(), Some(today), "{now} {zone}");
        }
    }

    #[test]
    fn days_with_a_daylight_saving_transition_have_23_or_25_hours() {
        for (zone, now, hours) in [
            ("Europe/Stockholm", "2026-03-29T12:00:00Z", 23),
            ("Europe/Stockholm", "2026-10-25T12:00:00Z", 25),
            ("Europe/Stockholm", "2026-06-01T12:00:00Z", 24),
            ("Africa/Cairo", "2026-04-24T12:00:00Z", 23),
            ("UTC+01:00", "2026-03-29T12:00:00Z", 24),
        ] {
            let period = period(now, zone, 7);
            let today = period.iter().last().unwrap();
            let length = period.range_with_preceding().end.duration_since(today.starts_at);
            assert_eq!(length, SignedDuration::from_hours(hours), "{zone} {now}");
        }
    }

    proptest! {
        #[test]
        fn a_timestamp_belongs_to_its_local_date(
            zone in prop::sample::select(vec![
                "UTC", "Europe/Stockholm", "America/New_York", "Africa/Cairo", "America/Havana", "Asia/Kathmandu",
                "Australia/Lord_Howe", "Pacific/Apia", "UTC-11:30",
            ]),
            count in prop::sample::select(vec![7_u8, 14, 30, 90]),
            now in 1_262_304_000_i64..2_000_000_000,
            seconds_ago in 0_i64..200 * 86_400,
        ) {
            let zone = time_zone(zone);
            let now = Timestamp::from_second(now).unwrap();
            let time = now - SignedDuration::from_secs(seconds_ago);
            let period = ReportPeriod::ending_at(now, &zone, count);
            let date = time.to_zoned(zone.clone()).date();
            let expected = period.iter().position(|day| day.date == date);
            match period.slot(time) {
                Some(PeriodSlot::Day(index)) => prop_assert_eq!(expected, Some(index)),
                Some(PeriodSlot::Preceding) | None => prop_assert_eq!(expected, None),
            }
            prop_assert!(matches!(period.slot(now), Some(PeriodSlot::Day(last)) if last + 1 == usize::from(count)));
        }
    }
}
