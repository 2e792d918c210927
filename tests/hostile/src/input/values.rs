//! Values that programs stumble over.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};
use world::SeededRandom;

/// Before a raw token, in a text that stands for it.
const RAW: char = '\u{f8ff}';

static LISTS: LazyLock<BTreeMap<String, Vec<String>>> =
    LazyLock::new(|| serde_json::from_str(include_str!("values.json")).unwrap());

/// One of the texts of a list of `values.json`.
pub(super) fn any(list: &str, random: &mut SeededRandom) -> String {
    random.pick(&LISTS[list]).clone()
}

/// A text with a marker that no answer may show as markup or in a header.
pub(super) fn markup(marker: &str, random: &mut SeededRandom) -> String {
    let forms = ["<script>M</script>", "\"><img src=x onerror=M>", "</title><M>", "'onmouseover='M", "<!--M", "<M>", "M"];
    random.pick(&forms).replace('M', marker)
}

/// A long text whose characters begin at odd places.
pub(super) fn long() -> String {
    format!("a{}", "\u{e5}\u{202e}".repeat(75))
}

/// A text to be a value of anything.
pub(super) fn text(marker: &str, random: &mut SeededRandom) -> String {
    match random.below(10) {
        0..=2 => markup(marker, random),
        3 => "x".repeat(*random.pick(&[81, 121, 201, 501, 1025, 5001])),
        4 => "\u{e5}".repeat(*random.pick(&[63, 127, 255, 1024])),
        _ => any("texts", random),
    }
}

/// Any JSON. Some of it becomes JSON, or less, only in [`to_text`].
pub(super) fn json(marker: &str, random: &mut SeededRandom) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => json!(random.percent(50)),
        2 => json!(random.below(3) - 1),
        3 => json!(i64::MAX - random.below(2)),
        4 => json!(0.1 + 0.2),
        5 => random.pick(&[json!([]), json!({}), json!([null]), json!([[]]), json!({"": ""}), json!([{}])]).clone(),
        // What is written into a body as it is: numbers beyond all types, and what is no JSON.
        6..=8 => format!("{RAW}{}", any("tokens", random)).into(),
        9 => {
            let depth = *random.pick(&[20, 63, 64, 65, 127, 128, 129, 500]);
            (0..depth).fold(Value::Null, |inner, _| if depth % 2 == 0 { json!([inner]) } else { json!({"a": inner}) })
        }
        _ => text(marker, random).into(),
    }
}

/// The text of a body, with tokens in their places.
pub(super) fn to_text(body: &Value) -> String {
    let place = |text: String, token: &String| text.replace(&Value::from(format!("{RAW}{token}")).to_string(), token);
    LISTS["tokens"].iter().fold(body.to_string(), place)
}
