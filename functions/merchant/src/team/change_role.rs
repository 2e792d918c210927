//! `PATCH /api/bff/merchant/users`: changes what a team member may do.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::base::audit;
use shared::db::{News, StoreError, Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, Description, Invalid, JsonBody, NoData, examples, non_null_enum, permission};
use shared::keys::makers::TakenBy;
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::team::model::team::{Membership, Permission, Powers, Role};
use shared::team::rows::sessions::Person;
use shared::team::rows::team::Team;
use shared::team::view::powers;
use shared::values::UserId;
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleChange {
    /// The id of the member. It must not be the caller's own.
    #[schema(value_type = String, pattern = r"\S")]
    target_user_id: UserId,
    /// The new role, which replaces individual permissions. Either this or `permissions` is required. Only an administrator
    /// can give or take `ADMIN`.
    #[serde(default, deserialize_with = "non_null_enum")]
    #[schema(required = false, nullable = false, value_type = Role)]
    merchant_team_role: Option<Role>,
    /// The names of permissions, which replace the role; at least one.
    #[schema(required = false, value_type = Option<Vec<String>>, nullable = false, min_items = 1)]
    permissions: Option<Vec<Permission>>,
    /// Whether keys that the member created and can no longer grant end 7 days later instead of immediately. Default: false.
    #[serde(default)]
    #[schema(required = false)]
    keep_keys: bool,
}

endpoint_error! {
    pub(crate) enum ChangeRoleError {
        /// The body is invalid, or the role is the caller's own.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "targetUserId: you cannot change your own role.",
        /// The caller may no longer manage the team.
        NoManager => 403 FORBIDDEN "You do not have permission to do this.",
        /// The caller does not have what they would grant or revoke.
        TooMuch => 403 FORBIDDEN "You can only grant or revoke roles and permissions that you have yourself.",
        /// The user is not a member of the team.
        NoSuchMember => 404 NOT_FOUND "There is no such member in your team.",
    }
}

/// Replaces the member's role and permissions.
pub(crate) async fn change_role(
    caller: AuthorizedPerson<permission::TeamInvite>,
    State(app): State<App>,
    JsonBody(change): JsonBody<RoleChange>,
) -> Result<NoData, ChangeRoleError> {
    if change.target_user_id.as_str().trim().is_empty() {
        return Err(Invalid::new("targetUserId: is missing.").into());
    }
    let powers = powers(change.merchant_team_role, change.permissions.as_deref())?;
    if change.target_user_id == caller.user.id {
        return Err(Invalid::new("targetUserId: you cannot change your own role.").into());
    }
    let mut attempts = app.store.attempts("the team");
    loop {
        let team = app.store.team(&caller.merchant.id).await?;
        let (giver, member) = check(&team, &caller.user, &change.target_user_id, &powers)?;
        if member.powers() == powers {
            return Ok(NoData);
        }
        let changed = member.with_powers(powers.clone(), app.store.new_stamp());
        let by = TakenBy::Other { keeps_keys: change.keep_keys, powers: &giver.powers() };
        let actor = Actor::member(&caller.user);
        let mut writes = app.store.change_member(&team, member, Some(&changed), by, &actor, app.clock.now())?;
        writes.push(Write::require_unchanged(giver)?);
        writes.extend(reports(&app, &caller, member, &changed).await?);
        if attempts.committed(app.store.commit(writes).await).await? {
            audit::role_changed(&caller.user.id, &caller.merchant.id, &member.user_id, &member.powers(), &powers);
            return Ok(NoData);
        }
    }
}

/// The memberships of the caller and of the member to change, if the caller may make the change. Only an administrator takes the role
/// from another one, so that one remains.
fn check<'a>(
    team: &'a Team,
    caller: &Person,
    target: &UserId,
    powers: &Powers,
) -> Result<(&'a Stored<Membership>, &'a Stored<Membership>), ChangeRoleError> {
    if !team.is_managed_by(caller) {
        return Err(ChangeRoleError::NoManager);
    }
    let member = team.member(target).ok_or(ChangeRoleError::NoSuchMember)?;
    let giver = team.giver(&caller.id, powers).filter(|giver| giver.powers().may_give(&member.powers()));
    Ok((giver.ok_or(ChangeRoleError::TooMuch)?, member))
}

/// The merchant's activity, and a mail to its administrators about a new one.
async fn reports(
    app: &App,
    caller: &AuthorizedPerson<permission::TeamInvite>,
    before: &Membership,
    after: &Membership,
) -> Result<Vec<Write>, StoreError> {
    let now = app.clock.now();
    let user = app.store.users(std::slice::from_ref(&after.user_id)).await?.pop();
    let name = user.map_or_else(|| after.user_id.to_string(), |user| user.display_name());
    let deed =
        Deed::new(ActivityAction::RoleChanged).to_target(&after.user_id, name).changing_powers(&before.powers(), &after.powers());
    let merchant = &caller.merchant.id;
    let mut writes = vec![app.store.record(Actor::member(&caller.user), merchant, deed, now)?];
    if after.is_administrator() && !before.is_administrator() {
        let news = News::BecameAdministrator { user_id: after.user_id.clone() };
        writes.push(app.store.enqueue(merchant.clone(), Task::TeamNews { news }, now)?);
    }
    Ok(writes)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "changeRole",
        "Change a member's role",
        "Sets the role of a team member, which ends individual permissions, or individual permissions, which replace the role. \
         You can only grant or revoke permissions that you hold for writing, and only an administrator can grant or revoke \
         `ADMIN` and `merchant.team.invite`. Unused invitations and pairing codes that the member created expire, and keys that \
         the member can no longer grant end.",
    )
    .body::<RoleChange>(json!({"targetUserId": examples::MEMBER, "merchantTeamRole": "VIEWER"}))
    .ok("The role is set.")
}
