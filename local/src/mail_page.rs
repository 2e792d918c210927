//! Shows the HTML of a mail in a frame of the console, without giving it any power over the console.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};

use crate::control::{Control, ControlError};

/// A document of no origin that runs nothing and loads nothing. A click on a link opens it in a new tab.
const POLICY: HeaderValue = HeaderValue::from_static(
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
);

/// Returns the HTML of a mail. Mails are numbered from 0, in the order in which they were sent.
pub(crate) async fn page(
    State(control): State<Control>,
    Path(number): Path<usize>,
) -> Result<Response, ControlError> {
    let html = control.services.mails().get(number).and_then(|mail| mail.html.clone());
    let html = html.ok_or_else(|| {
        ControlError(StatusCode::NOT_FOUND, "There is no such mail, or it has no HTML.".to_owned())
    })?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, with_links_in_new_tabs(&html)).into_response())
}

/// The mail's own page cannot be left: the console frames no other origin.
fn with_links_in_new_tabs(html: &str) -> String {
    html.replacen("<head>", "<head><base target=\"_blank\">", 1)
}
