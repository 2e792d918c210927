//! `POST /api/bff/retail-store`: creates a retail store at the card network.

use axum::extract::State;
use jiff::Timestamp;
use serde_json::json;
use serde_json::value::to_raw_value;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::card_network::{NetworkError, StoreFields};
use shared::db::keys;
use shared::endpoint_error;
use shared::http::{
    Authorized, CREATION_KEY_TEXT, CreationKeyError, CreationRequest, Data, Description, Invalid, KEY_HEADER, Made,
    NetworkCreationKey, NetworkStore, Once, OutcomeUnknown, RetryAfter, Unchanged, permission,
};
use shared::limits::model::STORES;
use shared::values::{MerchantId, NetworkMerchantId};

use crate::stores::body::{StoreBody, TooManyChanges, count_change};

const DEFAULT_COUNTRY: &str = "US";

endpoint_error! {
    pub(crate) enum CreateStoreError {
        /// The body is not a JSON object, `externalId` is too long, a field is nested more than 8 levels deep, or the merchant
        /// has no card network account.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "The body is not a JSON object.",
        TooManyChanges(#[from] TooManyChanges),
        /// The merchant has 1,000 stores.
        TooMany => 409 STORE_LIMIT "Your merchant already has 1000 stores. Change one that is no longer used.",
        /// Another request is creating a store.
        InProgress(RetryAfter) => 409 IN_PROGRESS "Another store is being created. Please try again.",
        OutcomeUnknown(#[from] OutcomeUnknown),
        Key(#[from] CreationKeyError),
        CardNetwork(#[from] NetworkError) => card_network "The store could not be created.",
    }
}

/// Returns the card network's response unchanged.
pub(crate) async fn create_store(
    caller: Authorized<permission::Organization>,
    State(app): State<App>,
    invocation: Invocation,
    request: CreationRequest,
) -> Result<Once<Data<Unchanged<NetworkStore>>>, CreateStoreError> {
    request.once_at_network(&app, "store", caller.member(), |body, key| create(&app, &invocation, &caller, body, key)).await
}

async fn create(
    app: &App,
    invocation: &Invocation,
    caller: &Authorized<permission::Organization>,
    body: StoreBody,
    key: NetworkCreationKey,
) -> Result<Made<Data<Unchanged<NetworkStore>>>, CreateStoreError> {
    let account = caller.network_account()?;
    let store = new_store(body, &caller.merchant.id, app.clock.now())?;
    count_change(app, caller).await?;
    let lease = app.store.acquire_lease(keys::stores_lease(&caller.merchant.id), &app.clock).await?;
    let lease = lease.ok_or(CreateStoreError::InProgress(RetryAfter(5)))?;
    let made = create_in_list(app, invocation, account, &store, key).await;
    best_effort("the end of a lease of stores", app.store.release_lease(&lease).await);
    Ok(made?.map(Data))
}

/// Creates the store unless the merchant has too many. Nobody else creates one meanwhile.
async fn create_in_list(
    app: &App,
    invocation: &Invocation,
    account: &NetworkMerchantId,
    store: &StoreFields,
    key: NetworkCreationKey,
) -> Result<Made<Unchanged<NetworkStore>>, CreateStoreError> {
    if app.card_network().stores(invocation, account).await?.len() >= STORES.max {
        return Err(CreateStoreError::TooMany);
    }
    let ask = Box::pin(async { Ok(app.card_network().create_store(invocation, account, store).await?.into()) });
    Ok(key.ask(&app.store, ask).await??)
}

fn new_store(body: StoreBody, merchant: &MerchantId, now: Timestamp) -> Result<StoreFields, Invalid> {
    let id = body.external_id()?.unwrap_or_else(|| format!("{merchant}-{}", now.as_millisecond()));
    let store = body.into_store(id)?;
    Ok(StoreFields { country: store.country.or_else(|| to_raw_value(DEFAULT_COUNTRY).ok()), ..store })
}

pub(crate) fn describe() -> Description {
    Description::new(
        "createStore",
        "Create a retail store",
        "The card network validates the fields. `country` defaults to `US`, a missing `externalId` is generated, and \
         `status` is ignored.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<StoreBody>(json!({
        "name": "North", "address1": "Norrgatan 1", "city": "Kiruna", "postcode": "981 31", "country": "SE",
        "externalId": "north",
    }))
    .success(
        "The store was created.",
        json!({
            "name": "North", "address1": "Norrgatan 1", "address2": "", "city": "Kiruna", "postcode": "981 31",
            "country": "SE", "externalId": "north", "cashRegisters": 1, "status": "ACTIVE",
        }),
    )
}
