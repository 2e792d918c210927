//! Cards at the network: looking one up, and the two calls that move money.

use std::time::Duration;

use http::{Method, StatusCode};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Call, CardNetwork, Fields, NetworkError, Refused, parse, segment, text};
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
    NoAnswer,
}

const MONEY_TIMEOUT: Duration = Duration::from_secs(7);
const ASK_TIMEOUT: Duration = Duration::from_secs(3);
/// A call that moves money leaves time to ask what became of it.
const ASK_RESERVE: Duration = Duration::from_secs(3);
/// A call that moves money is not begun with less time than this.
pub const LEAST_TIME: Duration = Duration::from_millis(6_500);

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
    pub async fn move_money(&self, invocation: &Invocation, reference: &Reference, call: &MoneyCall) -> Sent {
        let http_call = match call {
            MoneyCall::Issue(request) => Call::with_body(Method::POST, "/v1/cards/issue".to_owned(), request),
            MoneyCall::Redeem(request) => {
                Call::with_body(Method::POST, "/v1/cards/redeem".to_owned(), request)
            }
        };
        let http_call = http_call.with_idempotency_key(reference.as_str());
        let time = MONEY_TIMEOUT.min(invocation.time_left().saturating_sub(ASK_RESERVE));
        match self.send(invocation, &http_call, time).await {
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
        let Ok(reference) = segment(reference.as_str()) else { return Asked::NoAnswer };
        let call = Call::get(format!("/v1/operations/{reference}"));
        match self.send(invocation, &call, ASK_TIMEOUT).await {
            Ok(body) => recorded(&body).map_or(Asked::NoAnswer, Asked::Known),
            Err(error) if error.is_not_found() => Asked::NeverSeen,
            Err(error) => {
                tracing::warn!(cause = %error, "the outcome of a card operation could not be asked for");
                Asked::NoAnswer
            }
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
    Refusal { status: error.status().as_u16(), details: error.details().unwrap_or_default() }
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
    text(&fields, &[proof])?;
    String::from_utf8(body.to_vec()).ok()
}

/// What the network has recorded under a reference.
fn recorded(body: &[u8]) -> Option<Outcome> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Operation {
        status: String,
        http_status: Option<u16>,
        result: Option<Box<RawValue>>,
    }
    let operation: Operation = serde_json::from_slice(body).ok()?;
    let result = operation.result.map_or_else(|| "null".to_owned(), |result| result.get().to_owned());
    match operation.status.as_str() {
        "SUCCEEDED" => Some(Outcome::Succeeded(result)),
        "FAILED" => Some(Outcome::Failed(Refusal {
            status: operation.http_status.filter(|status| (400..600).contains(status)).unwrap_or(502),
            details: serde_json::from_str(&result).unwrap_or(Value::Null),
        })),
        _ => None,
    }
}

impl IssuedCard {
    /// Reads the network's reply; whatever it lacks is missing here.
    pub fn of_reply(reply: &str) -> Self {
        let fields: Fields = serde_json::from_str(reply).unwrap_or_default();
        let text = |name| text(&fields, &[name]).filter(|text| !text.is_empty());
        Self { gift_card_id: text("giftCardId"), qr_code: text("qrCode"), network_code: text("networkCode") }
    }
}

/// The network's code of the card that a redeem took money off.
pub fn network_code_of_reply(reply: &str) -> Option<String> {
    let fields: Fields = serde_json::from_str(reply).unwrap_or_default();
    text(&fields, &["networkCode"])
}

/// These fields of the network's reply, as they came; null where there is none.
pub fn passed_through<const N: usize>(reply: &str, names: [&str; N]) -> [Box<RawValue>; N] {
    let mut fields: Fields = serde_json::from_str(reply).unwrap_or_default();
    names.map(|name| fields.remove(name).unwrap_or_else(|| RawValue::NULL.to_owned()))
}
