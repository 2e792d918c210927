//! The success response of a handler. The type that a handler returns makes the response and describes it, so that the two
//! cannot differ.

use axum::Json;
use axum::response::IntoResponse;
use http::StatusCode;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::{ContentBuilder, RefOr, Response, ResponseBuilder, Schema};

use super::described_error::DescribedError;
use super::description::with_request_id;
use super::endpoint_error::EndpointError;
use super::money_moved::{self, MONEY_MOVED_HEADER, Unanswered};
use super::schemas::{Schemas, response_schema};

/// A response that describes itself.
pub trait Success: IntoResponse {
    const STATUS: StatusCode = StatusCode::OK;
    /// Whether a repeat with the same idempotency key returns the first response, even if that was an error.
    const REPLAYS: bool = false;
    /// For routes whose responses all carry `Money-Moved`: what it says where no handler has responded.
    const MONEY_MOVED: Option<Unanswered> = None;

    /// The errors that a handler returns instead.
    fn errors() -> Vec<DescribedError> {
        Vec::new()
    }

    /// Adds the body to the description of the response, and to `schemas` what its schema refers to.
    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder;
}

/// A handler that can fail.
impl<S: Success, E: EndpointError + IntoResponse> Success for Result<S, E> {
    const STATUS: StatusCode = S::STATUS;
    const REPLAYS: bool = S::REPLAYS;
    const MONEY_MOVED: Option<Unanswered> = S::MONEY_MOVED;

    fn errors() -> Vec<DescribedError> {
        S::errors().into_iter().chain(E::describe()).collect()
    }

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        S::describe(response, example, schemas)
    }
}

/// A body without the usual `ok` and `data`, or one that has them itself.
impl<T: Serialize + ToSchema> Success for Json<T> {
    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        with_json(response, response_schema::<T>(schemas), example)
    }
}

/// Adds a JSON body.
pub(super) fn with_json(response: ResponseBuilder, schema: impl Into<RefOr<Schema>>, example: Value) -> ResponseBuilder {
    let content = ContentBuilder::new().schema(Some(schema)).example(Some(example));
    response.content("application/json", content.build())
}

/// The description of a success response.
pub struct DescribedSuccess {
    pub(super) status: StatusCode,
    pub(super) replays: bool,
    /// Whether all responses carry `Money-Moved`.
    pub(super) tells_money: bool,
    pub(super) response: Response,
    pub(super) errors: Vec<DescribedError>,
    /// The schemas that the response refers to.
    pub(super) schemas: Schemas,
}

/// Describes the success response of a route, with this text and this example.
pub(super) type DescribeSuccess = fn(&'static str, Value) -> DescribedSuccess;

/// As [`DescribeSuccess`], by the type that the handler returns.
pub(super) fn describe_success<S: Success>(text: &'static str, example: Value) -> DescribedSuccess {
    let mut schemas = Schemas::new();
    let mut response = S::describe(with_request_id(text), example, &mut schemas);
    let tells_money = S::MONEY_MOVED.is_some();
    if tells_money {
        response = response.header(MONEY_MOVED_HEADER, money_moved::header());
    }
    DescribedSuccess {
        status: S::STATUS,
        replays: S::REPLAYS,
        tells_money,
        response: response.build(),
        errors: S::errors(),
        schemas,
    }
}
