//! Callbacks of the identity verifier: read if the key has signed every byte of them, and refused otherwise.

use std::sync::LazyLock;

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::Sha256;
use shared::verifier::{DecisionError, Keys};

use crate::support::text;

const KEY: &str = "signing key";
static KEYS: LazyLock<Keys> = LazyLock::new(|| serde_json::from_value(json!({"apiKey": "client", "signingKey": KEY})).unwrap());

pub fn decision(body: &[u8]) {
    let signature = Hmac::<Sha256>::new_from_slice(KEY.as_bytes()).unwrap().chain_update(body).finalize();
    let signature = hex::encode(signature.into_bytes());
    match KEYS.decision(&signature, body) {
        Ok(decision) => {
            // A field that is not read can have what no value is, such as half of a character.
            let Ok(sent) = serde_json::from_slice::<Value>(body) else { return };
            // serde also reads a list of the fields in their order.
            let sent = sent.get("verification").or_else(|| sent.get(0)).unwrap();
            let field = |name: &str, place: usize| sent.get(name).or_else(|| sent.get(place)).and_then(Value::as_str).unwrap();
            assert_eq!(decision.session_id, field("id", 0));
            assert_eq!(decision.merchant_id.as_str(), field("vendorData", 1));
            assert_eq!(decision.status, field("status", 2));
            let decided_at = field("decidedAt", 3).parse::<Timestamp>();
            assert_eq!(decided_at.unwrap_or(Timestamp::MAX), decision.decided_at);
            let _ = decision.merchant_status();
        }
        Err(DecisionError::Unreadable) => {}
        Err(error) => panic!("{error}"),
    }

    let is_refused = |signature: &str, body: &[u8]| matches!(KEYS.decision(signature, body), Err(DecisionError::NotSigned));
    assert!(is_refused(&signature, &[body, b" "].concat()));
    if let [first, rest @ ..] = body {
        assert!(is_refused(&signature, rest));
        assert!(is_refused(&signature, &[&[first ^ 1], rest].concat()));
    }
    for other in ["", &signature[1..], &signature.to_uppercase(), &format!("{signature}0"), &text(body)] {
        assert!(*other == signature || is_refused(other, body), "{other}");
    }
}
