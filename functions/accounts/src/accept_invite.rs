//! `POST /api/auth/invites/{challengeId}/acceptance`: the invited user becomes a member.

use axum::extract::State;
use jiff::Timestamp;
use shared::app::App;
use shared::domain::ids::ChallengeId;
use shared::domain::merchant::MerchantStatus;
use shared::domain::team::{Invite, Membership, User, fold_email};
use shared::http::access::Session;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use shared::store::team::Belonged;
use shared::store::{Stored, Write};

use crate::invite::Maker;
use crate::session::{self, SessionView};

fn over() -> Fault {
    Fault::gone("INVITE_OVER", "This invitation was used or withdrawn, or has expired. Ask for another one.")
}

pub(crate) async fn accept_invite(
    caller: Session,
    State(app): State<App>,
    ids: PathIds,
) -> Result<Data<SessionView>, Fault> {
    let id = ChallengeId::new(ids.get("challengeId").ok_or_else(over)?);
    let mut attempts = app.store.attempts("an invitation");
    loop {
        let now = app.clock.now();
        let invite = app
            .store
            .invite_by_id(&id)
            .await?
            .filter(|invite| can_be_accepted(invite, now))
            .ok_or_else(over)?;
        let user = app.store.user(&caller.user.id).await?.ok_or_else(over)?;
        if fold_email(&user.email) != fold_email(&invite.email) {
            let message = "This invitation is for another address. Sign in with that one.";
            return Err(Fault::forbidden(message).code("OTHER_ADDRESS"));
        }
        if user.merchant_id.is_some() {
            return Err(Fault::conflict("ALREADY_LINKED", "You belong to a merchant already."));
        }
        let writes = acceptance(&app, &invite, &user).await?;
        if attempts.committed(app.store.commit(writes).await).await? {
            let id = user.id.clone();
            return session::view_of(&app, &caller.session, &id).await.map(Data);
        }
    }
}

fn can_be_accepted(invite: &Invite, now: Timestamp) -> bool {
    invite.verified_at.is_some() && invite.is_open(now)
}

/// One transaction over user, membership, invitation, maker and team. The invitation is over if its maker could not make it any
/// more.
async fn acceptance(app: &App, invite: &Stored<Invite>, user: &Stored<User>) -> Result<Vec<Write>, Fault> {
    let merchant = app.store.merchant(&invite.merchant_id).await?.ok_or_else(over)?;
    if merchant.status == MerchantStatus::Inactive {
        return Err(over());
    }
    let team = app.store.team(&invite.merchant_id).await?;
    let mut writes = vec![team.counted()?, Write::delete(invite)?];
    // Fixtures have invitations that nobody made.
    if let Some(maker) = &invite.made_by {
        let maker = Maker::of(app, invite, maker).await?.ok_or_else(over)?;
        writes.extend(maker.unchanged()?);
    }
    let membership = Membership {
        merchant_id: invite.merchant_id.clone(),
        user_id: user.id.clone(),
        role: invite.role.clone(),
        permissions: invite.permissions.clone(),
    };
    let named = |own: &str, invited: &str| if own.trim().is_empty() { invited } else { own }.to_owned();
    let member = User {
        merchant_id: Some(invite.merchant_id.clone()),
        first_name: named(&user.first_name, &invite.first_name),
        last_name: named(&user.last_name, &invite.last_name),
        ..user.value.clone()
    };
    writes.push(Write::create(&membership)?);
    writes.push(Write::put(&Belonged::new(&user.id, &invite.merchant_id))?);
    writes.push(Write::replace(user, &member)?);
    Ok(writes)
}

pub(crate) fn describe() -> Description {
    Description::new("acceptInvite", 
        "Accept an invitation",
        "Makes the caller a member of the merchant that invites their address. Names are taken from the invitation only where \
         the user has none.",
    )
    .success("The session, with the merchant.", session::example())
    .coded_error(403, &["OTHER_ADDRESS"], "The invitation is for another address (`OTHER_ADDRESS`).")
    .coded_error(409, &["ALREADY_LINKED"], "The caller belongs to a merchant already (`ALREADY_LINKED`).")
    .coded_error(410, &["INVITE_OVER"], "The invitation was used or withdrawn, or has expired (`INVITE_OVER`).")
}
