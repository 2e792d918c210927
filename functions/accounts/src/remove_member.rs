//! `DELETE /api/auth/members/{userId}`: removes a member from the team, or leaves it.

use axum::extract::State;
use http::StatusCode;
use shared::app::App;
use shared::domain::ids::UserId;
use shared::domain::team::{Action, Permission, User};
use shared::domain::till::Till;
use shared::http::access::{Session, no_merchant};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::http::reply::NoData;
use shared::store::team::{Belonged, Team};
use shared::store::{Entity, Write};

/// A transaction has room for about a hundred rows. An invitation beyond is over as well, because its maker is no member.
const MAX_WITHDRAWN: usize = 60;
/// Codes are good for ten minutes only.
const MAX_TILLS: usize = 30;

/// A member may leave; to remove others takes the permission to invite.
pub(crate) async fn remove_member(
    caller: Session,
    State(app): State<App>,
    ids: PathIds,
) -> Result<NoData, Fault> {
    let workspace = caller.workspace.ok_or_else(|| no_merchant(StatusCode::NOT_FOUND))?;
    let merchant = &workspace.merchant.id;
    let removed = UserId::new(ids.get("userId").unwrap_or_default());
    let mut attempts = app.store.attempts("the team");
    loop {
        let team = app.store.team(merchant).await?;
        check(&caller.user, &team, &removed)?;
        let member = team.member(&removed).ok_or_else(not_a_member)?;
        let user = app.store.user(&removed).await?.ok_or_else(not_a_member)?;
        let without_merchant = User {
            merchant_id: None,
            session_generation: user.session_generation.saturating_add(1),
            ..user.value.clone()
        };
        let mut writes = vec![
            team.counted()?,
            Write::delete(member)?,
            Write::replace(&user, &without_merchant)?,
            Write::put(&Belonged::new(&removed, merchant))?,
        ];
        let by_caller = team.member(&caller.user.id).filter(|member| member.user_id != removed);
        writes.extend(by_caller.map(Write::require_unchanged).transpose()?);
        let made = team.invites.iter().filter(|invite| invite.made_by.as_ref() == Some(&removed));
        for invite in made.take(MAX_WITHDRAWN) {
            writes.push(Write::remove(invite.key())?);
        }
        let tills = team.tills.iter().filter(|till| waits_for_a_code_of(till, &removed));
        for till in tills.take(MAX_TILLS) {
            writes.push(match till.token {
                None => Write::delete(till)?,
                Some(_) => Write::replace(till, &Till { pairing: None, ..till.value.clone() })?,
            });
        }
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(NoData);
        }
    }
}

/// Whoever left must not be able to pair a till by a code that they have seen.
fn waits_for_a_code_of(till: &Till, user: &UserId) -> bool {
    till.pairing.as_ref().is_some_and(|pairing| pairing.made_by == *user)
}

fn not_a_member() -> Fault {
    Fault::not_found("There is no such member in your team.")
}

fn check(caller: &User, team: &Team, removed: &UserId) -> Result<(), Fault> {
    let membership = team.member(&caller.id);
    let is_oneself = caller.id == *removed;
    let may_remove = caller.is_admin
        || membership.is_some_and(|membership| membership.allows(Permission::TeamInvite, Action::Write));
    if !is_oneself && !may_remove {
        return Err(Fault::forbidden("You do not have permission to do this."));
    }
    let member = team.member(removed).ok_or_else(not_a_member)?;
    let by_administrator =
        caller.is_admin || membership.is_some_and(|membership| membership.is_admin_capable());
    if member.is_admin_capable() && !is_oneself && !by_administrator {
        return Err(Fault::forbidden("Only an administrator can remove an administrator."));
    }
    if member.is_admin_capable() && !team.has_other_admin(removed) {
        return Err(Fault::invalid("userId: the last administrator of a team cannot be removed."));
    }
    Ok(())
}

pub(crate) fn describe() -> Description {
    Description::new("removeMember", 
        "Remove a member",
        "Removes a member from the team and ends their sessions and the invitations that they made. Everybody can remove \
         themselves; to remove others takes the permission `merchant.team.invite`.",
    )
    .ok("The user is no member any more.")
    .error(400, "It is the last administrator.")
    .message("userId: the last administrator of a team cannot be removed.")
    .error(403, "The caller may not remove this member.")
    .message("Only an administrator can remove an administrator.")
    .error(404, "There is no such member, or the caller has no merchant.")
    .message("There is no such member in your team.")
}
