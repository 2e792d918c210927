//! Everybody who could ask for what belongs to another merchant.

use serde_json::json;
use world::shop::member;
use world::{Caller, System};

use crate::shop::{ROOT, Shop, fixtures, member_id, merchant_id, paired_till, permissions};

/// The name of the merchant to which most callers belong.
pub(super) const OWN: &str = "caller";
pub(super) const SUSPENDED: &str = "suspended";
pub(super) const APPLICANT: &str = "applicant";
/// A platform administrator with a merchant.
const LINKED_ROOT: &str = "u-linked-root";
/// A user without a merchant.
pub(super) const NOBODY: &str = "u-nobody";
/// Another one, who is no caller.
pub(super) const FOUNDER: &str = "u-founder";

pub(super) struct Asker {
    pub(super) name: String,
    /// Who signs in. `None` with a token or a key that stays, or without one.
    user: Option<String>,
    /// Now.
    pub(super) caller: Caller,
}

impl Asker {
    pub(super) fn is_of_platform(&self) -> bool {
        self.user.as_ref().is_some_and(|user| user == ROOT || user == LINKED_ROOT)
    }

    /// Opens a session, because the last one may be over.
    pub(super) async fn sign_in(&mut self, system: &System) {
        if let Some(user) = &self.user {
            self.caller = system.sign_in(user).await;
        }
    }
}

/// Loads the users who are no members of the callers' merchant.
pub(super) async fn load(system: &System) {
    let outsider = |id: &str| json!({"id": id, "email": format!("{id}@example.com"), "emailVerified": true});
    let linked = member(LINKED_ROOT, &merchant_id(OWN), &json!({"isAdmin": true, "emailVerified": true}));
    let outsiders = json!({"users": [outsider(NOBODY), outsider(FOUNDER), linked]});
    for document in [fixtures(SUSPENDED, 3, "SUSPENDED"), fixtures(APPLICANT, 4, "DRAFT"), outsiders] {
        system.load_fixtures(&document).await;
    }
}

/// All callers, or those of different kinds.
pub(super) async fn all(system: &System, own: &Shop, is_quick: bool) -> Vec<Asker> {
    let admin = system.sign_in(&member_id(OWN, "admin")).await;
    let (revoked_id, revoked) = paired_till(system, &admin).await;
    admin.delete(&format!("/api/auth/tills/{revoked_id}")).await.ok();
    let powers: Vec<String> = permissions().into_iter().filter(|permission| permission != "merchant.team.invite").collect();
    let key = admin.post("/api/auth/keys", &json!({"name": "Attacks", "permissions": powers, "readOnly": false})).await;
    let key = key.text("/data/key");
    let user = |name: &str, id: String| Asker { name: name.to_owned(), user: Some(id), caller: system.anonymous() };
    let member = |role: &str| user(role, member_id(OWN, role));
    let other = |name: &str, caller: Caller| Asker { name: name.to_owned(), user: None, caller };
    let mut askers = vec![
        other("no session", system.anonymous()),
        member("admin"),
        member("viewer"),
        other("till", own.till.clone()),
        other("key", system.with_token(&key)),
        user("suspended", member_id(SUSPENDED, "admin")),
        user("applicant", member_id(APPLICANT, "admin")),
        user("platform", ROOT.to_owned()),
    ];
    if !is_quick {
        askers.extend(["unset", "full"].map(member));
        askers.extend(permissions().iter().map(|permission| member(permission)));
        askers.push(user("nobody", NOBODY.to_owned()));
        askers.push(user("platform with merchant", LINKED_ROOT.to_owned()));
        askers.push(other("revoked till", revoked));
        askers.push(other("made-up token", system.with_token("made.up.token")));
    }
    for asker in &mut askers {
        asker.sign_in(system).await;
    }
    askers
}
