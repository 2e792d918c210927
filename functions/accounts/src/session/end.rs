//! `DELETE /api/auth/sessions/{id}`: ends one session of the user.

use axum::extract::State;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Description, NoData, PathIds, WithCookies};
use shared::team::rows::sessions::SignedInUser;
use shared::values::SessionId;

use super::browser::ended_session_cookie;

endpoint_error! {
    pub(crate) enum EndSessionError {
        /// The user has no such session, or it has ended.
        NoSession => 404 NOT_FOUND "There is no such session.",
    }
}

/// It may be the session of this request.
pub(crate) async fn end_session(
    caller: SignedInUser,
    State(app): State<App>,
    ids: PathIds,
) -> Result<WithCookies<NoData>, EndSessionError> {
    let id = SessionId::new(ids.get("id").unwrap_or_default());
    if !app.store.end_session_of(&caller.user, &id, app.clock.now()).await? {
        return Err(EndSessionError::NoSession);
    }
    let cookie = if id == caller.session.details.id { ended_session_cookie() } else { None };
    Ok(WithCookies::new([cookie], NoData))
}

pub(crate) fn describe() -> Description {
    Description::new("endSession", "End a session", "Ends one session of the user, which can be that of the request.")
        .ok("The session has ended.")
}
