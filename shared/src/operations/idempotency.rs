//! `Idempotency-Key`: the operation that a key belongs to, and its status.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::operation::Operation;
use super::recover::{OperationStatus, recover};
use crate::app::App;
use crate::clock::later;
use crate::domain::ids::{MerchantId, Reference};
use crate::invocation::Invocation;
use crate::store::keys::{self, Key};
use crate::store::{Entity, Store, StoreError, Stored, Write};

/// How long a key belongs to its operation. It lasts longer while the operation is open.
const TTL: SignedDuration = SignedDuration::from_hours(24);
/// How long the row of an expired key is kept. No operation stays open for that long.
const GRACE_PERIOD: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The routes that accept keys. A key is scoped to its route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The key of a request, with the fingerprint of its body.
#[derive(Debug)]
pub struct IdempotencyKey {
    row_key: Key,
    fingerprint: String,
}

/// An operation that was begun by an earlier request with the same key.
#[derive(Debug)]
pub struct EarlierRequest {
    pub operation: Operation,
    pub status: OperationStatus,
}

#[derive(Debug, Error)]
pub enum IdempotencyError {
    /// The key was used with another body.
    #[error("the idempotency key was used with another request")]
    Reused,
    /// The first request is still being processed.
    #[error("the first request with this idempotency key is in progress")]
    InProgress,
    #[error("the operation of an idempotency key does not exist")]
    NoOperation,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl IdempotencyKey {
    pub fn new(merchant: &MerchantId, route: KeyedRoute, key: &str, body: &[u8]) -> Self {
        Self { row_key: keys::idempotency(merchant, route.name(), key), fingerprint: fingerprint(body) }
    }

    /// The earlier request with this key, if there is one. Its operation is recovered if it is still open.
    pub async fn earlier_request(
        &self,
        app: &App,
        invocation: &Invocation,
    ) -> Result<Option<EarlierRequest>, IdempotencyError> {
        let Some(used) = app.store.used_key(&self.row_key).await? else { return Ok(None) };
        let operation = app.store.operation(&used.reference).await?;
        let operation = operation.ok_or(IdempotencyError::NoOperation)?;
        // The key of an open operation does not expire: another sale under it could be the second one.
        if operation.outcome().is_some() && used.has_expired(app.clock.now()) {
            return Ok(None);
        }
        if used.fingerprint != self.fingerprint {
            return Err(IdempotencyError::Reused);
        }
        match recover(app, invocation, operation.clone()).await? {
            Some(status) => Ok(Some(EarlierRequest { operation: operation.value, status })),
            None => Err(IdempotencyError::InProgress),
        }
    }

    /// The row that assigns the key to an operation.
    pub(super) fn used_for(&self, reference: Reference, now: Timestamp) -> UsedKey {
        UsedKey {
            key: self.row_key.clone(),
            fingerprint: self.fingerprint.clone(),
            reference,
            expires_at: later(now, TTL),
        }
    }
}

/// A hash of the body's JSON value. White space and the order of fields are ignored.
fn fingerprint(body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(json) => hex::encode(Sha256::digest(json.to_string())),
        // Not JSON, or nested deeper than serde_json allows.
        Err(_) => hex::encode(Sha256::digest(body)),
    }
}

/// A key that was used. Its row contains only hashes of the key and of the body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct UsedKey {
    #[serde(flatten)]
    key: Key,
    fingerprint: String,
    reference: Reference,
    expires_at: Timestamp,
}

impl UsedKey {
    /// Whether the key may be used again, once its operation is closed.
    fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.as_second() <= now.as_second()
    }

    /// Assigns the key to its operation, on condition that it has not been assigned to another one since.
    pub(super) fn write(&self, now: Timestamp) -> Result<Write, StoreError> {
        Write::create_or_renew(self, later(now, GRACE_PERIOD))
    }
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
    async fn used_key(&self, key: &Key) -> Result<Option<Stored<UsedKey>>, StoreError> {
        self.get(key).await
    }
}
