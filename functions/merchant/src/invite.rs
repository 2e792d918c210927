//! `POST /api/bff/merchant/users`: refused, since an invitation is confirmed by a one-time code in the dashboard.

use axum::Json;
use axum::response::IntoResponse;
use http::StatusCode;
use serde::Serialize;
use serde_json::json;
use shared::http::access::Session;
use shared::http::description::Description;
use utoipa::ToSchema;

/// A refusal with the code by which the dashboard knows why.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvitationRefused)]
struct Refused {
    ok: bool,
    error: &'static str,
    code: &'static str,
}

const REFUSED: Refused = Refused {
    ok: false,
    error: "Invite people from the team page of the dashboard, where you confirm the invitation with a code.",
    code: "TEAM_INVITE_OTP_REQUIRED",
};

/// Always 400.
pub(crate) async fn invite(_: Session) -> impl IntoResponse {
    (StatusCode::BAD_REQUEST, Json(REFUSED))
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Invite somebody to the team",
        "Always refused: an invitation is confirmed by a one-time code in the dashboard. A body is not looked at.",
    )
    .always::<Refused>("400", "Invitations begin in the dashboard.", json!(REFUSED))
}
