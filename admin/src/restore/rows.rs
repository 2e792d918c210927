//! Rows of one table, beside those of another.

use std::collections::HashMap;

use shared::db::keys::Key;
use shared::db::{Entity, Store, Stored, from_item, item_key};

use super::RestoreError;

/// Reads rows by key. An unreadable one is an error: it could be the one that was paid.
pub(super) async fn by_key<T: Entity>(store: &Store, keys: &[Key]) -> Result<HashMap<Key, Stored<T>>, RestoreError> {
    let mut found = HashMap::new();
    for item in store.get_items(keys).await? {
        let Some(key) = item_key(&item) else { continue };
        let row = from_item(item).map_err(|_| RestoreError::Unreadable(key.clone()))?;
        found.insert(key, row);
    }
    Ok(found)
}
