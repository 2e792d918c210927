//! Names of people and companies. They stand in mails to others, so they must not be able to lead anybody elsewhere.

use std::ops::RangeInclusive;

use serde::Deserialize;
use thiserror::Error;

pub const MAX_CHARS: usize = 80;

/// A name of `MIN` to 80 characters, without the white space around it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Name<const MIN: usize>(String);

impl<const MIN: usize> Name<MIN> {
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MIN: usize> TryFrom<String> for Name<MIN> {
    type Error = NameError;

    fn try_from(text: String) -> Result<Self, NameError> {
        let name = text.trim();
        let chars = name.chars().count();
        if chars < MIN {
            Err(NameError::TooShort(MIN))
        } else if chars > MAX_CHARS {
            Err(NameError::TooLong)
        } else if name.chars().any(is_invisible) {
            Err(NameError::Invisible)
        } else if name.contains("://") {
            Err(NameError::Link)
        } else {
            Ok(Self(name.to_owned()))
        }
    }
}

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("must have at least {0} characters")]
    TooShort(usize),
    #[error("must have at most {MAX_CHARS} characters")]
    TooLong,
    #[error("must not contain control or invisible characters")]
    Invisible,
    #[error("must not contain a link")]
    Link,
}

/// Format characters (Unicode category Cf), line and paragraph separators (Zl, Zp), and letters without a glyph. They reorder the
/// text around them, or make two names that differ look alike.
const INVISIBLE: [RangeInclusive<char>; 25] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{600}'..='\u{605}',
    '\u{61c}'..='\u{61c}',
    '\u{6dd}'..='\u{6dd}',
    '\u{70f}'..='\u{70f}',
    '\u{890}'..='\u{891}',
    '\u{8e2}'..='\u{8e2}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{2028}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{2800}'..='\u{2800}',
    '\u{3164}'..='\u{3164}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fffb}',
    '\u{110bd}'..='\u{110bd}',
    '\u{110cd}'..='\u{110cd}',
    '\u{13430}'..='\u{1343f}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Whether it is a control character, or one that is not seen.
pub fn is_invisible(character: char) -> bool {
    character.is_control() || INVISIBLE.iter().any(|range| range.contains(&character))
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
            ("A\nB", Err(NameError::Invisible)),
            ("\u{202e}eeffoC", Err(NameError::Invisible)),
            ("Auro\u{200b}ra", Err(NameError::Invisible)),
            ("Aurora\u{2028}Coffee", Err(NameError::Invisible)),
            ("Aurora\u{2066}", Err(NameError::Invisible)),
            ("Aurora \u{e0041}", Err(NameError::Invisible)),
            ("Win at https://x.example", Err(NameError::Link)),
        ] {
            let name = Name::<2>::try_from(text.to_owned());
            assert_eq!(name.map(Name::into_string), expected.map(str::to_owned), "{text}");
        }
    }
}
