//! Challenges: somebody has to show that they read the mail to an address, by a one-time code.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::code::{Code, CodeKey, MAILED, Purpose};
use crate::limits::model::CODE_ATTEMPTS;
use crate::values::{ChallengeId, Language, MerchantId, OpenEnum};

/// How long a code is good for.
pub const LIFETIME: SignedDuration = SignedDuration::from_mins(10);

/// What the code of a challenge is good for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChallengePurpose {
    SignIn,
    /// To confirm an invitation that one made, which has the id of the challenge.
    ConfirmInvite {
        merchant_id: MerchantId,
    },
}

/// A code that was asked for. The code itself follows from the challenge, and is in no row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge {
    pub id: ChallengeId,
    pub purpose: ChallengePurpose,
    /// As typed by whoever asks for the code.
    pub email: String,
    /// The code follows from it. Random; a fresh code has another one.
    pub nonce: String,
    /// How often the code has been tried.
    pub attempts: u32,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// The browser that asked, in words that are safe in a mail. `None` if it is unknown.
    pub browser: Option<String>,
    /// The language that it prefers.
    pub language: Option<OpenEnum<Language>>,
}

impl Challenge {
    /// The code is mailed and never shown to whoever asks for it.
    pub fn code(&self, key: &CodeKey) -> Code {
        key.code(Purpose::Challenge, &self.nonce, MAILED)
    }

    /// Whether the code can be tried once more.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.expires_at > now && (self.attempts as usize) < CODE_ATTEMPTS.max
    }
}
