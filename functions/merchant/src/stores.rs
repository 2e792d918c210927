//! `GET /api/bff/merchant-stores`: the merchant's retail stores.

use axum::extract::State;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use shared::app::App;
use shared::best_effort::best_effort;
use shared::card_network::Fields;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::invocation::Invocation;
use shared::http::reply::Data;
use utoipa::ToSchema;

const TEXTS: [&str; 6] = ["address1", "address2", "city", "postcode", "country", "externalId"];
const CASH_REGISTERS: &str = "cashRegisters";

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetailStores)]
pub(crate) struct Stores {
    merchant_id: MerchantId,
    #[schema(value_type = Vec<Store>)]
    retail_stores: Vec<Fields>,
}

/// The fields of the API; whatever else the card network says of a store stands beside them.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RetailStore)]
#[expect(dead_code, reason = "a store is answered with fields that only the network knows")]
struct Store {
    address1: String,
    address2: String,
    city: String,
    postcode: String,
    country: String,
    external_id: String,
    cash_registers: f64,
}

/// Every store with all that the card network says of it; the fields of the API are there even where the network has
/// none. A merchant without an account there has no stores, and a network that fails shows none.
pub(crate) async fn stores(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
) -> Data<Stores> {
    let stores = at_network(&app, &invocation, &caller.merchant).await;
    let retail_stores = stores.iter().filter_map(|store| completed(store)).collect();
    Data(Stores { merchant_id: caller.merchant.value.id, retail_stores })
}

async fn at_network(app: &App, invocation: &Invocation, merchant: &Merchant) -> Vec<Box<RawValue>> {
    let Some(account) = &merchant.network_merchant_id else { return Vec::new() };
    let stores = app.card_network().stores(invocation, account).await;
    best_effort("the retail stores", stores).unwrap_or_default()
}

/// The store with every field of the API; none where it is no object at all.
fn completed(store: &RawValue) -> Option<Fields> {
    let mut store: Fields = serde_json::from_str(store.get()).ok()?;
    for name in TEXTS {
        let text = text(store.get(name).map(|value| &**value));
        store.insert(name.to_owned(), to_raw_value(&text).ok()?);
    }
    let registers = store.get(CASH_REGISTERS).filter(|value| is_number(value)).cloned();
    store.insert(CASH_REGISTERS.to_owned(), registers.or_else(|| to_raw_value(&0).ok())?);
    Some(store)
}

/// A string as it is, a number by its digits, anything else as nothing.
fn text(value: Option<&RawValue>) -> String {
    let Some(value) = value else { return String::new() };
    match serde_json::from_str(value.get()) {
        Ok(Value::String(text)) => text,
        Ok(Value::Number(_)) => value.get().to_owned(),
        _ => String::new(),
    }
}

fn is_number(value: &RawValue) -> bool {
    matches!(serde_json::from_str(value.get()), Ok(Value::Number(_)))
}
pub(crate) fn describe() -> Description {
    Description::new(
        "List retail stores",
        "The merchant's stores at the card network with all that it says of them. None where the merchant has no \
         account there, or the network fails.",
    )
    .data::<Stores>(
        "The stores.",
        json!({
            "merchantId": "m-aurora",
            "retailStores": [{
                "externalId": "main", "name": "Main street", "address1": "Storgatan 1", "address2": "",
                "city": "Stockholm", "postcode": "11122", "country": "SE", "cashRegisters": 2,
            }],
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(store: &Value) -> Option<Value> {
        let raw = to_raw_value(store).unwrap();
        completed(&raw).map(|store| serde_json::to_value(store).unwrap())
    }

    #[test]
    fn the_fields_of_the_api_are_always_there_and_the_others_stay() {
        let store = json!({
            "externalId": "main", "address2": null, "postcode": 11122, "city": "Stockholm", "name": null,
            "cashRegisters": 3, "opened": {"year": 2020},
        });
        let expected = json!({
            "externalId": "main", "address1": "", "address2": "", "postcode": "11122", "city": "Stockholm",
            "country": "", "cashRegisters": 3, "name": null, "opened": {"year": 2020},
        });
        assert_eq!(shown(&store), Some(expected));
    }

    #[test]
    fn registers_that_are_no_number_are_none() {
        for registers in [Value::Null, json!("many"), json!([])] {
            assert_eq!(shown(&json!({"cashRegisters": registers})).unwrap()["cashRegisters"], 0);
        }
    }

    #[test]
    fn what_is_no_object_is_no_store() {
        assert_eq!(shown(&json!("main")), None);
    }
}
