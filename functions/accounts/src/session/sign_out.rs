//! `DELETE /api/auth/session`: ends the sessions of the request. Also answers where there is none any more.

use axum::extract::State;
use http::HeaderMap;
use shared::app::App;
use shared::http::{Description, General, NoData, PublicToPeople, WithCookies, session_tokens};

use crate::session::browser::ended_session_cookie;

pub(crate) async fn sign_out(
    _: PublicToPeople,
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<WithCookies<NoData>, General> {
    for token in session_tokens(&headers) {
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
