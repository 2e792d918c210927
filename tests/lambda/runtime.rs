//! The Lambda Runtime API, as far as a function sees it: it asks for the next event and posts its answer.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderValue, Request, Response, StatusCode};
use serde_json::Value;
use test_support::{cargo, workspace_root};
use tokio::sync::{Mutex, mpsc};
use upstreams::server::{Reply, Server};

const TIMEOUT_MS: u128 = 15_000;
pub(crate) const METRICS_NAMESPACE: &str = "Portal/test";
pub(crate) const REQUEST_ID: &str = "request-of-a-test";

/// Builds what the tests start. They come after the build of the tests, so that nothing else holds the lock.
pub(crate) fn build_binaries() {
    let build = cargo().args(["build", "--workspace", "--bins", "--tests", "--quiet"]).status();
    assert!(build.unwrap().success());
}

/// A function that runs as a process of its own.
pub(crate) struct Function {
    process: Child,
    events: mpsc::UnboundedSender<Value>,
    answers: Mutex<mpsc::UnboundedReceiver<Value>>,
    /// Read as it comes: a full pipe would stop the process.
    log: Option<JoinHandle<String>>,
    _api: Server,
}

impl Function {
    pub(crate) async fn start(name: &str, environment: &BTreeMap<&'static str, String>) -> Self {
        let (events, next) = mpsc::unbounded_channel();
        let (answered, answers) = mpsc::unbounded_channel();
        let next = Arc::new(Mutex::new(next));
        let api =
            Server::start(0, move |request| handle(request, next.clone(), answered.clone())).await.unwrap();
        let mut process = Command::new(workspace_root().join("target/debug").join(name))
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
        Self { process, events, answers: Mutex::new(answers), log: Some(log), _api: api }
    }

    /// Hands an event over and waits for the answer.
    pub(crate) async fn invoke(&self, event: &Value) -> Value {
        self.events.send(event.clone()).unwrap();
        self.answers.lock().await.recv().await.unwrap()
    }

    /// Ends the process, and returns all that it has written.
    pub(crate) fn end(mut self) -> String {
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
    next: Arc<Mutex<mpsc::UnboundedReceiver<Value>>>,
    answered: mpsc::UnboundedSender<Value>,
) -> Reply {
    match request.uri().path().rsplit('/').next() {
        Some("next") => match next.lock().await.recv().await {
            Some(event) => Reply::Send(invocation(&event)),
            None => Reply::Timeout,
        },
        Some("response" | "error") => {
            let _ = answered.send(serde_json::from_slice(request.body()).unwrap_or_default());
            Reply::bytes(StatusCode::ACCEPTED, "application/json", "{}")
        }
        _ => Reply::bytes(StatusCode::NOT_FOUND, "application/json", "{}"),
    }
}

fn invocation(event: &Value) -> Response<Bytes> {
    #[expect(clippy::disallowed_methods, reason = "the deadline is one of the machine's clock")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let mut response = Response::new(Bytes::from(event.to_string()));
    let headers = response.headers_mut();
    headers.insert("lambda-runtime-aws-request-id", HeaderValue::from_static(REQUEST_ID));
    headers.insert(
        "lambda-runtime-deadline-ms",
        HeaderValue::from_str(&(now + TIMEOUT_MS).to_string()).unwrap(),
    );
    let arn = "arn:aws:lambda:eu-west-1:123456789012:function:test";
    headers.insert("lambda-runtime-invoked-function-arn", HeaderValue::from_static(arn));
    response
}
