//! Comparison of texts in searches.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Folds case and the forms in which Unicode can encode a character, so that texts that look alike are equal: `Å` and
/// `A` with a combining ring, or `ﬁ` and `fi`. A character keeps its diacritics: `a` does not match `å`.
pub fn fold(text: &str) -> String {
    // The capital of the mark U+0345 is a letter. As a letter, it keeps other marks from being sorted before it.
    let canonical = DecomposingNormalizerBorrowed::new_nfd().normalize(text).replace('\u{345}', "ι");
    let compatible = DecomposingNormalizerBorrowed::new_nfkd().normalize(&canonical);
    let mut folded = String::new();
    // The small letter of `İ` is `i` and a dot above, but the one that people type is `i`.
    for character in fold_case(&compatible).chars() {
        if character != '\u{307}' || !folded.ends_with('i') {
            folded.push(character);
        }
    }
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
    fn equates_the_forms_of_a_character_but_not_different_characters() {
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
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert!(!fold("Åsa").contains(&fold("a\u{301}")));
        assert!(!fold("å").contains(&fold("a")));
    }
}
