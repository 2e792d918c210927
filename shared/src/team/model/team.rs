//! Users, roles, permissions and team invitations.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::passkey::{Enrolment, PasskeyHandle};
use crate::values::{ChallengeId, Language, MerchantId, OpenEnum, UserId};

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
            Self::Viewer => action == Action::Read && !matches!(permission, Permission::TeamInvite | Permission::Pos),
        }
    }
}

/// What a member may do: the permissions of a role, or a list of permissions that replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Powers {
    /// `None` counts as `Admin`.
    pub role: Option<OpenEnum<Role>>,
    pub permissions: Option<Vec<OpenEnum<Permission>>>,
}

/// For the log: the role, or the permissions.
impl fmt::Display for Powers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.permissions, &self.role) {
            (Some(permissions), _) => {
                let names: Vec<String> = permissions.iter().map(ToString::to_string).collect();
                f.write_str(&names.join(" "))
            }
            (None, Some(role)) => role.fmt(f),
            (None, None) => f.write_str("no role"),
        }
    }
}

impl Powers {
    pub fn of_role(role: Role) -> Self {
        Self { role: Some(role.into()), permissions: None }
    }

    pub fn of_permissions(permissions: &[Permission]) -> Self {
        let permissions = permissions.iter().map(|permission| OpenEnum::from(*permission)).collect();
        Self { role: None, permissions: Some(permissions) }
    }

    pub fn allow(&self, permission: Permission, action: Action) -> bool {
        match (&self.permissions, &self.role) {
            (Some(permissions), _) => permissions.iter().any(|listed| *listed == permission),
            (None, None) => Role::Admin.allows(permission, action),
            (None, Some(OpenEnum::Known(role))) => role.allows(permission, action),
            // A role of a newer release may allow less than any role that is known here.
            (None, Some(OpenEnum::Unknown(_))) => false,
        }
    }

    /// The permissions that they contain, at least for reading.
    pub fn held(&self) -> impl Iterator<Item = Permission> {
        Permission::ALL.into_iter().filter(|permission| self.allow(*permission, Action::Read))
    }

    /// Whether a member with these could be the last administrator of a team, who must not leave: role `ADMIN` or unset, and no
    /// list of permissions. A role behind a list counts for nothing.
    pub fn are_of_an_administrator(&self) -> bool {
        self.permissions.is_none() && self.role.as_ref().is_none_or(|role| *role == Role::Admin)
    }

    /// Whether a member with these gives or takes `others`: by an invitation, a new role, a removal, or the pairing of a till.
    ///
    /// Nobody gives or takes what they do not hold for writing. `ADMIN`, [`Permission::TeamInvite`], and what only a newer release
    /// knows, are given and taken by who could be the last administrator alone.
    pub fn may_give(&self, others: &Self) -> bool {
        if self.are_of_an_administrator() {
            return true;
        }
        let holds = |permission| permission != Permission::TeamInvite && self.allow(permission, Action::Write);
        self.allow(Permission::TeamInvite, Action::Write) && others.are_known() && others.held().all(holds)
    }

    /// Whether this release knows everything that they contain.
    fn are_known(&self) -> bool {
        match (&self.permissions, &self.role) {
            (Some(permissions), _) => permissions.iter().all(|permission| permission.known().is_some()),
            (None, Some(role)) => role.known().is_some(),
            (None, None) => true,
        }
    }
}

/// Changes whenever the powers of a member change, and is another one for a member who has left and joins again. Whoever remembers
/// it knows later whether its member is still the one that they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp(String);

/// Who made an invitation or a pairing code, as the member that they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    pub user_id: UserId,
    pub stamp: Stamp,
}

impl Stamp {
    pub fn new(random: [u8; 16]) -> Self {
        Self(hex::encode(random))
    }
}

/// A user's membership in a merchant's team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub merchant_id: MerchantId,
    pub user_id: UserId,
    /// `None` counts as `Admin`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub role: Option<OpenEnum<Role>>,
    /// Explicit permissions; they replace those of the role. Required in a row, also if null: without them, a till's user
    /// would have the permissions of an administrator.
    #[serde(deserialize_with = "Option::deserialize")]
    pub permissions: Option<Vec<OpenEnum<Permission>>>,
    pub stamp: Stamp,
}

impl Membership {
    pub fn new(merchant_id: MerchantId, user_id: UserId, powers: Powers, stamp: Stamp) -> Self {
        Self { merchant_id, user_id, role: powers.role, permissions: powers.permissions, stamp }
    }

    /// The membership with other powers.
    #[must_use]
    pub fn with_powers(&self, powers: Powers, stamp: Stamp) -> Self {
        Self::new(self.merchant_id.clone(), self.user_id.clone(), powers, stamp)
    }

    pub fn powers(&self) -> Powers {
        Powers { role: self.role.clone(), permissions: self.permissions.clone() }
    }

    pub fn allows(&self, permission: Permission, action: Action) -> bool {
        self.powers().allow(permission, action)
    }

    pub fn maker(&self) -> Maker {
        Maker { user_id: self.user_id.clone(), stamp: self.stamp.clone() }
    }

    /// Whether it is still the one that this maker had, with the power to give these: what they made and nobody has used yet is
    /// over otherwise.
    pub fn is_still(&self, maker: &Maker, given: &Powers) -> bool {
        self.maker() == *maker && self.powers().may_give(given)
    }

    /// Whether it could be the last administrator of the team.
    pub fn is_administrator(&self) -> bool {
        self.powers().are_of_an_administrator()
    }
}

/// How a user has proved who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum SignInMethod {
    /// A code that was mailed to their address.
    Code,
    /// A passkey, with user verification.
    Passkey,
}

/// The sessions in which a platform administrator is one. Whoever reads their mail could sign in with a mailed code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdministratorsBy {
    Passkey,
    AnyMethod,
}

impl AdministratorsBy {
    pub fn admits(self, method: &OpenEnum<SignInMethod>) -> bool {
        match self {
            Self::Passkey => *method == SignInMethod::Passkey,
            Self::AnyMethod => true,
        }
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
    /// Whether an operator has made the user a platform administrator, who passes every permission check in a session that counts:
    /// [`AdministratorsBy`].
    #[serde(default, rename = "is_admin")]
    pub is_appointed_admin: bool,
    pub merchant_id: Option<MerchantId>,
    /// When the user signed in for the first time, by a mailed code.
    pub first_signed_in_at: Option<Timestamp>,
    /// How often all sessions of the user have been ended. A session of an earlier generation is over.
    #[serde(default)]
    pub session_generation: u64,
    /// What the user's passkeys know them by. `None` before the first one.
    pub passkey_handle: Option<PasskeyHandle>,
    /// Whether the user has turned mailed codes off.
    #[serde(default)]
    pub signs_in_by_passkey_alone: bool,
    /// What lets a platform administrator add a passkey.
    pub enrolment: Option<Enrolment>,
    /// The language of the browser that the user last signed in with, for mails.
    pub language: Option<OpenEnum<Language>>,
}

impl User {
    /// The first and the last name, or the address of a user without a name.
    pub fn display_name(&self) -> String {
        let name = format!("{} {}", self.first_name, self.last_name);
        let name = name.trim();
        if name.is_empty() { self.email.clone() } else { name.to_owned() }
    }

    /// The same user, whose browser prefers a language.
    #[must_use]
    pub fn reading(&self, language: Language) -> Self {
        Self { language: Some(language.into()), ..self.clone() }
    }

    /// The language of mails to the user.
    pub fn reads(&self) -> Language {
        Language::stored(self.language.as_ref())
    }

    /// The same user, signed out everywhere.
    #[must_use]
    pub fn signed_out(&self) -> Self {
        Self { session_generation: self.session_generation.saturating_add(1), ..self.clone() }
    }

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
            is_appointed_admin: false,
            merchant_id: None,
            first_signed_in_at: None,
            session_generation: 0,
            passkey_handle: None,
            signs_in_by_passkey_alone: false,
            enrolment: None,
            language: None,
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
    /// `None` in fixtures, whose invitations nobody made.
    pub made_by: Option<Maker>,
    pub created_at: Option<Timestamp>,
    /// When the inviter confirmed the one-time code.
    pub verified_at: Option<Timestamp>,
    pub verification_expires_at: Timestamp,
    pub expires_at: Timestamp,
}

/// What has become of an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InviteStatus {
    /// Its maker has not confirmed it.
    PendingVerification,
    VerificationExpired,
    PendingAcceptance,
    /// It is too late, or its maker is not the member any more that they were.
    Expired,
}

impl InviteStatus {
    /// The text that the portal shows.
    pub fn label(self) -> &'static str {
        match self {
            Self::PendingVerification => "Pending your verification",
            Self::VerificationExpired => "Verification expired",
            Self::PendingAcceptance => "Invited, pending acceptance",
            Self::Expired => "Invitation expired",
        }
    }

    /// Whether the invitation can still be confirmed or accepted.
    pub fn is_open(self) -> bool {
        matches!(self, Self::PendingVerification | Self::PendingAcceptance)
    }
}

impl Invite {
    pub fn powers(&self) -> Powers {
        Powers { role: self.role.clone(), permissions: self.permissions.clone() }
    }

    /// The status at a time. `maker` is the membership of its maker at that time, if they are a member.
    pub fn status(&self, maker: Option<&Membership>, now: Timestamp) -> InviteStatus {
        match self.verified_at {
            _ if !self.is_backed_by(maker) => InviteStatus::Expired,
            None if self.verification_expires_at <= now => InviteStatus::VerificationExpired,
            _ if self.expires_at <= now => InviteStatus::Expired,
            None => InviteStatus::PendingVerification,
            Some(_) => InviteStatus::PendingAcceptance,
        }
    }

    /// Whether its maker, if it has one, is still the member who invited, and could still invite. If not, it is over for good.
    pub fn is_backed_by(&self, maker: Option<&Membership>) -> bool {
        let is_still = |made_by| maker.is_some_and(|maker| maker.is_still(made_by, &self.powers()));
        self.made_by.as_ref().is_none_or(is_still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(role: Option<Role>, permissions: Option<&[Permission]>) -> Membership {
        let list = permissions.map(Powers::of_permissions);
        let powers = Powers { role: role.map(OpenEnum::from), permissions: list.and_then(|powers| powers.permissions) };
        Membership::new(MerchantId::new("m"), UserId::new("u"), powers, Stamp::new([0; 16]))
    }

    #[test]
    fn an_administrator_has_no_list_of_permissions() {
        for (role, list, expected) in [
            (None, None, true),
            (Some(Role::Admin), None, true),
            (Some(Role::Full), None, false),
            (Some(Role::Viewer), None, false),
            (None, Some(&Permission::ALL[..]), false),
            (Some(Role::Admin), Some(&Permission::ALL[..]), false),
            (None, Some(&[Permission::TeamInvite][..]), false),
        ] {
            assert_eq!(member(role, list).is_administrator(), expected, "{role:?} {list:?}");
        }
    }

    #[test]
    fn only_an_administrator_gives_a_role_of_a_newer_release() {
        let of_newer = Powers { role: Some(OpenEnum::Unknown("OWNER".into())), permissions: None };
        assert!(member(None, None).powers().may_give(&of_newer));
        assert!(!member(Some(Role::Admin), Some(&Permission::ALL)).powers().may_give(&of_newer));
    }

    #[test]
    fn permission_names_match_their_json() {
        for permission in Permission::ALL {
            assert_eq!(serde_json::to_value(permission).unwrap(), permission.name());
        }
    }

    fn invite(verified_at: Option<&str>) -> Invite {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        Invite {
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
        }
    }

    #[test]
    fn invitations_expire_if_not_confirmed_or_not_accepted_in_time() {
        use InviteStatus::{Expired, PendingAcceptance, PendingVerification, VerificationExpired};
        for (verified_at, now, status, is_open) in [
            (None, "2026-01-01T00:09:59Z", PendingVerification, true),
            (None, "2026-01-01T00:10:00Z", VerificationExpired, false),
            (Some("2026-01-01T00:05:00Z"), "2026-01-07T23:59:59Z", PendingAcceptance, true),
            (Some("2026-01-01T00:05:00Z"), "2026-01-08T00:00:00Z", Expired, false),
        ] {
            let found = invite(verified_at).status(None, now.parse().unwrap());
            assert_eq!((found, found.is_open()), (status, is_open));
        }
    }

    #[test]
    fn an_invitation_is_over_once_its_maker_is_another_member_than_they_were() {
        let now = "2026-01-01T00:06:00Z".parse().unwrap();
        let member = |user: &str, byte, role| {
            Membership::new(MerchantId::new("m"), UserId::new(user), Powers::of_role(role), Stamp::new([byte; 16]))
        };
        let made_by = Some(member("u", 1, Role::Admin).maker());
        let invite = Invite { made_by, ..invite(Some("2026-01-01T00:05:00Z")) };
        for (maker, is_open) in [
            (Some(member("u", 1, Role::Admin)), true),
            (Some(member("u", 2, Role::Admin)), false),
            (Some(member("other", 1, Role::Admin)), false),
            (Some(member("u", 1, Role::Full)), false),
            (None, false),
        ] {
            assert_eq!(invite.status(maker.as_ref(), now).is_open(), is_open, "{maker:?}");
        }
    }
}
