//! The parts of the Lambda Runtime API that a function calls: next invocation, response and error.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};
use upstreams::guard::Guard;
use upstreams::server::{Reply, Server};

use crate::cargo::{cargo, workspace_root};

const TIMEOUT_MS: u128 = 15_000;
pub const METRICS_NAMESPACE: &str = "Portal/test";
pub const REQUEST_ID: &str = "test-request-id";

/// Builds the function binaries. With a test among what is built, dependencies have the features of the test build, and are not built
/// again.
pub fn build_binaries() {
    let build = cargo().args(["build", "--workspace", "--bins", "--test", "lambda", "--quiet"]).status();
    assert!(build.unwrap().success());
}

/// A function as a child process.
pub struct Function {
    process: Child,
    events: mpsc::UnboundedSender<Value>,
    responses: Mutex<mpsc::UnboundedReceiver<Value>>,
    /// A thread reads the log continuously: a full pipe would block the process.
    log: Option<JoinHandle<String>>,
    _api: Server,
}

impl Function {
    pub async fn start<K: AsRef<OsStr>>(name: &str, environment: &BTreeMap<K, String>) -> Self {
        Self::start_from(&workspace_root().join("target/debug"), name, environment).await
    }

    /// Starts the binary in a folder.
    pub async fn start_from<K: AsRef<OsStr>>(folder: &Path, name: &str, environment: &BTreeMap<K, String>) -> Self {
        let (events, event_receiver) = mpsc::unbounded_channel();
        let (response_sender, responses) = mpsc::unbounded_channel();
        let event_receiver = Arc::new(Mutex::new(event_receiver));
        let api =
            Server::start(0, Guard::default(), move |request| handle(request, event_receiver.clone(), response_sender.clone()))
                .await
                .unwrap();
        let mut process = Command::new(folder.join(name))
            .env_clear()
            .envs(environment)
            .env("AWS_LAMBDA_RUNTIME_API", api.url().strip_prefix("http://").unwrap())
            .env("AWS_LAMBDA_FUNCTION_NAME", name)
            .env("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST")
            .env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256")
            .env("METRICS_NAMESPACE", METRICS_NAMESPACE)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = process.stdout.take().unwrap();
        let log = thread::spawn(move || {
            let mut log = String::new();
            stdout.read_to_string(&mut log).unwrap();
            log
        });
        Self { process, events, responses: Mutex::new(responses), log: Some(log), _api: api }
    }

    /// Invokes the function with an event and returns its response.
    pub async fn invoke(&self, event: &Value) -> Value {
        self.events.send(event.clone()).unwrap();
        self.responses.lock().await.recv().await.unwrap()
    }

    /// The most memory that the process has had so far, in kilobytes. Linux only.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().strip_suffix(" kB").unwrap().parse().unwrap()
    }

    /// Kills the process and returns its log.
    pub fn stop(mut self) -> String {
        self.process.kill().unwrap();
        self.log.take().unwrap().join().unwrap()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

async fn handle(
    request: Request<Bytes>,
    events: Arc<Mutex<mpsc::UnboundedReceiver<Value>>>,
    responses: mpsc::UnboundedSender<Value>,
) -> Reply {
    match request.uri().path().rsplit('/').next() {
        Some("next") => match events.lock().await.recv().await {
            Some(event) => Reply::Send(invocation(&event)),
            None => Reply::Timeout,
        },
        Some("response" | "error") => {
            let _ = responses.send(serde_json::from_slice(request.body()).unwrap_or_default());
            Reply::bytes(StatusCode::ACCEPTED, "application/json", "{}")
        }
        _ => Reply::bytes(StatusCode::NOT_FOUND, "application/json", "{}"),
    }
}

fn invocation(event: &Value) -> Response<Bytes> {
    #[expect(clippy::disallowed_methods, reason = "the function compares the deadline with the system clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let mut response = Response::new(Bytes::from(event.to_string()));
    let headers = response.headers_mut();
    headers.insert("lambda-runtime-aws-request-id", HeaderValue::from_static(REQUEST_ID));
    headers.insert("lambda-runtime-deadline-ms", HeaderValue::from_str(&(now + TIMEOUT_MS).to_string()).unwrap());
    let arn = "arn:aws:lambda:eu-west-1:123456789012:function:test";
    headers.insert("lambda-runtime-invoked-function-arn", HeaderValue::from_static(arn));
    response
}
