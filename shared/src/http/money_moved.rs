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
use crate::operations::{Certainty, MoneyMoved};

const MONEY_MOVED: HeaderName = HeaderName::from_static("money-moved");
/// Its name in the API description.
pub(super) const MONEY_MOVED_HEADER: &str = "Money-Moved";

/// The response to an issue or a redeem, with the errors `E`.
#[derive(Debug)]
pub struct Certain<T, E> {
    moved: MoneyMoved,
    response: Result<T, Fault>,
    error: PhantomData<E>,
}

impl<T, E: EndpointError> Certain<T, E> {
    pub fn new(certainty: &Certainty, response: Result<T, E>) -> Self {
        let response = response.map_err(Into::into);
        let failed = response.as_ref().is_err_and(Fault::is_internal);
        let moved = match certainty.moved() {
            MoneyMoved::Yes if failed => MoneyMoved::Unknown,
            moved => moved,
        };
        Self { moved, response, error: PhantomData }
    }
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
        response.headers_mut().entry(MONEY_MOVED).or_insert_with(|| value(moved));
    }
}

impl<T: IntoResponse, E> IntoResponse for Certain<T, E> {
    fn into_response(self) -> Response {
        let mut response = self.response.into_response();
        response.headers_mut().insert(MONEY_MOVED, value(self.moved));
        response
    }
}

impl<T: IntoResponse> IntoResponse for AboutOperation<T> {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

fn value(moved: MoneyMoved) -> HeaderValue {
    HeaderValue::from_static(match moved {
        MoneyMoved::Yes => "yes",
        MoneyMoved::No => "no",
        MoneyMoved::NotYet => "not-yet",
        MoneyMoved::Unknown => "unknown",
    })
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
