//! Users, what they may do, and the invitations to a merchant's team.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ids::{ChallengeId, MerchantId, UserId};
use super::open_enum::OpenEnum;

/// Something that a route asks of its caller.
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
    /// The name that the API and the fixtures use.
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

/// Whether a request only looks (GET) or changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Read,
    Write,
}

/// A role in a merchant's team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Role {
    Admin,
    Full,
    Viewer,
}

impl Role {
    /// What the dashboard shows.
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

/// A user's place in a merchant's team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub merchant_id: MerchantId,
    pub user_id: UserId,
    /// Unset counts as an administrator: such members are older than the roles.
    pub role: Option<OpenEnum<Role>>,
    /// Replaces what the role would allow.
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

    /// Whether the team would still have an administrator if this were its only member. A till's user, whose
    /// explicit permissions leave the team alone, is none even where its role is unset.
    pub fn is_admin_capable(&self) -> bool {
        self.role.as_ref().is_none_or(|role| *role == Role::Admin)
            && self.allows(Permission::TeamInvite, Action::Write)
    }
}

/// Somebody who can sign in.
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
    /// A platform administrator: passes every permission check.
    #[serde(default)]
    pub is_admin: bool,
    pub merchant_id: Option<MerchantId>,
}

/// An e-mail address as it is compared and sorted; it is kept and shown as it was given.
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
    pub role: Option<OpenEnum<Role>>,
    /// When the inviter confirmed the one-time code.
    pub verified_at: Option<Timestamp>,
    pub verification_expires_at: Timestamp,
    pub expires_at: Timestamp,
}

impl Invite {
    /// What the team list shows of it.
    pub fn status(&self, now: Timestamp) -> &'static str {
        match self.verified_at {
            None if self.verification_expires_at <= now => "Verification expired",
            None => "Pending your verification",
            Some(_) if self.expires_at <= now => "Invitation expired",
            Some(_) => "Invited, pending acceptance",
        }
    }

    /// Whether it can still lead to a membership.
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

    const ALL: [Permission; 8] = [
        Permission::Information,
        Permission::Organization,
        Permission::TeamInvite,
        Permission::GiftCards,
        Permission::Analytics,
        Permission::Reports,
        Permission::Orders,
        Permission::Pos,
    ];

    fn member(role: Option<Role>, permissions: Option<Vec<Permission>>) -> Membership {
        Membership {
            merchant_id: MerchantId::new("m"),
            user_id: UserId::new("u"),
            role: role.map(OpenEnum::from),
            permissions: permissions.map(|listed| listed.into_iter().map(OpenEnum::from).collect()),
        }
    }

    fn allowed(member: &Membership, action: Action) -> Vec<&'static str> {
        ALL.into_iter().filter(|p| member.allows(*p, action)).map(Permission::name).collect()
    }

    #[test]
    fn an_administrator_and_a_member_without_a_role_may_do_everything() {
        for role in [None, Some(Role::Admin)] {
            for action in [Action::Read, Action::Write] {
                assert_eq!(allowed(&member(role, None), action), ALL.map(Permission::name));
            }
        }
    }

    #[test]
    fn full_access_is_everything_but_the_team() {
        let expected: Vec<_> =
            ALL.map(Permission::name).into_iter().filter(|p| *p != "merchant.team.invite").collect();
        assert_eq!(allowed(&member(Some(Role::Full), None), Action::Write), expected);
    }

    #[test]
    fn a_viewer_reads_all_but_the_till_and_writes_nothing() {
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
    fn explicit_permissions_replace_those_of_the_role() {
        let till = member(None, Some(vec![Permission::Pos]));
        assert_eq!(allowed(&till, Action::Write), ["portal.pos"]);
        assert_eq!(allowed(&till, Action::Read), ["portal.pos"]);
        assert!(!till.is_admin_capable());
    }

    #[test]
    fn the_names_are_those_of_the_documents() {
        for permission in ALL {
            assert_eq!(serde_json::to_value(permission).unwrap(), permission.name());
        }
    }

    #[test]
    fn an_invite_is_confirmed_in_time_then_accepted_in_time() {
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
