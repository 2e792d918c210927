//! Merchants and their stores.

use http::StatusCode;
use serde::Serialize;

use super::records::{Merchant, Record, Store};
use super::reply::{Answer, Refusal, answer, decode};
use super::state::{Change, Ledger, State};

const WRITABLE: [&str; 6] = ["name", "registrationNumber", "vatNumber", "website", "logoUrl", "timeZone"];

pub(super) fn get(state: &State, id: &str) -> Answer {
    answer(StatusCode::OK, &in_full(state.merchant(id)?)?)
}

pub(super) fn patch(ledger: &mut Ledger, id: &str, body: &[u8]) -> Answer {
    let mut merchant = ledger.state().merchant(id)?;
    let changes: Record = decode(body)?;
    if let Some(field) = changes.fields().find(|field| !WRITABLE.contains(field)) {
        return Err(Refusal::invalid_request(format!("`{field}` cannot be changed")));
    }
    merchant.record.merge(changes);
    ledger.commit(Change::Merchant(merchant.clone()))?;
    answer(StatusCode::OK, &in_full(merchant)?)
}

/// The merchant with every field that the network promises.
fn in_full(merchant: Merchant) -> serde_json::Result<Record> {
    let Merchant { id, mut record } = merchant;
    record.set_default("name", &id)?;
    for field in ["logoUrl", "termsUrl", "country", "currency", "status"] {
        record.set_default(field, &())?;
    }
    Ok(record)
}

pub(super) fn list_stores(state: &State, merchant: &str) -> Answer {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Stores<'a> {
        retail_stores: Vec<&'a Record>,
    }
    state.merchant(merchant)?;
    let stores = state.stores.values().filter(|store| store.merchant == merchant);
    answer(StatusCode::OK, &Stores { retail_stores: stores.map(|store| &store.record).collect() })
}

pub(super) fn create_store(ledger: &mut Ledger, merchant: &str, body: &[u8]) -> Answer {
    ledger.state().merchant(merchant)?;
    let mut record: Record = decode(body)?;
    record.set("merchantId", &merchant)?;
    record.set_default("country", &"US")?;
    record.set_default("cashRegisters", &0)?;
    record.set_default("status", &"ACTIVE")?;
    let store = Store::try_from(record).map_err(Refusal::invalid_request)?;
    if ledger.state().stores.contains_key(&(store.merchant.clone(), store.external_id.clone())) {
        return Err(Refusal::store_exists());
    }
    put_store(ledger, store, StatusCode::CREATED)
}

/// Changes the fields that are given; the others stay, those that only the network knows among them.
pub(super) fn update_store(ledger: &mut Ledger, merchant: &str, external_id: &str, body: &[u8]) -> Answer {
    ledger.state().merchant(merchant)?;
    let mut changes: Record = decode(body)?;
    let key = (merchant.to_owned(), external_id.to_owned());
    let mut store = ledger.state().stores.get(&key).cloned().ok_or_else(Refusal::store_not_found)?;
    if changes.raw("status").is_some_and(|status| !matches!(status.get(), r#""ACTIVE""# | r#""NOT_ACTIVE""#))
    {
        return Err(Refusal::invalid_request("`status` has to be ACTIVE or NOT_ACTIVE"));
    }
    for identity in ["merchantId", "externalId"] {
        changes.remove(identity);
    }
    store.record.merge(changes);
    put_store(ledger, store, StatusCode::OK)
}

fn put_store(ledger: &mut Ledger, store: Store, status: StatusCode) -> Answer {
    let reply = answer(status, &store.record)?;
    ledger.commit(Change::Store(store))?;
    Ok(reply)
}
