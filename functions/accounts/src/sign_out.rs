//! `DELETE /api/auth/session`: ends the session. Also answers where there is none any more.

use axum::extract::State;
use http::HeaderMap;
use shared::app::App;
use shared::http::access::{self, Public};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::{NoData, WithCookies};

use crate::browser::ended_session_cookie;

pub(crate) async fn sign_out(
    _: Public,
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<WithCookies<NoData>, Fault> {
    if let Some(token) = access::token(&headers) {
        app.store.end_session(&token).await?;
    }
    Ok(WithCookies::new([ended_session_cookie()], NoData))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "signOut",
        "Sign out",
        "Ends the session and deletes its cookie. Answers the same if the session is already over.",
    )
    .ok("The session is over.")
}
