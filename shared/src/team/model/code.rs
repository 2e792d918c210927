//! One-time codes that people type, and other values that follow from a key: nothing that is stored, queued or streamed
//! contains them.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;
use subtle::ConstantTimeEq;

/// Digits and letters without those that look alike: 0 and O, 1 and I.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// The characters of a mailed code: 40 bits.
pub const MAILED: usize = 8;
/// The characters of a code that pairs a till: 50 bits.
pub const PAIRING: usize = 10;

/// What a code or a tag is for. The same id gives different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The code of a challenge.
    Challenge,
    /// The code that pairs a till.
    Pairing,
    /// A device's attempt to pair a till.
    PairingAttempt,
    /// The tag that marks a browser as known to a user.
    Device,
    /// The challenge of a sign-in with a passkey.
    PasskeyChallenge,
    /// The tag by which the history of a gift card is found.
    CardHistory,
    /// The key that encrypts the secrets of webhooks.
    WebhookSecret,
}

impl Purpose {
    fn label(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Pairing => "pairing",
            Self::PairingAttempt => "pairing-attempt",
            Self::Device => "device",
            Self::PasskeyChallenge => "passkey-challenge",
            Self::CardHistory => "card-history",
            Self::WebhookSecret => "webhook-secret",
        }
    }
}

/// The key that codes and tags follow from. `Debug` redacts it.
#[derive(Clone, Deserialize)]
#[serde(try_from = "StoredKey")]
pub struct CodeKey(Vec<u8>);

/// The JSON of the secret: `{"key": "…"}`.
#[derive(Deserialize)]
struct StoredKey {
    key: String,
}

/// A shorter key could be guessed from a code.
const MIN_KEY_BYTES: usize = 32;

impl TryFrom<StoredKey> for CodeKey {
    type Error = &'static str;

    fn try_from(StoredKey { key }: StoredKey) -> Result<Self, Self::Error> {
        if key.len() < MIN_KEY_BYTES {
            return Err("the key has fewer than 32 characters");
        }
        Ok(Self(key.into_bytes()))
    }
}

impl fmt::Debug for CodeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeKey(…)")
    }
}

impl CodeKey {
    /// The code of an id, of up to 25 characters.
    pub fn code(&self, purpose: Purpose, id: &str, length: usize) -> Code {
        let hash = self.hash(purpose, &[id]);
        let characters = hash.iter().take(length).map(|byte| ALPHABET.get(usize::from(byte % 32)));
        Code(characters.flatten().map(|character| char::from(*character)).collect())
    }

    /// The tag of a list of values, as hexadecimal digits.
    pub fn tag(&self, purpose: Purpose, values: &[&str]) -> String {
        hex::encode(self.hash(purpose, values))
    }

    /// The key that encrypts the secrets of webhooks: 32 bytes.
    pub fn webhook_key(&self) -> Vec<u8> {
        self.hash(Purpose::WebhookSecret, &[])
    }

    /// The challenge of this id, to sign in with a passkey: 32 bytes.
    pub fn passkey_challenge(&self, id: &str) -> Vec<u8> {
        self.hash(Purpose::PasskeyChallenge, &[id])
    }

    /// Whether it is the tag of the values. Compared in constant time.
    pub fn is_tag(&self, purpose: Purpose, values: &[&str], tag: &str) -> bool {
        self.tag(purpose, values).as_bytes().ct_eq(tag.as_bytes()).into()
    }

    fn hash(&self, purpose: Purpose, values: &[&str]) -> Vec<u8> {
        // A key of any length is valid.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return Vec::new() };
        for value in std::iter::once(&purpose.label()).chain(values) {
            mac.update(&(value.len() as u64).to_be_bytes());
            mac.update(value.as_bytes());
        }
        mac.finalize().into_bytes().to_vec()
    }
}

/// A one-time code. `Debug` redacts it.
#[derive(Clone, PartialEq, Eq)]
pub struct Code(String);

impl Code {
    /// A random code.
    pub fn random<const N: usize>(bytes: [u8; N]) -> Self {
        let characters = bytes.iter().map(|byte| ALPHABET.get(usize::from(byte % 32)));
        Self(characters.flatten().map(|character| char::from(*character)).collect())
    }

    /// What was typed, without what does not matter.
    pub fn typed(text: &str) -> Self {
        // Longer texts are no codes.
        let text = text.chars().take(4 * PAIRING);
        let text = text.filter(|character| !character.is_whitespace() && *character != '-');
        Self(text.map(|character| character.to_ascii_uppercase()).collect())
    }

    /// The tag by which it is found in the table.
    pub fn tag(&self, key: &CodeKey) -> String {
        key.tag(Purpose::Pairing, &[&self.0])
    }

    /// Whether this is what was typed; case, spaces and dashes do not matter. Compared in constant time.
    pub fn is(&self, typed: &str) -> bool {
        !self.0.is_empty() && bool::from(Self::typed(typed).0.as_bytes().ct_eq(self.0.as_bytes()))
    }

    /// The code in two halves, such as `ABCD-EFGH`. Only for whom it is meant.
    pub fn expose(&self) -> String {
        let (first, second) = self.0.split_at_checked(self.0.len() / 2).unwrap_or((&self.0, ""));
        format!("{first}-{second}")
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn key(text: &str) -> CodeKey {
        CodeKey::try_from(StoredKey { key: text.to_owned() }).unwrap()
    }

    #[test]
    fn a_code_is_recognized_however_it_is_typed() {
        let code = key(&"k".repeat(32)).code(Purpose::Challenge, "c", MAILED);
        let shown = code.expose();
        assert_eq!((shown.len(), shown.find('-')), (9, Some(4)));
        assert!(code.is(&shown) && code.is(&shown.to_lowercase()) && code.is(&shown.replace('-', "")));
        assert!(code.is(&format!(" {} ", shown.replace('-', " - "))));
        for wrong in ["", "-", &shown[..8], &format!("{shown}2"), &"A".repeat(1000)] {
            assert!(!code.is(wrong), "{wrong}");
        }
    }

    #[test]
    fn codes_and_tags_follow_from_key_purpose_and_values() {
        let (one, other) = (key(&"k".repeat(32)), key(&"l".repeat(32)));
        let codes = [
            one.code(Purpose::Challenge, "c", PAIRING),
            one.code(Purpose::Challenge, "d", PAIRING),
            one.code(Purpose::Pairing, "c", PAIRING),
            other.code(Purpose::Challenge, "c", PAIRING),
        ];
        assert_eq!(codes.iter().map(Code::expose).collect::<BTreeSet<_>>().len(), codes.len());
        assert_eq!(one.code(Purpose::Challenge, "c", PAIRING), codes[0]);
        let tag = one.tag(Purpose::Device, &["u", "n"]);
        assert!(one.is_tag(Purpose::Device, &["u", "n"], &tag));
        assert!(!one.is_tag(Purpose::Device, &["un", ""], &tag) && !other.is_tag(Purpose::Device, &["u", "n"], &tag));
    }

    #[test]
    fn every_character_of_the_alphabet_is_as_likely_as_the_others() {
        let key = key(&"k".repeat(32));
        let mut counts = [0_u32; 32];
        for id in 0..4000 {
            for character in key.code(Purpose::Challenge, &id.to_string(), MAILED).0.bytes() {
                counts[ALPHABET.iter().position(|known| *known == character).unwrap()] += 1;
            }
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_short_key_is_refused() {
        assert!(CodeKey::try_from(StoredKey { key: "k".repeat(31) }).is_err());
    }
}
