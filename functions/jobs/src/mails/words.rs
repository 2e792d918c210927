//! What a mail says, in the language of whoever it is for.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use shared::team::model::team::{Permission, Powers, Role, User};
use shared::values::names::{is_invisible, is_joiner};
use shared::values::{Language, OpenEnum};

shared::catalogues!("../../languages/");

#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    pub(crate) language: Language,
}

/// A name within a sentence, between characters that keep it from changing the direction of the text around it.
pub(crate) fn isolated(name: &str) -> String {
    format!("\u{2068}{}\u{2069}", in_subject(name))
}

/// A name without invisible characters.
pub(crate) fn in_subject(name: &str) -> String {
    name.chars().filter(|character| !is_invisible(*character) || is_joiner(*character)).collect()
}

/// Such as `09:03`.
pub(crate) fn utc(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).strftime("%H:%M").to_string()
}

impl Words {
    /// In the language of a user.
    pub(crate) fn of(user: &User) -> Self {
        Self { language: user.reads() }
    }

    pub(crate) fn text(self, id: &str) -> String {
        self.with(id, &[])
    }

    /// A message with its parameters.
    pub(crate) fn with(self, id: &str, parameters: &[(&str, &str)]) -> String {
        catalogue(self.language).message(id, parameters)
    }

    /// A message that also has the day and the time of something.
    pub(crate) fn at(self, at: Timestamp, id: &str, parameters: &[(&str, &str)]) -> String {
        let (day, time) = (self.day(at), utc(at));
        self.with(id, &[parameters, &[("day", &day), ("time", &time)]].concat())
    }

    /// Such as `5 November 2026`.
    pub(crate) fn day(self, at: Timestamp) -> String {
        self.language.day(at.to_zoned(TimeZone::UTC).date())
    }

    /// `Hello Anna,`, or `Hello,` without a name.
    pub(crate) fn greeting(self, first_name: &str) -> String {
        match in_subject(first_name).trim() {
            "" => self.text("greeting-nobody"),
            name => self.with("greeting", &[("name", name)]),
        }
    }

    pub(crate) fn browser(self, browser: Option<&String>) -> String {
        browser.cloned().unwrap_or_else(|| self.text("unknown-program"))
    }

    /// A person who has a name.
    pub(crate) fn person(self, person: Option<&User>) -> String {
        person.map_or_else(|| self.text("somebody"), |person| isolated(&person.display_name()))
    }

    /// What somebody is invited as: a role, or what they may do.
    pub(crate) fn powers(self, powers: &Powers) -> Vec<String> {
        match &powers.permissions {
            None => vec![self.text(id_of_role(powers.role.as_ref()))],
            Some(none) if none.is_empty() => vec![self.text("may-nothing")],
            Some(permissions) => permissions
                .iter()
                .map(|permission| permission.known().map_or_else(|| permission.to_string(), |known| self.text(id_of(known))))
                .collect(),
        }
    }
}

fn id_of_role(role: Option<&OpenEnum<Role>>) -> &'static str {
    match role.and_then(OpenEnum::known) {
        Some(Role::Admin) => "role-admin",
        Some(Role::Full) => "role-full",
        Some(Role::Viewer) => "role-viewer",
        None => "role-other",
    }
}

fn id_of(permission: Permission) -> &'static str {
    match permission {
        Permission::Information => "may-information",
        Permission::Organization => "may-organization",
        Permission::TeamInvite => "may-team",
        Permission::GiftCards => "may-gift-cards",
        Permission::Analytics => "may-analytics",
        Permission::Reports => "may-reports",
        Permission::Orders => "may-orders",
        Permission::Pos => "may-pos",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENGLISH: Words = Words { language: Language::English };

    #[test]
    fn a_role_or_each_permission_is_named() {
        for (powers, expected) in [
            (Powers::of_role(Role::Viewer), &["Viewer: read-only"][..]),
            (Powers::of_permissions(&[]), &["Nothing yet"]),
            (Powers::of_permissions(&[Permission::Orders, Permission::Pos]), &["See orders", "Sell and redeem at a till"]),
        ] {
            assert_eq!(ENGLISH.powers(&powers), expected);
        }
    }

    #[test]
    fn a_name_cannot_reorder_the_sentence_around_it() {
        let name = "Anna\u{202e}\n\u{200b} <b>";
        assert_eq!(isolated(name), "\u{2068}Anna <b>\u{2069}");
        assert_eq!(ENGLISH.greeting(name), "Hello Anna <b>,");
        assert_eq!(ENGLISH.greeting(" "), "Hello,");
    }
}
