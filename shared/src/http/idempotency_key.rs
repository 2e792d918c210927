//! The headers `Idempotency-Key` and `Idempotency-Made-At` of requests.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;

use super::fault::Fault;
use crate::app::App;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Its name in the API description.
pub const KEY_HEADER: &str = "Idempotency-Key";
const MAX_KEY_LENGTH: usize = 255;

const MADE_AT: HeaderName = HeaderName::from_static("idempotency-made-at");
/// Its name in the API description.
pub const MADE_AT_HEADER: &str = "Idempotency-Made-At";
/// Its text in the API description.
pub const MADE_AT_TEXT: &str = "When the request was made for the first time, such as 2026-01-15T10:00:00.000Z, by the \
     clock of the `Date` header of the API's responses; the same in every repeat. After data was restored from a backup, a \
     key that may have been used in the time that was lost is refused (409, `RESTORED`) instead of being used again. \
     Without this header, it is taken for a new key.";

/// Whether a text can be a key: 1 to 255 visible ASCII characters.
pub fn is_key(text: &str) -> bool {
    (1..=MAX_KEY_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether a request carries a key, well-formed or not.
pub(super) fn has_key(headers: &HeaderMap) -> bool {
    headers.contains_key(KEY)
}

/// The optional header. 400 unless it is 1 to 255 visible ASCII characters.
#[derive(Debug)]
pub struct KeyHeader(pub Option<String>);

impl FromRequestParts<App> for KeyHeader {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        let invalid = || Fault::invalid("Idempotency-Key: must be 1 to 255 visible ASCII characters.");
        let key = single(parts, &KEY, KEY_HEADER)?;
        let key = key.map(|key| key.to_str().ok().filter(|key| is_key(key)).ok_or_else(invalid));
        Ok(Self(key.transpose()?.map(str::to_owned)))
    }
}

/// When the request was made for the first time, if it says so. 400 unless it is a time.
#[derive(Debug)]
pub struct MadeAt(pub Option<Timestamp>);

impl FromRequestParts<App> for MadeAt {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        let parse = |time: &HeaderValue| time.to_str().ok()?.parse().ok();
        let invalid = || {
            Fault::invalid(
                "Idempotency-Made-At: must be a time in ISO 8601, such as 2026-01-15T10:00:00.000Z.",
            )
        };
        let made_at = single(parts, &MADE_AT, MADE_AT_HEADER)?;
        made_at.map(|time| parse(time).ok_or_else(invalid)).transpose().map(Self)
    }
}

/// The optional headers of a request that moves money.
#[derive(Debug)]
pub struct IntentHeaders {
    pub key: Option<String>,
    pub made_at: Option<Timestamp>,
}

/// The intent to move money, as the headers of the request tell of it.
#[derive(Debug)]
pub struct Intent {
    /// Whether there is an idempotency key, well-formed or not.
    pub has_key: bool,
    /// 400 if one of them is malformed.
    pub headers: Result<IntentHeaders, Fault>,
}

impl FromRequestParts<App> for Intent {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let has_key = has_key(&parts.headers);
        let key = KeyHeader::from_request_parts(parts, app).await;
        let made_at = MadeAt::from_request_parts(parts, app).await;
        let headers = key.and_then(|KeyHeader(key)| Ok(IntentHeaders { key, made_at: made_at?.0 }));
        Ok(Self { has_key, headers })
    }
}

/// The value of a header. 400 if it is given more than once.
fn single<'a>(parts: &'a Parts, name: &HeaderName, shown: &str) -> Result<Option<&'a HeaderValue>, Fault> {
    let mut values = parts.headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        (_, Some(_)) => Err(Fault::invalid(format!("{shown}: is given more than once."))),
    }
}
