//! `GET /api/bff/merchant/users`: lists the merchant's team and its open invitations.

pub(crate) mod change_role;
pub(crate) mod invite;

use std::collections::{HashMap, HashSet};

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Description, General, List, examples};
use shared::team::model::team::{Invite, InviteStatus, Membership, Permission, Role, User, fold_email};
use shared::team::rows::sessions::SignedInUser;
use shared::values::{OpenEnum, UserId};
use utoipa::ToSchema;

/// Shown if no role is set.
const NO_ROLE: &str = "—";

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TeamItem)]
pub(crate) struct Item {
    /// The id of the user, or `invite:<challengeId>` for an invitation.
    id: String,
    /// First name; empty if it is unknown.
    first_name: String,
    /// Last name; empty if it is unknown.
    last_name: String,
    /// The address that the member signs in with, or the invited address.
    email: String,
    /// Country calling code, such as `+46`. Null if it is unknown.
    phone_prefix: Option<String>,
    /// Phone number without the country calling code. Null if it is unknown.
    phone: Option<String>,
    /// The role in words: `Admin`, `Full access` or `Viewer (read-only)`; `—` if none is set.
    role: String,
    /// For a member, `Active` or `Pending email verification`. For an invitation, as the `status` of an `Invitation`.
    status: &'static str,
    /// The role of the member, or the one that is offered. Null if none is set.
    #[schema(value_type = Option<Role>)]
    merchant_team_role: Option<OpenEnum<Role>>,
    /// The names of the member's own permissions, or of those that are offered. They replace those of the role. Null if there is
    /// no such list.
    permissions: Option<Vec<String>>,
}

/// Returns invitations, then members, each sorted by email. Empty for a user without a merchant.
pub(crate) async fn list_team(caller: SignedInUser, State(app): State<App>) -> Result<List<Item>, General> {
    let Some(workspace) = caller.workspace else { return Ok(List(Vec::new())) };
    let team = app.store.team(&workspace.merchant.id).await?;
    let ids: Vec<UserId> = team.members.iter().map(|member| member.user_id.clone()).collect();
    let users = app.store.users(&ids).await?;
    let now = app.clock.now();
    let members = team.members.iter().map(|member| &member.value);
    let invites = team.invites.iter().map(|invite| (&invite.value, team.status(invite, now)));
    Ok(List(team_items(members, users.iter().map(|user| &user.value), invites)))
}

fn team_items<'a>(
    members: impl Iterator<Item = &'a Membership>,
    users: impl Iterator<Item = &'a User>,
    invites: impl Iterator<Item = (&'a Invite, InviteStatus)>,
) -> Vec<Item> {
    let users: HashMap<&UserId, &User> = users.map(|user| (&user.id, user)).collect();
    let members = members.filter_map(|member| users.get(&member.user_id).map(|user| Item::member(member, user)));
    let members = sorted_by_email(members);
    let member_emails: HashSet<&str> = members.iter().map(|(email, _)| email.as_str()).collect();
    let mut invites = sorted_by_email(invites.map(|(invite, status)| Item::invite(invite, status)));
    invites.retain(|(email, _)| !member_emails.contains(email.as_str()));
    invites.into_iter().chain(members).map(|(_, item)| item).collect()
}

fn sorted_by_email(items: impl Iterator<Item = Item>) -> Vec<(String, Item)> {
    let mut items: Vec<_> = items.map(|item| (fold_email(&item.email), item)).collect();
    items.sort_by(|(email, item), (other_email, other)| (email, &item.id).cmp(&(other_email, &other.id)));
    items
}

impl Item {
    fn member(member: &Membership, user: &User) -> Self {
        Self {
            id: user.id.to_string(),
            first_name: user.first_name.clone(),
            last_name: user.last_name.clone(),
            email: user.email.clone(),
            phone_prefix: user.phone_prefix.clone(),
            phone: user.phone.clone(),
            role: role_label(member.role.as_ref()),
            status: if user.email_verified { "Active" } else { "Pending email verification" },
            merchant_team_role: member.role.clone(),
            permissions: names(member.permissions.as_deref()),
        }
    }

    fn invite(invite: &Invite, status: InviteStatus) -> Self {
        Self {
            id: format!("invite:{}", invite.challenge_id),
            first_name: invite.first_name.clone(),
            last_name: invite.last_name.clone(),
            email: invite.email.clone(),
            phone_prefix: invite.phone_prefix.clone(),
            phone: invite.phone.clone(),
            role: role_label(invite.role.as_ref()),
            status: status.label(),
            merchant_team_role: invite.role.clone(),
            permissions: names(invite.permissions.as_deref()),
        }
    }
}

fn names(permissions: Option<&[OpenEnum<Permission>]>) -> Option<Vec<String>> {
    permissions.map(|listed| listed.iter().map(ToString::to_string).collect())
}

fn role_label(role: Option<&OpenEnum<Role>>) -> String {
    role.map_or(NO_ROLE, |role| role.label(Role::label)).to_owned()
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listTeam",
        "List the team",
        "Returns open invitations, then members, each sorted by email. Empty for a user without a merchant.",
    )
    .success(
        "Invitations and members.",
        json!({
            "id": examples::MEMBER, "firstName": "Bo", "lastName": "Ek", "email": "bo@example.com", "phonePrefix": "+46",
            "phone": "700000000", "role": "Full access", "status": "Active", "merchantTeamRole": "FULL",
            "permissions": null,
        }),
    )
}
