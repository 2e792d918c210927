//! `POST /api/auth/invites/{challengeId}/verification`: its maker confirms an invitation with the mailed code.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::db::{Task, Write};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, Data, Description, Invalid, JsonBody, PathIds, permission};
use shared::team::model::team::{Invite, InviteStatus};
use shared::values::later;
use utoipa::ToSchema;

use crate::invites::create::{InviteView, LIFETIME, MailLimit, reserve_mail};
use crate::invites::own::{OwnInvite, OwnInviteError, own_invite};
use crate::session::sign_in::{CodeError, proven_challenge};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InviteCode {
    /// As e-mailed. Case, spaces and dashes do not matter.
    code: String,
}

endpoint_error! {
    pub(crate) enum ConfirmInviteError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "code: is missing.",
        Code(#[from] CodeError),
        OwnInvite(#[from] OwnInviteError),
        MailLimit(#[from] MailLimit),
    }
}

pub(crate) async fn confirm_invite(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
    JsonBody(body): JsonBody<InviteCode>,
) -> Result<Data<InviteView>, ConfirmInviteError> {
    let OwnInvite { invite, maker } = own_invite(&app, &caller, &ids).await?;
    let challenge = proven_challenge(&app, &invite.challenge_id, &body.code).await?;
    let mail = reserve_mail(&app, &caller.merchant, &invite.email).await?;
    let now = app.clock.now();
    let confirmed = Invite { verified_at: Some(now), expires_at: later(now, LIFETIME), ..invite.value.clone() };
    let task = Task::InviteMail { challenge_id: invite.challenge_id.clone(), counted: mail.clone() };
    let writes = vec![
        Write::require_unchanged(&maker)?,
        Write::delete(&challenge)?,
        Write::replace(&invite, &confirmed)?,
        app.store.enqueue(invite.merchant_id.clone(), task, now)?,
    ];
    // Whoever loses a race has used the code a second time, or the invitation has changed.
    if app.store.commit_if_possible(writes).await? {
        Ok(Data(InviteView::new(&confirmed, InviteStatus::PendingAcceptance)))
    } else {
        app.store.give_back(mail).await;
        Err(CodeError::NotValid.into())
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "confirmInvite",
        "Confirm an invitation",
        "Confirms an invitation that the caller created, with the e-mailed code, and e-mails the link to the invited address. \
         The invitation can be accepted for 7 days. An address can be sent 3 invitations a day; merchants that were never active \
         share 3.",
    )
    .body::<InviteCode>(json!({"code": "ABCD-EFGH"}))
    .success("The invitation, which can now be accepted.", InviteView::example("Invited, pending acceptance"))
}
