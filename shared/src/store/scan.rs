//! Scans: rows that are found by reading the whole table. For commands of operators: no function is allowed to scan.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use futures_util::stream::{self, Stream, TryStreamExt};

use super::error::{StoreError, call};
use super::keys::{self, PK};
use super::row::{Entity, Item, Stored, item_key};
use super::table::Store;
use crate::domain::ids::MerchantId;

/// A part of the table.
#[derive(Debug)]
pub struct ScannedPage {
    /// The rows that match.
    pub items: Vec<Item>,
    /// How many rows were read to find them.
    pub read: usize,
}

impl Store {
    /// The rows whose partition keys begin with one of these texts, page by page. Rows of the last moments can be missing.
    pub fn scan(&self, prefixes: Vec<String>) -> impl Stream<Item = Result<ScannedPage, StoreError>> {
        // The start of the next page: `Some(None)` is the beginning, `None` the end.
        let first_page: Option<Option<Item>> = Some(None);
        stream::try_unfold((prefixes, first_page), move |(prefixes, start)| async move {
            let Some(start) = start else { return Ok::<_, StoreError>(None) };
            let (page, next) = self.scanned_page(&prefixes, start).await?;
            Ok(Some((page, (prefixes, next.map(Some)))))
        })
    }

    async fn scanned_page(&self, prefixes: &[String], start: Option<Item>) -> Result<(ScannedPage, Option<Item>), StoreError> {
        let mut scan = self.client.scan().table_name(&self.table).set_exclusive_start_key(start);
        let mut conditions = Vec::new();
        for (number, prefix) in prefixes.iter().enumerate() {
            conditions.push(format!("begins_with({PK}, :p{number})"));
            scan = scan.expression_attribute_values(format!(":p{number}"), AttributeValue::S(prefix.clone()));
        }
        let output = scan.filter_expression(conditions.join(" OR ")).send().await.map_err(call("Scan"))?;
        let read = usize::try_from(output.scanned_count).unwrap_or_default();
        let page = ScannedPage { items: output.items.unwrap_or_default(), read };
        Ok((page, output.last_evaluated_key))
    }

    /// The entities of all rows whose partition keys begin with this text, in any order. Unreadable rows are left out.
    pub async fn scan_all<T: Entity>(&self, prefix: String) -> Result<Vec<Stored<T>>, StoreError> {
        let pages: Vec<ScannedPage> = self.scan(vec![prefix]).try_collect().await?;
        Ok(self.readable(pages.into_iter().flat_map(|page| page.items).collect()))
    }

    /// All merchants.
    pub async fn merchant_ids(&self) -> Result<BTreeSet<MerchantId>, StoreError> {
        let add = |mut ids: BTreeSet<MerchantId>, page: ScannedPage| async move {
            let keys = page.items.iter().filter_map(item_key);
            ids.extend(keys.filter_map(|key| keys::parse_merchant(&key)));
            Ok(ids)
        };
        self.scan(vec![keys::MERCHANT_ROWS.to_owned()]).try_fold(BTreeSet::new(), add).await
    }
}
