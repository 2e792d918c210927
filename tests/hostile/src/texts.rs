//! Lists of texts, which are in files of JSON beside the code that sends them.

use std::collections::BTreeMap;

/// The lists of a file, by name.
pub(crate) type Lists = BTreeMap<String, Vec<String>>;

pub(crate) fn lists(file: &str) -> Lists {
    serde_json::from_str(file).unwrap()
}

/// Each text with values in the place of names such as `{key}`.
pub(crate) fn filled<'a>(texts: &'a [String], values: &'a [(&str, &str)]) -> impl Iterator<Item = String> + 'a {
    let fill = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
    texts.iter().map(move |text| values.iter().fold(text.clone(), fill))
}
