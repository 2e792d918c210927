//! Pages of lists.

use std::collections::HashMap;

use super::error::StoreError;
use super::keys::Key;
use super::query::Range;
use super::row::{Entity, Item, item_key};
use super::table::Store;
use crate::domain::projection::Projection;

/// The page of a list that is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub offset: usize,
    pub limit: usize,
}

/// A page of a list, and the number of rows of the whole list.
#[derive(Debug)]
pub struct Page<T> {
    pub rows: Vec<T>,
    pub total: usize,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), total: 0 }
    }
}

impl Store {
    /// A page of the rows of a range that match. Of the rows that are not on the page, only the projection is read.
    /// Unreadable rows are left out. The total includes those whose projection is readable.
    pub(super) async fn list<P: Projection, T: Entity>(
        &self,
        range: Range,
        page: PageRequest,
        matches: impl Fn(&P) -> bool,
        key: impl Fn(&P) -> Key,
    ) -> Result<Page<T>, StoreError> {
        let (mut keys, mut total) = (Vec::new(), 0);
        self.for_each::<P>(range, |row| {
            if matches(&row) {
                if total >= page.offset && keys.len() < page.limit {
                    keys.push(key(&row));
                }
                total += 1;
            }
        })
        .await?;
        Ok(Page { rows: self.rows(&keys).await?, total })
    }

    /// Reads rows in the order of their keys. Rows that do not exist are left out.
    async fn rows<T: Entity>(&self, keys: &[Key]) -> Result<Vec<T>, StoreError> {
        let items = self.get_items(keys).await?;
        let mut found: HashMap<Key, Item> =
            items.into_iter().filter_map(|item| Some((item_key(&item)?, item))).collect();
        let rows = keys.iter().filter_map(|key| found.remove(key));
        Ok(rows.filter_map(|item| self.readable_row(item)).map(|stored| stored.value).collect())
    }
}
