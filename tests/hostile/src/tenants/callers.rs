//! Everybody who could ask for what belongs to another merchant.

use reqwest::Method;
use serde_json::{Value, json};

use crate::shop::{ROOT, Shop, fixtures, member_id, merchant_id, permissions};
use crate::system::System;

/// The name of the merchant to which most callers belong.
pub(super) const OWN: &str = "caller";
/// The name of a merchant that is suspended.
pub(super) const SUSPENDED: &str = "suspended";
/// The name of a merchant that applies.
pub(super) const APPLICANT: &str = "applicant";
/// A platform administrator with a merchant.
const LINKED_ROOT: &str = "u-linked-root";
/// A user without a merchant.
pub(super) const NOBODY: &str = "u-nobody";
/// Another one, who is no caller.
pub(super) const FOUNDER: &str = "u-founder";

#[derive(Debug)]
pub(super) struct Caller {
    pub(super) name: String,
    who: Who,
    /// Now. `None` without a session.
    pub(super) token: Option<String>,
}

#[derive(Debug)]
enum Who {
    User(String),
    /// With a token that stays.
    Token,
    Anybody,
}

impl Caller {
    fn user(name: &str, id: impl Into<String>) -> Self {
        Self { name: name.to_owned(), who: Who::User(id.into()), token: None }
    }

    pub(super) fn is_of_platform(&self) -> bool {
        matches!(&self.who, Who::User(id) if id == ROOT || id == LINKED_ROOT)
    }

    /// Opens a session, because the last one may be over.
    pub(super) async fn sign_in(&mut self, system: &System) {
        if let Who::User(id) = &self.who {
            self.token = Some(system.sign_in(id).await);
        }
    }
}

/// Loads the users who are no members of the callers' merchant.
pub(super) async fn load(system: &System) {
    let outsiders = json!({"users": [
        {"id": NOBODY, "email": "nobody@example.com", "emailVerified": true},
        {"id": FOUNDER, "email": "founder@example.com", "emailVerified": true},
        {"id": LINKED_ROOT, "email": "linked-root@portal.example", "isAdmin": true, "emailVerified": true,
         "merchantId": merchant_id(OWN), "merchantTeamRole": "ADMIN"},
    ]});
    for document in [fixtures(SUSPENDED, 3, "SUSPENDED"), fixtures(APPLICANT, 4, "DRAFT"), outsiders] {
        let loaded = system.call(None, Method::POST, "/__local/fixtures", Some(&document)).await;
        assert_eq!(loaded.status, 200, "{}", String::from_utf8_lossy(&loaded.body));
    }
}

/// All callers, or those of different kinds.
pub(super) async fn all(system: &System, own: &Shop, is_quick: bool) -> Vec<Caller> {
    let revoked = revoked_till(system).await;
    let member = |role: &str| Caller::user(role, member_id(OWN, role));
    let with_token = |name: &str, token: String| Caller { name: name.to_owned(), who: Who::Token, token: Some(token) };
    let mut callers = vec![
        Caller { name: "no session".to_owned(), who: Who::Anybody, token: None },
        member("admin"),
        member("viewer"),
        with_token("till", own.till.clone()),
        Caller::user("suspended", member_id(SUSPENDED, "admin")),
        Caller::user("applicant", member_id(APPLICANT, "admin")),
        Caller::user("platform", ROOT),
    ];
    if !is_quick {
        callers.extend(["unset", "full"].map(member));
        callers.extend(permissions().iter().map(|permission| member(permission)));
        callers.push(Caller::user("nobody", NOBODY));
        callers.push(Caller::user("platform with merchant", LINKED_ROOT));
        callers.push(with_token("revoked till", revoked));
        callers.push(with_token("made-up token", "made.up.token".to_owned()));
    }
    for caller in &mut callers {
        caller.sign_in(system).await;
    }
    callers
}

async fn revoked_till(system: &System) -> String {
    let admin = system.sign_in(&member_id(OWN, "admin")).await;
    let till = json!({"name": "Old", "retailStoreId": "old"});
    let created = system.call(Some(&admin), Method::POST, "/api/auth/tills", Some(&till)).await.json();
    let code = json!({"code": created["data"]["pairingCode"]});
    let paired = system.call(None, Method::POST, "/api/auth/tills/pairing", Some(&code)).await.json();
    let path = format!("/api/auth/tills/{}", created["data"]["id"].as_str().unwrap());
    let revoked = system.call(Some(&admin), Method::DELETE, &path, None).await;
    assert_eq!(revoked.status, 200, "{revoked:?}");
    paired.pointer("/data/token").and_then(Value::as_str).unwrap().to_owned()
}
