//! `POST /api/bff/merchant/users`: always rejected, because an invitation is confirmed with a one-time code in
//! the dashboard.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use shared::http::schemas::Schemas;
use shared::http::{Description, Success};
use shared::team::rows::sessions::SignedInUser;
use utoipa::ToSchema;
use utoipa::openapi::ResponseBuilder;

/// An error with a code that the dashboard recognizes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InvitationRefused)]
pub(crate) struct Rejection {
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
pub(crate) async fn invite(_: SignedInUser) -> Rejection {
    REJECTION
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        (Self::STATUS, Json(self)).into_response()
    }
}

/// The only response of the endpoint.
impl Success for Rejection {
    const STATUS: StatusCode = StatusCode::BAD_REQUEST;

    fn describe(response: ResponseBuilder, example: Value, schemas: &mut Schemas) -> ResponseBuilder {
        Json::<Self>::describe(response, example, schemas)
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "inviteTeamMember",
        "Invite a user to the team",
        "Always rejected: invitations are sent from the dashboard and confirmed there with a one-time code. The body \
         is ignored.",
    )
    .success("Invitations are sent from the dashboard.", json!(REJECTION))
}
