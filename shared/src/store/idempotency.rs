//! Idempotency keys: which operation a caller's key stands for.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::{Entity, Store, StoreError, Stored};
use crate::domain::ids::{MerchantId, Reference};

/// How long a key is kept.
pub const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

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
    pub expires_at: Timestamp,
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
        Self { key, fingerprint, reference, expires_at: now.checked_add(LIFETIME).unwrap_or(now) }
    }
}

impl Entity for UsedKey {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Store {
    /// What a key stands for, if it was used within its lifetime.
    pub async fn used_key(
        &self,
        merchant: &MerchantId,
        route: KeyedRoute,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Stored<UsedKey>>, StoreError> {
        let used = self.get::<UsedKey>(&keys::idempotency(merchant, route.name(), key)).await?;
        Ok(used.filter(|used| used.expires_at.as_second() > now.as_second()))
    }
}
