//! `Money-Moved`: what a response to a money call says for certain, whatever its status is.
//!
//! A client takes a sale or a redemption for refused after `no` alone. A response without the header is not ours: it comes from
//! whatever stands before the functions, and says nothing about money.

use std::marker::PhantomData;

use axum::response::{IntoResponse, Response};
use http::{HeaderName, HeaderValue};
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::endpoint_error::{EndpointError, General};
use super::fault::Fault;
use crate::card_network::Outcome;
use crate::operations::{CancelError, EarlierRequest, Execution, ExecutionError, IdempotencyError, OperationStatus};

const MONEY_MOVED: HeaderName = HeaderName::from_static("money-moved");
/// Its name in the API description.
pub(super) const MONEY_MOVED_HEADER: &str = "Money-Moved";

/// What is certain about the money of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoneyMoved {
    Yes,
    /// It did not move, and no request with the same idempotency key will move it. Without a key: this request did not.
    No,
    /// This request did not move it, but a copy of it with the same idempotency key may.
    NotYet,
    Unknown,
}

impl MoneyMoved {
    /// By the outcome of the operation. `key_is_open`: it has an idempotency key that a failure can free.
    pub fn by(status: &OperationStatus, key_is_open: bool) -> Self {
        match status {
            OperationStatus::Unknown => Self::Unknown,
            OperationStatus::Closed(Outcome::Succeeded(_)) => Self::Yes,
            OperationStatus::Closed(Outcome::Failed(refusal)) if key_is_open && !refusal.is_about_request() => Self::NotYet,
            OperationStatus::Closed(Outcome::Failed(_)) => Self::No,
        }
    }

    fn value(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::NotYet => "not-yet",
            Self::Unknown => "unknown",
        }
    }
}

impl From<&IdempotencyError> for MoneyMoved {
    fn from(error: &IdempotencyError) -> Self {
        match error {
            IdempotencyError::Cancelled | IdempotencyError::Expired { has_succeeded: false } => Self::No,
            IdempotencyError::Expired { has_succeeded: true } => Self::Yes,
            IdempotencyError::Reused | IdempotencyError::InProgress | IdempotencyError::Restored | IdempotencyError::Store(_) => {
                Self::Unknown
            }
        }
    }
}

impl From<&CancelError> for MoneyMoved {
    fn from(error: &CancelError) -> Self {
        match error {
            // The key has no operation, and is as free as before.
            CancelError::UsedUp(_) => Self::NotYet,
            CancelError::Restored | CancelError::Store(_) => Self::Unknown,
        }
    }
}

/// What is certain while a request is processed.
#[derive(Debug)]
pub struct Certainty {
    has_key: bool,
    moved: MoneyMoved,
}

impl Certainty {
    /// Before the idempotency key was looked up.
    pub fn new(has_key: bool) -> Self {
        Self { has_key, moved: if has_key { MoneyMoved::Unknown } else { MoneyMoved::No } }
    }

    /// The key was looked up. Without an earlier request, nothing has begun.
    pub fn looked_up(&mut self, earlier: &Result<Option<EarlierRequest>, IdempotencyError>) {
        self.moved = match earlier {
            Ok(Some(_)) => MoneyMoved::Unknown,
            Ok(None) => self.not_begun(),
            Err(error) => error.into(),
        };
    }

    /// The operation was executed, or could not be.
    pub fn executed(&mut self, execution: &Result<Execution, ExecutionError>) {
        self.moved = match execution {
            Ok(Execution::Executed { status, .. }) => MoneyMoved::by(status, self.has_key),
            // The card network is called only after the operation was recorded.
            Err(ExecutionError::TooLittleTime | ExecutionError::RefundTooLarge) => self.not_begun(),
            Err(ExecutionError::Store(error)) if error.is_temporary() => self.not_begun(),
            Ok(Execution::Earlier(_)) | Err(ExecutionError::Store(_)) => MoneyMoved::Unknown,
            Err(ExecutionError::Idempotency(error)) => error.into(),
        };
    }

    /// The request is a repeat of an earlier one.
    pub fn repeats(&mut self, earlier: &EarlierRequest) {
        self.moved = MoneyMoved::by(&earlier.status, !earlier.key_is_closed);
    }

    pub fn of<T, E: EndpointError>(self, response: Result<T, E>) -> Certain<T, E> {
        let response = response.map_err(Into::into);
        let failed = response.as_ref().is_err_and(Fault::is_internal);
        let moved = if failed && self.moved == MoneyMoved::Yes { MoneyMoved::Unknown } else { self.moved };
        Certain { moved, response, error: PhantomData }
    }

    fn not_begun(&self) -> MoneyMoved {
        if self.has_key { MoneyMoved::NotYet } else { MoneyMoved::No }
    }
}

/// The response to an issue or a redeem, with the errors `E`.
#[derive(Debug)]
pub struct Certain<T, E> {
    moved: MoneyMoved,
    response: Result<T, Fault>,
    error: PhantomData<E>,
}

/// The response to a question about an operation.
#[derive(Debug)]
pub struct AboutOperation<T>(Certain<T, General>);

impl<T> AboutOperation<T> {
    pub fn new(moved: MoneyMoved, response: T) -> Self {
        Self(Certain { moved, response: Ok(response), error: PhantomData })
    }

    pub fn refused(moved: MoneyMoved, error: impl EndpointError) -> Self {
        Self(Certain { moved, response: Err(error.into()), error: PhantomData })
    }

    /// The same, for another type of response.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> AboutOperation<U> {
        let Certain { moved, response, error } = self.0;
        AboutOperation(Certain { moved, response: response.map(change), error })
    }
}

/// What is certain if no handler has responded: the request was refused before, or the handler panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// A request without an idempotency key that was refused has not moved money.
    ByKey,
    Unknown,
}

impl Unanswered {
    /// Adds the header to a response without it.
    pub(super) fn complete(self, has_key: bool, panicked: bool, response: &mut Response) {
        let moved = match self {
            Self::ByKey if !has_key && !panicked => MoneyMoved::No,
            Self::ByKey | Self::Unknown => MoneyMoved::Unknown,
        };
        let value = || HeaderValue::from_static(moved.value());
        response.headers_mut().entry(MONEY_MOVED).or_insert_with(value);
    }
}

impl<T: IntoResponse, E> IntoResponse for Certain<T, E> {
    fn into_response(self) -> Response {
        let mut response = self.response.into_response();
        response.headers_mut().insert(MONEY_MOVED, HeaderValue::from_static(self.moved.value()));
        response
    }
}

impl<T: IntoResponse> IntoResponse for AboutOperation<T> {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

/// In the API description.
pub(super) fn header() -> Header {
    let values = ["yes", "no", "not-yet", "unknown"];
    let schema = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values));
    let text = "What is certain about the money of this request, whatever the status: it has moved (`yes`); it has not, and no \
                request with the same `Idempotency-Key` will move it (`no`); it has not, but a copy of the request still may \
                (`not-yet`); or none of these (`unknown`). A response without this header was not sent by this API, and says \
                nothing about money.";
    HeaderBuilder::new().schema(Some(schema)).description(Some(text)).build()
}
