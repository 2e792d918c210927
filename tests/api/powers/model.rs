//! What the rules of a team say, in the words of the API.

use serde_json::{Value, json};
use shared::values::ChallengeId;
use world::System;

pub(crate) const PERMISSIONS: [&str; 8] = [
    "portal.information",
    "portal.organization",
    "merchant.team.invite",
    "portal.gift_cards",
    "portal.analytics",
    "portal.reports",
    "portal.orders",
    "portal.pos",
];

/// What a member holds, or is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) role: Option<&'static str>,
    pub(crate) permissions: Option<Vec<&'static str>>,
}

impl Member {
    pub(crate) fn with_role(role: Option<&'static str>) -> Self {
        Self { role, permissions: None }
    }

    pub(crate) fn with_list(permissions: &[&'static str]) -> Self {
        Self { role: None, permissions: Some(permissions.to_vec()) }
    }

    /// Could be the last administrator.
    pub(crate) fn is_administrator(&self) -> bool {
        self.permissions.is_none() && matches!(self.role, None | Some("ADMIN"))
    }

    /// For writing.
    pub(crate) fn holds(&self, permission: &str) -> bool {
        match (&self.permissions, self.role) {
            (Some(listed), _) => listed.contains(&permission),
            (None, Some("VIEWER")) => false,
            (None, Some("FULL")) => permission != "merchant.team.invite",
            (None, _) => true,
        }
    }

    /// What they contain, if only for reading.
    fn contents(&self) -> Vec<&'static str> {
        let all = PERMISSIONS.to_vec();
        let without = |left_out: &[&str]| all.iter().copied().filter(|name| !left_out.contains(name)).collect();
        match (&self.permissions, self.role) {
            (Some(listed), _) => listed.clone(),
            (None, Some("VIEWER")) => without(&["merchant.team.invite", "portal.pos"]),
            (None, Some("FULL")) => without(&["merchant.team.invite"]),
            (None, _) => all,
        }
    }

    /// The one rule, for giving and for taking.
    pub(crate) fn may_give(&self, other: &Self) -> bool {
        let contents = other.contents();
        self.is_administrator()
            || (self.holds("merchant.team.invite")
                && !contents.contains(&"merchant.team.invite")
                && contents.iter().all(|permission| self.holds(permission)))
    }

    /// The fields of a request that gives it.
    pub(crate) fn as_request(&self) -> Value {
        match &self.permissions {
            Some(permissions) => json!({"permissions": permissions}),
            None => json!({"merchantTeamRole": self.role}),
        }
    }

    pub(crate) fn as_invite(&self, email: &str) -> Value {
        let mut body = self.as_request();
        for (field, value) in [("email", email), ("firstName", "Ida"), ("lastName", "Holm")] {
            body[field] = json!(value);
        }
        body
    }

    /// What becomes of a member who is given it: a list ends the role, and a role the list.
    pub(crate) fn given(&self) -> Self {
        Self { role: if self.permissions.is_some() { None } else { self.role }, ..self.clone() }
    }
}

/// The code of a challenge, which only the mail has.
pub(crate) async fn code_of(system: &System, challenge: &str) -> String {
    let app = system.local.app();
    let challenge = app.store.challenge(&ChallengeId::new(challenge)).await.unwrap();
    let key = app.code_key().await.unwrap();
    challenge.map_or_else(|| "2222-2222".to_owned(), |challenge| challenge.code(&key).expose())
}
