//! The functions that no request calls: jobs, fed from the table's stream, and the sweep, on a schedule.

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::dynamodb::EventRecord;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::http::invocation::Invocation;
use shared::store::StoreError;
use thiserror::Error;
use tokio::sync::Mutex;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// How often the stream is read.
const POLL_EVERY: Duration = Duration::from_millis(200);
/// How often the sweep runs; on AWS it is a minute.
const SWEEP_EVERY: Duration = Duration::from_secs(5);
/// How long settling may take.
const MAX_SETTLE_TIME: Duration = Duration::from_secs(30);

#[derive(Debug, Error)]
pub(crate) enum WorkerError {
    #[error("the table's stream cannot be read: {0}")]
    Stream(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is left once nothing moves any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Settled {
    /// Jobs and outcomes that still wait.
    pub pending: usize,
    /// Jobs that were given up.
    pub dead: usize,
}

/// The workers. Clones share them; one works at a time, so that settling is not disturbed by the schedule.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    at_work: Arc<Mutex<Inner>>,
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
        Self { at_work: Arc::new(Mutex::new(inner)), sweep }
    }

    /// Works for ever, as stream and schedule do on AWS.
    pub(crate) async fn run(self) {
        let mut poll = tokio::time::interval(POLL_EVERY);
        let mut schedule = tokio::time::interval(SWEEP_EVERY);
        loop {
            let done = tokio::select! {
                _ = poll.tick() => self.at_work.lock().await.consume_stream().await.map(|_| ()),
                _ = schedule.tick() => self.at_work.lock().await.sweep_what_is_due().await,
            };
            if let Err(error) = done {
                tracing::warn!(cause = %error, "a worker failed and tries again");
            }
        }
    }

    /// Runs everything, due or not, until nothing changes any more.
    pub(crate) async fn settle(&self) -> Result<Settled, WorkerError> {
        // What is cut short is as if its function had died there.
        let work = async { self.at_work.lock().await.work_until_nothing_changes().await };
        if let Ok(done) = tokio::time::timeout(MAX_SETTLE_TIME, work).await {
            done?;
        }
        self.left().await
    }

    async fn left(&self) -> Result<Settled, WorkerError> {
        let store = &self.sweep.store;
        let operations = store.due_operations(Timestamp::MAX, u16::MAX).await?.len();
        let waiting = store.due_jobs(Timestamp::MAX, u16::MAX).await?.len();
        let dead = store.dead_jobs(u16::MAX).await?.len();
        Ok(Settled { pending: operations + waiting, dead })
    }
}

impl Inner {
    /// Delivers what the stream brings; the number of records.
    async fn consume_stream(&mut self) -> Result<usize, WorkerError> {
        let records = self.stream.next().await?;
        let count = records.len();
        for job in records.into_iter().filter_map(jobs::job_from_record) {
            let delivered = jobs::run(&self.jobs, &worker(&self.jobs), job).await;
            if let Err(error) = delivered {
                tracing::warn!(cause = %error, "a job is left to the sweep");
            }
        }
        Ok(count)
    }

    async fn sweep_what_is_due(&self) -> Result<(), WorkerError> {
        sweep::sweep(&self.sweep, &worker(&self.sweep), self.sweep.clock.now()).await?;
        Ok(())
    }

    async fn work_until_nothing_changes(&mut self) -> Result<(), WorkerError> {
        let longest = SignedDuration::try_from(MAX_SETTLE_TIME).unwrap_or_default();
        let end = self.sweep.clock.now().saturating_add(longest).unwrap_or(Timestamp::MAX);
        loop {
            while self.consume_stream().await? > 0 {}
            let pass = sweep::sweep(&self.sweep, &worker(&self.sweep), Timestamp::MAX).await?;
            if pass.ended > 0 {
                continue;
            }
            // Somebody is at work on an operation, or died there: its turn comes when the lease is over.
            let Some(free_at) = self.end_of_leases().await?.filter(|free_at| *free_at < end) else {
                return Ok(());
            };
            let wait = free_at.duration_since(self.sweep.clock.now());
            tokio::time::sleep(Duration::try_from(wait).unwrap_or_default().min(POLL_EVERY)).await;
        }
    }

    /// When the first of the operations that somebody is at work on falls free.
    async fn end_of_leases(&self) -> Result<Option<Timestamp>, StoreError> {
        let now = self.sweep.clock.now();
        let open = self.sweep.store.due_operations(Timestamp::MAX, u16::MAX).await?;
        Ok(open.iter().filter_map(|operation| operation.leased_until()).filter(|until| *until > now).min())
    }
}

fn worker(app: &App) -> Invocation {
    Invocation::of_worker(&app.clock, app.random.uuid(app.clock.now()).to_string())
}

/// The table's stream from now on, read over the wire.
#[derive(Debug)]
pub(crate) struct Stream {
    client: reqwest::Client,
    url: String,
    iterator: Option<String>,
    shard: Value,
}

impl Stream {
    /// Opens the one shard that the embedded table's stream has.
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
        stream.iterator = stream.latest().await?;
        Ok(stream)
    }

    async fn latest(&self) -> Result<Option<String>, WorkerError> {
        let mut request = self.shard.clone();
        if let Some(request) = request.as_object_mut() {
            request.insert("ShardIteratorType".to_owned(), json!("LATEST"));
        }
        let opened = self.call("GetShardIterator", request).await?;
        Ok(opened.get("ShardIterator").and_then(Value::as_str).map(str::to_owned))
    }

    /// The records since the last call.
    async fn next(&mut self) -> Result<Vec<EventRecord>, WorkerError> {
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => self.latest().await?.ok_or_else(|| WorkerError::Stream("it has no shard".to_owned()))?,
        };
        let mut page = self.call("GetRecords", json!({"ShardIterator": iterator})).await?;
        self.iterator = page.get("NextShardIterator").and_then(Value::as_str).map(str::to_owned);
        let records = page.get_mut("Records").map_or_else(|| json!([]), Value::take);
        serde_json::from_value(records).map_err(|error| WorkerError::Stream(error.to_string()))
    }

    async fn call(&self, operation: &str, request: Value) -> Result<Value, WorkerError> {
        let failed = |error: reqwest::Error| WorkerError::Stream(error.to_string());
        let call = self
            .client
            .post(&self.url)
            .header("content-type", "application/x-amz-json-1.0")
            // Has to be there, and is not checked.
            .header("authorization", "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none")
            .header("x-amz-date", "20260101T000000Z")
            .header("x-amz-target", format!("DynamoDBStreams_20120810.{operation}"))
            .timeout(CALL_TIMEOUT)
            .body(request.to_string());
        let answer = call.send().await.map_err(failed)?.error_for_status().map_err(failed)?;
        let text = answer.text().await.map_err(failed)?;
        serde_json::from_str(&text).map_err(|error| WorkerError::Stream(error.to_string()))
    }
}
