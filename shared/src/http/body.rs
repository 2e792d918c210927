//! JSON request bodies. The content type matters only to requests with the session cookie. Errors name the field.

use std::error::Error;
use std::fmt;
use std::marker::PhantomData;

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use bytes::Bytes;
use http::header;
use http_body_util::LengthLimitError;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::endpoint_error::{General, Invalid};
use super::fault::Fault;
use crate::app::App;
use crate::values::{AmountError, Decimal, non_blank};

/// The maximum size of a JSON body, in bytes. The largest valid application is half as long, and lists of what was
/// sent must fit into a Lambda response of 6 MB.
pub(super) const MAX_JSON_BYTES: usize = 128 * 1024;

/// Marks a write whose body must have a content type that forms of other sites cannot send: one that the session cookie
/// authenticates, or that sets cookies.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonOnly;

#[derive(Debug)]
pub struct JsonBody<T>(pub T);

/// A body as it was received, for endpoints that need its bytes.
#[derive(Debug)]
pub struct RawBody(pub Bytes);

impl RawBody {
    /// The body without the byte order mark that some clients send.
    pub fn json(&self) -> &[u8] {
        self.0.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.0)
    }

    /// Parses a JSON object. The error message names the invalid field.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Invalid> {
        // serde also deserializes structs from arrays, field by field.
        if self.json().trim_ascii_start().first() != Some(&b'{') {
            return Err(Invalid::new("The body is not a JSON object."));
        }
        let mut json = serde_json::Deserializer::from_slice(self.json());
        let value = serde_path_to_error::deserialize(&mut json).map_err(|error| invalid_json(&error))?;
        json.end().map_err(|_| Invalid::new("The body is not valid JSON."))?;
        Ok(value)
    }
}

fn invalid_json(error: &serde_path_to_error::Error<serde_json::Error>) -> Invalid {
    let cause = error.inner();
    if !cause.is_data() {
        return Invalid::new("The body is not valid JSON.");
    }
    let message = cause.to_string();
    // serde_json appends the line and the column. The field is enough for the caller.
    let place = format!(" at line {} column {}", cause.line(), cause.column());
    let message = message.strip_suffix(&place).unwrap_or(&message);
    let path = error.path().to_string();
    // The path of a missing or a repeated field ends at its parent.
    let of_child = |prefix| message.strip_prefix(prefix).and_then(|field| field.strip_suffix('`'));
    let missing = of_child("missing field `").map(|field| (field, "is missing."));
    let child = missing.or(of_child("duplicate field `").map(|field| (field, "is given more than once.")));
    Invalid::new(match (path.as_str(), child) {
        (".", Some((field, problem))) => format!("{field}: {problem}"),
        (parent, Some((field, problem))) => format!("{parent}.{field}: {problem}"),
        (".", None) => format!("body: {}", in_plain_words(message)),
        (field, None) => format!("{field}: {}", in_plain_words(message)),
    })
}

/// A sentence for the caller instead of serde's message.
fn in_plain_words(message: &str) -> String {
    // What was sent comes first, and can contain anything.
    let (problem, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    let names = match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    };
    let is = |prefix| problem.starts_with(prefix);
    if is("invalid type: ") || is("invalid value: ") || is("invalid length ") {
        format!("must be {}.", kind(expected))
    } else if is("unknown variant `") {
        format!("must be {names}.")
    } else if is("unknown field `") {
        format!("cannot be given here. The known fields are {}.", names.replace(" or ", " and "))
    } else if message.ends_with('.') {
        message.to_owned()
    } else {
        format!("{message}.")
    }
}

/// The JSON name of a type that serde expects.
fn kind(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" => "a whole number",
        "f32" | "f64" => "a number",
        expected if expected.starts_with("struct ") => "an object",
        expected => expected,
    }
}

impl FromRequest<App> for RawBody {
    type Rejection = General;

    async fn from_request(request: Request, _: &App) -> Result<Self, General> {
        let is_accepted = !needs_content_type(&request) || is_json(&request);
        let body = read_bytes(request, MAX_JSON_BYTES).await.map_err(General::rejected)?;
        if !is_accepted && !body.is_empty() {
            return Err(General::rejected(not_json()));
        }
        Ok(Self(body))
    }
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = General;

    async fn from_request(request: Request, app: &App) -> Result<Self, General> {
        let body = RawBody::from_request(request, app).await?;
        body.parse().map(Self).map_err(General::rejected)
    }
}

pub(super) fn not_json() -> Fault {
    Fault::unsupported_type("Content-Type: must be application/json.")
}

/// Whether the body of the request must have the content type of its route.
pub(super) fn needs_content_type(request: &Request) -> bool {
    request.extensions().get::<JsonOnly>().is_some()
}

/// Whether the content type is `application/json` or another type with the suffix `+json`.
pub(super) fn is_json(request: &Request) -> bool {
    let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Reads a body of at most `max_bytes`. 413 if it is longer, and 400 if it ends too early.
pub(super) async fn read_bytes(request: Request, max_bytes: usize) -> Result<Bytes, Fault> {
    to_bytes(request.into_body(), max_bytes).await.map_err(|error| {
        if error.source().is_some_and(<dyn Error>::is::<LengthLimitError>) {
            Fault::too_large(format!("The body is larger than {max_bytes} bytes."))
        } else {
            Fault::invalid("The body is incomplete.")
        }
    })
}

/// Refuses a value that would be passed on as text, but that strict parsers do not read. JSON allows such numbers and texts.
pub fn require_readable(field: &str, value: &RawValue) -> Result<(), Invalid> {
    let is_readable = serde_json::from_str::<Value>(value.get()).is_ok();
    let message = || format!("{field}: must not contain numbers beyond 1e308 or unpaired surrogates.");
    is_readable.then_some(()).ok_or_else(|| Invalid::new(message()))
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
pub fn non_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Deserializes a field that null removes. With `serde(default)`, the field can be omitted, which leaves it as it is.
pub fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Deserializes an enum from a string. By default, serde also accepts an object, and for null `serde_json` returns a
/// syntax error without the field's name.
pub fn enum_from_string<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

/// As [`enum_from_string`], for an optional field that must not be null. With `serde(default)`, the field can be omitted.
pub fn non_null_enum<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    enum_from_string(deserializer).map(Some)
}

/// A JSON string or number, as text. For ids that some clients send as strings and others as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar(String);

impl Scalar {
    /// Trims; `None` if blank.
    pub fn into_non_blank(self) -> Option<String> {
        non_blank(Some(&self.0)).map(str::to_owned)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only deserialized")]
    struct Body {
        name: String,
        count: Option<u32>,
        done: Option<bool>,
        kind: Option<Kind>,
        list: Option<Vec<Kind>>,
        amount: Option<Number>,
        id: Option<Scalar>,
    }

    #[derive(Debug, Deserialize)]
    enum Kind {
        Small,
        Large,
    }

    #[test]
    fn messages_name_the_field_and_what_it_can_be() {
        for (body, message) in [
            ("{}", "name: is missing."),
            (r#"{"name": 7}"#, "name: must be a string."),
            (r#"{"name": null}"#, "name: must be a string."),
            (r#"{"name": "A", "name": "B"}"#, "name: is given more than once."),
            (r#"{"count": -1}"#, "count: must be a whole number."),
            (r#"{"count": 1.5}"#, "count: must be a whole number."),
            (r#"{"done": ", expected `x`"}"#, "done: must be true or false."),
            (r#"{"kind": "Huge, expected `x`"}"#, "kind: must be Small or Large."),
            (r#"{"list": {}}"#, "list: must be a list."),
            (r#"{"list": ["Small", "Huge"]}"#, "list[1]: must be Small or Large."),
            (r#"{"amount": "1"}"#, "amount: must be a number."),
            (r#"{"id": {}}"#, "id: must be a string or a number."),
            (r#"{"kind": "Huge at line 1 column 2"}"#, "kind: must be Small or Large."),
            (r#"{"nme": 1}"#, "nme: cannot be given here. The known fields are name, count, done, kind, list, amount and id."),
            ("[]", "The body is not a JSON object."),
            ("{", "The body is not valid JSON."),
        ] {
            let invalid = RawBody(Bytes::from_static(body.as_bytes())).parse::<Body>().unwrap_err();
            assert_eq!(invalid.message(), message, "{body}");
        }
    }
}
