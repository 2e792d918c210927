//! `GET /api/bff/merchant-stores`: lists the merchant's retail stores.

pub(crate) mod body;
pub(crate) mod create;
pub(crate) mod update;

use std::collections::HashMap;

use axum::extract::State;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::card_network::Fields;
use shared::http::{Authorized, Data, Description, examples, permission};
use shared::merchants::model::merchant::Merchant;
use shared::values::{Decimal, MerchantId};
use utoipa::ToSchema;

const TEXT_FIELDS: [&str; 6] = ["address1", "address2", "city", "postcode", "country", "externalId"];
const NULLABLE_TEXT_FIELDS: [&str; 2] = ["name", "status"];
const CASH_REGISTERS: &str = "cashRegisters";

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetailStores)]
pub(crate) struct Stores {
    /// The id of the merchant.
    merchant_id: MerchantId,
    /// The stores at the card network. Empty if it fails, or the merchant has no account there.
    #[schema(value_type = Vec<Store>)]
    retail_stores: Vec<Fields>,
}

/// A store may have additional fields of the card network.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetailStore)]
#[expect(dead_code, reason = "describes the schema; a store is returned with the network's additional fields")]
struct Store {
    /// The id of the store, which the merchant chooses.
    external_id: String,
    /// The name that customers know.
    name: Option<String>,
    /// Street and number. The fields of the address are empty if the network has no value.
    address1: String,
    /// The second line of the address.
    address2: String,
    /// The town.
    city: String,
    /// The postal code.
    postcode: String,
    /// ISO 3166-1 alpha-2 code.
    country: String,
    /// The number of tills; 0 if it is unknown.
    cash_registers: f64,
    /// `ACTIVE` or `NOT_ACTIVE`.
    status: Option<String>,
    #[serde(flatten)]
    others: HashMap<String, serde_json::Value>,
}

/// Returns every store with all fields of the card network. The fields of the API are always set, even if the network
/// has no value for them.
///
/// Empty if the merchant has no card network account or the card network fails.
pub(crate) async fn list_stores(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
) -> Data<Stores> {
    let stores = network_stores(&app, &invocation, &caller.merchant).await;
    let retail_stores = stores.iter().filter_map(|store| with_api_fields(store)).collect();
    Data(Stores { merchant_id: caller.merchant.value.id, retail_stores })
}

async fn network_stores(app: &App, invocation: &Invocation, merchant: &Merchant) -> Vec<Box<RawValue>> {
    let Some(account) = &merchant.network_merchant_id else { return Vec::new() };
    let stores = app.card_network().stores(invocation, account).await;
    best_effort("the retail stores", stores).unwrap_or_default()
}

/// Adds the fields of the API; `None` if the store is not an object.
fn with_api_fields(store: &RawValue) -> Option<Fields> {
    let mut store: Fields = serde_json::from_str(store.get()).ok()?;
    for name in TEXT_FIELDS {
        let text = store.get(name).and_then(|value| text_of(value)).unwrap_or_default();
        store.insert(name.to_owned(), to_raw_value(&text).ok()?);
    }
    for name in NULLABLE_TEXT_FIELDS {
        if let Some(text) = store.get(name).map(|value| text_of(value)) {
            store.insert(name.to_owned(), to_raw_value(&text).ok()?);
        }
    }
    let registers = store.get(CASH_REGISTERS).and_then(|value| Decimal::from_json(value).ok()).unwrap_or_default();
    store.insert(CASH_REGISTERS.to_owned(), to_raw_value(&registers).ok()?);
    Some(store)
}

/// Returns strings unchanged and numbers as written; `None` for other values.
fn text_of(value: &RawValue) -> Option<String> {
    match serde_json::from_str(value.get()) {
        Ok(Value::String(text)) => Some(text),
        Ok(Value::Number(_)) => Some(value.get().to_owned()),
        _ => None,
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listStores",
        "List retail stores",
        "Returns the merchant's stores with all fields of the card network. The list is empty if the merchant has no \
         card network account or the card network fails.",
    )
    .success(
        "The stores.",
        json!({
            "merchantId": examples::MERCHANT,
            "retailStores": [{
                "externalId": "main", "name": "Main street", "address1": "Storgatan 12", "address2": "",
                "city": "Stockholm", "postcode": "114 55", "country": "SE", "cashRegisters": 3, "status": "ACTIVE",
            }],
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(store: &Value) -> Option<Value> {
        let raw = to_raw_value(store).unwrap();
        with_api_fields(&raw).map(|store| serde_json::to_value(store).unwrap())
    }

    #[test]
    fn a_name_is_text_or_null() {
        for (name, shown) in [(json!("North"), json!("North")), (json!(7.50), json!("7.5")), (json!(["North"]), Value::Null)] {
            assert_eq!(listed(&json!({"name": name})).unwrap()["name"], shown);
        }
    }
}
