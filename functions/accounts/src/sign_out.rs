//! `DELETE /api/auth/session`: ends the session. Also answers where there is none any more.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use shared::app::App;
use shared::http::access::{self, Public};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::NoData;

use crate::browser::ended_session_cookie;

pub(crate) async fn sign_out(
    _: Public,
    State(app): State<App>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    if let Some(token) = access::token(&headers) {
        app.store.end_session(&token).await?;
    }
    Ok((ended_session_cookie(), NoData).into_response())
}

pub(crate) fn describe() -> Description {
    Description::new(
        "signOut",
        "Sign out",
        "Ends the session and deletes its cookie. Answers the same if the session is already over.",
    )
    .ok("The session is over.")
}
