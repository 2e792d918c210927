//! The client of the identity verifier. Nothing outside of this file knows its field names and statuses.
//!
//! A company is verified in a session, on a page of the verifier. The verifier sends the decision later, in a signed
//! webhook to the portal.

use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use http_body_util::{BodyExt, Collected, Limited};
use jiff::Timestamp;
use jiff::civil::DateTime;
use percent_encoding::utf8_percent_encode;
use reqwest::{Body, Client, RequestBuilder};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use thiserror::Error;
use utoipa::ToSchema;

use crate::aws::secrets::{Secret, SecretError};
use crate::base::invocation::Invocation;
use crate::base::json::parse_upstream;
use crate::base::metrics::Metrics;
use crate::base::outbound::{self, Tls};
use crate::merchants::model::merchant::{Director, Merchant, MerchantStatus};
use crate::values::MerchantId;

const CLIENT: HeaderName = HeaderName::from_static("x-auth-client");
/// The signature of a request to the verifier or of its webhook.
pub const SIGNATURE_HEADER: &str = "x-hmac-signature";

const TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The time that each call leaves for storing its result.
const RESERVE: Duration = Duration::from_millis(1_500);
/// The maximum size of a response, in bytes. Longer responses are errors.
const MAX_BYTES: usize = 64 * 1024;

/// Why a call to the verifier failed.
#[derive(Debug, Error)]
pub enum VerifierError {
    #[error("the verifier responded with {0}")]
    ErrorResponse(StatusCode),
    /// The connection failed, or the response is too long.
    #[error("the verifier sent no complete response: {0}")]
    NoResponse(String),
    #[error("the verifier did not respond in time")]
    Timeout,
    #[error("the verifier's response is unreadable")]
    Unreadable,
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl VerifierError {
    /// The result in metrics.
    fn result(&self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::ErrorResponse(status) if status.is_client_error() => "refused",
            _ => "failed",
        }
    }
}

/// Why a webhook is not a valid decision.
#[derive(Debug, Error)]
pub enum DecisionError {
    #[error("the signature is missing or invalid")]
    NotSigned,
    #[error("the body is not a decision")]
    Unreadable,
    #[error(transparent)]
    Secret(#[from] SecretError),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerificationSession {
    pub id: String,
    pub company_id: String,
    /// The page on which the company is verified.
    pub url: String,
    /// In the verifier's vocabulary.
    pub status: String,
    #[serde(deserialize_with = "timestamp")]
    pub expires_at: Timestamp,
}

impl VerificationSession {
    /// Whether the company can still complete the session.
    pub fn is_open(&self, now: Timestamp) -> bool {
        matches!(self.status.as_str(), "created" | "started") && now <= self.expires_at
    }
}

/// A verifier's decision about a session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// The id of the verification session. Decisions about any other than the current session are ignored.
    #[serde(rename = "id")]
    pub session_id: String,
    /// The id of the merchant, as given when the session was opened.
    #[serde(rename = "vendorData")]
    #[schema(value_type = String)]
    pub merchant_id: MerchantId,
    /// The verifier's own name for the decision, such as `approved` or `declined`.
    pub status: String,
    /// When the verifier decided. Decisions that are older than the last applied one are ignored.
    #[serde(deserialize_with = "timestamp")]
    #[schema(value_type = String, format = DateTime)]
    pub decided_at: Timestamp,
}

/// The last two days of the year 9999 are times as well, and too late for a [`Timestamp`].
fn timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    let is_too_late = || {
        let local = text.strip_suffix('Z').unwrap_or(&text).parse::<DateTime>();
        local.is_ok_and(|time| (time.year(), time.month()) == (9999, 12))
    };
    text.parse().or_else(|error| if is_too_late() { Ok(Timestamp::MAX) } else { Err(D::Error::custom(error)) })
}

/// The body of the webhook.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DecisionCall {
    /// The decision about a verification session.
    verification: Decision,
}

impl Decision {
    /// The merchant's status after the decision. `None` if the decision does not change it.
    pub fn merchant_status(&self) -> Option<MerchantStatus> {
        match self.status.as_str() {
            "started" | "submitted" => Some(MerchantStatus::KybInProgress),
            // A person makes the final decision.
            "approved" => Some(MerchantStatus::DecisionPending),
            "declined" => Some(MerchantStatus::Declined),
            "resubmission_requested" | "expired" => Some(MerchantStatus::WaitingForInfo),
            _ => None,
        }
    }
}

/// The wrapper of every request and response body.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    verification: T,
}

/// The company to verify, and the URL of the webhook.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct VerificationRequest<'a> {
    callback: &'a str,
    vendor_data: &'a MerchantId,
    company: Company<'a>,
    people: Vec<Person<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Company<'a> {
    name: &'a str,
    registration_number: &'a str,
    vat_number: &'a str,
    country: &'a str,
}

#[derive(Serialize)]
struct Person<'a> {
    name: &'a str,
    role: &'a str,
}

impl<'a> VerificationRequest<'a> {
    fn new(merchant: &'a Merchant, callback: &'a str) -> Self {
        let names = [&merchant.legal_name, &merchant.name, &merchant.trading_name];
        let name = names.into_iter().find(|name| !name.trim().is_empty());
        Self {
            callback,
            vendor_data: &merchant.id,
            company: Company {
                name: name.map_or("", String::as_str),
                registration_number: &merchant.registration_number,
                vat_number: &merchant.vat_number,
                country: &merchant.legal_address.country,
            },
            people: merchant.directors.iter().map(Person::new).collect(),
        }
    }
}

impl<'a> Person<'a> {
    fn new(director: &'a Director) -> Self {
        Self { name: &director.name, role: &director.role }
    }
}

/// The secret for calls in both directions, and the connections that are opened with it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Keys {
    api_key: String,
    signing_key: String,
    #[serde(flatten)]
    tls: Tls,
    #[serde(skip)]
    client: OnceLock<Client>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

impl Keys {
    fn client(&self) -> &Client {
        self.client.get_or_init(|| outbound::client_with(&self.tls, CONNECT_TIMEOUT))
    }

    /// The HMAC-SHA256 of a message, in lower-case hex.
    #[expect(clippy::expect_used, reason = "HMAC accepts keys of any length")]
    fn sign(&self, message: &[u8]) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(self.signing_key.as_bytes()).expect("HMAC accepts keys of any length");
        hex::encode(mac.chain_update(message).finalize().into_bytes())
    }

    fn is_signature(&self, signature: &str, message: &[u8]) -> bool {
        self.sign(message).as_bytes().ct_eq(signature.as_bytes()).into()
    }

    /// The decision in the body of a webhook with this signature.
    pub fn decision(&self, signature: &str, body: &[u8]) -> Result<Decision, DecisionError> {
        if !self.is_signature(signature, body) {
            return Err(DecisionError::NotSigned);
        }
        let call: Result<DecisionCall, _> = parse_upstream(body);
        call.map(|call| call.verification).map_err(|_| DecisionError::Unreadable)
    }
}

/// A request to the verifier.
enum Call<'a> {
    /// With the body.
    OpenSession(Vec<u8>),
    /// With the id.
    GetSession(&'a str),
}

impl Call<'_> {
    fn method(&self) -> Method {
        match self {
            Self::OpenSession(_) => Method::POST,
            Self::GetSession(_) => Method::GET,
        }
    }

    fn path(&self) -> String {
        match self {
            Self::OpenSession(_) => "/v1/sessions".to_owned(),
            Self::GetSession(id) => format!("/v1/sessions/{}", utf8_percent_encode(id, outbound::RESERVED)),
        }
    }

    /// The bytes that are signed: the body, or the id of a request without one.
    fn signed_bytes(&self) -> &[u8] {
        match self {
            Self::OpenSession(body) => body,
            Self::GetSession(id) => id.as_bytes(),
        }
    }
}

/// The client of the identity verifier.
#[derive(Debug)]
pub struct Verifier {
    base_url: String,
    keys: Secret<Keys>,
    metrics: Metrics,
}

impl Verifier {
    /// The secret holds `{"apiKey": "…", "signingKey": "…"}`, and the fields of [`Tls`] if the verifier needs them.
    pub fn new(base_url: &str, keys: Secret<Keys>, metrics: Metrics) -> Self {
        Self { base_url: base_url.to_owned(), keys, metrics }
    }

    /// Opens a verification session for a merchant. The verifier sends its decisions to the URL `callback`. Not idempotent:
    /// every call opens another session.
    pub async fn open_session(
        &self,
        invocation: &Invocation,
        merchant: &Merchant,
        callback: &str,
    ) -> Result<VerificationSession, VerifierError> {
        let request = Envelope { verification: VerificationRequest::new(merchant, callback) };
        let body = serde_json::to_vec(&request).map_err(|_| VerifierError::Unreadable)?;
        parse_session(&self.send(invocation, &Call::OpenSession(body)).await?)
    }

    /// The current state of a session. `None` if it does not exist.
    pub async fn session(&self, invocation: &Invocation, id: &str) -> Result<Option<VerificationSession>, VerifierError> {
        match self.send(invocation, &Call::GetSession(id)).await {
            Ok(body) => parse_session(&body).map(Some),
            Err(VerifierError::ErrorResponse(StatusCode::NOT_FOUND)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Verifies the signature of a webhook with the cached keys, then with reloaded ones, in case the keys were rotated, and parses
    /// its decision.
    pub async fn decision(&self, headers: &HeaderMap, body: &[u8]) -> Result<Decision, DecisionError> {
        let signature = headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
        let signature = signature.ok_or(DecisionError::NotSigned)?;
        match self.keys.get().await?.decision(signature, body) {
            Err(DecisionError::NotSigned) => self.keys.reload_rate_limited().await?.decision(signature, body),
            decision => decision,
        }
    }

    /// Sends a request once, and once more with reloaded keys if the cached ones are rejected.
    async fn send(&self, invocation: &Invocation, call: &Call<'_>) -> Result<Bytes, VerifierError> {
        let keys = self.keys.get().await?;
        match self.send_with(invocation, call, &keys).await {
            Err(VerifierError::ErrorResponse(StatusCode::UNAUTHORIZED)) => {
                let keys = self.keys.reload().await?;
                self.send_with(invocation, call, &keys).await
            }
            response => response,
        }
    }

    async fn send_with(&self, invocation: &Invocation, call: &Call<'_>, keys: &Keys) -> Result<Bytes, VerifierError> {
        let mut request = keys
            .client()
            .request(call.method(), format!("{}{}", self.base_url, call.path()))
            .header(CLIENT, &keys.api_key)
            .header(SIGNATURE_HEADER, keys.sign(call.signed_bytes()))
            .header("x-request-id", &invocation.request_id)
            .timeout(TIMEOUT.min(invocation.time_left().saturating_sub(RESERVE)));
        if let Call::OpenSession(body) = call {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        let (response, milliseconds) = invocation.wait_for(exchange(request)).await;
        let result = response.as_ref().err().map_or("ok", VerifierError::result);
        self.metrics.record_upstream_call("verifier", result, milliseconds);
        response
    }
}

async fn exchange(request: RequestBuilder) -> Result<Bytes, VerifierError> {
    let response = request.send().await.map_err(transport_error)?;
    let status = response.status();
    if !status.is_success() {
        return Err(VerifierError::ErrorResponse(status));
    }
    let body = Limited::new(Body::from(response), MAX_BYTES).collect().await;
    body.map(Collected::to_bytes).map_err(|error| match error.downcast::<reqwest::Error>() {
        Ok(error) => transport_error(*error),
        Err(too_long) => VerifierError::NoResponse(too_long.to_string()),
    })
}

fn transport_error(error: reqwest::Error) -> VerifierError {
    if error.is_timeout() {
        return VerifierError::Timeout;
    }
    VerifierError::NoResponse(error.without_url().to_string())
}

fn parse_session(body: &[u8]) -> Result<VerificationSession, VerifierError> {
    let envelope: Result<Envelope<VerificationSession>, _> = parse_upstream(body);
    envelope.map(|envelope| envelope.verification).map_err(|_| VerifierError::Unreadable)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(signing_key: &str) -> Keys {
        serde_json::from_value(json!({"apiKey": "client", "signingKey": signing_key})).unwrap()
    }

    #[test]
    fn a_signature_is_the_hmac_of_all_bytes_in_lower_case_hex() {
        let message = b"what do ya want for nothing?";
        let signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(keys("Jefe").sign(message), signature);
        assert!(keys("Jefe").is_signature(signature, message));
        for (key, signature, message) in [
            ("Other", signature, &message[..]),
            ("Jefe", &signature.to_uppercase(), message),
            ("Jefe", &signature[..63], message),
            ("Jefe", "", message),
            ("Jefe", signature, b"what do ya want for nothing? "),
        ] {
            assert!(!keys(key).is_signature(signature, message), "{key} {signature}");
        }
    }

    #[test]
    fn a_session_is_open_until_it_is_submitted_or_expires() {
        let expires_at: Timestamp = "2026-01-08T00:00:00Z".parse().unwrap();
        let session = |status: &str| VerificationSession {
            id: "s".to_owned(),
            company_id: "c".to_owned(),
            url: "https://verifier.example/s".to_owned(),
            status: status.to_owned(),
            expires_at,
        };
        let later = "2026-01-08T00:00:00.001Z".parse().unwrap();
        for status in ["created", "started"] {
            assert!(session(status).is_open(expires_at), "{status}");
            assert!(!session(status).is_open(later), "{status}");
        }
        for status in ["submitted", "approved", "declined", "resubmission_requested", "expired", "new"] {
            assert!(!session(status).is_open(expires_at), "{status}");
        }
    }

    #[test]
    fn a_company_without_a_legal_name_is_sent_with_its_name() {
        let merchant = Merchant {
            legal_name: " ".to_owned(),
            name: "Aurora".to_owned(),
            directors: vec![Director { name: "Anna".to_owned(), role: "CEO".to_owned() }],
            ..Merchant::new(MerchantId::new("m"), Timestamp::UNIX_EPOCH)
        };
        let subject = serde_json::to_value(VerificationRequest::new(&merchant, "https://portal.example/decision")).unwrap();
        let expected = json!({
            "callback": "https://portal.example/decision",
            "vendorData": "m",
            "company": {"name": "Aurora", "registrationNumber": "", "vatNumber": "", "country": ""},
            "people": [{"name": "Anna", "role": "CEO"}],
        });
        assert_eq!(subject, expected);
    }
}
