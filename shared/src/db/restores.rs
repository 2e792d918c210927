//! The restores that the rows of the table have been through.

use super::error::StoreError;
use super::keys::{self, Key};
use super::row::{Entity, Stored};
use super::table::Store;
use crate::db::model::restore::Restores;

impl Entity for Restores {
    fn key(&self) -> Key {
        keys::restores()
    }
}

impl Store {
    /// `None` for a table that was never restored.
    pub async fn restores(&self) -> Result<Option<Stored<Restores>>, StoreError> {
        self.get(&keys::restores()).await
    }
}
