//! `PUT /api/bff/retail-store`: updates a retail store at the card network.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::card_network::StoreFields;
use shared::http::access::{Authorized, permission};
use shared::http::body::JsonBody;
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::network_objects::{NetworkStore, Unchanged};
use shared::http::reply::Data;
use shared::invocation::Invocation;

use crate::store_body::StoreBody;

/// Returns the card network's response unchanged. Missing fields are not changed.
///
/// Responds with 400 if `externalId` is missing or too long or the merchant has no card network account. Passes on errors of the
/// card network.
pub(crate) async fn update_store(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
    JsonBody(body): JsonBody<StoreBody>,
) -> Result<Data<Unchanged<NetworkStore>>, Fault> {
    let account = caller.network_account()?;
    let id = body.external_id()?.ok_or_else(|| Fault::invalid("externalId: is missing."))?;
    let store = StoreFields { status: body.status(), ..body.into_store(id) };
    let changed = app.card_network().change_store(&invocation, account, &store).await;
    let changed = changed.map_err(|error| Fault::card_network(&error, "The store could not be changed."))?;
    Ok(Data(changed.into()))
}

pub(crate) fn describe() -> Description {
    Description::new("updateStore", 
        "Update a retail store",
        "Updates the store with this `externalId`. Missing fields are not changed.",
    )
    .body_with::<StoreBody>(
        &["externalId"],
        json!({"externalId": "north", "address1": "Norrgatan 3", "status": "Active"}),
    )
    .success("The store was updated.", json!({
        "name": "North", "address1": "Norrgatan 3", "address2": "", "city": "Kiruna", "postcode": "981 31",
        "country": "SE", "externalId": "north", "cashRegisters": 1, "status": "ACTIVE",
    }))
    .error(
        400,
        "The body is not a JSON object, `externalId` is missing or too long, or the merchant has no card network account.",
    )
    .message("externalId: is missing.")
    .passes_on_card_network_errors()
    .card_network_message("The store could not be changed.")
}
