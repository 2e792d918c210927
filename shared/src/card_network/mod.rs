//! The client of the card network. Nothing outside of this folder knows its field names, its errors or its ways.
//!
//! Reads are tried a second time when the first try got no usable answer. Calls that move money are sent once: what
//! became of one is found out by [asking](CardNetwork::ask) for its reference.

mod cards;
mod merchants;
mod offers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, StatusCode, header};
use percent_encoding::utf8_percent_encode;
use reqwest::{Client, RequestBuilder, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

pub use cards::{
    Asked, CardRecord, DeliveryDetails, IssueRequest, IssuedCard, MIN_TIME, MoneyCall, RedeemRequest, Sent,
    network_code_of_reply, passed_through,
};
pub use merchants::{Account, AccountChange, StoreFields, StoreStatus};
pub use offers::RawOffer;

use crate::http::fault::Fault;
use crate::http::invocation::Invocation;
use crate::metrics::Metrics;
use crate::outbound;
use crate::secrets::{Secret, SecretError};

/// A JSON object of the network's, value by value as it came: what is not ours to read is not ours to change.
pub type Fields = BTreeMap<String, Box<RawValue>>;

/// Why a call to the network brought nothing.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// It answered, with a status of 400 or more.
    #[error("the card network answered {}", .0.status)]
    Refused(Refused),
    /// The connection could not be opened: nothing was sent.
    #[error("the card network could not be reached: {0}")]
    Unreachable(String),
    /// The connection broke before the answer was whole.
    #[error("the connection to the card network broke: {0}")]
    Dropped(String),
    #[error("the card network did not answer in time")]
    Timeout,
    /// It answered with a status below 400, which is no success or brought something that does not read as what it
    /// should be.
    #[error("the card network's answer of {0} does not read as what was asked for")]
    Unreadable(StatusCode),
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// An answer with a status of 400 or more.
#[derive(Clone)]
pub struct Refused {
    pub status: StatusCode,
    pub body: Value,
    /// Seconds.
    pub retry_after: Option<u32>,
}

impl std::fmt::Debug for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Refused({})", self.status)
    }
}

impl NetworkError {
    /// The status that a caller is answered with: the network's own where it has one that is about the request.
    pub fn status(&self) -> StatusCode {
        match self {
            // Our key was refused, not the caller's.
            Self::Refused(refused) if refused.status == StatusCode::UNAUTHORIZED => StatusCode::BAD_GATEWAY,
            Self::Refused(refused) => refused.status,
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
            Self::Unreachable(_) | Self::Dropped(_) | Self::Unreadable(_) | Self::Secret(_) => {
                StatusCode::BAD_GATEWAY
            }
        }
    }

    /// What the network said, for a caller who may know; null where it said nothing of the kind.
    pub fn details(&self) -> Value {
        match self {
            Self::Refused(refused) if refused.status != StatusCode::UNAUTHORIZED => refused.body.clone(),
            _ => Value::Null,
        }
    }

    /// Seconds after which the network wants to be asked again.
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Self::Refused(refused) => refused.retry_after,
            _ => None,
        }
    }

    /// Whether the thing that was asked for does not exist there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused(refused) if refused.status == StatusCode::NOT_FOUND)
    }

    fn is_worth_a_second_try(&self) -> bool {
        match self {
            Self::Refused(refused) => {
                refused.status.is_server_error() || refused.status == StatusCode::REQUEST_TIMEOUT
            }
            Self::Unreachable(_) | Self::Dropped(_) | Self::Timeout | Self::Unreadable(_) => true,
            Self::Secret(_) => false,
        }
    }

    /// How it is counted.
    fn result(&self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Refused(refused) if !self.is_worth_a_second_try() => "refused",
            _ => "failed",
        }
    }

    /// The fault that passes the network's failure on, with this sentence.
    pub fn into_fault(self, message: &'static str) -> Fault {
        let fault = Fault::upstream(self.status().as_u16(), message, Some(self.details()));
        fault.retry_after(self.retry_after()).caused_by(self.to_string())
    }
}

const READ_TIMEOUT: Duration = Duration::from_secs(4);
const WRITE_TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Left over after each call, to answer with what is known by then.
const RESERVE: Duration = Duration::from_millis(1_500);
/// An answer longer than this is none.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// A refusal is read so far, and taken for text where it goes on: it has to fit into a row, and into an answer.
const MAX_DETAILS_BYTES: usize = 16 * 1024;

/// What opens the network.
#[derive(Deserialize)]
pub struct ApiKey {
    #[serde(rename = "apiKey")]
    api_key: String,
}

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// The network, and the key that opens it.
#[derive(Debug)]
pub struct CardNetwork {
    client: Client,
    base_url: String,
    key: Secret<ApiKey>,
    metrics: Metrics,
}

/// One call, ready to be sent as often as it may be.
#[derive(Debug)]
struct Call<'a> {
    method: Method,
    path: String,
    body: Option<Vec<u8>>,
    idempotency_key: Option<&'a str>,
    /// What it leaves of the invocation's time, however often it is sent.
    leaves: Duration,
}

impl<'a> Call<'a> {
    fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: None, idempotency_key: None, leaves: RESERVE }
    }

    fn with_body(method: Method, path: String, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).unwrap_or_default();
        Self { method, path, body: Some(body), idempotency_key: None, leaves: RESERVE }
    }

    fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    fn with_idempotency_key(mut self, key: &'a str) -> Self {
        self.idempotency_key = Some(key);
        self
    }

    fn leaving(mut self, time: Duration) -> Self {
        self.leaves = time;
        self
    }
}

impl CardNetwork {
    /// The secret holds `{"apiKey": "…"}`.
    pub fn new(base_url: &str, key: Secret<ApiKey>, metrics: Metrics) -> Self {
        Self { client: outbound::client(CONNECT_TIMEOUT), base_url: base_url.to_owned(), key, metrics }
    }

    /// A call that changes nothing: tried twice at most, within the time of the invocation.
    async fn read(&self, invocation: &Invocation, path: String) -> Result<Bytes, NetworkError> {
        let call = Call::get(path);
        let first = self.send(invocation, &call, READ_TIMEOUT).await;
        match first {
            Err(error)
                if error.is_worth_a_second_try() && invocation.time_left() > RESERVE + CONNECT_TIMEOUT =>
            {
                self.send(invocation, &call, READ_TIMEOUT).await
            }
            answer => answer,
        }
    }

    /// Sends a call once, and once more with a fresh key where the one in memory no longer opens.
    async fn send(
        &self,
        invocation: &Invocation,
        call: &Call<'_>,
        most: Duration,
    ) -> Result<Bytes, NetworkError> {
        let key = self.key.get().await?;
        match self.send_with(invocation, call, most, &key).await {
            Err(NetworkError::Refused(refused)) if refused.status == StatusCode::UNAUTHORIZED => {
                let key = self.key.read_again().await?;
                self.send_with(invocation, call, most, &key).await
            }
            answer => answer,
        }
    }

    async fn send_with(
        &self,
        invocation: &Invocation,
        call: &Call<'_>,
        most: Duration,
        key: &Arc<ApiKey>,
    ) -> Result<Bytes, NetworkError> {
        let time = most.min(invocation.time_left().saturating_sub(call.leaves));
        if time.is_zero() {
            return Err(NetworkError::Timeout);
        }
        let mut request = self
            .client
            .request(call.method.clone(), format!("{}{}", self.base_url, call.path))
            .header(header::AUTHORIZATION, format!("Bearer {}", key.api_key))
            .header("x-request-id", &invocation.request_id)
            .timeout(time);
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = &call.body {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        let (answer, milliseconds) = invocation.wait_for(exchange(request, call.is_read())).await;
        let result = answer.as_ref().err().map_or("ok", NetworkError::result);
        self.metrics.called("card network", result, milliseconds);
        answer
    }
}

/// The answer to a read is JSON, or none at all.
async fn exchange(request: RequestBuilder, is_read: bool) -> Result<Bytes, NetworkError> {
    let body = answer(request.send().await.map_err(transport)?).await?;
    if is_read {
        parse::<&RawValue>(&body)?;
    }
    Ok(body)
}

async fn answer(mut response: Response) -> Result<Bytes, NetworkError> {
    let status = response.status();
    if status.as_u16() >= 400 {
        let retry_after =
            response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let body = readable(&beginning(&mut response, MAX_DETAILS_BYTES).await?);
        return Err(NetworkError::Refused(Refused { status, body, retry_after }));
    }
    let body = beginning(&mut response, MAX_BYTES).await?;
    let is_usable = status.is_success() && body.len() <= MAX_BYTES;
    if is_usable { Ok(body.into()) } else { Err(NetworkError::Unreadable(status)) }
}

/// The body, as far as it takes to tell whether it has more than `most` bytes.
async fn beginning(response: &mut Response, most: usize) -> Result<Vec<u8>, NetworkError> {
    let mut body = Vec::new();
    while body.len() <= most
        && let Some(chunk) = response.chunk().await.map_err(transport)?
    {
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A body as JSON, else as text; null when there is none.
fn readable(body: &[u8]) -> Value {
    const MAX_TEXT_LENGTH: usize = 4096;
    let text = || String::from_utf8_lossy(body).chars().take(MAX_TEXT_LENGTH).collect::<String>();
    match serde_json::from_slice(body) {
        Ok(json) if body.len() <= MAX_DETAILS_BYTES => json,
        _ if body.is_empty() => Value::Null,
        _ => Value::String(text()),
    }
}

fn transport(error: reqwest::Error) -> NetworkError {
    if error.is_timeout() {
        return NetworkError::Timeout;
    }
    let is_connect = error.is_connect();
    // The URL may hold a card code.
    let message = error.without_url().to_string();
    if is_connect { NetworkError::Unreachable(message) } else { NetworkError::Dropped(message) }
}

/// Reads the body of a good answer.
fn parse<'a, T: Deserialize<'a>>(body: &'a Bytes) -> Result<T, NetworkError> {
    serde_json::from_slice(body).map_err(|_| NetworkError::Unreadable(StatusCode::OK))
}

/// A good answer's body as it came, which has to be an object.
fn object(body: &Bytes) -> Result<Box<RawValue>, NetworkError> {
    parse::<Fields>(body)?;
    parse(body)
}

/// One segment of a path, whatever characters the id has. None for the two that would lead to another path.
fn segment(id: &str) -> Result<String, NetworkError> {
    if matches!(id, "." | "..") {
        let body = Value::Null;
        return Err(NetworkError::Refused(Refused {
            status: StatusCode::NOT_FOUND,
            body,
            retry_after: None,
        }));
    }
    Ok(utf8_percent_encode(id, outbound::RESERVED).to_string())
}

/// A field as text: a string as it is, a number by its digits.
fn text(fields: &Fields, names: &[&str]) -> Option<String> {
    names.iter().filter_map(|name| fields.get(*name)).find_map(|raw| match serde_json::from_str(raw.get()) {
        Ok(Value::String(text)) => Some(text),
        Ok(Value::Number(_)) => Some(raw.get().to_owned()),
        _ => None,
    })
}
