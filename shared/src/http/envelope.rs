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
use super::money_moved::Unanswered;
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What is done for responses by the path of the request, whatever its method: the format of errors that no handler responds
/// with, and what `Money-Moved` says in them.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) known: Arc<[(&'static str, (ErrorFormat, Option<Unanswered>))]>,
    /// For a path without routes.
    pub(super) default: (ErrorFormat, Option<Unanswered>),
}

impl Paths {
    fn of(&self, route: &str) -> (ErrorFormat, Option<Unanswered>) {
        let found = self.known.iter().find(|(path, _)| *path == route);
        found.map_or(self.default, |(_, known)| *known)
    }
}

pub(super) async fn handle(
    app: App,
    function: &'static str,
    paths: Paths,
    mut request: Request,
    next: Next,
) -> Response {
    let started = app.clock.now();
    let invocation = context::invocation(&app, request.extensions());
    // The route, not the path: paths contain card codes.
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = method_name(request.method());
    let has_key = Unanswered::has_key(request.headers());
    let span = tracing::info_span!(
        "request",
        request_id = invocation.request_id,
        method,
        route,
        user = Empty,
        till = Empty,
        merchant = Empty
    );
    request.extensions_mut().insert(invocation.clone());

    let result = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let panicked = result.is_err();
    let response = result.unwrap_or_else(|_| Fault::internal("the handler panicked").into_response());
    let (error_format, money_moved) = paths.of(&route);
    let mut response = error_format.render(response);
    if let Some(unanswered) = money_moved {
        unanswered.complete(has_key, panicked, &mut response);
    }
    if let Ok(request_id) = HeaderValue::from_str(&invocation.request_id) {
        response.headers_mut().insert(REQUEST_ID, request_id);
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
