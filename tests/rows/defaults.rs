//! Attributes that an older release did not write.

use serde_json::{Value, json};

use crate::golden::{self, FAILED_REDEEM_BODY, FAILED_REDEEM_KEY, find, key, without_entries};
use crate::reads::{REDEEM, assert_all_answer, counts};
use crate::support::{System, with_attribute};

/// Attributes with a safe default, by row (the beginnings of `pk` and `sk`).
const DEFAULTED: [(&str, &str, &[&str]); 8] = [
    (
        "MERCHANT#m-golden",
        "MERCHANT",
        &[
            "name",
            "legal_name",
            "trade_name",
            "trading_name",
            "registration_number",
            "vat_number",
            "country",
            "currency",
            "time_zone",
            "number_of_locations",
            "external_merchant_id",
            "default_offer_id",
            "legal_address",
            "legal_address.line1",
            "legal_address.postalCode",
            "directors",
            "directors.0.name",
            "directors.0.role",
            "documents",
            "documents.0.type",
            "documents.0.url",
            "documents.0.name",
            "terms_accepted",
            "verification",
            "verification.kyb_status",
            "verification.session_job_id",
            "brand",
            "brand.category",
            "brand.logoUrl",
            "storefront",
            "storefront.description",
            "storefront.popularGiftCardAmount",
            "logo_checked_at",
        ],
    ),
    ("MERCHANT#m-golden", "INVITE#c-1", &["first_name", "last_name", "phone_prefix", "phone"]),
    ("USER#u-golden", "USER", &["first_name", "last_name", "phone_prefix", "phone", "email_verified", "is_admin"]),
    (
        "ORDER#m-golden#o-golden-1",
        "ORDER",
        &[
            "fulfilment_status",
            "buyer_email",
            "buyer_name",
            "recipient_email",
            "recipient_name",
            "delivery_type",
            "payment_transaction_id",
            "processor_transaction_id",
            "fraud",
            "fraud.status",
            "fraud.reason_code",
            "fraud.decided_at",
            "items",
            "items.0.offer_name",
            "items.0.quantity",
            "gift_cards.0.network_code",
        ],
    ),
    ("ORDER#m-golden#o-golden-2", "ORDER", &["gift_cards", "fraud"]),
    ("REDEMPTION#m-golden#r-golden-1", "REDEMPTION", &["source", "store_name", "qr_code", "network_code", "card"]),
    ("SETTLEMENT#m-golden#s-golden-2", "SETTLEMENT", &["order_id", "gift_card_id", "redemption_id", "payout_batch_id"]),
    ("VISIT#m-golden#v-golden-1", "VISIT", &["embed", "entry", "event"]),
];

/// The rows without those of the attributes that match.
fn without(rows: &[Value], matches: impl Fn(&str) -> bool) -> Vec<Value> {
    let mut rows = rows.to_vec();
    for (pk, sk, attributes) in DEFAULTED {
        let found = find(&rows, pk, sk);
        let remove = |row, attribute: &&str| with_attribute(&row, attribute, Value::Null);
        let row = attributes.iter().filter(|attribute| matches(attribute)).fold(found.clone(), remove);
        let position = rows.iter().position(|other| key(other) == key(&row)).unwrap();
        rows[position] = row;
    }
    rows
}

#[tokio::test]
async fn defaults_missing_attributes() {
    let rows = without_entries(golden::newest().rows());
    let complete = System::with_rebuilt_rows(&rows).await;
    let complete = counts(&assert_all_answer(&complete, &rows, "complete rows").await);
    for (case, rows) in [
        ("without top-level attributes", without(&rows, |attribute| !attribute.contains('.'))),
        ("without nested attributes", without(&rows, |attribute| attribute.contains('.'))),
    ] {
        let system = System::with_rebuilt_rows(&rows).await;
        let responses = assert_all_answer(&system, &rows, case).await;
        assert_eq!(counts(&responses), complete, "{case}");
    }
}

#[tokio::test]
async fn defaults_missing_attributes_of_operations() {
    let rows = golden::newest().rows();
    let system = System::with_rows(&rows).await;
    let operation = |state: &str| {
        let mut operations = rows.iter().filter(|row| key(row).1 == "OPERATION");
        operations.find(|row| row["state"].to_string().contains(state)).unwrap()
    };

    let failed = operation("\"Failed\"");
    let expected = system.send_with_key(REDEEM, FAILED_REDEEM_KEY, FAILED_REDEEM_BODY).await;
    system.put(&with_attribute(failed, "state.Closed.Failed.retry_after", Value::Null)).await;
    assert_eq!(system.send_with_key(REDEEM, FAILED_REDEEM_KEY, FAILED_REDEEM_BODY).await, expected);

    let open = operation("\"Open\"");
    let without = ["failed_lookups", "first_error", "not_before"]
        .into_iter()
        .fold(open.clone(), |row, name| with_attribute(&row, &format!("state.Open.{name}"), Value::Null));
    system.load_work(&[without]).await;
    assert_eq!(system.drain().await, json!({"pending": 0, "dead": 0}));
    assert!(system.stored(open).await["state"]["M"].get("Closed").is_some());
}
