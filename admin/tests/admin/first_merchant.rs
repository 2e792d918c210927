//! Runs the `admin` command against the local system, as described in docs/deploy.md.

use std::collections::BTreeSet;

use serde_json::Value;
use shared::base::clock::Clock;
use shared::db::Write;
use shared::team::model::team::User;
use world::{Browser, System};

const CREATE: [&str; 10] = [
    "merchant",
    "create",
    "--name",
    "Aurora Coffee",
    "--currency",
    "SEK",
    "--slug",
    "aurora-coffee",
    "--email",
    "Anna@aurora.example",
];

const ADMIN: &str = env!("CARGO_BIN_EXE_admin");
/// All that the command needs.
const VARIABLES: [&str; 5] =
    ["TABLE_NAME", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_DYNAMODB"];

async fn empty_system() -> System {
    System::empty(Clock::system()).await
}

/// Runs the command. Returns its standard output, or its standard error if it fails.
async fn admin(system: &System, arguments: &[&str]) -> Result<String, String> {
    system.run_program_with(ADMIN, arguments, &VARIABLES).await.result()
}

async fn get(system: &System, token: &str, path: &str) -> Value {
    system.with_token(token.trim()).get(path).await.ok().body
}

async fn profile(system: &System, token: &str) -> Value {
    get(system, token, "/api/bff/merchant").await
}

async fn status(system: &System, token: &str, path: &str) -> u16 {
    system.with_token(token.trim()).get(path).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn creates_a_merchant_and_signs_in_its_administrator() {
    let system = empty_system().await;
    let token = admin(&system, &CREATE).await.unwrap();
    let profile = profile(&system, &token).await;
    let company = &profile["data"]["company"];
    assert_eq!((&company["status"], &company["currency"]), (&"DRAFT".into(), &"SEK".into()), "{profile}");
    let team = get(&system, &token, "/api/bff/merchant/users").await;
    let members = team["data"].as_array().unwrap();
    assert_eq!(members.len(), 1, "{team}");
    assert_eq!(members[0]["email"], "Anna@aurora.example", "{team}");
    assert_eq!(members[0]["merchantTeamRole"], "ADMIN", "{team}");
}

#[tokio::test(flavor = "multi_thread")]
async fn signs_in_an_existing_user_by_email() {
    let system = empty_system().await;
    let first_token = admin(&system, &CREATE).await.unwrap();
    let second_token = admin(&system, &["session", "create", "--email", "anna@Aurora.example"]).await.unwrap();
    assert_ne!(first_token, second_token);
    assert_eq!(profile(&system, &first_token).await, profile(&system, &second_token).await);
    let error = admin(&system, &["session", "create", "--email", "bo@aurora.example"]).await.unwrap_err();
    assert!(error.ends_with("admin: no user has the e-mail address bo@aurora.example\n"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_all_sessions_of_a_user() {
    let system = empty_system().await;
    let first_token = admin(&system, &CREATE).await.unwrap();
    let create = ["session", "create", "--email", "Anna@aurora.example"];
    let second_token = admin(&system, &create).await.unwrap();
    let other = CREATE.map(|argument| match argument {
        "aurora-coffee" => "birch",
        "Anna@aurora.example" => "bo@birch.example",
        argument => argument,
    });
    let other_token = admin(&system, &other).await.unwrap();

    let end_all = ["session", "end-all", "--email", "anna@Aurora.example"];
    assert_eq!(admin(&system, &end_all).await.unwrap(), "");
    let status = async |token: &str| status(&system, token, "/api/bff/merchant").await;
    for token in [&first_token, &second_token] {
        assert_eq!(status(token).await, 401);
    }
    assert_eq!(status(&other_token).await, 200, "the session of another user");
    let new_token = admin(&system, &create).await.unwrap();
    assert_eq!(status(&new_token).await, 200);
    assert_eq!(status(&first_token).await, 401);

    let unknown = admin(&system, &["session", "end-all", "--email", "carl@aurora.example"]).await.unwrap_err();
    assert!(unknown.ends_with("admin: no user has the e-mail address carl@aurora.example\n"), "{unknown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_an_existing_slug_or_email_and_writes_nothing() {
    let system = empty_system().await;
    let token = admin(&system, &CREATE).await.unwrap();
    let before = profile(&system, &token).await;
    for (argument, replacement, message) in [
        ("Anna@aurora.example", "bo@aurora.example", "a merchant with the slug aurora-coffee already exists"),
        ("aurora-coffee", "other", "a user with the e-mail address Anna@aurora.example already exists"),
    ] {
        let arguments = CREATE.map(|original| if original == argument { replacement } else { original });
        let error = admin(&system, &arguments).await.unwrap_err();
        assert!(error.ends_with(&format!("admin: {message}\n")), "{error}");
    }
    assert_eq!(profile(&system, &token).await, before);
    let sign_in = ["session", "create", "--email", "bo@aurora.example"];
    assert!(admin(&system, &sign_in).await.is_err(), "a rejected merchant was partially written");
}

#[tokio::test(flavor = "multi_thread")]
async fn gives_and_takes_the_administration_of_the_platform() {
    const MERCHANTS: &str = "/api/admin/merchants";
    let system = empty_system().await;
    let anna = admin(&system, &CREATE).await.unwrap();
    assert_eq!(status(&system, &anna, MERCHANTS).await, 403);

    // Nobody has the address of the first one; Anna has a merchant. Whose sessions begin anew.
    let mut codes = Vec::new();
    for address in ["root@portal.example", "anna@Aurora.example"] {
        for command in ["add", "add", "reset"] {
            codes.push(admin(&system, &["platform-admin", command, address]).await.unwrap());
        }
    }
    let is_code = |code: &String| code.trim().len() == 32 && code.trim().bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(codes.iter().all(is_code), "{codes:?}");
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    assert_eq!(status(&system, &anna, MERCHANTS).await, 401);
    let anna = admin(&system, &["session", "create", "--email", "anna@aurora.example"]).await.unwrap();
    let sign_in = ["session", "create", "--email", "Root@portal.example"];
    let root = admin(&system, &sign_in).await.unwrap();
    for token in [&root, &anna] {
        assert_eq!(status(&system, token, MERCHANTS).await, 200);
    }
    assert_eq!(status(&system, &anna, "/api/bff/merchant/stats").await, 200);
    let session = get(&system, &root, "/api/auth/session").await;
    let user = &session["data"]["user"];
    assert_eq!((&user["isAdmin"], &user["emailVerified"]), (&true.into(), &false.into()), "{session}");
    assert_eq!(session["data"]["merchant"], Value::Null);

    for _first_time_and_again in 0..2 {
        assert_eq!(admin(&system, &["platform-admin", "remove", "ROOT@portal.example"]).await.unwrap(), "");
        assert_eq!(status(&system, &root, MERCHANTS).await, 401, "the sessions have ended");
    }
    let root = admin(&system, &sign_in).await.unwrap();
    assert_eq!(status(&system, &root, MERCHANTS).await, 403);
    assert_eq!(status(&system, &anna, MERCHANTS).await, 200, "the other one stays");

    assert_eq!(admin(&system, &["platform-admin", "reset", "ROOT@portal.example"]).await.unwrap(), "", "no code for who is none");
    for command in ["remove", "reset"] {
        let unknown = admin(&system, &["platform-admin", command, "bo@aurora.example"]).await.unwrap_err();
        assert!(unknown.ends_with("admin: no user has the e-mail address bo@aurora.example\n"), "{unknown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejects_an_account_at_the_card_network_that_another_merchant_has() {
    let system = empty_system().await;
    let with_account = |arguments: [&'static str; 10]| [&arguments[..], &["--network-merchant-id", "1001"]].concat();
    admin(&system, &with_account(CREATE)).await.unwrap();
    let other = CREATE.map(|argument| match argument {
        "aurora-coffee" => "birch",
        "Anna@aurora.example" => "bo@birch.example",
        argument => argument,
    });
    let error = admin(&system, &with_account(other)).await.unwrap_err();
    let message = "admin: a merchant with the card network account 1001 already exists\n";
    assert!(error.ends_with(message), "{error}");
    for (slug, message) in [("ab", "must have 3 to 40 characters"), ("admin", "is reserved")] {
        let arguments = other.map(|argument| if argument == "birch" { slug } else { argument });
        let error = admin(&system, &arguments).await.unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lets_a_user_sign_in_by_mailed_codes_again() {
    const ANNA: &str = "Anna@aurora.example";
    let system = empty_system().await;
    admin(&system, &CREATE).await.unwrap();
    let store = system.store();
    let anna = store.user_by_email(ANNA).await.unwrap().unwrap();
    let without_codes = User { signs_in_by_passkey_alone: true, ..anna.value.clone() };
    store.commit(vec![Write::replace(&anna, &without_codes).unwrap()]).await.unwrap();
    for expected in
        [format!("mailed codes sign user {} in again", anna.id), format!("mailed codes already sign user {} in", anna.id)]
    {
        assert_eq!(admin(&system, &["user", "mail-sign-in", ANNA]).await.unwrap().trim(), expected);
    }
    system.drain().await;
    let told: Vec<_> = system.emails().await.into_iter().map(|mail| mail["subject"].clone()).collect();
    assert_eq!(told, ["Sign-in codes are on"]);
    assert_eq!(Browser::at(&system, 1).sign_in(ANNA).await.status, 200);

    let merchant = anna.merchant_id.as_ref().unwrap();
    admin(&system, &["platform-admin", "add", "root@portal.example"]).await.unwrap();
    let root = admin(&system, &["session", "create", "--email", "root@portal.example"]).await.unwrap();
    let trail = get(&system, &root, &format!("/api/admin/merchants/{merchant}/audit")).await;
    let entry =
        trail["data"]["audit"].as_array().unwrap().iter().find(|entry| entry["action"] == "MAIL_SIGN_IN_TURNED_ON").unwrap();
    assert_eq!((&entry["by"], &entry["subject"]), (&"operator".into(), &anna.id.as_str().into()));
}
