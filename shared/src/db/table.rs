//! The table, and reads by key.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::KeysAndAttributes;

use super::error::{StoreError, call};
use super::keys::{self, Key, PK};
use super::refusals::Refusals;
use super::row::{Entity, Item, Stored, from_item, item_key, key_item};
use crate::base::metrics::Metrics;
use crate::base::random::Random;

/// The table. Clones share its client.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) client: Client,
    pub(crate) table: String,
    pub(crate) random: Random,
    pub(crate) refusals: Refusals,
    metrics: Metrics,
}

/// Keys in one `BatchGetItem`, by DynamoDB's limit.
const MAX_BATCH_GET_KEYS: usize = 100;

impl Store {
    pub fn new(client: Client, table: impl Into<String>, random: Random, metrics: Metrics) -> Self {
        Self { client, table: table.into(), random, refusals: Refusals::default(), metrics }
    }

    /// The name of the table.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Opens the connection to DynamoDB before the first request needs it. The key that is read does not exist, and an
    /// error response opens the connection as well.
    pub async fn open_connection(&self) {
        const TIMEOUT: Duration = Duration::from_secs(1);
        let _ = tokio::time::timeout(TIMEOUT, self.get_items(&[keys::nothing()])).await;
    }

    /// Reads one row, consistently.
    pub async fn get<T: Entity>(&self, key: &Key) -> Result<Option<Stored<T>>, StoreError> {
        if !key.is_within_limits() {
            return Ok(None);
        }
        let read = self.client.get_item().table_name(&self.table).set_key(Some(key_item(key))).consistent_read(true);
        let output = read.send().await.map_err(call("GetItem"))?;
        output.item.map(from_item).transpose()
    }

    /// Whether the row exists. The read is eventually consistent: a row that was just written may be missed.
    pub async fn exists(&self, key: &Key) -> Result<bool, StoreError> {
        if !key.is_within_limits() {
            return Ok(false);
        }
        let read = self.client.get_item().table_name(&self.table).set_key(Some(key_item(key)));
        let output = read.projection_expression(PK).send().await.map_err(call("GetItem"))?;
        Ok(output.item.is_some())
    }

    /// Reads rows by key, consistently, in one round trip per hundred. Rows that do not exist are left out.
    pub async fn get_items(&self, keys: &[Key]) -> Result<Vec<Item>, StoreError> {
        self.batch_get(keys, true).await
    }

    /// As [`Self::get_items`], at half the price: changes of the last moments can be missing.
    pub(crate) async fn get_items_eventually(&self, keys: &[Key]) -> Result<Vec<Item>, StoreError> {
        self.batch_get(keys, false).await
    }

    async fn batch_get(&self, keys: &[Key], consistent: bool) -> Result<Vec<Item>, StoreError> {
        let mut found = Vec::with_capacity(keys.len());
        let keys: Vec<Item> = keys.iter().filter(|key| key.is_within_limits()).map(key_item).collect();
        for chunk in keys.chunks(MAX_BATCH_GET_KEYS) {
            let (mut remaining, mut retries) = (chunk.to_vec(), 0);
            loop {
                let wanted = remaining.len();
                let keys = KeysAndAttributes::builder().set_keys(Some(remaining)).consistent_read(consistent);
                let keys = keys.build()?;
                let read = self.client.batch_get_item().request_items(&self.table, keys);
                let output = read.send().await.map_err(call("BatchGetItem"))?;
                found.extend(output.responses.and_then(|mut tables| tables.remove(&self.table)).unwrap_or_default());
                let unprocessed = output.unprocessed_keys.and_then(|mut tables| tables.remove(&self.table));
                remaining = unprocessed.map(|keys| keys.keys).unwrap_or_default();
                if remaining.is_empty() {
                    break;
                }
                // As long as it makes progress, it is not given up.
                retries = if remaining.len() < wanted { 0 } else { retries };
                self.retry_unprocessed("BatchGetItem", retries).await?;
                retries += 1;
            }
        }
        Ok(found)
    }

    /// The entities of a list. Unreadable rows are [skipped](Self::skip_unreadable).
    pub(crate) fn readable<T: Entity>(&self, items: Vec<Item>) -> Vec<Stored<T>> {
        items.into_iter().filter_map(|item| self.readable_row(item)).collect()
    }

    /// The entity of one row of a list. An unreadable row is [skipped](Self::skip_unreadable).
    pub(crate) fn readable_row<T: Entity>(&self, item: Item) -> Option<Stored<T>> {
        let key = item_key(&item);
        from_item(item).inspect_err(|error| self.skip_unreadable(key.as_ref(), error)).ok()
    }

    /// Logs and counts a row that is left out of a list, so that it does not fail the whole list: it was written by
    /// another release or changed manually.
    pub(crate) fn skip_unreadable(&self, key: Option<&Key>, error: &StoreError) {
        let key = key.map(Key::loggable).unwrap_or_default();
        tracing::error!(cause = %error, key, "skipped an unreadable row");
        self.metrics.record_unreadable_row();
    }
}
