//! What only an operator decides.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Command;

use local::{Local, Options, StartingState};
use serde_json::{Value, json};
use shared::domain::ids::MerchantId;
use shared::payouts::PayoutFilter;
use test_support::client;

/// Runs the command. Returns its standard output, or its standard error if it fails.
async fn admin(local: &Local, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_admin"));
    command.args(arguments);
    let variables = ["TABLE_NAME", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_DYNAMODB"];
    command.envs(variables.map(|name| (name, &local.environment[name])));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap().trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

async fn post(local: &Local, path: &str, body: &Value) -> Value {
    let request = client().post(format!("{}{path}", local.listening.api)).body(body.to_string());
    let response = request.header("content-type", "application/json").send().await.unwrap();
    assert_eq!(response.status(), 200);
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// A merchant whose only member is the only platform administrator.
async fn system() -> Local {
    let options = Options { fixtures: StartingState::Nothing, ..Options::default() };
    let local = Local::start(options).await.unwrap();
    let fixtures = json!({
        "merchants": [{"id": "m-1", "slug": "one", "status": "ACTIVE", "settlementMode": "SETTLEMENT_ON_REDEMPTION"}],
        "users": [{"id": "u-root", "email": "root@portal.example", "isAdmin": true, "merchantId": "m-1"}],
        "settlements": [{"id": "s-1", "merchantId": "m-1", "sourceType": "REDEMPTION", "redemptionId": "r-1",
            "grossAmountMinor": 100, "feeAmountMinor": 0, "netAmountMinor": 100, "currency": "SEK",
            "createdAt": "2020-01-01T10:00:00Z", "eligibleAt": "2020-01-02T10:00:00Z"}],
    });
    post(&local, "/__local/fixtures", &fixtures).await;
    local
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_pays_a_merchant_for_which_no_administrator_is_left() {
    let local = system().await;
    let store = &local.app().store;
    let started = admin(&local, &["payout", "start", "m-1"]).await.unwrap();
    assert!(started.starts_with("run "), "{started}");
    post(&local, "/__local/drain", &Value::Null).await;
    let payouts = store.payouts(&PayoutFilter::default(), None, 10).await.unwrap().payouts;
    assert_eq!((payouts.len(), payouts[0].count()), (1, 1));
    let id = payouts[0].id.as_str();
    let change = async |arguments: &[&str]| {
        let arguments = [&["merchant", "change", "m-1", "--reason", "A test"][..], arguments].concat();
        admin(&local, &arguments).await
    };
    let suspended = "merchant m-1, status SUSPENDED, 0 changes of its identity to be reviewed";
    assert_eq!(change(&["--status", "SUSPENDED"]).await.as_deref(), Ok(suspended));
    let decide = ["payout", "decide", id, "--reference", "SEPA 1"];
    let refused = admin(&local, &decide).await;
    assert_eq!(refused, Err("admin: The merchant is neither ACTIVE nor INACTIVE.".to_owned()));
    assert!(change(&["--status", "ACTIVE", "--identity-reviewed", "7"]).await.is_err(), "not its version");
    assert!(change(&["--status", "ACTIVE", "--identity-reviewed", "0"]).await.is_ok());
    let decided = format!("payout {id} of merchant m-1, status PAYING");
    assert_eq!(admin(&local, &decide).await, Ok(decided));
    let audit = store.latest_audit_entries(&MerchantId::new("m-1"), 10).await.unwrap();
    let actions: Vec<String> = audit.iter().rev().map(|entry| format!("{} {}", entry.by, entry.action)).collect();
    let expected = ["PAYOUT_RUN_STARTED", "MERCHANT_CHANGED", "MERCHANT_CHANGED", "PAYOUT_PAID"];
    assert_eq!(actions, expected.map(|action| format!("operator {action}")));
    for (arguments, message) in [
        (["payout", "start", "m-2"], "admin: there is no merchant m-2"),
        (["payout", "decide", "p-2"], "error: the following required arguments were not provided:"),
    ] {
        let error = admin(&local, &arguments).await.unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
}
