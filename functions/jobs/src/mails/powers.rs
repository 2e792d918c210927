//! What somebody is invited as, in the words of a mail.

use shared::team::model::team::{Permission, Powers, Role};
use shared::values::open_enum::OpenEnum;

/// Such as `Admin (everything, including the team)`, or `a member who can see and manage orders, and sell and redeem at a till`.
pub(crate) fn in_words(powers: &Powers) -> String {
    let Some(permissions) = &powers.permissions else {
        let role = powers.role.as_ref().and_then(OpenEnum::known);
        return match role {
            Some(Role::Admin) => "Admin (everything, including the team)".to_owned(),
            Some(Role::Full) => "Full access (everything except the team)".to_owned(),
            Some(Role::Viewer) => "Viewer (read-only)".to_owned(),
            None => "a member".to_owned(),
        };
    };
    let words: Vec<String> = permissions
        .iter()
        .map(|permission| permission.known().map_or_else(|| permission.to_string(), |known| may(known).to_owned()))
        .collect();
    match words.split_last() {
        None => "a member without permissions".to_owned(),
        Some((last, [])) => format!("a member who can {last}"),
        Some((last, others)) => format!("a member who can {}, and {last}", others.join(", ")),
    }
}

fn may(permission: Permission) -> &'static str {
    match permission {
        Permission::Information => "see and change the business details",
        Permission::Organization => "manage stores",
        Permission::TeamInvite => "invite and manage the team and the tills",
        Permission::GiftCards => "manage offers and look up cards",
        Permission::Analytics => "see analytics",
        Permission::Reports => "see settlements",
        Permission::Orders => "see orders",
        Permission::Pos => "sell and redeem at a till",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_and_each_permission_are_named() {
        for (powers, expected) in [
            (Powers::of_role(Role::Viewer), "Viewer (read-only)"),
            (Powers::of_permissions(&[Permission::Pos]), "a member who can sell and redeem at a till"),
            (
                Powers::of_permissions(&[Permission::Orders, Permission::Reports, Permission::Pos]),
                "a member who can see orders, see settlements, and sell and redeem at a till",
            ),
        ] {
            assert_eq!(in_words(&powers), expected);
        }
    }
}
