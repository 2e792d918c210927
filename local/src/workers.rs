//! Runs the background functions: `jobs`, with records from the table's stream, and `sweep`, on a schedule.

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::dynamodb::EventRecord;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::invocation::Invocation;
use shared::store::StoreError;
use thiserror::Error;
use tokio::sync::Mutex;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
const STREAM_POLL_INTERVAL: Duration = Duration::from_millis(200);
/// One minute on AWS.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Debug, Error)]
pub(crate) enum WorkerError {
    #[error("cannot read the table's stream: {0}")]
    Stream(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The work that remains after a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Remaining {
    /// Open jobs and operations.
    pub(crate) pending: usize,
    /// Jobs that failed their last attempt.
    pub(crate) dead: usize,
}

/// The workers. Clones share them. Only one runs at a time, so that the schedule does not interfere with a drain.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    inner: Arc<Mutex<Inner>>,
    sweep: App,
}

#[derive(Debug)]
struct Inner {
    jobs: App,
    sweep: App,
    stream: Stream,
}

impl Workers {
    pub(crate) fn new(jobs: App, sweep: App, stream: Stream) -> Self {
        let inner = Inner { jobs, sweep: sweep.clone(), stream };
        Self { inner: Arc::new(Mutex::new(inner)), sweep }
    }

    /// Runs forever.
    pub(crate) async fn run(self) {
        let mut poll = tokio::time::interval(STREAM_POLL_INTERVAL);
        let mut schedule = tokio::time::interval(SWEEP_INTERVAL);
        loop {
            let result = tokio::select! {
                _ = poll.tick() => self.inner.lock().await.consume_stream().await.map(|_| ()),
                _ = schedule.tick() => self.inner.lock().await.sweep_due().await,
            };
            if let Err(error) = result {
                tracing::warn!(cause = %error, "a worker failed and will retry");
            }
        }
    }

    /// Runs all work, due or not, until a pass changes nothing or the timeout expires.
    pub(crate) async fn drain(&self) -> Result<Remaining, WorkerError> {
        // Work that the timeout interrupts is in the same state as after a crash of its function.
        let work = async { self.inner.lock().await.run_until_idle().await };
        if let Ok(result) = tokio::time::timeout(DRAIN_TIMEOUT, work).await {
            result?;
        }
        self.remaining().await
    }

    async fn remaining(&self) -> Result<Remaining, WorkerError> {
        let store = &self.sweep.store;
        let operations = store.due_operations(Timestamp::MAX, u16::MAX).await?.len();
        let jobs = store.due_jobs(Timestamp::MAX, u16::MAX).await?.len();
        let dead = store.dead_jobs(u16::MAX).await?.len();
        Ok(Remaining { pending: operations + jobs, dead })
    }
}

impl Inner {
    /// Runs the jobs in new stream records. Returns the number of records.
    async fn consume_stream(&mut self) -> Result<usize, WorkerError> {
        let records = self.stream.next().await?;
        let count = records.len();
        for job in records.into_iter().filter_map(jobs::job_from_record) {
            let result = jobs::run(&self.jobs, &worker(&self.jobs), job).await;
            if let Err(error) = result {
                tracing::warn!(cause = %error, "a job failed; the sweep will retry it");
            }
        }
        Ok(count)
    }

    async fn sweep_due(&self) -> Result<(), WorkerError> {
        sweep::sweep(&self.sweep, &worker(&self.sweep), self.sweep.clock.now()).await?;
        Ok(())
    }

    async fn run_until_idle(&mut self) -> Result<(), WorkerError> {
        let timeout = SignedDuration::try_from(DRAIN_TIMEOUT).unwrap_or_default();
        let deadline = self.sweep.clock.now().saturating_add(timeout).unwrap_or(Timestamp::MAX);
        loop {
            while self.consume_stream().await? > 0 {}
            let pass = sweep::sweep(&self.sweep, &worker(&self.sweep), Timestamp::MAX).await?;
            if pass.finished > 0 {
                continue;
            }
            // A leased operation is in progress, or its worker crashed. The next pass after the lease expires runs it.
            let Some(expiry) = self.next_lease_expiry().await?.filter(|expiry| *expiry < deadline) else {
                return Ok(());
            };
            let wait = expiry.duration_since(self.sweep.clock.now());
            tokio::time::sleep(Duration::try_from(wait).unwrap_or_default().min(STREAM_POLL_INTERVAL)).await;
        }
    }

    /// Returns when the first lease of an open operation expires, or `None` if no operation is leased.
    async fn next_lease_expiry(&self) -> Result<Option<Timestamp>, StoreError> {
        let now = self.sweep.clock.now();
        let open = self.sweep.store.due_operations(Timestamp::MAX, u16::MAX).await?;
        Ok(open.iter().filter_map(|operation| operation.leased_until()).filter(|until| *until > now).min())
    }
}

fn worker(app: &App) -> Invocation {
    Invocation::new(&app.clock, app.random.uuid(app.clock.now()).to_string())
}

/// A reader of the table's stream, from the latest record on.
#[derive(Debug)]
pub(crate) struct Stream {
    client: reqwest::Client,
    url: String,
    iterator: Option<String>,
    shard: Value,
}

impl Stream {
    /// Opens the stream's shard. The embedded DynamoDB has only one.
    pub(crate) async fn open(url: &str, table: &str) -> Result<Self, WorkerError> {
        let mut stream = Self {
            client: shared::outbound::client(CONNECT_TIMEOUT),
            url: url.to_owned(),
            iterator: None,
            shard: Value::Null,
        };
        let streams = stream.call("ListStreams", json!({"TableName": table})).await?;
        let arn = streams.pointer("/Streams/0/StreamArn").cloned().unwrap_or_default();
        let described = stream.call("DescribeStream", json!({"StreamArn": arn})).await?;
        let shard = described.pointer("/StreamDescription/Shards/0/ShardId").cloned().unwrap_or_default();
        stream.shard = json!({"StreamArn": arn, "ShardId": shard});
        stream.iterator = stream.latest_iterator().await?;
        Ok(stream)
    }

    async fn latest_iterator(&self) -> Result<Option<String>, WorkerError> {
        let mut request = self.shard.clone();
        if let Some(request) = request.as_object_mut() {
            request.insert("ShardIteratorType".to_owned(), json!("LATEST"));
        }
        let opened = self.call("GetShardIterator", request).await?;
        Ok(opened.get("ShardIterator").and_then(Value::as_str).map(str::to_owned))
    }

    /// Returns the records since the last call.
    async fn next(&mut self) -> Result<Vec<EventRecord>, WorkerError> {
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => self
                .latest_iterator()
                .await?
                .ok_or_else(|| WorkerError::Stream("the stream has no shard".to_owned()))?,
        };
        let mut page = self.call("GetRecords", json!({"ShardIterator": iterator})).await?;
        self.iterator = page.get("NextShardIterator").and_then(Value::as_str).map(str::to_owned);
        let records = page.get_mut("Records").map_or_else(|| json!([]), Value::take);
        serde_json::from_value(records).map_err(|error| WorkerError::Stream(error.to_string()))
    }

    async fn call(&self, operation: &str, body: Value) -> Result<Value, WorkerError> {
        let failed = |error: reqwest::Error| WorkerError::Stream(error.to_string());
        let request = self
            .client
            .post(&self.url)
            .header("content-type", "application/x-amz-json-1.0")
            // Required by the server, which does not verify the signature.
            .header("authorization", "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none")
            .header("x-amz-date", "20260101T000000Z")
            .header("x-amz-target", format!("DynamoDBStreams_20120810.{operation}"))
            .timeout(CALL_TIMEOUT)
            .body(body.to_string());
        let response = request.send().await.map_err(failed)?.error_for_status().map_err(failed)?;
        let text = response.text().await.map_err(failed)?;
        serde_json::from_str(&text).map_err(|error| WorkerError::Stream(error.to_string()))
    }
}
