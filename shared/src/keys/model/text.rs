//! The text of a key: `gcpk_`, its secret, its id and its merchant's id, in letters and digits, and a checksum of all this, with `_`
//! between them. Scanners of secrets know it by its beginning, and one that was mistyped is refused without a read.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::values::{ApiKeyId, MerchantId};

/// What the text of every key begins with.
pub const PREFIX: &str = "gcpk_";
/// With a merchant's id of 40 bytes.
const MAX_LENGTH: usize = 160;
const CHECKSUM_LENGTH: usize = 8;
/// 256 bits.
const SECRET_LENGTH: usize = 50;

/// The text of a key, whose checksum is right. `Debug` redacts it.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyText {
    text: String,
    pub id: ApiKeyId,
    pub merchant: MerchantId,
}

impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyText(…)")
    }
}

impl KeyText {
    /// `None` for the id of a merchant of more than 40 bytes, or of a key that is not letters and digits.
    pub fn new(secret: [u8; 32], id: &ApiKeyId, merchant: &MerchantId) -> Option<Self> {
        let (secret, merchant) = (base_36(&secret), base_36(merchant.as_str().as_bytes()));
        let text = format!("{PREFIX}{secret:0>SECRET_LENGTH$}_{id}_{merchant}");
        Self::parse(&format!("{text}_{}", checksum(&text)))
    }

    /// `None` for a text that cannot be that of a key.
    pub fn parse(text: &str) -> Option<Self> {
        let (start, sum) = text.rsplit_once('_')?;
        let mut parts = start.strip_prefix(PREFIX)?.split('_').skip(1);
        let (id, merchant, None) = (parts.next()?, parts.next()?, parts.next()) else { return None };
        let is_intact = text.len() <= MAX_LENGTH && sum == checksum(start);
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let merchant = String::from_utf8(bytes_of_base_36(merchant)?).ok()?;
        let (id, merchant) = (ApiKeyId::new(id), MerchantId::new(merchant));
        (is_intact && is_id).then(|| Self { text: text.to_owned(), id, merchant })
    }

    /// The secret text. Never log it.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// What the table has of it.
    pub fn hash(&self) -> String {
        hex::encode(Sha256::digest(&self.text))
    }
}

fn checksum(text: &str) -> String {
    hex::encode(Sha256::digest(text)).chars().take(CHECKSUM_LENGTH).collect()
}

fn base_36(bytes: &[u8]) -> String {
    convert(bytes.iter().copied().map(u32::from), 256, 36).filter_map(|digit| char::from_digit(digit, 36)).collect()
}

fn bytes_of_base_36(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text.chars().map(|digit| digit.to_digit(36)).collect::<Option<_>>()?;
    convert(digits.into_iter(), 36, 256).map(|byte| u8::try_from(byte).ok()).collect()
}

/// The digits of a number in another base, highest first, without leading zeros. Both bases are at most 256.
fn convert(digits: impl Iterator<Item = u32>, from: u32, to: u32) -> impl Iterator<Item = u32> {
    let mut lowest_first: Vec<u32> = Vec::new();
    for mut carry in digits {
        for digit in &mut lowest_first {
            carry += *digit * from;
            *digit = carry % to;
            carry /= to;
        }
        while carry > 0 {
            lowest_first.push(carry % to);
            carry /= to;
        }
    }
    lowest_first.into_iter().rev()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "019c18a51d0078f6994e3bf91a61dbe2";

    fn key(secret: [u8; 32], merchant: &str) -> Option<KeyText> {
        KeyText::new(secret, &ApiKeyId::new(ID), &MerchantId::new(merchant))
    }

    #[test]
    fn a_text_names_its_key_and_merchant_and_has_at_most_160_characters() {
        for merchant in ["m", "m-aurora", "019c18a5-1d00-78f6-994e-3bf91a61dbe2", "Å_#", &"\u{7f}".repeat(40)] {
            for secret in [[0; 32], [255; 32], [1; 32]] {
                let key = key(secret, merchant).unwrap();
                assert_eq!((key.id.as_str(), key.merchant.as_str()), (ID, merchant));
                assert!(key.text.len() <= MAX_LENGTH && key.text.split('_').count() == 5, "{}", key.text);
                assert!(key.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
                assert_eq!(KeyText::parse(&key.text), Some(key));
            }
        }
        assert_eq!(key([255; 32], &"\u{7f}".repeat(41)), None);
    }

    #[test]
    fn a_mistyped_text_is_none() {
        let text = key([7; 32], "m-aurora").unwrap().text;
        for position in 0..text.len() {
            let (before, after) = text.split_at(position);
            let mut rest = after.chars();
            let changed = if rest.next() == Some('a') { "b" } else { "a" };
            for mistyped in
                [format!("{before}{changed}{}", rest.as_str()), format!("{before}{}", rest.as_str()), before.to_owned()]
            {
                assert_eq!(KeyText::parse(&mistyped), None, "{mistyped}");
            }
        }
        for text in ["", "gcpk_", "gcpk____", "gcpk_a_b_c_d", &text.to_uppercase(), &format!("{text}_"), &format!(" {text}")] {
            assert_eq!(KeyText::parse(text), None, "{text}");
        }
    }
}
