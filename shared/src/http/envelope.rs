//! What surrounds every request of a function: its id, its log line, and a net under its handler.

use std::panic::AssertUnwindSafe;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method};
use tracing::Instrument;
use tracing::field::Empty;

use super::fault::{ErrorFormat, Fault, Rendered};
use super::invocation::Invocation;
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
    let invocation = Invocation::of_request(&app, request.headers(), request.extensions());
    // The route, never the path itself: paths hold card codes.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = name(request.method());
    let span =
        tracing::info_span!("request", request_id = invocation.request_id, method, route, merchant = Empty,);
    request.extensions_mut().insert(invocation.clone());

    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let response = answer.unwrap_or_else(|_| Fault::internal("the handler panicked").into_response());
    let mut response = error_format.render(response);
    if let Ok(request_id) = HeaderValue::from_str(&invocation.request_id) {
        response.headers_mut().insert(REQUEST_ID, request_id);
    }
    let milliseconds = app.clock.milliseconds_since(started);
    span.in_scope(|| log(&response, milliseconds, invocation.upstream_milliseconds()));
    app.metrics.answered(function, &format!("{method} {route}"), response.status(), milliseconds);
    response
}

/// The method's name, where it is one of the usual ones: callers can make up others without end.
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

/// The line of the request. What failed on our side is an error; a refusal that has a cause worth noting is not.
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
