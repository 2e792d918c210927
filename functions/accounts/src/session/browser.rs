//! What a browser sends with each request, and its session cookie.

use http::{HeaderMap, HeaderValue, header};
use jiff::SignedDuration;
use shared::http::{SESSION_COOKIE, cookie};
use shared::team::rows::sessions::{self, Token};

/// The name of the browser or program, as it names itself.
pub(crate) fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok())
}

pub(crate) fn session_cookie(token: &Token) -> Option<HeaderValue> {
    cookie::set(SESSION_COOKIE, token.expose(), sessions::LIFETIME)
}

/// The `Set-Cookie` that deletes the cookie of the session.
pub(crate) fn ended_session_cookie() -> Option<HeaderValue> {
    cookie::set(SESSION_COOKIE, "", SignedDuration::ZERO)
}
