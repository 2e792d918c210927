//! Shows the HTML of a mail in a frame of the console, without giving it any power over the console.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};

/// A document of no origin that runs nothing and loads nothing. A click on a link opens it in a new tab.
const POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
);

pub(crate) fn page(html: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, with_links_in_new_tabs(html)).into_response()
}

/// The mail's own page cannot be left: the console frames no other origin.
fn with_links_in_new_tabs(html: &str) -> String {
    html.replacen("<head>", "<head><base target=\"_blank\">", 1)
}
