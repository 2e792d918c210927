//! Pages of lists.

use std::collections::HashMap;

use serde::de::DeserializeOwned;

use super::keys::Key;
use super::{Entity, Item, Range, Store, StoreError, from_item, item_key};

/// The stretch of a list that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub skip: usize,
    pub take: usize,
}

/// A stretch of a list, and how many rows the whole list has.
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
    /// A stretch of the list of those rows that are admitted. `V` is what it takes to tell, and to name the row: no more
    /// is read of the rows that are not shown.
    pub(super) async fn list<V: DeserializeOwned, T: Entity>(
        &self,
        range: Range,
        stretch: PageRequest,
        admits: impl Fn(&V) -> bool,
        key: impl Fn(&V) -> Key,
    ) -> Result<Page<T>, StoreError> {
        let (mut shown, mut total) = (Vec::new(), 0);
        self.for_each::<V>(range, |row| {
            if admits(&row) {
                if total >= stretch.skip && shown.len() < stretch.take {
                    shown.push(key(&row));
                }
                total += 1;
            }
        })
        .await?;
        Ok(Page { rows: self.rows(&shown).await?, total })
    }

    /// Rows in the order of their keys here; those that do not exist are left out.
    async fn rows<T: Entity>(&self, keys: &[Key]) -> Result<Vec<T>, StoreError> {
        let items = self.get_items(keys).await?;
        let mut found: HashMap<Key, Item> =
            items.into_iter().filter_map(|item| Some((item_key(&item)?, item))).collect();
        let rows = keys.iter().filter_map(|key| found.remove(key));
        rows.map(|item| from_item::<T>(item).map(|stored| stored.value)).collect()
    }
}
