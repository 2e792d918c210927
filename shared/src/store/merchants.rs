//! Merchants, by id and by slug.

use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::{self, Key};
use super::row::{Entity, Item, Stored, to_item};
use super::table::Store;
use crate::domain::ids::MerchantId;
use crate::domain::merchant::Merchant;

impl Entity for Merchant {
    fn key(&self) -> Key {
        keys::merchant(&self.id)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Slug {
    slug: String,
    merchant_id: MerchantId,
}

impl Entity for Slug {
    fn key(&self) -> Key {
        keys::slug(&self.slug)
    }
}

impl Store {
    pub async fn merchant(&self, id: &MerchantId) -> Result<Option<Stored<Merchant>>, StoreError> {
        self.get(&keys::merchant(id)).await
    }

    pub async fn merchant_exists(&self, id: &MerchantId) -> Result<bool, StoreError> {
        self.exists(&keys::merchant(id)).await
    }

    pub async fn merchant_by_slug(&self, slug: &str) -> Result<Option<Stored<Merchant>>, StoreError> {
        match self.get::<Slug>(&keys::slug(slug)).await? {
            Some(slug) => self.merchant(&slug.merchant_id).await,
            None => Ok(None),
        }
    }
}

/// The rows of a new merchant.
pub fn merchant_record(merchant: &Merchant) -> Result<Vec<Item>, StoreError> {
    let slug = Slug { slug: merchant.slug.clone(), merchant_id: merchant.id.clone() };
    Ok(vec![to_item(merchant, 1)?, to_item(&slug, 1)?])
}
