//! Spans of time. A range of keys is a [`Range`](crate::db::Range).

use jiff::{SignedDuration, Timestamp};

/// A span of time or of days, from its start to before its end.
pub type Span<T> = std::ops::Range<T>;

/// `at` plus `by`; `at` itself where the sum lies outside of the calendar.
pub fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(at)
}
