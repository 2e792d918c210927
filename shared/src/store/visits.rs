//! Visits: analytics sessions of a merchant's shop.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Entity;
use super::keys::{self, Key};
use crate::domain::ids::MerchantId;

/// One visitor's stay, wherever the shop was embedded.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Visit {
    pub id: String,
    pub merchant_id: MerchantId,
    pub started_at: Timestamp,
    pub embed: Option<String>,
    pub entry: Option<String>,
}

impl Entity for Visit {
    fn key(&self) -> Key {
        keys::visit(&self.merchant_id, &self.id)
    }

    fn lists(&self) -> Option<Key> {
        Some(Key { pk: keys::visits(&self.merchant_id), sk: keys::at_and_id(self.started_at, &self.id) })
    }
}
