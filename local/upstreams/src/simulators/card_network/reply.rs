//! Replies to calls.

use std::borrow::Cow;
use std::io;

use http::StatusCode;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use crate::simulators::ErrorBody;

/// The status code and the JSON body of a reply.
pub(super) type JsonReply = (StatusCode, Box<RawValue>);

pub(super) type CallResult = Result<JsonReply, ErrorReply>;

/// An error reply: `{"code", "message"}` and a status code.
#[derive(Debug)]
pub(super) struct ErrorReply {
    pub(super) status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
}

pub(super) const UNAUTHORIZED: ErrorReply = fixed(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "the API key is missing or wrong");
pub(super) const UNKNOWN_CALL: ErrorReply = fixed(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such call");
pub(super) const MERCHANT_NOT_FOUND: ErrorReply = fixed(StatusCode::NOT_FOUND, "MERCHANT_NOT_FOUND", "no such merchant");
pub(super) const STORE_NOT_FOUND: ErrorReply = fixed(StatusCode::NOT_FOUND, "STORE_NOT_FOUND", "no such store");
pub(super) const STORE_EXISTS: ErrorReply =
    fixed(StatusCode::CONFLICT, "STORE_EXISTS", "the merchant has a store with this externalId");
pub(super) const OFFER_NOT_FOUND: ErrorReply = fixed(StatusCode::NOT_FOUND, "OFFER_NOT_FOUND", "no such offer");
pub(super) const OFFER_NOT_AVAILABLE: ErrorReply = unprocessable("OFFER_NOT_AVAILABLE", "the offer is not available");
pub(super) const CARD_NOT_FOUND: ErrorReply = fixed(StatusCode::NOT_FOUND, "CARD_NOT_FOUND", "no such card");
pub(super) const CARD_EXPIRED: ErrorReply = unprocessable("CARD_EXPIRED", "the card has expired");
pub(super) const CARD_BLOCKED: ErrorReply = unprocessable("CARD_BLOCKED", "the card is blocked");
pub(super) const INSUFFICIENT_FUNDS: ErrorReply = unprocessable("INSUFFICIENT_FUNDS", "the card holds less than that");
pub(super) const OPERATION_NOT_FOUND: ErrorReply =
    fixed(StatusCode::NOT_FOUND, "OPERATION_NOT_FOUND", "the reference was never seen, and is refused from now on");
pub(super) const REFERENCE_FENCED: ErrorReply =
    fixed(StatusCode::CONFLICT, "REFERENCE_FENCED", "the reference was reported as never seen");

const fn fixed(status: StatusCode, code: &'static str, message: &'static str) -> ErrorReply {
    ErrorReply { status, code, message: Cow::Borrowed(message) }
}

/// A business error.
const fn unprocessable(code: &'static str, message: &'static str) -> ErrorReply {
    fixed(StatusCode::UNPROCESSABLE_ENTITY, code, message)
}

impl ErrorReply {
    pub(super) fn body(&self) -> ErrorBody<'_> {
        ErrorBody { code: self.code, message: &self.message }
    }

    pub(super) fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::BAD_REQUEST, code: "INVALID_REQUEST", message: message.into() }
    }

    pub(super) fn invalid_amount(message: impl Into<Cow<'static, str>>) -> Self {
        Self { status: StatusCode::UNPROCESSABLE_ENTITY, code: "INVALID_AMOUNT", message: message.into() }
    }
}

impl From<io::Error> for ErrorReply {
    fn from(error: io::Error) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, code: "UNAVAILABLE", message: error.to_string().into() }
    }
}

impl From<serde_json::Error> for ErrorReply {
    fn from(error: serde_json::Error) -> Self {
        io::Error::from(error).into()
    }
}

pub(super) fn json_reply(status: StatusCode, body: &impl Serialize) -> CallResult {
    Ok((status, to_raw_value(body)?))
}

pub(super) fn parse_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, ErrorReply> {
    serde_json::from_slice(body).map_err(|error| ErrorReply::invalid_request(error.to_string()))
}
