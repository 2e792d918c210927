//! Merchants and their stores.

use http::StatusCode;
use serde::Serialize;

use super::records::{Merchant, Record, Store};
use super::reply::{CallResult, ErrorReply, STORE_EXISTS, STORE_NOT_FOUND, json_reply, parse_body};
use super::state::{Change, Ledger, State};

const WRITABLE_FIELDS: [&str; 6] = ["name", "registrationNumber", "vatNumber", "website", "logoUrl", "timeZone"];

pub(super) fn get(state: &State, id: &str) -> CallResult {
    json_reply(StatusCode::OK, &with_all_fields(state.merchant(id)?)?)
}

pub(super) fn patch(ledger: &mut Ledger, id: &str, body: &[u8]) -> CallResult {
    let mut merchant = ledger.merchant(id)?;
    let changes: Record = parse_body(body)?;
    if let Some(field) = changes.fields().find(|field| !WRITABLE_FIELDS.contains(field)) {
        return Err(ErrorReply::invalid_request(format!("`{field}` cannot be changed")));
    }
    merchant.record.merge(&changes);
    ledger.commit(Change::Merchant(merchant.clone()))?;
    json_reply(StatusCode::OK, &with_all_fields(merchant)?)
}

/// Returns the merchant record with every field of the contract. Missing fields are null; the default name is the id.
fn with_all_fields(merchant: Merchant) -> serde_json::Result<Record> {
    let Merchant { id, mut record } = merchant;
    record.set_default("name", &id)?;
    for field in ["logoUrl", "termsUrl", "country", "currency", "status"] {
        record.set_default(field, &())?;
    }
    Ok(record)
}

pub(super) fn list_stores(state: &State, merchant: &str) -> CallResult {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Stores<'a> {
        retail_stores: Vec<&'a Record>,
    }
    state.merchant(merchant)?;
    let stores = state.stores.values().filter(|store| store.merchant == merchant);
    json_reply(StatusCode::OK, &Stores { retail_stores: stores.map(|store| &store.record).collect() })
}

pub(super) fn create_store(ledger: &mut Ledger, merchant: &str, body: &[u8]) -> CallResult {
    ledger.merchant(merchant)?;
    let mut record: Record = parse_body(body)?;
    record.set("merchantId", &merchant)?;
    record.set_default("country", &"US")?;
    record.set_default("cashRegisters", &0)?;
    record.set_default("status", &"ACTIVE")?;
    let store = Store::try_from(record).map_err(ErrorReply::invalid_request)?;
    if ledger.stores.contains_key(&store.key()) {
        return Err(STORE_EXISTS);
    }
    put_store(ledger, store, StatusCode::CREATED)
}

/// Updates the fields in the body. Other fields keep their values.
pub(super) fn update_store(ledger: &mut Ledger, merchant: &str, external_id: &str, body: &[u8]) -> CallResult {
    ledger.merchant(merchant)?;
    let mut changes: Record = parse_body(body)?;
    let key = (merchant.to_owned(), external_id.to_owned());
    let mut store = ledger.stores.get(&key).cloned().ok_or(STORE_NOT_FOUND)?;
    if changes.raw("status").is_some_and(|status| !matches!(status.get(), r#""ACTIVE""# | r#""NOT_ACTIVE""#)) {
        return Err(ErrorReply::invalid_request("`status` has to be ACTIVE or NOT_ACTIVE"));
    }
    for key_field in ["merchantId", "externalId"] {
        changes.remove(key_field);
    }
    store.record.merge(&changes);
    put_store(ledger, store, StatusCode::OK)
}

fn put_store(ledger: &mut Ledger, store: Store, status: StatusCode) -> CallResult {
    let reply = json_reply(status, &store.record)?;
    ledger.commit(Change::Store(store))?;
    Ok(reply)
}
