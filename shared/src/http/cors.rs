//! Answers that scripts of any site may read: the layers of a table that is
//! [open to any origin](super::routes::Routes::allow_any_origin).
//!
//! The origin is echoed, not `*`, because the widget's visitor has a cookie, which browsers send and take for a
//! named origin alone.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::fault::Fault;

/// Seconds that a browser may remember the answer to a preflight. None remembers longer than a day.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

/// Lets the origin that asks read the answer, whatever the answer is.
pub(super) async fn let_any_origin_read(request: Request, next: Next) -> Response {
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    }
    response
}

/// Answers a browser that asks before it reads. Every other method that a route lacks is wrong here, too.
pub(super) async fn preflight(method: Method, asked: HeaderMap) -> Result<Response, Fault> {
    if method != Method::OPTIONS {
        return Err(Fault::wrong_method());
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    if asked.contains_key(header::ORIGIN) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        if let Some(names) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
    }
    Ok(response)
}
