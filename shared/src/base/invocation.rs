//! One invocation of a function: its request id and its time budget.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::base::clock::Clock;
use crate::values::{MerchantId, later};

/// Clones share the counter of upstream time, and the merchant.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub request_id: String,
    pub deadline: Timestamp,
    clock: Clock,
    upstream_milliseconds: Arc<AtomicU64>,
    merchant: Arc<OnceLock<MerchantId>>,
}

/// The maximum response time, however long the function's own timeout is.
const MAX_TIME: SignedDuration = SignedDuration::from_millis(14_500);
/// The part of the function's time that is left for Lambda to return the response.
const RESERVE: SignedDuration = SignedDuration::from_millis(500);

impl Invocation {
    /// An invocation with the maximum time.
    pub fn new(clock: &Clock, request_id: String) -> Self {
        let deadline = later(clock.now(), MAX_TIME);
        Self { request_id, deadline, clock: clock.clone(), upstream_milliseconds: Arc::default(), merchant: Arc::default() }
    }

    /// The invocation with the time that remains until Lambda stops the function, if that is less.
    #[must_use]
    pub fn until(mut self, function_deadline: Timestamp) -> Self {
        self.deadline = self.deadline.min(later(function_deadline, -RESERVE));
        self
    }

    pub fn time_left(&self) -> Duration {
        Duration::try_from(self.deadline.duration_since(self.clock.now())).unwrap_or_default()
    }

    /// Remembers the merchant of the session that the response is for.
    pub fn set_merchant(&self, id: &MerchantId) {
        self.merchant.get_or_init(|| id.clone());
    }

    /// The merchant of the session that the response is for. `None` without a session, or without a merchant.
    pub fn merchant(&self) -> Option<&MerchantId> {
        self.merchant.get()
    }

    /// Awaits an upstream call and returns its duration in milliseconds with its result.
    pub async fn wait_for<T>(&self, call: impl Future<Output = T>) -> (T, u64) {
        let started = self.clock.now();
        let result = call.await;
        let milliseconds = self.clock.milliseconds_since(started);
        self.upstream_milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
        (result, milliseconds)
    }

    /// The sum of all upstream calls. Concurrent calls count separately.
    pub fn upstream_milliseconds(&self) -> u64 {
        self.upstream_milliseconds.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(milliseconds: &Arc<AtomicU64>) -> Clock {
        let milliseconds = milliseconds.clone();
        Clock::new(move || Timestamp::from_millisecond(milliseconds.load(Ordering::Relaxed).cast_signed()).unwrap())
    }

    #[tokio::test]
    async fn upstream_time_adds_up_over_clones() {
        let now = Arc::new(AtomicU64::new(0));
        let invocation = Invocation::new(&clock(&now), "r".to_owned());
        for (waiting, milliseconds) in [(&invocation, 30), (&invocation.clone(), 12)] {
            let call = async { now.fetch_add(milliseconds, Ordering::Relaxed) };
            assert_eq!(waiting.wait_for(call).await.1, milliseconds);
        }
        assert_eq!(invocation.upstream_milliseconds(), 42);
    }

    #[test]
    fn the_deadline_is_that_of_the_function_or_the_maximum() {
        let now = Arc::new(AtomicU64::new(1_000));
        for (function_deadline, time_left) in [(11_000, 9_500), (60_000, 14_500), (0, 0)] {
            let invocation =
                Invocation::new(&clock(&now), "r".to_owned()).until(Timestamp::from_millisecond(function_deadline).unwrap());
            assert_eq!(invocation.time_left(), Duration::from_millis(time_left), "{function_deadline}");
        }
    }
}
