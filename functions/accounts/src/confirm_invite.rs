//! `POST /api/auth/invites/{challengeId}/verification`: its maker confirms an invitation with the mailed code.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::clock::later;
use shared::domain::ids::ChallengeId;
use shared::domain::team::{Invite, InviteStatus, Membership};
use shared::http::access::{Authorized, permission};
use shared::http::body::JsonBody;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::store::jobs::{Job, Task};
use shared::store::{Stored, Write};
use utoipa::ToSchema;

use crate::invite::{InviteView, LIFETIME, admit_mail, over, require_not_closed};
use crate::sign_in::{invalid_code, proven_challenge};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InviteCode {
    /// As mailed. Case, spaces and dashes do not matter.
    code: String,
}

/// The invitation of a path, if the caller made it. 404 otherwise.
pub(crate) async fn own_invite(
    app: &App,
    caller: &Authorized<permission::TeamInvite>,
    ids: &PathIds,
) -> Result<Stored<Invite>, Fault> {
    let none = || Fault::not_found("There is no such invitation of yours.");
    let id = ids.get("challengeId").ok_or_else(none)?;
    let invite = app.store.invite(&caller.merchant.id, &ChallengeId::new(id)).await?;
    invite.filter(|invite| invite.made_by.as_ref() == Some(&caller.user.id)).ok_or_else(none)
}

/// The membership of the maker of an invitation. 410 if it is over because they are not the member any more that they were.
pub(crate) async fn standing_maker(
    app: &App,
    caller: &Authorized<permission::TeamInvite>,
    invite: &Invite,
) -> Result<Stored<Membership>, Fault> {
    let maker = app.store.membership(&invite.merchant_id, &caller.user.id).await?.ok_or_else(over)?;
    if invite.is_backed_by(Some(&maker)) { Ok(maker) } else { Err(over()) }
}

pub(crate) async fn confirm_invite(
    caller: Authorized<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
    JsonBody(body): JsonBody<InviteCode>,
) -> Result<Data<InviteView>, Fault> {
    let invite = own_invite(&app, &caller, &ids).await?;
    require_not_closed(&caller.merchant)?;
    let maker = standing_maker(&app, &caller, &invite).await?;
    let challenge = proven_challenge(&app, &invite.challenge_id, &body.code).await?;
    admit_mail(&app, &invite.email).await?;
    let now = app.clock.now();
    let confirmed =
        Invite { verified_at: Some(now), expires_at: later(now, LIFETIME), ..invite.value.clone() };
    let task = Task::InviteMail { challenge_id: invite.challenge_id.clone() };
    let job = Job::new(invite.merchant_id.clone(), task, now, &app.random);
    let writes = vec![
        Write::require_unchanged(&maker)?,
        Write::delete(&challenge)?,
        Write::replace(&invite, &confirmed)?,
        Write::create(&job)?,
    ];
    // Whoever loses a race has used the code a second time, or the invitation has changed.
    if app.store.commit_if_possible(writes).await? {
        Ok(Data(InviteView::new(&confirmed, InviteStatus::PendingAcceptance)))
    } else {
        Err(invalid_code())
    }
}

pub(crate) fn describe() -> Description {
    Description::new("confirmInvite", 
        "Confirm an invitation",
        "Confirms an invitation that the caller made, with the mailed code, and mails the link to the invited address. The \
         invitation can be accepted for 7 days. Allows 3 mails a day for an invited address.",
    )
    .body::<InviteCode>(json!({"code": "ABCD-EFGH"}))
    .success("The invitation, which can be accepted.", InviteView::example("Invited, pending acceptance"))
    .coded_error(400, &["INVALID_REQUEST", "CODE_INVALID"], "The code is wrong, was used or has expired (`CODE_INVALID`).")
    .error(404, "The caller made no such invitation.")
    .message("There is no such invitation of yours.")
    .coded_error(409, &["MERCHANT_INACTIVE"], "The merchant is closed (`MERCHANT_INACTIVE`).")
    .coded_error(410, &["INVITE_OVER"], "The caller has another role than when they invited (`INVITE_OVER`).")
    .error(429, "Too many invitations were mailed to the address.")
    .message("Too many invitations were mailed to this address. Please try again later.")
}
