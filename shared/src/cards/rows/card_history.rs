//! The histories of gift cards: their events, which are derived from orders and redemptions, and their sums.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{AttributeValue, Update};
use serde::{Deserialize, Serialize};

use crate::cards::model::card_history::{CardEvent, CardEventKind, CardSums};
use crate::cards::model::card_tag::{CardTag, TaggedCard};
use crate::cards::model::order::Order;
use crate::cards::model::redemption::{Redemption, RedemptionStatus};
use crate::db::keys::{self, Key};
use crate::db::{Cursor, Item, Range, Store, StoreError, VERSION, Write, entry_item, item_key};
use crate::values::{Currency, MerchantId, Minor, RedemptionId};

/// The row of a card's sums in one currency. It is only ever added to.
#[derive(Debug, Serialize, Deserialize)]
struct Sums {
    issued: Option<Minor>,
    #[serde(default)]
    redeemed: Minor,
    /// The sort keys of the open redemptions.
    #[serde(default)]
    open: BTreeSet<String>,
}

/// The events of the cards that were issued for an order.
pub(crate) fn events_of_order(order: &Order) -> impl Iterator<Item = Result<Item, StoreError>> {
    order.tagged_cards.iter().map(|card| {
        let pk = keys::card_history(&order.merchant_id, &card.tag);
        let sk = keys::at_and_id(order.created_at, order.id.as_str());
        entry_item(Key { pk, sk }, &CardEvent::issued(order, card))
    })
}

/// The event of a successful redemption. An open one is only named in the sums.
pub(crate) fn event_of_redemption(redemption: &Redemption) -> Option<Result<Item, StoreError>> {
    let tag = redemption.card_tag.as_ref().filter(|_| redemption.status == RedemptionStatus::Succeeded)?;
    let pk = keys::card_history(&redemption.merchant_id, tag);
    let sk = keys::entry_of_redemption(redemption);
    CardEvent::of_redemption(redemption).map(|event| entry_item(Key { pk, sk }, &event))
}

/// Counts cards of an order, in the transaction that enters them in their histories.
pub fn count_cards(order: &Order, cards: &[TaggedCard]) -> Result<Vec<Write>, StoreError> {
    cards.iter().map(|card| count_card(order, card, Update::builder())).collect()
}

/// As [`count_cards`], for the cards of a new sale, on condition that none has been redeemed or is being redeemed.
pub fn count_new_cards(order: &Order) -> Result<Vec<Write>, StoreError> {
    let unredeemed = Update::builder()
        .condition_expression("attribute_not_exists(#redeemed) AND attribute_not_exists(#open)")
        .expression_attribute_names("#redeemed", "redeemed")
        .expression_attribute_names("#open", "open");
    order.tagged_cards.iter().map(|card| count_card(order, card, unredeemed.clone())).collect()
}

fn count_card(order: &Order, card: &TaggedCard, update: UpdateBuilder) -> Result<Write, StoreError> {
    let update = update
        .update_expression("ADD #issued :value, #version :one")
        .expression_attribute_names("#issued", "issued")
        .expression_attribute_values(":value", number(card.value.minor));
    change(keys::card_sums(&order.merchant_id, &card.tag, card.value.currency), update)
}

/// Counts a redemption that is in the history of its card: names it while it is open, and adds it up once it has succeeded. In
/// the transaction that begins or closes it.
pub fn count_redemption(redemption: &Redemption) -> Result<Option<Write>, StoreError> {
    let Some(tag) = &redemption.card_tag else { return Ok(None) };
    let open = AttributeValue::Ss(vec![keys::entry_of_redemption(redemption)]);
    let update = Update::builder().expression_attribute_names("#open", "open").expression_attribute_values(":open", open);
    let update = match redemption.status.known() {
        Some(RedemptionStatus::Succeeded) => update
            .update_expression("ADD #redeemed :amount, #version :one DELETE #open :open")
            .expression_attribute_names("#redeemed", "redeemed")
            .expression_attribute_values(":amount", number(redemption.amount.minor)),
        Some(RedemptionStatus::Failed) => update.update_expression("ADD #version :one DELETE #open :open"),
        Some(RedemptionStatus::Pending) | None => update.update_expression("ADD #open :open, #version :one"),
    };
    let key = keys::card_sums(&redemption.merchant_id, tag, redemption.amount.currency);
    change(key, update).map(Some)
}

fn change(key: Key, update: UpdateBuilder) -> Result<Write, StoreError> {
    let update =
        update.expression_attribute_names("#version", VERSION).expression_attribute_values(":one", number(Minor::new(1)));
    Write::update(key, update)
}

fn number(minor: Minor) -> AttributeValue {
    AttributeValue::N(minor.get().to_string())
}

/// A page of the events of a card, by their sort keys.
#[derive(Debug, Default)]
pub struct CardEvents {
    pub events: BTreeMap<String, CardEvent>,
    /// Whether older ones follow.
    pub others_follow: bool,
}

impl Store {
    /// What the history of a card adds up to.
    pub async fn card_sums(&self, merchant: &MerchantId, tag: &CardTag) -> Result<Vec<CardSums>, StoreError> {
        let range = Range::of_table(keys::card_history(merchant, tag)).beginning_with(keys::CARD_SUMS);
        let currency = |item: &Item| -> Option<Currency> { item_key(item)?.sk.strip_prefix(keys::CARD_SUMS)?.parse().ok() };
        let mut all = Vec::new();
        for item in self.query_items(range).await? {
            let Some(currency) = currency(&item) else {
                return Err(StoreError::UnreadableRow("sums of a card have no currency".to_owned()));
            };
            let Sums { issued, redeemed, open } = serde_dynamo::from_item(item)?;
            all.push(CardSums { currency, issued, redeemed, open });
        }
        Ok(all)
    }

    pub async fn redemptions_of_card(&self, merchant: &MerchantId, tag: &CardTag) -> Result<Vec<RedemptionId>, StoreError> {
        let range = Range::of_table(keys::card_history(merchant, tag)).below(Some(keys::CARD_SUMS));
        let mut redemptions = Vec::new();
        for item in self.query_items(range).await? {
            let event: CardEvent = serde_dynamo::from_item(item)?;
            redemptions.extend(event.redemption_id.filter(|_| event.kind == CardEventKind::Redeemed));
        }
        Ok(redemptions)
    }

    /// At most `limit` events, the latest of those before the cursor. Unreadable ones are left out.
    pub async fn card_events(
        &self,
        merchant: &MerchantId,
        tag: &CardTag,
        after: Option<&Cursor>,
        limit: u16,
    ) -> Result<CardEvents, StoreError> {
        // Events sort before the sums. One more tells whether others follow.
        let before = after.map_or(keys::CARD_SUMS, Cursor::sort_key);
        let range = Range::of_table(keys::card_history(merchant, tag)).descending().below(Some(before));
        let mut rows = self.query_items(range.limit(limit.saturating_add(1))).await?;
        let others_follow = rows.len() > usize::from(limit);
        rows.truncate(usize::from(limit));
        let with_key = |row: Item| Some((item_key(&row)?.sk, self.readable_value(row)?));
        Ok(CardEvents { events: rows.into_iter().filter_map(with_key).collect(), others_follow })
    }
}
