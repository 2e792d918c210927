//! The time, passed in as a value: nothing else in the workspace reads the machine's clock.

use std::fmt;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

/// Where the time comes from. Clones share it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The machine's clock.
    pub fn system() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
        Self::new(Timestamp::now)
    }

    /// A clock that a test turns.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Now, in whole milliseconds: what is stored and shown has no finer part that could get lost on the way.
    pub fn now(&self) -> Timestamp {
        let now = (self.0)();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }

    /// How long ago something started.
    pub fn milliseconds_since(&self, started: Timestamp) -> u64 {
        self.now().duration_since(started).as_millis().try_into().unwrap_or_default()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// `at` plus `by`; `at` itself where the sum lies outside of the calendar.
pub fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(at)
}
