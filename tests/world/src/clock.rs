use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use shared::base::clock::Clock;

/// A clock that moves only when a test advances it. Clones share the time.
#[derive(Debug, Clone)]
pub struct ManualClock {
    /// Milliseconds since the Unix epoch.
    now: Arc<AtomicI64>,
}

impl ManualClock {
    pub fn new(now: Timestamp) -> Self {
        Self { now: Arc::new(AtomicI64::new(now.as_millisecond())) }
    }

    /// Starts at an RFC 3339 timestamp.
    pub fn at(time: &str) -> Self {
        Self::new(time.parse().unwrap())
    }

    /// Returns a clock that shows this time.
    pub fn clock(&self) -> Clock {
        self.clock_ahead(0)
    }

    /// Returns a clock that is ahead of this time by a number of milliseconds.
    pub fn clock_ahead(&self, milliseconds: i64) -> Clock {
        let now = self.now.clone();
        Clock::new(move || Timestamp::from_millisecond(now.load(Ordering::SeqCst) + milliseconds).unwrap())
    }

    pub fn advance(&self, seconds: i64) {
        self.advance_milliseconds(seconds * 1_000);
    }

    pub fn advance_milliseconds(&self, milliseconds: i64) {
        self.now.fetch_add(milliseconds, Ordering::SeqCst);
    }
}
