//! Decimals in JSON, read digit by digit from the JSON text and never through a binary float.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::domain::money::{AmountError, Decimal};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_strings_are_read_alike_and_nothing_else_is_accepted() {
        for (json, expected) in
            [("12.34", "12.34"), ("\"25.50\"", "25.5"), ("1e2", "100"), ("0.1", "0.1"), ("0", "0")]
        {
            assert_eq!(serde_json::from_str::<Decimal>(json).unwrap().to_string(), expected);
        }
        for json in ["true", "null", "[]", "{}", "\"\"", "\"NaN\"", "1e400"] {
            assert!(serde_json::from_str::<Decimal>(json).is_err(), "{json}");
        }
    }
}
