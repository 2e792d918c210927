//! Endpoints of webhooks, messages to them, and their deliveries.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::db::keys::{self, DUE_SHARDS, Key, TTL};
use crate::db::{Entity, Item, Range, Store, StoreError, Stored, Write, entry_item, item_key, ttl};
use crate::merchants::model::merchant::Merchant;
use crate::values::{MerchantId, OpenEnum, WebhookDeliveryId, WebhookEndpointId, WebhookMessageId, later};
use crate::webhooks::model::{Delivery, DeliveryStatus, Endpoint, Event, EventType, MESSAGE_RETENTION, Message, MessageBody};

impl Entity for Endpoint {
    fn key(&self) -> Key {
        keys::webhook_endpoint(&self.merchant_id, &self.id)
    }

    fn due_index_key(&self) -> Option<Key> {
        self.due_at.map(|at| keys::due_webhook_endpoint(at, &self.id))
    }
}

impl Entity for Message {
    fn key(&self) -> Key {
        keys::webhook_message(self.at, &self.merchant_id, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.at, MESSAGE_RETENTION))
    }
}

impl Entity for MessageBody {
    fn key(&self) -> Key {
        keys::webhook_body(&self.merchant_id, &self.message_id)
    }

    /// Not before the deliveries.
    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.claimed_until, MESSAGE_RETENTION))
    }
}

/// A delivery in the queue of its endpoint.
#[derive(Debug, Serialize, Deserialize)]
struct QueuedDelivery {
    delivery_id: WebhookDeliveryId,
}

impl Entity for Delivery {
    fn key(&self) -> Key {
        keys::webhook_delivery(&self.merchant_id, &self.endpoint_id, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.created_at, MESSAGE_RETENTION))
    }

    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let Some(at) = self.next_attempt_at() else { return Ok(Vec::new()) };
        let pk = keys::webhook_queue(&self.merchant_id, &self.endpoint_id);
        let key = Key { pk, sk: keys::at_and_id(at, self.id.as_str()) };
        let mut entry = entry_item(key, &QueuedDelivery { delivery_id: self.id.clone() })?;
        entry.extend(self.expires_at().map(|at| (TTL.to_owned(), ttl(at))));
        Ok(vec![entry])
    }
}

/// The endpoints of a merchant, read so that no other change of them goes unnoticed: each writes the merchant, too.
#[derive(Debug)]
pub struct Webhooks {
    merchant: Stored<Merchant>,
    /// Oldest first.
    pub endpoints: Vec<Stored<Endpoint>>,
}

impl Webhooks {
    pub fn endpoint(&self, id: &WebhookEndpointId) -> Option<&Stored<Endpoint>> {
        self.endpoints.iter().find(|endpoint| endpoint.id == *id)
    }

    /// The write of the merchant, which names what its endpoints want, after one of them was added, changed or deleted.
    pub fn with(&self, endpoint: &Endpoint) -> Result<Write, StoreError> {
        let others = self.endpoints.iter().map(|other| &other.value).filter(|other| other.id != endpoint.id);
        let events = wanted_events(others.chain(std::iter::once(endpoint)));
        Write::replace(&self.merchant, &Merchant { webhook_events: events, ..self.merchant.value.clone() })
    }
}

/// The events that at least one of these endpoints wants, each once.
pub fn wanted_events<'a>(endpoints: impl IntoIterator<Item = &'a Endpoint>) -> Vec<OpenEnum<EventType>> {
    let endpoints = endpoints.into_iter().filter(|endpoint| !endpoint.is_deleted());
    let mut events: Vec<_> = endpoints.flat_map(|endpoint| endpoint.events.iter().cloned()).collect();
    events.sort_unstable_by_key(ToString::to_string);
    events.dedup();
    events
}

/// A page of the deliveries of an endpoint.
#[derive(Debug)]
pub struct DeliveryPage {
    pub deliveries: Vec<Delivery>,
    /// The last one, if others can follow.
    pub next: Option<WebhookDeliveryId>,
}

/// Rows that one page reads at most.
const MAX_ROWS_PER_PAGE: usize = 500;

impl Store {
    /// The write that records an event, for the transaction in which it happens. `None` if no endpoint of the merchant wants it.
    pub fn webhook_message(&self, merchant: &Merchant, event: Event, now: Timestamp) -> Result<Option<Write>, StoreError> {
        if !event.is_wanted_by(merchant) {
            return Ok(None);
        }
        let id = self.new_webhook_message_id(now);
        Write::create(&Message { id, merchant_id: merchant.id.clone(), at: now, event }).map(Some)
    }

    /// `msg_` and 26 characters of Crockford's base 32, as in a ULID.
    pub fn new_webhook_message_id(&self, now: Timestamp) -> WebhookMessageId {
        const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let number = self.random.uuid(now).as_u128();
        let digit = |place: u32| {
            let index = usize::try_from((number >> (5 * place)) & 31).unwrap_or_default();
            ALPHABET.get(index).copied().map_or('0', char::from)
        };
        WebhookMessageId::new(format!("msg_{}", (0..26).rev().map(digit).collect::<String>()))
    }

    /// The endpoints of a merchant, oldest first.
    pub async fn webhook_endpoints(&self, merchant: &MerchantId) -> Result<Vec<Stored<Endpoint>>, StoreError> {
        let range = Range::of_table(keys::webhooks(merchant)).beginning_with(keys::WEBHOOK_ENDPOINTS);
        let mut endpoints: Vec<Stored<Endpoint>> = self.query(range).await?;
        endpoints.retain(|endpoint| !endpoint.is_deleted());
        endpoints.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(endpoints)
    }

    /// `None` if there is no such merchant.
    pub async fn webhooks(&self, merchant: &MerchantId) -> Result<Option<Webhooks>, StoreError> {
        // The merchant comes first: what changes afterwards changes it again.
        let Some(merchant) = self.merchant(merchant).await? else { return Ok(None) };
        let endpoints = self.webhook_endpoints(&merchant.id).await?;
        Ok(Some(Webhooks { merchant, endpoints }))
    }

    /// Also one that is deleted.
    pub async fn webhook_endpoint(
        &self,
        merchant: &MerchantId,
        id: &WebhookEndpointId,
    ) -> Result<Option<Stored<Endpoint>>, StoreError> {
        self.get(&keys::webhook_endpoint(merchant, id)).await
    }

    /// `None` if no worker has claimed the message yet.
    pub async fn webhook_body(
        &self,
        merchant: &MerchantId,
        message: &WebhookMessageId,
    ) -> Result<Option<Stored<MessageBody>>, StoreError> {
        self.get(&keys::webhook_body(merchant, message)).await
    }

    /// Those of the endpoints that have no delivery of the message yet.
    pub async fn endpoints_without_delivery<'a>(
        &self,
        message: &Message,
        mut endpoints: Vec<&'a WebhookEndpointId>,
    ) -> Result<Vec<&'a WebhookEndpointId>, StoreError> {
        let id = WebhookDeliveryId::of(&message.id);
        let key = |endpoint: &WebhookEndpointId| keys::webhook_delivery(&message.merchant_id, endpoint, &id);
        let keys: Vec<Key> = endpoints.iter().copied().map(key).collect();
        // By their keys: one that cannot be read is there all the same.
        let existing: HashSet<Key> = self.get_items(&keys).await?.iter().filter_map(item_key).collect();
        endpoints.retain(|endpoint| !existing.contains(&key(endpoint)));
        Ok(endpoints)
    }

    pub async fn webhook_delivery(
        &self,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
        id: &WebhookDeliveryId,
    ) -> Result<Option<Stored<Delivery>>, StoreError> {
        self.get(&keys::webhook_delivery(merchant, endpoint, id)).await
    }

    /// Messages that are to be dispatched, oldest first: at most `limit` and `of_each` merchant, so that many of one hide none of another.
    pub async fn due_webhook_messages(&self, of_each: usize, limit: usize) -> Result<Vec<Stored<Message>>, StoreError> {
        let page_size = u16::try_from(limit).unwrap_or(u16::MAX).min(MAX_DUE_PER_PAGE);
        let mut messages = Vec::new();
        for shard in 0..DUE_SHARDS {
            let range = Range::eventual(keys::webhook_messages(shard)).limit(page_size);
            let (mut of_shard, mut start) = (Vec::new(), None);
            for _ in 0..MAX_DUE_PAGES {
                let (items, next) = self.page(&range, start).await?;
                of_shard.extend(self.readable::<Message>(items));
                of_shard = first_of_each(of_shard, of_each);
                start = next;
                if start.is_none() || of_shard.len() >= limit {
                    break;
                }
            }
            messages.extend(of_shard);
        }
        messages.sort_by_key(|message| message.at);
        messages = first_of_each(messages, of_each);
        messages.truncate(limit);
        Ok(messages)
    }

    /// Endpoints that a worker has to look at, longest due first, also those that are due later.
    pub async fn due_webhook_endpoints(&self, limit: u16) -> Result<Vec<Stored<Endpoint>>, StoreError> {
        self.query(Range::due(keys::DUE_WEBHOOK_ENDPOINTS.to_owned()).limit(limit)).await
    }

    /// Deliveries of an endpoint that wait, with the earliest next attempt first, also those that are due later.
    pub async fn waiting_deliveries(
        &self,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
        limit: u16,
    ) -> Result<Vec<Stored<Delivery>>, StoreError> {
        let queue = Range::of_table(keys::webhook_queue(merchant, endpoint)).limit(limit);
        loop {
            let mut entries = HashMap::new();
            for entry in self.query_items(queue.clone()).await? {
                let Some(key) = item_key(&entry) else { continue };
                if let Some(queued) = self.readable_value::<QueuedDelivery>(entry) {
                    entries.insert(keys::webhook_delivery(merchant, endpoint, &queued.delivery_id), key);
                }
            }
            let rows = self.get_items(&entries.keys().cloned().collect::<Vec<_>>()).await?;
            for key in rows.iter().filter_map(item_key) {
                entries.remove(&key);
            }
            if entries.is_empty() {
                let mut deliveries: Vec<Stored<Delivery>> = self.readable(rows);
                deliveries.sort_by_key(|delivery| delivery.next_attempt_at());
                return Ok(deliveries);
            }
            // The database has deleted the expired delivery before its entry, which would hide those behind it.
            let writes = entries.into_values().take(MAX_REMOVED).map(Write::remove).collect::<Result<_, _>>()?;
            self.commit_if_possible(writes).await?;
        }
    }

    /// Deliveries of an endpoint that were made after `since`, latest first, of those before `after`. A page can be shorter than
    /// `limit` although more follow.
    pub async fn webhook_deliveries(
        &self,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
        status: Option<DeliveryStatus>,
        since: Timestamp,
        after: Option<&WebhookDeliveryId>,
        limit: usize,
    ) -> Result<DeliveryPage, StoreError> {
        let range = Range::of_table(keys::webhook_deliveries(merchant, endpoint)).descending();
        let range = range.below(after.map(WebhookDeliveryId::as_str)).limit(MAX_PAGE);
        let (mut deliveries, mut read, mut last, mut start) = (Vec::new(), 0, None, None);
        loop {
            let (items, next) = self.page(&range, start).await?;
            for delivery in self.readable::<Delivery>(items) {
                if delivery.created_at <= since {
                    return Ok(DeliveryPage { deliveries, next: None });
                }
                if deliveries.len() == limit {
                    return Ok(DeliveryPage { deliveries, next: last });
                }
                read += 1;
                last = Some(delivery.id.clone());
                if status.is_none_or(|status| delivery.status() == status) {
                    deliveries.push(delivery.value);
                }
            }
            start = next;
            if start.is_none() {
                return Ok(DeliveryPage { deliveries, next: None });
            }
            if read >= MAX_ROWS_PER_PAGE {
                return Ok(DeliveryPage { deliveries, next: last });
            }
        }
    }

    /// Replaces a delivery. `false` if another worker or a member has changed it meanwhile.
    pub async fn save_delivery(&self, read: &Stored<Delivery>, delivery: &Delivery) -> Result<bool, StoreError> {
        self.commit_one_if_possible(Write::replace(read, delivery)?).await
    }
}

/// At most `count` messages of each merchant.
fn first_of_each(mut messages: Vec<Stored<Message>>, count: usize) -> Vec<Stored<Message>> {
    let mut counts = HashMap::<MerchantId, usize>::new();
    messages.retain(|message| {
        let seen = counts.entry(message.merchant_id.clone()).or_default();
        *seen += 1;
        *seen <= count
    });
    messages
}

/// Entries without a delivery that one transaction removes.
const MAX_REMOVED: usize = 100;
/// Rows of one query of a page.
const MAX_PAGE: u16 = 101;
/// Messages of one query of those that are due, and queries.
const MAX_DUE_PER_PAGE: u16 = 1000;
const MAX_DUE_PAGES: usize = 20;
