//! The ledger of the network: all records and operations. Every change goes through the journal.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::Path;

use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::records::{Card, CardNetworkFixtures, Merchant, Offer, Record, Store};
use super::reply::{ErrorReply, JsonReply};
use crate::journal::Journal;
use crate::simulators::open_journal;

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

impl State {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Merchant(merchant) => {
                self.merchants.insert(merchant.id.clone(), merchant);
            }
            Change::Store(store) => {
                self.stores.insert((store.merchant.clone(), store.external_id.clone()), store);
            }
            Change::Offer(offer) => {
                self.offers.insert(offer.id, offer);
            }
            Change::Card(card) => self.put_card(card),
            Change::Operation(operation, card) => {
                self.operation_index.insert(operation.reference.clone(), self.operations.len());
                self.operations.push(operation);
                if let Some(card) = card {
                    self.put_card(card);
                }
            }
            Change::Fence(reference) => {
                self.fences.insert(reference);
            }
        }
    }

    fn put_card(&mut self, card: Card) {
        self.cards.insert(card.qr_code.clone(), card);
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
            return Err(ErrorReply::merchant_not_found());
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

/// The state and its journal.
#[derive(Debug)]
pub(super) struct Ledger {
    state: State,
    journal: Journal,
}

impl Ledger {
    pub(super) fn open(data: Option<&Path>) -> io::Result<Self> {
        let mut state = State::default();
        let journal = open_journal(data, "card-network.jsonl", |change| state.apply(change))?;
        Ok(Self { state, journal })
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Applies a change after appending it to the journal, so that every acknowledged change survives a restart.
    pub(super) fn commit(&mut self, change: Change) -> io::Result<()> {
        self.journal.append(&change)?;
        self.state.apply(change);
        Ok(())
    }

    /// Adds the records of `fixtures` whose ids do not exist yet.
    pub(super) fn load(&mut self, fixtures: &CardNetworkFixtures, now: Timestamp) -> io::Result<()> {
        for merchant in fixtures.merchants() {
            if !self.state.merchants.contains_key(&merchant.id) {
                self.commit(Change::Merchant(merchant))?;
            }
        }
        for store in fixtures.stores() {
            if !self.state.stores.contains_key(&(store.merchant.clone(), store.external_id.clone())) {
                self.commit(Change::Store(store))?;
            }
        }
        for offer in fixtures.offers(now)? {
            if !self.state.offers.contains_key(&offer.id) {
                self.commit(Change::Offer(offer))?;
            }
        }
        for card in fixtures.cards(now)? {
            if !self.state.cards.contains_key(&card.qr_code) {
                self.commit(Change::Card(card))?;
            }
        }
        Ok(())
    }
}
