//! Idempotency keys: which operation a caller's key stands for.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::{Entity, Store, StoreError, Stored, Write};
use crate::domain::ids::{MerchantId, Reference};

/// How long a key stands for its operation, and for as long after that as the operation is open.
const TTL: SignedDuration = SignedDuration::from_hours(24);
/// How long after its lifetime the row may be removed. No operation stays open for that long.
const GRACE_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The routes that take keys; the same key on each is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyedRoute {
    Issue,
    Redeem,
}

impl KeyedRoute {
    fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Redeem => "redeem",
        }
    }
}

/// A key that was used. The key itself is kept only as a hash.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UsedKey {
    #[serde(flatten)]
    key: Key,
    /// Hash of the request that it was first used with.
    pub fingerprint: String,
    pub reference: Reference,
    expires_at: Timestamp,
}

impl UsedKey {
    pub fn new(
        merchant: &MerchantId,
        route: KeyedRoute,
        key: &str,
        fingerprint: String,
        reference: Reference,
        now: Timestamp,
    ) -> Self {
        let key = keys::idempotency(merchant, route.name(), key);
        Self { key, fingerprint, reference, expires_at: later(now, TTL) }
    }

    /// Whether the key may be used anew, once its operation is closed.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.as_second() <= now.as_second()
    }

    /// Makes the key stand for its operation, unless it stands for another one by now.
    pub fn write(&self, now: Timestamp) -> Result<Write, StoreError> {
        Write::create_or_renew(self, later(now, GRACE_PERIOD))
    }
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.checked_add(by).unwrap_or(at)
}

impl Entity for UsedKey {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.expires_at, GRACE_PERIOD))
    }
}

impl Store {
    /// What a key was last used for, however long ago.
    pub async fn used_key(
        &self,
        merchant: &MerchantId,
        route: KeyedRoute,
        key: &str,
    ) -> Result<Option<Stored<UsedKey>>, StoreError> {
        self.get(&keys::idempotency(merchant, route.name(), key)).await
    }
}
