//! JSON request bodies. The content type is ignored. Errors name the field.

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

/// The maximum size of a JSON body, in bytes. The largest valid application is half as long, and lists of what was
/// sent must fit into a Lambda response of 6 MB.
pub const MAX_JSON_BYTES: usize = 128 * 1024;

/// A JSON body as `T`.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// A body as it was received, for endpoints that need its bytes.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

impl RawBody {
    /// Parses a JSON object. The error message names the invalid field.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        // serde also deserializes structs from arrays, field by field.
        if self.0.trim_ascii_start().first() != Some(&b'{') {
            return Err(Fault::invalid("The body is not a JSON object."));
        }
        let mut json = serde_json::Deserializer::from_slice(&self.0);
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| invalid_json(&error))?;
        json.end().map_err(|_| Fault::invalid("The body is not valid JSON."))?;
        Ok(value)
    }
}

fn invalid_json(error: &serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let cause = error.inner();
    if !cause.is_data() {
        return Fault::invalid("The body is not valid JSON.");
    }
    let message = cause.to_string();
    // serde_json appends the line and the column. The field is enough for the caller.
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
        read_bytes(request, MAX_JSON_BYTES).await.map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &App) -> Result<Self, Fault> {
        RawBody::from_request(request, app).await?.parse().map(Self)
    }
}

/// Reads a body of at most `max_bytes`. 413 if it is longer.
pub(super) async fn read_bytes(request: Request, max_bytes: usize) -> Result<Bytes, Fault> {
    let too_large = || Fault::too_large(format!("The body is larger than {max_bytes} bytes."));
    to_bytes(request.into_body(), max_bytes).await.map_err(|_| too_large())
}

/// A `T` that is deserialized only from a JSON object. By default, serde also deserializes structs from arrays.
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

/// Deserializes an optional field that must not be null. With `serde(default)`, the field can be omitted.
pub fn non_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Deserializes an enum from a string. By default, serde also accepts an object, and for null `serde_json` returns a
/// syntax error without the field's name.
pub fn enum_from_string<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

/// A JSON string or number, as text. For ids that some clients send as strings and others as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar(String);

impl Scalar {
    /// Trims; `None` if blank.
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
