//! The local system in this process, called over HTTP as the administrator of the generated merchant.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use local::{Local, Options, StartingState};
use reqwest::{Client, Method, RequestBuilder};
use serde::Deserialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::{Store, Stored};
use shared::merchants::model::merchant::Merchant;
use shared::values::MerchantId;

use crate::error::BenchError;

const MERCHANT: &str = "m-big";
const ADMINISTRATOR: &str = "u-big";
const USAGE: &str = "/__local/usage";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// A server error after this time means that the function has run out of its 15 seconds.
const OUT_OF_TIME: Duration = Duration::from_secs(10);
/// What a function has begun ends within this time after the request was given up.
const AFTERMATH: Duration = Duration::from_secs(1);

pub(crate) struct System {
    local: Arc<Local>,
    client: Client,
    token: String,
}

/// The response to a request, with the time until its body was complete.
pub(crate) struct Response {
    pub(crate) time: Duration,
    /// `None` if the request was given up.
    pub(crate) body: Option<Value>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OperationUsage {
    pub(crate) calls: u64,
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
}

/// By function and operation.
pub(crate) type Usage = BTreeMap<String, BTreeMap<String, OperationUsage>>;

impl System {
    pub(crate) async fn start(data: &Path) -> Result<Self, BenchError> {
        let options = Options { data: Some(data.to_owned()), fixtures: StartingState::Nothing, ..Options::default() };
        let local = Local::start(options).await?;
        let unusable = || BenchError::UnusableData(data.display().to_string());
        let token = local.sign_in(ADMINISTRATOR).await?.ok_or_else(unusable)?;
        let system = Self { local: Arc::new(local), client: shared::base::outbound::client(CONNECT_TIMEOUT), token };
        system.merchant().await?.ok_or_else(unusable)?;
        Ok(system)
    }

    /// The system, called by another user.
    pub(crate) async fn signed_in(&self, user: &str) -> Result<Self, BenchError> {
        let token = self.local.sign_in(user).await?.ok_or_else(|| BenchError::UnusableData(user.to_owned()))?;
        Ok(Self { local: self.local.clone(), client: self.client.clone(), token })
    }

    pub(crate) fn app(&self) -> &App {
        self.local.app()
    }

    /// Does something while no worker of the local system runs.
    pub(crate) async fn pause<T>(&self, work: impl Future<Output = T>) -> T {
        self.local.pause(work).await
    }

    pub(crate) fn store(&self) -> &Store {
        &self.local.app().store
    }

    pub(crate) async fn merchant(&self) -> Result<Option<Stored<Merchant>>, BenchError> {
        Ok(self.store().merchant(&MerchantId::new(MERCHANT)).await?)
    }

    /// Sends a request that may be given up.
    pub(crate) async fn time(&self, path: &str) -> Result<Response, BenchError> {
        let started = Instant::now();
        let result = self.send(self.request(Method::GET, path), path).await;
        let time = started.elapsed();
        let is_out_of_time = match &result {
            Err(BenchError::Request(error)) => error.is_timeout(),
            Err(BenchError::Status { status, .. }) => status.is_server_error() && time > OUT_OF_TIME,
            _ => false,
        };
        if is_out_of_time {
            tokio::time::sleep(AFTERMATH).await;
            return Ok(Response { time, body: None });
        }
        Ok(Response { time, body: Some(result?) })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Value, BenchError> {
        self.time(path).await?.body.ok_or_else(|| BenchError::GivenUp { path: path.to_owned() })
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, BenchError> {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        self.send(request.body(body.to_string()), path).await
    }

    /// Finishes all work that follows from the requests before.
    pub(crate) async fn drain(&self) -> Result<(), BenchError> {
        self.post("/__local/drain", &Value::Null).await?;
        Ok(())
    }

    /// Delays each call to DynamoDB and S3.
    pub(crate) async fn delay_calls(&self, delay: Duration) -> Result<(), BenchError> {
        let milliseconds = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let fault =
            |target: &str| json!({"target": target, "match": "*", "kind": "delay", "value": milliseconds, "times": "always"});
        self.post("/__local/faults", &json!([fault("dynamodb"), fault("s3")])).await?;
        Ok(())
    }

    pub(crate) async fn stop_delaying_calls(&self) -> Result<(), BenchError> {
        self.post("/__local/faults", &json!([])).await?;
        Ok(())
    }

    pub(crate) async fn reset_usage(&self) -> Result<(), BenchError> {
        self.send(self.request(Method::DELETE, USAGE), USAGE).await?;
        Ok(())
    }

    pub(crate) async fn usage(&self) -> Result<Usage, BenchError> {
        parsed(USAGE, serde_json::from_value(self.get(USAGE).await?))
    }

    /// The number of calls that a function has made one after the other since the usage was reset.
    pub(crate) fn sequential_calls(&self, function: &str) -> u64 {
        self.local.sequential_calls(function)
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.local.listening.api);
        self.client.request(method, url).bearer_auth(&self.token).timeout(REQUEST_TIMEOUT)
    }

    async fn send(&self, request: RequestBuilder, path: &str) -> Result<Value, BenchError> {
        let response = request.send().await?;
        let status = response.status();
        let body = response.text().await?;
        if !status.is_success() {
            return Err(BenchError::Status { path: path.to_owned(), status, body });
        }
        parsed(path, serde_json::from_str(&body))
    }
}

fn parsed<T>(path: &str, result: Result<T, serde_json::Error>) -> Result<T, BenchError> {
    result.map_err(|source| BenchError::Json { path: path.to_owned(), source })
}
