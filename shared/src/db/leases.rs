//! Leases: at most one request at a time changes something that is stored elsewhere.
//!
//! A lease ends when its owner releases it, or on its own if the owner has died.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::{StoreError, is_written};
use super::keys::{Key, TTL};
use super::row::{Entity, key_item, to_item};
use super::table::Store;
use crate::base::backoff::Backoff;
use crate::base::clock::Clock;
use crate::values::later;

/// Longer than any invocation of a function with routes, so that a lease never ends before its owner's last upstream
/// call. The rest is for a call that timed out: the upstream may still be processing it.
const LEASE_DURATION: SignedDuration = SignedDuration::from_secs(20);
/// How long a request waits for the lease of another one.
const MAX_WAIT: SignedDuration = SignedDuration::from_secs(5);
const BACKOFF: Backoff = Backoff::new(SignedDuration::from_millis(40), SignedDuration::from_millis(500));

const OWNER: &str = "owner";

/// A lease that this request owns.
#[derive(Debug, Serialize, Deserialize)]
pub struct Lease {
    #[serde(flatten)]
    key: Key,
    /// Random, so that a request releases only its own lease.
    owner: String,
    expires_at: Timestamp,
}

impl Entity for Lease {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Store {
    /// Acquires the lease with this key. Waits for up to five seconds while another request owns it, then returns
    /// `None`.
    pub async fn acquire_lease(&self, key: Key, clock: &Clock) -> Result<Option<Lease>, StoreError> {
        let owner = hex::encode(self.random.bytes::<16>());
        let mut lease = Lease { key, owner, expires_at: clock.now() };
        let mut waited = SignedDuration::ZERO;
        for attempt in 0_u32.. {
            let now = clock.now();
            lease.expires_at = later(now, LEASE_DURATION);
            if self.put_lease(&lease, now).await? {
                return Ok(Some(lease));
            }
            let delay = BACKOFF.equal_jitter(attempt, &self.random);
            waited = waited.saturating_add(delay);
            if waited > MAX_WAIT {
                break;
            }
            tokio::time::sleep(Duration::try_from(delay).unwrap_or_default()).await;
        }
        Ok(None)
    }

    /// Acquires the lease with this key, unless another worker owns it.
    pub async fn try_acquire_lease(&self, key: Key, clock: &Clock) -> Result<Option<Lease>, StoreError> {
        let owner = hex::encode(self.random.bytes::<16>());
        let now = clock.now();
        let lease = Lease { key, owner, expires_at: later(now, LEASE_DURATION) };
        Ok(self.put_lease(&lease, now).await?.then_some(lease))
    }

    /// Writes the lease unless another request owns it. The SDK may have sent an earlier attempt of this write whose
    /// response was lost: a lease with the same owner is this one.
    async fn put_lease(&self, lease: &Lease, now: Timestamp) -> Result<bool, StoreError> {
        let put = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(to_item(lease, 1)?))
            .condition_expression("attribute_not_exists(pk) OR #ttl <= :now OR #owner = :owner")
            .expression_attribute_names("#ttl", TTL)
            .expression_attribute_names("#owner", OWNER)
            .expression_attribute_values(":now", AttributeValue::N(now.as_second().to_string()))
            .expression_attribute_values(":owner", AttributeValue::S(lease.owner.clone()));
        is_written("PutItem", put.send().await)
    }

    /// Ends a lease, unless it has expired and another request owns it by now.
    pub async fn release_lease(&self, lease: &Lease) -> Result<(), StoreError> {
        let delete = self
            .client
            .delete_item()
            .table_name(&self.table)
            .set_key(Some(key_item(&lease.key)))
            .condition_expression("#owner = :owner")
            .expression_attribute_names("#owner", OWNER)
            .expression_attribute_values(":owner", AttributeValue::S(lease.owner.clone()));
        is_written("DeleteItem", delete.send().await)?;
        Ok(())
    }
}
