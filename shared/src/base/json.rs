//! JSON text: decimals, read digit by digit and never through a binary float, and how deeply it is nested.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::values::{AmountError, Decimal};

impl Decimal {
    /// Reads a JSON number, or a JSON string that contains a decimal.
    pub fn from_json(raw: &RawValue) -> Result<Self, AmountError> {
        match serde_json::from_str::<String>(raw.get()) {
            Ok(text) => text.trim().parse(),
            Err(_) => raw.get().parse(),
        }
    }
}

/// Writes a JSON number.
impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = RawValue::from_string(self.to_string()).map_err(serde::ser::Error::custom)?;
        number.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        Self::from_json(&raw).map_err(D::Error::custom)
    }
}

/// Of JSON that an upstream sends. Parsers of unknown fields have no limit of their own.
pub const MAX_UPSTREAM_LEVELS: usize = 64;

/// Parses what an upstream sends. Deeper JSON is an error wherever it is nested.
pub fn parse_upstream<'a, T: Deserialize<'a>>(body: &'a [u8]) -> serde_json::Result<T> {
    if is_deeper_than(MAX_UPSTREAM_LEVELS, body) {
        return Err(serde_json::Error::custom("nested in too many levels"));
    }
    serde_json::from_slice(body)
}

/// Whether arrays and objects are nested in more than this number of levels. Values that are passed on as text are not
/// parsed, so that no parser limits their depth. Also works on text that is not JSON.
pub fn is_deeper_than(levels: usize, json: &[u8]) -> bool {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > levels {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_are_read_alike_and_nothing_else_is_accepted() {
        for (json, expected) in [("12.34", "12.34"), ("\"25.50\"", "25.5"), ("1e2", "100"), ("0.1", "0.1"), ("0", "0")] {
            assert_eq!(serde_json::from_str::<Decimal>(json).unwrap().to_string(), expected);
        }
        for json in ["true", "null", "[]", "{}", "\"\"", "\"NaN\"", "1e400"] {
            assert!(serde_json::from_str::<Decimal>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn levels_are_those_of_arrays_and_objects_outside_of_strings() {
        for (json, depth) in [
            ("7", 0),
            ("[]", 1),
            ("[[], [[1]], {}]", 3),
            (r#"{"a": {"b": [1]}}"#, 3),
            (r#"["[[[[", "\"[[[[", "\\", [1]]"#, 2),
            ("]]]][[", 2),
        ] {
            assert!(!is_deeper_than(depth, json.as_bytes()), "{json}");
            assert!(depth == 0 || is_deeper_than(depth - 1, json.as_bytes()), "{json}");
        }
    }
}
