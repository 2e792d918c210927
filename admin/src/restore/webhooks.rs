//! Webhooks. What was sent cannot be taken back, and an endpoint that was deleted, moved or given another secret since the restored
//! moment has to stay so. So the rows of webhooks become those of the previous table.

use std::collections::{HashMap, HashSet};
use std::pin::pin;

use futures_util::TryStreamExt;
use shared::db::keys::{self, Key};
use shared::db::{Item, Store, Write, item_key};
use shared::merchants::model::merchant::Merchant;
use shared::values::MerchantId;
use shared::webhooks::model::Endpoint;
use shared::webhooks::rows::wanted_events;

use super::{Prepared, RestoreError};

/// Rows that are compared at once.
const ROWS_PER_READ: usize = 100;

/// Each step can be repeated after an interruption in any of them. Rows are removed last: until then, they show whose they are.
pub(super) async fn carry_over(restored: &Store, previous: &Store, prepared: &mut Prepared) -> Result<(), RestoreError> {
    copy_changed(restored, previous, prepared).await?;
    let endpoints = previous.scan_all::<Endpoint>(keys::WEBHOOKS.to_owned()).await?;
    let others = restored.scan_all::<Endpoint>(keys::WEBHOOKS.to_owned()).await?;
    let merchants: HashSet<&MerchantId> = endpoints.iter().chain(&others).map(|endpoint| &endpoint.merchant_id).collect();
    for merchant in merchants {
        let own = endpoints.iter().filter(|endpoint| endpoint.merchant_id == *merchant);
        set_wanted_events(restored, merchant, own.map(|endpoint| &endpoint.value)).await?;
    }
    remove_others(restored, previous, prepared).await
}

/// Without the previous table, what waited is sent: again, with the same id, if it has arrived since. The failures of an endpoint
/// before a gap of days say nothing about the time since.
pub(super) async fn send_again(restored: &Store, prepared: &mut Prepared) -> Result<(), RestoreError> {
    for endpoint in restored.scan_all::<Endpoint>(keys::WEBHOOKS.to_owned()).await? {
        let waiting = restored.waiting_deliveries(&endpoint.merchant_id, &endpoint.id, u16::MAX).await?;
        prepared.webhooks_sent_again += waiting.len();
        if endpoint.failing_since.is_some() {
            let next = Endpoint { failing_since: None, ..endpoint.value.clone() };
            restored.commit(vec![Write::replace(&endpoint, &next)?]).await?;
        }
    }
    Ok(())
}

async fn copy_changed(restored: &Store, previous: &Store, prepared: &mut Prepared) -> Result<(), RestoreError> {
    let mut pages = pin!(previous.scan(vec![keys::WEBHOOK_ROWS.to_owned()]));
    while let Some(page) = pages.try_next().await? {
        for some in page.chunks(ROWS_PER_READ) {
            let here = by_key(restored.get_items(&keys_of(some)).await?);
            let mut changed = Vec::new();
            for item in some {
                let Some(key) = item_key(item) else { continue };
                match here.get(&key) {
                    Some(here) if here == item => continue,
                    Some(_) => restored.remove(&key).await?,
                    None => {}
                }
                changed.push(vec![item.clone()]);
            }
            prepared.webhook_rows += changed.len();
            restored.import(changed).await?;
        }
    }
    Ok(())
}

async fn remove_others(restored: &Store, previous: &Store, prepared: &mut Prepared) -> Result<(), RestoreError> {
    let mut pages = pin!(restored.scan(vec![keys::WEBHOOK_ROWS.to_owned()]));
    while let Some(page) = pages.try_next().await? {
        for some in page.chunks(ROWS_PER_READ) {
            let there = by_key(previous.get_items(&keys_of(some)).await?);
            for key in keys_of(some).iter().filter(|key| !there.contains_key(key)) {
                restored.remove(key).await?;
                prepared.webhook_rows += 1;
            }
        }
    }
    Ok(())
}

/// The merchant is told what one of its endpoints wants.
async fn set_wanted_events<'a>(
    restored: &Store,
    merchant: &MerchantId,
    endpoints: impl Iterator<Item = &'a Endpoint>,
) -> Result<(), RestoreError> {
    // One that was founded since the restored moment is missing.
    let Some(merchant) = restored.merchant(merchant).await? else { return Ok(()) };
    let webhook_events = wanted_events(endpoints);
    if merchant.webhook_events != webhook_events {
        let next = Merchant { webhook_events, ..merchant.value.clone() };
        restored.commit(vec![Write::replace(&merchant, &next)?]).await?;
    }
    Ok(())
}

fn keys_of(items: &[Item]) -> Vec<Key> {
    items.iter().filter_map(item_key).collect()
}

fn by_key(items: Vec<Item>) -> HashMap<Key, Item> {
    items.into_iter().filter_map(|item| Some((item_key(&item)?, item))).collect()
}
