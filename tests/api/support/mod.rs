//! The local system in the test's own process, and callers who use it over the wire.

pub(crate) mod contract;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use local::{Local, Options, StartingState};
use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde_json::{Value, json};
use shared::clock::Clock;

/// A system of its own for each test: free ports, everything in memory.
pub(crate) struct System {
    pub(crate) local: Local,
    client: Client,
}

/// A client that can speak to the local system.
pub(crate) fn client() -> Client {
    shared::outbound::client(std::time::Duration::from_secs(5))
}

/// The hands of a clock that stands still until a test turns them.
#[derive(Clone)]
pub(crate) struct Hands(Arc<AtomicI64>);

impl Hands {
    pub(crate) fn at(time: &str) -> Self {
        let time: Timestamp = time.parse().unwrap();
        Self(Arc::new(AtomicI64::new(time.as_second())))
    }

    pub(crate) fn clock(&self) -> Clock {
        let seconds = self.0.clone();
        Clock::new(move || Timestamp::from_second(seconds.load(Ordering::Relaxed)).unwrap())
    }

    pub(crate) fn turn(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::Relaxed);
    }
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// JSON, else the text.
    pub(crate) body: Value,
    #[serde(skip)]
    pub(crate) headers: reqwest::header::HeaderMap,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// All by which a caller could tell two answers apart: everything but the request's id and the time.
    pub(crate) fn whole(&self) -> (u16, &Value, BTreeMap<&str, &[u8]>) {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
        let headers = headers.filter(|(name, _)| !matches!(*name, "x-request-id" | "date"));
        (self.status, &self.body, headers.collect())
    }

    /// The text at a path such as `/data/orderId`.
    pub(crate) fn text(&self, pointer: &str) -> String {
        self.at(pointer).as_str().unwrap_or_else(|| panic!("{pointer} of {self:?}")).to_owned()
    }

    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }
}

/// A merchant world that most tests begin with: five merchants, every kind of user, offers and cards.
pub(crate) fn world() -> Value {
    serde_json::from_str(include_str!("world.json")).unwrap()
}

impl System {
    /// A system with the usual world in it.
    pub(crate) async fn start() -> Self {
        Self::with_clock(Clock::system()).await
    }

    pub(crate) async fn with_clock(clock: Clock) -> Self {
        let options = Options { fixtures: StartingState::Nothing, clock, ..Options::default() };
        let system = Self { local: Local::start(options).await.unwrap(), client: client() };
        system.load(&world()).await;
        system
    }

    /// Loads a fixtures document on top of what is there.
    pub(crate) async fn load(&self, document: &Value) {
        let loaded = self.anonymous().post("/__local/fixtures", document).await;
        assert_eq!(loaded.status, 200, "{loaded:?}");
    }

    pub(crate) fn anonymous(&self) -> Caller<'_> {
        Caller { system: self, token: None }
    }

    /// Somebody with a token that nobody was given.
    pub(crate) fn with_token(&self, token: &str) -> Caller<'_> {
        Caller { system: self, token: Some(token.to_owned()) }
    }

    /// Signs a user of the world in.
    pub(crate) async fn user(&self, id: &str) -> Caller<'_> {
        let token = self.local.sign_in(id).await.unwrap().unwrap_or_else(|| panic!("no user {id}"));
        Caller { system: self, token: Some(token) }
    }

    pub(crate) async fn faults(&self, faults: Value) {
        let set = self.anonymous().post("/__local/faults", &faults).await;
        assert_eq!(set.status, 200, "{set:?}");
    }

    /// The next calls to the card network fail so.
    pub(crate) async fn network_fault(&self, r#match: &str, kind: &str, value: Value) {
        let fault = json!({"target": "card-network", "match": r#match, "kind": kind, "times": "always", "value": value});
        self.faults(json!([fault])).await;
    }

    pub(crate) async fn settle(&self) -> Value {
        self.anonymous().send(Method::POST, "/__local/settle", None).await.body
    }

    /// The mails that were sent, oldest first.
    pub(crate) async fn mails(&self) -> Vec<Value> {
        self.anonymous().get("/__local/mail").await.body.as_array().unwrap().clone()
    }

    /// The calls that the card network got, as `METHOD /path`.
    pub(crate) async fn network_calls(&self) -> Vec<Value> {
        let calls = self.anonymous().get("/__local/upstream-calls").await.body;
        let of_network = |call: &&Value| call["target"] == "card-network";
        calls.as_array().unwrap().iter().filter(of_network).cloned().collect()
    }
}

/// Somebody who calls the API.
#[derive(Clone)]
pub(crate) struct Caller<'a> {
    system: &'a System,
    token: Option<String>,
}

impl Caller<'_> {
    pub(crate) fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PATCH, path, Some(body)).await
    }

    /// A body that is not, or not quite, JSON.
    pub(crate) async fn post_text(&self, path: &str, body: &str) -> Answer {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        Self::answer(request.body(body.to_owned())).await
    }

    pub(crate) async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        };
        Self::answer(request).await
    }

    /// A request to add headers to.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request =
            self.system.client.request(method, format!("{}{path}", self.system.local.listening.api));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(crate) async fn answer(request: RequestBuilder) -> Answer {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = client.execute(request).await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let answer = Answer { status, body, headers };
        contract::check(&method, &path, &answer);
        answer
    }
}
