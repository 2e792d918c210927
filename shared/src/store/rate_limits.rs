//! Rate limits that slide: of each caller the times are kept at which a call passed, for as long as they count.

use std::net::{IpAddr, Ipv6Addr};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::{CommitError, Entity, Item, Store, StoreError, Stored, Write, from_item, item_key};
use crate::domain::team::fold_email;

/// Limits are about any span of this length.
pub const WINDOW: SignedDuration = SignedDuration::from_mins(10);

/// Whose calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'a> {
    /// Who speaks of this e-mail address.
    Email(&'a str),
    /// Who calls from this address; all those together of whom none is known.
    Address(Option<IpAddr>),
}

impl Caller<'_> {
    fn key(self, action: &str) -> Key {
        match self {
            Self::Email(email) => keys::rate(action, "email", &fold_email(email)),
            Self::Address(None) => keys::rate(action, "address", ""),
            Self::Address(Some(address)) => keys::rate(action, "address", &network(address).to_string()),
        }
    }
}

/// One subscriber of IPv6 has 2^64 addresses to call from: they count as one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// How often something may be done within the window by one caller.
#[derive(Debug, Clone, Copy)]
pub struct Limit<'a> {
    pub caller: Caller<'a>,
    pub most: usize,
}

/// Whether a call may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Passed,
    /// Not before this time is over.
    Refused(SignedDuration),
}

/// The calls of one caller that passed, oldest first. Whose they are is kept only as a hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Passed {
    times: Vec<Timestamp>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Rate {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    passed: Passed,
}

impl Entity for Rate {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.passed.times.last().and_then(|last| last.checked_add(WINDOW).ok())
    }
}

impl Passed {
    /// With one more call, at `now`; else the time until there may be one.
    fn and_now(&self, most: usize, now: Timestamp) -> Result<Self, SignedDuration> {
        let age = |at: &Timestamp| now.duration_since(*at);
        let mut times: Vec<_> = self.times.iter().copied().filter(|at| age(at) < WINDOW).collect();
        if times.len() < most {
            times.push(now);
            times.sort_unstable();
            return Ok(Self { times });
        }
        let in_the_way = times.get(times.len() - most);
        Err(in_the_way.map_or(WINDOW, |at| WINDOW - age(at)))
    }
}

/// Calls that come at once get in each other's way, one of them ahead each time.
const MAX_ATTEMPTS: u32 = 12;
/// Who still was not ahead by then is one of too many at once.
const CROWDED: SignedDuration = SignedDuration::from_secs(1);

impl Store {
    /// Lets a call pass if none of the limits is against it, and then counts it towards each. One that is refused
    /// counts towards none.
    pub async fn admit(
        &self,
        action: &str,
        limits: &[Limit<'_>],
        now: Timestamp,
    ) -> Result<Admission, StoreError> {
        let keys: Vec<Key> = limits.iter().map(|limit| limit.caller.key(action)).collect();
        for attempt in 0..MAX_ATTEMPTS {
            let rows = self.get_items(&keys).await?;
            let mut writes = Vec::with_capacity(limits.len());
            let mut wait = None;
            for (key, limit) in keys.iter().zip(limits) {
                let rate = rate(&rows, key)?;
                let passed = rate.as_ref().map(|rate| rate.passed.clone()).unwrap_or_default();
                match passed.and_now(limit.most, now) {
                    Ok(passed) => writes.push(write(rate.as_ref(), &Rate { key: key.clone(), passed })?),
                    Err(until) => wait = wait.max(Some(until)),
                }
            }
            if let Some(wait) = wait {
                return Ok(Admission::Refused(wait));
            }
            match self.commit(writes).await {
                Ok(()) => return Ok(Admission::Passed),
                Err(CommitError::Conflict(_)) => self.pause(attempt).await,
                Err(CommitError::Store(error)) => return Err(error),
            }
        }
        Ok(Admission::Refused(CROWDED))
    }
}

fn rate(rows: &[Item], key: &Key) -> Result<Option<Stored<Rate>>, StoreError> {
    let row = rows.iter().find(|row| item_key(row).as_ref() == Some(key));
    row.cloned().map(from_item).transpose()
}

fn write(read: Option<&Stored<Rate>>, rate: &Rate) -> Result<Write, StoreError> {
    match read {
        Some(read) => Write::replace(read, rate),
        None => Write::create(rate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + second).unwrap()
    }

    #[test]
    fn a_call_passes_until_the_window_is_full_and_again_when_the_oldest_leaves_it() {
        let mut passed = Passed::default();
        for second in [0, 100, 599] {
            passed = passed.and_now(3, at(second)).unwrap();
        }
        assert_eq!(passed.and_now(3, at(599)), Err(SignedDuration::from_secs(1)));
        passed = passed.and_now(3, at(600)).unwrap();
        assert_eq!(passed.times, [at(100), at(599), at(600)]);
        assert_eq!(passed.and_now(3, at(650)), Err(SignedDuration::from_secs(50)));
    }

    #[test]
    fn a_limit_that_was_lowered_counts_what_passed_before() {
        let passed = Passed { times: vec![at(0), at(10), at(20)] };
        assert_eq!(passed.and_now(1, at(30)), Err(SignedDuration::from_secs(590)));
        assert_eq!(passed.and_now(0, at(30)), Err(WINDOW));
        assert_eq!(passed.and_now(0, at(3000)), Err(WINDOW));
    }

    #[test]
    fn callers_are_told_apart_and_known_again() {
        let address = |text: &str| Caller::Address(Some(text.parse().unwrap())).key("check");
        assert_eq!(
            Caller::Email(" Anna@a.example").key("check"),
            Caller::Email("anna@A.example").key("check")
        );
        assert_ne!(Caller::Email("a@a.example").key("check"), Caller::Email("b@a.example").key("check"));
        assert_ne!(Caller::Email("a@a.example").key("check"), Caller::Email("a@a.example").key("other"));
        assert_ne!(Caller::Address(None).key("check"), Caller::Email("").key("check"));
        assert_ne!(address("192.0.2.1"), address("192.0.2.2"));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
        assert_eq!(address("2001:db8::1"), address("2001:db8::2:3:4:5"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
    }

    proptest! {
        #[test]
        fn no_window_ever_holds_more_than_it_may_and_the_wait_is_exact(
            most in 1..4_usize, pauses in prop::collection::vec(0..400_i64, 1..40),
        ) {
            let (mut passed, mut all, mut second) = (Passed::default(), Vec::new(), 0);
            for pause in pauses {
                second += pause;
                match passed.and_now(most, at(second)) {
                    Ok(next) => {
                        passed = next;
                        all.push(second);
                    }
                    Err(wait) => {
                        let wait = wait.as_secs();
                        prop_assert!(wait > 0 && passed.and_now(most, at(second + wait)).is_ok());
                        prop_assert!(passed.and_now(most, at(second + wait - 1)).is_err());
                    }
                }
            }
            prop_assert!(all.windows(most + 1).all(|span| span[most] - span[0] >= WINDOW.as_secs()));
        }
    }
}
