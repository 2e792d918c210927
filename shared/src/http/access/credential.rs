//! Where a request carries who calls: a bearer token, or the cookie of a session.

use http::{HeaderMap, header};

use super::super::cookie;
use super::super::fault::Fault;
use super::refusals::unauthenticated;
use crate::team::rows::sessions::Token;

/// The session cookie, for browsers on the portal's own site.
pub const SESSION_COOKIE: &str = "__Host-portal_session";

/// A session token or a key, and whether it was sent as a cookie.
pub(super) struct Credential {
    pub(super) token: Token,
    pub(super) from_cookie: bool,
}

impl Credential {
    /// Requires exactly one token, as bearer token or as cookie: two could belong to different users.
    pub(super) fn from_headers(headers: &HeaderMap) -> Result<Self, Fault> {
        let mut tokens = bearer_tokens(headers).chain(cookie_tokens(headers));
        match (tokens.next(), tokens.next()) {
            (Some(credential), None) => Ok(credential),
            _ => Err(unauthenticated()),
        }
    }
}

pub(super) fn bearer_tokens(headers: &HeaderMap) -> impl Iterator<Item = Credential> {
    let values = headers.get_all(header::AUTHORIZATION).into_iter().filter_map(|value| value.to_str().ok());
    values
        .filter_map(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| Credential { token: Token::new(token.trim()), from_cookie: false })
}

fn cookie_tokens(headers: &HeaderMap) -> impl Iterator<Item = Credential> {
    let tokens = cookie::values(headers, SESSION_COOKIE);
    tokens.map(|token| Credential { token: Token::new(token), from_cookie: true })
}

/// How many tokens of a request are looked at. No client sends more than two.
const MAX_TOKENS: usize = 10;

/// The tokens of a request, whether or not their sessions are over.
pub fn session_tokens(headers: &HeaderMap) -> impl Iterator<Item = Token> {
    let credentials = bearer_tokens(headers).chain(cookie_tokens(headers));
    credentials.map(|credential| credential.token).take(MAX_TOKENS)
}

/// The token of the session cookie, if there is exactly one.
pub fn cookie_token(headers: &HeaderMap) -> Option<Token> {
    let mut tokens = cookie_tokens(headers);
    let token = tokens.next()?.token;
    tokens.next().is_none().then_some(token)
}
