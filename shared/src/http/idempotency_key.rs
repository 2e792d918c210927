//! The `Idempotency-Key` header of requests.

use axum::extract::FromRequestParts;
use http::HeaderName;
use http::request::Parts;

use super::fault::Fault;
use crate::app::App;

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
/// Its name in the API description.
pub const KEY_HEADER: &str = "Idempotency-Key";
const MAX_KEY_LENGTH: usize = 255;

/// The optional header. 400 unless it is 1 to 255 visible ASCII characters.
#[derive(Debug)]
pub struct KeyHeader(pub Option<String>);

impl FromRequestParts<App> for KeyHeader {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Fault> {
        let mut values = parts.headers.get_all(HEADER).into_iter();
        let key = match (values.next(), values.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.as_bytes()),
            (Some(_), Some(_)) => return Err(Fault::invalid("Idempotency-Key: is given more than once.")),
        };
        let parse = |key: &[u8]| {
            let is_valid = (1..=MAX_KEY_LENGTH).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic);
            is_valid.then(|| String::from_utf8_lossy(key).into_owned())
        };
        let invalid = || Fault::invalid("Idempotency-Key: must be 1 to 255 visible ASCII characters.");
        key.map(|key| parse(key).ok_or_else(invalid)).transpose().map(Self)
    }
}
