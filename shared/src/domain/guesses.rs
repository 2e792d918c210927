//! Guessed card codes: how many codes that the card network does not know a till or a member can ask for.
//!
//! Only unknown codes count, so that selling and redeeming is never slowed. A till that is over its limit is refused, known
//! codes included. When all tills and members of a merchant together are over theirs, those are refused that have a part in
//! it, so that one of them cannot stop the others.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::limits::{GUESSED_CODES_OF_BYSTANDER, GUESSED_CODES_OF_MERCHANT, GUESSED_CODES_OF_OPERATOR};

const WINDOW: SignedDuration = GUESSED_CODES_OF_OPERATOR.window;
/// Guesses within a minute share a bucket, so that a row has at most ten.
const BUCKET: SignedDuration = SignedDuration::from_mins(1);

/// The recent guesses of one till or member, or of all of a merchant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guesses {
    /// Oldest first.
    #[serde(default)]
    buckets: Vec<Bucket>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Bucket {
    began_at: Timestamp,
    count: u32,
}

impl Guesses {
    /// The guesses with one more.
    #[must_use]
    pub fn with_one_at(&self, now: Timestamp) -> Self {
        let mut buckets: Vec<Bucket> = self.recent(now).copied().collect();
        match buckets.last_mut().filter(|last| now.duration_since(last.began_at) < BUCKET) {
            Some(last) => last.count = last.count.saturating_add(1),
            None => buckets.push(Bucket { began_at: now, count: 1 }),
        }
        Self { buckets }
    }

    /// When the last guess no longer counts. `None` without guesses.
    pub fn over_at(&self) -> Option<Timestamp> {
        self.buckets.last().and_then(|last| last.began_at.checked_add(WINDOW).ok())
    }

    fn recent(&self, now: Timestamp) -> impl Iterator<Item = &Bucket> {
        self.buckets.iter().filter(move |bucket| now.duration_since(bucket.began_at) < WINDOW)
    }

    /// The time until fewer than `max` guesses count. `None` if that is so already.
    fn wait_until_fewer_than(&self, max: usize, now: Timestamp) -> Option<SignedDuration> {
        let mut count = self.recent(now).fold(0_u32, |sum, bucket| sum.saturating_add(bucket.count));
        let mut wait = None;
        for bucket in self.recent(now) {
            if (count as usize) < max {
                break;
            }
            count = count.saturating_sub(bucket.count);
            // Another instance's clock can be ahead, so that a guess seems to be in the future.
            wait = Some((WINDOW - now.duration_since(bucket.began_at)).min(WINDOW));
        }
        wait
    }
}

/// How long a till or member has to wait before it can look up or redeem a card. `None` if it does not.
pub fn wait(caller: &Guesses, merchant: &Guesses, now: Timestamp) -> Option<SignedDuration> {
    let for_itself = caller.wait_until_fewer_than(GUESSED_CODES_OF_OPERATOR.max_calls, now);
    let for_merchant = merchant.wait_until_fewer_than(GUESSED_CODES_OF_MERCHANT.max_calls, now);
    // Either is enough: the merchant's guesses are below their limit, or its own are few.
    let together = for_merchant.zip(caller.wait_until_fewer_than(GUESSED_CODES_OF_BYSTANDER.max_calls + 1, now));
    for_itself.max(together.map(|(merchant, own)| merchant.min(own)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + second).unwrap()
    }

    fn guesses(seconds: impl IntoIterator<Item = i64>) -> Guesses {
        seconds.into_iter().fold(Guesses::default(), |guesses, second| guesses.with_one_at(at(second)))
    }

    fn seconds(wait: Option<SignedDuration>) -> Option<i64> {
        wait.map(|wait| wait.as_secs())
    }

    #[test]
    fn a_caller_is_refused_from_its_60th_guess_until_the_window_has_passed() {
        let none = Guesses::default();
        assert_eq!(wait(&none, &none, at(0)), None);
        assert_eq!(wait(&guesses(vec![0; 59]), &none, at(1)), None);
        let sixty = guesses(vec![0; 60]);
        for (second, expected) in [(0, Some(600)), (1, Some(599)), (599, Some(1)), (600, None)] {
            assert_eq!(seconds(wait(&sixty, &none, at(second))), expected, "{second}");
        }
        // The 20 of the second minute are fewer than 60 as soon as those of the first one are over.
        let spread = guesses([vec![0; 50], vec![90; 20]].concat());
        assert_eq!(seconds(wait(&spread, &none, at(100))), Some(500));
    }

    #[test]
    fn a_merchant_over_its_limit_refuses_those_with_more_than_five() {
        let merchant = guesses(vec![0; 600]);
        for (own, below, above) in [(0, None, None), (5, None, None), (6, None, Some(590)), (59, None, Some(590))] {
            let caller = guesses(vec![0; own]);
            assert_eq!(seconds(wait(&caller, &guesses(vec![0; 599]), at(10))), below, "{own}");
            assert_eq!(seconds(wait(&caller, &merchant, at(10))), above, "{own}");
        }
        // The own guesses are over first, or the merchant's.
        assert_eq!(seconds(wait(&guesses(vec![0; 6]), &guesses(vec![60; 600]), at(60))), Some(540));
        assert_eq!(seconds(wait(&guesses(vec![60; 6]), &merchant, at(60))), Some(540));
    }

    #[test]
    fn a_guess_of_another_clock_makes_nobody_wait_longer_than_the_window() {
        assert_eq!(seconds(wait(&guesses(vec![30; 60]), &Guesses::default(), at(0))), Some(600));
    }

    proptest! {
        #[test]
        fn a_row_is_small_and_the_wait_is_exact(
            max in 1..80_usize, pauses in prop::collection::vec(0..100_i64, 1..400),
        ) {
            let (mut guesses, mut second) = (Guesses::default(), 0);
            for pause in pauses {
                second += pause / 10;
                guesses = guesses.with_one_at(at(second));
                prop_assert!(guesses.buckets.len() <= 10);
            }
            if let Some(wait) = guesses.wait_until_fewer_than(max, at(second)) {
                let end = second + wait.as_secs();
                prop_assert!(wait.is_positive() && guesses.wait_until_fewer_than(max, at(end)).is_none());
                prop_assert!(guesses.wait_until_fewer_than(max, at(end - 1)).is_some());
            }
            prop_assert_eq!(guesses.wait_until_fewer_than(1, at(second)).map(|_| true), Some(true));
            prop_assert!(guesses.over_at().is_some_and(|end| guesses.wait_until_fewer_than(1, end).is_none()));
        }
    }
}
