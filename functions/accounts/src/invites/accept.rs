//! `POST /api/auth/invites/{challengeId}/acceptance`: the invited user becomes a member.

use axum::extract::State;
use jiff::Timestamp;
use shared::app::App;
use shared::db::{News, Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{Data, Description, Detail, Fault, PathIds};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::merchants::model::merchant::MerchantStatus;
use shared::team::model::team::{Invite, Membership, User, fold_email};
use shared::team::rows::sessions::SignedInUser;
use shared::team::rows::team::Belonged;
use shared::values::ChallengeId;

use crate::invites::own::InviteOver;
use crate::session::{self, SessionView};

endpoint_error! {
    pub(crate) enum AcceptInviteError {
        /// The invitation is for another address, which is masked in `error.invitedAddress`: `a•••@e•••.com`.
        OtherAddress(InvitedAddress) => 403 OTHER_ADDRESS
            "This invitation is for another address. Sign in with that one.",
        /// The caller already belongs to a merchant.
        AlreadyLinked => 409 ALREADY_LINKED "You already belong to a merchant.",
        Over(#[from] InviteOver),
    }
}

/// The address that is invited, masked.
#[derive(Debug)]
pub(crate) struct InvitedAddress(String);

impl Detail for InvitedAddress {
    fn add_to(self, fault: Fault) -> Fault {
        fault.field("invitedAddress", self.0)
    }
}

pub(crate) async fn accept_invite(
    caller: SignedInUser,
    State(app): State<App>,
    ids: PathIds,
) -> Result<Data<SessionView>, AcceptInviteError> {
    let id = ChallengeId::new(ids.get("challengeId").ok_or(InviteOver::Over)?);
    let mut attempts = app.store.attempts("an invitation");
    loop {
        let now = app.clock.now();
        let invite = app
            .store
            .invite_by_id(&id)
            .await?
            .filter(|invite| invite.verified_at.is_some() && invite.expires_at > now)
            .ok_or(InviteOver::Over)?;
        let user = app.store.user(&caller.user.id).await?.ok_or(InviteOver::Over)?;
        if fold_email(&user.email) != fold_email(&invite.email) {
            return Err(AcceptInviteError::OtherAddress(InvitedAddress(masked(&invite.email))));
        }
        if user.merchant_id.is_some() {
            return Err(AcceptInviteError::AlreadyLinked);
        }
        let writes = acceptance(&app, &invite, &user, now).await?;
        if attempts.committed(app.store.commit(writes).await).await? {
            let id = user.id.clone();
            return Ok(Data(session::view_of(&app, &caller.session, &id).await?));
        }
    }
}

/// An address whose owner recognizes it: `anna@example.com` becomes `a•••@e•••.com`.
fn masked(address: &str) -> String {
    let first = |text: &str| text.chars().next().map(String::from).unwrap_or_default();
    let (name, host) = address.rsplit_once('@').unwrap_or((address, ""));
    let (domain, suffix) = host.rsplit_once('.').unwrap_or((host, ""));
    format!("{}•••@{}•••.{suffix}", first(name), first(domain))
}

/// One transaction over user, membership, invitation, maker and team. The invitation is over if its maker could not make it any
/// more.
async fn acceptance(app: &App, invite: &Stored<Invite>, user: &Stored<User>, now: Timestamp) -> Result<Vec<Write>, InviteOver> {
    let team = app.store.team(&invite.merchant_id).await?;
    // Read after the team, which counts what closes a merchant.
    let merchant = app.store.merchant(&invite.merchant_id).await?.ok_or(InviteOver::Over)?;
    if merchant.status == MerchantStatus::Inactive {
        return Err(InviteOver::Over);
    }
    let maker = invite.made_by.as_ref().and_then(|maker| team.member(&maker.user_id));
    if !invite.is_backed_by(maker.map(|maker| &maker.value)) {
        return Err(InviteOver::Over);
    }
    let (powers, stamp) = (invite.powers(), app.store.new_stamp());
    let membership = Membership::new(invite.merchant_id.clone(), user.id.clone(), powers, stamp);
    let named = |own: &str, invited: &str| if own.trim().is_empty() { invited } else { own }.to_owned();
    let member = User {
        merchant_id: Some(invite.merchant_id.clone()),
        first_name: named(&user.first_name, &invite.first_name),
        last_name: named(&user.last_name, &invite.last_name),
        ..user.value.clone()
    };
    let deed = Deed::new(ActivityAction::MemberJoined).to_target(&member.id, member.display_name()).giving(&invite.powers());
    let news = News::MemberJoined { user_id: user.id.clone() };
    let mut writes = vec![
        team.counted()?,
        Write::delete(invite)?,
        Write::create(&membership)?,
        Write::put(&Belonged::new(&user.id, &invite.merchant_id))?,
        Write::replace(user, &member)?,
        app.store.record(Actor::member(&member), &merchant.id, deed, now)?,
        app.store.enqueue(merchant.id.clone(), Task::TeamNews { news }, now)?,
    ];
    writes.extend(maker.map(Write::require_unchanged).transpose()?);
    Ok(writes)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "acceptInvite",
        "Accept an invitation",
        "Makes the caller a member of the merchant that invited their address. The names in the invitation are used only if the \
         user has none.",
    )
    .success("The session, with the merchant.", session::example())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_address_keeps_two_letters_and_the_top_level_domain() {
        for (address, expected) in [
            ("anna@example.com", "a•••@e•••.com"),
            ("a@b.example", "a•••@b•••.example"),
            ("anna@mail.example.co.uk", "a•••@m•••.uk"),
        ] {
            assert_eq!(masked(address), expected);
        }
    }
}
