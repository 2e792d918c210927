//! The row of an idempotency key: used, closed, or both.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::operation::Operation;
use crate::db::keys::Key;
use crate::db::{Entity, Store, StoreError, Write};
use crate::values::{Reference, later};

/// How long a key is remembered after its first use. A till's token lives half as long.
const REMEMBERED_FOR: SignedDuration = SignedDuration::from_hours(2 * 365 * 24);
/// How long the row of an expired key is kept. No operation stays open for that long.
const GRACE_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A key that was used or closed. Its row contains only hashes of the key and of the body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct KeyRow {
    #[serde(flatten)]
    key: Key,
    /// What it was used for. `None`: it was closed before it was used.
    #[serde(flatten)]
    pub(super) used: Option<Use>,
    expires_at: Timestamp,
    /// Since when nothing begins under it. In an attribute of this name, for the condition of [`free`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed_at: Option<Timestamp>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Use {
    pub(super) fingerprint: String,
    pub(super) reference: Reference,
}

impl KeyRow {
    /// The row of a key that is used for the first time.
    pub(super) fn used(key: Key, used: Use, now: Timestamp) -> Self {
        Self { key, used: Some(used), expires_at: later(now, REMEMBERED_FOR), closed_at: None }
    }

    /// The row of a key that is closed before it was used.
    pub(super) fn closed_unused(key: Key, now: Timestamp) -> Self {
        Self { key, used: None, expires_at: later(now, REMEMBERED_FOR), closed_at: Some(now) }
    }

    /// The row of a key whose operation may go on, while nothing else begins under it.
    pub(super) fn closed(&self, now: Timestamp) -> Self {
        Self { expires_at: later(now, REMEMBERED_FOR), closed_at: Some(now), ..self.clone() }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed_at.is_some()
    }

    /// Whether the key may be used again, once its operation is closed.
    pub(super) fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.as_second() <= now.as_second()
    }

    /// Writes the row, on condition that the key has been neither used nor closed since it was read.
    pub(super) fn write(&self, now: Timestamp) -> Result<Write, StoreError> {
        Write::create_or_renew(self, later(now, GRACE_PERIOD))
    }
}

/// Frees a key whose operation failed for a reason that says nothing about the request, on condition that it is not closed.
pub(super) fn free(key: Key) -> Result<Write, StoreError> {
    Write::remove_without(key, "closed_at")
}

impl Entity for KeyRow {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.expires_at, GRACE_PERIOD))
    }
}

/// Whether no request with the key of this operation has begun another one, or will: the key is closed.
pub async fn key_is_closed(store: &Store, operation: &Operation) -> Result<bool, StoreError> {
    let Some(key) = &operation.idempotency_key else { return Ok(false) };
    let row = store.get::<KeyRow>(key).await?;
    let is_its_own = |row: &KeyRow| row.used.as_ref().is_none_or(|used| used.reference == operation.reference);
    Ok(row.is_some_and(|row| row.is_closed() && is_its_own(&row)))
}
