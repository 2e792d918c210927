//! Randomness, injected as a value. No other code in the workspace generates random bytes.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

/// A source of random bytes. Clones share the source.
#[derive(Clone)]
pub struct Random(Arc<Fill>);

type Fill = dyn Fn(&mut [u8]) + Send + Sync;

impl Random {
    /// Returns the operating system's random number generator.
    ///
    /// # Panics
    /// Generating bytes panics if the operating system provides no randomness: ids and tokens would be predictable.
    pub fn system() -> Self {
        #[expect(
            clippy::disallowed_methods,
            clippy::expect_used,
            reason = "the only place that reads the system's random source"
        )]
        Self::new(|bytes| getrandom::fill(bytes).expect("the operating system provides random bytes"))
    }

    /// Creates a source from a function, for tests.
    pub fn new(fill: impl Fn(&mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    /// Returns `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.0)(&mut bytes);
        bytes
    }

    /// Returns a version 7 UUID: sorted by creation time, with 74 random bits.
    pub fn uuid(&self, now: Timestamp) -> Uuid {
        let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(milliseconds, &self.bytes()).into_uuid()
    }

    /// Returns a number in `0..bound`; 0 if `bound` is 0. Slightly biased: use it for jitter, not for secrets.
    pub fn below(&self, bound: u64) -> u64 {
        u64::from_le_bytes(self.bytes()).checked_rem(bound).unwrap_or_default()
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}
