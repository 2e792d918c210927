//! Cards: lookup, and the two calls that move money.

use std::time::Duration;

use http::{Method, StatusCode};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::client::{Call, CardNetwork, ErrorResponse, Fields, NetworkError, json_or_text, parse, segment, text};
use super::outcome::{Outcome, Refusal};
use crate::base::invocation::Invocation;
use crate::cards::model::order::DeliveryType;
use crate::offers::model::offer::OfferType;
use crate::values::{Currency, Decimal, Minor, Money, NetworkMerchantId, OfferId, QrCode, Reference};

/// A card of the network.
#[derive(Debug)]
pub struct CardRecord {
    /// The whole record.
    pub raw: Box<RawValue>,
    pub status: Option<String>,
    /// In currency units. `None` if it is missing or not a decimal.
    pub value_remains: Option<Decimal>,
    pub currency: Option<String>,
    /// The account that it belongs to. Never another merchant's.
    pub merchant: Option<NetworkMerchantId>,
    /// Until when it can be redeemed, as the network writes it.
    pub expires_at: Option<String>,
}

/// The request to issue a card of an offer.
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

/// The network's offer ids are numbers.
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

/// The request to redeem an amount of a card.
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

/// The card of the network's issue response. Any field can be missing.
#[derive(Debug, Default)]
pub struct IssuedCard {
    pub gift_card_id: Option<String>,
    pub qr_code: Option<String>,
    pub network_code: Option<String>,
}

/// The result of sending a call that moves money.
#[derive(Debug)]
pub enum SubmitResult {
    Known(Outcome),
    /// It is not known whether money moved. `error` is the response to our caller if it turns out that it did not.
    Unknown {
        error: Refusal,
    },
}

/// The result of looking an operation up by its reference.
#[derive(Debug)]
pub enum LookupResult {
    Known(Outcome),
    /// The network has never received the reference, and refuses it from now on.
    NeverReceived,
    /// No usable response.
    Unavailable {
        /// In seconds.
        retry_after: Option<u32>,
    },
}

const MONEY_TIMEOUT: Duration = Duration::from_secs(7);
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);
/// The time that a lookup leaves for recording the outcome.
const RECORD_RESERVE: Duration = Duration::from_millis(500);
/// The time that a call that moves money leaves for looking its outcome up.
const LOOKUP_RESERVE: Duration = Duration::from_secs(3);
/// The minimum time to begin a call that moves money.
pub const MIN_TIME: Duration = Duration::from_millis(6_500);

impl CardNetwork {
    /// Looks a card up. The error for a card of another merchant is the same as for one that does not exist.
    pub async fn card(
        &self,
        invocation: &Invocation,
        merchant: &NetworkMerchantId,
        code: &QrCode,
    ) -> Result<CardRecord, NetworkError> {
        let path = format!("/v1/cards/{}", segment(code.as_str())?);
        let found = self.read(invocation, &Call::get(path)).await;
        let body = found.map_err(|error| if error.is_not_found() { card_not_found() } else { error })?;
        let fields: Fields = parse(&body)?;
        if text(&fields, &["qrCode"]).is_none() {
            return Err(NetworkError::Unreadable(StatusCode::OK));
        }
        let non_blank = |name| text(&fields, &[name]).filter(|text| !text.trim().is_empty());
        // An owner that cannot be read is not nobody.
        let is_unreadable =
            text(&fields, &["merchantId"]).is_none() && fields.get("merchantId").is_some_and(|owner| owner.get() != "null");
        let owner = non_blank("merchantId").map(NetworkMerchantId::new);
        if is_unreadable || owner.as_ref().is_some_and(|owner| owner != merchant) {
            return Err(card_not_found());
        }
        Ok(CardRecord {
            raw: parse(&body)?,
            status: text(&fields, &["status"]),
            value_remains: fields.get("valueRemains").and_then(|raw| Decimal::from_json(raw).ok()),
            currency: non_blank("currency"),
            merchant: owner,
            expires_at: non_blank("expiresAt"),
        })
    }

    /// Issues a card. The call is sent once.
    pub async fn issue(&self, invocation: &Invocation, reference: &Reference, request: &IssueRequest) -> SubmitResult {
        let call = Call::with_body(Method::POST, "/v1/cards/issue".to_owned(), request);
        self.submit(invocation, reference, call, "qrCode").await
    }

    /// Redeems an amount of a card. The call is sent once.
    pub async fn redeem(&self, invocation: &Invocation, reference: &Reference, request: &RedeemRequest) -> SubmitResult {
        let call = Call::with_body(Method::POST, "/v1/cards/redeem".to_owned(), request);
        self.submit(invocation, reference, call, "transactionId").await
    }

    /// Sends a call that moves money, once. `proof` is the field of a response that proves that the network carried it out.
    async fn submit<'a>(&self, invocation: &Invocation, reference: &'a Reference, call: Call<'a>, proof: &str) -> SubmitResult {
        let call = call.with_idempotency_key(reference.as_str()).on_new_connection();
        let call = call.with_reserve(LOOKUP_RESERVE);
        match self.send(invocation, &call, MONEY_TIMEOUT).await {
            Ok(body) => match success_response(&body, proof) {
                Some(response) => SubmitResult::Known(Outcome::Succeeded(response)),
                None => SubmitResult::Unknown { error: refusal(&NetworkError::Unreadable(StatusCode::OK)) },
            },
            Err(error) if has_unknown_outcome(&error) => SubmitResult::Unknown { error: refusal(&error) },
            Err(error) => SubmitResult::Known(Outcome::Failed(refusal(&error))),
        }
    }

    /// Looks the outcome of a call up by its reference. The result is final: after the lookup, the network refuses a
    /// reference that it had not received.
    pub async fn look_up_operation(&self, invocation: &Invocation, reference: &Reference) -> LookupResult {
        let unavailable = |error: &NetworkError| {
            tracing::warn!(cause = %error, "could not look up the outcome of a card operation");
            LookupResult::Unavailable { retry_after: error.retry_after() }
        };
        let path = match segment(reference.as_str()) {
            Ok(reference) => format!("/v1/operations/{reference}"),
            Err(error) => return unavailable(&error),
        };
        let call = Call::get(path).on_new_connection().with_reserve(RECORD_RESERVE);
        match self.send(invocation, &call, LOOKUP_TIMEOUT).await {
            Ok(body) => recorded_outcome(reference, &body)
                .map_or_else(|| unavailable(&NetworkError::Unreadable(StatusCode::OK)), LookupResult::Known),
            Err(error) if is_word_of_the_network(&error) => LookupResult::NeverReceived,
            Err(error) => unavailable(&error),
        }
    }

    /// The time to look an operation up that was refused with this `Retry-After`, in seconds. `None` if the invocation ends before.
    pub fn time_until_lookup(invocation: &Invocation, retry_after: Option<u32>) -> Option<Duration> {
        let wait = Duration::from_secs(retry_after.unwrap_or_default().into());
        (wait.is_zero() || wait + LOOKUP_TIMEOUT + RECORD_RESERVE <= invocation.time_left()).then_some(wait)
    }
}

/// Whether the response to a lookup says that the network has never received the reference. Any other 404 can be a proxy's.
fn is_word_of_the_network(error: &NetworkError) -> bool {
    matches!(error, NetworkError::ErrorResponse(response)
        if response.status == StatusCode::NOT_FOUND && response.body.get("code").is_some_and(Value::is_string))
}

/// Whether money may have moved: after a timeout, a closed connection, an unreadable response, or a status that says nothing about
/// the request. Any other error means that no money moved.
fn has_unknown_outcome(error: &NetworkError) -> bool {
    match error {
        NetworkError::ErrorResponse(response) => {
            let says_nothing = [StatusCode::UNAUTHORIZED, StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS];
            response.status.is_server_error() || says_nothing.contains(&response.status)
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
    NetworkError::ErrorResponse(ErrorResponse { status: StatusCode::NOT_FOUND, body, retry_after: None })
}

/// The response to a call that moves money, if it contains the field that proves that the network carried it out.
fn success_response(body: &[u8], proof: &str) -> Option<String> {
    let fields: Fields = serde_json::from_slice(body).ok()?;
    text(&fields, &[proof]).filter(|proof| !proof.is_empty())?;
    std::str::from_utf8(body).ok().map(fit_for_storage)
}

/// The response unchanged, or only the fields that a till needs if it is too long for a row.
fn fit_for_storage(response: &str) -> String {
    const MAX_RESPONSE_BYTES: usize = 64 * 1024;
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
    if response.len() <= MAX_RESPONSE_BYTES {
        return response.to_owned();
    }
    let mut fields: Fields = serde_json::from_str(response).unwrap_or_default();
    fields.retain(|name, value| NEEDED.contains(&name.as_str()) && value.get().len() <= MAX_FIELD_BYTES);
    serde_json::to_string(&fields).unwrap_or_default()
}

/// The outcome that the network has recorded under a reference.
fn recorded_outcome(reference: &Reference, body: &[u8]) -> Option<Outcome> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Operation {
        reference: Option<String>,
        status: String,
        http_status: Option<Value>,
        result: Option<Box<RawValue>>,
    }
    let operation: Operation = serde_json::from_slice(body).ok()?;
    if operation.reference.is_some_and(|recorded| recorded != reference.as_str()) {
        return None;
    }
    let result = operation.result.as_ref().map_or("null", |result| result.get());
    match operation.status.as_str() {
        "SUCCEEDED" => Some(Outcome::Succeeded(fit_for_storage(result))),
        "FAILED" => Some(Outcome::Failed(recorded_refusal(operation.http_status, result))),
        _ => None,
    }
}

/// The refusal that was, or would have been, the response to the call.
fn recorded_refusal(status: Option<Value>, body: &str) -> Refusal {
    let status = status.and_then(|status| StatusCode::from_u16(status.as_u64()?.try_into().ok()?).ok());
    let status = status.filter(|status| status.is_client_error() || status.is_server_error());
    let status = status.unwrap_or(StatusCode::BAD_GATEWAY);
    refusal(&NetworkError::ErrorResponse(ErrorResponse { status, body: json_or_text(body.as_bytes()), retry_after: None }))
}

impl IssuedCard {
    pub fn from_response(response: &str) -> Self {
        let fields: Fields = serde_json::from_str(response).unwrap_or_default();
        let code = |name| code(&fields, name);
        Self { gift_card_id: code("giftCardId"), qr_code: code("qrCode"), network_code: code("networkCode") }
    }
}

/// The fields of a redeem response that name something else than was asked for. Fields that are missing agree, except for
/// the currency if `must_name_currency`.
pub fn disagreements(response: &str, amount: Money, code: Option<&QrCode>, must_name_currency: bool) -> Vec<&'static str> {
    let fields: Fields = serde_json::from_str(response).unwrap_or_default();
    let named = |name| fields.get(name).filter(|raw| raw.get() != "null");
    let is_text = |name, expected: &str| text(&fields, &[name]).is_some_and(|text| text.trim().eq_ignore_ascii_case(expected));
    let agrees = |name| match (name, named(name)) {
        ("currency", None) => !must_name_currency,
        (_, None) => true,
        ("amount", Some(raw)) => Decimal::from_json(raw).is_ok_and(|named| named.minor(amount.currency) == Ok(amount.minor)),
        ("currency", Some(_)) => is_text(name, amount.currency.code()),
        (_, Some(_)) => code.is_none_or(|code| text(&fields, &[name]).as_deref() == Some(code.as_str())),
    };
    ["amount", "currency", "qrCode"].into_iter().filter(|name| !agrees(*name)).collect()
}

/// What is left on the card, from a redeem response. `None` if it does not say so exactly.
pub fn remaining_value(response: &str, currency: Currency) -> Option<Minor> {
    let fields: Fields = serde_json::from_str(response).unwrap_or_default();
    Decimal::from_json(fields.get("valueRemains")?).ok()?.minor(currency).ok()
}

/// The network's code of the card, from a redeem response.
pub fn network_code(response: &str) -> Option<String> {
    let fields: Fields = serde_json::from_str(response).unwrap_or_default();
    code(&fields, "networkCode")
}

/// A field with an id or a code. `None` if it is empty or too long.
fn code(fields: &Fields, name: &str) -> Option<String> {
    const MAX_LENGTH: usize = 1024;
    text(fields, &[name]).filter(|code| (1..=MAX_LENGTH).contains(&code.len()))
}

/// Fields of the network's response, unchanged. Missing ones are null.
pub fn pass_through<const N: usize>(response: &str, names: [&str; N]) -> [Box<RawValue>; N] {
    let mut fields: Fields = serde_json::from_str(response).unwrap_or_default();
    names.map(|name| fields.remove(name).unwrap_or_else(|| RawValue::NULL.to_owned()))
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::base::clock::Clock;
    use crate::values::{Minor, later};

    fn outcome(body: &Value) -> Option<Outcome> {
        recorded_outcome(&Reference::new("r-1"), body.to_string().as_bytes())
    }

    fn failed(status: u16, details: Value) -> Outcome {
        Outcome::Failed(Refusal { status, details, retry_after: None })
    }

    #[test]
    fn an_operation_is_looked_up_once_retry_after_has_passed_if_there_is_time() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let invocation = Invocation::new(&Clock::new(move || now), "r".to_owned());
        for (retry_after, wait) in
            [(None, Some(0)), (Some(0), Some(0)), (Some(12), Some(12)), (Some(13), None), (Some(u32::MAX), None)]
        {
            let time = CardNetwork::time_until_lookup(&invocation, retry_after);
            assert_eq!(time, wait.map(Duration::from_secs), "{retry_after:?}");
        }
        let late = invocation.until(later(now, SignedDuration::from_secs(2)));
        assert_eq!(CardNetwork::time_until_lookup(&late, None), Some(Duration::ZERO));
        assert_eq!(CardNetwork::time_until_lookup(&late, Some(1)), None);
    }

    #[test]
    fn only_a_404_with_a_code_of_the_network_says_that_it_never_saw_a_reference() {
        let answer = |status: u16, body: Value| {
            let status = StatusCode::from_u16(status).unwrap();
            is_word_of_the_network(&NetworkError::ErrorResponse(ErrorResponse { status, body, retry_after: None }))
        };
        assert!(answer(404, json!({"code": "OPERATION_NOT_FOUND"})));
        for body in [
            Value::Null,
            json!("<html>"),
            json!({}),
            json!({"message": "no Route matched"}),
            json!({"code": 404}),
            json!(["code"]),
        ] {
            assert!(!answer(404, body.clone()), "{body}");
        }
        assert!(!answer(410, json!({"code": "OPERATION_NOT_FOUND"})));
    }

    #[test]
    fn a_recorded_failure_is_the_original_refusal() {
        let details = json!({"code": "CARD_BLOCKED"});
        for (http_status, status, kept) in [
            (json!(422), 422, details.clone()),
            (json!(503), 503, details.clone()),
            // The network rejected our API key; the caller's request is not at fault.
            (json!(401), 502, Value::Null),
            (json!(200), 502, details.clone()),
            (json!(70_000), 502, details.clone()),
            (json!("422"), 502, details.clone()),
            (Value::Null, 502, details.clone()),
        ] {
            let body = json!({"reference": "r-1", "status": "FAILED", "httpStatus": http_status, "result": details});
            assert_eq!(outcome(&body), Some(failed(status, kept)), "{body}");
        }
        assert_eq!(outcome(&json!({"status": "FAILED"})), Some(failed(502, Value::Null)));
    }

    #[test]
    fn a_response_for_another_reference_or_without_a_known_status_is_unreadable() {
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
    fn a_redeem_response_is_compared_with_the_request() {
        let amount = Money::new(Minor::new(1250), Currency::EUR);
        let code = QrCode::new("QR-1");
        for (response, must_name_currency, expected) in [
            (json!({"amount": 12.5, "currency": "EUR", "qrCode": "QR-1"}), true, vec![]),
            (json!({"amount": "12.50", "currency": "eur"}), true, vec![]),
            (json!({}), false, vec![]),
            (json!({"amount": null, "currency": null, "qrCode": null}), false, vec![]),
            (json!({"amount": 12.5}), true, vec!["currency"]),
            (json!({"amount": 12.51}), false, vec!["amount"]),
            (json!({"amount": 12.505}), false, vec!["amount"]),
            (json!({"amount": true}), false, vec!["amount"]),
            (json!({"currency": "SEK"}), false, vec!["currency"]),
            (json!({"currency": ""}), false, vec!["currency"]),
            (json!({"qrCode": "QR-2"}), false, vec!["qrCode"]),
            (json!({"amount": 1, "currency": 5, "qrCode": []}), false, vec!["amount", "currency", "qrCode"]),
        ] {
            let found = disagreements(&response.to_string(), amount, Some(&code), must_name_currency);
            assert_eq!(found, expected, "{response}");
        }
    }

    #[test]
    fn a_long_success_response_is_reduced_to_the_fields_that_a_till_needs() {
        let long = "x".repeat(3_000_000);
        let result = json!({"transactionId": "t-1", "amount": 12.5, "qrCode": long, "history": [long]});
        let body = json!({"reference": "r-1", "status": "SUCCEEDED", "httpStatus": 200, "result": result});
        let expected = Outcome::Succeeded(r#"{"amount":12.5,"transactionId":"t-1"}"#.to_owned());
        assert_eq!(outcome(&body), Some(expected));
        assert_eq!(fit_for_storage(r#"{"a": 1.50}"#), r#"{"a": 1.50}"#, "unchanged if it is short");
    }

    #[test]
    fn a_long_refusal_is_truncated_to_text() {
        let long = json!({"code": "CARD_BLOCKED", "message": "x".repeat(3_000_000)});
        let body = json!({"reference": "r-1", "status": "FAILED", "httpStatus": 422, "result": long});
        let Some(Outcome::Failed(refusal)) = outcome(&body) else { panic!("{:?}", outcome(&body)) };
        let text = refusal.details.as_str().unwrap();
        assert_eq!((refusal.status, text.len()), (422, 4096));
        assert!(text.starts_with(r#"{"code":"CARD_BLOCKED""#), "{text}");
    }
}
