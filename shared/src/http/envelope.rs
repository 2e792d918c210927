//! The layer around every request: request id, access log and panic handling.

use std::panic::AssertUnwindSafe;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method};
use tracing::Instrument;
use tracing::field::Empty;

use super::context;
use super::fault::{ErrorFormat, Fault, Rendered};
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(super) async fn wrap(
    app: App,
    function: &'static str,
    error_format: ErrorFormat,
    mut request: Request,
    next: Next,
) -> Response {
    let started = app.clock.now();
    let invocation = context::invocation(&app, request.extensions());
    // The route, not the path: paths contain card codes.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = name(request.method());
    let span =
        tracing::info_span!("request", request_id = invocation.request_id, method, route, merchant = Empty,);
    request.extensions_mut().insert(invocation.clone());

    let result = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let response = result.unwrap_or_else(|_| Fault::internal("the handler panicked").into_response());
    let mut response = error_format.render(response);
    if let Ok(request_id) = HeaderValue::from_str(&invocation.request_id) {
        response.headers_mut().insert(REQUEST_ID, request_id);
    }
    let milliseconds = app.clock.milliseconds_since(started);
    span.in_scope(|| log(&response, milliseconds, invocation.upstream_milliseconds()));
    app.metrics.record_request(function, &format!("{method} {route}"), response.status(), milliseconds);
    response
}

/// The name of a standard method. Other methods share one name, since every name is a metric dimension.
fn name(method: &Method) -> &'static str {
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

/// Logs the request. Only server errors are logged as errors; a client error can have a cause, too.
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
