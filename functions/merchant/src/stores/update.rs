//! `PUT /api/bff/retail-store`: updates a retail store at the card network.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::{NetworkError, StoreFields};
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, Invalid, JsonBody, NetworkStore, Unchanged, permission};

use crate::stores::body::{StoreBody, TooManyChanges, count_change};

endpoint_error! {
    pub(crate) enum UpdateStoreError {
        /// The body is not a JSON object, `externalId` is missing or too long, a field is nested more than 8 levels deep, or the
        /// merchant has no card network account.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "externalId: is missing.",
        TooManyChanges(#[from] TooManyChanges),
        CardNetwork(#[from] NetworkError) => card_network "The store could not be changed.",
    }
}

/// Returns the card network's response unchanged. Missing fields are not changed.
pub(crate) async fn update_store(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
    JsonBody(body): JsonBody<StoreBody>,
) -> Result<Data<Unchanged<NetworkStore>>, UpdateStoreError> {
    let account = caller.network_account()?;
    let id = body.external_id()?.ok_or(Invalid::new("externalId: is missing."))?;
    let store = StoreFields { status: body.status(), ..body.into_store(id)? };
    count_change(&app, &caller).await?;
    let changed = app.card_network().change_store(&invocation, account, &store).await?;
    Ok(Data(changed.into()))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "updateStore",
        "Update a retail store",
        "Updates the store with this `externalId`. Missing fields are not changed.",
    )
    .body_with::<StoreBody>(&["externalId"], json!({"externalId": "north", "address1": "Norrgatan 3", "status": "Active"}))
    .success(
        "The store was updated.",
        json!({
            "name": "North", "address1": "Norrgatan 3", "address2": "", "city": "Kiruna", "postcode": "981 31",
            "country": "SE", "externalId": "north", "cashRegisters": 1, "status": "ACTIVE",
        }),
    )
}
