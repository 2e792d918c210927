//! Writes the rows by which merchants are listed and by which their slugs and accounts at the card network are theirs alone.
//! Merchants of older releases have none of them.

use std::collections::HashMap;
use std::fmt;

use aws_sdk_dynamodb::error::DisplayErrorContext;
use aws_sdk_dynamodb::types::AttributeValue;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::store::keys::{Key, PK, SK};
use shared::store::merchants::ClaimError;
use shared::store::{Store, StoreError, Write, item_key};
use thiserror::Error;

use crate::table::Tables;

#[derive(Debug, Error)]
pub(crate) enum IndexError {
    #[error("Scan failed: {0}")]
    Scan(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, Default)]
pub(crate) struct Indexed {
    merchants: usize,
    /// Merchants whose slug or account another merchant has claimed, and which of both.
    conflicts: Vec<(MerchantId, String)>,
}

impl Indexed {
    pub(crate) fn is_complete(&self) -> bool {
        self.conflicts.is_empty()
    }
}

impl fmt::Display for Indexed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (merchant, conflict) in &self.conflicts {
            writeln!(f, "merchant {merchant}: {conflict}")?;
        }
        write!(f, "{} merchants indexed", self.merchants)
    }
}

/// Reads the whole table once.
pub(crate) async fn index(tables: &Tables) -> Result<Indexed, IndexError> {
    let store = tables.store();
    let mut indexed = Indexed::default();
    let mut start: Option<HashMap<String, AttributeValue>> = None;
    loop {
        let page = tables.client.scan().table_name(&tables.name).set_exclusive_start_key(start);
        let page = page
            .projection_expression(format!("{PK}, {SK}"))
            .filter_expression(format!("{SK} = :merchant"))
            .expression_attribute_values(":merchant", AttributeValue::S("MERCHANT".to_owned()));
        let page = page.send().await;
        let page = page.map_err(|error| IndexError::Scan(DisplayErrorContext(error).to_string()))?;
        for key in page.items().iter().filter_map(item_key) {
            index_merchant(&store, &key, &mut indexed).await?;
        }
        start = page.last_evaluated_key;
        if start.is_none() {
            return Ok(indexed);
        }
    }
}

async fn index_merchant(store: &Store, key: &Key, indexed: &mut Indexed) -> Result<(), StoreError> {
    let mut attempts = store.attempts("the merchant");
    loop {
        let Some(merchant) = store.get::<Merchant>(key).await? else { return Ok(()) };
        let mut writes = vec![Write::entries_of(&merchant)?];
        let conflict = match store.move_claims(None, &merchant).await {
            Ok(claims) => {
                writes.extend(claims);
                None
            }
            Err(ClaimError::Store(error)) => return Err(error),
            Err(taken) => Some((merchant.id.clone(), taken.to_string())),
        };
        if attempts.committed(store.commit(writes).await).await? {
            indexed.merchants += 1;
            indexed.conflicts.extend(conflict);
            return Ok(());
        }
    }
}
