//! The golden files.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::Redemption;
use shared::db::heartbeats::Heartbeat;
use shared::db::model::restore::Restores;
use shared::db::{Job, field_names};
use shared::keys::model::key::ApiKey;
use shared::keys::rows::KeyUse;
use shared::merchants::model::activity::Activity;
use shared::merchants::model::audit::AuditEntry;
use shared::merchants::model::merchant::Merchant;
use shared::merchants::model::take_down::TakeDown;
use shared::operations::Operation;
use shared::payouts::{LeftOut, Payout, PayoutRun};
use shared::projections::calendars::FollowedRelease;
use shared::projections::model::export::Export;
use shared::projections::model::visit::Visit;
use shared::settlements::model::settlement::Settlement;
use shared::team::model::challenge::Challenge;
use shared::team::model::passkey::{Passkey, PasskeyOwner};
use shared::team::model::team::{Invite, Membership, User};
use shared::team::model::till::Till;
use shared::team::rows::passkeys::PasskeyRegistration;
use shared::webhooks::model::{Delivery, Endpoint, Message, MessageBody};
use world::workspace_root;

/// The rows of the newest file.
pub(crate) fn rows() -> Vec<Value> {
    serde_json::from_str(include_str!("golden/1.json")).unwrap()
}

/// The time at which the rows were written. They are read at the same time, so that the sessions are valid. It lies in
/// the future: the embedded DynamoDB deletes expired rows by the system's time.
pub(crate) const NOW: &str = "2050-03-10T12:00:00Z";
/// The secret of the stored sessions, and their tokens: the secret, the user and the merchant in base64url.
pub(crate) const SESSION_SECRET: [u8; 32] = [7; 32];
pub(crate) const SESSION_TOKEN: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc.dS1nb2xkZW4.bS1nb2xkZW4";
/// The session of `u-draft`, whose merchant has a settlement mode.
pub(crate) const DRAFT_SESSION_TOKEN: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc.dS1kcmFmdA.bS1kcmFmdA";

/// The requests of the stored idempotency keys.
pub(crate) const ISSUE_KEY: &str = "golden-issue";
pub(crate) const OPEN_ISSUE_KEY: &str = "golden-issue-open";
pub(crate) const REDEEM_KEY: &str = "golden-redeem";
pub(crate) const FAILED_REDEEM_KEY: &str = "golden-redeem-failed";
pub(crate) const TILL_KEY: &str = "golden-till";
pub(crate) const TILL_BODY: &str = r#"{"name": "Counter", "retailStoreId": "101", "retailStoreName": "Main street"}"#;
pub(crate) const ISSUE_BODY: &str =
    r#"{"value": 250, "paymentReference": "receipt-7", "deliveryDetails": {"deliveryType": "QR"}}"#;
pub(crate) const REDEEM_BODY: &str =
    r#"{"qrCode": "QR-GOLDEN", "redeemAmount": 100.50, "purchaseAmount": 120, "retailStoreName": "Main street"}"#;
pub(crate) const FAILED_REDEEM_BODY: &str = r#"{"qrCode": "QR-BLOCKED", "redeemAmount": 10, "purchaseAmount": 10}"#;

/// The accounts, offers and cards at the card network.
pub(crate) fn card_network() -> Value {
    serde_json::from_str(include_str!("golden/card_network.json")).unwrap()
}

/// The row with a partition key and a sort key that begin with these texts.
pub(crate) fn find<'a>(rows: &'a [Value], pk: &str, sk: &str) -> &'a Value {
    let found = rows.iter().find(|row| key(row).0.starts_with(pk) && key(row).1.starts_with(sk));
    found.unwrap_or_else(|| panic!("no row {pk} {sk}"))
}

/// The beginnings of `pk` of the entries that lists show.
const ENTRIES: [&str; 4] = ["ORDERS#", "REDEMPTIONS#", "SETTLEMENTS_OF_", "VISITS#"];

/// The row with a partition key and a sort key that begin with these texts, and the entry that lists it, if there is one.
pub(crate) fn find_with_entry<'a>(rows: &'a [Value], pk: &str, sk: &str) -> Vec<&'a Value> {
    let row = find(rows, pk, sk);
    let end_of_key = format!("#{}", row["id"]["S"].as_str().unwrap_or_default());
    let is_entry = |other: &&Value| {
        let (pk, sk) = key(other);
        ENTRIES.iter().any(|entries| pk.starts_with(entries)) && sk.ends_with(&end_of_key)
    };
    std::iter::once(row).chain(rows.iter().filter(is_entry)).collect()
}

/// The partition key and the sort key of a row.
pub(crate) fn key(row: &Value) -> (&str, &str) {
    (row["pk"]["S"].as_str().unwrap(), row["sk"]["S"].as_str().unwrap())
}

/// The rows of every line of the table in `shared/src/db/keys.rs`: the beginnings of `pk` and `sk`. `20#`
/// stands for a time, and an empty text for any id.
const ROW_KINDS: &[(&str, &str)] = &[
    ("ACTIVITY#", "20#"),
    ("MERCHANT#", "MERCHANT"),
    ("MERCHANT#", "TEAM"),
    ("MERCHANT#", "MEMBER#"),
    ("MERCHANT#", "INVITE#"),
    ("MERCHANT#", "TILL#"),
    ("MERCHANT#", "KEY#"),
    ("KEY_USE#", "KEY_USE"),
    ("PAIRING#", "PAIRING"),
    ("EMAIL#", "INVITE#"),
    ("INVITE#", "INVITE"),
    ("CHALLENGE#", "CHALLENGE"),
    ("CHALLENGE#", "PASSKEY"),
    ("CHALLENGE#", "USED"),
    ("PASSKEYS#", "OWNER"),
    ("PASSKEYS#", "PASSKEY#"),
    ("USER#", "USER"),
    ("USER#", "BELONGED#"),
    ("EMAIL#", "USER"),
    ("SLUG#", "SLUG"),
    ("NETWORK_ACCOUNT#", "NETWORK_ACCOUNT"),
    ("MERCHANTS#", ""),
    ("SESSION#", "SESSION"),
    ("SESSIONS#", "20#"),
    ("AUDIT#", "20#"),
    ("EXPORT#", "EXPORT#"),
    ("EXPORT#", "RUNNING"),
    ("PAYOUT_RUN#", "RUN"),
    ("PAYOUT#", "PAYOUT"),
    ("PAYOUTS#", ""),
    ("PAYOUTS_OF_MERCHANT#", ""),
    ("PAYOUTS_OF_RUN#", ""),
    ("BUILDING_PAYOUT#", ""),
    ("PAYOUT_SETTLEMENTS#", ""),
    ("PENDING_SETTLEMENTS#", ""),
    ("HELD_SETTLEMENTS#", ""),
    ("PAYOUT_RUN#", "LEFT_OUT#"),
    ("ORDER#", "ORDER"),
    ("CARD#", "CARD"),
    ("CARD_HISTORY#", "20#"),
    ("CARD_HISTORY#", "SUMS#"),
    ("GIVEN_BACK#", "GIVEN_BACK"),
    ("REDEMPTION#", "REDEMPTION"),
    ("SETTLEMENT#", "SETTLEMENT"),
    ("SETTLED#", "SETTLEMENT#"),
    ("VISIT#", "VISIT"),
    ("OPERATION#", "OPERATION"),
    ("OPERATION#", "CLOSED"),
    ("IDEMPOTENCY#", "IDEMPOTENCY"),
    ("CREATION#", "CREATION"),
    ("RESTORE#", "LOST"),
    ("HEARTBEAT#", "HEARTBEAT"),
    ("TIME_ZONES#", "TIME_ZONES"),
    ("COUNTER#", "COUNTER"),
    ("TAKE_DOWN#", "TAKE_DOWN"),
    ("JOB#", "JOB"),
    ("ORDERS#", "20#"),
    ("FLAGGED_ORDERS#", "20#"),
    ("CHANGED_ORDERS#", "20#"),
    ("SEGMENTS#", "SEGMENTS"),
    ("REDEMPTIONS#", "20#"),
    ("SETTLEMENTS_OF_", "20#"),
    ("VISITS#", "20#"),
    ("TALLIES#", "QUARTER#"),
    ("TALLIES#", "DAY#"),
    ("TALLIES#", "MONTH#"),
    ("WEBHOOKS#", "ENDPOINT#"),
    ("WEBHOOK_MESSAGE#", "20#"),
    ("WEBHOOK_BODY#", "BODY"),
    ("WEBHOOK_DELIVERIES#", ""),
    ("WEBHOOK_QUEUE#", "20#"),
];

#[test]
fn golden_rows_include_every_kind_of_row() {
    let rows = rows();
    let is_of_kind = |row: &Value, (pk, sk): (&str, &str)| {
        let (row_pk, row_sk) = key(row);
        let sk_matches = match sk {
            "20#" => row_sk.starts_with("20"),
            "" => true,
            sk if sk.ends_with('#') => row_sk.starts_with(sk),
            sk => row_sk == sk,
        };
        row_pk.starts_with(pk) && sk_matches
    };
    for kind in ROW_KINDS {
        assert!(
            rows.iter().any(|row| is_of_kind(row, *kind)),
            "tests/rows/golden/: no row is of {kind:?}; tests/rows/main.rs says how to write a file"
        );
    }
    for row in &rows {
        assert!(ROW_KINDS.iter().any(|kind| is_of_kind(row, *kind)), "tests/rows/golden.rs: ROW_KINDS has no {:?}", key(row));
    }
}

fn keys_rs() -> String {
    fs::read_to_string(workspace_root().join("shared/src/db/keys.rs")).unwrap()
}

/// Rows that live for seconds, so that no release finds those of another one.
const SHORT_LIVED: &str = "LEASE#";

/// The beginnings of `pk`, up to the separator, in the table of rows at the top of `keys.rs`.
fn partitions_in_table(keys_rs: &str) -> BTreeSet<&str> {
    let rows = keys_rs.lines().skip_while(|line| !line.starts_with("//! | row |")).skip(2);
    let cells = rows.map_while(|line| line.strip_prefix("//! | ")).filter_map(|row| row.split(" | ").nth(1));
    cells.flat_map(|cell| cell.split(", ")).map(|key| up_to_separator(key.trim_matches('`'))).collect()
}

fn up_to_separator(key: &str) -> &str {
    key.split_inclusive('#').next().unwrap()
}

#[test]
fn the_table_in_keys_rs_has_the_same_kinds_of_rows() {
    let keys_rs = keys_rs();
    let in_table = partitions_in_table(&keys_rs);
    for (pk, _) in ROW_KINDS {
        let is_listed = in_table.iter().any(|listed| listed.starts_with(pk));
        assert!(is_listed, "shared/src/db/keys.rs: the table of rows at the top has no {pk}");
    }
    for listed in in_table.into_iter().filter(|listed| *listed != SHORT_LIVED) {
        let is_kind = ROW_KINDS.iter().any(|(pk, _)| listed.starts_with(pk));
        assert!(is_kind, "tests/rows/golden.rs: ROW_KINDS has no {listed}");
    }
}

/// A text such as `NAME#` in the code of `keys.rs` begins a partition, a sort key or a key of the index.
#[test]
fn the_table_in_keys_rs_mentions_every_key() {
    let keys_rs = keys_rs();
    let (tables, code) = keys_rs.split_once("\nuse ").unwrap();
    let code = code.split("#[cfg(test)]").next().unwrap();
    let texts = code.split('"').skip(1).step_by(2).filter(|text| text.contains('#'));
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    for prefix in texts.map(up_to_separator).filter(|prefix| is_name(prefix.trim_end_matches('#'))) {
        let is_mentioned = prefix == "#" || tables.contains(&format!("`{prefix}"));
        assert!(is_mentioned, "shared/src/db/keys.rs: the table of rows at the top has no {prefix}");
    }
}

#[test]
fn golden_rows_include_every_attribute() {
    let rows = rows();
    let check = |fields: Option<&[&str]>, pk: &str, sk: &str| {
        let of_kind: Vec<&Value> = rows.iter().filter(|row| key(row).0.starts_with(pk) && key(row).1.starts_with(sk)).collect();
        for field in fields.unwrap() {
            assert!(
                of_kind.iter().any(|row| row.get(field).is_some()),
                "tests/rows/golden/: no row {pk} {sk} has the attribute {field}; tests/rows/main.rs says how to write a file"
            );
        }
    };
    check(field_names::<Merchant>(), "MERCHANT#", "MERCHANT");
    check(field_names::<Membership>(), "MERCHANT#", "MEMBER#");
    check(field_names::<Invite>(), "MERCHANT#", "INVITE#");
    check(field_names::<Till>(), "MERCHANT#", "TILL#");
    check(field_names::<ApiKey>(), "MERCHANT#", "KEY#");
    check(field_names::<KeyUse>(), "KEY_USE#", "KEY_USE");
    check(field_names::<User>(), "USER#", "USER");
    check(field_names::<Challenge>(), "CHALLENGE#", "CHALLENGE");
    check(field_names::<Passkey>(), "PASSKEYS#", "PASSKEY#");
    check(field_names::<PasskeyOwner>(), "PASSKEYS#", "OWNER");
    check(field_names::<PasskeyRegistration>(), "CHALLENGE#", "PASSKEY");
    check(field_names::<Activity>(), "ACTIVITY#", "20");
    check(field_names::<AuditEntry>(), "AUDIT#", "20");
    check(field_names::<TakeDown>(), "TAKE_DOWN#", "TAKE_DOWN");
    check(field_names::<Order>(), "ORDER#", "ORDER");
    check(field_names::<Restores>(), "RESTORE#", "LOST");
    check(field_names::<Heartbeat>(), "HEARTBEAT#", "HEARTBEAT");
    check(field_names::<FollowedRelease>(), "TIME_ZONES#", "TIME_ZONES");
    check(field_names::<Redemption>(), "REDEMPTION#", "REDEMPTION");
    check(field_names::<Settlement>(), "SETTLEMENT#", "SETTLEMENT");
    check(field_names::<Visit>(), "VISIT#", "VISIT");
    check(field_names::<Operation>(), "OPERATION#", "OPERATION");
    check(field_names::<Endpoint>(), "WEBHOOKS#", "ENDPOINT#");
    check(field_names::<Message>(), "WEBHOOK_MESSAGE#", "20");
    check(field_names::<MessageBody>(), "WEBHOOK_BODY#", "BODY");
    check(field_names::<Delivery>(), "WEBHOOK_DELIVERIES#", "");
    check(field_names::<PayoutRun>(), "PAYOUT_RUN#", "RUN");
    check(field_names::<LeftOut>(), "PAYOUT_RUN#", "LEFT_OUT#");
    check(field_names::<Payout>(), "PAYOUT#", "PAYOUT");
    check(field_names::<Export>(), "EXPORT#", "EXPORT#");
    check(field_names::<Job>(), "JOB#", "JOB");
}

#[test]
fn golden_rows_include_every_task_and_every_state() {
    let rows = rows();
    let variants = |kind: &str, attribute: &str| -> BTreeSet<String> {
        let of_kind = rows.iter().filter(|row| key(row).1 == kind);
        of_kind.map(|row| variant(&row[attribute])).collect()
    };
    let tasks = [
        "AccountChangeMail",
        "AdvancePayout",
        "BuildCalendar",
        "CodeMail",
        "DeleteImage",
        "FetchLogo",
        "InviteMail",
        "MirrorMerchant",
        "NewDeviceMail",
        "Recount",
        "RemoveCalendar",
        "RunPayouts",
        "SettleRedemption",
        "SignInNewsMail",
        "StatusMail",
        "TakeDownMail",
        "TeamNews",
        "TeamNewsMail",
        "VerificationMail",
        "VerifyMerchant",
        "WriteExport",
    ];
    assert_eq!(variants("JOB", "task"), tasks.map(str::to_owned).into());
    assert_eq!(variants("JOB", "state"), ["Dead", "Waiting"].map(str::to_owned).into());
    assert_eq!(variants("OPERATION", "subject"), ["Issue", "Redeem"].map(str::to_owned).into());
    assert_eq!(variants("OPERATION", "state"), ["Closed Failed", "Closed Succeeded", "Open"].map(str::to_owned).into());
    assert_eq!(variants("SETTLEMENT", "fee_snapshot"), ["Applied", "Imported"].map(str::to_owned).into());
}

/// The name of an enum's variant, and that of the enum in it.
fn variant(attribute: &Value) -> String {
    let Some(fields) = attribute["M"].as_object() else { return attribute["S"].as_str().unwrap().to_owned() };
    let (name, value) = fields.iter().next().unwrap();
    match name.as_str() {
        "Closed" => format!("{name} {}", variant(value)),
        name => name.to_owned(),
    }
}
