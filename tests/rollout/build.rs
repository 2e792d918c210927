//! The functions of one build, as processes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use test_support::event;
use test_support::runtime::Function;

pub(crate) const FUNCTIONS: [&str; 7] = ["merchant", "orders", "pos", "analytics", "jobs", "projections", "sweep"];

pub(crate) struct Build(BTreeMap<&'static str, Function>);

/// A request to an API function, based on an event of the folder `events/`.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    function: &'static str,
    event: Value,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u64,
    pub(crate) body: Value,
    /// Whether it repeats the response to an earlier request with the same idempotency key.
    pub(crate) is_replayed: bool,
}

impl Build {
    pub(crate) async fn start(folder: &Path, environment: &BTreeMap<&'static str, String>) -> Self {
        let mut functions = BTreeMap::new();
        for name in FUNCTIONS {
            functions.insert(name, Function::start_from(folder, name, environment).await);
        }
        Self(functions)
    }

    /// Sends a request as API Gateway does.
    pub(crate) async fn send(&self, request: &Request) -> Response {
        let response = self.0[request.function].invoke(&request.event).await;
        let status = response["statusCode"].as_u64().unwrap_or_else(|| panic!("{request:?}: {response}"));
        Response {
            status,
            body: serde_json::from_str(response["body"].as_str().unwrap()).unwrap(),
            is_replayed: response["headers"]["idempotent-replayed"] == "true",
        }
    }

    /// Invokes a function without routes, which must succeed.
    pub(crate) async fn work(&self, function: &str, event: &Value) {
        let response = self.0[function].invoke(event).await;
        assert!(response.is_null(), "{function}: {response}");
    }

    /// Kills all processes and counts the errors in their logs by function and message.
    pub(crate) fn stop(self) -> BTreeMap<String, usize> {
        let mut errors = BTreeMap::new();
        for (name, function) in self.0 {
            let log = function.stop();
            let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            for line in lines.filter(|line| line["level"] == "ERROR") {
                let message = format!("{name}: {} ({})", line["message"], line["cause"]);
                *errors.entry(message).or_default() += 1;
            }
        }
        errors
    }
}

impl Request {
    /// The name of an event starts with its function.
    pub(crate) fn new(name: &'static str) -> Self {
        let (function, _) = name.split_once('/').unwrap();
        Self { function, event: event(name) }
    }

    pub(crate) fn path(mut self, path: String) -> Self {
        self.event["requestContext"]["http"]["path"] = path.clone().into();
        self.event["rawPath"] = path.into();
        self
    }

    pub(crate) fn query(mut self, query: String) -> Self {
        self.event["rawQueryString"] = query.into();
        self
    }

    pub(crate) fn body(mut self, body: &Value) -> Self {
        self.event["body"] = body.to_string().into();
        self
    }

    pub(crate) fn json_body(&self) -> Value {
        serde_json::from_str(self.event["body"].as_str().unwrap()).unwrap()
    }

    pub(crate) fn idempotency_key(mut self, key: &str) -> Self {
        self.event["headers"]["idempotency-key"] = key.into();
        self
    }
}
