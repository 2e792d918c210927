//! Replies to calls.

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
    message: String,
}

impl ErrorReply {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    pub(super) fn body(&self) -> ErrorBody<'_> {
        ErrorBody { code: self.code, message: &self.message }
    }

    pub(super) fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "the API key is missing or wrong")
    }

    pub(super) fn unknown_call() -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", "there is no such call")
    }

    pub(super) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "INVALID_REQUEST", message)
    }

    pub(super) fn merchant_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "MERCHANT_NOT_FOUND", "no such merchant")
    }

    pub(super) fn store_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "STORE_NOT_FOUND", "no such store")
    }

    pub(super) fn store_exists() -> Self {
        Self::new(StatusCode::CONFLICT, "STORE_EXISTS", "the merchant has a store with this externalId")
    }

    pub(super) fn offer_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "OFFER_NOT_FOUND", "no such offer")
    }

    pub(super) fn card_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "CARD_NOT_FOUND", "no such card")
    }

    pub(super) fn operation_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "OPERATION_NOT_FOUND", "the reference was never seen, and is refused from now on")
    }

    pub(super) fn reference_fenced() -> Self {
        Self::new(StatusCode::CONFLICT, "REFERENCE_FENCED", "the reference was reported as never seen")
    }

    /// A business error, with status 422.
    pub(super) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    pub(super) fn invalid_amount(message: impl Into<String>) -> Self {
        Self::unprocessable("INVALID_AMOUNT", message)
    }
}

impl From<io::Error> for ErrorReply {
    fn from(error: io::Error) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", error.to_string())
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
