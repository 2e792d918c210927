//! What a browser sends with each request, and its session cookie.

use axum::response::AppendHeaders;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::SignedDuration;
use shared::http::access::SESSION_COOKIE;
use shared::http::cookie;
use shared::store::sessions::{self, Token};

/// A `Set-Cookie` header, unless it cannot be written.
pub(crate) type SetCookie = AppendHeaders<Option<(HeaderName, HeaderValue)>>;

/// The name of the browser or program, as it names itself.
pub(crate) fn user_agent(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::USER_AGENT).and_then(|name| name.to_str().ok())
}

/// A cookie of the portal. A lifetime of zero deletes it.
pub(crate) fn set_cookie(name: &str, value: &str, lifetime: SignedDuration) -> SetCookie {
    AppendHeaders(cookie::set(name, value, lifetime).map(|cookie| (header::SET_COOKIE, cookie)))
}

pub(crate) fn session_cookie(token: &Token) -> SetCookie {
    set_cookie(SESSION_COOKIE, token.expose(), sessions::TTL)
}

pub(crate) fn ended_session_cookie() -> SetCookie {
    set_cookie(SESSION_COOKIE, "", SignedDuration::ZERO)
}
