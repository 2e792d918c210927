//! Users, roles, permissions and team invitations.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{ChallengeId, MerchantId, UserId};
use super::open_enum::OpenEnum;

/// A permission that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Permission {
    #[serde(rename = "portal.information")]
    Information,
    #[serde(rename = "portal.organization")]
    Organization,
    #[serde(rename = "merchant.team.invite")]
    TeamInvite,
    #[serde(rename = "portal.gift_cards")]
    GiftCards,
    #[serde(rename = "portal.analytics")]
    Analytics,
    #[serde(rename = "portal.reports")]
    Reports,
    #[serde(rename = "portal.orders")]
    Orders,
    #[serde(rename = "portal.pos")]
    Pos,
}

impl Permission {
    pub const ALL: [Self; 8] = [
        Self::Information,
        Self::Organization,
        Self::TeamInvite,
        Self::GiftCards,
        Self::Analytics,
        Self::Reports,
        Self::Orders,
        Self::Pos,
    ];

    /// Returns the name used in the API and in stored rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::Information => "portal.information",
            Self::Organization => "portal.organization",
            Self::TeamInvite => "merchant.team.invite",
            Self::GiftCards => "portal.gift_cards",
            Self::Analytics => "portal.analytics",
            Self::Reports => "portal.reports",
            Self::Orders => "portal.orders",
            Self::Pos => "portal.pos",
        }
    }
}

/// The kind of access that a request needs: `Read` for GET, HEAD and OPTIONS, `Write` for other methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
}

/// The role of a team member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    Admin,
    Full,
    Viewer,
}

impl Role {
    /// Returns the display name shown in the portal.
    pub fn label(self) -> &'static str {
        match self {
            Self::Admin => "Admin",
            Self::Full => "Full access",
            Self::Viewer => "Viewer (read-only)",
        }
    }

    fn allows(self, permission: Permission, action: Action) -> bool {
        match self {
            Self::Admin => true,
            Self::Full => permission != Permission::TeamInvite,
            Self::Viewer => {
                action == Action::Read && !matches!(permission, Permission::TeamInvite | Permission::Pos)
            }
        }
    }
}

/// What a member is invited as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    Role(Role),
    /// Explicit permissions instead of a role.
    Permissions(Vec<Permission>),
}

impl Grant {
    /// The permissions that it gives, at least for reading.
    fn permissions(&self) -> Vec<Permission> {
        match self {
            Self::Role(role) => Permission::ALL
                .into_iter()
                .filter(|permission| role.allows(*permission, Action::Read))
                .collect(),
            Self::Permissions(permissions) => permissions.clone(),
        }
    }
}

/// A user's membership in a merchant's team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub merchant_id: MerchantId,
    pub user_id: UserId,
    /// `None` counts as `Admin`: such memberships were created before roles existed.
    #[serde(deserialize_with = "Option::deserialize")]
    pub role: Option<OpenEnum<Role>>,
    /// Explicit permissions; they replace those of the role. Required in a row, also if null: without them, a till's user
    /// would have the permissions of an administrator.
    #[serde(deserialize_with = "Option::deserialize")]
    pub permissions: Option<Vec<OpenEnum<Permission>>>,
}

impl Membership {
    pub fn allows(&self, permission: Permission, action: Action) -> bool {
        match &self.permissions {
            Some(permissions) => permissions.iter().any(|listed| *listed == permission),
            None => match &self.role {
                None => Role::Admin.allows(permission, action),
                Some(OpenEnum::Known(role)) => role.allows(permission, action),
                // A role of a newer release may allow less than any role that is known here.
                Some(OpenEnum::Unknown(_)) => false,
            },
        }
    }

    /// The permissions that the member has, at least for reading.
    pub fn held(&self) -> impl Iterator<Item = Permission> {
        Permission::ALL.into_iter().filter(|permission| self.allows(*permission, Action::Read))
    }

    /// Whether the member may invite somebody as this: nobody gives what they do not have.
    pub fn may_give(&self, grant: &Grant) -> bool {
        let holds = |permission| match permission {
            Permission::TeamInvite => self.is_admin_capable(),
            other => self.allows(other, Action::Write),
        };
        self.allows(Permission::TeamInvite, Action::Write) && grant.permissions().into_iter().all(holds)
    }

    /// Returns `true` if the member can act as the team's administrator. A team must keep at least one such member.
    ///
    /// A till's user is not an administrator even if its role is unset: its explicit permissions do not include
    /// [`Permission::TeamInvite`].
    pub fn is_admin_capable(&self) -> bool {
        self.role.as_ref().is_none_or(|role| *role == Role::Admin)
            && self.allows(Permission::TeamInvite, Action::Write)
    }
}

/// A user account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    pub id: UserId,
    pub email: String,
    #[serde(default)]
    pub first_name: String,
    #[serde(default)]
    pub last_name: String,
    pub phone_prefix: Option<String>,
    pub phone: Option<String>,
    #[serde(default)]
    pub email_verified: bool,
    /// Platform administrators pass every permission check.
    #[serde(default)]
    pub is_admin: bool,
    pub merchant_id: Option<MerchantId>,
    /// When the user signed in for the first time, by a mailed code.
    pub first_signed_in_at: Option<Timestamp>,
    /// How often all sessions of the user have been ended. A session of an earlier generation is over.
    #[serde(default)]
    pub session_generation: u64,
}

impl User {
    /// A new user without a name, a merchant or a verified e-mail address.
    pub fn new(id: UserId, email: impl Into<String>) -> Self {
        Self {
            id,
            email: email.into(),
            first_name: String::new(),
            last_name: String::new(),
            phone_prefix: None,
            phone: None,
            email_verified: false,
            is_admin: false,
            merchant_id: None,
            first_signed_in_at: None,
            session_generation: 0,
        }
    }
}

/// Normalizes an e-mail address for comparing and sorting. Addresses are stored and shown as entered.
pub fn fold_email(email: &str) -> String {
    email.trim().to_lowercase()
}

/// An invitation to a merchant's team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invite {
    pub challenge_id: ChallengeId,
    pub merchant_id: MerchantId,
    pub email: String,
    #[serde(default)]
    pub first_name: String,
    #[serde(default)]
    pub last_name: String,
    pub phone_prefix: Option<String>,
    pub phone: Option<String>,
    #[serde(deserialize_with = "Option::deserialize")]
    pub role: Option<OpenEnum<Role>>,
    /// Explicit permissions; they replace those of the role.
    pub permissions: Option<Vec<OpenEnum<Permission>>>,
    /// Who invites. Invites of earlier releases do not tell.
    pub made_by: Option<UserId>,
    pub created_at: Option<Timestamp>,
    /// When the inviter confirmed the one-time code.
    pub verified_at: Option<Timestamp>,
    pub verification_expires_at: Timestamp,
    pub expires_at: Timestamp,
}

impl Invite {
    /// What is invited as. `None` for a role or a permission that only another release knows.
    pub fn grant(&self) -> Option<Grant> {
        match (&self.permissions, &self.role) {
            (Some(permissions), _) => {
                permissions.iter().map(OpenEnum::known).collect::<Option<_>>().map(Grant::Permissions)
            }
            (None, Some(role)) => role.known().map(Grant::Role),
            (None, None) => None,
        }
    }

    /// Returns the status shown in the team list.
    pub fn status(&self, now: Timestamp) -> &'static str {
        match self.verified_at {
            None if self.verification_expires_at <= now => "Verification expired",
            None => "Pending your verification",
            Some(_) if self.expires_at <= now => "Invitation expired",
            Some(_) => "Invited, pending acceptance",
        }
    }

    /// Returns `true` if the invitation can still be confirmed or accepted.
    pub fn is_open(&self, now: Timestamp) -> bool {
        match self.verified_at {
            None => self.verification_expires_at > now && self.expires_at > now,
            Some(_) => self.expires_at > now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(role: Option<Role>, permissions: Option<Vec<Permission>>) -> Membership {
        Membership {
            merchant_id: MerchantId::new("m"),
            user_id: UserId::new("u"),
            role: role.map(OpenEnum::from),
            permissions: permissions.map(|listed| listed.into_iter().map(OpenEnum::from).collect()),
        }
    }

    fn allowed(member: &Membership, action: Action) -> Vec<&'static str> {
        Permission::ALL.into_iter().filter(|p| member.allows(*p, action)).map(Permission::name).collect()
    }

    #[test]
    fn admins_and_members_without_a_role_have_every_permission() {
        for role in [None, Some(Role::Admin)] {
            for action in [Action::Read, Action::Write] {
                assert_eq!(allowed(&member(role, None), action), Permission::ALL.map(Permission::name));
            }
        }
    }

    #[test]
    fn full_access_excludes_team_management() {
        let expected: Vec<_> = Permission::ALL
            .map(Permission::name)
            .into_iter()
            .filter(|p| *p != "merchant.team.invite")
            .collect();
        assert_eq!(allowed(&member(Some(Role::Full), None), Action::Write), expected);
    }

    #[test]
    fn viewers_can_only_read_and_have_no_access_to_the_till_or_the_team() {
        let viewer = member(Some(Role::Viewer), None);
        assert_eq!(
            allowed(&viewer, Action::Read),
            [
                "portal.information",
                "portal.organization",
                "portal.gift_cards",
                "portal.analytics",
                "portal.reports",
                "portal.orders"
            ]
        );
        assert!(allowed(&viewer, Action::Write).is_empty());
    }

    #[test]
    fn explicit_permissions_replace_the_role() {
        let till = member(None, Some(vec![Permission::Pos]));
        assert_eq!(allowed(&till, Action::Write), ["portal.pos"]);
        assert_eq!(allowed(&till, Action::Read), ["portal.pos"]);
        assert!(!till.is_admin_capable());
    }

    #[test]
    fn members_give_only_what_they_have_for_writing() {
        let viewer = Grant::Role(Role::Viewer);
        let full = Grant::Role(Role::Full);
        let admin = Grant::Role(Role::Admin);
        let list = |listed: &[Permission]| Grant::Permissions(listed.to_vec());
        let (invite, orders) = (Permission::TeamInvite, Permission::Orders);
        let manager = member(Some(Role::Full), Some(vec![invite, orders]));
        for (giver, grant, expected) in [
            (member(Some(Role::Admin), None), &admin, true),
            (member(None, None), &admin, true),
            (member(None, None), &list(&[invite]), true),
            (member(Some(Role::Full), None), &viewer, false),
            (member(Some(Role::Viewer), None), &list(&[orders]), false),
            (manager.clone(), &list(&[orders]), true),
            (manager.clone(), &list(&[orders, Permission::Pos]), false),
            (manager.clone(), &list(&[invite]), false),
            (manager.clone(), &viewer, false),
            (manager, &admin, false),
            (member(Some(Role::Admin), Some(vec![invite, orders])), &list(&[invite]), true),
            (member(Some(Role::Admin), Some(vec![invite, orders])), &full, false),
        ] {
            assert_eq!(giver.may_give(grant), expected, "{giver:?} {grant:?}");
        }
    }

    #[test]
    fn permission_names_match_their_json() {
        for permission in Permission::ALL {
            assert_eq!(serde_json::to_value(permission).unwrap(), permission.name());
        }
    }

    #[test]
    fn invitations_expire_if_not_confirmed_or_not_accepted_in_time() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let invite = |verified_at: Option<&str>| Invite {
            challenge_id: ChallengeId::new("c"),
            merchant_id: MerchantId::new("m"),
            email: "a@b.example".into(),
            first_name: String::new(),
            last_name: String::new(),
            phone_prefix: None,
            phone: None,
            role: Some(Role::Viewer.into()),
            permissions: None,
            made_by: None,
            created_at: None,
            verified_at: verified_at.map(at),
            verification_expires_at: at("2026-01-01T00:10:00Z"),
            expires_at: at("2026-01-08T00:00:00Z"),
        };
        for (verified_at, now, status, open) in [
            (None, "2026-01-01T00:09:59Z", "Pending your verification", true),
            (None, "2026-01-01T00:10:00Z", "Verification expired", false),
            (Some("2026-01-01T00:05:00Z"), "2026-01-07T23:59:59Z", "Invited, pending acceptance", true),
            (Some("2026-01-01T00:05:00Z"), "2026-01-08T00:00:00Z", "Invitation expired", false),
        ] {
            assert_eq!(invite(verified_at).status(at(now)), status);
            assert_eq!(invite(verified_at).is_open(at(now)), open);
        }
    }
}
