//! The ledger of the network: all records and operations. Every change goes through the journal.

use std::collections::{BTreeMap, HashMap, HashSet};

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::records::{Card, Merchant, Offer, Record, Store};
use super::reply::{ErrorReply, JsonReply, MERCHANT_NOT_FOUND};
use crate::journal::{Journaled, Replay};

/// The operations that move money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum OperationKind {
    Issue,
    Redeem,
}

/// The final status of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum OperationStatus {
    Succeeded,
    Failed,
}

/// An issue or redeem operation that the network executed or refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    pub reference: String,
    pub kind: OperationKind,
    pub status: OperationStatus,
    /// The merchant in the request body. `None` if the body cannot be parsed.
    pub merchant_id: Option<String>,
    /// The card of a successful operation.
    pub qr_code: Option<String>,
    /// The amount moved, in minor units. 0 for a failed operation.
    pub amount_minor: u64,
    pub currency: Option<String>,
    pub http_status: u16,
    /// The reply body of the first call, even if that reply was lost.
    pub result: Box<RawValue>,
}

impl Operation {
    /// The reply to every call with this reference.
    pub(super) fn reply(&self) -> JsonReply {
        let status = StatusCode::from_u16(self.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, self.result.clone())
    }
}

/// A change of the ledger. Each variant contains the new state of the record.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Change {
    Merchant(Merchant),
    Store(Store),
    Offer(Offer),
    Card(Card),
    /// An operation, and the new state of its card if it succeeded.
    Operation(Operation, Option<Card>),
    /// A reference that was reported as never seen, and is refused from then on.
    Fence(String),
}

/// The state of the network.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) merchants: BTreeMap<String, Merchant>,
    /// Keyed by merchant id and external id.
    pub(super) stores: BTreeMap<(String, String), Store>,
    pub(super) offers: BTreeMap<u64, Offer>,
    pub(super) cards: BTreeMap<String, Card>,
    /// Oldest first.
    pub(super) operations: Vec<Operation>,
    operation_index: HashMap<String, usize>,
    fences: HashSet<String>,
}

/// The state and its journal.
pub(super) type Ledger = Journaled<State>;

impl Replay for State {
    type Change = Change;

    fn apply(&mut self, change: Change) {
        match change {
            Change::Merchant(merchant) => {
                self.merchants.insert(merchant.id.clone(), merchant);
            }
            Change::Store(store) => {
                self.stores.insert(store.key(), store);
            }
            Change::Offer(offer) => {
                self.offers.insert(offer.id, offer);
            }
            Change::Card(card) => {
                self.cards.insert(card.qr_code.clone(), card);
            }
            Change::Operation(operation, card) => {
                self.operation_index.insert(operation.reference.clone(), self.operations.len());
                self.operations.push(operation);
                self.cards.extend(card.map(|card| (card.qr_code.clone(), card)));
            }
            Change::Fence(reference) => {
                self.fences.insert(reference);
            }
        }
    }
}

impl State {
    /// Whether the record, the operation or the fence exists.
    pub(super) fn has(&self, change: &Change) -> bool {
        match change {
            Change::Merchant(merchant) => self.merchants.contains_key(&merchant.id),
            Change::Store(store) => self.stores.contains_key(&store.key()),
            Change::Offer(offer) => self.offers.contains_key(&offer.id),
            Change::Card(card) => self.cards.contains_key(&card.qr_code),
            Change::Operation(operation, _) => self.operation(&operation.reference).is_some(),
            Change::Fence(reference) => self.is_fenced(reference),
        }
    }

    /// Returns the merchant account: the stored one, or an empty one if an offer, a store or a card belongs to it.
    pub(super) fn merchant(&self, id: &str) -> Result<Merchant, ErrorReply> {
        if let Some(merchant) = self.merchants.get(id) {
            return Ok(merchant.clone());
        }
        let is_implied = self.offers.values().any(|offer| offer.merchant == id)
            || self.stores.values().any(|store| store.merchant == id)
            || self.cards.values().any(|card| self.merchant_of(card).as_deref() == Some(id));
        if !is_implied {
            return Err(MERCHANT_NOT_FOUND);
        }
        let mut record = Record::default();
        record.set("merchantId", &id)?;
        Ok(Merchant { id: id.to_owned(), record })
    }

    /// Returns the merchant of a card: its `merchantId`, otherwise the merchant of its offer. Older cards can have neither.
    pub(super) fn merchant_of(&self, card: &Card) -> Option<String> {
        card.record.string("merchantId").or_else(|| {
            let offer = card.record.scalar(&["giftCardOfferId"])?.parse().ok()?;
            Some(self.offers.get(&offer)?.merchant.clone())
        })
    }

    pub(super) fn operation(&self, reference: &str) -> Option<&Operation> {
        self.operations.get(*self.operation_index.get(reference)?)
    }

    pub(super) fn is_fenced(&self, reference: &str) -> bool {
        self.fences.contains(reference)
    }
}
