//! Sliding window rate limits: the times of each caller's recent calls are stored.

use std::net::{IpAddr, Ipv6Addr};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::{self, Key};
use super::row::{Entity, Item, Stored, from_item, item_key};
use super::table::Store;
use super::write::Write;
use crate::domain::ids::{MerchantId, UserId};
use crate::domain::limits::RateLimit;
use crate::domain::team::fold_email;
use crate::domain::till::Operator;

/// How long the calls of a caller are kept. No window is longer.
const RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// The caller whose calls are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'a> {
    /// All calls that name this e-mail address.
    Email(&'a str),
    /// All calls that name this e-mail address, from this client address.
    EmailAt(&'a str, Option<IpAddr>),
    /// All calls from a browser that has signed in before, by a value of its cookie.
    Device(&'a str),
    /// All calls that concern this merchant.
    Merchant(&'a MerchantId),
    /// All calls of this user.
    Member(&'a UserId),
    /// All calls of this till or member.
    Operator(&'a Operator),
    /// All calls from this client address; all calls without a known address count together.
    Address(Option<IpAddr>),
}

impl Caller<'_> {
    fn key(self, action: &str) -> Key {
        match self {
            Self::Email(email) => keys::rate(action, "email", &fold_email(email)),
            Self::EmailAt(email, address) => {
                keys::rate(action, "email-at", &format!("{} {}", network_name(address), fold_email(email)))
            }
            Self::Device(device) => keys::rate(action, "device", device),
            Self::Merchant(merchant) => keys::rate(action, "merchant", merchant.as_str()),
            Self::Member(user) | Self::Operator(Operator::User(user)) => keys::rate(action, "user", user.as_str()),
            Self::Operator(Operator::Till(till)) => keys::rate(action, "till", till.as_str()),
            Self::Address(address) => keys::rate(action, "address", &network_name(address)),
        }
    }
}

fn network_name(address: Option<IpAddr>) -> String {
    address.map(|address| network(address).to_string()).unwrap_or_default()
}

/// An IPv6 subscriber has a /64 network of addresses, which count as one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(prefix))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// A limit, and whose calls it counts.
pub type Limited<'a> = (RateLimit, Caller<'a>);

/// Whether a call is admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Admitted,
    /// With the time after which a call will be admitted.
    Rejected(SignedDuration),
}

/// The admitted calls of one caller, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct AdmittedCalls {
    times: Vec<Timestamp>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Rate {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    calls: AdmittedCalls,
}

impl Entity for Rate {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.calls.times.last().and_then(|last| last.checked_add(RETENTION).ok())
    }
}

impl AdmittedCalls {
    /// The calls with one more at `now`, or the time after which one more will be admitted.
    fn with_call_at(&self, max_calls: usize, window: SignedDuration, now: Timestamp) -> Result<Self, SignedDuration> {
        let age = |at: &Timestamp| now.duration_since(*at);
        let mut times: Vec<_> = self.times.iter().copied().filter(|at| age(at) < window).collect();
        if times.len() < max_calls {
            times.push(now);
            times.sort_unstable();
            return Ok(Self { times });
        }
        let blocking = times.get(times.len() - max_calls);
        // Another instance's clock can be ahead, so that a call seems to be in the future.
        Err(blocking.map_or(window, |at| window - age(at)).min(window))
    }
}

/// The time to wait after too many concurrent calls of one caller.
const CONTENTION_DELAY: SignedDuration = SignedDuration::from_secs(1);

/// Whether a call is within all of its limits, with the writes that count it.
#[derive(Debug)]
pub enum Counted {
    Admitted(Vec<Write>),
    /// With the time after which a call will be admitted.
    Rejected(SignedDuration),
}

impl Store {
    /// The writes that count a call towards each of its limits, for the transaction of what is limited.
    pub async fn count(&self, limits: &[Limited<'_>], now: Timestamp) -> Result<Counted, StoreError> {
        let keys: Vec<Key> = limits.iter().map(|(limit, caller)| caller.key(limit.action)).collect();
        let rows = self.get_items(&keys).await?;
        let mut writes = Vec::with_capacity(limits.len());
        let mut wait = None;
        for (key, (limit, _)) in keys.into_iter().zip(limits) {
            let rate = rate(&rows, &key)?;
            let calls = rate.as_ref().map(|rate| rate.calls.clone()).unwrap_or_default();
            match calls.with_call_at(limit.max_calls, limit.window, now) {
                Ok(calls) => writes.push(write(rate.as_ref(), &Rate { key, calls })?),
                Err(until) => wait = wait.max(Some(until)),
            }
        }
        Ok(wait.map_or(Counted::Admitted(writes), Counted::Rejected))
    }

    /// Admits a call if it is within all of its limits, and counts it towards each. A rejected call is not counted.
    pub async fn admit(&self, limits: &[Limited<'_>], now: Timestamp) -> Result<Admission, StoreError> {
        let mut attempts = self.attempts("a rate limit");
        loop {
            let writes = match self.count(limits, now).await? {
                Counted::Admitted(writes) => writes,
                Counted::Rejected(wait) => return Ok(Admission::Rejected(wait)),
            };
            match attempts.committed(self.commit(writes).await).await {
                Ok(true) => return Ok(Admission::Admitted),
                Ok(false) => {}
                Err(StoreError::Contended(_)) => return Ok(Admission::Rejected(CONTENTION_DELAY)),
                Err(error) => return Err(error),
            }
        }
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

    const WINDOW: SignedDuration = SignedDuration::from_mins(10);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_780_000_000 + second).unwrap()
    }

    #[test]
    fn calls_are_admitted_until_the_window_is_full_and_again_when_the_oldest_leaves_it() {
        let mut calls = AdmittedCalls::default();
        for second in [0, 100, 599] {
            calls = calls.with_call_at(3, WINDOW, at(second)).unwrap();
        }
        assert_eq!(calls.with_call_at(3, WINDOW, at(599)), Err(SignedDuration::from_secs(1)));
        calls = calls.with_call_at(3, WINDOW, at(600)).unwrap();
        assert_eq!(calls.times, [at(100), at(599), at(600)]);
        assert_eq!(calls.with_call_at(3, WINDOW, at(650)), Err(SignedDuration::from_secs(50)));
    }

    #[test]
    fn a_lowered_limit_counts_earlier_calls() {
        let calls = AdmittedCalls { times: vec![at(0), at(10), at(20)] };
        assert_eq!(calls.with_call_at(1, WINDOW, at(30)), Err(SignedDuration::from_secs(590)));
        assert_eq!(calls.with_call_at(0, WINDOW, at(30)), Err(WINDOW));
        assert_eq!(calls.with_call_at(0, WINDOW, at(3000)), Err(WINDOW));
    }

    #[test]
    fn the_wait_is_never_longer_than_the_window() {
        let calls = AdmittedCalls { times: vec![at(0), at(10)] };
        for (now, wait) in [(0, 600), (-1, 600), (-3000, 600), (10, 590)] {
            assert_eq!(calls.with_call_at(2, WINDOW, at(now)), Err(SignedDuration::from_secs(wait)), "{now}");
        }
    }

    #[test]
    fn callers_are_identified_by_email_and_by_network() {
        let address = |text: &str| Caller::Address(Some(text.parse().unwrap())).key("check");
        assert_eq!(Caller::Email(" Anna@a.example").key("check"), Caller::Email("anna@A.example").key("check"));
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
        fn no_window_exceeds_the_limit_and_the_wait_is_exact(
            window in prop::sample::select(vec![WINDOW, SignedDuration::from_hours(1), RETENTION]),
            max_calls in 1..25_usize, pauses in prop::collection::vec(0..300_i64, 1..150),
        ) {
            let (mut calls, mut all, mut second) = (AdmittedCalls::default(), Vec::new(), 0);
            for pause in pauses {
                // In thousandths of the window.
                second += pause * window.as_secs() / 1_000;
                match calls.with_call_at(max_calls, window, at(second)) {
                    Ok(next) => {
                        calls = next;
                        all.push(second);
                    }
                    Err(wait) => {
                        let wait = wait.as_secs();
                        prop_assert!(wait > 0 && calls.with_call_at(max_calls, window, at(second + wait)).is_ok());
                        prop_assert!(calls.with_call_at(max_calls, window, at(second + wait - 1)).is_err());
                    }
                }
            }
            prop_assert!(all.windows(max_calls + 1).all(|span| span[max_calls] - span[0] >= window.as_secs()));
            // The row stays as long as its calls count.
            let key = keys::rate("test", "email", "a@a.example");
            let last = all.last().map(|second| at(*second));
            let expires_at = Rate { key, calls }.expires_at();
            prop_assert!(expires_at.zip(last).is_some_and(|(end, last)| end.duration_since(last) >= window));
        }
    }
}
