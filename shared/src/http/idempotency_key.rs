//! The headers `Idempotency-Key` and `Idempotency-Made-At` of requests.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::endpoint_error::{General, Invalid, RetryAfter};
use crate::app::App;
use crate::endpoint_error;
use crate::operations::IdempotencyError;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Its name in the API description.
pub const KEY_HEADER: &str = "Idempotency-Key";
const MAX_KEY_LENGTH: usize = 255;

const MADE_AT: HeaderName = HeaderName::from_static("idempotency-made-at");
/// Its name in the API description.
pub const MADE_AT_HEADER: &str = "Idempotency-Made-At";
/// Its text in the API description.
pub const MADE_AT_TEXT: &str = "When the request was first made, such as 2026-01-15T10:00:00.000Z, by the clock of the `Date` \
                                header of the API's responses; the same in every repeat. After data was restored from a backup, \
                                a key that may have been used in the lost period is rejected (409, `RESTORED`) instead of being \
                                used again. Without this header, the key is treated as new.";

/// Whether a text can be a key: 1 to 255 visible ASCII characters without a comma, by which API Gateway joins headers that are given
/// twice.
pub fn is_key(text: &str) -> bool {
    (1..=MAX_KEY_LENGTH).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
}

/// A key in a body, for its description.
#[derive(Debug)]
pub struct KeyText(());

impl PartialSchema for KeyText {
    fn schema() -> RefOr<Schema> {
        let key = ObjectBuilder::new().schema_type(Type::String).max_length(Some(MAX_KEY_LENGTH));
        key.pattern(Some(format!("^[!-+\\--~]{{1,{MAX_KEY_LENGTH}}}$"))).build().into()
    }
}

impl ToSchema for KeyText {}

/// Whether a request carries a key, well-formed or not.
pub(super) fn has_key(headers: &HeaderMap) -> bool {
    headers.contains_key(KEY)
}

endpoint_error! {
    /// The request is not processed, because of its idempotency key.
    pub enum KeyError {
        /// The first request with this key is in progress.
        InProgress(RetryAfter) => 409 IN_PROGRESS "The first request with this Idempotency-Key is still in progress.",
        /// The key was cancelled.
        Cancelled => 409 CANCELLED
            "This Idempotency-Key was cancelled before anything was done with it. Nothing was done, and nothing will be.",
        /// The key was used more than 90 days ago.
        Expired(String) => 409 KEY_EXPIRED
            "This Idempotency-Key was used more than 90 days ago. Its request was carried out.",
        Restored(#[from] RestoredError),
        Reused(#[from] ReusedError),
    }
}

endpoint_error! {
    pub enum ReusedError {
        /// The key was used with another request.
        Reused => 422 IDEMPOTENCY_KEY_REUSED "Idempotency-Key: was used with another request.",
    }
}

endpoint_error! {
    pub enum RestoredError {
        /// The key may have been used in a period that a restore has lost.
        Restored => 409 RESTORED
            "Data was restored from a backup, and this request may already have been carried out. Check before you repeat it \
             with another Idempotency-Key.",
    }
}

/// While the first request is being processed.
const IN_PROGRESS_RETRY_AFTER: RetryAfter = RetryAfter(2);

impl From<IdempotencyError> for KeyError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::InProgress => Self::InProgress(IN_PROGRESS_RETRY_AFTER),
            IdempotencyError::Cancelled => Self::Cancelled,
            IdempotencyError::Expired { has_succeeded } => {
                let became = if has_succeeded { "was carried out" } else { "was refused, and nothing was done" };
                Self::Expired(format!("This Idempotency-Key was used more than 90 days ago. Its request {became}."))
            }
            IdempotencyError::Restored => RestoredError::Restored.into(),
            IdempotencyError::Reused => ReusedError::Reused.into(),
            IdempotencyError::Store(error) => error.into(),
        }
    }
}

/// The optional header. 400 unless it is given once and [is a key](is_key).
#[derive(Debug)]
pub struct KeyHeader(pub Option<String>);

impl FromRequestParts<App> for KeyHeader {
    type Rejection = General;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, General> {
        key(parts).map(Self).map_err(General::rejected)
    }
}

fn key(parts: &Parts) -> Result<Option<String>, Invalid> {
    let invalid = || Invalid::new("Idempotency-Key: must be given once, with 1 to 255 visible ASCII characters and no comma.");
    let key = single(parts, &KEY, KEY_HEADER)?;
    let key = key.map(|key| key.to_str().ok().filter(|key| is_key(key)).ok_or_else(invalid));
    Ok(key.transpose()?.map(str::to_owned))
}

/// When the request was made for the first time, if it says so. 400 unless it is a time.
#[derive(Debug)]
pub struct MadeAt(pub Option<Timestamp>);

impl FromRequestParts<App> for MadeAt {
    type Rejection = General;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, General> {
        made_at(parts).map(Self).map_err(General::rejected)
    }
}

fn made_at(parts: &Parts) -> Result<Option<Timestamp>, Invalid> {
    let parse = |time: &HeaderValue| time.to_str().ok()?.parse().ok();
    let invalid = || Invalid::new("Idempotency-Made-At: must be a time in ISO 8601, such as 2026-01-15T10:00:00.000Z.");
    let made_at = single(parts, &MADE_AT, MADE_AT_HEADER)?;
    made_at.map(|time| parse(time).ok_or_else(invalid)).transpose()
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
    pub headers: Result<IntentHeaders, Invalid>,
}

impl FromRequestParts<App> for Intent {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Infallible> {
        let has_key = has_key(&parts.headers);
        let headers = key(parts).and_then(|key| Ok(IntentHeaders { key, made_at: made_at(parts)? }));
        Ok(Self { has_key, headers })
    }
}

/// The value of a header that can be given once.
fn single<'a>(parts: &'a Parts, name: &HeaderName, shown: &str) -> Result<Option<&'a HeaderValue>, Invalid> {
    let mut values = parts.headers.get_all(name).into_iter();
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        (_, Some(_)) => Err(Invalid::new(format!("{shown}: is given more than once."))),
    }
}
