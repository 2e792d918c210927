//! Orders, and the cards that can be found by their codes.

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::pages::{Page, PageRequest};
use super::{Entity, Item, Range, Store, StoreError, Stored, Write, to_item};
use crate::domain::ids::{MerchantId, OrderId, QrCode};
use crate::domain::order::{ListedOrder, Order, OrderFilter};
use crate::domain::redemption::CardLink;

impl Entity for Order {
    fn key(&self) -> Key {
        keys::order(&self.merchant_id, &self.id)
    }

    fn list_index_key(&self) -> Option<Key> {
        let pk = keys::orders(&self.merchant_id);
        Some(Key { pk, sk: keys::at_and_id(self.created_at, self.id.as_str()) })
    }
}

/// Finds a card of an order by its code, of which only the hash is kept here.
#[derive(Debug, Serialize, Deserialize)]
struct CardByCode {
    #[serde(flatten)]
    key: Key,
    link: CardLink,
}

impl Entity for CardByCode {
    fn key(&self) -> Key {
        self.key.clone()
    }
}

impl Store {
    pub async fn order(
        &self,
        merchant: &MerchantId,
        id: &OrderId,
    ) -> Result<Option<Stored<Order>>, StoreError> {
        self.get(&keys::order(merchant, id)).await
    }

    /// The merchant's orders that the filter admits, newest first.
    pub async fn orders(
        &self,
        merchant: &MerchantId,
        filter: &OrderFilter,
        stretch: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        let (admits, key) =
            (|order: &_| filter.admits(order), |order: &ListedOrder| keys::order(merchant, &order.id));
        self.list(Range::newest(keys::orders(merchant)), stretch, admits, key).await
    }

    /// Hands over what `V` has of the merchant's orders that were placed within these times, newest first.
    pub async fn for_each_order<V: DeserializeOwned>(
        &self,
        merchant: &MerchantId,
        placed: &std::ops::Range<Timestamp>,
        visit: impl FnMut(V),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::orders(merchant)).within(placed), visit).await
    }

    /// The card of ours that a code belongs to.
    pub async fn card_by_code(
        &self,
        merchant: &MerchantId,
        code: &QrCode,
    ) -> Result<Option<CardLink>, StoreError> {
        let card = self.get::<CardByCode>(&keys::card(merchant, code)).await?;
        Ok(card.map(|card| card.value.link))
    }
}

/// The rows by which an order's cards are found.
pub fn card_writes(order: &Order) -> Result<Vec<Write>, StoreError> {
    cards_by_code(order).map(|card| Write::put(&card)).collect()
}

/// The rows of a new order.
pub fn order_record(order: &Order) -> Result<Vec<Item>, StoreError> {
    let cards = cards_by_code(order).map(|card| to_item(&card, 1));
    std::iter::once(to_item(order, 1)).chain(cards).collect()
}

fn cards_by_code(order: &Order) -> impl Iterator<Item = CardByCode> {
    order.gift_cards.iter().filter_map(|card| {
        let key = keys::card(&order.merchant_id, card.qr_code.as_ref()?);
        Some(CardByCode { key, link: CardLink { order_id: order.id.clone(), gift_card_id: card.id.clone() } })
    })
}
