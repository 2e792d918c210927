//! The local system in this process, called over HTTP without regard to what the API accepts.

use std::collections::BTreeMap;

use local::{Local, Options, StartingState};
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use shared::clock::Clock;
use world::client;

/// A local system on free ports, with all data in memory.
pub(crate) struct System {
    pub(crate) local: Local,
    client: Client,
}

/// A response, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Without those that differ between any two responses: the request id and the date.
    pub(crate) headers: BTreeMap<String, Vec<u8>>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON, or null.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

impl System {
    /// A system that was started elsewhere.
    pub(crate) fn of(local: Local) -> Self {
        Self { local, client: client() }
    }

    /// Starts a system with these fixtures only.
    pub(crate) async fn start(fixtures: &Value) -> Self {
        Self::with_options(Options::default(), fixtures).await
    }

    pub(crate) async fn with_clock(clock: Clock, fixtures: &Value) -> Self {
        Self::with_options(Options { clock, ..Options::default() }, fixtures).await
    }

    pub(crate) async fn with_options(options: Options, fixtures: &Value) -> Self {
        let options = Options { fixtures: StartingState::Nothing, ..options };
        let system = Self { local: Local::start(options).await.unwrap(), client: client() };
        let loaded = system.send(system.request(Method::POST, "/__local/fixtures").body(fixtures.to_string())).await.unwrap();
        assert_eq!(loaded.status, 200, "{}", String::from_utf8_lossy(&loaded.body));
        system
    }

    /// Signs in a user of the fixtures, and returns the token.
    pub(crate) async fn sign_in(&self, user: &str) -> String {
        self.local.sign_in(user).await.unwrap().unwrap_or_else(|| panic!("no user {user}"))
    }

    /// Starts a request to the API.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.local.listening.api))
    }

    /// Sends a request with JSON, and returns the answer whatever it is.
    pub(crate) async fn call(&self, token: Option<&str>, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let mut request = self.request(method, path);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        self.send(request).await.unwrap()
    }

    /// Runs all pending jobs and open operations, due or not.
    pub(crate) async fn drain(&self) {
        let drained = self.call(None, Method::POST, "/__local/drain", None).await;
        assert_eq!(drained.status, 200, "{drained:?}");
    }

    /// Sends a request. An error is one of the connection: there was no response.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Answer, reqwest::Error> {
        let response = request.send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_owned()));
        let headers = headers.filter(|(name, _)| !matches!(name.as_str(), "x-request-id" | "date")).collect();
        Ok(Answer { status, headers, body: response.bytes().await?.into() })
    }
}
