//! The client of the identity verifier. Nothing outside of this file knows its field names, its words or its ways.
//!
//! A company is verified in a session, on a page of the verifier's own. What comes of it arrives later, as a decision
//! in a signed call to the portal.

use std::time::Duration;

use bytes::Bytes;
use hmac::{Hmac, Mac};
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use http_body_util::{BodyExt, Collected, Limited};
use jiff::Timestamp;
use percent_encoding::utf8_percent_encode;
use reqwest::{Body, Client, RequestBuilder};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use thiserror::Error;
use utoipa::ToSchema;

use crate::domain::ids::MerchantId;
use crate::domain::merchant::{Director, Merchant, MerchantStatus};
use crate::invocation::Invocation;
use crate::metrics::Metrics;
use crate::outbound;
use crate::secrets::{Secret, SecretError};

const CLIENT: HeaderName = HeaderName::from_static("x-auth-client");
/// Carries the signature of a call, in either direction.
pub const SIGNATURE_HEADER: &str = "x-hmac-signature";

const TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Left over after each call, to write down what came of it.
const RESERVE: Duration = Duration::from_millis(1_500);
/// An answer longer than this, in bytes, is none.
const MAX_BYTES: usize = 64 * 1024;

/// Why a call brought nothing.
#[derive(Debug, Error)]
pub enum VerifierError {
    #[error("the verifier answered {0}")]
    Refused(StatusCode),
    #[error("the verifier gave no whole answer: {0}")]
    NoAnswer(String),
    #[error("the verifier did not answer in time")]
    Timeout,
    #[error("the verifier's answer does not read as what was asked for")]
    Unreadable,
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl VerifierError {
    /// How it is counted.
    fn result(&self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Refused(status) if status.is_client_error() => "refused",
            _ => "failed",
        }
    }
}

/// Why a call to the portal is no decision.
#[derive(Debug, Error)]
pub enum DecisionError {
    #[error("the signature is missing or not the verifier's")]
    NotSigned,
    #[error("the body does not read as a decision")]
    Unreadable,
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// A verification session as the verifier has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: String,
    pub company_id: String,
    /// The page on which the company is verified.
    pub url: String,
    /// The verifier's own word.
    pub status: String,
    pub expires_at: Timestamp,
}

impl Session {
    /// Whether the company can still be verified in it.
    pub fn is_open(&self, now: Timestamp) -> bool {
        matches!(self.status.as_str(), "created" | "started") && now <= self.expires_at
    }
}

/// What the verifier says has become of a session.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    #[serde(rename = "id")]
    pub session_id: String,
    #[serde(rename = "vendorData")]
    #[schema(value_type = String)]
    pub merchant_id: MerchantId,
    /// The verifier's own word.
    pub status: String,
    #[schema(value_type = String, format = DateTime)]
    pub decided_at: Timestamp,
}

/// A call to the portal that brings a decision.
#[derive(Debug, Deserialize, ToSchema)]
pub struct DecisionCall {
    verification: Decision,
}

impl Decision {
    /// Where it leads the merchant; none for a word that leads nowhere.
    pub fn merchant_status(&self) -> Option<MerchantStatus> {
        match self.status.as_str() {
            "started" | "submitted" => Some(MerchantStatus::KybInProgress),
            // A person has the last word.
            "approved" => Some(MerchantStatus::DecisionPending),
            "declined" => Some(MerchantStatus::Declined),
            "resubmission_requested" | "expired" => Some(MerchantStatus::WaitingForInfo),
            _ => None,
        }
    }
}

/// What every body of our calls is wrapped in.
#[derive(Serialize, Deserialize)]
struct Envelope<T> {
    verification: T,
}

/// Who is to be verified, and where the decision is to go.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Subject<'a> {
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

impl<'a> Subject<'a> {
    fn of(merchant: &'a Merchant, callback: &'a str) -> Self {
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
            people: merchant.directors.iter().map(Person::of).collect(),
        }
    }
}

impl<'a> Person<'a> {
    fn of(director: &'a Director) -> Self {
        Self { name: &director.name, role: &director.role }
    }
}

/// What calls in both directions are known by.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Keys {
    api_key: String,
    signing_key: String,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(…)")
    }
}

impl Keys {
    /// The HMAC-SHA256 of a text in lower-case hex.
    #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
    fn sign(&self, text: &[u8]) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(self.signing_key.as_bytes()).expect("a key of any length");
        hex::encode(mac.chain_update(text).finalize().into_bytes())
    }

    fn signed(&self, signature: &str, text: &[u8]) -> bool {
        self.sign(text).as_bytes().ct_eq(signature.as_bytes()).into()
    }
}

/// A call, ready to be sent.
enum Call<'a> {
    Open(Vec<u8>),
    Read(&'a str),
}

impl Call<'_> {
    fn method(&self) -> Method {
        match self {
            Self::Open(_) => Method::POST,
            Self::Read(_) => Method::GET,
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Open(_) => "/v1/sessions".to_owned(),
            Self::Read(id) => format!("/v1/sessions/{}", utf8_percent_encode(id, outbound::RESERVED)),
        }
    }

    fn signed_text(&self) -> &[u8] {
        match self {
            Self::Open(body) => body,
            Self::Read(id) => id.as_bytes(),
        }
    }
}

/// The verifier, and the keys that it knows us by.
#[derive(Debug)]
pub struct Verifier {
    client: Client,
    base_url: String,
    keys: Secret<Keys>,
    metrics: Metrics,
}

impl Verifier {
    /// The secret holds `{"apiKey": "…", "signingKey": "…"}`.
    pub fn new(base_url: &str, keys: Secret<Keys>, metrics: Metrics) -> Self {
        Self { client: outbound::client(CONNECT_TIMEOUT), base_url: base_url.to_owned(), keys, metrics }
    }

    /// Opens a session for a merchant, whose decisions are to be sent to `callback`. Called twice, it opens two.
    pub async fn open_session(
        &self,
        invocation: &Invocation,
        merchant: &Merchant,
        callback: &str,
    ) -> Result<Session, VerifierError> {
        let subject = Envelope { verification: Subject::of(merchant, callback) };
        let body = serde_json::to_vec(&subject).map_err(|_| VerifierError::Unreadable)?;
        session(&self.send(invocation, &Call::Open(body)).await?)
    }

    /// A session as it stands; none where the verifier does not know it.
    pub async fn session(&self, invocation: &Invocation, id: &str) -> Result<Option<Session>, VerifierError> {
        match self.send(invocation, &Call::Read(id)).await {
            Ok(body) => session(&body).map(Some),
            Err(VerifierError::Refused(StatusCode::NOT_FOUND)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The decision that a call to the portal brings, if the call is the verifier's.
    pub async fn decision(&self, headers: &HeaderMap, body: &[u8]) -> Result<Decision, DecisionError> {
        let signature = headers.get(SIGNATURE_HEADER).and_then(|value| value.to_str().ok());
        let signature = signature.ok_or(DecisionError::NotSigned)?;
        if !self.is_signed(signature, body).await? {
            return Err(DecisionError::NotSigned);
        }
        let call: Result<DecisionCall, _> = serde_json::from_slice(body);
        call.map(|call| call.verification).map_err(|_| DecisionError::Unreadable)
    }

    /// Checks with the keys in memory, then with those that may have taken their place.
    async fn is_signed(&self, signature: &str, body: &[u8]) -> Result<bool, SecretError> {
        if self.keys.get().await?.signed(signature, body) {
            return Ok(true);
        }
        Ok(self.keys.reload_rate_limited().await?.signed(signature, body))
    }

    /// Sends a call once, and once more with fresh keys where those in memory no longer open.
    async fn send(&self, invocation: &Invocation, call: &Call<'_>) -> Result<Bytes, VerifierError> {
        let keys = self.keys.get().await?;
        match self.send_with(invocation, call, &keys).await {
            Err(VerifierError::Refused(StatusCode::UNAUTHORIZED)) => {
                let keys = self.keys.reload().await?;
                self.send_with(invocation, call, &keys).await
            }
            answer => answer,
        }
    }

    async fn send_with(
        &self,
        invocation: &Invocation,
        call: &Call<'_>,
        keys: &Keys,
    ) -> Result<Bytes, VerifierError> {
        let mut request = self
            .client
            .request(call.method(), format!("{}{}", self.base_url, call.path()))
            .header(CLIENT, &keys.api_key)
            .header(SIGNATURE_HEADER, keys.sign(call.signed_text()))
            .header("x-request-id", &invocation.request_id)
            .timeout(TIMEOUT.min(invocation.time_left().saturating_sub(RESERVE)));
        if let Call::Open(body) = call {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        let (answer, milliseconds) = invocation.wait_for(exchange(request)).await;
        let result = answer.as_ref().err().map_or("ok", VerifierError::result);
        self.metrics.record_upstream_call("verifier", result, milliseconds);
        answer
    }
}

async fn exchange(request: RequestBuilder) -> Result<Bytes, VerifierError> {
    let response = request.send().await.map_err(no_answer)?;
    let status = response.status();
    if !status.is_success() {
        return Err(VerifierError::Refused(status));
    }
    let body = Limited::new(Body::from(response), MAX_BYTES).collect().await;
    body.map(Collected::to_bytes).map_err(|error| match error.downcast::<reqwest::Error>() {
        Ok(error) => no_answer(*error),
        Err(too_long) => VerifierError::NoAnswer(too_long.to_string()),
    })
}

fn no_answer(error: reqwest::Error) -> VerifierError {
    if error.is_timeout() {
        return VerifierError::Timeout;
    }
    VerifierError::NoAnswer(error.without_url().to_string())
}

fn session(body: &[u8]) -> Result<Session, VerifierError> {
    let envelope: Result<Envelope<Session>, _> = serde_json::from_slice(body);
    envelope.map(|envelope| envelope.verification).map_err(|_| VerifierError::Unreadable)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(signing_key: &str) -> Keys {
        Keys { api_key: "client".to_owned(), signing_key: signing_key.to_owned() }
    }

    #[test]
    fn a_signature_is_the_hmac_of_every_byte_in_lower_case() {
        let text = b"what do ya want for nothing?";
        let signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(keys("Jefe").sign(text), signature);
        assert!(keys("Jefe").signed(signature, text));
        for (key, signature, text) in [
            ("Other", signature, &text[..]),
            ("Jefe", &signature.to_uppercase(), text),
            ("Jefe", &signature[..63], text),
            ("Jefe", "", text),
            ("Jefe", signature, b"what do ya want for nothing? "),
        ] {
            assert!(!keys(key).signed(signature, text), "{key} {signature}");
        }
    }

    #[test]
    fn a_session_stays_open_until_it_is_handed_in_or_runs_out() {
        let expires_at: Timestamp = "2026-01-08T00:00:00Z".parse().unwrap();
        let session = |status: &str| Session {
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
    fn words_lead_where_they_should_and_others_nowhere() {
        for (word, status) in [
            ("started", Some(MerchantStatus::KybInProgress)),
            ("submitted", Some(MerchantStatus::KybInProgress)),
            ("approved", Some(MerchantStatus::DecisionPending)),
            ("declined", Some(MerchantStatus::Declined)),
            ("resubmission_requested", Some(MerchantStatus::WaitingForInfo)),
            ("expired", Some(MerchantStatus::WaitingForInfo)),
            ("created", None),
            ("Approved", None),
            ("", None),
        ] {
            let decision = Decision {
                session_id: "s".to_owned(),
                merchant_id: MerchantId::new("m"),
                status: word.to_owned(),
                decided_at: Timestamp::UNIX_EPOCH,
            };
            assert_eq!(decision.merchant_status(), status, "{word}");
        }
    }

    #[test]
    fn a_company_goes_by_the_first_name_that_it_has() {
        let merchant = Merchant {
            legal_name: " ".to_owned(),
            name: "Aurora".to_owned(),
            directors: vec![Director { name: "Anna".to_owned(), role: "CEO".to_owned() }],
            ..Merchant::new(MerchantId::new("m"))
        };
        let subject =
            serde_json::to_value(Subject::of(&merchant, "https://portal.example/decision")).unwrap();
        let expected = json!({
            "callback": "https://portal.example/decision",
            "vendorData": "m",
            "company": {"name": "Aurora", "registrationNumber": "", "vatNumber": "", "country": ""},
            "people": [{"name": "Anna", "role": "CEO"}],
        });
        assert_eq!(subject, expected);
    }
}
