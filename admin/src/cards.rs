//! Enters all sales and redemptions in the histories of their cards, after the key of codes has been replaced.

use std::fmt;
use std::pin::pin;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use shared::cards::model::card_history::tagged_cards;
use shared::cards::model::card_tag::CardTag;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::{Redemption, RedemptionStatus};
use shared::cards::rows::card_history::{count_cards, count_redemption};
use shared::db::keys::{Key, Listed, listed_rows};
use shared::db::{Store, StoreError, Write, item_key};
use shared::team::model::code::CodeKey;

/// Rows that are processed at once. More would slow down the tills.
const CONCURRENCY: usize = 8;

/// How many rows were changed, and how many could not be read.
#[derive(Debug, Default)]
pub(crate) struct Entered {
    orders: usize,
    redemptions: usize,
    unreadable: usize,
}

impl fmt::Display for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} orders and {} redemptions entered", self.orders, self.redemptions)?;
        if self.unreadable > 0 {
            write!(f, ", {} rows cannot be read", self.unreadable)?;
        }
        Ok(())
    }
}

/// Reads the whole table once. It can be repeated: what has been entered is not entered again.
pub(crate) async fn enter(store: &Store, key: &CodeKey) -> Result<Entered, StoreError> {
    let mut entered = Entered::default();
    let prefixes = [Listed::Orders, Listed::Redemptions].map(|listed| listed_rows(listed, None));
    let mut pages = pin!(store.scan(prefixes.into()));
    while let Some(page) = pages.try_next().await? {
        let rows: Vec<Key> = page.iter().filter_map(item_key).collect();
        let changes = rows.iter().map(|row| async move {
            let is_order = Listed::of(&row.pk) == Some(Listed::Orders);
            (is_order, if is_order { enter_order(store, key, row).await } else { enter_redemption(store, key, row).await })
        });
        let mut changes = pin!(stream::iter(changes).buffer_unordered(CONCURRENCY));
        while let Some((is_order, is_entered)) = changes.next().await {
            match is_entered {
                Err(StoreError::UnreadableRow(_)) => entered.unreadable += 1,
                is_entered if is_order => entered.orders += usize::from(is_entered?),
                is_entered => entered.redemptions += usize::from(is_entered?),
            }
        }
    }
    Ok(entered)
}

/// Returns whether it has changed.
async fn enter_order(store: &Store, key: &CodeKey, row: &Key) -> Result<bool, StoreError> {
    let mut attempts = store.attempts("the order");
    loop {
        let Some(order) = store.get::<Order>(row).await? else { return Ok(false) };
        let tagged = tagged_cards(&order, key);
        let new: Vec<_> = tagged.iter().filter(|card| !order.tagged_cards.contains(card)).cloned().collect();
        if new.is_empty() {
            return Ok(false);
        }
        let entered = Order { tagged_cards: tagged, ..order.value.clone() };
        let mut writes = count_cards(&entered, &new)?;
        writes.push(Write::replace(&order, &entered)?);
        if attempts.committed(store.commit(writes).await).await? {
            return Ok(true);
        }
    }
}

/// Returns whether it has changed.
async fn enter_redemption(store: &Store, key: &CodeKey, row: &Key) -> Result<bool, StoreError> {
    let mut attempts = store.attempts("the redemption");
    loop {
        let Some(redemption) = store.get::<Redemption>(row).await? else { return Ok(false) };
        let Some(code) = &redemption.qr_code else { return Ok(false) };
        let tag = CardTag::new(key, &redemption.merchant_id, code);
        if redemption.card_tag.as_ref() == Some(&tag) || redemption.status == RedemptionStatus::Failed {
            return Ok(false);
        }
        let entered = Redemption { card_tag: Some(tag), ..redemption.value.clone() };
        let writes = [Some(Write::replace(&redemption, &entered)?), count_redemption(&entered)?];
        if attempts.committed(store.commit(writes.into_iter().flatten().collect()).await).await? {
            return Ok(true);
        }
    }
}
