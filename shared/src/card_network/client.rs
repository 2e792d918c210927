//! HTTP calls to the card network: authentication, timeouts, retries and errors.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, header};
use percent_encoding::utf8_percent_encode;
use reqwest::{Client, RequestBuilder, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::aws::secrets::{Secret, SecretError};
use crate::base::invocation::Invocation;
use crate::base::json::{MAX_UPSTREAM_LEVELS, is_deeper_than, parse_upstream};
use crate::base::metrics::Metrics;
use crate::base::outbound::{self, Tls};

/// A JSON object of the network. The text of each value is kept, so that fields that are not read are passed on unchanged.
pub type Fields = BTreeMap<String, Box<RawValue>>;

/// Why a call to the network has no usable response.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// A response with a status from 400 to 599.
    #[error("the card network responded with {}", .0.status)]
    ErrorResponse(ErrorResponse),
    /// The connection could not be opened, so nothing was sent.
    #[error("could not connect to the card network: {0}")]
    Unreachable(String),
    /// The connection was closed before the response was complete.
    #[error("the card network closed the connection: {0}")]
    Dropped(String),
    #[error("the card network did not respond in time")]
    Timeout,
    /// A response with a status that is neither a success nor an error, or whose body is not what was requested.
    #[error("the card network's response ({0}) is unreadable")]
    Unreadable(StatusCode),
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// A response with a status from 400 to 599.
#[derive(Clone)]
pub struct ErrorResponse {
    pub status: StatusCode,
    pub body: Value,
    /// In seconds.
    pub retry_after: Option<u32>,
}

impl std::fmt::Debug for ErrorResponse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ErrorResponse({})", self.status)
    }
}

impl NetworkError {
    /// The status of the response to our caller: the network's, if it concerns the request.
    pub fn status(&self) -> StatusCode {
        match self {
            // The network rejected our API key; the caller's request is not at fault.
            Self::ErrorResponse(response) if response.status == StatusCode::UNAUTHORIZED => StatusCode::BAD_GATEWAY,
            Self::ErrorResponse(response) => response.status,
            Self::Timeout => StatusCode::GATEWAY_TIMEOUT,
            Self::Unreachable(_) | Self::Dropped(_) | Self::Unreadable(_) | Self::Secret(_) => StatusCode::BAD_GATEWAY,
        }
    }

    /// The network's response body for our caller. Null if there is none, or if it concerns our credentials.
    pub fn details(&self) -> Value {
        match self {
            Self::ErrorResponse(response) if response.status != StatusCode::UNAUTHORIZED => response.body.clone(),
            _ => Value::Null,
        }
    }

    /// The network's `Retry-After`, in seconds.
    pub fn retry_after(&self) -> Option<u32> {
        match self {
            Self::ErrorResponse(response) => response.retry_after,
            _ => None,
        }
    }

    /// Whether the requested resource does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::ErrorResponse(response) if response.status == StatusCode::NOT_FOUND)
    }

    /// Whether it is certain that the network has not carried the call out: it was not sent, or was refused for what it says.
    pub fn did_nothing(&self) -> bool {
        match self {
            Self::ErrorResponse(response) => {
                response.status.is_client_error() && !matches!(response.status.as_u16(), 401 | 408 | 429)
            }
            Self::Unreachable(_) | Self::Secret(_) => true,
            Self::Dropped(_) | Self::Timeout | Self::Unreadable(_) => false,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::ErrorResponse(response) => response.status.is_server_error() || response.status == StatusCode::REQUEST_TIMEOUT,
            Self::Unreachable(_) | Self::Dropped(_) | Self::Timeout | Self::Unreadable(_) => true,
            Self::Secret(_) => false,
        }
    }

    /// The result in metrics.
    fn result(&self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::ErrorResponse(response) if !self.is_retryable() => "refused",
            _ => "failed",
        }
    }
}

const READ_TIMEOUT: Duration = Duration::from_secs(4);
pub(super) const WRITE_TIMEOUT: Duration = Duration::from_secs(8);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// The time that each call leaves for the response to our caller.
const RESERVE: Duration = Duration::from_millis(1_500);
/// A longer response body is unreadable.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Longer error bodies are truncated to text: they are stored in a row and passed on in a response.
const MAX_DETAILS_BYTES: usize = 16 * 1024;
/// A shorter API key is not hidden in responses.
const MIN_HIDDEN_BYTES: usize = 8;
/// A longer `Retry-After` is shortened to it.
const MAX_RETRY_AFTER_SECONDS: u64 = 60 * 60;

/// The secret for calls to the network, and the connections that are opened with it.
#[derive(Deserialize)]
pub struct Credentials {
    #[serde(rename = "apiKey")]
    api_key: String,
    #[serde(flatten)]
    tls: Tls,
    #[serde(skip)]
    client: OnceLock<Client>,
    /// For calls that move money, and for looking their outcome up.
    #[serde(skip)]
    money_client: OnceLock<Client>,
}

impl Credentials {
    fn client(&self, call: &Call<'_>) -> &Client {
        if call.on_new_connection {
            self.money_client.get_or_init(|| outbound::client_without_reuse(&self.tls, CONNECT_TIMEOUT))
        } else {
            self.client.get_or_init(|| outbound::client_with(&self.tls, CONNECT_TIMEOUT))
        }
    }
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credentials(…)")
    }
}

#[derive(Debug)]
pub struct CardNetwork {
    base_url: String,
    credentials: Secret<Credentials>,
    metrics: Metrics,
}

/// A call that can be sent more than once.
#[derive(Debug)]
pub(super) struct Call<'a> {
    method: Method,
    path: String,
    body: Option<Vec<u8>>,
    idempotency_key: Option<&'a str>,
    on_new_connection: bool,
    /// The part of the invocation's time that it leaves unused.
    reserve: Duration,
    /// A longer response body is cut, and is not unreadable.
    cut_after: Option<usize>,
}

impl<'a> Call<'a> {
    pub(super) fn get(path: String) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(super) fn with_body(method: Method, path: String, body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).unwrap_or_default();
        Self::new(method, path, Some(body))
    }

    fn new(method: Method, path: String, body: Option<Vec<u8>>) -> Self {
        let (idempotency_key, on_new_connection, cut_after) = (None, false, None);
        Self { method, path, body, idempotency_key, on_new_connection, reserve: RESERVE, cut_after }
    }

    fn is_read(&self) -> bool {
        self.method == Method::GET
    }

    pub(super) fn with_idempotency_key(mut self, key: &'a str) -> Self {
        self.idempotency_key = Some(key);
        self
    }

    pub(super) fn on_new_connection(mut self) -> Self {
        self.on_new_connection = true;
        self
    }

    /// A response body of more than `bytes` is cut somewhere after them.
    pub(super) fn cut_after(mut self, bytes: usize) -> Self {
        self.cut_after = Some(bytes);
        self
    }

    pub(super) fn with_reserve(mut self, time: Duration) -> Self {
        self.reserve = time;
        self
    }
}

impl CardNetwork {
    /// The secret holds `{"apiKey": "…"}`, and the fields of [`Tls`] if the network needs them.
    pub fn new(base_url: &str, credentials: Secret<Credentials>, metrics: Metrics) -> Self {
        Self { base_url: base_url.to_owned(), credentials, metrics }
    }

    /// Sends a read, and once more if the first response was not usable and there is time left.
    pub(super) async fn read(&self, invocation: &Invocation, call: &Call<'_>) -> Result<Bytes, NetworkError> {
        let first = self.send(invocation, call, READ_TIMEOUT).await;
        match first {
            Err(error) if error.is_retryable() && invocation.time_left() > RESERVE + CONNECT_TIMEOUT => {
                self.send(invocation, call, READ_TIMEOUT).await
            }
            response => response,
        }
    }

    /// Sends a call once, and once more with a new API key if the cached one is rejected. Whatever has rejected it can have carried
    /// the call out: if it cannot be sent again, the first response counts.
    pub(super) async fn send(&self, invocation: &Invocation, call: &Call<'_>, timeout: Duration) -> Result<Bytes, NetworkError> {
        let credentials = self.credentials.get().await?;
        match self.send_with(invocation, call, timeout, &credentials).await {
            Err(NetworkError::ErrorResponse(response)) if response.status == StatusCode::UNAUTHORIZED => {
                let again = match self.credentials.reload().await {
                    Ok(credentials) => self.send_with(invocation, call, timeout, &credentials).await,
                    Err(error) => Err(error.into()),
                };
                match again {
                    Err(error @ (NetworkError::Unreachable(_) | NetworkError::Secret(_))) => {
                        tracing::warn!(cause = %error, "could not repeat a call whose API key was rejected");
                        Err(NetworkError::ErrorResponse(response))
                    }
                    again => again,
                }
            }
            response => response,
        }
    }

    async fn send_with(
        &self,
        invocation: &Invocation,
        call: &Call<'_>,
        timeout: Duration,
        credentials: &Credentials,
    ) -> Result<Bytes, NetworkError> {
        let timeout = timeout.min(invocation.time_left().saturating_sub(call.reserve));
        if timeout.is_zero() {
            return Err(NetworkError::Timeout);
        }
        let mut request = credentials
            .client(call)
            .request(call.method.clone(), format!("{}{}", self.base_url, call.path))
            .header(header::AUTHORIZATION, format!("Bearer {}", credentials.api_key))
            .header("x-request-id", &invocation.request_id)
            .timeout(timeout);
        if let Some(key) = call.idempotency_key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = &call.body {
            request = request.header(header::CONTENT_TYPE, "application/json").body(body.clone());
        }
        let (response, milliseconds) = invocation.wait_for(exchange(request, call, &credentials.api_key)).await;
        let result = response.as_ref().err().map_or("ok", NetworkError::result);
        self.metrics.record_upstream_call("card network", result, milliseconds);
        response
    }
}

/// The response to a read must be JSON, unless it was cut.
async fn exchange(request: RequestBuilder, call: &Call<'_>, api_key: &str) -> Result<Bytes, NetworkError> {
    let body = body_of(request.send().await.map_err(transport_error)?, call.cut_after, api_key).await?;
    let is_cut = call.cut_after.is_some_and(|max_bytes| body.len() > max_bytes);
    if call.is_read() && !is_cut {
        parse::<&RawValue>(&body)?;
    }
    Ok(body)
}

async fn body_of(mut response: Response, cut_after: Option<usize>, api_key: &str) -> Result<Bytes, NetworkError> {
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let retry_after = retry_after(response.headers());
        let mut body = read_up_to(&mut response, MAX_DETAILS_BYTES).await?;
        hide(&mut body, api_key);
        let body = json_or_text(&body);
        return Err(NetworkError::ErrorResponse(ErrorResponse { status, body, retry_after }));
    }
    let mut body = read_up_to(&mut response, cut_after.unwrap_or(MAX_BYTES)).await?;
    hide(&mut body, api_key);
    let has_all = cut_after.is_some() || body.len() <= MAX_BYTES;
    let is_usable = status.is_success() && has_all && !is_deeper_than(MAX_UPSTREAM_LEVELS, &body);
    if is_usable { Ok(body.into()) } else { Err(NetworkError::Unreadable(status)) }
}

/// Overwrites our API key, which some servers repeat in what they answer: bodies are passed on to callers and stored.
fn hide(body: &mut [u8], api_key: &str) {
    let key = api_key.as_bytes();
    // A body of megabytes with one letter for a key would be destroyed.
    if key.len() < MIN_HIDDEN_BYTES {
        return;
    }
    let mut rest = body;
    while let Some(start) = rest.windows(key.len()).position(|bytes| bytes == key) {
        let (hidden, after) = rest.split_at_mut(start + key.len());
        hidden.iter_mut().skip(start).for_each(|byte| *byte = b'*');
        rest = after;
    }
}

/// In seconds. A date instead of a number is ignored.
fn retry_after(headers: &HeaderMap) -> Option<u32> {
    let seconds: u64 = headers.get(header::RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    u32::try_from(seconds.min(MAX_RETRY_AFTER_SECONDS)).ok()
}

/// Reads the body until it ends or exceeds `limit` bytes.
async fn read_up_to(response: &mut Response, limit: usize) -> Result<Vec<u8>, NetworkError> {
    let mut body = Vec::new();
    while body.len() <= limit
        && let Some(chunk) = response.chunk().await.map_err(transport_error)?
    {
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A body as JSON, or as truncated text if it is not JSON, too long or too deep. Null if it is empty.
pub(super) fn json_or_text(body: &[u8]) -> Value {
    const MAX_TEXT_LENGTH: usize = 4096;
    let text = || String::from_utf8_lossy(body).chars().take(MAX_TEXT_LENGTH).collect::<String>();
    match parse_upstream(body) {
        Ok(json) if body.len() <= MAX_DETAILS_BYTES => json,
        _ if body.is_empty() => Value::Null,
        _ => Value::String(text()),
    }
}

fn transport_error(error: reqwest::Error) -> NetworkError {
    if error.is_timeout() {
        return NetworkError::Timeout;
    }
    let is_connect = error.is_connect();
    // The URL may contain a card code.
    let message = error.without_url().to_string();
    if is_connect { NetworkError::Unreachable(message) } else { NetworkError::Dropped(message) }
}

/// Parses the body of a success response.
pub(super) fn parse<'a, T: Deserialize<'a>>(body: &'a Bytes) -> Result<T, NetworkError> {
    serde_json::from_slice(body).map_err(|_| NetworkError::Unreadable(StatusCode::OK))
}

/// The body of a success response, which must be an object.
pub(super) fn object(body: &Bytes) -> Result<Box<RawValue>, NetworkError> {
    parse::<Fields>(body)?;
    parse(body)
}

/// An id as a path segment, percent-encoded. `.` and `..` would change the path: they are treated as ids that do not exist.
pub(super) fn segment(id: &str) -> Result<String, NetworkError> {
    if matches!(id, "." | "..") {
        let body = Value::Null;
        return Err(NetworkError::ErrorResponse(ErrorResponse { status: StatusCode::NOT_FOUND, body, retry_after: None }));
    }
    Ok(utf8_percent_encode(id, outbound::RESERVED).to_string())
}

/// The first of these fields that is a string or a number, as text.
pub(super) fn text(fields: &Fields, names: &[&str]) -> Option<String> {
    names.iter().filter_map(|name| fields.get(*name)).find_map(|raw| text_of(raw))
}

/// A string or a number, as text.
pub(super) fn text_of(raw: &RawValue) -> Option<String> {
    match serde_json::from_str(raw.get()) {
        Ok(Value::String(text)) => Some(text),
        Ok(Value::Number(_)) => Some(raw.get().to_owned()),
        _ => None,
    }
}
