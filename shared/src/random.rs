//! Randomness, passed in as a value, so that nothing else in the workspace makes its own.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

/// Where random bytes come from. Clones share it.
#[derive(Clone)]
pub struct Random(Arc<Fill>);

type Fill = dyn Fn(&mut [u8]) + Send + Sync;

impl Random {
    /// The operating system's source.
    ///
    /// # Panics
    /// Where the system has no randomness to give, nothing that follows could be safe.
    pub fn system() -> Self {
        #[expect(
            clippy::disallowed_methods,
            clippy::expect_used,
            reason = "the one place that asks the system"
        )]
        Self::new(|bytes| getrandom::fill(bytes).expect("the system gives random bytes"))
    }

    /// A source that a test determines.
    pub fn new(fill: impl Fn(&mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    /// `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.0)(&mut bytes);
        bytes
    }

    /// A version 7 UUID: unguessable in its last 74 bits, and in the order of time.
    pub fn uuid(&self, now: Timestamp) -> Uuid {
        let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(milliseconds, &self.bytes()).into_uuid()
    }

    /// A number from 0 up to, and without, `bound`. Even enough for delays; not for secrets.
    pub fn below(&self, bound: u64) -> u64 {
        u64::from_le_bytes(self.bytes()).checked_rem(bound).unwrap_or_default()
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}
