//! Fields of requests with bounds. The type refuses what is outside of them, and describes them.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::body::Object;
use super::endpoint_error::Invalid;
use crate::values::Minor;

const INT32: SchemaFormat = SchemaFormat::KnownFormat(KnownFormat::Int32);
const INT64: SchemaFormat = SchemaFormat::KnownFormat(KnownFormat::Int64);

/// A text of `MIN` to `MAX` characters on one line, without the white space around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let text = text.trim();
        if (MIN..=MAX).contains(&text.chars().count()) && !text.chars().any(char::is_control) {
            return Ok(Self(text.to_owned()));
        }
        let length = if MIN == 0 { format!("at most {MAX}") } else { format!("{MIN} to {MAX}") };
        Err(D::Error::custom(format!("must have {length} characters on one line")))
    }
}

impl<const MIN: usize, const MAX: usize> PartialSchema for Text<MIN, MAX> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).max_length(Some(MAX));
        let text = if MIN == 0 { text } else { text.min_length(Some(MIN)).pattern(Some(r"\S")) };
        text.build().into()
    }
}

impl<const MIN: usize, const MAX: usize> ToSchema for Text<MIN, MAX> {
    fn name() -> Cow<'static, str> {
        format!("Text{MIN}To{MAX}").into()
    }
}

/// A text of at most `MAX` characters, for a field in which null or a blank text means something of its own.
#[derive(Debug)]
pub struct MaxChars<const MAX: usize>(());

impl<const MAX: usize> MaxChars<MAX> {
    /// Refuses a text that is longer.
    pub fn check(field: &str, text: &str) -> Result<(), Invalid> {
        if text.chars().count() <= MAX {
            return Ok(());
        }
        Err(Invalid::new(format!("{field}: must be at most {MAX} characters.")))
    }
}

impl<const MAX: usize> PartialSchema for MaxChars<MAX> {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).max_length(Some(MAX)).build().into()
    }
}

impl<const MAX: usize> ToSchema for MaxChars<MAX> {
    fn name() -> Cow<'static, str> {
        format!("TextTo{MAX}").into()
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Whole<const MIN: u32, const MAX: u32>(u32);

/// A whole number from 0 to `MAX`.
pub type UpTo<const MAX: u32> = Whole<0, MAX>;

impl<const MIN: u32, const MAX: u32> Whole<MIN, MAX> {
    pub const fn get(self) -> u32 {
        self.0
    }
}

/// A stored number: it was in bounds when it was set.
impl<const MIN: u32, const MAX: u32> From<u32> for Whole<MIN, MAX> {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

impl<'de, const MIN: u32, const MAX: u32> Deserialize<'de> for Whole<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(deserializer)?;
        if (MIN..=MAX).contains(&number) {
            return Ok(Self(number));
        }
        let bounds = if MIN == 0 { format!("at most {MAX}") } else { format!("{MIN} to {MAX}") };
        Err(D::Error::custom(format!("must be {bounds}")))
    }
}

impl<const MIN: u32, const MAX: u32> PartialSchema for Whole<MIN, MAX> {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer).format(Some(INT32));
        number.minimum(Some(MIN)).maximum(Some(MAX)).build().into()
    }
}

impl<const MIN: u32, const MAX: u32> ToSchema for Whole<MIN, MAX> {
    fn name() -> Cow<'static, str> {
        if MIN == 0 { format!("UpTo{MAX}").into() } else { format!("Whole{MIN}To{MAX}").into() }
    }
}

/// An amount of 1 or more, in minor units of a currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositiveMinor(Minor);

impl PositiveMinor {
    pub const fn get(self) -> Minor {
        self.0
    }
}

impl<'de> Deserialize<'de> for PositiveMinor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let amount = i64::deserialize(deserializer)?;
        if (1..=Minor::MAX.get()).contains(&amount) {
            return Ok(Self(Minor::new(amount)));
        }
        Err(D::Error::custom("must be a whole number of 1 or more"))
    }
}

impl PartialSchema for PositiveMinor {
    fn schema() -> RefOr<Schema> {
        let amount = ObjectBuilder::new().schema_type(Type::Integer).format(Some(INT64));
        amount.minimum(Some(1)).maximum(Some(Minor::MAX.get())).build().into()
    }
}

impl ToSchema for PositiveMinor {}

/// A list of at most `MAX` objects.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Vec<Object<T>>", bound(deserialize = "T: Deserialize<'de>"))]
pub struct List<T, const MAX: usize>(pub Vec<Object<T>>);

impl<T, const MAX: usize> TryFrom<Vec<Object<T>>> for List<T, MAX> {
    type Error = String;

    fn try_from(list: Vec<Object<T>>) -> Result<Self, String> {
        if list.len() > MAX {
            return Err(format!("must have at most {MAX} entries"));
        }
        Ok(Self(list))
    }
}

impl<T: ToSchema, const MAX: usize> PartialSchema for List<T, MAX> {
    fn schema() -> RefOr<Schema> {
        ArrayBuilder::new().items(Ref::from_schema_name(T::name())).max_items(Some(MAX)).build().into()
    }
}

impl<T: ToSchema, const MAX: usize> ToSchema for List<T, MAX> {
    fn name() -> Cow<'static, str> {
        format!("{}s", T::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only deserialized")]
    struct Body {
        #[serde(default)]
        name: Option<Text<2, 4>>,
        #[serde(default)]
        note: Option<Text<0, 4>>,
        #[serde(default)]
        days: Option<UpTo<365>>,
        #[serde(default)]
        price: Option<PositiveMinor>,
        #[serde(default)]
        list: Option<List<Entry, 2>>,
    }

    #[derive(Debug, Deserialize)]
    struct Entry {}

    #[test]
    fn values_outside_of_their_bounds_are_refused() {
        for (body, refusal) in [
            (r#"{"name": " ab "}"#, None),
            (r#"{"name": "åäöå"}"#, None),
            (r#"{"name": " a "}"#, Some("must have 2 to 4 characters on one line")),
            (r#"{"name": "abcde"}"#, Some("must have 2 to 4 characters on one line")),
            (r#"{"name": "a\nb"}"#, Some("must have 2 to 4 characters on one line")),
            (r#"{"note": ""}"#, None),
            (r#"{"note": "abcde"}"#, Some("must have at most 4 characters on one line")),
            (r#"{"days": 365}"#, None),
            (r#"{"days": 366}"#, Some("must be at most 365")),
            (r#"{"price": 0}"#, Some("must be a whole number of 1 or more")),
            (r#"{"list": [{}, {}]}"#, None),
            (r#"{"list": [{}, {}, {}]}"#, Some("must have at most 2 entries")),
        ] {
            let parsed: Result<Body, _> = serde_json::from_str(body);
            let message = parsed.err().map(|error| error.to_string());
            let message = message.as_ref().and_then(|message| message.split(" at line ").next());
            assert_eq!(message, refusal, "{body}");
        }
    }
}
