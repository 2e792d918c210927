//! The clock, injected as a value. No other code in the workspace reads the system clock.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A source of the current time. Clones share the source.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// Returns the system clock.
    pub fn system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
        Self::new(Timestamp::now)
    }

    /// Creates a clock from a function, for tests.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns the current time, truncated to milliseconds so that it survives a round trip through the store and JSON.
    pub fn now(&self) -> Timestamp {
        let now = (self.0)();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// Returns the elapsed time since `start`; 0 if `start` is in the future.
    pub fn milliseconds_since(&self, start: Timestamp) -> u64 {
        self.now().duration_since(start).as_millis().try_into().unwrap_or_default()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// A time as ISO 8601 text that sorts by time: in UTC, always with three decimals of a second.
pub fn iso_8601(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_sort_as_text() {
        let text = |time: &str| iso_8601(time.parse().unwrap());
        assert_eq!(text("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00.000Z");
        assert_eq!(text("2026-01-01T02:00:00.1+02:00"), "2026-01-01T00:00:00.100Z");
        assert!(text("2026-01-01T00:00:00Z") < text("2026-01-01T00:00:00.001Z"));
        assert!(text("2026-01-01T00:00:00.999Z") < text("2026-01-01T00:00:01Z"));
    }
}
