//! Passkeys, by which users sign in without a mailed code (Web Authentication Level 3). The function `accounts` verifies them.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::values::{PasskeyId, UserId};

/// What an authenticator is told in place of the user's id: 16 random bytes, in base64url.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasskeyHandle(String);

impl PasskeyHandle {
    pub fn new(random: [u8; 16]) -> Self {
        Self(BASE64.encode(random))
    }

    /// As an authenticator returns it. `None` for what cannot be a handle.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        <[u8; 16]>::try_from(bytes).ok().map(Self::new)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        BASE64.decode(&self.0).unwrap_or_default()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A passkey of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    pub id: PasskeyId,
    pub handle: PasskeyHandle,
    /// As the user has named it.
    pub name: String,
    /// The authenticator's id of it, in base64url.
    pub credential_id: String,
    /// The public key, the counter and what else is needed to verify a signature: JSON of the library that verifies it.
    pub credential: String,
    /// Whether a copy is kept elsewhere, so that it survives the loss of a device.
    pub backed_up: bool,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// Whether somebody with these can do without mailed codes: the loss of one device locks out nobody.
pub fn suffice_alone<'a>(passkeys: impl IntoIterator<Item = &'a Passkey>) -> bool {
    let mut passkeys = passkeys.into_iter();
    passkeys.next().is_some_and(|first| first.backed_up || passkeys.next().is_some())
}

/// Whose passkeys have a handle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PasskeyOwner {
    pub handle: PasskeyHandle,
    pub user_id: UserId,
}

/// How long a challenge is good for.
pub const CHALLENGE_LIFETIME: SignedDuration = SignedDuration::from_mins(5);
/// How long an enrolment code is good for.
pub const ENROLMENT_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// A code that an operator hands to a platform administrator, good for adding one passkey: whoever reads their mail does not have it.
#[derive(Clone, PartialEq, Eq)]
pub struct EnrolmentCode(String);

impl EnrolmentCode {
    pub fn new(random: [u8; 16]) -> Self {
        Self(hex::encode(random))
    }

    /// The secret text: 32 hexadecimal digits. Never log it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for EnrolmentCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EnrolmentCode(…)")
    }
}

/// An enrolment code that was not used yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enrolment {
    hash: String,
    expires_at: Timestamp,
}

impl Enrolment {
    pub fn new(code: &EnrolmentCode, now: Timestamp) -> Self {
        let expires_at = crate::values::later(now, ENROLMENT_LIFETIME);
        Self { hash: hash(&code.0), expires_at }
    }

    /// Whether this is its code; case, spaces and dashes do not matter.
    pub fn is(&self, typed: &str, now: Timestamp) -> bool {
        let typed: String = typed.chars().filter(|c| !c.is_whitespace() && *c != '-').collect();
        self.expires_at > now && bool::from(hash(&typed.to_ascii_lowercase()).as_bytes().ct_eq(self.hash.as_bytes()))
    }
}

fn hash(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passkey(backed_up: bool) -> Passkey {
        Passkey {
            id: PasskeyId::new("p"),
            handle: PasskeyHandle::new([1; 16]),
            name: "Phone".to_owned(),
            credential_id: "AQ".to_owned(),
            credential: "{}".to_owned(),
            backed_up,
            created_at: Timestamp::UNIX_EPOCH,
            last_used_at: None,
        }
    }

    #[test]
    fn the_loss_of_one_device_must_lock_out_nobody() {
        for (backed_up, expected) in [
            (&[][..], false),
            (&[false][..], false),
            (&[true][..], true),
            (&[false, false][..], true),
            (&[false, true][..], true),
        ] {
            let passkeys: Vec<_> = backed_up.iter().map(|backed_up| passkey(*backed_up)).collect();
            assert_eq!(suffice_alone(&passkeys), expected, "{backed_up:?}");
        }
    }

    #[test]
    fn an_enrolment_code_is_recognized_for_a_day() {
        let (code, now) = (EnrolmentCode::new([0xab; 16]), Timestamp::UNIX_EPOCH);
        let enrolment = Enrolment::new(&code, now);
        let after = |hours| crate::values::later(now, SignedDuration::from_hours(hours));
        assert!(enrolment.is(code.expose(), now) && enrolment.is(&format!(" {}-", code.expose().to_uppercase()), after(23)));
        assert!(!enrolment.is(code.expose(), after(24)) && !enrolment.is("", now) && !enrolment.is(&code.expose()[1..], now));
    }

    #[test]
    fn a_handle_is_the_bytes_that_an_authenticator_returns() {
        let handle = PasskeyHandle::new([7; 16]);
        assert_eq!(PasskeyHandle::of(&handle.to_bytes()), Some(handle));
        assert_eq!(PasskeyHandle::of(&[7; 15]), None);
    }
}
