//! Images that were taken down.

use crate::db::keys::{self, Key};
use crate::db::{Entity, Store, StoreError, Stored};
use crate::merchants::model::take_down::TakeDown;

impl Entity for TakeDown {
    fn key(&self) -> Key {
        keys::take_down(&self.object_key)
    }
}

impl Store {
    /// `None` if the image with this key was never taken down.
    pub async fn take_down(&self, object_key: &str) -> Result<Option<Stored<TakeDown>>, StoreError> {
        self.get(&keys::take_down(object_key)).await
    }
}
