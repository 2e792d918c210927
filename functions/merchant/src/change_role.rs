//! `PATCH /api/bff/merchant/users`: changes a team member's role.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::audit;
use shared::domain::ids::UserId;
use shared::domain::team::{Action, Membership, Permission, Role, User};
use shared::http::access::{Authorized, permission};
use shared::http::body::{JsonBody, enum_from_string};
use shared::http::description::Description;
use shared::http::examples;
use shared::http::fault::Fault;
use shared::http::reply::NoData;
use shared::store::Stored;
use utoipa::ToSchema;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleChange {
    /// The id of the member. It must not be the caller's own.
    #[schema(value_type = String, pattern = r"\S")]
    target_user_id: UserId,
    /// The new role, which replaces individual permissions. Only an administrator can give or take `ADMIN`.
    #[serde(deserialize_with = "enum_from_string")]
    merchant_team_role: Role,
}

/// Sets the role and removes the member's individual permissions, which would override it.
///
/// Responds with 400 for the caller's own role and for a change that would leave the team without an administrator;
/// 403 for giving or taking the role `ADMIN` by a member who is not an administrator; 404 if the user is not a member of
/// the team.
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
    let mut attempts = app.store.attempts("the team");
    loop {
        let team = app.store.team(&caller.merchant.id).await?;
        let authorized_by = still_authorized(&caller.user, &team.members)?;
        let by_administrator = authorized_by.is_none_or(|membership| membership.is_admin_capable());
        let (member, changed) = with_new_role(&team.members, &change, by_administrator)?;
        let written = app.store.change_member(&team, authorized_by, member, &changed).await;
        if attempts.committed(written).await? {
            let (by, merchant) = (&caller.user.id, &caller.merchant.id);
            audit::role_changed(
                by,
                merchant,
                &member.user_id,
                member.role.as_ref(),
                change.merchant_team_role,
            );
            return Ok(NoData);
        }
    }
}

/// Returns the membership that grants the caller the permission, which may have been revoked since the request was
/// authorized. `None` for platform administrators, who need no membership.
fn still_authorized<'a>(
    caller: &User,
    members: &'a [Stored<Membership>],
) -> Result<Option<&'a Stored<Membership>>, Fault> {
    if caller.is_admin {
        return Ok(None);
    }
    let membership = members.iter().find(|member| member.user_id == caller.id);
    let membership = membership.filter(|member| member.allows(Permission::TeamInvite, Action::Write));
    membership.map(Some).ok_or_else(|| Fault::forbidden("You do not have permission to do this."))
}

/// Returns the stored membership and the one with the new role.
fn with_new_role<'a>(
    members: &'a [Stored<Membership>],
    change: &RoleChange,
    by_administrator: bool,
) -> Result<(&'a Stored<Membership>, Membership), Fault> {
    let member = members.iter().find(|member| member.user_id == change.target_user_id);
    let member = member.ok_or_else(|| Fault::not_found("There is no such member in your team."))?;
    let is_admin = member.is_admin_capable() || member.role.as_ref().is_some_and(|role| *role == Role::Admin);
    if (is_admin || change.merchant_team_role == Role::Admin) && !by_administrator {
        return Err(Fault::forbidden("Only an administrator can give or take the role ADMIN."));
    }
    let changed = Membership {
        role: Some(change.merchant_team_role.into()),
        permissions: None,
        ..member.value.clone()
    };
    let mut others = members.iter().filter(|other| other.user_id != member.user_id);
    let has_other_admin = others.any(|other| other.is_admin_capable());
    if member.is_admin_capable() && !changed.is_admin_capable() && !has_other_admin {
        return Err(Fault::invalid("merchantTeamRole: the last administrator of a team stays one."));
    }
    Ok((member, changed))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "changeRole",
        "Change a member's role",
        "Sets the role of a team member. Individual permissions of the member are removed.",
    )
    .body::<RoleChange>(json!({"targetUserId": examples::MEMBER, "merchantTeamRole": "VIEWER"}))
    .ok("The role is set.")
    .error(
        400,
        "The body is invalid, the role is the caller's own, or the team would have no administrator left.",
    )
    .message("targetUserId: you cannot change your own role.")
    .error(403, "Only an administrator can give or take the role `ADMIN`.")
    .message("Only an administrator can give or take the role ADMIN.")
    .error(404, "The user is not a member of the team.")
    .message("There is no such member in your team.")
}

#[cfg(test)]
mod tests {
    use http::StatusCode;
    use shared::domain::ids::MerchantId;
    use shared::domain::open_enum::OpenEnum;

    use super::*;

    fn member(id: &str, role: Option<Role>, permissions: Option<Vec<Permission>>) -> Stored<Membership> {
        let (merchant_id, user_id) = (MerchantId::new("m"), UserId::new(id));
        let permissions = permissions.map(|listed| listed.into_iter().map(OpenEnum::from).collect());
        Stored::created(Membership { merchant_id, user_id, role: role.map(OpenEnum::from), permissions })
    }

    fn changed_membership(
        members: &[Stored<Membership>],
        target: &str,
        role: Role,
    ) -> Result<Membership, StatusCode> {
        let change = RoleChange { target_user_id: UserId::new(target), merchant_team_role: role };
        with_new_role(members, &change, true).map(|(_, changed)| changed).map_err(|fault| fault.status())
    }

    #[test]
    fn a_new_role_replaces_individual_permissions() {
        let members = [member("admin", None, None), member("till", None, Some(vec![Permission::Pos]))];
        let changed = changed_membership(&members, "till", Role::Full).unwrap();
        assert_eq!((changed.role, changed.permissions), (Some(Role::Full.into()), None));
    }

    #[test]
    fn rejects_demoting_the_last_administrator() {
        let one_admin = [
            member("admin", Some(Role::Admin), None),
            member("full", Some(Role::Full), None),
            member("till", None, Some(vec![Permission::Pos])),
        ];
        for role in [Role::Full, Role::Viewer] {
            assert_eq!(changed_membership(&one_admin, "admin", role), Err(StatusCode::BAD_REQUEST));
        }
        assert!(changed_membership(&one_admin, "admin", Role::Admin).is_ok());
        assert!(changed_membership(&one_admin, "full", Role::Viewer).is_ok());

        let two_admins = [member("admin", Some(Role::Admin), None), member("old", None, None)];
        assert!(changed_membership(&two_admins, "admin", Role::Viewer).is_ok());
        assert!(changed_membership(&two_admins, "old", Role::Viewer).is_ok());
    }

    #[test]
    fn returns_404_for_a_user_outside_the_team() {
        let members = [member("admin", None, None)];
        assert_eq!(changed_membership(&members, "stranger", Role::Full), Err(StatusCode::NOT_FOUND));
    }

    #[test]
    fn rejects_a_caller_whose_permission_was_revoked() {
        let caller = |is_admin| User { is_admin, ..User::new(UserId::new("caller"), "") };
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
