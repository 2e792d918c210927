//! What only an operator decides.

use serde_json::json;
use shared::payouts::PayoutFilter;
use shared::values::MerchantId;
use world::System;

const ADMIN: &str = env!("CARGO_BIN_EXE_admin");
/// All that the command needs.
const VARIABLES: [&str; 5] =
    ["TABLE_NAME", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_DYNAMODB"];

/// Runs the command. Returns its standard output, or its standard error if it fails.
async fn admin(system: &System, arguments: &[&str]) -> Result<String, String> {
    let trimmed = |text: String| text.trim().to_owned();
    system.run_program_with(ADMIN, arguments, &VARIABLES).await.result().map(trimmed).map_err(trimmed)
}

/// A merchant whose only member is the only platform administrator.
async fn system() -> System {
    System::with_fixtures(&json!({
        "merchants": [{"id": "m-1", "slug": "one", "status": "ACTIVE", "settlementMode": "SETTLEMENT_ON_REDEMPTION"}],
        "users": [{"id": "u-root", "email": "root@portal.example", "isAdmin": true, "merchantId": "m-1"}],
        "settlements": [{"id": "s-1", "merchantId": "m-1", "sourceType": "REDEMPTION", "redemptionId": "r-1",
            "grossAmountMinor": 100, "feeAmountMinor": 0, "netAmountMinor": 100, "currency": "SEK",
            "createdAt": "2020-01-01T10:00:00Z", "eligibleAt": "2020-01-02T10:00:00Z"}],
    }))
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_pays_a_merchant_for_which_no_administrator_is_left() {
    let system = system().await;
    let store = system.store();
    let started = admin(&system, &["payout", "start", "m-1"]).await.unwrap();
    assert!(started.starts_with("run "), "{started}");
    system.drain().await;
    let payouts = store.payouts(&PayoutFilter::default(), None, 10).await.unwrap().payouts;
    assert_eq!((payouts.len(), payouts[0].count()), (1, 1));
    let id = payouts[0].id.as_str();
    let change = async |arguments: &[&str]| {
        let arguments = [&["merchant", "change", "m-1", "--reason", "A test"][..], arguments].concat();
        admin(&system, &arguments).await
    };
    let suspended = "merchant m-1, status SUSPENDED, 0 changes of its identity to be reviewed";
    assert_eq!(change(&["--status", "SUSPENDED"]).await.as_deref(), Ok(suspended));
    let decide = ["payout", "decide", id, "--reference", "SEPA 1"];
    assert_eq!(admin(&system, &decide).await, Err("admin: The merchant is neither ACTIVE nor INACTIVE.".to_owned()));
    assert!(change(&["--status", "ACTIVE", "--identity-reviewed", "7"]).await.is_err(), "not its version");
    assert!(change(&["--status", "ACTIVE", "--identity-reviewed", "0"]).await.is_ok());
    let decided = format!("payout {id} of merchant m-1, status PAYING");
    assert_eq!(admin(&system, &decide).await, Ok(decided));
    let audit = store.latest_audit_entries(&MerchantId::new("m-1"), 10).await.unwrap();
    let actions: Vec<String> = audit.iter().rev().map(|entry| format!("{} {}", entry.by, entry.action)).collect();
    let expected = ["PAYOUT_RUN_STARTED", "MERCHANT_CHANGED", "MERCHANT_CHANGED", "PAYOUT_PAID"];
    assert_eq!(actions, expected.map(|action| format!("operator {action}")));
    for (arguments, message) in [
        (["payout", "start", "m-2"], "admin: there is no merchant m-2"),
        (["payout", "decide", "p-2"], "error: the following required arguments were not provided:"),
    ] {
        let error = admin(&system, &arguments).await.unwrap_err();
        assert!(error.starts_with(message), "{error}");
    }
}

#[tokio::test]
async fn revokes_a_key_that_was_found() {
    let (system, member) = System::signed_in("u-admin").await;
    let mut made = Vec::new();
    for _ in 0..2 {
        let body = json!({"name": "ERP", "permissions": ["portal.orders"], "readOnly": true});
        let key = member.post("/api/auth/keys", &body).await.ok();
        made.push((key.text("/data/id"), key.text("/data/key")));
    }
    let works = async |text: &str| system.with_token(text).get("/api/auth/session").await.status == 200;
    let revoke = async |key: &str| admin(&system, &["key", "revoke", key, "--reason", "found"]).await;
    let [(first, text), (second, of_second)] = made.as_slice() else { panic!("{made:?}") };
    let mistyped = "admin: the text is not that of a key: a part of it is missing or mistyped";
    assert_eq!(revoke(&format!("{text}x")).await, Err(mistyped.to_owned()));
    assert_eq!(revoke("none").await, Err("admin: there is no such key".to_owned()));
    assert!(works(text).await && works(of_second).await);
    for (key, expected) in [
        (text, format!("key {first} of merchant m-aurora is revoked")),
        (second, format!("key {second} of merchant m-aurora is revoked")),
        (second, format!("key {second} of merchant m-aurora had already ended")),
    ] {
        assert_eq!(revoke(key).await, Ok(expected));
    }
    assert!(!works(text).await && !works(of_second).await);
    let activity = member.get("/api/bff/merchant/activity").await.ok();
    let event = ["action", "actor/kind", "target/id"].map(|field| activity.at(&format!("/data/events/0/{field}")));
    assert_eq!(json!(event), json!(["KEY_REVOKED", "PLATFORM", second]));
    let trail = system.sign_in("u-root").await.get("/api/admin/merchants/m-aurora/audit?onlyChanges=true").await.ok();
    let entry = trail.at("/data/audit/0");
    let found = ["action", "subject", "by", "reason"].map(|field| &entry[field]);
    assert_eq!(json!(found), json!(["KEY_REVOKED", second, "operator", "found"]));
    let told = system.told("A key was revoked").await;
    assert_eq!(told.iter().filter(|address| *address == "admin@aurora.example").count(), 2, "{told:?}");
}
