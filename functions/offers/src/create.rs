//! `POST /api/bff/offers`: creates an offer at the card network.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::{Fields, NetworkError};
use shared::db::keys;
use shared::endpoint_error;
use shared::http::{
    Authorized, CREATION_KEY_TEXT, CreationKeyError, CreationRequest, Data, DescribedError, Description, EndpointError, Fault,
    Invalid, KEY_HEADER, Made, NetworkCreationKey, NewOffer, Once, OutcomeUnknown, RetryAfter, permission,
};
use shared::limits::model::OFFERS;
use shared::merchants::model::merchant::Merchant;
use shared::values::NetworkMerchantId;

use crate::bounds;
use crate::merchant_offer::{self, TooManyChanges};
use crate::normalized::{OfferWithRaw, example};

endpoint_error! {
    pub(crate) enum CreateOfferError {
        /// The body is not a JSON object, a field is too long, or the merchant has no card network account.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "The body is not a JSON object.",
        /// The merchant has 500 offers.
        TooMany => 409 OFFER_LIMIT "The merchant has 500 offers, or as many as fit into a list.",
        /// Another request is creating an offer.
        InProgress(RetryAfter) => 409 IN_PROGRESS "Another offer is being created. Please try again.",
        CardNetwork(#[from] WithoutDetails),
        TooManyChanges(#[from] TooManyChanges),
        OutcomeUnknown(#[from] OutcomeUnknown),
        Key(#[from] CreationKeyError),
    }
}

/// An error of the card network, with its status and nothing else of it.
#[derive(Debug)]
pub(crate) struct WithoutDetails(NetworkError);

const REFUSED: &str = "Request failed";
const FAILED: &str = "Service unavailable";

impl From<WithoutDetails> for Fault {
    fn from(WithoutDetails(error): WithoutDetails) -> Self {
        let message = if error.status().is_client_error() { REFUSED } else { FAILED };
        Self::without_details(&error, message)
    }
}

impl EndpointError for WithoutDetails {
    fn describe() -> Vec<DescribedError> {
        DescribedError::of_card_network([REFUSED, FAILED])
    }

    fn did_nothing(&self) -> bool {
        false
    }
}

/// Sends the fields to the card network unchanged and returns the created offer.
pub(crate) async fn create_offer(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    request: CreationRequest,
) -> Result<Once<Data<OfferWithRaw>>, CreateOfferError> {
    request.once_at_network(&app, "offer", caller.member(), |fields, key| create(&app, &invocation, &caller, fields, key)).await
}

async fn create(
    app: &App,
    invocation: &Invocation,
    caller: &Authorized<permission::GiftCards>,
    fields: Fields,
    key: NetworkCreationKey,
) -> Result<Made<Data<OfferWithRaw>>, CreateOfferError> {
    let account = caller.network_account()?;
    bounds::check(&fields)?;
    merchant_offer::count(app, caller).await?;
    let lease = app.store.acquire_lease(keys::offers_lease(&caller.merchant.id), &app.clock).await?;
    let lease = lease.ok_or(CreateOfferError::InProgress(merchant_offer::IN_PROGRESS_RETRY_AFTER))?;
    let made = create_in_list(app, invocation, &caller.merchant, account, fields, key).await;
    merchant_offer::release(app, &lease).await;
    Ok(made?.map(Data))
}

/// Creates the offer unless the merchant has too many. One with more has them from elsewhere, and keeps them. Nobody else creates one meanwhile.
async fn create_in_list(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    account: &NetworkMerchantId,
    fields: Fields,
    key: NetworkCreationKey,
) -> Result<Made<OfferWithRaw>, CreateOfferError> {
    let list = app.card_network().offers(invocation, account).await.map_err(WithoutDetails)?;
    if list.offers().count() >= OFFERS.max || !list.is_complete {
        return Err(CreateOfferError::TooMany);
    }
    let ask = Box::pin(async {
        let raw = app.card_network().create_offer(invocation, account, fields).await?;
        merchant_offer::from_response(merchant, raw)
    });
    Ok(key.ask(&app.store, ask).await?.map_err(WithoutDetails)?)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "createOffer",
        "Create an offer",
        "Sends the body and the merchant's account to the card network. If the card network declines the request or \
         fails, its status is returned with a generic message.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<NewOffer>(json!({
        "name": "Aurora gift card", "description": "For any amount, in every shop",
        "giftCardOfferType": "GIFTCARD_DIGITAL", "giftCardOfferStatus": "AVAILABLE", "currency": "SEK", "minPrice": 50,
        "maxPrice": 5000, "numberOfDaysCardIsValidFromPurchaseTime": 1095,
    }))
    .success("The new offer.", example())
}
