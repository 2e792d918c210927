//! The network's books: every record and every operation, changed only through the journal.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::Path;

use http::StatusCode;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::records::{Card, CardNetworkFixtures, Merchant, Offer, Record, Store};
use super::reply::{Refusal, Sent};
use crate::journal::Journal;
use crate::simulators::open_journal;

/// What moves money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum OperationKind {
    Issue,
    Redeem,
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum OperationStatus {
    Succeeded,
    Failed,
}

/// One issue or redeem as the network carried it out or refused it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    pub reference: String,
    pub kind: OperationKind,
    pub status: OperationStatus,
    /// Who asked, when that could be read.
    pub merchant_id: Option<String>,
    /// The card whose balance moved.
    pub qr_code: Option<String>,
    /// What moved: nothing when refused.
    pub amount_minor: u64,
    pub currency: Option<String>,
    pub http_status: u16,
    /// The body that the first call got, or would have got.
    pub result: Box<RawValue>,
}

impl Operation {
    /// The reply to every call under this reference.
    pub(super) fn reply(&self) -> Sent {
        let status = StatusCode::from_u16(self.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, self.result.clone())
    }
}

/// A change of the books: each holds the record as it is afterwards.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Change {
    Merchant(Merchant),
    Store(Store),
    Offer(Offer),
    Card(Card),
    /// An operation together with the card it moved.
    Operation(Operation, Option<Card>),
    /// The network has said that it never saw this reference, and keeps that promise.
    Fence(String),
}

/// Everything the network knows.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) merchants: BTreeMap<String, Merchant>,
    /// By merchant and external id.
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

    /// A merchant's account: on record, or implied by a record that belongs to it.
    pub(super) fn merchant(&self, id: &str) -> Result<Merchant, Refusal> {
        if let Some(merchant) = self.merchants.get(id) {
            return Ok(merchant.clone());
        }
        let implied = self.offers.values().any(|offer| offer.merchant == id)
            || self.stores.values().any(|store| store.merchant == id)
            || self.cards.values().any(|card| self.merchant_of(card).as_deref() == Some(id));
        if !implied {
            return Err(Refusal::merchant_not_found());
        }
        let mut record = Record::default();
        record.set("merchantId", &id)?;
        Ok(Merchant { id: id.to_owned(), record })
    }

    /// Whose card it is: its own word, else that of its offer. An older card can be nobody's.
    pub(super) fn merchant_of(&self, card: &Card) -> Option<String> {
        card.record.text("merchantId").or_else(|| {
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

/// The state and the journal that it can be rebuilt from.
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

    /// Makes a change: in the journal first, so that whatever is answered survives.
    pub(super) fn commit(&mut self, change: Change) -> io::Result<()> {
        self.journal.append(&change)?;
        self.state.apply(change);
        Ok(())
    }

    /// Adds the records that are not there yet.
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
