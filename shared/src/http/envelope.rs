//! What surrounds every request of a function: its id, its log line, and a net under its handler.

use std::panic::AssertUnwindSafe;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue};
use tracing::Instrument;
use tracing::field::Empty;

use super::fault::{Fault, Rendered, Shape};
use super::invocation::Invocation;
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub(super) async fn wrap(app: App, shape: Shape, mut request: Request, next: Next) -> Response {
    let started = app.clock.now();
    let invocation = Invocation::of_request(&app, request.headers(), request.extensions());
    // The route, never the path itself: paths hold card codes.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!(
        "request",
        request_id = invocation.request_id,
        method = %request.method(),
        route,
        merchant = Empty,
    );
    let request_id = HeaderValue::from_str(&invocation.request_id).ok();
    request.extensions_mut().insert(invocation);

    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let response = answer.unwrap_or_else(|_| Fault::internal("the handler panicked").into_response());
    let mut response = shape.render(response);
    if let Some(request_id) = request_id {
        response.headers_mut().insert(REQUEST_ID, request_id);
    }
    let milliseconds = app.clock.now().duration_since(started).as_millis();
    span.in_scope(|| log(&response, milliseconds));
    response
}

/// What failed on our side is an error; a refusal that has a cause worth noting is not.
fn log(response: &Response, milliseconds: i128) {
    let status = response.status().as_u16();
    let rendered = response.extensions().get::<Rendered>();
    match rendered.and_then(|rendered| rendered.0.cause()) {
        Some(cause) if response.status().is_server_error() => {
            tracing::error!(status, milliseconds, cause, "answered");
        }
        cause => tracing::info!(status, milliseconds, cause, "answered"),
    }
}
