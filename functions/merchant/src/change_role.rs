//! `PATCH /api/bff/merchant/users`: give a member of the team another role.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::UserId;
use shared::domain::team::{Action, Membership, Permission, Role, User};
use shared::http::access::{Authorized, permission};
use shared::http::body::{JsonBody, named};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::NoData;
use shared::store::{CommitError, MAX_CONFLICT_ATTEMPTS, StoreError, Stored};
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleChange {
    #[schema(value_type = String, pattern = r"\S")]
    target_user_id: UserId,
    #[serde(deserialize_with = "named")]
    merchant_team_role: Role,
}

/// Sets the role. Permissions that were listed for the member one by one go with it: they would outrank the role.
///
/// 400 for the caller's own role, and where the team would be left without an administrator; 404 for somebody who is
/// not in the team.
pub(crate) async fn change_role(
    caller: Authorized<permission::TeamInvite>,
    State(app): State<App>,
    JsonBody(change): JsonBody<RoleChange>,
) -> Result<NoData, Fault> {
    if change.target_user_id.as_str().trim().is_empty() {
        return Err(Fault::invalid("targetUserId: is missing."));
    }
    if change.target_user_id == caller.user.id {
        return Err(Fault::invalid("targetUserId: you cannot change your own role."));
    }
    for attempt in 0..MAX_CONFLICT_ATTEMPTS {
        let team = app.store.team(&caller.merchant.id).await?;
        let standing = still_authorized(&caller.user, &team.members)?;
        let (member, changed) = decide(&team.members, &change)?;
        match app.store.change_member(&team, standing, member, &changed).await {
            Ok(()) => return Ok(NoData),
            Err(CommitError::Store(error)) => return Err(error.into()),
            Err(CommitError::Conflict(_)) => app.store.pause(attempt).await,
        }
    }
    Err(StoreError::Contended("the team").into())
}

/// What the caller's permission rests on now: it can have been taken away since the request came in. A platform
/// administrator's rests on nothing here.
fn still_authorized<'a>(
    caller: &User,
    members: &'a [Stored<Membership>],
) -> Result<Option<&'a Stored<Membership>>, Fault> {
    if caller.is_admin {
        return Ok(None);
    }
    let standing = members.iter().find(|member| member.user_id == caller.id);
    let standing = standing.filter(|member| member.allows(Permission::TeamInvite, Action::Write));
    standing.map(Some).ok_or_else(|| Fault::forbidden("You do not have permission to do this."))
}

/// The member as read, and with the new role.
fn decide<'a>(
    members: &'a [Stored<Membership>],
    change: &RoleChange,
) -> Result<(&'a Stored<Membership>, Membership), Fault> {
    let member = members.iter().find(|member| member.user_id == change.target_user_id);
    let member = member.ok_or_else(|| Fault::not_found("There is no such member in your team."))?;
    let changed =
        Membership { role: Some(change.merchant_team_role), permissions: None, ..member.value.clone() };
    let others = members.iter().filter(|other| other.user_id != member.user_id);
    let leaves_none = others.clone().all(|other| !other.is_admin_capable());
    if member.is_admin_capable() && !changed.is_admin_capable() && leaves_none {
        return Err(Fault::invalid("merchantTeamRole: the last administrator of a team stays one."));
    }
    Ok((member, changed))
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Change a member's role",
        "Gives a member of the team another role. Permissions that were listed for the member one by one go with it.",
    )
    .body::<RoleChange>(json!({"targetUserId": "u-bo", "merchantTeamRole": "VIEWER"}))
    .ok("The member has the role.")
    .refuses(400, "The body does not read, the role is the caller's own, or no administrator would be left.")
    .refuses(404, "There is no such member in the team.")
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use shared::domain::ids::MerchantId;

    use super::*;

    fn member(id: &str, role: Option<Role>, permissions: Option<Vec<Permission>>) -> Stored<Membership> {
        let (merchant_id, user_id) = (MerchantId::new("m"), UserId::new(id));
        Stored::created(Membership { merchant_id, user_id, role, permissions })
    }

    fn decided(members: &[Stored<Membership>], target: &str, role: Role) -> Result<Membership, StatusCode> {
        let change = RoleChange { target_user_id: UserId::new(target), merchant_team_role: role };
        decide(members, &change).map(|(_, changed)| changed).map_err(|fault| fault.status())
    }

    #[test]
    fn a_role_replaces_listed_permissions() {
        let members = [member("admin", None, None), member("till", None, Some(vec![Permission::Pos]))];
        let changed = decided(&members, "till", Role::Full).unwrap();
        assert_eq!((changed.role, changed.permissions), (Some(Role::Full), None));
    }

    #[test]
    fn the_last_administrator_stays_one() {
        let alone = [
            member("admin", Some(Role::Admin), None),
            member("full", Some(Role::Full), None),
            member("till", None, Some(vec![Permission::Pos])),
        ];
        for role in [Role::Full, Role::Viewer] {
            assert_eq!(decided(&alone, "admin", role), Err(StatusCode::BAD_REQUEST));
        }
        assert!(decided(&alone, "admin", Role::Admin).is_ok());
        assert!(decided(&alone, "full", Role::Viewer).is_ok());

        let two = [member("admin", Some(Role::Admin), None), member("old", None, None)];
        assert!(decided(&two, "admin", Role::Viewer).is_ok());
        assert!(decided(&two, "old", Role::Viewer).is_ok());
    }

    #[test]
    fn only_members_of_the_team_are_found() {
        let members = [member("admin", None, None)];
        assert_eq!(decided(&members, "stranger", Role::Full), Err(StatusCode::NOT_FOUND));
    }

    #[test]
    fn a_caller_who_lost_the_permission_meanwhile_is_refused() {
        let caller = |is_admin| User {
            id: UserId::new("caller"),
            email: String::new(),
            first_name: String::new(),
            last_name: String::new(),
            phone_prefix: None,
            phone: None,
            email_verified: true,
            is_admin,
            merchant_id: Some(MerchantId::new("m")),
        };
        let status = |is_admin, members: &[Stored<Membership>]| {
            still_authorized(&caller(is_admin), members).map(|_| ()).map_err(|fault| fault.status())
        };
        assert_eq!(status(false, &[member("caller", None, None)]), Ok(()));
        let demoted = [member("caller", Some(Role::Full), None)];
        assert_eq!(status(false, &demoted), Err(StatusCode::FORBIDDEN));
        assert_eq!(status(false, &[]), Err(StatusCode::FORBIDDEN));
        assert_eq!(status(true, &demoted), Ok(()));
    }
}
