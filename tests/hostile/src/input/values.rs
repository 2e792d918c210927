//! Values that programs stumble over.

use serde_json::{Value, json};
use world::SeededRandom;

/// Before the number of a raw token, in a text that stands for it.
const RAW: char = '\u{f8ff}';

/// Texts that are written into a JSON body as they are: numbers beyond all types, and what is no JSON.
const TOKENS: [&str; 36] = [
    "1e999999",
    "-1e999999",
    "1e-999999",
    "123456789012345678901234567890",
    "-0",
    "0.0",
    "1.0000000000000000000000001",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "1E+2",
    "100e-1",
    "NaN",
    "Infinity",
    "01",
    "+1",
    ".5",
    "1.",
    "0x10",
    "\"\\ud800\"",
    "\"\\udfff\\ud800\"",
    "\"\\u0000\"",
    "\"\\x41\"",
    "'single'",
    "\"unterminated",
    "undefined",
    "/* comment */ 1",
    "{\"a\": 1, \"a\": 2}",
    "[1,]",
    "{\"a\":}",
    "tru",
    "\"a\ttab\"",
    "\"\\u12\"",
    "1 2",
    "",
];

const TEXTS: [&str; 50] = [
    "",
    " ",
    "\u{0}",
    "\u{202e}evil\u{202c}",
    "\u{feff}",
    "\u{200b}",
    "\u{2028}",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
    "e\u{301}\u{301}\u{301}",
    "\u{fffd}",
    "\u{10ffff}",
    "\u{e000}",
    "\r\nX-Injected: yes",
    "%0d%0aX-Injected: yes",
    "{{7*7}}",
    "${jndi:ldap://a}",
    "%00",
    "%2e%2e%2f",
    "../../etc/passwd",
    "=cmd|' /C calc'!A0",
    "'; DROP TABLE x; --",
    "1e5",
    "null",
    "true",
    "-1",
    "0",
    "0.001",
    "1e400",
    "\u{663}",
    "\u{ff11}",
    "\u{ff1d}1",
    "2026-02-30",
    "9999-12-31",
    "-9999-01-01",
    "0000-00-00",
    "2026-01-01T00:00:00+99:99",
    "9999-12-31T23:59:59.999999999Z",
    "2026-01-01T00:00:00",
    "XXX",
    "sek",
    "a@b",
    "a@b.example\r\nBcc: c@d.example",
    "\"<a>\"@b.example",
    "http://[::1",
    "https://user:pass@host.example:99999/",
    "javascript:alert(1)",
    "data:text/html,<b>",
    "UTC+99:99",
    "Europe/../Stockholm",
    "#;?/\\",
];

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
        _ => (*random.pick(&TEXTS)).to_owned(),
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
        6..=8 => token(random.below(i64::try_from(TOKENS.len()).unwrap())),
        9 => {
            let depth = *random.pick(&[20, 63, 64, 65, 127, 128, 129, 500]);
            (0..depth).fold(Value::Null, |inner, _| if depth % 2 == 0 { json!([inner]) } else { json!({"a": inner}) })
        }
        _ => text(marker, random).into(),
    }
}

fn token(number: i64) -> Value {
    format!("{RAW}{number}").into()
}

/// The text of a body, with tokens in their places.
pub(super) fn to_text(body: &Value) -> String {
    let text = body.to_string();
    TOKENS.iter().enumerate().fold(text, |text, (number, token)| text.replace(&format!("\"{RAW}{number}\""), token))
}
