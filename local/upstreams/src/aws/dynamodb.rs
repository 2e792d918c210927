//! DynamoDB with its streams: an embedded engine behind an endpoint that can fail on request and meters what
//! every function consumes.
//!
//! The engine answers as DynamoDB does, in types, limits, error codes and consumed capacity. It differs in that
//! reads are always consistent, a stream has one shard, and a write that changes nothing still appends to it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use dynoxide::Database;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, Value};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::{Errors, StartError, Watch, listen, permissions};
use crate::faults::{Call, Target, application};
use crate::server::{Reply, Server};

const SWEEP_EVERY: Duration = Duration::from_secs(10);

/// What asks for the consumed capacity in a request.
const RETURN_CAPACITY: &str = "ReturnConsumedCapacity";

const ERRORS: Errors = Errors {
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
    meter: Meter,
    database: Database,
    /// The engine's own server and the removal of expired items; both end with this.
    _tasks: JoinSet<()>,
}

impl DynamoDb {
    pub(super) async fn start(port: u16, file: Option<PathBuf>, watch: Watch) -> Result<Self, StartError> {
        let database = open(file)?;
        let mut tasks = JoinSet::new();
        let engine = start_engine(&mut tasks, database.clone()).await?;
        tasks.spawn(sweep_for_ever(database.clone()));

        let meter = Meter::default();
        let proxy = Proxy { watch, engine, client: client(), meter: meter.clone() };
        let handler = move |request| {
            let proxy = proxy.clone();
            async move { proxy.answer(request).await }
        };
        Ok(Self { server: listen(port, handler).await?, meter, database, _tasks: tasks })
    }

    /// Base URL without a slash at the end.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The engine itself, past faults and meter: to load many items at once, or to read the streams. Its calls
    /// block.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Calls and consumed capacity since the start or the last reset:
    /// `{function: {operation: {"calls", "readUnits", "writeUnits"}}}`.
    ///
    /// Calls that fail count with no units, since the engine's errors carry none; those of the streams do not
    /// count.
    pub fn usage(&self) -> Value {
        self.meter.figures()
    }

    pub fn reset_usage(&self) {
        self.meter.reset();
    }
}

impl std::fmt::Debug for DynamoDb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynamoDb").field("server", &self.server).finish_non_exhaustive()
    }
}

fn open(file: Option<PathBuf>) -> Result<Database, StartError> {
    let Some(path) = file else { return Ok(Database::memory()?) };
    let database = Database::new(&path.to_string_lossy())?;
    // The only way to SQLite's `synchronous = NORMAL`, which spares a flush to the disk at every write. A
    // killed process loses nothing by that: a write is with the operating system before it is answered.
    database.disable_bulk_loading()?;
    Ok(database)
}

/// Serves the engine on a loopback port of its own and says where.
async fn start_engine(tasks: &mut JoinSet<()>, database: Database) -> Result<Authority, StartError> {
    let on_free_port = |source| StartError::Port { port: 0, source };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(on_free_port)?;
    let address = listener.local_addr().map_err(on_free_port)?;
    tasks.spawn(async move {
        let _ = dynoxide::server::serve_with_shutdown(listener, database, std::future::pending()).await;
    });
    Authority::try_from(address.to_string()).map_err(|error| on_free_port(std::io::Error::other(error)))
}

async fn sweep_for_ever(database: Database) {
    let mut timer = tokio::time::interval(SWEEP_EVERY);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        let database = database.clone();
        match tokio::task::spawn_blocking(move || database.sweep_ttl()).await {
            Ok(Ok(removed)) => tracing::trace!(removed, "expired items"),
            Ok(Err(error)) => tracing::warn!(%error, "cannot remove expired items"),
            // The runtime is shutting down.
            Err(_) => return,
        }
    }
}

type HttpClient = Client<HttpConnector, Full<Bytes>>;

fn client() -> HttpClient {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

/// Hands calls on to the engine.
#[derive(Clone)]
struct Proxy {
    watch: Watch,
    engine: Authority,
    client: HttpClient,
    meter: Meter,
}

impl Proxy {
    async fn answer(&self, request: Request<Bytes>) -> Reply {
        let target = header_text(request.headers(), "x-amz-target").to_owned();
        let (service, operation) = target.rsplit_once('.').unwrap_or(("", &target));
        let call = Call { target: Target::Dynamodb, operation, headers: request.headers() };
        let metered = service == "DynamoDB_20120810";
        // The streams are read all the time, and would use up what is meant for the next call of a function.
        let fault = if metered { self.watch.faults.take(call) } else { None };
        if metered {
            let needed = permissions::of_dynamodb(operation, request.body());
            self.watch.permissions.need(request.headers(), needed);
        }
        ERRORS.with_fault(fault, self.carry_out(operation, metered, request)).await
    }

    async fn carry_out(&self, operation: &str, metered: bool, mut request: Request<Bytes>) -> Reply {
        let function = application(request.headers()).unwrap_or("other").to_owned();
        let access = if metered { Access::of(operation) } else { None };
        if access.is_some() {
            ask_for_capacity(request.body_mut());
        }
        let response = match self.forward(request).await {
            Ok(response) => response,
            Err(error) => {
                tracing::error!(error, "the DynamoDB engine does not answer");
                return Reply::HangUp;
            }
        };
        if metered {
            let units = access.map(|access| access.units(response.body())).unwrap_or_default();
            self.meter.add(&function, operation, units);
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
        // The body may have grown; the client sets its length anew.
        head.headers.remove(header::CONTENT_LENGTH);
        let (head, body) =
            self.client.request(Request::from_parts(head, Full::new(body))).await?.into_parts();
        Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// Makes the reply tell what the call consumed. A body that is no JSON object is left for the engine to refuse.
fn ask_for_capacity(body: &mut Bytes) {
    let Ok(mut members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(body) else { return };
    if members.get(RETURN_CAPACITY).is_some_and(|asked| asked.get() != r#""NONE""#) {
        return;
    }
    let Ok(total) = serde_json::from_str(r#""TOTAL""#) else { return };
    members.insert(RETURN_CAPACITY.to_owned(), total);
    if let Ok(changed) = serde_json::to_vec(&members) {
        *body = changed.into();
    }
}

/// Which units an operation consumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

impl Access {
    /// None for an operation that consumes nothing. `PartiQL`, which nothing here speaks, is not metered.
    fn of(operation: &str) -> Option<Self> {
        match operation {
            "GetItem" | "BatchGetItem" | "Query" | "Scan" | "TransactGetItems" => Some(Self::Read),
            "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" | "TransactWriteItems" => {
                Some(Self::Write)
            }
            _ => None,
        }
    }

    fn units(self, reply: &[u8]) -> Units {
        let Ok(Metered { consumed: Some(consumed) }) = serde_json::from_slice(reply) else {
            return Units::default();
        };
        let tables = match consumed {
            Consumed::Table(table) => vec![table],
            Consumed::Tables(tables) => tables,
        };
        tables.iter().fold(Units::default(), |sum, table| sum.plus(table.units(self)))
    }
}

#[derive(Deserialize)]
struct Metered {
    #[serde(rename = "ConsumedCapacity")]
    consumed: Option<Consumed>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Consumed {
    Tables(Vec<TableCapacity>),
    Table(TableCapacity),
}

#[derive(Deserialize)]
struct TableCapacity {
    #[serde(rename = "CapacityUnits")]
    total: f64,
    #[serde(rename = "ReadCapacityUnits")]
    read: Option<f64>,
    #[serde(rename = "WriteCapacityUnits")]
    write: Option<f64>,
}

impl TableCapacity {
    fn units(&self, access: Access) -> Units {
        match (self.read, self.write, access) {
            (None, None, Access::Read) => Units { read: self.total, write: 0.0 },
            (None, None, Access::Write) => Units { read: 0.0, write: self.total },
            // A transaction that is sent again with its token consumes reads, though it is a write.
            (read, write, _) => Units { read: read.unwrap_or_default(), write: write.unwrap_or_default() },
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Units {
    read: f64,
    write: f64,
}

impl Units {
    fn plus(self, other: Self) -> Self {
        Self { read: self.read + other.read, write: self.write + other.write }
    }
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Figures {
    calls: u64,
    read_units: f64,
    write_units: f64,
}

type ByOperation = BTreeMap<String, Figures>;

/// Calls and units by function and operation. Clones share them.
#[derive(Debug, Clone, Default)]
struct Meter(Arc<Mutex<BTreeMap<String, ByOperation>>>);

impl Meter {
    fn add(&self, function: &str, operation: &str, units: Units) {
        let mut functions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let figures =
            functions.entry(function.to_owned()).or_default().entry(operation.to_owned()).or_default();
        figures.calls += 1;
        figures.read_units += units.read;
        figures.write_units += units.write;
    }

    fn figures(&self) -> Value {
        serde_json::to_value(&*self.0.lock().unwrap_or_else(PoisonError::into_inner)).unwrap_or_default()
    }

    fn reset(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::config::AppName;
    use aws_sdk_dynamodb::error::ProvideErrorMetadata;
    use aws_sdk_dynamodb::types::{
        AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, Put,
        ReturnValuesOnConditionCheckFailure, ScalarAttributeType, StreamSpecification, StreamViewType,
        TimeToLiveSpecification, TransactWriteItem,
    };
    use serde_json::json;

    use super::super::testing::{call, client, faults};
    use super::*;
    use crate::faults::Faults;

    const TABLE: &str = "things";

    async fn start(faults: Faults) -> DynamoDb {
        DynamoDb::start(0, None, Watch { faults, ..Watch::default() }).await.unwrap()
    }

    fn client(dynamodb: &DynamoDb) -> aws_sdk_dynamodb::Client {
        client!(aws_sdk_dynamodb, dynamodb.url(), app_name(AppName::new("orders").unwrap()))
    }

    async fn create_table(client: &aws_sdk_dynamodb::Client) {
        let id = AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S);
        let key = KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash);
        let stream = StreamSpecification::builder()
            .stream_enabled(true)
            .stream_view_type(StreamViewType::NewAndOldImages)
            .build();
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
        client
            .put_item()
            .table_name(TABLE)
            .item("id", text(id))
            .item("note", text(note))
            .send()
            .await
            .unwrap();
    }

    async fn note(client: &aws_sdk_dynamodb::Client, id: &str) -> Option<String> {
        let found = client
            .get_item()
            .table_name(TABLE)
            .key("id", text(id))
            .consistent_read(true)
            .send()
            .await
            .unwrap();
        found.item.map(|item| item["note"].as_s().unwrap().clone())
    }

    #[tokio::test]
    async fn a_failed_condition_of_a_transaction_gives_the_old_item() {
        let dynamodb = start(Faults::default()).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        put(&client, "a", "old".to_owned()).await;

        let again = Put::builder()
            .table_name(TABLE)
            .item("id", text("a"))
            .condition_expression("attribute_not_exists(id)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()
            .unwrap();
        let again = TransactWriteItem::builder().put(again).build();
        let error = client
            .transact_write_items()
            .transact_items(again)
            .send()
            .await
            .unwrap_err()
            .into_service_error();
        let aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError::TransactionCanceledException(
            canceled,
        ) = error
        else {
            panic!("{error:?}")
        };
        let [reason] = canceled.cancellation_reasons() else { panic!("{canceled:?}") };
        assert_eq!(reason.code(), Some("ConditionalCheckFailed"));
        assert_eq!(reason.item().unwrap()["note"], text("old"));
        assert_eq!(note(&client, "a").await.as_deref(), Some("old"));
    }

    #[tokio::test]
    async fn what_a_function_consumes_is_metered_by_operation() {
        let dynamodb = start(Faults::default()).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        dynamodb.reset_usage();

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
        other.get_item().table_name("nowhere").key("id", text("a")).send().await.unwrap_err();

        assert_eq!(
            dynamodb.usage(),
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
        dynamodb.reset_usage();
        assert_eq!(dynamodb.usage(), json!({}));
    }

    #[tokio::test]
    async fn faults_look_like_those_of_dynamodb() {
        let faults = faults(json!([
            {"target": "dynamodb", "match": "PutItem", "kind": "throttle"},
            {"target": "dynamodb", "match": "PutItem", "kind": "status", "value": 500},
            {"target": "dynamodb", "match": "Put*", "kind": "after"},
        ]));
        let dynamodb = start(faults).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        let put = client.put_item().table_name(TABLE).item("id", text("a")).item("note", text("kept"));

        let throttled = put.clone().send().await.unwrap_err().into_service_error();
        assert!(throttled.is_provisioned_throughput_exceeded_exception(), "{throttled:?}");
        let failed = put.clone().send().await.unwrap_err();
        assert_eq!(failed.raw_response().unwrap().status().as_u16(), 500);
        assert_eq!(failed.code(), Some("InternalServerError"));
        assert_eq!(note(&client, "a").await, None);

        put.send().await.unwrap_err();
        assert_eq!(note(&client, "a").await.as_deref(), Some("kept"));
    }

    #[tokio::test]
    async fn streams_are_read_at_the_same_endpoint_and_use_up_no_fault() {
        let faults = Faults::default();
        let dynamodb = start(faults.clone()).await;
        let client = client(&dynamodb);
        create_table(&client).await;
        dynamodb.reset_usage();
        let ask = |operation: &str, body: Value| {
            let request = Request::post(dynamodb.url())
                .header("x-amz-target", format!("DynamoDBStreams_20120810.{operation}"))
                .header("content-type", "application/x-amz-json-1.0")
                .header("x-amz-date", "20260101T000000Z")
                .header("authorization", "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=b, Signature=c")
                .body(body.to_string().into())
                .unwrap();
            async move { serde_json::from_slice::<Value>(call(request).await.body()).unwrap() }
        };

        let stream = ask("ListStreams", json!({"TableName": TABLE})).await["Streams"][0]["StreamArn"].clone();
        let described = ask("DescribeStream", json!({"StreamArn": stream})).await;
        let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
        let from_the_start =
            json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = ask("GetShardIterator", from_the_start).await["ShardIterator"].clone();
        put(&client, "a", "new".to_owned()).await;
        let next_fails = json!([{"target": "dynamodb", "match": "*", "kind": "drop"}]);
        faults.replace(serde_json::from_value(next_fails).unwrap());
        let records = ask("GetRecords", json!({"ShardIterator": iterator})).await;

        assert_eq!(records["Records"][0]["dynamodb"]["NewImage"]["note"], json!({"S": "new"}));
        let read = client.get_item().table_name(TABLE).key("id", text("a")).send().await;
        assert!(read.is_err(), "the fault was for this one");
        assert_eq!(dynamodb.usage()["other"], Value::Null);
    }

    #[tokio::test]
    async fn expired_items_are_removed() {
        let dynamodb = start(Faults::default()).await;
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
    async fn a_file_holds_what_was_answered_while_the_engine_still_runs() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("dynamodb.sqlite");
        let first = DynamoDb::start(0, Some(file.clone()), Watch::default()).await.unwrap();
        create_table(&client(&first)).await;
        put(&client(&first), "a", "kept".to_owned()).await;

        let second = DynamoDb::start(0, Some(file), Watch::default()).await.unwrap();
        assert_eq!(note(&client(&second), "a").await.as_deref(), Some("kept"));
    }

    #[test]
    fn capacity_is_asked_for_unless_it_was() {
        for (sent, forwarded) in [
            ("{}", r#"{"ReturnConsumedCapacity":"TOTAL"}"#),
            (r#"{"A":{"N":"1.50"}}"#, r#"{"A":{"N":"1.50"},"ReturnConsumedCapacity":"TOTAL"}"#),
            (r#"{"ReturnConsumedCapacity":"NONE"}"#, r#"{"ReturnConsumedCapacity":"TOTAL"}"#),
            (r#"{"ReturnConsumedCapacity":"INDEXES"}"#, r#"{"ReturnConsumedCapacity":"INDEXES"}"#),
            ("no JSON", "no JSON"),
        ] {
            let mut body = Bytes::from(sent);
            ask_for_capacity(&mut body);
            assert_eq!(body, forwarded);
        }
    }
}
