//! Comparison of texts in searches.

use std::ops::RangeInclusive;

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Combining marks of Latin, Greek and Cyrillic letters.
const DIACRITICS: RangeInclusive<char> = '\u{300}'..='\u{36f}';

/// Folds case, accents and the forms in which Unicode can encode a character, so that people find what they can type: `cafe` matches
/// `Café`, `asa` matches `Åsa`, and `fi` matches `ﬁ`. Signs of other scripts than Latin, Greek and Cyrillic stay.
pub fn fold(text: &str) -> String {
    // The capital of the mark U+0345 is a letter. As a letter, it keeps other marks from being sorted before it.
    let canonical = DecomposingNormalizerBorrowed::new_nfd().normalize(text).replace('\u{345}', "ι");
    let compatible = DecomposingNormalizerBorrowed::new_nfkd().normalize(&canonical);
    let folded: String = fold_case(&compatible).chars().filter(|character| !DIACRITICS.contains(character)).collect();
    ComposingNormalizerBorrowed::new_nfkc().normalize(&folded).into_owned()
}

/// The text with composed characters, which are what a reader counts as one.
pub fn compose(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// Folds case character by character, so that a substring folds as it does within its word: `str::to_lowercase` maps a
/// final sigma differently, and does not equate `ß` with `SS`. The capital `ẞ` is lowercased first for the same reason.
fn fold_case(text: &str) -> String {
    let lowercase = text.chars().flat_map(char::to_lowercase);
    lowercase.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equates_what_people_type_for_a_character_but_not_different_characters() {
        for (one, other) in [
            ("Åsa", "A\u{30a}SA"),
            ("é", "e\u{301}"),
            ("ﬁn", "FIN"),
            ("ＡＢＣ１", "abc1"),
            ("한", "\u{1112}\u{1161}\u{11ab}"),
            ("Straße", "STRASSE"),
            ("ΐ", "Ϊ\u{301}"),
            ("Ή\u{345}\u{6ec}", "ή\u{345}\u{6ec}"),
            ("a\u{345}\u{ff9f}", "AΙ\u{ff9f}"),
            ("İzmir MİRAÇ", "izmir miraç"),
            ("ISPARTA", "ısparta"),
            ("Café", "cafe"),
            ("Åsa", "ASA"),
            ("Ἀθῆναι", "αθηναι"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        for (one, other) in [("a", "o"), ("か", "が"), ("कि", "क"), ("קָ", "ק")] {
            assert_ne!(fold(one), fold(other), "{one} {other}");
        }
    }
}
