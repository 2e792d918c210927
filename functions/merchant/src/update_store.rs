//! `PUT /api/bff/retail-store`: change a retail store at the card network.

use axum::extract::State;
use serde_json::json;
use serde_json::value::RawValue;
use shared::app::App;
use shared::card_network::StoreFields;
use shared::http::access::{Authorized, permission};
use shared::http::body::JsonBody;
use shared::http::description::{AsTheNetworkHasIt, Description};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::reply::Data;

use crate::store_body::StoreBody;

/// The network's reply as it came; what the body leaves out stays as it is there. 400 without `externalId`, which
/// says which store, or without an account; else the network's own status where it refuses.
pub(crate) async fn update_store(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
    JsonBody(body): JsonBody<StoreBody>,
) -> Result<Data<Box<RawValue>>, Fault> {
    let account = caller.network_account()?;
    let id = body.external_id().ok_or_else(|| Fault::invalid("externalId: is missing."))?;
    let store = StoreFields { status: body.status(), ..body.into_store(id) };
    let changed = app.card_network().change_store(&invocation, account, &store).await;
    changed.map(Data).map_err(|error| error.into_fault("The store could not be changed."))
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Change a retail store",
        "`externalId` says which store; what the body leaves out stays as it is at the card network.",
    )
    .body_with::<StoreBody>(
        &["externalId"],
        json!({"externalId": "north", "city": "Uppsala", "status": "Active"}),
    )
    .data::<AsTheNetworkHasIt>("The store was changed.", json!({"externalId": "north", "city": "Uppsala"}))
    .refuses(400, "The body is no JSON object, `externalId` is missing, or there is no card network account.")
    .passes_on_the_network()
}
