//! Reads the stream of the table, as the event source mappings of the workers do.

use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_lambda_events::dynamodb::EventRecord;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4::SigningParams;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::base::settings::AwsSettings;
use thiserror::Error;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Far longer than a call takes: another implementation of AWS on a busy machine needs seconds.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// The name of DynamoDB Streams in signatures.
const SERVICE: &str = "dynamodb";

#[derive(Debug, Error)]
pub enum StreamError {
    #[error("the table {0} has no stream")]
    NoStream(String),
    /// Another attempt can succeed.
    #[error("{0}")]
    Failed(String),
    /// An iterator that is refused is of no use any more: it expires after minutes.
    #[error("refused: {0}")]
    Refused(String),
}

impl StreamError {
    fn failed<E: StdError>(cause: E) -> Self {
        Self::Failed(cause.to_string())
    }
}

/// Where the reader of a shard begins.
#[derive(Debug, Clone)]
enum Position {
    /// With the oldest record, which is at most a day old.
    Oldest,
    /// With the record with this sequence number.
    At(String),
    /// After the record with this sequence number.
    After(String),
}

/// What the file of a checkpoint contains as long as all changes of the table are in the stream, and none was processed.
const BEGINNING: &str = "beginning";

/// A file with the sequence number of the last record that was processed, so that the next run goes on after it, as an event
/// source mapping does. Only for a stream with one shard.
#[derive(Debug, Clone)]
pub struct Checkpoint(PathBuf);

impl Checkpoint {
    pub fn in_folder(data: &Path) -> Self {
        Self(data.join("stream-checkpoint"))
    }

    /// `None` if it is missing or damaged.
    fn read(&self) -> Option<String> {
        let content = std::fs::read_to_string(&self.0).ok()?;
        let (number, _) = content.split_once(' ')?;
        (content == with_checksum(number)).then(|| number.to_owned())
    }

    /// Of a table that was filled without its stream, and counted.
    pub fn begin(&self) -> io::Result<()> {
        self.write(BEGINNING)
    }

    /// Does something in whose middle it would be wrong: if the system dies, there is none.
    pub async fn suspend<T, E: From<io::Error>>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let number = self.read();
        if number.is_some() {
            std::fs::remove_file(&self.0)?;
        }
        let done = work.await?;
        number.map_or(Ok(()), |number| self.write(&number))?;
        Ok(done)
    }

    fn write(&self, number: &str) -> io::Result<()> {
        // Renamed into place: a crash leaves the old number or the new one.
        let unfinished = self.0.with_extension("unfinished");
        std::fs::write(&unfinished, with_checksum(number))?;
        std::fs::rename(unfinished, &self.0)
    }
}

/// A digit that has changed would be the number of another record.
fn with_checksum(number: &str) -> String {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    format!("{number} {:016x}", hasher.finish())
}

/// A reader of the table's stream.
#[derive(Debug)]
pub struct Stream {
    checkpoint: Option<Checkpoint>,
    calls: Calls,
    arn: String,
    /// The shards that are not read to their end.
    shards: Vec<Shard>,
    finished: BTreeSet<String>,
    /// Whether there are shards that continue finished ones and are not known yet.
    is_incomplete: bool,
    /// Whether changes that no run has processed may be missing in it.
    pub has_gap: bool,
}

#[derive(Debug)]
struct Shard {
    id: String,
    parent: Option<String>,
    position: Position,
    iterator: Option<String>,
    is_finished: bool,
}

impl Stream {
    /// Begins after the checkpoint, if it can be trusted, or else with the oldest record.
    pub async fn open(
        url: &str,
        settings: AwsSettings,
        table: &str,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, StreamError> {
        let calls = Calls { client: shared::base::outbound::client(CONNECT_TIMEOUT), url: url.to_owned(), settings };
        let listed: Value = calls.call("ListStreams", &json!({"TableName": table})).await?;
        let streams = listed.get("Streams").and_then(Value::as_array).into_iter().flatten();
        // The label is the time of its creation.
        let newest = streams.max_by_key(|stream| text(stream, "StreamLabel"));
        let arn = newest.and_then(|stream| text(stream, "StreamArn")).ok_or_else(|| StreamError::NoStream(table.to_owned()))?;
        let (shards, finished) = (Vec::new(), BTreeSet::new());
        let mut stream = Self { checkpoint, calls, arn, shards, finished, is_incomplete: false, has_gap: false };
        stream.find_shards().await?;
        stream.has_gap = !stream.resume().await?;
        for shard in &mut stream.shards {
            shard.iterator = Some(stream.calls.iterator(&stream.arn, shard).await?);
        }
        Ok(stream)
    }

    /// Goes on after the checkpoint, if its record is still there, so that those behind it are there as well. `false` if not:
    /// the file can be lost, damaged, or of another time than the table.
    async fn resume(&mut self) -> Result<bool, StreamError> {
        let Some(checkpoint) = &self.checkpoint else { return Ok(true) };
        let (Some(number), [shard]) = (checkpoint.read(), self.shards.as_mut_slice()) else { return Ok(false) };
        if number == BEGINNING {
            return Ok(true);
        }
        shard.position = Position::At(number.clone());
        let first = self.calls.read(&self.arn, shard).await;
        (shard.iterator, shard.is_finished) = (None, false);
        let is_there = match first {
            Ok(records) => records.first().and_then(|record| record.change.sequence_number.as_ref()) == Some(&number),
            Err(StreamError::Refused(_)) => false,
            Err(error) => return Err(error),
        };
        shard.position = if is_there { Position::After(number) } else { Position::Oldest };
        Ok(is_there)
    }

    /// Returns the records since the last call, those of a shard in their order. A shard that DynamoDB has split is read to its
    /// end before those that continue it.
    pub async fn next(&mut self) -> Result<Vec<EventRecord>, StreamError> {
        let unfinished: BTreeSet<String> = self.shards.iter().map(|shard| shard.id.clone()).collect();
        let is_readable = |shard: &Shard| shard.parent.as_ref().is_none_or(|parent| !unfinished.contains(parent));
        let mut records = Vec::new();
        for shard in self.shards.iter_mut().filter(|shard| is_readable(shard)) {
            match self.calls.read(&self.arn, shard).await {
                Ok(mut read) => records.append(&mut read),
                Err(error) if records.is_empty() => return Err(error),
                // With the error, the records so far would be lost. The next call reads this shard again.
                Err(error) => tracing::warn!(cause = %error, "a shard of the stream will be read again"),
            }
        }
        let ended = self.shards.extract_if(.., |shard| shard.is_finished).map(|shard| shard.id).collect::<Vec<_>>();
        self.is_incomplete |= !ended.is_empty();
        self.finished.extend(ended);
        if self.is_incomplete {
            match self.find_shards().await {
                Ok(()) => self.is_incomplete = false,
                Err(error) => tracing::warn!(cause = %error, "the shards of the stream will be listed again"),
            }
        }
        Ok(records)
    }

    /// What was read so far has been processed: the next run begins after it.
    pub fn save_checkpoint(&self) {
        if let (Some(checkpoint), [Shard { position: Position::After(number), .. }]) = (&self.checkpoint, self.shards.as_slice())
            && let Err(error) = checkpoint.write(number)
        {
            tracing::warn!(cause = %error, "the next run processes these changes again");
        }
    }

    /// Adds the shards that are not known yet.
    async fn find_shards(&mut self) -> Result<(), StreamError> {
        let mut after = None;
        loop {
            let mut request = json!({"StreamArn": self.arn});
            if let (Some(request), Some(after)) = (request.as_object_mut(), after) {
                request.insert("ExclusiveStartShardId".to_owned(), after);
            }
            let described: Value = self.calls.call("DescribeStream", &request).await?;
            let page = described.get("StreamDescription").unwrap_or(&Value::Null);
            for shard in page.get("Shards").and_then(Value::as_array).into_iter().flatten() {
                let Some(id) = text(shard, "ShardId") else { continue };
                let parent = text(shard, "ParentShardId");
                if !self.finished.contains(&id) && !self.shards.iter().any(|shard| shard.id == id) {
                    self.shards.push(Shard { id, parent, position: Position::Oldest, iterator: None, is_finished: false });
                }
            }
            after = text(page, "LastEvaluatedShardId").map(Value::from);
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Signed calls to DynamoDB Streams. Their answers are what event source mappings send to functions, which no SDK keeps.
#[derive(Debug)]
struct Calls {
    client: reqwest::Client,
    url: String,
    settings: AwsSettings,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Page {
    /// Missing at the end of a shard that takes no more records.
    next_shard_iterator: Option<String>,
    records: Vec<EventRecord>,
}

fn text(value: &Value, member: &str) -> Option<String> {
    Some(value.get(member)?.as_str()?.to_owned())
}

impl Calls {
    async fn iterator(&self, arn: &str, shard: &Shard) -> Result<String, StreamError> {
        let mut request = json!({"StreamArn": arn, "ShardId": shard.id});
        let (kind, number) = match &shard.position {
            Position::Oldest => ("TRIM_HORIZON", None),
            Position::At(number) => ("AT_SEQUENCE_NUMBER", Some(number)),
            Position::After(number) => ("AFTER_SEQUENCE_NUMBER", Some(number)),
        };
        if let Some(request) = request.as_object_mut() {
            request.insert("ShardIteratorType".to_owned(), json!(kind));
            request.extend(number.map(|number| ("SequenceNumber".to_owned(), json!(number))));
        }
        let opened: Value = self.call("GetShardIterator", &request).await?;
        text(&opened, "ShardIterator").ok_or_else(|| StreamError::Failed("there is no iterator in the answer".to_owned()))
    }

    /// Returns the next records of a shard, and moves its position behind them.
    async fn read(&self, arn: &str, shard: &mut Shard) -> Result<Vec<EventRecord>, StreamError> {
        let iterator = match &shard.iterator {
            Some(iterator) => iterator.clone(),
            None => self.iterator(arn, shard).await?,
        };
        let page: Page = self.call("GetRecords", &json!({"ShardIterator": iterator})).await.inspect_err(|error| {
            if matches!(error, StreamError::Refused(_)) {
                shard.iterator = None;
            }
        })?;
        let last = page.records.last().and_then(|record| record.change.sequence_number.clone());
        if let Some(number) = last {
            shard.position = Position::After(number);
        }
        shard.is_finished = page.next_shard_iterator.is_none();
        shard.iterator = page.next_shard_iterator;
        Ok(page.records)
    }

    async fn call<T: DeserializeOwned>(&self, operation: &str, body: &Value) -> Result<T, StreamError> {
        let request = self.signed(operation, body.to_string())?;
        let response = self.client.execute(request).await.map_err(StreamError::failed)?;
        let status = response.status();
        let text = response.text().await.map_err(StreamError::failed)?;
        match status {
            _ if status.is_success() => serde_json::from_str(&text).map_err(StreamError::failed),
            _ if status.is_client_error() && !text.contains("LimitExceeded") => Err(StreamError::Refused(text)),
            _ => Err(StreamError::Failed(format!("{status}: {text}"))),
        }
    }

    fn signed(&self, operation: &str, body: String) -> Result<reqwest::Request, StreamError> {
        let keys = &self.settings.credentials;
        let session = keys.session_token.as_ref().map(|token| token.expose().to_owned());
        let identity =
            Credentials::new(&keys.access_key_id, keys.secret_access_key.expose(), session, None, "environment").into();
        let parameters = SigningParams::builder()
            .identity(&identity)
            .region(&self.settings.region)
            .name(SERVICE)
            .time(Clock::system().now().into())
            .settings(SigningSettings::default())
            .build()
            .map_err(StreamError::failed)?;
        let headers = [
            ("content-type", "application/x-amz-json-1.0".to_owned()),
            ("x-amz-target", format!("DynamoDBStreams_20120810.{operation}")),
        ];
        let signed_headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
        let url = format!("{}/", self.url);
        let signable = SignableRequest::new("POST", &url, signed_headers, SignableBody::Bytes(body.as_bytes()))
            .map_err(StreamError::failed)?;
        let (signature, _) = sign(signable, &parameters.into()).map_err(StreamError::failed)?.into_parts();
        let mut request = self.client.post(&url).timeout(CALL_TIMEOUT);
        for (name, value) in headers.iter().map(|(name, value)| (*name, value.as_str())).chain(signature.headers()) {
            request = request.header(name, value);
        }
        request.body(body).build().map_err(StreamError::failed)
    }
}
