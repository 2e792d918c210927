//! Errors of handlers, and their formats in responses.
//!
//! A handler returns a [`Fault`], which has no JSON representation. The [`ErrorFormat`] of the route renders it.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue, StatusCode, header};
use jiff::SignedDuration;
use serde_json::{Map, Value, json};

use super::html::Page;
use crate::card_network::{NetworkError, Refusal};
use crate::db::StoreError;
use crate::values::Language;

/// An error response.
#[derive(Debug, Clone)]
pub struct Fault(Arc<Parts>);

#[derive(Debug, Clone)]
struct Parts {
    status: StatusCode,
    /// For programs. `None` for an error of an upstream, whose own code is in `details`.
    code: Option<&'static str>,
    /// A sentence for the client.
    message: Cow<'static, str>,
    details: Option<Value>,
    /// A field beside message and code.
    field: Option<(&'static str, String)>,
    /// In seconds.
    retry_after: Option<u32>,
    /// The response to the first request with the same idempotency key.
    is_replayed: bool,
    /// The access check failed: no session, no merchant, or no permission.
    by_access_check: bool,
    /// Only for the log.
    cause: Option<String>,
}

/// Marks the response to an earlier request with the same idempotency key.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// `Retry-After` of an issue or a redeem whose outcome is unknown.
const UNKNOWN_OUTCOME_RETRY_AFTER_SECONDS: u32 = 5;
/// `Retry-After` while DynamoDB throttles, which most often ends within seconds.
const BUSY_RETRY_AFTER_SECONDS: u32 = 2;

/// The code of an error that has no code of its own.
pub(super) fn general_code(status: StatusCode) -> &'static str {
    match status {
        StatusCode::BAD_REQUEST => "INVALID_REQUEST",
        StatusCode::UNAUTHORIZED => "UNAUTHORIZED",
        StatusCode::FORBIDDEN => "FORBIDDEN",
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::METHOD_NOT_ALLOWED => "METHOD_NOT_ALLOWED",
        StatusCode::CONFLICT => "IN_PROGRESS",
        StatusCode::PAYLOAD_TOO_LARGE => "TOO_LARGE",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "UNSUPPORTED_TYPE",
        StatusCode::UNPROCESSABLE_ENTITY => "IDEMPOTENCY_KEY_REUSED",
        StatusCode::TOO_MANY_REQUESTS => "TOO_MANY_REQUESTS",
        StatusCode::SERVICE_UNAVAILABLE => "UNAVAILABLE",
        StatusCode::GATEWAY_TIMEOUT => "TOO_LITTLE_TIME",
        _ => "INTERNAL_ERROR",
    }
}

impl Fault {
    fn new(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Parts {
            status,
            code: Some(general_code(status)),
            message: message.into(),
            details: None,
            field: None,
            retry_after: None,
            is_replayed: false,
            by_access_check: false,
            cause: None,
        }))
    }

    /// An error of an endpoint.
    pub fn refused(status: u16, code: &'static str, message: &'static str) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, message).code(code)
    }

    fn with(mut self, change: impl FnOnce(&mut Parts)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// 400: the request is invalid. The message names the field.
    pub(crate) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// 404: the resource does not exist, or belongs to another merchant.
    pub(crate) fn not_found(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, message)
    }

    /// 413.
    pub(crate) fn too_large(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    }

    /// 415.
    pub(crate) fn unsupported_type(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
    }

    /// 500. The cause is only logged.
    pub(crate) fn internal(cause: impl Into<String>) -> Self {
        Self::failed("Something went wrong. Please try again.", cause)
    }

    /// 500 with a specific message.
    pub(crate) fn failed(message: impl Into<Cow<'static, str>>, cause: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, message).caused_by(cause)
    }

    /// An error of an upstream, with its status. 502 if that is not the status of an error.
    pub fn upstream(status: u16, message: impl Into<Cow<'static, str>>, details: Option<Value>) -> Self {
        let status = StatusCode::from_u16(status).ok();
        let status = status.filter(|status| status.is_client_error() || status.is_server_error());
        let status = status.unwrap_or(StatusCode::BAD_GATEWAY);
        Self::new(status, message).with(|fault| {
            fault.code = None;
            fault.details = details;
        })
    }

    /// 504: it is not known yet whether money moved. `details` identify what was begun.
    pub(crate) fn unknown_outcome(message: impl Into<Cow<'static, str>>, details: Value) -> Self {
        Self::new(StatusCode::GATEWAY_TIMEOUT, message)
            .code("UNKNOWN_OUTCOME")
            .with(|fault| fault.details = Some(details))
            .retry_after(Some(UNKNOWN_OUTCOME_RETRY_AFTER_SECONDS))
    }

    /// The access check failed: of the route, or of a field of the request that depends on who sends it.
    pub(crate) fn access(status: StatusCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(status, message).with(|fault| fault.by_access_check = true)
    }

    #[must_use]
    pub(super) fn by_access_check(self) -> Self {
        self.with(|fault| fault.by_access_check = true)
    }

    pub(super) fn no_route() -> Self {
        Self::not_found("There is nothing at this address.")
    }

    pub(super) fn wrong_method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "This address does not support the method.")
    }

    /// A refusal of the card network, with its status and details and this message.
    pub(crate) fn refusal(message: &'static str, refusal: &Refusal) -> Self {
        Self::upstream(refusal.status, message, Some(refusal.details.clone())).retry_after(refusal.retry_after)
    }

    /// An error of a call to the card network, with the network's status and details and this message.
    pub(crate) fn card_network(error: &NetworkError, message: &'static str) -> Self {
        let fault = Self::upstream(error.status().as_u16(), message, Some(error.details()));
        fault.retry_after(error.retry_after()).caused_by(error.to_string())
    }

    /// As [`Self::card_network`], without the network's details.
    pub fn without_details(error: &NetworkError, message: &'static str) -> Self {
        let fault = Self::upstream(error.status().as_u16(), message, None);
        fault.retry_after(error.retry_after()).caused_by(error.to_string())
    }

    /// Sets a code of its own.
    #[must_use]
    pub(crate) fn code(self, code: &'static str) -> Self {
        self.with(|fault| fault.code = Some(code))
    }

    #[must_use]
    pub(super) fn with_message(self, message: impl Into<Cow<'static, str>>) -> Self {
        self.with(|fault| fault.message = message.into())
    }

    /// With the time after which the request can be repeated, rounded up to seconds.
    #[must_use]
    pub(super) fn retry_after_wait(self, wait: SignedDuration) -> Self {
        self.retry_after(Some(whole_seconds(wait)))
    }

    #[must_use]
    pub(crate) fn retry_after(self, seconds: Option<u32>) -> Self {
        self.with(|fault| fault.retry_after = seconds)
    }

    /// Marks the final response to an earlier request. The time to wait that came with it has passed.
    #[must_use]
    pub(crate) fn replayed(self) -> Self {
        self.retry_after(None).with(|fault| fault.is_replayed = true)
    }

    /// Adds the cause for the log. It must not contain a secret, a token, a card code or personal data.
    #[must_use]
    pub(crate) fn caused_by(self, cause: impl Into<String>) -> Self {
        self.with(|fault| fault.cause = Some(cause.into()))
    }

    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// Whether it is an error of our own.
    pub fn is_internal(&self) -> bool {
        self.0.code == Some(general_code(StatusCode::INTERNAL_SERVER_ERROR))
    }

    /// Adds a field beside message and code.
    #[must_use]
    pub fn field(self, name: &'static str, value: String) -> Self {
        self.with(|fault| fault.field = Some((name, value)))
    }

    /// The response, with this page in place of the general one of [`ErrorFormat::Page`].
    pub fn with_page(self, page: Page) -> Response {
        let mut response = self.into_response();
        response.extensions_mut().insert(page);
        response
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn cause(&self) -> Option<&str> {
        self.0.cause.as_deref()
    }

    /// The message under this name, the code and the details.
    fn fields(&self, message_name: &str) -> Map<String, Value> {
        let mut fields = Map::from_iter([(message_name.to_owned(), json!(self.0.message))]);
        fields.extend(self.0.code.map(|code| ("code".to_owned(), json!(code))));
        fields.extend(self.0.details.clone().map(|details| ("details".to_owned(), details)));
        fields.extend(self.0.field.as_ref().map(|(name, value)| ((*name).to_owned(), json!(value))));
        fields
    }
}

/// Rounds up, so that a client that waits this long is admitted.
pub(super) fn whole_seconds(wait: SignedDuration) -> u32 {
    let milliseconds = u128::try_from(wait.as_millis()).unwrap_or_default();
    u32::try_from(milliseconds.div_ceil(1000)).unwrap_or(u32::MAX).max(1)
}

/// 503 if DynamoDB was too busy, or a restore has closed the table: the request can be repeated. 500 otherwise.
impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let cause = error.to_string();
        if error.is_temporary() {
            let busy = Self::new(StatusCode::SERVICE_UNAVAILABLE, "The service is busy. Please try again.");
            return busy.retry_after(Some(BUSY_RETRY_AFTER_SECONDS)).caused_by(cause);
        }
        Self::internal(cause)
    }
}

/// The response has no body yet: the route's error format renders it.
impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(seconds) = self.0.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.0.is_replayed {
            response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The format of a route's error responses. `code` is left out for errors of upstreams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `{ok: false, error: {message, code?, details?}}`: most groups.
    Nested,
    /// `{ok: false, error: <message>}`: orders, analytics, widget and storefront.
    Flat,
    /// `{ok: false, error: <message>, code}`: the balance of a card.
    FlatWithCode,
    /// `{error: <message>, code?, details?}`: redeem and retail stores. Errors of the access check are
    /// [`ErrorFormat::Nested`].
    Bare,
    /// [`ErrorFormat::Bare`], but a 400 is `{error: <message>}`: settlements.
    Coded,
    /// HTML, for people: the page of a shop.
    Page,
}

/// The page of an error of which the endpoint says nothing in the language of its visitor.
fn general_page(status: StatusCode, message: &str) -> Page {
    let advice = if status.is_server_error() { "Nothing was changed." } else { "Check the address, or ask for the link." };
    Page::of_error(status, Language::English, message, advice)
}

impl ErrorFormat {
    /// The body of an error response, where it is JSON.
    pub fn body(self, fault: &Fault) -> Value {
        let Parts { message, by_access_check, .. } = &*fault.0;
        match self {
            Self::Flat | Self::Page => json!({"ok": false, "error": message}),
            Self::FlatWithCode => {
                let ok = [("ok".to_owned(), json!(false))];
                Value::Object(ok.into_iter().chain(fault.fields("error")).collect())
            }
            Self::Coded if !by_access_check && fault.status() == StatusCode::BAD_REQUEST => {
                json!({"error": message})
            }
            Self::Bare | Self::Coded if !by_access_check => Value::Object(fault.fields("error")),
            Self::Nested | Self::Bare | Self::Coded => json!({"ok": false, "error": fault.fields("message")}),
        }
    }

    /// Renders the body of a response that carries a fault.
    pub(super) fn render(self, mut response: Response) -> Response {
        let Some(fault) = response.extensions_mut().remove::<Fault>() else { return response };
        let mut rendered = match self {
            Self::Page => {
                let own: Option<Page> = response.extensions_mut().remove();
                own.unwrap_or_else(|| general_page(response.status(), fault.message())).into_response()
            }
            _ => (response.status(), Json(self.body(&fault))).into_response(),
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_the_wait_up_to_whole_seconds() {
        for (milliseconds, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (599_999, 600), (600_000, 600)] {
            assert_eq!(whole_seconds(SignedDuration::from_millis(milliseconds)), seconds, "{milliseconds}");
        }
    }
}
