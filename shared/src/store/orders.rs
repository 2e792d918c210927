//! Orders, and their gift cards by code.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::{self, Key};
use super::pages::{Page, PageRequest};
use super::query::Range;
use super::row::{Entity, Item, Stored, to_item};
use super::table::Store;
use super::write::Write;
use crate::domain::ids::{MerchantId, OrderId, QrCode};
use crate::domain::order::{ListedOrder, Order, OrderFilter};
use crate::domain::projection::Projection;
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

/// The order and the gift card of a card code. The code is stored only as a hash.
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

    /// A page of the merchant's orders that match the filter, newest first.
    pub async fn orders(
        &self,
        merchant: &MerchantId,
        filter: &OrderFilter,
        page: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        let key = |order: &ListedOrder| keys::order(merchant, &order.id);
        let all = Range::newest(keys::orders(merchant));
        self.list(all, page, |order| filter.matches(order), key).await
    }

    /// Calls `visit` with each order that was placed within these times, newest first.
    pub async fn for_each_order<P: Projection>(
        &self,
        merchant: &MerchantId,
        placed: &std::ops::Range<Timestamp>,
        visit: impl FnMut(P),
    ) -> Result<(), StoreError> {
        self.for_each(Range::newest(keys::orders(merchant)).within(placed), visit).await
    }

    /// The order and the gift card of a card code, if the merchant sold it.
    pub async fn card_by_code(
        &self,
        merchant: &MerchantId,
        code: &QrCode,
    ) -> Result<Option<CardLink>, StoreError> {
        let card = self.get::<CardByCode>(&keys::card(merchant, code)).await?;
        Ok(card.map(|card| card.value.link))
    }
}

/// Writes the rows by which an order's gift cards are found.
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
        let link = CardLink {
            order_id: order.id.clone(),
            gift_card_id: card.id.clone(),
            sold_at_till: order.sold_at_till,
        };
        Some(CardByCode { key, link })
    })
}
