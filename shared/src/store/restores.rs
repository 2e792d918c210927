//! What the table has lost by restores.

use super::error::StoreError;
use super::keys::{self, Key};
use super::row::{Entity, Stored};
use super::table::Store;
use crate::domain::restore::LostSpans;

impl Entity for LostSpans {
    fn key(&self) -> Key {
        keys::lost_spans()
    }
}

impl Store {
    /// `None` for a table that was never restored.
    pub async fn lost_spans(&self) -> Result<Option<Stored<LostSpans>>, StoreError> {
        self.get(&keys::lost_spans()).await
    }
}
