//! Merchants: by id, by slug, by account at the card network, and all of them.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::db::keys::{self, Key, PK, SK};
use crate::db::{Entity, Item, Range, Store, StoreError, Stored, Write, entry_item, item_key, key_item, new_rows, to_item};
use crate::merchants::model::merchant::{Merchant, MerchantEntry};
use crate::values::{MerchantId, NetworkMerchantId};

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

impl SlugClaim {
    pub fn of(merchant: &Merchant) -> Self {
        Self { slug: merchant.slug.clone(), merchant_id: merchant.id.clone() }
    }
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

impl NetworkAccountClaim {
    fn of(merchant: &Merchant) -> Option<Self> {
        let network_merchant_id = merchant.network_merchant_id.clone()?;
        Some(Self { network_merchant_id, merchant_id: merchant.id.clone() })
    }
}

impl Entity for NetworkAccountClaim {
    fn key(&self) -> Key {
        keys::network_account(&self.network_merchant_id)
    }
}

/// A row that reserves something for one merchant.
trait Claim: Entity {
    fn merchant_id(&self) -> &MerchantId;
}

impl Claim for SlugClaim {
    fn merchant_id(&self) -> &MerchantId {
        &self.merchant_id
    }
}

impl Claim for NetworkAccountClaim {
    fn merchant_id(&self) -> &MerchantId {
        &self.merchant_id
    }
}

#[derive(Debug, Error)]
pub enum ClaimError {
    #[error("another merchant has the slug")]
    SlugTaken,
    #[error("another merchant has the account at the card network")]
    NetworkAccountTaken,
    #[error(transparent)]
    Store(#[from] StoreError),
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
        match self.get::<SlugClaim>(&keys::slug(slug)).await? {
            Some(claim) => self.merchant(&claim.merchant_id).await,
            None => Ok(None),
        }
    }

    pub async fn slug_claim(&self, slug: &str) -> Result<Option<Stored<SlugClaim>>, StoreError> {
        self.get(&keys::slug(slug)).await
    }

    /// The writes that move the claims of a changed merchant's slug and account. They conflict if another merchant claims the
    /// same meanwhile.
    pub async fn move_claims(&self, before: &Merchant, merchant: &Merchant) -> Result<Vec<Write>, ClaimError> {
        let slugs = self.move_claim(Some(SlugClaim::of(before)), Some(SlugClaim::of(merchant))).await?;
        let accounts = (NetworkAccountClaim::of(before), NetworkAccountClaim::of(merchant));
        let accounts = self.move_claim(accounts.0, accounts.1).await?;
        let mut writes = slugs.ok_or(ClaimError::SlugTaken)?;
        writes.extend(accounts.ok_or(ClaimError::NetworkAccountTaken)?);
        Ok(writes)
    }

    /// `None` if another merchant has the claim.
    async fn move_claim<C: Claim>(&self, from: Option<C>, to: Option<C>) -> Result<Option<Vec<Write>>, StoreError> {
        let mut writes = Vec::new();
        if from.as_ref().map(Entity::key) == to.as_ref().map(Entity::key) {
            return Ok(Some(writes));
        }
        if let Some(to) = &to {
            match self.get::<C>(&to.key()).await? {
                None => writes.push(Write::create(to)?),
                Some(claimed) if claimed.merchant_id() == to.merchant_id() => {}
                Some(_) => return Ok(None),
            }
        }
        if let Some(from) = &from {
            let claimed = self.get::<C>(&from.key()).await?;
            let own = claimed.filter(|claimed| claimed.merchant_id() == from.merchant_id());
            writes.extend(own.map(|own| Write::delete(&own)).transpose()?);
        }
        Ok(Some(writes))
    }

    /// The ids of all merchants, also of those whose entries cannot be read.
    pub async fn merchant_ids(&self) -> Result<Vec<MerchantId>, StoreError> {
        let rows = self.query_items(Range::of_table(keys::MERCHANTS.to_owned()).only(&[PK, SK])).await?;
        Ok(rows.iter().filter_map(item_key).map(|key| keys::parse_entry_of_merchant(&key)).collect())
    }

    /// The ids of at most `limit` merchants that follow `after` in the list of all merchants, also of those whose entries cannot
    /// be read, and whether others can follow.
    pub async fn merchant_ids_page(&self, after: Option<&MerchantId>, limit: u16) -> Result<(Vec<MerchantId>, bool), StoreError> {
        let start = after.map(keys::entry_of_merchant).filter(Key::is_within_limits);
        let range = Range::of_table(keys::MERCHANTS.to_owned()).limit(limit).only(&[PK, SK]);
        let (items, last) = self.page(&range, start.as_ref().map(key_item)).await?;
        let ids = items.iter().filter_map(item_key).map(|key| keys::parse_entry_of_merchant(&key));
        Ok((ids.collect(), last.is_some()))
    }

    /// Entries of the list of all merchants, by id. Those that do not exist or cannot be read are left out.
    pub async fn merchant_entries(&self, ids: &BTreeSet<&MerchantId>) -> Result<HashMap<MerchantId, MerchantEntry>, StoreError> {
        let keys: Vec<Key> = ids.iter().map(|id| keys::entry_of_merchant(id)).collect();
        let entries = self.get_items(&keys).await?.into_iter();
        let entries = entries.filter_map(|item| self.readable_value::<MerchantEntry>(item));
        Ok(entries.map(|entry| (entry.id.clone(), entry)).collect())
    }

    /// At most `limit` merchants that follow `after` in the list of all merchants, or the first ones. One call of at most
    /// 1 MB: a page can have fewer merchants than `limit` although others follow. Unreadable entries are left out.
    pub async fn merchants_page(&self, after: Option<&MerchantId>, limit: u16) -> Result<MerchantsPage, StoreError> {
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
    let mut rows = new_rows(merchant)?;
    rows.push(to_item(&SlugClaim::of(merchant), 1)?);
    rows.extend(NetworkAccountClaim::of(merchant).map(|claim| to_item(&claim, 1)).transpose()?);
    Ok(rows)
}
