//! Enums of stored rows, which may hold a value that only another release of the code knows.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of the enum `T`, or the text of one that this release does not know.
///
/// During a gradual deployment two releases share the table, and a deployment can be rolled back. So unknown values are
/// kept as they are, written back unchanged and shown as text.
#[derive(Clone, PartialEq, Eq)]
pub enum OpenEnum<T> {
    Known(T),
    Unknown(String),
}

impl<T: Copy> OpenEnum<T> {
    /// The value, if this release knows it.
    pub fn known(&self) -> Option<T> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Unknown(_) => None,
        }
    }

    /// The label of a known value, or the text of an unknown one.
    pub fn label(&self, label: impl FnOnce(T) -> &'static str) -> &str {
        match self {
            Self::Known(value) => label(*value),
            Self::Unknown(text) => text,
        }
    }
}

impl<T> From<T> for OpenEnum<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: PartialEq> PartialEq<T> for OpenEnum<T> {
    fn eq(&self, other: &T) -> bool {
        matches!(self, Self::Known(value) if value == other)
    }
}

/// The stored text.
impl<T: Serialize> fmt::Display for OpenEnum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `Formatter` implements `Serializer` for unit variants: it writes their name.
        match self {
            Self::Known(value) => value.serialize(f),
            Self::Unknown(text) => f.write_str(text),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for OpenEnum<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Unknown(text) => write!(f, "Unknown({text:?})"),
        }
    }
}

impl<T: Serialize> Serialize for OpenEnum<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(value) => value.serialize(serializer),
            Self::Unknown(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for OpenEnum<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known: StrDeserializer<'_, serde::de::value::Error> = text.as_str().into_deserializer();
        Ok(T::deserialize(known).map_or_else(|_| Self::Unknown(text.clone()), Self::Known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cards::model::order::OrderStatus;

    #[test]
    fn unknown_values_survive_a_round_trip() {
        for (json, known) in [(r#""PAID""#, Some(OrderStatus::Paid)), (r#""ON_HOLD""#, None), (r#""paid""#, None)] {
            let status: OpenEnum<OrderStatus> = serde_json::from_str(json).unwrap();
            assert_eq!(status.known(), known);
            assert_eq!(serde_json::to_string(&status).unwrap(), json);
            assert_eq!(format!("\"{status}\""), json);
        }
        assert!(serde_json::from_str::<OpenEnum<OrderStatus>>("7").is_err());
    }

    #[test]
    fn an_unknown_value_equals_no_known_one() {
        assert_eq!(OpenEnum::from(OrderStatus::Paid), OrderStatus::Paid);
        assert_ne!(OpenEnum::Unknown("PAID".to_owned()), OrderStatus::Paid);
    }
}
