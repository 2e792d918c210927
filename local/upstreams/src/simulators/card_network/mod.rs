//! Simulator of the card network: merchants with their stores and offers, and gift cards that are issued and redeemed.
//!
//! A merchant account exists if it has a record, or if an offer, a store or a card belongs to it. Records keep the field
//! names and number formats in which they were written.

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
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::Request;

pub use self::records::{CardNetworkFixtures, offset_from_now};
use self::reply::{CallResult, ErrorReply};
use self::state::Ledger;
pub use self::state::{Operation, OperationKind, OperationStatus};
use super::{Interceptor, SimulatorOptions, header, secrets_match, segments};
use crate::clock;
use crate::faults::Target;
use crate::journal::Journaled;
use crate::server::{Reply, Server};

/// The running simulator. Dropping it stops the server.
#[derive(Debug)]
pub struct CardNetwork {
    server: Server,
    service: Arc<Service>,
}

#[derive(Debug)]
struct Service {
    interceptor: Interceptor,
    api_key: String,
    /// The lock serializes all calls, so that a reference moves money only once.
    ledger: Mutex<Ledger>,
}

impl CardNetwork {
    pub async fn start(options: SimulatorOptions) -> io::Result<Self> {
        let SimulatorOptions { data, port, api_key, faults, calls, guard } = options;
        let interceptor = Interceptor { target: Target::CardNetwork, faults, calls };
        let journal = data.map(|data| data.join("card-network.jsonl"));
        let ledger = Mutex::new(Journaled::open(journal.as_deref())?);
        let service = Arc::new(Service { interceptor, api_key, ledger });
        let handler = service.clone();
        let server = Server::start(port, guard, move |request| handler.clone().handle(request)).await?;
        Ok(Self { server, service })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Adds the records of a fixtures document. Existing records do not change.
    pub fn load(&self, fixtures: &CardNetworkFixtures) -> io::Result<()> {
        let mut ledger = self.service.ledger();
        for change in fixtures.changes(clock::now())? {
            if !ledger.has(&change) {
                ledger.commit(change)?;
            }
        }
        Ok(())
    }

    /// Returns every issue and redeem operation, oldest first.
    pub fn operations(&self) -> Vec<Operation> {
        self.service.ledger().operations.clone()
    }
}

impl Service {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn handle(self: Arc<Self>, request: Request<Bytes>) -> Reply {
        self.interceptor.intercept(&request, async { self.execute(&request) }).await
    }

    fn execute(&self, request: &Request<Bytes>) -> Reply {
        match self.authorize(request).and_then(|()| route(&mut self.ledger(), request)) {
            Ok((status, body)) => Reply::json(status, &body),
            Err(error) => Reply::json(error.status, &error.body()),
        }
    }

    fn authorize(&self, request: &Request<Bytes>) -> Result<(), ErrorReply> {
        let key = header(request.headers(), "authorization").and_then(|value| value.strip_prefix("Bearer "));
        key.filter(|key| secrets_match(key, &self.api_key)).map(|_| ()).ok_or(reply::UNAUTHORIZED)
    }
}

fn route(ledger: &mut Ledger, request: &Request<Bytes>) -> CallResult {
    let reference = header(request.headers(), "idempotency-key");
    let body = request.body();
    let path = segments(request.uri().path());
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match (request.method().as_str(), path.as_slice()) {
        ("GET", ["v1", "merchants", id]) => merchants::get(ledger, id),
        ("PATCH", ["v1", "merchants", id]) => merchants::patch(ledger, id, body),
        ("GET", ["v1", "merchants", id, "stores"]) => merchants::list_stores(ledger, id),
        ("POST", ["v1", "merchants", id, "stores"]) => merchants::create_store(ledger, id, body),
        ("PUT", ["v1", "merchants", id, "stores", store]) => merchants::update_store(ledger, id, store, body),
        ("GET", ["v1", "merchants", id, "offers"]) => offers::list(ledger, id),
        ("POST", ["v1", "offers"]) => offers::create(ledger, body),
        ("GET", ["v1", "offers", id]) => offers::get(ledger, id),
        ("PUT", ["v1", "offers", id]) => offers::replace(ledger, id, body),
        ("POST", ["v1", "cards", "issue"]) => cards::submit(ledger, OperationKind::Issue, reference, body),
        ("POST", ["v1", "cards", "redeem"]) => cards::submit(ledger, OperationKind::Redeem, reference, body),
        ("GET", ["v1", "cards", qr_code]) => cards::get(ledger, qr_code),
        ("GET", ["v1", "operations", reference]) => cards::get_operation(ledger, reference),
        _ => Err(reply::UNKNOWN_CALL),
    }
}
