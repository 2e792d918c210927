//! Cards at the network: looking one up, and the two calls that move money.

use std::time::Duration;

use http::{Method, StatusCode};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Call, CardNetwork, Fields, NetworkError, Refused, parse, readable, segment, text};
use crate::domain::ids::{NetworkMerchantId, OfferId, QrCode, Reference};
use crate::domain::money::{Currency, Decimal};
use crate::domain::offer::OfferType;
use crate::domain::operation::{Outcome, Refusal};
use crate::domain::order::DeliveryType;
use crate::http::invocation::Invocation;

/// A card as the network has it.
#[derive(Debug)]
pub struct CardRecord {
    /// Every field, as it came.
    pub raw: Box<RawValue>,
    pub status: Option<String>,
    /// In currency units; none where the network says nothing that reads as an amount.
    pub value_remains: Option<Decimal>,
    pub currency: Option<String>,
}

/// Asks for a card of an offer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IssueRequest {
    pub merchant_id: NetworkMerchantId,
    #[serde(serialize_with = "as_number")]
    pub gift_card_offer_id: OfferId,
    pub gift_card_offer_type: OfferType,
    pub value: Decimal,
    pub currency: Currency,
    pub retail_store_id: String,
    pub device_id: Option<String>,
    pub payment_reference: String,
    pub delivery_details: DeliveryDetails,
}

/// The network numbers its offers.
fn as_number<S: Serializer>(id: &OfferId, serializer: S) -> Result<S::Ok, S::Error> {
    match id.as_str().parse::<u64>() {
        Ok(number) => serializer.serialize_u64(number),
        Err(_) => serializer.serialize_str(id.as_str()),
    }
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryDetails {
    pub delivery_type: DeliveryType,
    pub email: Option<String>,
    pub phone_number: Option<String>,
}

/// Asks for money off a card.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RedeemRequest {
    pub merchant_id: NetworkMerchantId,
    pub qr_code: QrCode,
    pub redeem_amount: Decimal,
    pub purchase_amount: Decimal,
    pub currency: Currency,
    pub retail_store_id: Option<String>,
    pub retail_store_name: String,
}

/// What the network said of a card that it issued. Any field can be missing.
#[derive(Debug, Default)]
pub struct IssuedCard {
    pub gift_card_id: Option<String>,
    pub qr_code: Option<String>,
    pub network_code: Option<String>,
}

/// A call that moves money.
#[derive(Debug)]
pub enum MoneyCall {
    Issue(IssueRequest),
    Redeem(RedeemRequest),
}

/// What became of a call that moves money.
#[derive(Debug)]
pub enum Sent {
    Known(Outcome),
    /// Whether money moved is not known. `seen` is what the caller will be told should it turn out that none did.
    Unknown {
        seen: Refusal,
    },
}

/// What the network says of a reference.
#[derive(Debug)]
pub enum Asked {
    Known(Outcome),
    /// It has never seen the reference, and from now on will refuse it.
    NeverSeen,
    /// It could not be asked.
    NoAnswer {
        /// Seconds for which it wants to be left alone.
        retry_after: Option<u32>,
    },
}

const MONEY_TIMEOUT: Duration = Duration::from_secs(7);
const ASK_TIMEOUT: Duration = Duration::from_secs(3);
/// A call that moves money leaves time to ask what became of it.
const ASK_RESERVE: Duration = Duration::from_secs(3);
/// A call that moves money is not begun with less time than this.
pub const MIN_TIME: Duration = Duration::from_millis(6_500);

impl CardNetwork {
    /// Looks a card up. One that names another merchant is answered exactly like one that does not exist, whatever
    /// words the network has for that.
    pub async fn card(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
        code: &QrCode,
    ) -> Result<CardRecord, NetworkError> {
        let found = self.read(invocation, format!("/v1/cards/{}", segment(code.as_str())?)).await;
        let body = found.map_err(|error| if error.is_not_found() { card_not_found() } else { error })?;
        let fields: Fields = parse(&body)?;
        if text(&fields, &["qrCode"]).is_none() {
            return Err(NetworkError::Unreadable(StatusCode::OK));
        }
        if text(&fields, &["merchantId"]).is_some_and(|owner| owner != merchant.as_str()) {
            return Err(card_not_found());
        }
        Ok(CardRecord {
            raw: parse(&body)?,
            status: text(&fields, &["status"]),
            value_remains: fields.get("valueRemains").and_then(|raw| Decimal::from_json(raw).ok()),
            currency: text(&fields, &["currency"]),
        })
    }

    /// Sends a call that moves money, once.
    pub async fn submit(&self, invocation: &Invocation, reference: &Reference, call: &MoneyCall) -> Sent {
        let http_call = match call {
            MoneyCall::Issue(request) => Call::with_body(Method::POST, "/v1/cards/issue".to_owned(), request),
            MoneyCall::Redeem(request) => {
                Call::with_body(Method::POST, "/v1/cards/redeem".to_owned(), request)
            }
        };
        let http_call = http_call.with_idempotency_key(reference.as_str()).leaving(ASK_RESERVE);
        match self.send(invocation, &http_call, MONEY_TIMEOUT).await {
            Ok(body) => match reply(call, &body) {
                Some(reply) => Sent::Known(Outcome::Succeeded(reply)),
                None => Sent::Unknown { seen: refusal(&NetworkError::Unreadable(StatusCode::OK)) },
            },
            Err(error) if leaves_the_outcome_open(&error) => Sent::Unknown { seen: refusal(&error) },
            Err(error) => Sent::Known(Outcome::Failed(refusal(&error))),
        }
    }

    /// Asks what became of a reference. The answer is final: where the network has never seen the reference, it
    /// refuses it from then on.
    pub async fn ask(&self, invocation: &Invocation, reference: &Reference) -> Asked {
        let no_answer = |error: &NetworkError| {
            tracing::warn!(cause = %error, "the outcome of a card operation could not be asked for");
            Asked::NoAnswer { retry_after: error.retry_after() }
        };
        let path = match segment(reference.as_str()) {
            Ok(reference) => format!("/v1/operations/{reference}"),
            Err(error) => return no_answer(&error),
        };
        match self.send(invocation, &Call::get(path), ASK_TIMEOUT).await {
            Ok(body) => recorded(reference, &body)
                .map_or_else(|| no_answer(&NetworkError::Unreadable(StatusCode::OK)), Asked::Known),
            Err(error) if error.is_not_found() => Asked::NeverSeen,
            Err(error) => no_answer(&error),
        }
    }
}

/// A refusal says that nothing moved; silence, a broken connection, a 408, a 5xx and an unreadable reply say nothing.
fn leaves_the_outcome_open(error: &NetworkError) -> bool {
    match error {
        NetworkError::Refused(refused) => {
            refused.status.is_server_error() || refused.status == StatusCode::REQUEST_TIMEOUT
        }
        NetworkError::Dropped(_) | NetworkError::Timeout | NetworkError::Unreadable(_) => true,
        NetworkError::Unreachable(_) | NetworkError::Secret(_) => false,
    }
}

fn refusal(error: &NetworkError) -> Refusal {
    Refusal { status: error.status().as_u16(), details: error.details(), retry_after: error.retry_after() }
}

fn card_not_found() -> NetworkError {
    let body = serde_json::json!({"code": "CARD_NOT_FOUND", "message": "There is no such card."});
    NetworkError::Refused(Refused { status: StatusCode::NOT_FOUND, body, retry_after: None })
}

/// The reply to a call that moves money, if it has what proves that the network carried it out.
fn reply(call: &MoneyCall, body: &[u8]) -> Option<String> {
    let fields: Fields = serde_json::from_slice(body).ok()?;
    let proof = match call {
        MoneyCall::Issue(_) => "qrCode",
        MoneyCall::Redeem(_) => "transactionId",
    };
    text(&fields, &[proof]).filter(|proof| !proof.is_empty())?;
    std::str::from_utf8(body).ok().map(kept)
}

/// A reply as it is kept and passed on: as it came, or only what a till may need of it where no row could hold it.
fn kept(reply: &str) -> String {
    const MAX_REPLY_BYTES: usize = 64 * 1024;
    const MAX_FIELD_BYTES: usize = 2 * 1024;
    const NEEDED: [&str; 11] = [
        "reservationCode",
        "orderHash",
        "giftCardId",
        "cardNo",
        "qrCode",
        "transactionId",
        "amount",
        "currency",
        "valueRemains",
        "status",
        "networkCode",
    ];
    if reply.len() <= MAX_REPLY_BYTES {
        return reply.to_owned();
    }
    let mut fields: Fields = serde_json::from_str(reply).unwrap_or_default();
    fields.retain(|name, value| NEEDED.contains(&name.as_str()) && value.get().len() <= MAX_FIELD_BYTES);
    serde_json::to_string(&fields).unwrap_or_default()
}

/// What the network has recorded under a reference.
fn recorded(reference: &Reference, body: &[u8]) -> Option<Outcome> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Operation {
        reference: Option<String>,
        status: String,
        http_status: Option<Value>,
        result: Option<Box<RawValue>>,
    }
    let operation: Operation = serde_json::from_slice(body).ok()?;
    if operation.reference.is_some_and(|named| named != reference.as_str()) {
        return None;
    }
    let result = operation.result.as_ref().map_or("null", |result| result.get());
    match operation.status.as_str() {
        "SUCCEEDED" => Some(Outcome::Succeeded(kept(result))),
        "FAILED" => Some(Outcome::Failed(refusal_of_then(operation.http_status, result))),
        _ => None,
    }
}

/// The refusal that the first call got, or would have got.
fn refusal_of_then(status: Option<Value>, body: &str) -> Refusal {
    let status = status.and_then(|status| StatusCode::from_u16(status.as_u64()?.try_into().ok()?).ok());
    let status = status.filter(|status| status.is_client_error() || status.is_server_error());
    let status = status.unwrap_or(StatusCode::BAD_GATEWAY);
    refusal(&NetworkError::Refused(Refused { status, body: readable(body.as_bytes()), retry_after: None }))
}

impl IssuedCard {
    /// Reads the network's reply; whatever it lacks is missing here.
    pub fn of_reply(reply: &str) -> Self {
        let fields: Fields = serde_json::from_str(reply).unwrap_or_default();
        let code = |name| code(&fields, name);
        Self { gift_card_id: code("giftCardId"), qr_code: code("qrCode"), network_code: code("networkCode") }
    }
}

/// The network's code of the card that a redeem took money off.
pub fn network_code_of_reply(reply: &str) -> Option<String> {
    let fields: Fields = serde_json::from_str(reply).unwrap_or_default();
    code(&fields, "networkCode")
}

/// An id or a code; none where the field is empty, or too long to be one.
fn code(fields: &Fields, name: &str) -> Option<String> {
    const LONGEST: usize = 1024;
    text(fields, &[name]).filter(|code| (1..=LONGEST).contains(&code.len()))
}

/// These fields of the network's reply, as they came; null where there is none.
pub fn passed_through<const N: usize>(reply: &str, names: [&str; N]) -> [Box<RawValue>; N] {
    let mut fields: Fields = serde_json::from_str(reply).unwrap_or_default();
    names.map(|name| fields.remove(name).unwrap_or_else(|| RawValue::NULL.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn outcome(body: &Value) -> Option<Outcome> {
        recorded(&Reference::new("r-1"), body.to_string().as_bytes())
    }

    fn failed(status: u16, details: Value) -> Outcome {
        Outcome::Failed(Refusal { status, details, retry_after: None })
    }

    #[test]
    fn a_recorded_failure_is_the_refusal_of_then() {
        let details = json!({"code": "CARD_BLOCKED"});
        for (http_status, status, kept) in [
            (json!(422), 422, details.clone()),
            (json!(503), 503, details.clone()),
            // Our key was refused, not the caller's.
            (json!(401), 502, Value::Null),
            (json!(200), 502, details.clone()),
            (json!(70_000), 502, details.clone()),
            (json!("422"), 502, details.clone()),
            (Value::Null, 502, details.clone()),
        ] {
            let body =
                json!({"reference": "r-1", "status": "FAILED", "httpStatus": http_status, "result": details});
            assert_eq!(outcome(&body), Some(failed(status, kept)), "{body}");
        }
        assert_eq!(outcome(&json!({"status": "FAILED"})), Some(failed(502, Value::Null)));
    }

    #[test]
    fn an_answer_about_another_reference_or_without_a_status_is_none() {
        for body in [
            json!({"reference": "r-2", "status": "SUCCEEDED", "result": {}}),
            json!({"reference": "r-1", "status": "PENDING"}),
            json!({"code": "UNAVAILABLE"}),
            json!([]),
        ] {
            assert_eq!(outcome(&body), None, "{body}");
        }
    }

    #[test]
    fn a_success_stays_one_however_long_the_network_speaks() {
        let long = "x".repeat(3_000_000);
        let result = json!({"transactionId": "t-1", "amount": 12.5, "qrCode": long, "history": [long]});
        let body = json!({"reference": "r-1", "status": "SUCCEEDED", "httpStatus": 200, "result": result});
        let expected = Outcome::Succeeded(r#"{"amount":12.5,"transactionId":"t-1"}"#.to_owned());
        assert_eq!(outcome(&body), Some(expected));
        assert_eq!(kept(r#"{"a": 1.50}"#), r#"{"a": 1.50}"#, "as it came, wherever it fits");
    }

    #[test]
    fn a_refusal_that_goes_on_and_on_is_cut_to_text() {
        let long = json!({"code": "CARD_BLOCKED", "message": "x".repeat(3_000_000)});
        let body = json!({"reference": "r-1", "status": "FAILED", "httpStatus": 422, "result": long});
        let Some(Outcome::Failed(refusal)) = outcome(&body) else { panic!("{:?}", outcome(&body)) };
        let text = refusal.details.as_str().unwrap();
        assert_eq!((refusal.status, text.len()), (422, 4096));
        assert!(text.starts_with(r#"{"code":"CARD_BLOCKED""#), "{text}");
    }
}
