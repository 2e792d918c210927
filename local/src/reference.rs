//! The API reference: Scalar, which shows `/openapi.json` and sends requests as the user who is signed in.

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};

use crate::{client_headers, clients};

/// Scalar writes styles into the page, which no other page may do.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' \
                      data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'self'";

pub(crate) async fn page(request_headers: HeaderMap) -> Response {
    let page = clients::file("console/reference.html", &request_headers);
    let page = page.and_then(|page| client_headers::add(&client_headers::document_headers(POLICY), page));
    page.unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
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
