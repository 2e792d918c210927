//! Endpoints of webhooks, messages to them, and their deliveries.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::error::{CommitError, StoreError};
use super::keys::{self, Key};
use super::query::Range;
use super::row::{Entity, Item, Stored, entry_item};
use super::table::Store;
use super::write::Write;
use crate::clock::later;
use crate::domain::ids::{MerchantId, WebhookDeliveryId, WebhookEndpointId, WebhookMessageId};
use crate::domain::merchant::Merchant;
use crate::domain::webhook::{Delivery, DeliveryState, DeliveryStatus, Endpoint, Event, MESSAGE_RETENTION, Message, MessageState};

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
        keys::webhook_message(&self.merchant_id, &self.id)
    }

    fn due_index_key(&self) -> Option<Key> {
        self.is_due().then(|| keys::due_webhook_message(self.at, &self.id))
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.at, MESSAGE_RETENTION))
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
        Ok(vec![entry_item(key, &QueuedDelivery { delivery_id: self.id.clone() })?])
    }
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
    pub fn tell(&self, merchant: &Merchant, event: Event, now: Timestamp) -> Result<Option<Write>, StoreError> {
        if !event.is_wanted_by(merchant) {
            return Ok(None);
        }
        self.new_message(&merchant.id, MessageState::Recorded(event), now).map(|(_, write)| Some(write))
    }

    /// A message, and the write that records it.
    pub fn new_message(&self, merchant: &MerchantId, state: MessageState, now: Timestamp) -> Result<(Message, Write), StoreError> {
        let message = Message { id: self.webhook_message_id(now), merchant_id: merchant.clone(), at: now, state };
        let write = Write::create(&message)?;
        Ok((message, write))
    }

    /// `msg_` and 26 characters of Crockford's base 32, as in a ULID.
    fn webhook_message_id(&self, now: Timestamp) -> WebhookMessageId {
        const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let number = self.random.uuid(now).as_u128();
        let digit = |place: u32| {
            let index = usize::try_from((number >> (5 * place)) & 31).unwrap_or_default();
            ALPHABET.get(index).copied().map_or('0', char::from)
        };
        WebhookMessageId::new(format!("msg_{}", (0..26).rev().map(digit).collect::<String>()))
    }

    /// The delivery of a message to an endpoint, due at once.
    pub fn new_delivery(&self, message: &Message, endpoint: &WebhookEndpointId, now: Timestamp) -> Delivery {
        Delivery {
            id: WebhookDeliveryId::new(self.random.uuid(now).to_string()),
            merchant_id: message.merchant_id.clone(),
            endpoint_id: endpoint.clone(),
            message_id: message.id.clone(),
            event_type: message.event_type(),
            created_at: now,
            state: DeliveryState::Waiting { next_attempt_at: now },
            begun: 0,
            attempts: Vec::new(),
        }
    }

    /// The endpoints of a merchant, oldest first.
    pub async fn webhook_endpoints(&self, merchant: &MerchantId) -> Result<Vec<Stored<Endpoint>>, StoreError> {
        let range = Range::of_table(keys::webhooks(merchant)).beginning_with(keys::WEBHOOK_ENDPOINTS);
        let mut endpoints: Vec<Stored<Endpoint>> = self.query(range).await?;
        endpoints.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
        Ok(endpoints)
    }

    pub async fn webhook_endpoint(
        &self,
        merchant: &MerchantId,
        id: &WebhookEndpointId,
    ) -> Result<Option<Stored<Endpoint>>, StoreError> {
        self.get(&keys::webhook_endpoint(merchant, id)).await
    }

    pub async fn webhook_message(
        &self,
        merchant: &MerchantId,
        id: &WebhookMessageId,
    ) -> Result<Option<Stored<Message>>, StoreError> {
        self.get(&keys::webhook_message(merchant, id)).await
    }

    pub async fn webhook_delivery(
        &self,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
        id: &WebhookDeliveryId,
    ) -> Result<Option<Stored<Delivery>>, StoreError> {
        self.get(&keys::webhook_delivery(merchant, endpoint, id)).await
    }

    /// Messages whose body is still to be made, oldest first.
    pub async fn due_webhook_messages(&self, limit: u16) -> Result<Vec<Stored<Message>>, StoreError> {
        self.query(Range::due(keys::DUE_WEBHOOK_MESSAGES.to_owned()).limit(limit)).await
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
        let entries = self.query_items(queue).await?;
        let queued = entries.into_iter().filter_map(|entry| self.readable_value::<QueuedDelivery>(entry));
        let keys: Vec<Key> = queued.map(|queued| keys::webhook_delivery(merchant, endpoint, &queued.delivery_id)).collect();
        let mut deliveries: Vec<Stored<Delivery>> = self.readable(self.get_items(&keys).await?);
        deliveries.sort_by_key(|delivery| delivery.next_attempt_at());
        Ok(deliveries)
    }

    /// Deliveries of an endpoint, latest first, of those before `after`. A page can be shorter than `limit` although others
    /// follow.
    pub async fn webhook_deliveries(
        &self,
        merchant: &MerchantId,
        endpoint: &WebhookEndpointId,
        status: Option<DeliveryStatus>,
        after: Option<&WebhookDeliveryId>,
        limit: usize,
    ) -> Result<DeliveryPage, StoreError> {
        let mut range = Range::of_table(keys::webhook_deliveries(merchant, endpoint)).descending();
        if let Some(after) = after {
            range = range.between("0", after.as_str());
        }
        let (mut deliveries, mut read, mut last, mut start) = (Vec::new(), 0, None, None);
        loop {
            let (items, next) = self.page(&range.clone().limit(MAX_PAGE), start).await?;
            for delivery in self.readable::<Delivery>(items) {
                if Some(&delivery.id) == after {
                    continue;
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

    /// Writes the body of a message and its deliveries, and makes their endpoints due. `false` if another worker was faster, or
    /// an endpoint has changed meanwhile.
    pub async fn send_message(
        &self,
        message: &Stored<Message>,
        body: String,
        endpoints: &[Stored<Endpoint>],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut writes = vec![Write::replace(message, &message.with_body(body))?];
        for endpoint in endpoints {
            writes.push(Write::create(&self.new_delivery(message, &endpoint.id, now))?);
            writes.push(Write::replace(endpoint, &endpoint.with_delivery(now))?);
        }
        self.commit_if_possible(writes).await
    }

    /// Forgets a message that no endpoint wants any more.
    pub async fn drop_message(&self, message: &Stored<Message>) -> Result<(), StoreError> {
        self.commit_if_possible(vec![Write::delete(message)?]).await.map(|_| ())
    }

    /// Replaces a delivery. `false` if another worker or a member has changed it meanwhile.
    pub async fn save_delivery(&self, read: &Stored<Delivery>, delivery: &Delivery) -> Result<bool, StoreError> {
        self.commit_if_possible(vec![Write::replace(read, delivery)?]).await
    }

    /// Makes a delivery due now, with its endpoint. A conflict means that one of them has changed.
    pub async fn retry_delivery(
        &self,
        delivery: &Stored<Delivery>,
        endpoint: &Stored<Endpoint>,
        with: Vec<Write>,
        now: Timestamp,
    ) -> Result<(), CommitError> {
        let mut writes = vec![
            Write::replace(delivery, &delivery.retried(now))?,
            Write::replace(endpoint, &endpoint.with_delivery(now))?,
        ];
        writes.extend(with);
        self.commit(writes).await
    }
}

/// Rows of one query of a page.
const MAX_PAGE: u16 = 101;
