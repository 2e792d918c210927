//! The command that makes the first merchant, run against the local system as the deployment page says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Command;

use local::{Local, Options, StartingState};
use serde_json::Value;
use test_support::client;

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

async fn nothing_yet() -> Local {
    let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
    Local::start(options).await.unwrap()
}

/// What the command prints, or what it complains of.
async fn admin(local: &Local, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_admin"));
    command.args(arguments);
    let needed = [
        "TABLE_NAME",
        "AWS_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ENDPOINT_URL_DYNAMODB",
    ];
    command.envs(needed.map(|name| (name, &local.environment[name])));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

async fn profile(local: &Local, token: &str) -> Value {
    get(local, token, "/api/bff/merchant").await
}

async fn get(local: &Local, token: &str, path: &str) -> Value {
    let request = client().get(format!("{}{path}", local.listening.api)).bearer_auth(token.trim());
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    serde_json::from_str(&answer.text().await.unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_merchant_has_an_administrator_who_is_signed_in() {
    let local = nothing_yet().await;
    let token = admin(&local, &CREATE).await.unwrap();
    let profile = profile(&local, &token).await;
    let company = &profile["data"]["company"];
    assert_eq!((&company["status"], &company["currency"]), (&"DRAFT".into(), &"SEK".into()), "{profile}");
    let team = get(&local, &token, "/api/bff/merchant/users").await;
    let members = team["data"].as_array().unwrap();
    assert_eq!(members.len(), 1, "{team}");
    assert_eq!(members[0]["email"], "Anna@aurora.example", "{team}");
    assert_eq!(members[0]["merchantTeamRole"], "ADMIN", "{team}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_there_can_be_signed_in_again() {
    let local = nothing_yet().await;
    let first = admin(&local, &CREATE).await.unwrap();
    let next = admin(&local, &["session", "create", "--email", "anna@Aurora.example"]).await.unwrap();
    assert_ne!(first, next);
    assert_eq!(profile(&local, &first).await, profile(&local, &next).await);
    let nobody = admin(&local, &["session", "create", "--email", "bo@aurora.example"]).await.unwrap_err();
    assert!(nobody.ends_with("admin: nobody has the address bo@aurora.example\n"), "{nobody}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_there_is_written_over() {
    let local = nothing_yet().await;
    let token = admin(&local, &CREATE).await.unwrap();
    let before = profile(&local, &token).await;
    for (changed, value, complaint) in [
        (
            "Anna@aurora.example",
            "bo@aurora.example",
            "there is a merchant with the slug aurora-coffee already",
        ),
        ("aurora-coffee", "other", "there is a user with the address Anna@aurora.example already"),
    ] {
        let again = CREATE.map(|argument| if argument == changed { value } else { argument });
        let refused = admin(&local, &again).await.unwrap_err();
        assert!(refused.ends_with(&format!("admin: {complaint}\n")), "{refused}");
    }
    assert_eq!(profile(&local, &token).await, before);
    let other = ["session", "create", "--email", "bo@aurora.example"];
    assert!(admin(&local, &other).await.is_err(), "half of a refused merchant was written");
}
