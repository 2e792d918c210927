//! Tills: devices that sell and redeem cards for a merchant without a user being signed in.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::ids::{MerchantId, TillId, UserId};

/// How long the code that pairs a till is good for.
pub const PAIRING_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// How long a till stays signed in without being heard of, and at most.
const IDLE_LIFETIME: SignedDuration = SignedDuration::from_hours(90 * 24);
const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// A till. The row has neither its token nor a code, but a hash of the one and a tag of the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Till {
    pub id: TillId,
    pub merchant_id: MerchantId,
    pub name: String,
    pub retail_store_id: String,
    pub retail_store_name: Option<String>,
    pub created_at: Timestamp,
    pub created_by: UserId,
    /// The code that pairs it, if one is waiting.
    pub pairing: Option<Pairing>,
    /// The token and when it was issued, while the till is paired.
    pub token: Option<TillToken>,
    pub revoked_at: Option<Timestamp>,
}

/// A code that was shown to a member of the team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    pub tag: String,
    pub made_by: UserId,
    pub expires_at: Timestamp,
}

/// The token of a paired till.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TillToken {
    pub hash: String,
    pub paired_at: Timestamp,
    /// When it last asked for its session.
    pub last_seen_at: Timestamp,
}

impl TillToken {
    /// 90 days after it was last heard of, and at most a year after it was paired.
    pub fn expires_at(&self) -> Timestamp {
        let after = |at: Timestamp, lifetime| at.checked_add(lifetime).unwrap_or(Timestamp::MAX);
        after(self.last_seen_at, IDLE_LIFETIME).min(after(self.paired_at, LIFETIME))
    }
}

impl Till {
    /// Its token, unless that is over.
    pub fn valid_token(&self, now: Timestamp) -> Option<&TillToken> {
        self.token.as_ref().filter(|token| self.revoked_at.is_none() && token.expires_at() > now)
    }
}

/// Who works at a till: a signed-in user, or the paired till itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operator {
    User(UserId),
    Till(TillId),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_90_days_from_when_it_was_last_heard_of_and_a_year_at_most() {
        let day = |days: i64| Timestamp::from_second(days * 24 * 3600).unwrap();
        for (paired, seen, expires) in [(0, 0, 90), (0, 10, 100), (0, 275, 365), (0, 300, 365), (5, 364, 370)]
        {
            let token = TillToken { hash: String::new(), paired_at: day(paired), last_seen_at: day(seen) };
            assert_eq!(token.expires_at(), day(expires), "{paired} {seen}");
        }
    }
}
