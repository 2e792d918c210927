//! Merchants: by id, by slug, by account at the card network, and all of them.

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::{self, Key};
use super::query::Range;
use super::row::{Entity, Item, Stored, entry_item, item_key, key_item, new_rows, to_item};
use super::table::Store;
use crate::domain::ids::{MerchantId, NetworkMerchantId};
use crate::domain::merchant::{Merchant, MerchantEntry};

impl Entity for Merchant {
    fn key(&self) -> Key {
        keys::merchant(&self.id)
    }

    /// Its entry in the list of all merchants.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        Ok(vec![entry_item(keys::entry_of_merchant(&self.id), &MerchantEntry::from(self))?])
    }
}

/// Reserves a slug for one merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SlugClaim {
    pub slug: String,
    pub merchant_id: MerchantId,
}

impl Entity for SlugClaim {
    fn key(&self) -> Key {
        keys::slug(&self.slug)
    }
}

/// Reserves an account at the card network for one merchant.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct NetworkAccountClaim {
    pub network_merchant_id: NetworkMerchantId,
    pub merchant_id: MerchantId,
}

impl Entity for NetworkAccountClaim {
    fn key(&self) -> Key {
        keys::network_account(&self.network_merchant_id)
    }
}

/// A part of the list of all merchants, in the order of their ids.
#[derive(Debug)]
pub struct MerchantsPage {
    pub merchants: Vec<MerchantEntry>,
    /// The last merchant that was read, if others can follow it.
    pub next: Option<MerchantId>,
}

impl Store {
    pub async fn merchant(&self, id: &MerchantId) -> Result<Option<Stored<Merchant>>, StoreError> {
        self.get(&keys::merchant(id)).await
    }

    pub async fn merchant_exists(&self, id: &MerchantId) -> Result<bool, StoreError> {
        self.exists(&keys::merchant(id)).await
    }

    pub async fn merchant_by_slug(&self, slug: &str) -> Result<Option<Stored<Merchant>>, StoreError> {
        match self.slug_claim(slug).await? {
            Some(slug) => self.merchant(&slug.merchant_id).await,
            None => Ok(None),
        }
    }

    pub async fn slug_claim(&self, slug: &str) -> Result<Option<Stored<SlugClaim>>, StoreError> {
        self.get(&keys::slug(slug)).await
    }

    pub async fn network_account_claim(
        &self,
        id: &NetworkMerchantId,
    ) -> Result<Option<Stored<NetworkAccountClaim>>, StoreError> {
        self.get(&keys::network_account(id)).await
    }

    /// At most `limit` merchants that follow `after` in the list of all merchants, or the first ones. One call of at most
    /// 1 MB: a page can have fewer merchants than `limit` although others follow. Unreadable entries are left out.
    pub async fn merchants_page(
        &self,
        after: Option<&MerchantId>,
        limit: u16,
    ) -> Result<MerchantsPage, StoreError> {
        let start = after.map(keys::entry_of_merchant).filter(Key::is_within_limits);
        let range = Range::of_table(keys::MERCHANTS.to_owned()).limit(limit);
        let (items, last) = self.page(&range, start.as_ref().map(key_item)).await?;
        let next = last.as_ref().and_then(item_key).map(|key| keys::parse_entry_of_merchant(&key));
        let merchants = items.into_iter().filter_map(|item| self.readable_value(item)).collect();
        Ok(MerchantsPage { merchants, next })
    }
}

/// The rows of a new merchant.
pub fn merchant_record(merchant: &Merchant) -> Result<Vec<Item>, StoreError> {
    let slug = SlugClaim { slug: merchant.slug.clone(), merchant_id: merchant.id.clone() };
    let mut rows = new_rows(merchant)?;
    rows.push(to_item(&slug, 1)?);
    if let Some(id) = &merchant.network_merchant_id {
        let account =
            NetworkAccountClaim { network_merchant_id: id.clone(), merchant_id: merchant.id.clone() };
        rows.push(to_item(&account, 1)?);
    }
    Ok(rows)
}
