//! Offers: kept as their writer spells them.

use http::StatusCode;
use serde::Serialize;

use super::records::{Offer, Record};
use super::reply::{Answer, Refusal, answer, decode};
use super::state::{Change, Ledger, State};

/// Far above the ids that documents choose, so that an offer made here does not stand in the way of one loaded later.
const FIRST_ASSIGNED_ID: u64 = 10_000_001;

/// Which offer it is and whose: assigned by the network and not the writer's to change.
const IDENTITY: [&str; 3] = ["giftCardOfferId", "id", "merchantId"];

pub(super) fn list(state: &State, merchant: &str) -> Answer {
    #[derive(Serialize)]
    struct Offers<'a> {
        offers: Vec<&'a Record>,
    }
    state.merchant(merchant)?;
    let offers = state.offers.values().filter(|offer| offer.merchant == merchant);
    answer(StatusCode::OK, &Offers { offers: offers.map(|offer| &offer.record).collect() })
}

pub(super) fn get(state: &State, id: &str) -> Answer {
    answer(StatusCode::OK, &find(state, id)?.record)
}

/// The offer with the id in `text`.
pub(super) fn find<'a>(state: &'a State, text: &str) -> Result<&'a Offer, Refusal> {
    text.parse().ok().and_then(|id: u64| state.offers.get(&id)).ok_or_else(Refusal::offer_not_found)
}

/// A new offer waits for approval unless its writer says otherwise.
pub(super) fn create(ledger: &mut Ledger, body: &[u8]) -> Answer {
    let mut record: Record = decode(body)?;
    let last = ledger.state().offers.keys().next_back().copied().unwrap_or_default();
    record.remove("id");
    record.set("giftCardOfferId", &last.saturating_add(1).max(FIRST_ASSIGNED_ID))?;
    if status(&record).is_none() {
        record.set("giftCardOfferStatus", &"AWAITING_APPROVAL")?;
    }
    let offer = Offer::try_from(record).map_err(Refusal::invalid_request)?;
    ledger.state().merchant(&offer.merchant)?;
    put(ledger, offer, StatusCode::CREATED)
}

pub(super) fn replace(ledger: &mut Ledger, id: &str, body: &[u8]) -> Answer {
    let stored = find(ledger.state(), id)?.clone();
    let mut record: Record = decode(body)?;
    for field in IDENTITY {
        record.copy_field(field, &stored.record);
    }
    put(ledger, Offer { record, ..stored }, StatusCode::OK)
}

/// An offer's status in either spelling.
pub(super) fn status(offer: &Record) -> Option<String> {
    offer.text("giftCardOfferStatus").or_else(|| offer.text("status"))
}

fn put(ledger: &mut Ledger, offer: Offer, status: StatusCode) -> Answer {
    let reply = answer(status, &offer.record)?;
    ledger.commit(Change::Offer(offer))?;
    Ok(reply)
}
