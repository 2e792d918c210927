//! Mails in the language of whoever reads them.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};
use shared::values::Language;
use world::{Browser, ManualClock, System};

const ADMIN: &str = "admin@aurora.example";
/// Another administrator, who has never signed in.
const UNSET: &str = "Unset@aurora.example";
const IDA: &str = "ida@example.com";

/// The last mail to an address: the language that it says it is in, and its subject.
async fn last_mail_to(system: &System, address: &str) -> (String, String) {
    system.drain().await;
    let mail = system.emails().await.into_iter().rfind(|mail| mail["to"][0] == address).unwrap();
    (language_of(&mail), mail["subject"].as_str().unwrap().to_owned())
}

fn language_of(mail: &Value) -> String {
    let html = mail["html"].as_str().unwrap();
    html.split("<html lang=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_code_is_mailed_in_the_language_of_the_browser_that_asks() {
    let system = System::with_clock(ManualClock::at("2026-05-28T20:26:40Z").clock()).await;
    let host = system.local.listening.api.trim_start_matches("http://");
    let mut texts = BTreeMap::new();
    for (address, language) in (2..).zip(Language::ALL) {
        let tag = language.tag();
        let email = format!("{tag}@example.com");
        Browser::at(&system, address).preferring(tag).challenge(&email).await;
        let code = system.code_mailed_to(&email).await;
        let mail = system.emails().await.into_iter().rfind(|mail| mail["to"][0] == *email).unwrap();
        assert_eq!(language_of(&mail), tag);
        let text = format!("{}\n\n{}", mail["subject"].as_str().unwrap(), mail["text"].as_str().unwrap());
        texts.insert(tag, text.replace(&code, "ABCD-EFGH").replace(host, "HOST"));
    }
    let all: Vec<String> = texts.into_iter().map(|(tag, text)| format!("[{tag}] {text}")).collect();
    insta::assert_snapshot!("codes", all.join("\n"));
}

#[tokio::test]
async fn whoever_has_signed_in_is_written_to_in_the_language_of_that_browser() {
    let system = System::start().await;
    let mut admin = Browser::at(&system, 2).preferring("fi-FI,en;q=0.5");
    admin.sign_in(ADMIN).await.ok();
    let root = system.sign_in("u-root").await;
    let suspended = json!({"reason": "A test", "status": "SUSPENDED"});
    root.send(Method::PATCH, "/api/admin/merchants/m-aurora", Some(&suspended)).await.ok();
    assert_eq!(last_mail_to(&system, ADMIN).await.0, "fi", "what others have caused");
    assert_eq!(last_mail_to(&system, UNSET).await.0, "en", "who has never signed in");
    let mut elsewhere = Browser::at(&system, 3).preferring("de");
    elsewhere.sign_in(ADMIN).await.ok();
    assert_eq!(last_mail_to(&system, ADMIN).await.0, "de", "the last browser counts");
    admin.sign_in(ADMIN).await.ok();
    assert_eq!(system.store().user_by_email(ADMIN).await.unwrap().unwrap().reads(), Language::Finnish);
}

#[tokio::test]
async fn an_invitation_is_in_the_language_of_the_invited_else_of_whoever_invites() {
    let system = System::start().await;
    let mut admin = Browser::at(&system, 2).preferring("nl");
    admin.sign_in(ADMIN).await.ok();
    Browser::at(&system, 3).preferring("ja").sign_in(IDA).await.ok();
    for (email, language) in [("stranger@example.com", "nl"), (IDA, "ja")] {
        let body = json!({"email": email, "firstName": "Ida", "lastName": "Holm", "merchantTeamRole": "VIEWER"});
        let id = admin.post("/api/auth/invites", &body).await.ok().text("/data/challengeId");
        let code = system.code_mailed_to(ADMIN).await;
        assert_eq!(last_mail_to(&system, ADMIN).await.0, "nl");
        admin.post(&format!("/api/auth/invites/{id}/verification"), &json!({"code": code})).await.ok();
        let (shown, subject) = last_mail_to(&system, email).await;
        assert_eq!(shown, language);
        assert!(subject.contains("Aurora Coffee"), "{subject}");
    }
}
