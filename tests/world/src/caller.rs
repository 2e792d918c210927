//! Whoever calls the API over HTTP, and what is responded.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde_json::{Value, json};

use crate::contract;

/// Returns an HTTP client for requests to the local system.
pub fn client() -> Client {
    shared::base::outbound::client(Duration::from_secs(5))
}

/// Returns an HTTP client whose requests come from this address of the machine.
pub fn client_at(address: IpAddr) -> Client {
    // Another thread may have installed it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().local_address(address).redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

/// A client of the API, signed in or anonymous.
#[derive(Debug, Clone)]
pub struct Caller {
    client: Client,
    /// The URL of the API.
    api: String,
    token: Option<String>,
}

impl Caller {
    /// A caller without a session.
    pub fn anonymous(client: Client, api: impl Into<String>) -> Self {
        Self { client, api: api.into(), token: None }
    }

    pub fn with_token(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    pub async fn get(&self, path: &str) -> ApiResponse {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn post_empty(&self, path: &str) -> ApiResponse {
        self.send(Method::POST, path, None).await
    }

    pub async fn put(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PATCH, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> ApiResponse {
        self.send(Method::DELETE, path, None).await
    }

    /// Sends a body that may be invalid JSON.
    pub async fn post_text(&self, path: &str, body: &str) -> ApiResponse {
        self.send_text(Method::POST, path, body).await
    }

    /// Sends a body that may be invalid JSON.
    pub async fn send_text(&self, method: Method, path: &str, body: &str) -> ApiResponse {
        let request = self.request(method, path).header("content-type", "application/json");
        Self::send_request(request.body(body.to_owned())).await
    }

    /// Sends a request with an idempotency key.
    pub async fn post_with_key(&self, path: &str, key: &str, body: &Value) -> ApiResponse {
        Self::send_request(self.request_with_json(Method::POST, path, body).header("idempotency-key", key)).await
    }

    /// Walks through a list by its cursors, with at most `limit` rows a page.
    pub async fn walk(&self, path: &str, list: &str, limit: usize) -> Vec<Value> {
        let start = if path.contains('?') { '&' } else { '?' };
        let (mut rows, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("{path}{start}limit={limit}{cursor}")).await.ok();
            let of_page = page.list(&format!("/data/{list}"));
            assert!(of_page.len() <= limit, "{page:?}");
            rows.extend_from_slice(of_page);
            let Some(next) = page.at("/data/next").as_str() else { return rows };
            cursor = format!("&cursor={next}");
        }
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> ApiResponse {
        Self::send_request(with_body(self.request(method, path), body)).await
    }

    /// Starts a request with the caller's session token.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.api));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Starts a request with a body.
    pub fn request_with_json(&self, method: Method, path: &str, body: &Value) -> RequestBuilder {
        with_body(self.request(method, path), Some(body))
    }

    /// Starts a request with a multipart form.
    pub fn request_with_form(&self, path: &str, parts: &[Vec<u8>]) -> RequestBuilder {
        let form = [parts.concat(), format!("--{BOUNDARY}--\r\n").into_bytes()].concat();
        let request = self.request(Method::POST, path).body(form);
        request.header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
    }

    /// Uploads a file in a multipart form.
    pub async fn upload(&self, path: &str, name: &str, content: &[u8]) -> ApiResponse {
        Self::send_request(self.request_with_form(path, &[file_part(name, content)])).await
    }

    /// Sends a request and compares the response with the API description.
    pub async fn send_request(request: RequestBuilder) -> ApiResponse {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = received(client.execute(request).await.unwrap()).await.unwrap();
        contract::check(&method, &path, &response);
        response
    }
}

const BOUNDARY: &str = "test-boundary";

/// Returns one part of a multipart form.
pub fn part(disposition: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\nContent-Type: text/plain\r\n\r\n");
    [head.as_bytes(), content, b"\r\n"].concat()
}

/// Returns the part of a multipart form that has a file.
pub fn file_part(name: &str, content: &[u8]) -> Vec<u8> {
    part(&format!(r#"name="file"; filename="{name}""#), content)
}

/// Sends a request, whatever it is. An error is one of the connection: there was no response.
pub async fn send(request: RequestBuilder) -> Result<ApiResponse, reqwest::Error> {
    received(request.send().await?).await
}

/// Gets what is at a URL of this machine.
pub async fn get(url: impl reqwest::IntoUrl) -> ApiResponse {
    send(client().get(url)).await.unwrap()
}

async fn received(response: reqwest::Response) -> Result<ApiResponse, reqwest::Error> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let bytes = Vec::from(response.bytes().await?);
    let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| text());
    Ok(ApiResponse { status, body, headers, bytes })
}

pub(crate) fn with_body(request: RequestBuilder, body: Option<&Value>) -> RequestBuilder {
    match body {
        Some(body) => request.header("content-type", "application/json").body(body.to_string()),
        None => request,
    }
}

/// A response of the API. Snapshots contain `status` and `body`.
#[derive(Clone, PartialEq, Serialize)]
pub struct ApiResponse {
    pub status: u16,
    /// The parsed JSON, or a string if the body is not JSON.
    pub body: Value,
    #[serde(skip)]
    pub headers: HeaderMap,
    /// The body as it was received.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

impl ApiResponse {
    /// Returns the response if it is a success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!((200..300).contains(&self.status), "{self:?}");
        self
    }

    /// Checks that the request was invalid, and that the message begins so.
    #[track_caller]
    pub fn assert_invalid(&self, beginning: &str) {
        let message = self.at("/error/message").as_str().or(self.at("/error").as_str()).unwrap_or_default();
        assert!(self.status == 400 && message.starts_with(beginning), "not {beginning:?}: {self:?}");
    }

    /// The status and the body.
    pub fn reply(&self) -> (u16, Value) {
        (self.status, self.body.clone())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the status, the body and all headers except `x-request-id` and `date`, which differ between any two
    /// responses, and `session-merchant`, which is the caller's own.
    pub fn comparable(&self) -> (u16, &[u8], BTreeMap<&str, &[u8]>) {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let headers = headers.filter(|(name, _)| !matches!(*name, "x-request-id" | "date" | "session-merchant"));
        (self.status, &self.bytes, headers.collect())
    }

    /// Returns the string at a JSON pointer such as `/data/orderId`.
    #[track_caller]
    pub fn text(&self, pointer: &str) -> String {
        let text = self.at(pointer).as_str();
        text.unwrap_or_else(|| panic!("no string at {pointer} in {self:?}")).to_owned()
    }

    /// Returns the array at a JSON pointer.
    #[track_caller]
    pub fn list(&self, pointer: &str) -> &[Value] {
        self.at(pointer).as_array().unwrap_or_else(|| panic!("no array at {pointer} in {self:?}"))
    }

    /// Returns the member of an array that has this value in a field.
    #[track_caller]
    pub fn row(&self, list: &str, field: &str, value: impl Into<Value>) -> Value {
        let value = value.into();
        let row = self.list(list).iter().find(|row| row[field] == value);
        row.unwrap_or_else(|| panic!("no {field} {value} in {self:?}")).clone()
    }

    /// Returns a field of each member of an array.
    #[track_caller]
    pub fn each(&self, list: &str, field: &str) -> Vec<Value> {
        self.list(list).iter().map(|row| row[field].clone()).collect()
    }

    /// Returns the value at a JSON pointer, or null.
    pub fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    pub fn contains(&self, text: &str) -> bool {
        self.content().contains(text)
    }

    /// Returns the body as a text.
    pub fn content(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl fmt::Debug for ApiResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { status, body, headers, .. } = self;
        f.debug_struct("ApiResponse")
            .field("status", status)
            .field("body", body)
            .field("headers", headers)
            .finish_non_exhaustive()
    }
}

/// The status and the code of an error, which is empty if there is none.
pub fn error_code(response: &ApiResponse) -> (u16, &str) {
    let code = response.at("/error/code").as_str().or(response.at("/code").as_str());
    (response.status, code.unwrap_or_default())
}

/// What requests at the same moment led to, in whichever order: their statuses and the codes of their errors, ascending.
pub fn outcomes<'a>(responses: impl IntoIterator<Item = &'a ApiResponse>) -> Vec<(u16, &'a str)> {
    let mut outcomes: Vec<_> = responses.into_iter().map(error_code).collect();
    outcomes.sort_unstable();
    outcomes
}

/// The body of an error in the format of most routes, with the code that belongs to the status.
pub fn error_body(status: u16, message: &str) -> Value {
    json!({"ok": false, "error": {"message": message, "code": default_code(status)}})
}

/// What is replied in the format of most routes to a request that is refused.
pub fn refusal(status: u16, message: &str) -> (u16, Value) {
    (status, error_body(status, message))
}

/// The code of an error that has no code of its own.
pub fn default_code(status: u16) -> &'static str {
    match status {
        400 => "INVALID_REQUEST",
        401 => "UNAUTHORIZED",
        403 => "FORBIDDEN",
        404 => "NOT_FOUND",
        405 => "METHOD_NOT_ALLOWED",
        409 => "IN_PROGRESS",
        413 => "TOO_LARGE",
        415 => "UNSUPPORTED_TYPE",
        429 => "TOO_MANY_REQUESTS",
        500 => "INTERNAL_ERROR",
        other => panic!("an error with status {other} has a code of its own, or none"),
    }
}
