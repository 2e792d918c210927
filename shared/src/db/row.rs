//! Rows: entities as DynamoDB items.

use std::collections::HashMap;
use std::ops::Deref;

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::StoreError;
use super::fields;
use super::keys::{DUE_PK, DUE_SK, Key, PK, SK, TTL};

/// A DynamoDB item.
pub type Item = HashMap<String, AttributeValue>;

/// The attribute that counts the writes of a row.
pub(crate) const VERSION: &str = "version";

/// A type that is stored as a row.
///
/// Several releases share the table, so an entity ignores attributes that it does not know (a replacement of the row keeps
/// them), defaults those that are missing where a default is safe, and keeps unknown enum values (`OpenEnum`). Ids, money,
/// permissions and times have no default: a row without them is unreadable.
pub trait Entity: Serialize + DeserializeOwned {
    fn key(&self) -> Key;

    /// The row's key in the index of due work, if it is due at some time.
    fn due_index_key(&self) -> Option<Key> {
        None
    }

    /// When DynamoDB may delete the row.
    fn expires_at(&self) -> Option<Timestamp> {
        None
    }

    /// Rows that are derived from it, by which it is listed and counted. They are written and deleted in the transaction
    /// of every change of the row.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        Ok(Vec::new())
    }

    /// A row that reports the change that led to this version, for whoever writes the search segments. It is written in the
    /// transaction of every change.
    fn change(&self, _version: u64) -> Result<Option<Item>, StoreError> {
        Ok(None)
    }
}

/// An entity as it was read, with its version.
#[derive(Debug, Clone)]
pub struct Stored<T> {
    pub value: T,
    pub(crate) version: u64,
    /// Attributes that only another release knows. A replacement of the row keeps them.
    pub(crate) unknown: Item,
}

impl<T> Stored<T> {
    /// The row after its [creation](super::Write::create) was committed.
    pub fn created(value: T) -> Self {
        Self { value, version: 1, unknown: Item::new() }
    }

    /// The row after its [replacement](super::Write::replace) by `value` was committed.
    #[must_use]
    pub fn replaced(&self, value: T) -> Self {
        Self { value, version: self.version + 1, unknown: self.unknown.clone() }
    }

    /// The same row, read as something else.
    pub fn map<U>(self, read: impl FnOnce(T) -> U) -> Stored<U> {
        Stored { value: read(self.value), version: self.version, unknown: self.unknown }
    }
}

impl<T> Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// The item of an entity: its fields as top-level attributes, its keys and its version.
pub fn to_item<T: Entity>(value: &T, version: u64) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(value)?;
    let mut set = |name: &str, value: String| item.insert(name.to_owned(), AttributeValue::S(value));
    let key = value.key();
    set(PK, key.pk);
    set(SK, key.sk);
    if let Some(due) = value.due_index_key() {
        set(DUE_PK, due.pk);
        set(DUE_SK, due.sk);
    }
    if let Some(at) = value.expires_at() {
        item.insert(TTL.to_owned(), ttl(at));
    }
    item.insert(VERSION.to_owned(), AttributeValue::N(version.to_string()));
    Ok(item)
}

pub(crate) fn ttl(at: Timestamp) -> AttributeValue {
    AttributeValue::N(at.as_second().to_string())
}

/// The rows of a new entity: its own item and its [entries](Entity::entries).
pub fn new_rows<T: Entity>(value: &T) -> Result<Vec<Item>, StoreError> {
    let mut rows = vec![to_item(value, 1)?];
    rows.extend(value.entries()?);
    Ok(rows)
}

/// The item of a row that is derived from another one.
pub(crate) fn entry_item(key: Key, value: &impl Serialize) -> Result<Item, StoreError> {
    let mut item: Item = serde_dynamo::to_item(value)?;
    item.insert(PK.to_owned(), AttributeValue::S(key.pk));
    item.insert(SK.to_owned(), AttributeValue::S(key.sk));
    Ok(item)
}

pub fn from_item<T: Entity>(mut item: Item) -> Result<Stored<T>, StoreError> {
    let version = match item.get(VERSION) {
        Some(AttributeValue::N(version)) => version.parse().unwrap_or_default(),
        _ => 0,
    };
    let unknown = take_unknown::<T>(&mut item);
    Ok(Stored { value: serde_dynamo::from_item(item)?, version, unknown })
}

/// Removes the attributes that are neither fields of the entity nor set by [`to_item`].
fn take_unknown<T: Entity>(item: &mut Item) -> Item {
    const OWN: [&str; 6] = [PK, SK, DUE_PK, DUE_SK, TTL, VERSION];
    let Some(fields) = fields::names::<T>() else { return Item::new() };
    item.extract_if(|name, _| !fields.contains(&name.as_str()) && !OWN.contains(&name.as_str())).collect()
}

pub fn item_key(item: &Item) -> Option<Key> {
    match (item.get(PK), item.get(SK)) {
        (Some(AttributeValue::S(pk)), Some(AttributeValue::S(sk))) => Some(Key { pk: pk.clone(), sk: sk.clone() }),
        _ => None,
    }
}

pub(crate) fn key_item(key: &Key) -> Item {
    [(PK, &key.pk), (SK, &key.sk)].map(|(name, value)| (name.to_owned(), AttributeValue::S(value.clone()))).into()
}

/// Takes the row with this key out of those that were read together, if it is among them.
pub(crate) fn take<T: Entity>(rows: &mut Vec<Item>, key: &Key) -> Result<Option<Stored<T>>, StoreError> {
    let position = rows.iter().position(|row| item_key(row).as_ref() == Some(key));
    position.map(|position| from_item(rows.swap_remove(position))).transpose()
}
