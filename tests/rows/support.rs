//! A local system whose table holds the golden rows, and direct access to the table.

use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};

use local::{Local, Options, StartingState};
use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde_json::{Value, json};
use world::{ManualClock, client};

use crate::golden::{self, NOW, SESSION_TOKEN};

/// Work that runs in the background. These rows are loaded by [`System::load_work`].
fn is_due_work(row: &Value) -> bool {
    row.get("due_pk").is_some()
}

pub(crate) struct System {
    pub(crate) local: Local,
    client: Client,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ApiResponse {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl ApiResponse {
    /// The value at a JSON pointer, or null.
    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.body.pointer(pointer).unwrap_or(&Value::Null)
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.body.to_string().contains(text)
    }
}

impl System {
    /// Starts a system with an empty table.
    pub(crate) async fn empty() -> Self {
        capture_log();
        let clock = ManualClock::at(NOW).clock();
        let options = Options { fixtures: StartingState::Nothing, clock, ..Options::default() };
        Self { local: Local::start(options).await.unwrap(), client: client() }
    }

    /// Starts a system with these rows, except those of due work, which would run in the background.
    pub(crate) async fn with_rows(rows: &[Value]) -> Self {
        let system = Self::empty().await;
        system.load_fixtures(&json!({"cardNetwork": golden::card_network()})).await;
        for row in rows.iter().filter(|row| !is_due_work(row)) {
            system.put(row).await;
        }
        system
    }

    /// Writes the rows of due work.
    pub(crate) async fn load_work(&self, rows: &[Value]) {
        for row in rows.iter().filter(|row| is_due_work(row)) {
            self.put(row).await;
        }
    }

    pub(crate) async fn load_fixtures(&self, fixtures: &Value) {
        let loaded = self.send(self.anonymous(Method::POST, "/__local/fixtures").body(fixtures.to_string())).await;
        assert_eq!(loaded.status, 200, "{loaded:?}");
    }

    pub(crate) async fn set_faults(&self, faults: &Value) {
        let set = self.send(self.anonymous(Method::POST, "/__local/faults").body(faults.to_string())).await;
        assert_eq!(set.status, 200, "{set:?}");
    }

    /// Runs all due work. Returns how much of it is left.
    pub(crate) async fn drain(&self) -> Value {
        let drained = self.send(self.anonymous(Method::POST, "/__local/drain")).await;
        assert_eq!(drained.status, 200, "{drained:?}");
        drained.body
    }

    pub(crate) fn anonymous(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.local.listening.api))
    }

    /// Starts a request with the stored session.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.anonymous(method, path).bearer_auth(SESSION_TOKEN)
    }

    pub(crate) async fn get(&self, path: &str) -> ApiResponse {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn send_json(&self, method: Method, path: &str, body: &Value) -> ApiResponse {
        let request = self.request(method, path).header("content-type", "application/json");
        self.send(request.body(body.to_string())).await
    }

    /// Sends a request of a till with an idempotency key.
    pub(crate) async fn send_with_key(&self, path: &str, key: &str, body: &str) -> ApiResponse {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        self.send(request.header("idempotency-key", key).body(body.to_owned())).await
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> ApiResponse {
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        ApiResponse { status, body: serde_json::from_str(&text).unwrap_or(Value::String(text)) }
    }

    /// The requests that move money at the card network.
    pub(crate) async fn money_calls(&self) -> usize {
        let calls = self.send(self.anonymous(Method::GET, "/__local/upstream-calls")).await.body;
        let is_money = |call: &&Value| call["target"] == "card-network" && call["method"] == "POST";
        calls.as_array().unwrap().iter().filter(is_money).count()
    }

    /// The subjects of the e-mails that were sent.
    pub(crate) async fn email_subjects(&self) -> Vec<Value> {
        let emails = self.send(self.anonymous(Method::GET, "/__local/mail")).await.body;
        let mut subjects: Vec<Value> = emails.as_array().unwrap().iter().map(|email| email["subject"].clone()).collect();
        subjects.sort_by_key(Value::to_string);
        subjects
    }

    /// Writes a row directly, bypassing the types of the store.
    pub(crate) async fn put(&self, row: &Value) {
        self.dynamodb("PutItem", json!({"Item": row})).await;
    }

    /// Writes rows with another value at a path, those that have it, as [`with_attribute`].
    pub(crate) async fn put_with(&self, rows: &[&Value], path: &str, value: &Value) {
        for row in rows.iter().filter_map(|row| changed(row, path, value)) {
            self.put(&row).await;
        }
    }

    /// The row with the key of this one, or null.
    pub(crate) async fn stored(&self, row: &Value) -> Value {
        let key = json!({"pk": row["pk"], "sk": row["sk"]});
        self.dynamodb("GetItem", json!({"Key": key, "ConsistentRead": true})).await["Item"].clone()
    }

    /// All rows, sorted by key.
    pub(crate) async fn all_rows(&self) -> Vec<Value> {
        let scanned = self.dynamodb("Scan", json!({})).await;
        assert!(scanned.get("LastEvaluatedKey").is_none(), "the rows do not fit in a page");
        let mut rows = scanned["Items"].as_array().unwrap().clone();
        rows.sort_by(|one, other| golden::key(one).cmp(&golden::key(other)));
        rows
    }

    async fn dynamodb(&self, operation: &str, mut body: Value) -> Value {
        body["TableName"] = json!(self.local.app().settings.table);
        let request = self
            .client
            .post(&self.local.listening.dynamodb)
            .header("content-type", "application/x-amz-json-1.0")
            // Required by the server, which does not verify the signature.
            .header("authorization", "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none")
            .header("x-amz-date", "20260101T000000Z")
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .body(body.to_string());
        let response = self.send(request).await;
        assert_eq!(response.status, 200, "{operation} {body}: {response:?}");
        response.body
    }
}

static LOG: OnceLock<Arc<Mutex<Vec<u8>>>> = OnceLock::new();

#[derive(Clone)]
struct LogWriter(Arc<Mutex<Vec<u8>>>);

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Collects the log of all systems in this process.
fn capture_log() {
    LOG.get_or_init(|| {
        let writer = LogWriter(Arc::default());
        let log = writer.0.clone();
        tracing_subscriber::fmt().json().flatten_event(true).with_writer(move || writer.clone()).init();
        log
    });
}

/// The log lines with a message.
pub(crate) fn logged(message: &str) -> Vec<Value> {
    let log = LOG.get().unwrap().lock().unwrap().clone();
    let lines = String::from_utf8(log).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["message"] == message).collect()
}

/// A copy of a row with another value at a path, such as `fraud.status` or `gift_cards.0.status`. Null removes the
/// attribute.
pub(crate) fn with_attribute(row: &Value, path: &str, value: &Value) -> Value {
    changed(row, path, value).unwrap_or_else(|| panic!("the row has no {path}"))
}

/// `None` if the row has no such attribute.
fn changed(row: &Value, path: &str, value: &Value) -> Option<Value> {
    let mut changed = row.clone();
    let (parents, name) = path.rsplit_once('.').unwrap_or(("", path));
    let mut parent = &mut changed;
    for step in parents.split('.').filter(|step| !step.is_empty()) {
        parent = match step.parse::<usize>() {
            Ok(index) => parent.get_mut("L")?.get_mut(index)?,
            // The attributes of an item are not wrapped.
            Err(_) if parent.get("M").is_some() => parent["M"].get_mut(step)?,
            Err(_) => parent.get_mut(step)?,
        };
    }
    if let Ok(index) = name.parse::<usize>() {
        *parent.get_mut("L")?.get_mut(index)? = value.clone();
        return Some(changed);
    }
    let fields = if parent.get("M").is_some() { &mut parent["M"] } else { parent };
    let fields = fields.as_object_mut()?;
    if value.is_null() {
        fields.remove(name)?;
    } else {
        *fields.get_mut(name)? = value.clone();
    }
    Some(changed)
}
