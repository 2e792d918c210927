//! Bulk loading and unconditional deletes.

use std::collections::HashSet;

use aws_sdk_dynamodb::types::{DeleteRequest, PutRequest, WriteRequest};

use super::error::{StoreError, call};
use super::keys::Key;
use super::row::{Item, item_key, key_item};
use super::table::Store;

/// Items in one `BatchWriteItem`, by DynamoDB's limit.
const MAX_BATCH_WRITE_ITEMS: usize = 25;

impl Store {
    /// Writes records without conditions, skipping each record whose first row exists in the table or in an earlier
    /// record. For loading data, not for serving requests.
    pub async fn import(&self, records: Vec<Vec<Item>>) -> Result<(), StoreError> {
        let rows = self.new_records(records).await?;
        self.import_rows(rows).await
    }

    /// The rows of those records whose first row exists neither in the table nor in an earlier record, each row once.
    pub async fn new_records(&self, records: Vec<Vec<Item>>) -> Result<Vec<Item>, StoreError> {
        let first_key = |rows: &Vec<Item>| rows.first().and_then(item_key);
        let first_keys: Vec<Key> = records.iter().filter_map(first_key).collect::<HashSet<_>>().into_iter().collect();
        let mut known: HashSet<Key> = self.get_items(&first_keys).await?.iter().filter_map(item_key).collect();
        let new = records.into_iter().filter(|rows| first_key(rows).is_some_and(|key| known.insert(key)));
        // The first row is written last: where it exists, the record is complete.
        let rows = new.flat_map(|rows| rows.into_iter().rev());
        let mut written = HashSet::new();
        Ok(rows.filter(|row| item_key(row).is_some_and(|key| written.insert(key))).collect())
    }

    async fn import_rows(&self, rows: Vec<Item>) -> Result<(), StoreError> {
        for chunk in rows.chunks(MAX_BATCH_WRITE_ITEMS) {
            let puts = chunk.iter().map(|row| PutRequest::builder().set_item(Some(row.clone())).build());
            let puts = puts.map(|put| put.map(|put| WriteRequest::builder().put_request(put).build()));
            self.batch_write(puts.collect::<Result<_, _>>()?).await?;
        }
        Ok(())
    }

    /// Deletes a row unconditionally.
    pub async fn remove(&self, key: &Key) -> Result<(), StoreError> {
        let delete = DeleteRequest::builder().set_key(Some(key_item(key))).build()?;
        self.batch_write(vec![WriteRequest::builder().delete_request(delete).build()]).await
    }

    async fn batch_write(&self, mut writes: Vec<WriteRequest>) -> Result<(), StoreError> {
        for retries in 0.. {
            let batch = self.client.batch_write_item().request_items(&self.table, writes);
            let output = batch.send().await.map_err(call("BatchWriteItem"))?;
            let unprocessed = output.unprocessed_items.and_then(|mut tables| tables.remove(&self.table));
            writes = unprocessed.unwrap_or_default();
            if writes.is_empty() {
                break;
            }
            self.retry_unprocessed("BatchWriteItem", retries).await?;
        }
        Ok(())
    }
}
