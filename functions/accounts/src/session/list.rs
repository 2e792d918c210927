//! `GET` and `DELETE /api/auth/sessions`: where the user is signed in, and signing out everywhere.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Description, General, List, NoData, UtcTime, WithCookies};
use shared::team::model::team::SignInMethod;
use shared::team::rows::sessions::SignedInUser;
use shared::values::{OpenEnum, SessionId};
use utoipa::ToSchema;

use crate::session::browser::ended_session_cookie;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListedSession {
    /// The id of the session. It grants nothing.
    id: SessionId,
    /// How the user signed in.
    #[schema(value_type = SignInMethod)]
    signed_in_with: OpenEnum<SignInMethod>,
    /// When the user signed in.
    created_at: UtcTime,
    /// When the session expires.
    expires_at: UtcTime,
    /// How the browser or program identified itself when the user signed in; null if it did not.
    user_agent: Option<String>,
    /// Whether it is the session of this request.
    current: bool,
}

/// Latest first.
pub(crate) async fn list_sessions(caller: SignedInUser, State(app): State<App>) -> Result<List<ListedSession>, General> {
    let sessions = app.store.sessions_of(&caller.user, app.clock.now()).await?;
    let current = &caller.session.details.id;
    let listed = sessions.into_iter().map(|session| ListedSession {
        current: session.id == *current,
        signed_in_with: session.signed_in_with,
        created_at: session.created_at.into(),
        expires_at: session.expires_at.into(),
        user_agent: session.user_agent,
        id: session.id,
    });
    Ok(List(listed.collect()))
}

/// Ends all sessions of the user, this one included, by one write.
pub(crate) async fn end_sessions(caller: SignedInUser, State(app): State<App>) -> Result<WithCookies<NoData>, General> {
    app.store.end_all_sessions(caller.user.into_row()).await?;
    Ok(WithCookies::new([ended_session_cookie()], NoData))
}

pub(crate) fn describe_list() -> Description {
    Description::new("listSessions", "List the sessions", "Returns the user's active sessions, newest first.").success(
        "The sessions.",
        json!({
            "id": "0f1e2d3c4b5a69788796a5b4c3d2e1f0", "signedInWith": "CODE", "createdAt": "2026-01-05T10:00:00.000Z",
            "expiresAt": "2026-01-05T22:00:00.000Z", "userAgent": "Mozilla/5.0", "current": true,
        }),
    )
}

pub(crate) fn describe_end() -> Description {
    Description::new("endSessions", "Sign out everywhere", "Ends all sessions of the user, including this one.")
        .ok("All sessions have ended.")
}
