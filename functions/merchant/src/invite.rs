//! `POST /api/bff/merchant/users`: refused, since an invitation is confirmed by a one-time code in the dashboard.

use axum::Json;
use axum::response::IntoResponse;
use http::StatusCode;
use serde_json::json;
use shared::http::access::Session;

/// Always 400, with the code by which the dashboard knows why.
pub(crate) async fn invite(_: Session) -> impl IntoResponse {
    let body = json!({
        "ok": false,
        "error": "Invite people from the team page of the dashboard, where you confirm the invitation with a code.",
        "code": "TEAM_INVITE_OTP_REQUIRED",
    });
    (StatusCode::BAD_REQUEST, Json(body))
}
