//! Request bodies: JSON, whatever the content type says, with errors that name the field.

use std::fmt;
use std::marker::PhantomData;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault::Fault;
use crate::app::App;
use crate::domain::money::{AmountError, Decimal};

/// The largest JSON body, in bytes. An application with all the directors and documents that there may be has half of
/// it, and a list of what came in this way has to fit into an answer.
pub const MAX_JSON_BYTES: usize = 128 * 1024;

/// A JSON body as `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// A body as it came, for endpoints that need its text.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

impl RawBody {
    /// Reads the text as a JSON object. The message names the field that is wrong.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        // serde would take an array for a struct, field by field.
        if self.0.trim_ascii_start().first() != Some(&b'{') {
            return Err(Fault::invalid("The body is not a JSON object."));
        }
        let mut json = serde_json::Deserializer::from_slice(&self.0);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| unreadable(&error))?;
        json.end().map_err(|_| Fault::invalid("The body is not valid JSON."))?;
        Ok(value)
    }
}

fn unreadable(error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let cause = error.inner();
    if !cause.is_data() {
        return Fault::invalid("The body is not valid JSON.");
    }
    let message = cause.to_string();
    // serde_json adds where in the text it was, which tells a caller nothing that the field does not.
    let message = message.split(" at line ").next().unwrap_or_default();
    let path = error.path().to_string();
    // The path of a missing field ends at its parent.
    let missing = message.strip_prefix("missing field `").and_then(|field| field.strip_suffix('`'));
    Fault::invalid(match (path.as_str(), missing) {
        (".", Some(field)) => format!("{field}: is missing."),
        (parent, Some(field)) => format!("{parent}.{field}: is missing."),
        (".", None) => format!("body: {message}"),
        (field, None) => format!("{field}: {message}"),
    })
}

impl FromRequest<App> for RawBody {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &App) -> Result<Self, Fault> {
        read(request, MAX_JSON_BYTES).await.map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &App) -> Result<Self, Fault> {
        RawBody::from_request(request, app).await?.parse().map(Self)
    }
}

/// The whole body, if it is no longer than `most` bytes.
pub(super) async fn read(request: Request, most: usize) -> Result<Bytes, Fault> {
    let too_large = || Fault::too_large(format!("The body is larger than {most} bytes."));
    to_bytes(request.into_body(), most).await.map_err(|_| too_large())
}

/// A `T` that is written as a JSON object. Left to itself, serde also reads structs from arrays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(fields))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Self)
    }
}

/// Reads an optional field that must not be null where it is there: with `serde(default)`, null and nothing differ.
pub fn non_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads an enum from the string that names its value. Left to itself, serde also reads it from an object, and
/// `serde_json` takes null for bad JSON.
pub fn enum_from_string<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

/// A JSON string or number, as text: ids that some clients write with quotes and some without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar(String);

impl Scalar {
    /// The text, unless it is blank.
    pub fn into_non_blank(self) -> Option<String> {
        Some(self.0.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        match serde_json::from_str(raw.get()) {
            Ok(Value::String(text)) => Ok(Self(text)),
            Ok(Value::Number(_)) => Ok(Self(raw.get().to_owned())),
            _ => Err(D::Error::custom("must be a string or a number")),
        }
    }
}

/// A JSON number. Strings are rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Number(pub Decimal);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <Box<RawValue>>::deserialize(deserializer)?;
        raw.get().parse().map(Self).map_err(|error| match error {
            AmountError::NotDecimal => D::Error::custom("must be a number"),
            error => D::Error::custom(error),
        })
    }
}
