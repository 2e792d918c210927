//! Texts of searches.

use icu_normalizer::DecomposingNormalizerBorrowed;
use shared::cards::model::order::OrderFilter;
use shared::values::{compose, fold};

use crate::support::text;

pub fn search_text(data: &[u8]) {
    let typed = text(data);
    let folded = fold(&typed);
    assert_eq!(fold(&folded), folded, "{typed:?}");
    let composed = compose(&typed);
    assert_eq!(compose(&composed), composed);
    assert_eq!(fold(&composed), folded, "{typed:?}");
    // Unicode changes the case of decomposed text: the capital of the mark U+0345 is a letter, which other marks would stand behind.
    let decomposed = DecomposingNormalizerBorrowed::new_nfd().normalize(&typed);
    for same in [decomposed.to_uppercase(), decomposed.to_lowercase()] {
        assert_eq!(fold(&same), folded, "{typed:?} {same:?}");
    }
    let searched = OrderFilter::text(&typed);
    assert!(searched.chars().count() <= 120);
    assert_eq!(OrderFilter::text(&searched), searched.trim_end());
    // A text is found where it stands between others.
    assert!(fold(&format!("a {searched} b")).contains(&fold(&searched)), "{searched:?}");
}
