//! DynamoDB and DynamoDB Streams: a proxy that injects faults and meters the consumed capacity of each function, in
//! front of an embedded engine.
//!
//! The engine matches the types, limits, error codes and consumed capacity of DynamoDB, with these differences: all
//! reads are strongly consistent, a stream has one shard, and a write that does not change the item still appends a
//! stream record.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use dynoxide::Database;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::database::DatabaseFile;
use super::usage::{MeteredCall, Units};
use super::{ErrorFormat, Instrumentation, StartError, listen, permissions};
use crate::faults::{Call, Target, application};
use crate::random;
use crate::server::{Reply, Server};

/// Expired items stay readable for a while, as in DynamoDB. Tests with a clock in the past end before the first sweep.
const EXPIRY_INTERVAL: Duration = Duration::from_mins(10);

/// The request member that enables `ConsumedCapacity` in the response.
const RETURN_CONSUMED_CAPACITY: &str = "ReturnConsumedCapacity";

const ERROR_FORMAT: ErrorFormat = ErrorFormat {
    reply: |status, code, message| {
        let r#type = format!("com.amazonaws.dynamodb.v20120810#{code}");
        let body = serde_json::json!({"__type": r#type, "message": message}).to_string();
        Reply::bytes(status, "application/x-amz-json-1.0", body)
    },
    internal: "InternalServerError",
    throttled: (StatusCode::BAD_REQUEST, "ProvisionedThroughputExceededException"),
};

/// The DynamoDB endpoint.
pub struct DynamoDb {
    server: Server,
    changes: watch::Receiver<u64>,
    database: DatabaseFile,
    /// The engine's HTTP server and the removal of expired items. Dropping the set aborts both.
    _tasks: JoinSet<()>,
    /// The directory of the database if it is not kept. Dropping it deletes the file.
    _temp_dir: Option<TempDir>,
}

impl DynamoDb {
    pub(super) async fn start(port: u16, file: Option<PathBuf>, instrumentation: Instrumentation) -> Result<Self, StartError> {
        let (database, temp_dir) = match file {
            Some(path) => (DatabaseFile::open(path)?, None),
            None => {
                let (database, directory) = DatabaseFile::temporary()?;
                (database, Some(directory))
            }
        };
        let mut tasks = JoinSet::new();
        let engine = start_engine(&mut tasks, database.engine.clone()).await?;
        tasks.spawn(remove_expired_regularly(database.clone()));

        let (counter, changes) = watch::channel(0);
        let guard = instrumentation.guard.clone();
        let proxy = Proxy { instrumentation, engine, client: http_client(), changes: counter.into() };
        let handler = move |request| {
            let proxy = proxy.clone();
            async move { proxy.handle(request).await }
        };
        let server = listen(port, guard, handler).await?;
        Ok(Self { server, changes, database, _tasks: tasks, _temp_dir: temp_dir })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The engine, without fault injection and metering, for bulk loads and reading streams. Its calls block.
    pub fn database(&self) -> &Database {
        &self.database.engine
    }

    /// Returns the first partition keys of a table that begin with this text, in their order, without a scan.
    pub async fn partition_keys(&self, table: &str, prefix: &'static str, limit: usize) -> Result<Vec<String>, StartError> {
        let (database, table) = (self.database.clone(), table.to_owned());
        let keys = tokio::task::spawn_blocking(move || database.partition_keys(&table, prefix, limit));
        keys.await.unwrap_or_else(|_| Ok(Vec::new()))
    }

    /// Counts the successful write calls, so that a reader of a stream can wait for one instead of polling.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }
}

impl std::fmt::Debug for DynamoDb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynamoDb").field("server", &self.server).finish_non_exhaustive()
    }
}

/// Serves the engine on a free loopback port and returns its address.
///
/// The engine allows pages of every site to read its responses. Where the operating system has more than one loopback
/// address, it listens on a random one, so that no page can find it.
async fn start_engine(tasks: &mut JoinSet<()>, database: Database) -> Result<Authority, StartError> {
    let port_error = |source| StartError::Port { port: 0, source };
    let [second, third, fourth] = random::bytes();
    let listener = match TcpListener::bind((Ipv4Addr::new(127, second, third, fourth | 1), 0)).await {
        Err(_) => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
        listener => listener,
    };
    let listener = listener.map_err(port_error)?;
    let address = listener.local_addr().map_err(port_error)?;
    tasks.spawn(async move {
        let _ = dynoxide::server::serve_with_shutdown(listener, database, std::future::pending()).await;
    });
    Authority::try_from(address.to_string()).map_err(|error| port_error(std::io::Error::other(error)))
}

async fn remove_expired_regularly(database: DatabaseFile) {
    let mut timer = tokio::time::interval_at(tokio::time::Instant::now() + EXPIRY_INTERVAL, EXPIRY_INTERVAL);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.remove_expired()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "failed to remove expired items"),
            // The runtime is shutting down.
            Err(_) => return,
        }
    }
}

type HttpClient = Client<HttpConnector, Full<Bytes>>;

fn http_client() -> HttpClient {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

/// Forwards calls to the engine.
#[derive(Clone)]
struct Proxy {
    instrumentation: Instrumentation,
    engine: Authority,
    client: HttpClient,
    changes: Arc<watch::Sender<u64>>,
}

impl Proxy {
    async fn handle(&self, request: Request<Bytes>) -> Reply {
        let started = Instant::now();
        let target = header_text(request.headers(), "x-amz-target").to_owned();
        let (service, operation) = target.rsplit_once('.').unwrap_or(("", &target));
        let call = Call { target: Target::Dynamodb, operation, headers: request.headers() };
        let is_metered = service == "DynamoDB_20120810";
        // Readers of the stream work in the background, and would consume faults that are meant for the calls of a request.
        let fault = if is_metered { self.instrumentation.faults.take(call) } else { None };
        if is_metered {
            let required = permissions::for_dynamodb(operation, request.body());
            self.instrumentation.permissions.record(request.headers(), required);
        }
        let started = is_metered.then_some(started);
        ERROR_FORMAT.with_fault(fault, self.execute(operation, started, request)).await
    }

    /// `started` is the time at which a metered call began.
    async fn execute(&self, operation: &str, started: Option<Instant>, mut request: Request<Bytes>) -> Reply {
        let function = application(request.headers()).unwrap_or("other").to_owned();
        let capacity = started.and_then(|_| CapacityKind::of_operation(operation));
        if capacity.is_some() {
            request_consumed_capacity(request.body_mut());
        }
        let response = match self.forward(request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(error, "the DynamoDB engine did not respond");
                return Reply::Drop;
            }
        };
        if let Some(started) = started {
            let units = capacity.map(|capacity| capacity.units(response.body())).unwrap_or_default();
            let operation = operation.to_owned();
            self.instrumentation.usage.add(MeteredCall { function: &function, operation, units, started });
        }
        if capacity == Some(CapacityKind::Write) && response.status().is_success() {
            self.changes.send_modify(|count| *count += 1);
        }
        Reply::Send(response)
    }

    async fn forward(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Box<dyn std::error::Error>> {
        let (mut head, body) = request.into_parts();
        let mut uri = head.uri.into_parts();
        uri.scheme = Some(Scheme::HTTP);
        uri.authority = Some(self.engine.clone());
        uri.path_and_query.get_or_insert(PathAndQuery::from_static("/"));
        head.uri = Uri::from_parts(uri)?;
        // The body can have changed; the client computes the length again.
        head.headers.remove(header::CONTENT_LENGTH);
        let (head, body) = self.client.request(Request::from_parts(head, Full::new(body))).await?.into_parts();
        Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Adds `ReturnConsumedCapacity` to the request unless it is already enabled. Leaves a body that is not a JSON object
/// unchanged, so that the engine rejects it.
fn request_consumed_capacity(body: &mut Bytes) {
    let Ok(mut members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(body) else { return };
    if members.get(RETURN_CONSUMED_CAPACITY).is_some_and(|value| value.get() != r#""NONE""#) {
        return;
    }
    let Ok(total) = serde_json::from_str(r#""TOTAL""#) else { return };
    members.insert(RETURN_CONSUMED_CAPACITY.to_owned(), total);
    if let Ok(changed) = serde_json::to_vec(&members) {
        *body = changed.into();
    }
}

/// The kind of capacity that an operation consumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CapacityKind {
    Read,
    Write,
}

impl CapacityKind {
    /// Returns `None` for an operation that consumes no capacity. `PartiQL` statements are not metered.
    fn of_operation(operation: &str) -> Option<Self> {
        match operation {
            "GetItem" | "BatchGetItem" | "Query" | "Scan" | "TransactGetItems" => Some(Self::Read),
            "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" | "TransactWriteItems" => Some(Self::Write),
            _ => None,
        }
    }

    fn units(self, response: &[u8]) -> Units {
        let Ok(MeteredResponse { consumed }) = serde_json::from_slice(response) else { return Units::default() };
        let tables = if let Value::Array(tables) = consumed { tables } else { vec![consumed] };
        tables.iter().fold(Units::default(), |sum, table| sum.plus(self.units_of(table)))
    }

    fn units_of(self, table: &Value) -> Units {
        let units = |name: &str| table.get(name).and_then(Value::as_f64);
        match (units("ReadCapacityUnits"), units("WriteCapacityUnits"), self) {
            (None, None, Self::Read) => Units { read: units("CapacityUnits").unwrap_or_default(), write: 0.0 },
            (None, None, Self::Write) => Units { read: 0.0, write: units("CapacityUnits").unwrap_or_default() },
            // A repeated transaction with the same client request token consumes read capacity.
            (read, write, _) => Units { read: read.unwrap_or_default(), write: write.unwrap_or_default() },
        }
    }
}

#[derive(Deserialize)]
struct MeteredResponse {
    /// An object, or one for each table.
    #[serde(rename = "ConsumedCapacity", default)]
    consumed: Value,
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::config::AppName;
    use aws_sdk_dynamodb::types::{
        AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, Put, ScalarAttributeType,
        StreamSpecification, StreamViewType, TimeToLiveSpecification, TransactWriteItem,
    };
    use serde_json::json;

    use super::super::testing::{call, client};
    use super::*;
    use crate::aws::Usage;
    use crate::faults::Faults;

    const TABLE: &str = "notes";

    async fn start_metered(faults: Faults) -> (DynamoDb, Usage) {
        let usage = Usage::default();
        let instrumentation = Instrumentation { faults, usage: usage.clone(), ..Instrumentation::default() };
        (start_with(instrumentation).await, usage)
    }

    async fn start_with(instrumentation: Instrumentation) -> DynamoDb {
        DynamoDb::start(0, None, instrumentation).await.unwrap()
    }

    fn client(dynamodb: &DynamoDb) -> aws_sdk_dynamodb::Client {
        client!(aws_sdk_dynamodb, dynamodb.url(), app_name(AppName::new("orders").unwrap()))
    }

    async fn create_table(client: &aws_sdk_dynamodb::Client) {
        let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S);
        let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash);
        let stream =
            StreamSpecification::builder().stream_enabled(true).stream_view_type(StreamViewType::NewAndOldImages).build();
        client
            .create_table()
            .table_name(TABLE)
            .attribute_definitions(id.build().unwrap())
            .key_schema(key.build().unwrap())
            .billing_mode(BillingMode::PayPerRequest)
            .stream_specification(stream.unwrap())
            .send()
            .await
            .unwrap();
    }

    fn text(text: impl Into<String>) -> AttributeValue {
        AttributeValue::S(text.into())
    }

    async fn put(client: &aws_sdk_dynamodb::Client, id: &str, note: String) {
        client.put_item().table_name(TABLE).item("id", text(id)).item("note", text(note)).send().await.unwrap();
    }

    async fn note(client: &aws_sdk_dynamodb::Client, id: &str) -> Option<String> {
        let output = client.get_item().table_name(TABLE).key("id", text(id)).consistent_read(true).send().await.unwrap();
        output.item.map(|item| item["note"].as_s().unwrap().clone())
    }

    #[tokio::test]
    async fn meters_consumed_capacity_by_function_and_operation() {
        let (dynamodb, usage) = start_metered(Faults::default()).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        usage.reset();

        put(&client, "a", "x".repeat(3000)).await;
        note(&client, "a").await;
        note(&client, "a").await;
        let write = Put::builder().table_name(TABLE).item("id", text("b")).build().unwrap();
        let write = TransactWriteItem::builder().put(write).build();
        let transaction = client.transact_write_items().transact_items(write).client_request_token("token");
        transaction.clone().send().await.unwrap();
        transaction.send().await.unwrap();
        let other = client!(aws_sdk_dynamodb, dynamodb.url());
        other.describe_table().table_name(TABLE).send().await.unwrap();
        other.get_item().table_name("missing").key("id", text("a")).send().await.unwrap_err();

        assert_eq!(
            usage.to_json(),
            json!({
                "orders": {
                    "GetItem": {"calls": 2, "readUnits": 2.0, "writeUnits": 0.0},
                    "PutItem": {"calls": 1, "readUnits": 0.0, "writeUnits": 3.0},
                    "TransactWriteItems": {"calls": 2, "readUnits": 2.0, "writeUnits": 2.0},
                },
                "other": {
                    "DescribeTable": {"calls": 1, "readUnits": 0.0, "writeUnits": 0.0},
                    "GetItem": {"calls": 1, "readUnits": 0.0, "writeUnits": 0.0},
                },
            })
        );
        assert_eq!(usage.sequential_calls("orders"), 5);
        usage.reset();
        assert_eq!(usage.to_json(), json!({}));
    }

    #[tokio::test]
    async fn stream_calls_share_the_endpoint_and_consume_no_faults() {
        let faults = Faults::default();
        let (dynamodb, usage) = start_metered(faults.clone()).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        usage.reset();
        let stream_call = |operation: &str, body: Value| {
            let request = Request::post(dynamodb.url())
                .header("x-amz-target", format!("DynamoDBStreams_20120810.{operation}"))
                .header("content-type", "application/x-amz-json-1.0")
                .header("x-amz-date", "20260101T000000Z")
                .header("authorization", "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c")
                .body(body.to_string().into())
                .unwrap();
            async move { serde_json::from_slice::<Value>(call(request).await.body()).unwrap() }
        };

        let stream = stream_call("ListStreams", json!({"TableName": TABLE})).await["Streams"][0]["StreamArn"].clone();
        let described = stream_call("DescribeStream", json!({"StreamArn": stream})).await;
        let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
        let oldest_record = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = stream_call("GetShardIterator", oldest_record).await["ShardIterator"].clone();
        put(&client, "a", "new".to_owned()).await;
        let drop_next_call = json!([{"target": "dynamodb", "match": "*", "kind": "drop"}]);
        faults.replace(serde_json::from_value(drop_next_call).unwrap());
        let records = stream_call("GetRecords", json!({"ShardIterator": iterator})).await;

        assert_eq!(records["Records"][0]["dynamodb"]["NewImage"]["note"], json!({"S": "new"}));
        let read = client.get_item().table_name(TABLE).key("id", text("a")).send().await;
        assert!(read.is_err(), "the stream calls consumed the fault");
        assert_eq!(usage.to_json()["other"], Value::Null);
    }

    #[tokio::test]
    async fn removes_expired_items() {
        let dynamodb = start_with(Instrumentation::default()).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        let ttl = TimeToLiveSpecification::builder().enabled(true).attribute_name("until").build().unwrap();
        client.update_time_to_live().table_name(TABLE).time_to_live_specification(ttl).send().await.unwrap();
        let until = AttributeValue::N("1700000000".to_owned());
        client.put_item().table_name(TABLE).item("id", text("a")).item("until", until).send().await.unwrap();

        dynamodb.database().sweep_ttl().unwrap();
        assert_eq!(note(&client, "a").await, None);
    }

    #[tokio::test]
    async fn acknowledged_writes_are_in_the_file_while_the_engine_still_runs() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("dynamodb.sqlite");
        let first = DynamoDb::start(0, Some(file.clone()), Instrumentation::default()).await.unwrap();
        create_table(&client(&first)).await;
        put(&client(&first), "a", "kept".to_owned()).await;

        let second = DynamoDb::start(0, Some(file), Instrumentation::default()).await.unwrap();
        assert_eq!(note(&client(&second), "a").await.as_deref(), Some("kept"));
    }

    #[test]
    fn requests_consumed_capacity_unless_already_enabled() {
        for (sent, forwarded) in [
            ("{}", r#"{"ReturnConsumedCapacity":"TOTAL"}"#),
            (r#"{"A":{"N":"1.50"}}"#, r#"{"A":{"N":"1.50"},"ReturnConsumedCapacity":"TOTAL"}"#),
            (r#"{"ReturnConsumedCapacity":"NONE"}"#, r#"{"ReturnConsumedCapacity":"TOTAL"}"#),
            (r#"{"ReturnConsumedCapacity":"INDEXES"}"#, r#"{"ReturnConsumedCapacity":"INDEXES"}"#),
            ("not JSON", "not JSON"),
        ] {
            let mut body = Bytes::from(sent);
            request_consumed_capacity(&mut body);
            assert_eq!(body, forwarded);
        }
    }
}
