//! Terms of an offer: what limits its sale. One that is there and cannot be read is never taken for one that is absent.

use std::fmt::Display;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

use crate::values::{Dates, Span, parse_date};

/// A field of an offer that can limit its sale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term<T> {
    /// It is missing, null or blank.
    Absent,
    Read(T),
    Unreadable {
        /// As the card network wrote it.
        text: String,
        problem: SaleProblem,
    },
}

/// Why an offer is not sold, whoever asks: a sentence that begins with the name of the field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SaleProblem(String);

impl SaleProblem {
    /// `reason` continues the name of the field: `must be a decimal number`.
    pub fn new(field: &str, reason: impl Display) -> Self {
        Self(format!("{field}: {reason}."))
    }
}

impl<T> Term<T> {
    /// The limit of a sale, `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if there is a limit that nobody can read: nothing is sold then.
    pub fn limit(&self) -> Result<Option<&T>, SaleProblem> {
        match self {
            Self::Absent => Ok(None),
            Self::Read(value) => Ok(Some(value)),
            Self::Unreadable { problem, .. } => Err(problem.clone()),
        }
    }

    /// What to show of it, which says nothing about a sale.
    pub fn shown(self) -> Option<T> {
        match self {
            Self::Read(value) => Some(value),
            Self::Absent | Self::Unreadable { .. } => None,
        }
    }
}

impl<T: Display> Term<T> {
    /// What to show of a text, also if it is unreadable.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Absent => None,
            Self::Read(value) => Some(value.to_string()),
            Self::Unreadable { text, .. } => Some(text.clone()),
        }
    }
}

/// When the sale of an offer begins or ends, as the card network wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurchaseTime {
    text: String,
    time: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Time {
    Moment(Timestamp),
    /// All of it, in the merchant's time zone.
    Day(Date),
}

impl PurchaseTime {
    /// The moment as the beginning of a sale.
    pub fn beginning(&self, zone: &TimeZone) -> Timestamp {
        match self.time {
            Time::Moment(moment) => moment,
            Time::Day(date) => day(date, zone).start,
        }
    }

    /// The moment as the end of a sale, which is no longer part of it.
    pub fn end(&self, zone: &TimeZone) -> Timestamp {
        match self.time {
            Time::Moment(moment) => moment,
            Time::Day(date) => day(date, zone).end,
        }
    }
}

impl Display for PurchaseTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The text is neither a time nor a date of ISO 8601.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be a date or a time in ISO 8601, such as 2026-12-31 or 2026-12-31T18:00:00Z")]
pub struct NoPurchaseTime;

impl FromStr for PurchaseTime {
    type Err = NoPurchaseTime;

    fn from_str(text: &str) -> Result<Self, NoPurchaseTime> {
        let time = text.trim();
        let time = parse_date(time).map(Time::Day).or_else(|| moment(time).map(Time::Moment));
        time.map(|time| Self { text: text.to_owned(), time }).ok_or(NoPurchaseTime)
    }
}

fn day(date: Date, zone: &TimeZone) -> Span<Timestamp> {
    Dates { from: Some(date), to: Some(date) }.span(zone)
}

/// `24:00` is the next midnight.
fn moment(text: &str) -> Option<Timestamp> {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    let Some((date, rest)) = text.split_once("T24") else { return instant(text) };
    let time = rest.split(['Z', '+', '-']).next().unwrap_or_default();
    let is_midnight = time.chars().all(|character| matches!(character, '0' | ':' | '.' | ','));
    let midnight = instant(&format!("{date}T00{rest}")).filter(|_| is_midnight)?;
    Some(midnight.checked_add(DAY).unwrap_or(Timestamp::MAX))
}

/// Without a time zone, it is in UTC.
fn instant(text: &str) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok().filter(|pieces| pieces.time_zone_annotation().is_none())?;
    let offset = pieces.to_numeric_offset().unwrap_or(Offset::UTC);
    // The last hours of the year 9999, in which many sales end, are beyond the last moment.
    Some(offset.to_timestamp(pieces.date().to_datetime(pieces.time()?)).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::time_zone;

    #[test]
    fn a_time_is_a_moment_and_a_date_is_a_day_of_the_merchants_zone() {
        for (text, zone, beginning, end) in [
            ("2026-11-27", "Europe/Stockholm", "2026-11-26T23:00:00Z", "2026-11-27T23:00:00Z"),
            (" 2026-11-27 ", "UTC", "2026-11-27T00:00:00Z", "2026-11-28T00:00:00Z"),
            ("2026-03-29", "Europe/Stockholm", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
            ("2026-11-27", "UTC-08:00", "2026-11-27T08:00:00Z", "2026-11-28T08:00:00Z"),
            ("2026-11-27T10:00:00", "Europe/Stockholm", "2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z"),
            ("2026-11-27 10:00", "Europe/Stockholm", "2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z"),
            ("2026-11-27T10:00:00+02:00", "UTC", "2026-11-27T08:00:00Z", "2026-11-27T08:00:00Z"),
            ("2020-12-31T24:00:00Z", "Asia/Tokyo", "2021-01-01T00:00:00Z", "2021-01-01T00:00:00Z"),
            ("2020-12-31T24:00", "Asia/Tokyo", "2021-01-01T00:00:00Z", "2021-01-01T00:00:00Z"),
            ("2020-12-31T24:00:00.000+01:00", "UTC", "2020-12-31T23:00:00Z", "2020-12-31T23:00:00Z"),
            ("9999-12-31T23:59:59Z", "UTC", "9999-12-30T22:00:00.999999999Z", "9999-12-30T22:00:00.999999999Z"),
            ("9999-12-31", "UTC", "9999-12-30T22:00:00.999999999Z", "9999-12-30T22:00:00.999999999Z"),
        ] {
            let (time, zone): (PurchaseTime, _) = (text.parse().unwrap(), time_zone(zone));
            let at = |time: &str| time.parse::<Timestamp>().unwrap();
            assert_eq!((time.beginning(&zone), time.end(&zone)), (at(beginning), at(end)), "{text}");
            assert_eq!(time.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_time_is_not_guessed() {
        let texts = "31/12/2020 01/12/2030 1609372800 20201231 soon 2020-12-31T24:00:01Z 2020-12-31T24:30Z 2020-12-31T25:00Z \
                     2020-02-30 2020-02-30T10:00:00Z 2020-12 10:00 2026-11-27T10:00[Europe/Stockholm] T24 null";
        for text in texts.split(' ') {
            assert_eq!(text.parse::<PurchaseTime>(), Err(NoPurchaseTime), "{text}");
        }
    }
}
