//! `POST /api/bff/retail-store`: open a retail store at the card network.

use axum::extract::State;
use jiff::Timestamp;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use shared::app::App;
use shared::card_network::StoreFields;
use shared::domain::ids::MerchantId;
use shared::http::access::{Authorized, permission};
use shared::http::body::JsonBody;
use shared::http::description::{AsTheNetworkHasIt, Description};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::reply::Data;

use crate::store_body::StoreBody;

const DEFAULT_COUNTRY: &str = "US";

/// The network's reply as it came. 400 without an account there; else its own status where it refuses.
pub(crate) async fn create_store(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
    JsonBody(body): JsonBody<StoreBody>,
) -> Result<Data<Box<RawValue>>, Fault> {
    let account = caller.network_account()?;
    let store = new_store(body, &caller.merchant.id, app.clock.now());
    let created = app.card_network().create_store(&invocation, account, &store).await;
    created.map(Data).map_err(|error| error.into_fault("The store could not be created."))
}

fn new_store(body: StoreBody, merchant: &MerchantId, now: Timestamp) -> StoreFields {
    let id = body.external_id().unwrap_or_else(|| format!("{merchant}-{}", now.as_millisecond()));
    let store = body.into_store(id);
    StoreFields { country: store.country.or_else(|| to_raw_value(DEFAULT_COUNTRY).ok()), ..store }
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Open a retail store",
        "The fields are the card network's to judge. Without a country it is `US`; without an `externalId` it gets \
         one; a status makes no difference.",
    )
    .body::<StoreBody>(json!({
        "name": "North", "address1": "Norrgatan 1", "city": "Kiruna", "postcode": "98131", "country": "SE",
        "externalId": "north",
    }))
    .data::<AsTheNetworkHasIt>("The store was opened.", json!({"externalId": "north", "name": "North"}))
    .refuses(400, "The body is no JSON object, or there is no card network account.")
    .passes_on_the_network()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn sent(body: &Value) -> Value {
        let body = serde_json::from_str(&body.to_string()).unwrap();
        let now = "2026-01-01T00:00:00.007Z".parse().unwrap();
        serde_json::to_value(new_store(body, &MerchantId::new("m"), now)).unwrap()
    }

    #[test]
    fn country_and_id_have_defaults() {
        assert_eq!(sent(&json!({})), json!({"country": "US", "externalId": "m-1767225600007"}));
        assert_eq!(sent(&json!({"country": null, "externalId": ""}))["country"], "US");
        let given = json!({"country": "SE", "externalId": "main"});
        assert_eq!(sent(&given), given);
    }

    #[test]
    fn a_new_store_has_no_status() {
        assert_eq!(sent(&json!({"status": "Active"})).get("status"), None);
    }
}
