//! Orders, and their gift cards by code.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::card_history::events_of_order;
use crate::cards::model::order::{Order, OrderEntry};
use crate::cards::model::redemption::CardLink;
use crate::db::keys::{self, Key};
use crate::db::{Entity, Item, Store, StoreError, Stored, Write, entry_item, item_key, new_rows, to_item};
use crate::projections::model::tally::Family;
use crate::projections::rows::segments::changed_order;
use crate::values::{MerchantId, OrderId, QrCode};

impl Entity for Order {
    fn key(&self) -> Key {
        keys::order(&self.merchant_id, &self.id)
    }

    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let entry = OrderEntry::from(self);
        let flagged = entry.flagged_at().map(|at| keys::at_and_id(at, self.id.as_str()));
        let listed = [
            Some((keys::entries(&self.merchant_id, Family::Orders), keys::entry_of_order(&entry))),
            flagged.map(|flagged| (keys::flagged_orders(&self.merchant_id), flagged)),
        ];
        let listed = listed.into_iter().flatten().map(|(pk, sk)| entry_item(Key { pk, sk }, &entry));
        listed.chain(events_of_order(self)).collect()
    }

    fn change(&self, version: u64) -> Result<Option<Item>, StoreError> {
        changed_order(self, version).map(Some)
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
    pub async fn order(&self, merchant: &MerchantId, id: &OrderId) -> Result<Option<Stored<Order>>, StoreError> {
        self.get(&keys::order(merchant, id)).await
    }

    /// The codes among these of cards that the merchant sold at its own till. An unreadable card counts as such a card.
    pub async fn cards_sold_at_till(&self, merchant: &MerchantId, codes: &[&QrCode]) -> Result<HashSet<QrCode>, StoreError> {
        let codes: HashMap<Key, &QrCode> = codes.iter().map(|code| (keys::card(merchant, code), *code)).collect();
        let keys: Vec<Key> = codes.keys().cloned().collect();
        let cards = self.get_items(&keys).await?;
        let mut sold_at_till = HashSet::new();
        for item in cards {
            let code = item_key(&item).and_then(|key| codes.get(&key).copied());
            let card = self.readable_row::<CardByCode>(item);
            if card.is_none_or(|card| card.link.sold_at_till) {
                sold_at_till.extend(code.cloned());
            }
        }
        Ok(sold_at_till)
    }

    /// The order and the gift card of a card code, if the merchant sold it.
    pub async fn card_by_code(&self, merchant: &MerchantId, code: &QrCode) -> Result<Option<CardLink>, StoreError> {
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
    let mut rows = new_rows(order)?;
    for card in cards_by_code(order) {
        rows.push(to_item(&card, 1)?);
    }
    Ok(rows)
}

fn cards_by_code(order: &Order) -> impl Iterator<Item = CardByCode> {
    order.gift_cards.iter().filter_map(|card| {
        let key = keys::card(&order.merchant_id, card.qr_code.as_ref()?);
        Some(CardByCode { key, link: order.link(card) })
    })
}
