//! Tills, and the codes that pair them.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::db::keys::{self, Key};
use crate::db::{Entity, Range, Store, StoreError, Stored};
use crate::team::model::till::Till;
use crate::values::{MerchantId, TillId, later};

/// Revoked tills are listed for this long.
const REVOKED_RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);

impl Entity for Till {
    fn key(&self) -> Key {
        keys::till(&self.merchant_id, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.revoked_at.map(|at| later(at, REVOKED_RETENTION)).or(self.unpaired_until())
    }
}

/// Finds the till that a code pairs. It has a tag that follows from the code by a key: without the key, the code cannot be
/// found by trying all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PairingCode {
    pub tag: String,
    pub merchant_id: MerchantId,
    pub till_id: TillId,
    pub expires_at: Timestamp,
}

impl Entity for PairingCode {
    fn key(&self) -> Key {
        keys::pairing_code(&self.tag)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Store {
    pub async fn till(&self, merchant: &MerchantId, id: &TillId) -> Result<Option<Stored<Till>>, StoreError> {
        self.get(&keys::till(merchant, id)).await
    }

    pub async fn tills(&self, merchant: &MerchantId) -> Result<Vec<Stored<Till>>, StoreError> {
        let range = Range::of_table(keys::merchant_partition(merchant)).beginning_with(keys::TILLS);
        self.query(range).await
    }

    pub async fn pairing_code(&self, tag: &str) -> Result<Option<Stored<PairingCode>>, StoreError> {
        self.get(&keys::pairing_code(tag)).await
    }
}
