//! Texts that are recognized wherever they appear.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use super::places::{ALLOWED, Allowed};

/// Shorter texts would be found by chance.
const MIN_LENGTH: usize = 8;

/// The canaries of each kind: secrets, codes and personal data.
#[derive(Default)]
pub(crate) struct Canaries(BTreeMap<&'static str, BTreeSet<String>>);

impl Canaries {
    /// Notes a text of a kind, which has a row in the table of places.
    pub(crate) fn note(&mut self, kind: &'static str, text: &str) {
        assert!(ALLOWED.iter().any(|allowed| allowed.kind == kind), "{kind} is not in the table");
        assert!(text.len() >= MIN_LENGTH, "{kind} {text:?} is too short");
        self.0.entry(kind).or_default().insert(text.to_owned());
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values().map(BTreeSet::len).sum()
    }

    pub(crate) fn kinds(&self) -> usize {
        self.0.len()
    }

    /// Kinds of the table that the story has not met.
    pub(crate) fn missing(&self) -> Vec<String> {
        let missing = ALLOWED.iter().filter(|allowed| !self.0.contains_key(allowed.kind));
        missing.map(|allowed| format!("the story has no {}", allowed.kind)).collect()
    }

    /// Each canary in each of its spellings, with where it may be.
    pub(crate) fn spellings(&self) -> Vec<(&'static Allowed, String)> {
        let of_kind = |kind: &str| ALLOWED.iter().find(|allowed| allowed.kind == kind).unwrap();
        let all = self.0.iter().flat_map(|(kind, texts)| texts.iter().map(move |text| (of_kind(kind), text)));
        all.flat_map(|(allowed, text)| spellings(text).into_iter().map(move |spelling| (allowed, spelling))).collect()
    }
}

/// A text as it is, in base64, in hex, percent-encoded, and escaped in JSON.
fn spellings(text: &str) -> BTreeSet<String> {
    let percent_encoded = percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
    let json = serde_json::to_string(text).unwrap();
    BTreeSet::from([
        text.to_owned(),
        STANDARD_NO_PAD.encode(text),
        URL_SAFE_NO_PAD.encode(text),
        hex::encode(text),
        percent_encoded,
        json.trim_matches('"').to_owned(),
    ])
}
