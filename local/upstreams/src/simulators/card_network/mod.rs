//! The card network: merchants with their stores and offers, and gift cards that are issued and redeemed.
//!
//! An account exists when it is on record or when an offer, a store or a card names it. Offers are kept in the
//! spelling of their writer; a new one gets the next number and waits for approval unless it says otherwise.

mod cards;
mod merchants;
mod money;
mod offers;
mod records;
mod reply;
mod state;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::Request;

pub use self::records::{CardNetworkFixtures, offset_from_now};
use self::reply::{Answer, Refusal};
use self::state::Ledger;
pub use self::state::{Operation, OperationKind, OperationStatus};
use super::{Gate, header, same_secret, segments};
use crate::ambient;
use crate::calls::UpstreamCalls;
use crate::faults::{Faults, Target};
use crate::server::{Reply, Server};

/// How to run the simulator.
#[derive(Debug, Clone)]
pub struct CardNetworkOptions {
    /// The directory that keeps the state; None keeps it in memory.
    pub data: Option<PathBuf>,
    /// 0 for a free one.
    pub port: u16,
    /// The key that callers have to send.
    pub api_key: String,
    pub faults: Faults,
    pub calls: UpstreamCalls,
}

/// The running simulator. It stops when this is dropped.
#[derive(Debug)]
pub struct CardNetwork {
    server: Server,
    service: Arc<Service>,
}

#[derive(Debug)]
struct Service {
    gate: Gate,
    api_key: String,
    /// One call at a time: what makes a reference move money once.
    ledger: Mutex<Ledger>,
}

impl CardNetwork {
    pub async fn start(options: CardNetworkOptions) -> io::Result<Self> {
        let CardNetworkOptions { data, port, api_key, faults, calls } = options;
        let gate = Gate { target: Target::CardNetwork, faults, calls };
        let ledger = Mutex::new(Ledger::open(data.as_deref())?);
        let service = Arc::new(Service { gate, api_key, ledger });
        let server = Server::start(port, {
            let service = service.clone();
            move |request| service.clone().answer(request)
        });
        Ok(Self { server: server.await?, service })
    }

    /// Base URL without a slash at the end.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Adds the records of a fixtures document. One that exists is left as it is.
    pub fn load(&self, fixtures: &CardNetworkFixtures) -> io::Result<()> {
        self.service.ledger().load(fixtures, ambient::now())
    }

    /// Every issue and redeem under a reference, oldest first.
    pub fn operations(&self) -> Vec<Operation> {
        self.service.ledger().state().operations.clone()
    }
}

impl Service {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(self: Arc<Self>, request: Request<Bytes>) -> Reply {
        self.gate.pass(&request, async { self.carry_out(&request) }).await
    }

    fn carry_out(&self, request: &Request<Bytes>) -> Reply {
        match self.authorize(request).and_then(|()| route(&mut self.ledger(), request)) {
            Ok((status, body)) => Reply::json(status, &body),
            Err(refusal) => Reply::json(refusal.status, &refusal.body()),
        }
    }

    fn authorize(&self, request: &Request<Bytes>) -> Result<(), Refusal> {
        let key = header(request.headers(), "authorization").and_then(|value| value.strip_prefix("Bearer "));
        key.filter(|key| same_secret(key, &self.api_key)).map(|_| ()).ok_or_else(Refusal::unauthorized)
    }
}

fn route(ledger: &mut Ledger, request: &Request<Bytes>) -> Answer {
    let reference = header(request.headers(), "idempotency-key");
    let body = request.body();
    let path = segments(request.uri().path());
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match (request.method().as_str(), path.as_slice()) {
        ("GET", ["v1", "merchants", id]) => merchants::get(ledger.state(), id),
        ("PATCH", ["v1", "merchants", id]) => merchants::patch(ledger, id, body),
        ("GET", ["v1", "merchants", id, "stores"]) => merchants::list_stores(ledger.state(), id),
        ("POST", ["v1", "merchants", id, "stores"]) => merchants::create_store(ledger, id, body),
        ("PUT", ["v1", "merchants", id, "stores", store]) => merchants::update_store(ledger, id, store, body),
        ("GET", ["v1", "merchants", id, "offers"]) => offers::list(ledger.state(), id),
        ("POST", ["v1", "offers"]) => offers::create(ledger, body),
        ("GET", ["v1", "offers", id]) => offers::get(ledger.state(), id),
        ("PUT", ["v1", "offers", id]) => offers::replace(ledger, id, body),
        ("POST", ["v1", "cards", "issue"]) => cards::submit(ledger, OperationKind::Issue, reference, body),
        ("POST", ["v1", "cards", "redeem"]) => cards::submit(ledger, OperationKind::Redeem, reference, body),
        ("GET", ["v1", "cards", qr_code]) => cards::get(ledger.state(), qr_code),
        ("GET", ["v1", "operations", reference]) => cards::outcome(ledger, reference),
        _ => Err(Refusal::no_such_call()),
    }
}
