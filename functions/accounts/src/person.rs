//! Names of people and their phone numbers in requests.

use shared::http::Invalid;
use shared::values::names::{MIN_PERSON, Name};

/// The first or the last name of somebody who is invited.
pub(crate) type PersonName = Name<MIN_PERSON>;

const MAX_PREFIX_DIGITS: usize = 4;
const MAX_PHONE_CHARS: usize = 20;

/// `+` and up to four digits.
pub(crate) fn phone_prefix(text: &str) -> Result<String, Invalid> {
    let prefix = text.trim();
    let digits = prefix.strip_prefix('+').unwrap_or_default();
    let is_valid = (1..=MAX_PREFIX_DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_valid { Ok(prefix.to_owned()) } else { Err(Invalid::new("phonePrefix: must be a plus sign and one to four digits.")) }
}

/// Digits, with spaces or dashes between them.
pub(crate) fn phone_number(text: &str) -> Result<String, Invalid> {
    let phone = text.trim();
    let is_valid = phone.bytes().any(|byte| byte.is_ascii_digit())
        && phone.len() <= MAX_PHONE_CHARS
        && phone.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-'));
    if is_valid { Ok(phone.to_owned()) } else { Err(Invalid::new("phone: must be up to 20 digits.")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_numbers_are_digits() {
        for (text, is_valid) in [("+46", true), (" +1 ", true), ("46", false), ("+", false), ("+12345", false), ("+4a", false)] {
            assert_eq!(phone_prefix(text).is_ok(), is_valid, "{text}");
        }
        for (text, is_valid) in [("70 000-00 00", true), ("", false), ("-", false), ("call me", false), (&"1".repeat(21), false)]
        {
            assert_eq!(phone_number(text).is_ok(), is_valid, "{text}");
        }
    }
}
