//! Runs `admin check` against the local system, as the last step of docs/deploy.md.

use serde_json::json;
use world::System;

const ALL_OK: &str = "ok      sign in
ok      profile
ok      offers
ok      card
ok      image
ok      document
ok      public API
ok      mail
ok      verifier
ok      administrators
ok      sign out
";

const OTHER_ACCOUNT: &str = "another account at the card network than the one for tests: nothing was sold";

const ADMIN: &str = env!("CARGO_BIN_EXE_admin");

/// Runs the command with the environment of a function. Returns whether it succeeded, and its standard output.
async fn check(system: &System, arguments: &[&str]) -> (bool, String) {
    let output = system.run_program(ADMIN, &[&["check"], arguments].concat()).await;
    assert!(output.stderr.is_empty(), "{}", output.stderr);
    (output.is_success, output.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_every_upstream() {
    let system = System::demo().await;
    for card in ["DEMO-AURORA-500", "UNKNOWN-CARD"] {
        let result = check(&system, &["--email", "anna@aurora.example", "--card", card]).await;
        assert_eq!(result, (true, ALL_OK.to_owned()), "{card}");
    }
    let mails = system.emails().await;
    assert_eq!(mails[0]["to"], json!(["success@simulator.amazonses.com"]), "{mails:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_what_fails_and_checks_the_rest() {
    let system = System::demo().await;
    for (target, failed) in [
        ("card-network", &["offers", "card"][..]),
        ("s3", &["image", "document"]),
        ("ses", &["mail"]),
        ("verifier", &["verifier"]),
    ] {
        system.set_fault(target, "*", "status", 403).await;
        let (all_ok, report) = check(&system, &["--email", "anna@aurora.example"]).await;
        assert!(!all_ok, "{target}: {report}");
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines.len(), 11, "{target}: {report}");
        for line in lines {
            let (result, check) = line.split_once(' ').unwrap();
            let check = check.trim_start().split(": ").next().unwrap();
            let expected = if failed.contains(&check) { "failed" } else { "ok" };
            assert_eq!(result, expected, "{target}: {report}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_sold_only_for_the_merchant_for_tests() {
    let system = System::demo().await;
    for (merchant, account, expected) in [
        ("m-aurora", "1001", "ok      sale and redemption".to_owned()),
        ("m-aurora", "1", format!("failed  sale and redemption: the merchant m-aurora has {OTHER_ACCOUNT}")),
        // Of another merchant than the user's.
        ("m-hinode", "1002", "failed  sale and redemption: sale: the response is 409 Conflict".to_owned()),
    ] {
        let arguments = ["--email", "anna@aurora.example", "--test-merchant", merchant, "--test-account", account];
        let (all_ok, report) = check(&system, &arguments).await;
        assert_eq!(all_ok, expected.starts_with("ok"), "{report}");
        assert!(report.lines().any(|line| line == expected), "{expected}: {report}");
    }
    // The account alone is enough for nothing.
    let incomplete = ["check", "--email", "anna@aurora.example", "--test-merchant", "m-aurora"];
    assert!(!system.run_program(ADMIN, &incomplete).await.is_success);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_cannot_sign_in_is_reported() {
    let system = System::demo().await;
    let (all_ok, report) = check(&system, &["--email", "nobody@aurora.example"]).await;
    assert!(!all_ok);
    assert_eq!(
        report,
        "failed  sign in: no user has the e-mail address nobody@aurora.example\n\
         ok      public API\nok      mail\nok      verifier\nok      administrators\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_without_an_administrator_is_named_and_gets_one() {
    let system = System::demo().await;
    let listed = json!({
        "merchants": [{"id": "m-orphan", "slug": "orphan", "status": "ACTIVE"}],
        "users": [{"id": "u-listed", "email": "listed@orphan.example", "merchantId": "m-orphan", "merchantTeamRole": "ADMIN",
                   "permissions": ["merchant.team.invite"]}],
    });
    system.load_fixtures(&listed).await;
    let (all_ok, report) = check(&system, &["--email", "anna@aurora.example"]).await;
    let named = "failed  administrators: these merchants have no administrator; `admin member promote` gives them one: m-orphan";
    assert!(!all_ok && report.lines().any(|line| line == named), "{report}");

    for (address, is_ok) in [("anna@aurora.example", false), ("listed@orphan.example", true)] {
        let output = system.run_program(ADMIN, &["member", "promote", "m-orphan", address]).await;
        assert_eq!(output.is_success, is_ok, "{}", output.stderr);
    }
    assert!(check(&system, &["--email", "anna@aurora.example"]).await.0);
    let activity = system.sign_in("u-listed").await.get("/api/bff/merchant/activity").await;
    let event = activity.at("/data/events/0");
    assert_eq!(event["action"], "ROLE_CHANGED");
    assert_eq!(event["actor"], json!({"kind": "PLATFORM", "id": null, "name": null, "address": null}));
}
