//! `POST /api/auth/invites/{challengeId}/resend`: mails a fresh code, or once confirmed the link again.

use axum::extract::State;
use http::HeaderMap;
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{CommitError, StoreError, Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, Data, Description, PathIds, permission};
use shared::team::model::challenge::{Challenge, ChallengePurpose};
use shared::team::model::team::{Invite, InviteStatus};
use shared::values::later;

use crate::invites::create::{CodeLimit, InviteView, LIFETIME, MailLimit, admit_code, reserve_mail};
use crate::invites::own::{OwnInvite, OwnInviteError, own_invite};
use crate::session::request_code::new_challenge;

endpoint_error! {
    pub(crate) enum ResendInviteError {
        OwnInvite(#[from] OwnInviteError),
        CodeLimit(#[from] CodeLimit),
        MailLimit(#[from] MailLimit),
    }
}

pub(crate) async fn resend_invite(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    headers: HeaderMap,
    ids: PathIds,
) -> Result<Data<InviteView>, ResendInviteError> {
    let OwnInvite { invite, maker } = own_invite(&app, &caller, &ids).await?;
    let mut mail = None;
    let (resent, status, mut writes) = if invite.verified_at.is_some() {
        mail = Some(reserve_mail(&app, &caller.merchant, &invite.email).await?);
        with_link(&app, &invite, mail.clone().unwrap_or_default())?
    } else {
        admit_code(&app, &caller.user).await?;
        let purpose = ChallengePurpose::ConfirmInvite { merchant_id: invite.merchant_id.clone() };
        let email = caller.user.email.clone();
        let fresh = new_challenge(&app, purpose, email, &headers);
        with_code(&app, &invite, &Challenge { id: invite.challenge_id.clone(), ..fresh })?
    };
    writes.push(Write::require_unchanged(&maker)?);
    let committed = app.store.commit(writes).await;
    if let (Err(CommitError::Conflict(_)), Some(mail)) = (&committed, mail) {
        app.store.give_back(mail).await;
    }
    committed?;
    Ok(Data(InviteView::new(&resent, status)))
}

/// A fresh code replaces the one before.
fn with_code(
    app: &App,
    invite: &Stored<Invite>,
    challenge: &Challenge,
) -> Result<(Invite, InviteStatus, Vec<Write>), StoreError> {
    let now = challenge.created_at;
    let resent =
        Invite { verification_expires_at: challenge.expires_at, expires_at: later(now, LIFETIME), ..invite.value.clone() };
    let task = Task::CodeMail { challenge_id: challenge.id.clone() };
    let job = app.store.enqueue(invite.merchant_id.clone(), task, now)?;
    let writes = vec![Write::put(challenge)?, Write::replace(invite, &resent)?, job];
    Ok((resent, InviteStatus::PendingVerification, writes))
}

fn with_link(app: &App, invite: &Stored<Invite>, counted: Reservation) -> Result<(Invite, InviteStatus, Vec<Write>), StoreError> {
    let now = app.clock.now();
    let resent = Invite { expires_at: later(now, LIFETIME), ..invite.value.clone() };
    let task = Task::InviteMail { challenge_id: invite.challenge_id.clone(), counted };
    let writes = vec![Write::replace(invite, &resent)?, app.store.enqueue(invite.merchant_id.clone(), task, now)?];
    Ok((resent, InviteStatus::PendingAcceptance, writes))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "resendInvite",
        "Resend an invitation",
        "Before confirmation, e-mails its creator a new code, which replaces the previous one. After confirmation, e-mails the \
         link to the invited address again, valid for 7 more days.",
    )
    .success("The invitation.", InviteView::example("Invited, pending acceptance"))
}
