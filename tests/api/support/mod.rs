//! The local system in the test's process, and clients that call it over HTTP.

pub(crate) mod browser;
pub(crate) mod contract;
pub(crate) mod receiver;

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use local::{Local, Options, StartingState};
use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::store::{Stored, Write};
pub(crate) use test_support::{ManualClock, client};

use crate::external_aws::external_aws;

/// A local system for one test: free ports, all data in memory.
pub(crate) struct System {
    pub(crate) local: Local,
    client: Client,
}

/// A response of the API. Snapshots contain `status` and `body`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    /// The parsed JSON, or a string if the body is not JSON.
    pub(crate) body: Value,
    #[serde(skip)]
    pub(crate) headers: reqwest::header::HeaderMap,
}

impl ApiResponse {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the status, the body and all headers except `x-request-id` and `date`, which differ between any two
    /// responses.
    pub(crate) fn comparable(&self) -> (u16, &Value, BTreeMap<&str, &[u8]>) {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let headers = headers.filter(|(name, _)| !matches!(*name, "x-request-id" | "date"));
        (self.status, &self.body, headers.collect())
    }

    /// Returns the string at a JSON pointer such as `/data/orderId`.
    ///
    /// # Panics
    ///
    /// Panics if there is no string at the pointer.
    pub(crate) fn text(&self, pointer: &str) -> String {
        let text = self.at(pointer).as_str();
        text.unwrap_or_else(|| panic!("no string at {pointer} in {self:?}")).to_owned()
    }

    /// Returns the value at a JSON pointer, or null.
    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }
}

/// Returns the fixtures that every test starts with: five merchants, users with every role, offers and cards.
pub(crate) fn base_fixtures() -> Value {
    serde_json::from_str(include_str!("fixtures.json")).unwrap()
}

impl System {
    /// Starts a system with the base fixtures.
    pub(crate) async fn start() -> Self {
        Self::with_clock(Clock::system()).await
    }

    pub(crate) async fn with_clock(clock: Clock) -> Self {
        Self::with_options(Options { clock, ..Options::default() }).await
    }

    pub(crate) async fn with_dashboard_origin(origin: &str) -> Self {
        let dashboard_origins = vec![origin.to_owned()];
        Self::with_options(Options { dashboard_origins, ..Options::default() }).await
    }

    /// Starts a system without any data.
    pub(crate) async fn empty(clock: Clock) -> Self {
        Self::without_fixtures(Options { clock, ..Options::default() }).await
    }

    pub(crate) async fn with_options(options: Options) -> Self {
        let system = Self::without_fixtures(options).await;
        system.load_fixtures(&base_fixtures()).await;
        system
    }

    /// Starts a system with the data that an earlier one has left in its folder, if there is any.
    pub(crate) async fn without_fixtures(options: Options) -> Self {
        let options = Options { fixtures: StartingState::Nothing, external_aws: external_aws(), ..options };
        Self { local: Local::start(options).await.unwrap(), client: client() }
    }

    /// Adds fixtures to the stored data.
    pub(crate) async fn load_fixtures(&self, fixtures: &Value) {
        let response = self.anonymous().post("/__local/fixtures", fixtures).await;
        assert_eq!(response.status, 200, "{response:?}");
    }

    pub(crate) fn anonymous(&self) -> Caller<'_> {
        Caller { system: self, token: None }
    }

    /// Returns a caller with an arbitrary session token.
    pub(crate) fn with_token(&self, token: &str) -> Caller<'_> {
        Caller { system: self, token: Some(token.to_owned()) }
    }

    /// Signs in a user of the fixtures.
    pub(crate) async fn sign_in(&self, user_id: &str) -> Caller<'_> {
        let token = self.local.sign_in(user_id).await.unwrap();
        Caller { system: self, token: Some(token.unwrap_or_else(|| panic!("no user {user_id}"))) }
    }

    /// Replaces the faults of all simulators.
    pub(crate) async fn set_faults(&self, faults: Value) {
        let response = self.anonymous().post("/__local/faults", &faults).await;
        assert_eq!(response.status, 200, "{response:?}");
    }

    /// Makes every matching request to the card network fail. Replaces all other faults.
    pub(crate) async fn set_network_fault(&self, r#match: &str, kind: &str, value: Value) {
        let fault = json!({"target": "card-network", "match": r#match, "kind": kind, "times": "always", "value": value});
        self.set_faults(json!([fault])).await;
    }

    /// Runs all pending jobs and open operations, due or not. Returns how many of both stay `pending`, and how many jobs
    /// are `dead`.
    pub(crate) async fn drain(&self) -> Value {
        self.anonymous().send(Method::POST, "/__local/drain", None).await.body
    }

    /// Returns the e-mails that were sent, oldest first.
    pub(crate) async fn emails(&self) -> Vec<Value> {
        self.anonymous().get("/__local/mail").await.body.as_array().unwrap().clone()
    }

    /// Returns the requests that the card network received, oldest first.
    pub(crate) async fn network_calls(&self) -> Vec<Value> {
        let calls = self.anonymous().get("/__local/upstream-calls").await.body;
        let is_network_call = |call: &&Value| call["target"] == "card-network";
        calls.as_array().unwrap().iter().filter(is_network_call).cloned().collect()
    }
}

/// The body of an error in the format of most routes, with the code that belongs to the status.
pub(crate) fn error_body(status: u16, message: &str) -> Value {
    json!({"ok": false, "error": {"message": message, "code": code(status)}})
}

/// The code of an error that has no code of its own.
pub(crate) fn code(status: u16) -> &'static str {
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

/// Returns the stored merchant.
pub(crate) async fn stored_merchant(system: &System, id: &str) -> Stored<Merchant> {
    system.local.app().store.merchant(&MerchantId::new(id)).await.unwrap().unwrap()
}

/// Changes the stored merchant directly, without the API.
pub(crate) async fn change_merchant(system: &System, id: &str, change: impl FnOnce(&mut Merchant)) {
    let merchant = stored_merchant(system, id).await;
    let mut changed = merchant.value.clone();
    change(&mut changed);
    system.local.app().store.commit(vec![Write::replace(&merchant, &changed).unwrap()]).await.unwrap();
}

/// Returns the names of the identity fields that changed after the submission, oldest change first.
pub(crate) fn changed_fields(merchant: &Merchant) -> Vec<String> {
    let fields = merchant.identity_changes.iter().map(|change| serde_json::to_value(&change.field).unwrap());
    fields.map(|field| field.as_str().unwrap().to_owned()).collect()
}

/// Polls a future a number of times at most, and returns what it results in if it has finished.
pub(crate) async fn poll_up_to<F: Future + Unpin>(future: &mut F, polls: i64) -> Option<F::Output> {
    let mut left = polls;
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// A client of the API, signed in or anonymous.
#[derive(Clone)]
pub(crate) struct Caller<'a> {
    system: &'a System,
    token: Option<String>,
}

impl Caller<'_> {
    pub(crate) fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> ApiResponse {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::POST, path, Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> ApiResponse {
        self.send(Method::PATCH, path, Some(body)).await
    }

    /// Sends a body that may be invalid JSON.
    pub(crate) async fn post_text(&self, path: &str, body: &str) -> ApiResponse {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        Self::send_request(request.body(body.to_owned())).await
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> ApiResponse {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        };
        Self::send_request(request).await
    }

    /// Starts a request with the caller's session token.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.system.client.request(method, format!("{}{path}", self.system.local.listening.api));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends a request and checks the response against the API description.
    pub(crate) async fn send_request(request: RequestBuilder) -> ApiResponse {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = client.execute(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let response = ApiResponse { status, body, headers };
        contract::check(&method, &path, &response);
        response
    }
}
