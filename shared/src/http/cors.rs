//! CORS headers of route tables that [allow any origin](super::routes::Routes::allow_any_origin).
//!
//! The request's origin is returned instead of `*`: browsers reject `*` for requests with credentials, and the widget
//! sets a visitor cookie.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use super::fault::Fault;

/// Seconds that a browser may cache a preflight response. Browsers cap it at a day or less.
const MAX_AGE: HeaderValue = HeaderValue::from_static("86400");

/// Allows the request's origin to read the response, errors included.
pub(super) async fn allow_any_origin(request: Request, next: Next) -> Response {
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

/// Responds to a preflight request. Any other method that the route does not support is a 405.
pub(super) async fn preflight(method: Method, request_headers: HeaderMap) -> Result<Response, Fault> {
    if method != Method::OPTIONS {
        return Err(Fault::wrong_method());
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    if request_headers.contains_key(header::ORIGIN) {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET"));
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
        if let Some(names) = request_headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
        }
    }
    Ok(response)
}
