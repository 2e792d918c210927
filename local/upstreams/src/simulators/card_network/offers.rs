//! Offers. They keep the field names in which they were written, because older records use other names.

use http::StatusCode;
use serde::Serialize;

use super::records::{Offer, Record};
use super::reply::{CallResult, ErrorReply, OFFER_NOT_FOUND, json_reply, parse_body};
use super::state::{Change, Ledger, State};

/// Higher than the ids in fixtures documents, so that created offers do not collide with offers loaded later.
const FIRST_ASSIGNED_ID: u64 = 10_000_001;

/// The ids of the offer and its merchant, which an update cannot change.
const READ_ONLY_FIELDS: [&str; 3] = ["giftCardOfferId", "id", "merchantId"];

pub(super) fn list(state: &State, merchant: &str) -> CallResult {
    #[derive(Serialize)]
    struct Offers<'a> {
        offers: Vec<&'a Record>,
    }
    state.merchant(merchant)?;
    let offers = state.offers.values().filter(|offer| offer.merchant == merchant);
    json_reply(StatusCode::OK, &Offers { offers: offers.map(|offer| &offer.record).collect() })
}

pub(super) fn get(state: &State, id: &str) -> CallResult {
    json_reply(StatusCode::OK, &find(state, id)?.record)
}

/// Returns the offer. An `id` that is not a number is not found.
pub(super) fn find<'a>(state: &'a State, id: &str) -> Result<&'a Offer, ErrorReply> {
    id.parse().ok().and_then(|id: u64| state.offers.get(&id)).ok_or(OFFER_NOT_FOUND)
}

/// Creates an offer with the next id. The default status is `AWAITING_APPROVAL`.
pub(super) fn create(ledger: &mut Ledger, body: &[u8]) -> CallResult {
    let mut record: Record = parse_body(body)?;
    let last = ledger.offers.keys().next_back().copied().unwrap_or_default();
    record.remove("id");
    record.set("giftCardOfferId", &last.saturating_add(1).max(FIRST_ASSIGNED_ID))?;
    if status(&record).is_none() {
        record.set("giftCardOfferStatus", &"AWAITING_APPROVAL")?;
    }
    let offer = Offer::try_from(record).map_err(ErrorReply::invalid_request)?;
    ledger.merchant(&offer.merchant)?;
    put(ledger, offer, StatusCode::CREATED)
}

pub(super) fn replace(ledger: &mut Ledger, id: &str, body: &[u8]) -> CallResult {
    let stored = find(ledger, id)?.clone();
    let mut record: Record = parse_body(body)?;
    for field in READ_ONLY_FIELDS {
        record.copy_field(field, &stored.record);
    }
    put(ledger, Offer { record, ..stored }, StatusCode::OK)
}

/// Returns the status of an offer. Older records name the field `status`.
pub(super) fn status(offer: &Record) -> Option<String> {
    offer.string("giftCardOfferStatus").or_else(|| offer.string("status"))
}

fn put(ledger: &mut Ledger, offer: Offer, status: StatusCode) -> CallResult {
    let reply = json_reply(status, &offer.record)?;
    ledger.commit(Change::Offer(offer))?;
    Ok(reply)
}
