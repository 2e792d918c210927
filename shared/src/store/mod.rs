//! DynamoDB: one table, typed rows, and writes that say under which condition they hold.
//!
//! A row is an [`Entity`] with a version. New rows are [created](Write::create), existing ones
//! [replaced](Write::replace) only as they were read, and whatever belongs together is
//! [committed](Store::commit) together.

mod attributes;
pub mod idempotency;
pub mod jobs;
pub mod keys;
pub mod merchants;
pub mod operations;
pub mod orders;
pub mod pages;
pub mod rate_limits;
pub mod redemptions;
pub mod sessions;
pub mod settlements;
pub mod team;
pub mod visits;

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, DisplayErrorContext, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, ConditionCheck, Delete, DeleteRequest, KeysAndAttributes, Put, PutRequest,
    TransactWriteItem, WriteRequest,
};
use futures_util::stream::{self, Stream, TryStreamExt};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::random::Random;
use keys::{DUE_PK, DUE_SK, Key, LISTS_PK, LISTS_SK, PK, SK, TTL};

/// A row as DynamoDB has it.
pub type Item = HashMap<String, AttributeValue>;

const VERSION: &str = "version";

/// What is kept as a row.
pub trait Entity: Serialize + DeserializeOwned {
    fn key(&self) -> Key;

    /// Where it stands in the index of lists.
    fn list_index_key(&self) -> Option<Key> {
        None
    }

    /// Where it stands in the index of due work.
    fn due_index_key(&self) -> Option<Key> {
        None
    }

    /// When it may be forgotten.
    fn expires_at(&self) -> Option<Timestamp> {
        None
    }
}

/// A row as it was read.
#[derive(Debug, Clone)]
pub struct Stored<T> {
    pub value: T,
    version: u64,
}

impl<T> Stored<T> {
    /// A row as it stands after its [creation](Write::create) was committed.
    pub fn created(value: T) -> Self {
        Self { value, version: 1 }
    }

    /// The row as it stands after its [replacement](Write::replace) by `value` was committed.
    #[must_use]
    pub fn replaced(&self, value: T) -> Self {
        Self { value, version: self.version + 1 }
    }
}

impl<T> Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// What went wrong at the table.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{operation} failed: {message}")]
    Call { operation: &'static str, message: String },
    #[error("a row does not read as what it should be: {0}")]
    Row(#[from] serde_dynamo::Error),
    #[error("a request cannot be built: {0}")]
    Request(#[from] BuildError),
    #[error("{0} was changed by others again and again")]
    Contended(&'static str),
}

/// Why a commit did not take place. In either case nothing of it was written.
#[derive(Debug, Error)]
pub enum CommitError {
    /// The condition of one of the writes did not hold: the position of the first such write.
    #[error("the condition of write {0} did not hold")]
    Conflict(usize),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<serde_dynamo::Error> for CommitError {
    fn from(error: serde_dynamo::Error) -> Self {
        Self::Store(error.into())
    }
}

fn call<E, R>(operation: &'static str) -> impl Fn(SdkError<E, R>) -> StoreError
where
    SdkError<E, R>: std::error::Error,
{
    move |error| StoreError::Call { operation, message: DisplayErrorContext(error).to_string() }
}

/// One write of a commit.
#[derive(Debug, Clone)]
pub struct Write(TransactWriteItem);

impl Write {
    /// Writes a row that must not exist yet.
    pub fn create<T: Entity>(value: &T) -> Result<Self, StoreError> {
        Self::create_item(to_item(value, 1)?)
    }

    /// As [`Write::create`], for one of the rows of a record.
    pub fn create_item(item: Item) -> Result<Self, StoreError> {
        Self::from_put(Put::builder().set_item(Some(item)).condition_expression("attribute_not_exists(pk)"))
    }

    /// Writes a row that must not exist yet, or may be forgotten from `since` at the latest.
    pub fn create_or_renew<T: Entity>(value: &T, since: Timestamp) -> Result<Self, StoreError> {
        let put = Put::builder()
            .set_item(Some(to_item(value, 1)?))
            .condition_expression("attribute_not_exists(pk) OR #ttl <= :since")
            .expression_attribute_names("#ttl", TTL)
            .expression_attribute_values(":since", AttributeValue::N(since.as_second().to_string()));
        Self::from_put(put)
    }

    /// Writes a row whatever was there.
    pub fn put<T: Entity>(value: &T) -> Result<Self, StoreError> {
        Self::from_put(Put::builder().set_item(Some(to_item(value, 1)?)))
    }

    /// Writes a row in place of the one that was read, which must not have changed since.
    pub fn replace<T: Entity>(read: &Stored<T>, value: &T) -> Result<Self, StoreError> {
        let put = Put::builder()
            .set_item(Some(to_item(value, read.version + 1)?))
            .condition_expression("#version = :version")
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":version", AttributeValue::N(read.version.to_string()));
        Self::from_put(put)
    }

    fn from_put(put: aws_sdk_dynamodb::types::builders::PutBuilder) -> Result<Self, StoreError> {
        // The table's name is filled in by the commit.
        Ok(Self(TransactWriteItem::builder().put(put.table_name("-").build()?).build()))
    }

    /// Removes a row that must not have changed since it was read.
    pub fn delete<T: Entity>(read: &Stored<T>) -> Result<Self, StoreError> {
        let delete = Delete::builder()
            .table_name("-")
            .set_key(Some(key_item(&read.key())))
            .condition_expression("#version = :version")
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":version", AttributeValue::N(read.version.to_string()));
        Ok(Self(TransactWriteItem::builder().delete(delete.build()?).build()))
    }

    /// Writes nothing, and demands that a row has not changed since it was read.
    pub fn unchanged<T: Entity>(read: &Stored<T>) -> Result<Self, StoreError> {
        let check = ConditionCheck::builder()
            .table_name("-")
            .set_key(Some(key_item(&read.key())))
            .condition_expression("#version = :version")
            .expression_attribute_names("#version", VERSION)
            .expression_attribute_values(":version", AttributeValue::N(read.version.to_string()));
        Ok(Self(TransactWriteItem::builder().condition_check(check.build()?).build()))
    }

    fn on_table(mut self, table: &str) -> TransactWriteItem {
        if let Some(put) = &mut self.0.put {
            table.clone_into(&mut put.table_name);
        }
        if let Some(delete) = &mut self.0.delete {
            table.clone_into(&mut delete.table_name);
        }
        if let Some(check) = &mut self.0.condition_check {
            table.clone_into(&mut check.table_name);
        }
        self.0
    }
}

/// Which rows of one partition to read, in the order of their sort keys.
#[derive(Debug, Clone)]
pub struct Range {
    index: Option<&'static str>,
    partition: String,
    from: Option<String>,
    to: Option<String>,
    descending: bool,
    limit: Option<i32>,
    /// What to read of each row; all where there are none.
    attributes: &'static [&'static str],
}

impl Range {
    /// Of the table itself, read consistently.
    pub fn of_table(partition: String) -> Self {
        Self::new(None, partition)
    }

    /// Of the index of lists, newest first.
    pub fn newest(partition: String) -> Self {
        Self { descending: true, ..Self::new(Some(keys::LISTS), partition) }
    }

    /// Of the index of due work, the longest due first.
    pub fn due(partition: String) -> Self {
        Self::new(Some(keys::DUE), partition)
    }

    fn new(index: Option<&'static str>, partition: String) -> Self {
        Self { index, partition, from: None, to: None, descending: false, limit: None, attributes: &[] }
    }

    /// Only sort keys from `from` to `to`, both included.
    pub fn between(mut self, from: impl Into<String>, to: impl Into<String>) -> Self {
        self.from = Some(from.into());
        self.to = Some(to.into());
        self
    }

    /// Of the index of lists, only rows of these times.
    pub fn within(self, times: &std::ops::Range<Timestamp>) -> Self {
        // A sort key is a time and more: those of the end itself lie behind it.
        self.between(keys::instant(times.start), keys::instant(times.end))
    }

    /// Only sort keys that begin so.
    pub fn beginning_with(self, prefix: &str) -> Self {
        self.between(prefix, format!("{prefix}\u{10ffff}"))
    }

    /// Only what makes up a `V`.
    fn only<V: DeserializeOwned>(mut self) -> Self {
        self.attributes = attributes::of::<V>();
        self
    }

    /// At most so many rows.
    pub fn at_most(mut self, rows: u16) -> Self {
        self.limit = Some(rows.into());
        self
    }

    fn key_names(&self) -> (&'static str, &'static str) {
        match self.index {
            None => (PK, SK),
            Some(keys::LISTS) => (LISTS_PK, LISTS_SK),
            Some(_) => (DUE_PK, DUE_SK),
        }
    }
}

/// The table. Clones share its client.
#[derive(Debug, Clone)]
pub struct Store {
    client: Client,
    table: String,
    random: Random,
}

/// How often a commit that collided with another transaction is tried.
const MAX_COLLISION_ATTEMPTS: u32 = 5;
/// How often a change is applied anew to what others have made of its row in between: enough for as many of them as a
/// merchant's whole team.
pub const MAX_CONFLICT_ATTEMPTS: u32 = 10;

impl Store {
    pub fn new(client: Client, table: impl Into<String>, random: Random) -> Self {
        Self { client, table: table.into(), random }
    }

    /// Opens the connection to the table, so that the first request finds it open. Nothing is there to be read, and an
    /// answer that refuses to look opens it as well.
    pub async fn open_connection(&self) {
        const LONGEST: Duration = Duration::from_secs(1);
        let _ = tokio::time::timeout(LONGEST, self.get_items(&[keys::nothing()])).await;
    }

    /// One row, read consistently.
    pub async fn get<T: Entity>(&self, key: &Key) -> Result<Option<Stored<T>>, StoreError> {
        if !key.is_possible() {
            return Ok(None);
        }
        let read =
            self.client.get_item().table_name(&self.table).set_key(Some(key_item(key))).consistent_read(true);
        let output = read.send().await.map_err(call("GetItem"))?;
        output.item.map(from_item).transpose()
    }

    /// Whether there is such a row. Not read consistently: a row of this very moment may be missed.
    pub async fn exists(&self, key: &Key) -> Result<bool, StoreError> {
        if !key.is_possible() {
            return Ok(false);
        }
        let read = self.client.get_item().table_name(&self.table).set_key(Some(key_item(key)));
        let output = read.projection_expression(PK).send().await.map_err(call("GetItem"))?;
        Ok(output.item.is_some())
    }

    /// Rows by key, read consistently in one round trip for every hundred; those that do not exist are left out.
    pub async fn get_items(&self, keys: &[Key]) -> Result<Vec<Item>, StoreError> {
        let mut found = Vec::with_capacity(keys.len());
        let keys: Vec<Item> = keys.iter().filter(|key| key.is_possible()).map(key_item).collect();
        for chunk in keys.chunks(100) {
            let mut wanted = chunk.to_vec();
            while !wanted.is_empty() {
                let keys =
                    KeysAndAttributes::builder().set_keys(Some(wanted)).consistent_read(true).build()?;
                let read = self.client.batch_get_item().request_items(&self.table, keys);
                let output = read.send().await.map_err(call("BatchGetItem"))?;
                found.extend(
                    output.responses.and_then(|mut tables| tables.remove(&self.table)).unwrap_or_default(),
                );
                let left = output.unprocessed_keys.and_then(|mut tables| tables.remove(&self.table));
                wanted = left.map(|keys| keys.keys).unwrap_or_default();
            }
        }
        Ok(found)
    }

    /// Every row of a range, up to its limit.
    pub async fn query<T: Entity>(&self, range: Range) -> Result<Vec<Stored<T>>, StoreError> {
        self.query_items(range).await?.into_iter().map(from_item).collect()
    }

    /// As [`Store::query`], for a partition that holds rows of several kinds.
    pub async fn query_items(&self, range: Range) -> Result<Vec<Item>, StoreError> {
        let limit = range.limit;
        let mut found = Vec::new();
        self.for_each_page(range, |items| {
            found.extend(items);
            limit.is_none_or(|limit| i32::try_from(found.len()).is_ok_and(|count| count < limit))
        })
        .await?;
        Ok(found)
    }

    /// Hands over what `V` has of each row of a range. Nothing else of them is read.
    pub async fn for_each<V: DeserializeOwned>(
        &self,
        range: Range,
        mut visit: impl FnMut(V),
    ) -> Result<(), StoreError> {
        let mut failure = None;
        self.for_each_page(range.only::<V>(), |items| {
            for item in items {
                match serde_dynamo::from_item(item) {
                    Ok(value) => visit(value),
                    Err(error) => failure = Some(error),
                }
            }
            failure.is_none()
        })
        .await?;
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Hands the rows of a range over page by page, as DynamoDB gives them, until told to stop.
    async fn for_each_page(
        &self,
        range: Range,
        mut more: impl FnMut(Vec<Item>) -> bool,
    ) -> Result<(), StoreError> {
        let mut start = None;
        loop {
            let (items, next) = self.page(&range, start).await?;
            start = next;
            if !more(items) || start.is_none() {
                return Ok(());
            }
        }
    }

    /// The rows of a range one by one, each page read when the one before is used up.
    fn stream_items(&self, range: Range) -> impl Stream<Item = Result<Item, StoreError>> {
        // Where the next page starts: at the beginning, after a row, or nowhere.
        let first_page: Option<Option<Item>> = Some(None);
        let pages = stream::try_unfold((range, first_page), move |(range, start)| async move {
            let Some(start) = start else { return Ok::<_, StoreError>(None) };
            let (items, next) = self.page(&range, start).await?;
            Ok(Some((stream::iter(items.into_iter().map(Ok)), (range, next.map(Some)))))
        });
        pages.try_flatten()
    }

    /// One page of a range as DynamoDB gives it, and where the next one starts.
    async fn page(
        &self,
        range: &Range,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), StoreError> {
        if range.partition.len() > keys::MAX_PK_BYTES {
            return Ok((Vec::new(), None));
        }
        let (pk, sk) = range.key_names();
        let query = self
            .client
            .query()
            .table_name(&self.table)
            .set_index_name(range.index.map(str::to_owned))
            .consistent_read(range.index.is_none())
            .scan_index_forward(!range.descending)
            .set_limit(range.limit)
            .set_exclusive_start_key(start)
            .expression_attribute_names("#pk", pk)
            .expression_attribute_values(":pk", AttributeValue::S(range.partition.clone()));
        let query = match (&range.from, &range.to) {
            (Some(from), Some(to)) => query
                .key_condition_expression("#pk = :pk AND #sk BETWEEN :from AND :to")
                .expression_attribute_names("#sk", sk)
                .expression_attribute_values(":from", AttributeValue::S(from.clone()))
                .expression_attribute_values(":to", AttributeValue::S(to.clone())),
            _ => query.key_condition_expression("#pk = :pk"),
        };
        // By number: DynamoDB has words of its own that are no names.
        let numbered =
            range.attributes.iter().enumerate().map(|(number, name)| (format!("#{number}"), *name));
        let query = numbered
            .clone()
            .fold(query, |query, (number, name)| query.expression_attribute_names(number, name));
        let projection = numbered.map(|(number, _)| number).collect::<Vec<_>>().join(", ");
        let query = query.set_projection_expression(Some(projection).filter(|names| !names.is_empty()));
        let output = query.send().await.map_err(call("Query"))?;
        Ok((output.items.unwrap_or_default(), output.last_evaluated_key))
    }

    /// Carries out all of the writes or none. Repeating it after a lost answer changes nothing: the SDK sends the
    /// same client request token again.
    pub async fn commit(&self, writes: Vec<Write>) -> Result<(), CommitError> {
        let writes: Vec<_> = writes.into_iter().map(|write| write.on_table(&self.table)).collect();
        for attempt in 0.. {
            let commit = self.client.transact_write_items().set_transact_items(Some(writes.clone()));
            let Err(error) = commit.send().await else { return Ok(()) };
            match refusal(&error) {
                Some(Refused::Condition(position)) => return Err(CommitError::Conflict(position)),
                Some(Refused::Collision) if attempt < MAX_COLLISION_ATTEMPTS => {
                    self.pause(attempt).await;
                }
                _ => return Err(CommitError::Store(call("TransactWriteItems")(error))),
            }
        }
        Ok(())
    }

    /// Waits for a random time that grows with each attempt, so that writers who collided do not meet again.
    pub async fn pause(&self, attempt: u32) {
        let wait = self.random.below(20 << attempt.min(6));
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }

    /// Writes records as they are, skipping each whose first row exists already, here or in an earlier record. For
    /// loading data, not for serving.
    pub async fn import(&self, records: Vec<Vec<Item>>) -> Result<(), StoreError> {
        let head = |rows: &Vec<Item>| rows.first().and_then(item_key);
        let heads: Vec<Key> = records.iter().filter_map(head).collect::<HashSet<_>>().into_iter().collect();
        let mut known: HashSet<Key> = self.get_items(&heads).await?.iter().filter_map(item_key).collect();
        let new = records.into_iter().filter(|rows| head(rows).is_some_and(|key| known.insert(key)));
        // The first row comes last: where it exists, the whole record does.
        let rows = new.flat_map(|rows| rows.into_iter().rev());
        let mut written = HashSet::new();
        let rows: Vec<Item> =
            rows.filter(|row| item_key(row).is_some_and(|key| written.insert(key))).collect();
        for chunk in rows.chunks(25) {
            let puts = chunk.iter().map(|row| PutRequest::builder().set_item(Some(row.clone())).build());
            let puts = puts.map(|put| put.map(|put| WriteRequest::builder().put_request(put).build()));
            self.batch_write(puts.collect::<Result<_, _>>()?).await?;
        }
        Ok(())
    }

    /// Removes a row whatever it holds.
    pub async fn remove(&self, key: &Key) -> Result<(), StoreError> {
        let delete = DeleteRequest::builder().set_key(Some(key_item(key))).build()?;
        self.batch_write(vec![WriteRequest::builder().delete_request(delete).build()]).await
    }

    async fn batch_write(&self, mut writes: Vec<WriteRequest>) -> Result<(), StoreError> {
        while !writes.is_empty() {
            let batch = self.client.batch_write_item().request_items(&self.table, writes);
            let output = batch.send().await.map_err(call("BatchWriteItem"))?;
            let left = output.unprocessed_items.and_then(|mut tables| tables.remove(&self.table));
            writes = left.unwrap_or_default();
        }
        Ok(())
    }
}

enum Refused {
    Condition(usize),
    Collision,
}

fn refusal<R>(error: &SdkError<TransactWriteItemsError, R>) -> Option<Refused> {
    let Some(TransactWriteItemsError::TransactionCanceledException(canceled)) = error.as_service_error()
    else {
        return None;
    };
    let mut codes = canceled.cancellation_reasons().iter().map(|reason| reason.code().unwrap_or_default());
    if let Some(position) = codes.clone().position(|code| code == "ConditionalCheckFailed") {
        return Some(Refused::Condition(position));
    }
    codes.any(|code| code == "TransactionConflict").then_some(Refused::Collision)
}

/// An entity as a row: its fields at the top level, beside the keys and the version.
pub fn to_item<T: Entity>(value: &T, version: u64) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(value)?;
    let mut set = |name: &str, value: String| item.insert(name.to_owned(), AttributeValue::S(value));
    let key = value.key();
    set(PK, key.pk);
    set(SK, key.sk);
    if let Some(lists) = value.list_index_key() {
        set(LISTS_PK, lists.pk);
        set(LISTS_SK, lists.sk);
    }
    if let Some(due) = value.due_index_key() {
        set(DUE_PK, due.pk);
        set(DUE_SK, due.sk);
    }
    if let Some(at) = value.expires_at() {
        item.insert(TTL.to_owned(), AttributeValue::N(at.as_second().to_string()));
    }
    item.insert(VERSION.to_owned(), AttributeValue::N(version.to_string()));
    Ok(item)
}

/// The entity that a row holds.
pub fn from_item<T: Entity>(item: Item) -> Result<Stored<T>, StoreError> {
    let version = match item.get(VERSION) {
        Some(AttributeValue::N(version)) => version.parse().unwrap_or_default(),
        _ => 0,
    };
    Ok(Stored { value: serde_dynamo::from_item(item)?, version })
}

/// The key of a row.
pub fn item_key(item: &Item) -> Option<Key> {
    match (item.get(PK), item.get(SK)) {
        (Some(AttributeValue::S(pk)), Some(AttributeValue::S(sk))) => {
            Some(Key { pk: pk.clone(), sk: sk.clone() })
        }
        _ => None,
    }
}

fn key_item(key: &Key) -> Item {
    [(PK, &key.pk), (SK, &key.sk)]
        .map(|(name, value)| (name.to_owned(), AttributeValue::S(value.clone())))
        .into()
}
