//! The outcome of a call that moves money, as it is stored with the operation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The network's refusal, or the error instead of a response.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The status of the response to the caller.
    pub status: u16,
    /// The network's body: JSON, or a string if it is not JSON. It may contain card data: never log it.
    #[serde(with = "as_text")]
    pub details: Value,
    /// In seconds.
    pub retry_after: Option<u32>,
}

/// JSON stored as text: DynamoDB limits the depth and the precision of what it stores.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(json: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(json)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

impl Refusal {
    /// Whether it concerns the request, so that a repeat would be refused in the same way. It does not if the network was
    /// busy, could not be reached, or had given the reference up.
    pub fn is_about_request(&self) -> bool {
        let is_transient = matches!(self.status, 408 | 429 | 500..);
        let is_fenced = self.details.get("code").is_some_and(|code| code == "REFERENCE_FENCED");
        !is_transient && !is_fenced
    }
}

impl Refusal {
    /// Whether the network does not know the card, or it is another merchant's.
    pub fn is_unknown_card(&self) -> bool {
        let is_about_other = |code: &Value| code == "STORE_NOT_FOUND" || code == "MERCHANT_NOT_FOUND";
        self.status == 404 && !self.details.get("code").is_some_and(is_about_other)
    }
}

impl std::fmt::Debug for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Refusal({})", self.status)
    }
}

/// The final outcome of a call that moves money.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// The network's response body.
    Succeeded(String),
    Failed(Refusal),
}

impl Outcome {
    /// The result in metrics.
    pub fn result(&self) -> &'static str {
        match self {
            Self::Succeeded(_) => "succeeded",
            Self::Failed(_) => "refused",
        }
    }
}

/// What identifies a card, or lets somebody use it, in the network's responses.
const CODES: [&str; 5] = ["qrCode", "cardNo", "giftCardId", "reservationCode", "orderHash"];

impl Outcome {
    /// The outcome with null instead of the codes of cards, wherever they stand in the network's response.
    #[must_use]
    pub fn without_codes(&self) -> Self {
        match self {
            Self::Succeeded(response) => Self::Succeeded(json_without_codes(response)),
            Self::Failed(refusal) => {
                let mut refusal = refusal.clone();
                remove_codes(&mut refusal.details);
                Self::Failed(refusal)
            }
        }
    }
}

/// Numbers keep every digit.
fn json_without_codes(json: &str) -> String {
    fn write(json: &RawValue) -> Option<String> {
        let text = json.get();
        match text.bytes().next()? {
            b'{' => {
                let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                let fields = fields.into_iter().map(|(name, value)| {
                    let is_code = CODES.contains(&name.as_str());
                    let value = if is_code { "null".to_owned() } else { write(value)? };
                    Some(format!("{}:{value}", serde_json::to_string(&name).ok()?))
                });
                Some(format!("{{{}}}", fields.collect::<Option<Vec<_>>>()?.join(",")))
            }
            b'[' => {
                let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                let items = items.into_iter().map(write);
                Some(format!("[{}]", items.collect::<Option<Vec<_>>>()?.join(",")))
            }
            _ => Some(text.to_owned()),
        }
    }
    let json = serde_json::from_str::<&RawValue>(json).ok();
    json.and_then(write).unwrap_or_else(|| "null".to_owned())
}

fn remove_codes(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                if CODES.contains(&name.as_str()) {
                    *value = Value::Null;
                } else {
                    remove_codes(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove_codes),
        _ => {}
    }
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Succeeded(_) => f.write_str("Succeeded(…)"),
            Self::Failed(refusal) => refusal.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_that_says_nothing_about_the_request_is_told_apart() {
        let fenced = json!({"code": "REFERENCE_FENCED"});
        let blocked = json!({"code": "CARD_BLOCKED"});
        for (status, details, expected) in [
            (422, &blocked, true),
            (404, &Value::Null, true),
            (400, &json!("<html>"), true),
            (409, &blocked, true),
            (409, &fenced, false),
            (408, &Value::Null, false),
            (429, &blocked, false),
            (500, &blocked, false),
            (504, &Value::Null, false),
        ] {
            let refusal = Refusal { status, details: details.clone(), retry_after: None };
            assert_eq!(refusal.is_about_request(), expected, "{status} {details}");
        }
    }

    #[test]
    fn a_404_is_about_the_card_unless_it_names_something_else() {
        for (status, details, expected) in [
            (404, json!({"code": "CARD_NOT_FOUND"}), true),
            (404, json!("<html>"), true),
            (404, json!({"code": "STORE_NOT_FOUND"}), false),
            (404, json!({"code": "MERCHANT_NOT_FOUND"}), false),
            (422, json!({"code": "CARD_BLOCKED"}), false),
        ] {
            let refusal = Refusal { status, details, retry_after: None };
            assert_eq!(refusal.is_unknown_card(), expected, "{status} {}", refusal.details);
        }
    }

    #[test]
    fn codes_are_removed_wherever_they_stand() {
        let response = r#"{"qrCode":"Q","a":[{"cardNo":1},{"b":{"giftCardId":{"x":1},"n":0.10000000000000000001}}]}"#;
        let without = r#"{"a":[{"cardNo":null},{"b":{"giftCardId":null,"n":0.10000000000000000001}}],"qrCode":null}"#;
        let outcome = Outcome::Succeeded(response.to_owned()).without_codes();
        assert_eq!(outcome, Outcome::Succeeded(without.to_owned()));
        let details = json!({"code": "X", "card": [{"reservationCode": "R", "orderHash": "H", "left": 5}]});
        let failed = Outcome::Failed(Refusal { status: 422, details, retry_after: None }).without_codes();
        let details = json!({"code": "X", "card": [{"reservationCode": null, "orderHash": null, "left": 5}]});
        assert_eq!(failed, Outcome::Failed(Refusal { status: 422, details, retry_after: None }));
        assert_eq!(Outcome::Succeeded("<".to_owned()).without_codes(), Outcome::Succeeded("null".to_owned()));
    }

    #[test]
    fn refusals_of_any_depth_and_precision_can_be_stored() {
        // Deeper JSON is not parsed but kept as a string.
        let deep = (0..60).fold(json!(1), |inner, _| json!({"": [inner]}));
        for details in [deep, json!({"amount": 1e300}), json!("<html>"), Value::Null] {
            let refusal = Refusal { status: 422, details, retry_after: Some(7) };
            let item: std::collections::HashMap<String, aws_sdk_dynamodb::types::AttributeValue> =
                serde_dynamo::to_item(&refusal).unwrap();
            assert!(item["details"].is_s());
            assert_eq!(serde_dynamo::from_item::<_, Refusal>(item).unwrap(), refusal);
        }
    }
}
