//! Names of people and companies. They stand in mails to others, so they must not be able to lead anybody elsewhere.

use thiserror::Error;

const MAX_CHARS: usize = 80;

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("must have at least {0} characters")]
    TooShort(usize),
    #[error("must have at most 80 characters")]
    TooLong,
    #[error("must not contain control characters")]
    ControlCharacter,
    #[error("must not contain a link")]
    Link,
}

/// Trims a name and checks it.
pub fn name(text: &str, min_chars: usize) -> Result<String, NameError> {
    let name = text.trim();
    let chars = name.chars().count();
    if chars < min_chars {
        Err(NameError::TooShort(min_chars))
    } else if chars > MAX_CHARS {
        Err(NameError::TooLong)
    } else if name.chars().any(char::is_control) {
        Err(NameError::ControlCharacter)
    } else if name.contains("://") {
        Err(NameError::Link)
    } else {
        Ok(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_2_to_80_characters_and_no_link() {
        let (longest, too_long) = ("ö".repeat(80), "ö".repeat(81));
        for (text, expected) in [
            ("Aurora Coffee", Ok("Aurora Coffee")),
            (" Bo ", Ok("Bo")),
            (longest.as_str(), Ok(longest.as_str())),
            ("B", Err(NameError::TooShort(2))),
            ("  ", Err(NameError::TooShort(2))),
            (too_long.as_str(), Err(NameError::TooLong)),
            ("A\nB", Err(NameError::ControlCharacter)),
            ("Win at https://x.example", Err(NameError::Link)),
        ] {
            assert_eq!(name(text, 2), expected.map(str::to_owned), "{text}");
        }
    }
}
