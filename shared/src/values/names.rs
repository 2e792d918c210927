//! Names of people and companies. They stand in mails to others, so they must not be able to lead anybody elsewhere.

use std::ops::RangeInclusive;

use icu_normalizer::properties::CanonicalCombiningClassMapBorrowed;
use serde::Deserialize;
use thiserror::Error;

use super::search::compose;

pub const MAX_CHARS: usize = 80;
/// Of a person's name.
pub const MIN_PERSON: usize = 1;
/// Of the name of a shop or company.
pub const MIN_SHOP: usize = 2;

/// A name of `MIN` to 80 characters, composed and without the white space around it. Empty for none if `MIN` is 0.
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
        parse(&text, MIN).map(Self)
    }
}

fn parse(text: &str, min: usize) -> Result<String, NameError> {
    let name = compose(text.trim());
    let chars: Vec<char> = name.chars().collect();
    let is_allowed = |(index, character): (usize, &char)| {
        !is_invisible(*character) || (is_joiner(*character) && is_between_letters(&chars, index))
    };
    if chars.len() < min {
        Err(NameError::TooShort(min))
    } else if chars.len() > MAX_CHARS {
        Err(NameError::TooLong)
    } else if !chars.iter().enumerate().all(is_allowed) {
        Err(NameError::Invisible)
    } else if name.contains("://") {
        Err(NameError::Link)
    } else if !chars.is_empty() && !name.contains(char::is_alphanumeric) {
        Err(NameError::NoLetter)
    } else {
        Ok(name)
    }
}

/// The name that replaces a stored one: blank for none, else of `min` to 80 characters. One that stays as it is is never refused, so
/// that a name that was stored by another rule does not stop the change of other fields.
pub fn replacement(stored: &str, text: &str, min: usize) -> Result<String, NameError> {
    match text {
        text if text == stored => Ok(stored.to_owned()),
        text if text.trim().is_empty() => Ok(String::new()),
        text => parse(text, min),
    }
}

/// Why a text is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NameError {
    #[error("must have {0} to {MAX_CHARS} characters")]
    TooShort(usize),
    #[error("must have at most {MAX_CHARS} characters")]
    TooLong,
    #[error("must not contain control or invisible characters")]
    Invisible,
    #[error("must not contain a link")]
    Link,
    #[error("must contain a letter or a digit")]
    NoLetter,
}

/// The zero width joiner and non-joiner, with which Persian, Sinhala, Hindi and others are written.
pub fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Whether letters or their marks, such as the virama, stand on both sides.
fn is_between_letters(chars: &[char], index: usize) -> bool {
    let classes = CanonicalCombiningClassMapBorrowed::new();
    let is_letter = |character: &char| character.is_alphabetic() || classes.get_u8(*character) != 0;
    let neighbors = [index.checked_sub(1), Some(index + 1)];
    neighbors.into_iter().all(|index| index.and_then(|index| chars.get(index)).is_some_and(is_letter))
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
    fn a_name_has_a_letter_and_2_to_80_characters_and_no_link() {
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
            ("李雷", Ok("李雷")),
            ("7-11", Ok("7-11")),
            ("A\u{30a}sa", Ok("Åsa")),
            ("می\u{200c}نا", Ok("می\u{200c}نا")),
            ("ශ\u{dca}\u{200d}රී", Ok("ශ\u{dca}\u{200d}රී")),
            ("র\u{200d}\u{9cd}য", Ok("র\u{200d}\u{9cd}য")),
            ("\u{200c}Bo", Err(NameError::Invisible)),
            ("Bo\u{200d}", Err(NameError::Invisible)),
            ("Bo \u{200d}Ek", Err(NameError::Invisible)),
            ("B\u{200c}\u{200d}o", Err(NameError::Invisible)),
            ("--", Err(NameError::NoLetter)),
        ] {
            let name = Name::<2>::try_from(text.to_owned());
            assert_eq!(name.map(Name::into_string), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn what_stays_as_it_is_is_not_refused() {
        for (stored, text, expected) in [
            ("\u{202e}x", "\u{202e}x", Ok("\u{202e}x")),
            ("Bo", " ", Ok("")),
            ("Bo", "李", Ok("李")),
            ("Bo", "\u{202e}x", Err(NameError::Invisible)),
        ] {
            assert_eq!(replacement(stored, text, MIN_PERSON), expected.map(str::to_owned), "{text:?}");
        }
    }
}
