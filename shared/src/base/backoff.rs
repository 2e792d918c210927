//! Exponential backoff: how long to wait before the next attempt.

use jiff::{SignedDuration, Timestamp};

use crate::base::random::Random;
use crate::values::later;

/// Delays that double with each attempt, up to a maximum.
///
/// The two kinds of jitter are those of the AWS Architecture Blog's "Exponential Backoff And Jitter".
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    initial: SignedDuration,
    max: SignedDuration,
}

impl Backoff {
    pub const fn new(initial: SignedDuration, max: SignedDuration) -> Self {
        Self { initial, max }
    }

    /// The delay after `retries` retries: `initial × 2^retries`, at most the maximum.
    pub fn delay(self, retries: u32) -> SignedDuration {
        2_i32.checked_pow(retries).map_or(self.max, |factor| self.initial.saturating_mul(factor).min(self.max))
    }

    /// A random part of the delay, so that writers that collided do not collide again.
    pub fn full_jitter(self, retries: u32, random: &Random) -> SignedDuration {
        random_part(self.delay(retries), random)
    }

    /// Half of the delay and a random part of the other half, so that work that failed together does not return
    /// together and yet leaves the failing side alone for a while.
    pub fn equal_jitter(self, retries: u32, random: &Random) -> SignedDuration {
        let half = self.delay(retries) / 2;
        half.saturating_add(random_part(half, random))
    }
}

fn random_part(delay: SignedDuration, random: &Random) -> SignedDuration {
    let milliseconds = u64::try_from(delay.as_millis()).unwrap_or_default();
    SignedDuration::from_millis(random.below(milliseconds).try_into().unwrap_or_default())
}

/// The longest `Retry-After` that is honoured.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// When to retry after a response with `Retry-After: seconds`.
pub fn retry_at(now: Timestamp, retry_after_seconds: u32) -> Timestamp {
    later(now, SignedDuration::from_secs(retry_after_seconds.into()).min(MAX_RETRY_AFTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff::new(SignedDuration::from_secs(10), SignedDuration::from_mins(5));

    fn lowest() -> Random {
        Random::new(|bytes| bytes.fill(0))
    }

    #[test]
    fn delays_double_up_to_the_maximum() {
        let delays = [0, 1, 2, 4, 5, 31, u32::MAX].map(|retries| BACKOFF.delay(retries).as_secs());
        assert_eq!(delays, [10, 20, 40, 160, 300, 300, 300]);
    }

    #[test]
    fn jitter_starts_at_zero_or_at_half_of_the_delay() {
        assert_eq!(BACKOFF.full_jitter(1, &lowest()).as_secs(), 0);
        assert_eq!(BACKOFF.equal_jitter(1, &lowest()).as_secs(), 10);
        for retries in 0..8 {
            assert!(BACKOFF.full_jitter(retries, &Random::system()) < BACKOFF.delay(retries));
            assert!(BACKOFF.equal_jitter(retries, &Random::system()) < BACKOFF.delay(retries));
        }
    }

    #[test]
    fn retry_after_is_capped_at_a_day() {
        let now = Timestamp::UNIX_EPOCH;
        let seconds = |retry_after| retry_at(now, retry_after).duration_since(now).as_secs();
        assert_eq!([seconds(0), seconds(90), seconds(u32::MAX)], [0, 90, 86_400]);
    }
}
