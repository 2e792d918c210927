//! Scans: rows that are found by reading the whole table. For commands of operators: no function is allowed to scan.

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::stream::{self, Stream, TryStreamExt};

use super::error::{StoreError, call};
use super::keys::PK;
use super::row::{Entity, Item, Stored};
use super::table::Store;

impl Store {
    /// The rows whose partition keys begin with one of these texts, page by page. Rows of the last moments can be missing.
    pub fn scan(&self, prefixes: Vec<String>) -> impl Stream<Item = Result<Vec<Item>, StoreError>> {
        // The start of the next page: `Some(None)` is the beginning, `None` the end.
        let first_page: Option<Option<Item>> = Some(None);
        stream::try_unfold((prefixes, first_page), move |(prefixes, start)| async move {
            let Some(start) = start else { return Ok::<_, StoreError>(None) };
            let (page, next) = self.scanned_page(&prefixes, start).await?;
            Ok(Some((page, (prefixes, next.map(Some)))))
        })
    }

    async fn scanned_page(&self, prefixes: &[String], start: Option<Item>) -> Result<(Vec<Item>, Option<Item>), StoreError> {
        let mut scan = self.client.scan().table_name(&self.table).set_exclusive_start_key(start);
        let mut conditions = Vec::new();
        for (number, prefix) in prefixes.iter().enumerate() {
            conditions.push(format!("begins_with({PK}, :p{number})"));
            scan = scan.expression_attribute_values(format!(":p{number}"), AttributeValue::S(prefix.clone()));
        }
        let output = scan.filter_expression(conditions.join(" OR ")).send().await.map_err(call("Scan"))?;
        Ok((output.items.unwrap_or_default(), output.last_evaluated_key))
    }

    /// The entities of all rows whose partition keys begin with this text, in any order. Unreadable rows are left out.
    pub async fn scan_all<T: Entity>(&self, prefix: String) -> Result<Vec<Stored<T>>, StoreError> {
        Ok(self.readable(self.scan(vec![prefix]).try_concat().await?))
    }
}
