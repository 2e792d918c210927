//! `DELETE /api/auth/session`: ends the sessions of the request. Also answers where there is none any more.

use axum::extract::State;
use http::HeaderMap;
use shared::app::App;
use shared::endpoint_error;
use shared::http::access::{self, Public};
use shared::http::description::Description;
use shared::http::reply::{NoData, WithCookies};

use crate::session::browser::ended_session_cookie;

endpoint_error! {
    pub(crate) enum SignOutError {
        /// The request has a key, which can only be revoked.
        OfKey => 403 NOT_FOR_KEYS "A key cannot do this. Sign in to do it.",
    }
}

pub(crate) async fn sign_out(_: Public, State(app): State<App>, headers: HeaderMap) -> Result<WithCookies<NoData>, SignOutError> {
    if access::tokens(&headers).any(|token| token.is_of_key()) {
        return Err(SignOutError::OfKey);
    }
    for token in access::tokens(&headers) {
        app.store.end_session(&token).await?;
    }
    Ok(WithCookies::new([ended_session_cookie()], NoData))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "signOut",
        "Sign out",
        "Ends every session that the request carries, as a cookie or as a bearer token, and deletes the cookie. The response is \
         the same if there is none, or if it has already ended.",
    )
    .ok("The sessions have ended.")
}
