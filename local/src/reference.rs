//! The API reference: Scalar, which shows `/openapi.json` and sends requests as the user who is signed in.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::clients;

/// Scalar writes styles into the page, which no other page may do.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' \
     data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'self'",
);

pub(crate) async fn page(request_headers: HeaderMap) -> Response {
    match clients::file("console/reference.html", &request_headers) {
        Some(mut response) => {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY);
            response
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

pub(crate) async fn script() -> Response {
    match scalar_api_reference::get_asset_with_mime("scalar.js") {
        Some((content_type, script)) => {
            let headers = [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "max-age=86400".to_owned())];
            (headers, script).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
