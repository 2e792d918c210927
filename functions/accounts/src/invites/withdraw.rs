//! `DELETE /api/auth/invites/{challengeId}`: withdraws an invitation.

use axum::extract::State;
use shared::app::App;
use shared::db::Write;
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, Description, NoData, PathIds, permission};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::values::ChallengeId;

endpoint_error! {
    pub(crate) enum WithdrawInviteError {
        /// There is no such invitation.
        NoSuchInvite => 404 NOT_FOUND "There is no such invitation.",
    }
}

pub(crate) async fn withdraw_invite(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    ids: PathIds,
) -> Result<NoData, WithdrawInviteError> {
    let id = ChallengeId::new(ids.get("challengeId").ok_or(WithdrawInviteError::NoSuchInvite)?);
    let mut attempts = app.store.attempts("an invitation");
    loop {
        let invite = app.store.invite(&caller.merchant.id, &id).await?;
        let invite = invite.ok_or(WithdrawInviteError::NoSuchInvite)?;
        let deed = Deed::new(ActivityAction::InviteWithdrawn).to_target(&id, &invite.email);
        let actor = Actor::member(&caller.user);
        let activity = app.store.record(actor, &caller.merchant.id, deed, app.clock.now())?;
        if attempts.committed(app.store.commit(vec![Write::delete(&invite)?, activity]).await).await? {
            return Ok(NoData);
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new("withdrawInvite", "Withdraw an invitation", "The link of the invitation stops working immediately.")
        .ok("The invitation is withdrawn.")
}
