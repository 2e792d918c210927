//! Errors of handlers, and their formats in responses.
//!
//! A handler returns a [`Fault`], which has no JSON representation. The [`ErrorFormat`] of the route renders it.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::card_network::{NetworkError, Refusal};
use crate::operations::{ExecutionError, IdempotencyError};
use crate::store::{CommitError, StoreError};

/// An error response.
#[derive(Debug, Clone)]
pub struct Fault(Arc<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    status: StatusCode,
    /// A sentence for the client.
    message: Cow<'static, str>,
    details: Option<Value>,
    /// In seconds.
    retry_after: Option<u32>,
    /// The access check failed: no session, no merchant, or no permission.
    by_access_check: bool,
    /// Only for the log.
    cause: Option<String>,
}

/// `Retry-After` of a request with an idempotency key whose first request is still being processed.
const IN_PROGRESS_RETRY_AFTER_SECONDS: u32 = 2;

impl Fault {
    fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Parts {
            status,
            message: message.into(),
            details: None,
            retry_after: None,
            by_access_check: false,
            cause: None,
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// 400: the request is invalid. The message names the field.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 401: the request is not authenticated.
    pub fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, message)
    }

    /// 403.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, message)
    }

    /// 404: the resource does not exist, or belongs to another merchant.
    pub fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// 409, with the seconds after which the request can be retried.
    pub fn in_progress(message: impl Into<Cow<'static, str>>, retry_after: u32) -> Self {
        Self::new(StatusCode::CONFLICT, message).with(|fault| fault.retry_after = Some(retry_after))
    }

    /// 413.
    pub fn too_large(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// 415.
    pub fn unsupported_type(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    }

    /// 422: the request conflicts with an earlier one.
    pub fn unprocessable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// 429, with the seconds after which the request can be retried.
    pub fn too_many(message: impl Into<Cow<'static, str>>, retry_after: u32) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, message).with(|fault| fault.retry_after = Some(retry_after))
    }

    /// 500. The cause is only logged.
    pub fn internal(cause: impl Into<String>) -> Self {
        Self::failed("Something went wrong. Please try again.", cause)
    }

    /// 500 with a specific message.
    pub fn failed(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message).caused_by(cause)
    }

    /// An error of an upstream, with its status. 502 if the status is invalid.
    pub fn upstream(status: u16, message: impl Into<Cow<'static, str>>, details: Option<Value>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
        Self::new(status, message).with(|fault| fault.details = details)
    }

    /// The access check of the route failed.
    pub(super) fn access(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(status, message).with(|fault| fault.by_access_check = true)
    }

    pub(super) fn no_route() -> Self {
        Self::not_found("There is nothing at this address.")
    }

    pub(super) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "This address does not support the method.")
    }

    /// A refusal of the card network, with its status and details and this message.
    pub fn refusal(message: &'static str, refusal: &Refusal) -> Self {
        Self::upstream(refusal.status, message, Some(refusal.details.clone()))
            .retry_after(refusal.retry_after)
    }

    /// An error of a call to the card network, with the network's status and details and this message.
    pub fn card_network(error: &NetworkError, message: &'static str) -> Self {
        let fault = Self::upstream(error.status().as_u16(), message, Some(error.details()));
        fault.retry_after(error.retry_after()).caused_by(error.to_string())
    }

    #[must_use]
    pub fn retry_after(self, seconds: Option<u32>) -> Self {
        self.with(|fault| fault.retry_after = seconds)
    }

    /// Adds the cause for the log. It must not contain a secret, a token, a card code or personal data.
    #[must_use]
    pub fn caused_by(self, cause: impl Into<String>) -> Self {
        self.with(|fault| fault.cause = Some(cause.into()))
    }

    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<CommitError> for Fault {
    fn from(error: CommitError) -> Self {
        Self::internal(error.to_string())
    }
}

impl From<IdempotencyError> for Fault {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::Reused => {
                Self::unprocessable("Idempotency-Key: was used with another request.")
            }
            IdempotencyError::InProgress => Self::in_progress(
                "The first request with this Idempotency-Key is still at work.",
                IN_PROGRESS_RETRY_AFTER_SECONDS,
            ),
            IdempotencyError::NoOperation | IdempotencyError::Store(_) => Self::internal(error.to_string()),
        }
    }
}

impl From<ExecutionError> for Fault {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::TooLittleTime => {
                Self::upstream(504, "There was too little time left. Nothing was done.", None)
            }
            ExecutionError::Idempotency(error) => error.into(),
            ExecutionError::Store(error) => error.into(),
        }
    }
}

/// The response has no body yet: the route's error format renders it.
impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(seconds) = self.0.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The format of a route's error responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `{ok: false, error: {message, details?}}`: most groups.
    Nested,
    /// `{ok: false, error: <message>}`: orders, analytics, widget and storefront.
    Flat,
    /// `{error: <message>, details?}`: redeem and retail stores. Errors of the access check are [`ErrorFormat::Nested`].
    Bare,
    /// `{ok: false, error: {message, code}}` from the access check, `{error: <message>}` otherwise: settlements.
    Coded,
}

impl ErrorFormat {
    fn body(self, fault: &Fault) -> Value {
        let Parts { message, details, by_access_check, .. } = &*fault.0;
        let with_details = |mut body: Map<String, Value>, message_key: &str| {
            body.insert(message_key.to_owned(), json!(message));
            if let Some(details) = details {
                body.insert("details".to_owned(), details.clone());
            }
            Value::Object(body)
        };
        match self {
            Self::Flat => json!({"ok": false, "error": message}),
            Self::Coded if *by_access_check => {
                json!({"ok": false, "error": {"message": message, "code": code(fault.status())}})
            }
            Self::Bare if !by_access_check => with_details(Map::new(), "error"),
            Self::Coded => with_details(Map::new(), "error"),
            Self::Nested | Self::Bare => json!({"ok": false, "error": with_details(Map::new(), "message")}),
        }
    }

    /// Renders the body of a response that carries a fault.
    pub(super) fn render(self, mut response: Response) -> Response {
        let Some(fault) = response.extensions_mut().remove::<Fault>() else { return response };
        let mut rendered = (response.status(), Json(self.body(&fault))).into_response();
        for (name, value) in response.headers() {
            if name != header::CONTENT_LENGTH && name != header::CONTENT_TYPE {
                rendered.headers_mut().append(name, value.clone());
            }
        }
        rendered.extensions_mut().insert(Rendered(fault));
        rendered
    }
}

/// A rendered fault, for the log.
#[derive(Debug, Clone)]
pub(super) struct Rendered(pub(super) Fault);

fn code(status: StatusCode) -> &'static str {
    if status == StatusCode::UNAUTHORIZED { "UNAUTHORIZED" } else { "FORBIDDEN" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_renders_message_and_details() {
        let denied = Fault::access(StatusCode::FORBIDDEN, "No.");
        let refused = Fault::upstream(422, "Refused.", Some(json!({"code": "X"})));
        for (error_format, expected_denied, expected_refused) in [
            (
                ErrorFormat::Nested,
                json!({"ok": false, "error": {"message": "No."}}),
                json!({"ok": false, "error": {"message": "Refused.", "details": {"code": "X"}}}),
            ),
            (
                ErrorFormat::Flat,
                json!({"ok": false, "error": "No."}),
                json!({"ok": false, "error": "Refused."}),
            ),
            (
                ErrorFormat::Bare,
                json!({"ok": false, "error": {"message": "No."}}),
                json!({"error": "Refused.", "details": {"code": "X"}}),
            ),
            (
                ErrorFormat::Coded,
                json!({"ok": false, "error": {"message": "No.", "code": "FORBIDDEN"}}),
                json!({"error": "Refused.", "details": {"code": "X"}}),
            ),
        ] {
            assert_eq!(error_format.body(&denied), expected_denied, "{error_format:?}");
            assert_eq!(error_format.body(&refused), expected_refused, "{error_format:?}");
        }
    }
}
