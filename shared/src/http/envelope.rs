//! The middleware of every request: request id, access log, metrics and panic handling.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method};
use tracing::Instrument;
use tracing::field::Empty;

use super::context;
use super::fault::{ErrorFormat, Fault, Rendered};
use super::idempotency_key;
use super::money_moved::Unanswered;
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The merchant of the session, so that a client notices when it is another one's by now.
const SESSION_MERCHANT: HeaderName = HeaderName::from_static("session-merchant");

/// What is done for the responses to a path, whatever the method is.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfPath {
    /// The format of errors that no handler responds with, such as a wrong method.
    pub(super) error_format: ErrorFormat,
    /// What `Money-Moved` says where no handler has responded.
    pub(super) money_moved: Option<Unanswered>,
}

#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) known: Arc<[(&'static str, OfPath)]>,
    /// For a path without routes.
    pub(super) unknown: OfPath,
}

impl Paths {
    fn of(&self, route: &str) -> OfPath {
        let found = self.known.iter().find(|(path, _)| *path == route);
        found.map_or(self.unknown, |(_, of_path)| *of_path)
    }
}

pub(super) async fn handle(app: App, function: &'static str, paths: Paths, mut request: Request, next: Next) -> Response {
    let started = app.clock.now();
    let invocation = context::invocation(&app, request.extensions());
    // The route, not the path: paths contain card codes.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = method_name(request.method());
    let has_key = idempotency_key::has_key(request.headers());
    let span = tracing::info_span!(
        "request",
        request_id = invocation.request_id,
        method,
        route,
        user = Empty,
        till = Empty,
        key = Empty,
        merchant = Empty
    );
    request.extensions_mut().insert(invocation.clone());

    let result = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let panicked = result.is_err();
    let response = result.unwrap_or_else(|_| Fault::internal("the handler panicked").into_response());
    let OfPath { error_format, money_moved } = paths.of(&route);
    let mut response = error_format.render(response);
    if let Some(unanswered) = money_moved {
        unanswered.complete(has_key, panicked, &mut response);
    }
    if let Ok(request_id) = HeaderValue::from_str(&invocation.request_id) {
        response.headers_mut().insert(REQUEST_ID, request_id);
    }
    if let Some(merchant) = invocation.merchant().and_then(|id| HeaderValue::from_str(id.as_str()).ok()) {
        response.headers_mut().insert(SESSION_MERCHANT, merchant);
    }
    let milliseconds = app.clock.milliseconds_since(started);
    span.in_scope(|| log(&response, milliseconds, invocation.upstream_milliseconds()));
    app.metrics.record_request(function, &format!("{method} {route}"), response.status(), milliseconds);
    response
}

/// The name of a standard method, or `OTHER`: the name is a dimension of metrics, so clients must not be able to choose
/// it freely.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Writes the access log line. Server errors have the level ERROR; client errors do not, even with a cause.
fn log(response: &Response, milliseconds: u64, upstream_milliseconds: u64) {
    let status = response.status().as_u16();
    let rendered = response.extensions().get::<Rendered>();
    match rendered.and_then(|rendered| rendered.0.cause()) {
        Some(cause) if response.status().is_server_error() => {
            tracing::error!(status, milliseconds, upstream_milliseconds, cause, "answered");
        }
        cause => tracing::info!(status, milliseconds, upstream_milliseconds, cause, "answered"),
    }
}
