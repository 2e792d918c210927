//! The invitation that a path names, for its maker.

use shared::app::App;
use shared::db::Stored;
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, PathIds, permission};
use shared::team::model::team::{Invite, Membership};
use shared::values::ChallengeId;

use crate::invites::create::{MerchantClosed, require_not_closed};

endpoint_error! {
    pub(crate) enum OwnInviteError {
        /// The caller has no such invitation.
        NoSuchInvite => 404 NOT_FOUND "You have no such invitation.",
        Closed(#[from] MerchantClosed),
        Over(#[from] InviteOver),
    }
}

endpoint_error! {
    pub(crate) enum InviteOver {
        /// The invitation was used or withdrawn, or has expired, or its creator has changed role since.
        Over => 410 INVITE_OVER "This invitation was used or withdrawn, or has expired. Ask for a new one.",
    }
}

/// An invitation, and the membership of its maker.
pub(crate) struct OwnInvite {
    pub(crate) invite: Stored<Invite>,
    pub(crate) maker: Stored<Membership>,
}

/// The invitation of a path, if the caller made it and is still the member that they were.
pub(crate) async fn own_invite(
    app: &App,
    caller: &AuthorizedPerson<permission::TeamInvite>,
    ids: &PathIds,
) -> Result<OwnInvite, OwnInviteError> {
    let id = ids.get("challengeId").ok_or(OwnInviteError::NoSuchInvite)?;
    let invite = app.store.invite(&caller.merchant.id, &ChallengeId::new(id)).await?;
    let invite = invite.filter(|invite| invite.made_by.as_ref().is_some_and(|maker| maker.user_id == caller.user.id));
    let invite = invite.ok_or(OwnInviteError::NoSuchInvite)?;
    require_not_closed(&caller.merchant)?;
    let maker = app.store.membership(&invite.merchant_id, &caller.user.id).await?;
    let maker = maker.filter(|maker| invite.is_backed_by(Some(maker))).ok_or(InviteOver::Over)?;
    Ok(OwnInvite { invite, maker })
}
