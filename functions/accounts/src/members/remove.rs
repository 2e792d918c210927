//! `DELETE /api/auth/members/{userId}`: removes a member from the team, or leaves it.

use axum::extract::State;
use jiff::Timestamp;
use shared::app::App;
use shared::db::{Entity, News, StoreError, Stored, Task, Write, fill_transaction};
use shared::endpoint_error;
use shared::http::{Description, NoData, PathIds, Query};
use shared::keys::makers::TakenBy;
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::team::model::team::{Membership, User};
use shared::team::model::till::Till;
use shared::team::rows::sessions::SignedInUser;
use shared::team::rows::team::{Belonged, Team};
use shared::values::UserId;

endpoint_error! {
    pub(crate) enum RemoveMemberError {
        /// It is the last administrator.
        LastAdministrator => 400 INVALID_REQUEST
            "userId: the last administrator of a team cannot be removed.",
        /// The caller may not remove others.
        NotManager => 403 FORBIDDEN "You do not have permission to do this.",
        /// The member has permissions that the caller does not have.
        NotHeld => 403 FORBIDDEN
            "You cannot remove a member who has a role or a permission that you do not have yourself.",
        /// The caller has no merchant.
        NoMerchant => 404 NOT_FOUND "Your account is not linked to a merchant.",
        /// There is no such member.
        NoSuchMember => 404 NOT_FOUND "There is no such member in your team.",
    }
}

/// A member may leave; to remove others takes the permission to invite, and everything that they hold.
pub(crate) async fn remove_member(
    caller: SignedInUser,
    State(app): State<App>,
    ids: PathIds,
    query: Query,
) -> Result<NoData, RemoveMemberError> {
    let keeps_keys = query.text("keepKeys") == Some("true");
    let workspace = caller.workspace.ok_or(RemoveMemberError::NoMerchant)?;
    let removed = UserId::new(ids.get("userId").unwrap_or_default());
    let is_oneself = caller.user.id == removed;
    let mut attempts = app.store.attempts("the team");
    loop {
        let team = app.store.team(&workspace.merchant.id).await?;
        if !is_oneself && !team.is_managed_by(&caller.user) {
            return Err(RemoveMemberError::NotManager);
        }
        let member = team.member(&removed).ok_or(RemoveMemberError::NoSuchMember)?;
        if team.is_last_administrator(&removed) {
            return Err(RemoveMemberError::LastAdministrator);
        }
        let user = app.store.user(&removed).await?.ok_or(RemoveMemberError::NoSuchMember)?;
        let now = app.clock.now();
        let actor = Actor::member(&caller.user);
        let mut writes = without_merchant(member, &user)?;
        let (action, news) = if is_oneself {
            writes.extend(app.store.change_member(&team, member, None, TakenBy::Oneself, &actor, now)?);
            (ActivityAction::MemberLeft, News::MemberLeft { user_id: removed.clone() })
        } else {
            let taker = team.giver(&caller.user.id, &member.powers());
            let taker = taker.ok_or(RemoveMemberError::NotHeld)?;
            writes.push(Write::require_unchanged(taker)?);
            let by = TakenBy::Other { keeps_keys, powers: &taker.powers() };
            writes.extend(app.store.change_member(&team, member, None, by, &actor, now)?);
            (ActivityAction::MemberRemoved, News::MemberRemoved { user_id: removed.clone() })
        };
        let deed = Deed::new(action).to_target(&user.id, user.display_name());
        let merchant = &workspace.merchant.id;
        writes.push(app.store.record(actor, merchant, deed, now)?);
        writes.push(app.store.enqueue(merchant.clone(), Task::TeamNews { news }, now)?);
        fill_transaction(&mut writes, withdrawal(&team, &removed, now)?);
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(NoData);
        }
    }
}

/// Ends the user's sessions, and their link to the merchant.
fn without_merchant(member: &Membership, user: &Stored<User>) -> Result<Vec<Write>, StoreError> {
    let without_merchant =
        User { merchant_id: None, session_generation: user.session_generation.saturating_add(1), ..user.value.clone() };
    Ok(vec![Write::replace(user, &without_merchant)?, Write::put(&Belonged::new(&user.id, &member.merchant_id))?])
}

/// Ends what the user made and nobody has used yet: pairing codes, of which few wait, and invitations. What the transaction has
/// no room for is over as well, because its maker is no member any more.
fn withdrawal(team: &Team, user: &UserId, now: Timestamp) -> Result<Vec<Write>, StoreError> {
    let made = |till: &&Stored<Till>| {
        till.waits_for_code(now) && till.pairing.as_ref().is_some_and(|pairing| pairing.made_by.user_id == *user)
    };
    let codes = team.tills.iter().filter(made).map(|till| match till.token {
        None => Write::delete(till),
        Some(_) => Write::replace(till, &Till { pairing: None, ..till.value.clone() }),
    });
    let made = team.invites.iter().filter(|invite| invite.made_by.as_ref().is_some_and(|maker| maker.user_id == *user));
    codes.chain(made.map(|invite| Write::remove(invite.key()))).collect()
}

pub(crate) fn describe() -> Description {
    Description::new(
        "removeMember",
        "Remove a member",
        "Removes a member from the team, and ends their sessions and the invitations that they created. Members can always \
         remove themselves; removing others requires `merchant.team.invite` and every permission that they hold. Administrators \
         are notified by e-mail. Keys that the member created end immediately, or 7 days later if members leave by themselves.",
    )
    .query::<bool>("keepKeys", "`true`: keys that the member created end 7 days later.", false)
    .ok("The user is no longer a member.")
}
