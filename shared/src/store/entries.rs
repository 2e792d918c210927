//! Writing of entries that are missing or outdated: of rows that were written by releases without entries.

use futures_util::stream::{self, StreamExt, TryStreamExt};
use std::pin::pin;

use super::error::StoreError;
use super::keys::{Listed, listed_rows};
use super::row::{Entity, Item, item_key};
use super::table::Store;
use super::write::Write;
use crate::domain::ids::MerchantId;
use crate::domain::order::Order;
use crate::domain::redemption::Redemption;
use crate::domain::settlement::Settlement;
use crate::domain::visit::Visit;

impl Store {
    /// Writes the entries of all rows of a merchant, or of all merchants, `concurrency` at a time. It reads the whole table:
    /// `progress` is told how many rows have been read. A row that changes meanwhile is left alone: its change has written
    /// them. Returns the number of rows that have no entries because they cannot be read.
    pub async fn write_entries(
        &self,
        merchant: Option<&MerchantId>,
        concurrency: usize,
        mut progress: impl FnMut(usize),
    ) -> Result<usize, StoreError> {
        let prefixes = Listed::ALL.map(|listed| listed_rows(listed, merchant));
        let mut pages = pin!(self.scan(prefixes.into()));
        let (mut read, mut unreadable) = (0, 0);
        while let Some(page) = pages.try_next().await? {
            let writes = page.items.into_iter().map(|item| self.write_entries_of_item(item));
            let mut written = pin!(stream::iter(writes).buffer_unordered(concurrency));
            while let Some(is_readable) = written.try_next().await? {
                unreadable += usize::from(!is_readable);
            }
            read += page.read;
            progress(read);
        }
        Ok(unreadable)
    }

    /// Returns whether the row can be read.
    async fn write_entries_of_item(&self, item: Item) -> Result<bool, StoreError> {
        let listed = item_key(&item).and_then(|key| Listed::of(&key.pk));
        match listed {
            Some(Listed::Orders) => self.write_entries_of::<Order>(item).await,
            Some(Listed::Redemptions) => self.write_entries_of::<Redemption>(item).await,
            Some(Listed::Settlements) => self.write_entries_of::<Settlement>(item).await,
            Some(Listed::Visits) => self.write_entries_of::<Visit>(item).await,
            None => Ok(true),
        }
    }

    async fn write_entries_of<T: Entity>(&self, item: Item) -> Result<bool, StoreError> {
        let Some(row) = self.readable_row::<T>(item) else { return Ok(false) };
        self.commit_if_possible(vec![Write::entries_of(&row)?]).await?;
        Ok(true)
    }
}
