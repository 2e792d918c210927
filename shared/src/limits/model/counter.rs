//! Counters: what counts towards a limit, and until when.
//!
//! A counter is a sum and its buckets. A bucket is what stops counting at the same time. Whatever is limited is *reserved*: it is added
//! to the sum and to a bucket, on condition that the sum stays within the limit, before it is done. It is given back if it turns out not
//! to count, and otherwise stops counting with its bucket, also if whoever reserved it has died. The sum includes buckets that have ended
//! until they are removed, so that one condition on it decides, however many reserve at the same moment.
//!
//! What counts only by its outcome, such as a look-up of a card, is reserved as an *attempt*, in a bucket that ends soon.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{GuessLimits, RateLimit, UsedUp};

/// How long an attempt counts that is never given back: longer than any invocation of a function with routes.
const ATTEMPT_LIFETIME: SignedDuration = SignedDuration::from_secs(30);
const ATTEMPT_BUCKET_MILLISECONDS: i64 = 1_000;
/// The wait of who is refused because of attempts that may all turn out not to count.
const ATTEMPT_WAIT: SignedDuration = SignedDuration::from_secs(1);
/// Up to this limit, a window is exact: what is counted at different times has different buckets.
const MAX_EXACT: u32 = 200;
/// Above it, what is counted within a twentieth of the window stops counting with the last of it.
const BUCKETS_PER_WINDOW: i64 = 20;

/// What stops counting at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bucket {
    /// In milliseconds since 1970.
    ends_at: i64,
    is_attempt: bool,
}

impl Bucket {
    /// Of what is counted now.
    pub fn counted(limit: &RateLimit, now: Timestamp) -> Self {
        Self { ends_at: end(now, limit.window, length(limit)), is_attempt: false }
    }

    /// Of attempts that begin now.
    pub fn of_attempt(now: Timestamp) -> Self {
        Self { ends_at: end(now, ATTEMPT_LIFETIME, ATTEMPT_BUCKET_MILLISECONDS), is_attempt: true }
    }

    /// The attribute of a row that has its count.
    pub fn name(self) -> String {
        format!("{}{}", if self.is_attempt { "attempts_until_" } else { "until_" }, self.ends_at)
    }

    /// `None` if it is another attribute.
    pub fn parse(name: &str) -> Option<Self> {
        let attempt = name.strip_prefix("attempts_until_");
        let ends_at = attempt.or_else(|| name.strip_prefix("until_"))?.parse().ok()?;
        Some(Self { ends_at, is_attempt: attempt.is_some() })
    }

    fn has_ended(self, now: Timestamp) -> bool {
        self.ends_at <= now.as_millisecond()
    }
}

/// The length of the buckets of a limit, in milliseconds.
fn length(limit: &RateLimit) -> i64 {
    let window = i64::try_from(limit.window.as_millis()).unwrap_or(i64::MAX);
    if limit.max <= MAX_EXACT { 1 } else { window / BUCKETS_PER_WINDOW }
}

/// The end of a bucket of this length in which something that lasts this long ends: at the same time or later, in milliseconds.
fn end(now: Timestamp, lasts: SignedDuration, length: i64) -> i64 {
    let exact = now.as_millisecond().saturating_add(lasts.as_millis().try_into().unwrap_or(i64::MAX));
    exact.saturating_add(length - 1).div_euclid(length).saturating_mul(length)
}

/// The counts of the buckets of a row, earliest end first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counter(BTreeMap<Bucket, u32>);

impl FromIterator<(Bucket, u32)> for Counter {
    fn from_iter<T: IntoIterator<Item = (Bucket, u32)>>(buckets: T) -> Self {
        Self(buckets.into_iter().collect())
    }
}

impl Counter {
    /// What counts now, attempts included.
    pub fn sum(&self, now: Timestamp) -> u32 {
        self.current(now).fold(0, |sum, (_, count)| sum.saturating_add(count))
    }

    /// The buckets that have ended.
    pub fn ended(&self, now: Timestamp) -> impl Iterator<Item = Bucket> {
        self.0.keys().copied().filter(move |bucket| bucket.has_ended(now))
    }

    fn current(&self, now: Timestamp) -> impl Iterator<Item = (Bucket, u32)> {
        self.0.iter().map(|(bucket, count)| (*bucket, *count)).filter(move |(bucket, _)| !bucket.has_ended(now))
    }

    /// The time until this much more is within the limit. `None` if it is already.
    pub fn wait(&self, limit: &RateLimit, cost: u32, now: Timestamp) -> Option<SignedDuration> {
        let is_within = |sum: u32| sum.saturating_add(cost) <= limit.max;
        if is_within(self.sum(now)) {
            return None;
        }
        let counted = || self.current(now).filter(|(bucket, _)| !bucket.is_attempt);
        let mut left = counted().fold(0_u32, |sum, (_, count)| sum.saturating_add(count));
        let mut wait = ATTEMPT_WAIT;
        for (bucket, count) in counted() {
            if is_within(left) {
                break;
            }
            left = left.saturating_sub(count);
            wait = SignedDuration::from_millis(bucket.ends_at - now.as_millisecond());
        }
        // Another instance's clock can be ahead, so that its buckets seem to end too late.
        Some(wait.min(limit.window + SignedDuration::from_millis(length(limit) - 1)))
    }
}

/// The limit on unknown codes of one who asks, by the counter of the merchant. Nobody is answered where that is an error.
pub fn limit_of_guesses(limits: &GuessLimits, merchant: &Counter, now: Timestamp) -> Result<RateLimit, UsedUp> {
    let stopped = limits.stop.and_then(|limit| Some(UsedUp { limit, wait: merchant.wait(&limit, 1, now)? }));
    let is_reached = merchant.wait(&limits.merchant, 1, now).is_some();
    stopped.map_or(Ok(if is_reached { limits.bystander } else { limits.own }), Err)
}

/// The refusal of one who asks. If it is because of the merchant, waiting for either is enough: its own guesses are few again, or
/// those of the merchant are.
pub fn refused_guess(limits: &GuessLimits, own: UsedUp, merchant: &Counter, now: Timestamp) -> UsedUp {
    let of_merchant = merchant.wait(&limits.merchant, 1, now);
    let is_bystander = own.limit == limits.bystander;
    let wait = of_merchant.filter(|_| is_bystander).map_or(own.wait, |wait| wait.min(own.wait));
    UsedUp { wait, ..own }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::model::{
        CODES_OF_BYSTANDING_CLIENT, CODES_OF_CLIENT, CODES_THAT_STOP_BALANCES, GUESSED_CODES_OF_BYSTANDER,
        GUESSED_CODES_OF_MERCHANT, GUESSED_CODES_OF_OPERATOR, GUESSES_AT_TILLS, GUESSES_OF_HOLDERS, ONBOARDING_CHECKS_OF_ADDRESS,
        SEARCHES,
    };

    fn at(millisecond: i64) -> Timestamp {
        Timestamp::from_millisecond(1_780_000_000_000 + millisecond).unwrap()
    }

    /// A row, and what the conditional writes do to it.
    #[derive(Default)]
    struct Row {
        sum: u32,
        counter: Counter,
    }

    impl Row {
        fn reserve(&mut self, limit: &RateLimit, bucket: Bucket, now: Timestamp) -> Result<(), SignedDuration> {
            if self.sum >= limit.max {
                self.counter.wait(limit, 1, now).map_or(Ok(()), Err)?;
                self.counter.0.retain(|bucket, _| !bucket.has_ended(now));
                self.sum = self.counter.sum(now);
            }
            self.add(bucket);
            Ok(())
        }

        fn add(&mut self, bucket: Bucket) {
            self.sum += 1;
            *self.counter.0.entry(bucket).or_default() += 1;
        }

        fn take_out(&mut self, bucket: Bucket) {
            if let Some(count) = self.counter.0.get_mut(&bucket).filter(|count| **count > 0) {
                *count -= 1;
                self.sum -= 1;
            }
        }
    }

    /// A merchant with tills. Times are in milliseconds.
    #[derive(Default)]
    struct Shop {
        merchant: Row,
        tills: Vec<Row>,
        /// The end of each look-up: its time, its till, its bucket, and whether the code is unknown.
        look_ups: Vec<(i64, usize, Bucket, bool)>,
    }

    impl Shop {
        fn look_up(&mut self, till: usize, now: i64, takes: i64, is_unknown: bool) -> Result<(), SignedDuration> {
            let limit = limit_of_guesses(&GUESSES_AT_TILLS, &self.merchant.counter, at(now)).unwrap();
            let bucket = Bucket::of_attempt(at(now));
            self.tills[till].reserve(&limit, bucket, at(now))?;
            self.look_ups.push((now + takes, till, bucket, is_unknown));
            Ok(())
        }

        /// Ends the look-ups whose time has come. Those for which `is_lost` is true are not given back.
        fn end(&mut self, now: i64, mut is_lost: impl FnMut() -> bool) {
            for (_, till, bucket, is_unknown) in self.look_ups.extract_if(.., |(end, ..)| *end <= now) {
                if is_unknown {
                    self.tills[till].take_out(bucket);
                    self.tills[till].add(Bucket::counted(&GUESSED_CODES_OF_OPERATOR, at(now)));
                    self.merchant.add(Bucket::counted(&GUESSED_CODES_OF_MERCHANT, at(now)));
                } else if !is_lost() {
                    self.tills[till].take_out(bucket);
                }
            }
        }
    }

    /// Ten look-ups a second of known codes, a slow network, a minute and a half of time-outs, and each twentieth reservation lost.
    #[test]
    fn a_busy_till_is_refused_for_a_second_at_most() {
        let mut shop = Shop { tills: vec![Row::default()], ..Shop::default() };
        let (mut ended, mut refused_since) = (0, None);
        for now in (0..600_000).step_by(100) {
            shop.end(now, || {
                ended += 1;
                ended % 20 == 0
            });
            let takes = if (120_000..210_000).contains(&now) { 4_000 } else { 3_000 };
            match shop.look_up(0, now, takes, false) {
                Ok(()) => refused_since = None,
                Err(wait) => {
                    let since = *refused_since.get_or_insert(now);
                    assert!(wait <= ATTEMPT_WAIT && now - since < 1_000, "{wait:?} at {now}, refused since {since}");
                }
            }
        }
        assert!(ended > 5_900, "{ended}");
    }

    #[test]
    fn a_hundred_tills_do_not_block_each_other_whatever_some_guess() {
        let mut shop = Shop { tills: (0..100).map(|_| Row::default()).collect(), ..Shop::default() };
        let mut guesses = vec![Vec::new(); 100];
        for now in (0..1_800_000).step_by(100) {
            shop.end(now, || false);
            let second = now / 1_000;
            for (till, guesses) in guesses.iter_mut().enumerate() {
                let is_hostile = till < 20;
                let is_due = now % 1_000 == 0 || is_hostile;
                // Others mistype five codes in ten minutes.
                let is_unknown = is_hostile || second % 120 == i64::try_from(till).unwrap();
                if !is_due {
                    continue;
                }
                match shop.look_up(till, now, 500, is_unknown) {
                    Ok(()) if is_unknown => guesses.push(now),
                    Ok(()) => {}
                    Err(wait) => assert!(is_hostile, "till {till} at {now}: {wait:?}"),
                }
            }
        }
        for (till, guesses) in guesses.iter().enumerate() {
            let in_window = |first: &i64| guesses.iter().filter(|at| (*first..first + 600_000).contains(at)).count();
            assert!(guesses.iter().all(|first| in_window(first) <= 60), "till {till}");
        }
    }

    #[test]
    fn buckets_of_a_large_limit_are_rounded_up_and_those_of_a_small_one_are_exact() {
        for (limit, now, ends) in
            [(ONBOARDING_CHECKS_OF_ADDRESS, 1, 600_001), (SEARCHES, 20_000, 3_620_000), (SEARCHES, 20_001, 3_800_000)]
        {
            let bucket = Bucket::counted(&limit, at(now));
            assert_eq!(bucket.ends_at, at(ends).as_millisecond(), "{} {now}", limit.what);
            assert_eq!(Bucket::parse(&bucket.name()), Some(bucket));
        }
        let attempt = Bucket::of_attempt(at(1));
        assert_eq!((Bucket::parse(&attempt.name()), attempt.ends_at), (Some(attempt), at(31_000).as_millisecond()));
        assert_eq!([Bucket::parse("sum"), Bucket::parse("until_x")], [None, None]);
    }

    #[test]
    fn who_is_refused_because_of_its_merchant_waits_for_either() {
        let own = |wait| UsedUp { limit: GUESSED_CODES_OF_BYSTANDER, wait: SignedDuration::from_secs(wait) };
        let merchant: Counter =
            [(Bucket { ends_at: at(300_000).as_millisecond(), is_attempt: false }, 600)].into_iter().collect();
        let limit = |now| limit_of_guesses(&GUESSES_AT_TILLS, &merchant, at(now));
        assert_eq!(limit(0), Ok(GUESSED_CODES_OF_BYSTANDER));
        assert_eq!(limit(300_000), Ok(GUESSED_CODES_OF_OPERATOR));
        for (wait, expected) in [(400, 300), (200, 200)] {
            assert_eq!(refused_guess(&GUESSES_AT_TILLS, own(wait), &merchant, at(0)), own(expected));
        }
    }

    #[test]
    fn strangers_who_guess_at_a_merchant_slow_others_down_and_stop_them_in_the_end() {
        let of = |count| -> Counter {
            [(Bucket { ends_at: at(300_000).as_millisecond(), is_attempt: false }, count)].into_iter().collect()
        };
        let stop = UsedUp { limit: CODES_THAT_STOP_BALANCES, wait: SignedDuration::from_secs(300) };
        for (count, expected) in [
            (299, Ok(CODES_OF_CLIENT)),
            (300, Ok(CODES_OF_BYSTANDING_CLIENT)),
            (999, Ok(CODES_OF_BYSTANDING_CLIENT)),
            (1_000, Err(stop)),
        ] {
            assert_eq!(limit_of_guesses(&GUESSES_OF_HOLDERS, &of(count), at(0)), expected, "{count}");
        }
    }

    proptest! {
        #[test]
        fn no_window_exceeds_the_limit_and_the_wait_is_exact(
            max in prop::sample::select(vec![1_u32, 5, 24, 300]), pauses in prop::collection::vec(0..60_i64, 1..600),
        ) {
            let limit = RateLimit { max, ..ONBOARDING_CHECKS_OF_ADDRESS };
            let (mut row, mut admitted, mut now) = (Row::default(), Vec::new(), 0);
            for pause in pauses {
                now += pause * 100;
                match row.reserve(&limit, Bucket::counted(&limit, at(now)), at(now)) {
                    Ok(()) => admitted.push(now),
                    Err(wait) => {
                        let free = now + i64::try_from(wait.as_millis()).unwrap();
                        prop_assert!(free > now && row.counter.wait(&limit, 1, at(free)).is_none());
                        prop_assert!(row.counter.wait(&limit, 1, at(free - 1)).is_some());
                    }
                }
            }
            let max = usize::try_from(max).unwrap();
            prop_assert!(admitted.windows(max + 1).all(|span| span[max] - span[0] >= 600_000));
        }
    }
}
