//! `POST /api/bff/merchant/users`: always rejected, because an invitation is confirmed with a one-time code in
//! the dashboard.

use axum::Json;
use axum::response::IntoResponse;
use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use shared::http::access::Session;
use shared::http::description::Description;
use utoipa::ToSchema;

/// An error with a code that the dashboard recognizes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvitationRefused)]
struct Rejection {
    /// `false`: the request has failed.
    ok: bool,
    /// What is wrong, in a sentence, for people.
    error: &'static str,
    /// What is wrong, for programs: always `TEAM_INVITE_OTP_REQUIRED`.
    code: &'static str,
}

const REJECTION: Rejection = Rejection {
    ok: false,
    error: "Invite people from the team page of the dashboard, where you confirm the invitation with a code.",
    code: "TEAM_INVITE_OTP_REQUIRED",
};

/// Always responds with 400.
pub(crate) async fn invite(_: Session) -> impl IntoResponse {
    (StatusCode::BAD_REQUEST, Json(REJECTION))
}

pub(crate) fn describe() -> Description {
    Description::new("inviteTeamMember", 
        "Invite a user to the team",
        "Always rejected: invitations are sent from the dashboard and confirmed there with a one-time code. The body \
         is ignored.",
    )
    .always::<Rejection>("400", "Invitations are sent from the dashboard.", json!(REJECTION))
}
