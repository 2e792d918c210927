//! Tills: devices that sell and redeem cards for a merchant without a user being signed in.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::team::{Maker, Membership, Permission, Powers};
use crate::values::{ApiKeyId, MerchantId, TillId, UserId};

/// How long the code that pairs a till is good for.
pub const PAIRING_LIFETIME: SignedDuration = SignedDuration::from_mins(10);
/// How long a till that was never paired is kept after its last code was made.
const UNPAIRED_RETENTION: SignedDuration = SignedDuration::from_hours(24);
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
    pub made_by: Maker,
    pub expires_at: Timestamp,
}

impl Pairing {
    /// Whether the code can be used: `maker`, the membership of its maker, is still the one that they had, and they may still
    /// make codes.
    pub fn is_good(&self, maker: Option<&Membership>, now: Timestamp) -> bool {
        self.expires_at > now && maker.is_some_and(|maker| maker.is_still(&self.made_by, &Till::powers()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TillToken {
    pub hash: String,
    pub paired_at: Timestamp,
    /// When it last asked for its session.
    pub last_seen_at: Timestamp,
    /// The attempt by which it was paired. Its device can repeat it, because the response may have been lost, until the token has
    /// asked for its session.
    #[serde(default)]
    pub attempt: Option<PairingAttempt>,
}

/// A device's attempt to pair a till.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairingAttempt {
    /// A keyed hash of what the device has chosen.
    pub tag: String,
    /// The code that was used.
    pub code: Pairing,
}

impl TillToken {
    /// 90 days after it was last heard of, and at most a year after it was paired.
    pub fn expires_at(&self) -> Timestamp {
        let after = |at: Timestamp, lifetime| at.checked_add(lifetime).unwrap_or(Timestamp::MAX);
        after(self.last_seen_at, IDLE_LIFETIME).min(after(self.paired_at, LIFETIME))
    }
}

impl Till {
    /// What a paired till may do. Only who could give it to a member may make a code.
    pub fn powers() -> Powers {
        Powers::of_permissions(&[Permission::Pos])
    }

    /// When it is removed, unless it is paired before.
    pub fn unpaired_until(&self) -> Option<Timestamp> {
        let last_code_at = |pairing: &Pairing| pairing.expires_at.checked_sub(PAIRING_LIFETIME).ok();
        let at = self.pairing.as_ref().filter(|_| self.token.is_none()).and_then(last_code_at);
        at.and_then(|at| at.checked_add(UNPAIRED_RETENTION).ok())
    }

    /// Whether it counts as one of the merchant's tills: it is not revoked, and was paired or can still be.
    pub fn is_in_use(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.unpaired_until().is_none_or(|until| until > now)
    }

    /// Whether a code for it has been made and not been used.
    pub fn waits_for_code(&self, now: Timestamp) -> bool {
        self.pairing.as_ref().is_some_and(|pairing| pairing.expires_at > now)
    }

    /// Its token, unless that is over.
    pub fn valid_token(&self, now: Timestamp) -> Option<&TillToken> {
        self.token.as_ref().filter(|token| self.revoked_at.is_none() && token.expires_at() > now)
    }
}

/// Who sells, redeems or looks up cards: a signed-in user, the paired till itself, or a key of the merchant's own program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operator {
    User(UserId),
    Till(TillId),
    Key(ApiKeyId),
}

/// Who sold or redeemed a card, with the name that they had then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedOperator {
    #[serde(flatten)]
    pub operator: Operator,
    /// `None` for an administrator of the platform who sells for a merchant of others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_lives_90_days_from_when_it_was_last_heard_of_and_a_year_at_most() {
        let day = |days: i64| Timestamp::from_second(days * 24 * 3600).unwrap();
        for (paired, seen, expires) in [(0, 0, 90), (0, 10, 100), (0, 275, 365), (0, 300, 365), (5, 364, 370)] {
            let token = TillToken { hash: String::new(), paired_at: day(paired), last_seen_at: day(seen), attempt: None };
            assert_eq!(token.expires_at(), day(expires), "{paired} {seen}");
        }
    }
}
