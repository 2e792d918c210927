//! Reads and updates a single offer of the merchant.

use http::StatusCode;
use shared::app::App;
use shared::base::best_effort::best_effort;
use shared::base::invocation::Invocation;
use shared::card_network::{NetworkError, RawOffer};
use shared::db::keys;
use shared::db::leases::Lease;
use shared::endpoint_error;
use shared::http::{Authorized, Invalid, PathIds, RetryAfter, permission};
use shared::limits;
use shared::limits::model::{OFFER_CHANGES, UsedUp};
use shared::merchants::model::merchant::Merchant;
use shared::values::OfferId;

use crate::normalized::OfferWithRaw;

endpoint_error! {
    pub(crate) enum OfferError {
        /// The id is blank.
        MissingId => 400 INVALID_REQUEST "id: is missing.",
        /// The merchant has no such offer.
        NoSuchOffer => 404 NOT_FOUND "There is no such offer.",
        CardNetwork(NetworkError) => card_network "The card network could not do this with the offer.",
    }
}

endpoint_error! {
    pub(crate) enum ChangeOfferError {
        /// A field is unknown, too long or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "name: must be a string.",
        Offer(#[from] OfferError),
        /// Another request is changing the offer.
        InProgress(RetryAfter) => 409 IN_PROGRESS "Another request is changing this offer. Please try again.",
        TooManyChanges(#[from] TooManyChanges),
    }
}

endpoint_error! {
    pub(crate) enum TooManyChanges {
        /// The caller, or all members of the merchant together, have reached the hourly limit of changes to offers.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 900 changes to offers an hour. Please try again in 12 minutes.",
    }
}

/// Counts a change of an offer, or a new one: each is several calls of the card network.
pub(crate) async fn count(app: &App, caller: &Authorized<permission::GiftCards>) -> Result<(), TooManyChanges> {
    limits::count(app, &caller.member().within(OFFER_CHANGES)).await
}

impl From<NetworkError> for OfferError {
    fn from(error: NetworkError) -> Self {
        if error.is_not_found() { Self::NoSuchOffer } else { Self::CardNetwork(error) }
    }
}

pub(crate) fn id(path: &PathIds) -> Result<OfferId, OfferError> {
    path.get("id").map(OfferId::new).ok_or(OfferError::MissingId)
}

/// Returns the offer if it belongs to the merchant.
///
/// An offer that is unknown, or belongs to another merchant or to none, or whose id is spelled differently (each offer has one
/// lease), does not exist, and none does for a merchant without a card network account.
pub(crate) async fn find(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
) -> Result<OfferWithRaw, OfferError> {
    if merchant.network_merchant_id.is_none() {
        return Err(OfferError::NoSuchOffer);
    }
    let raw = app.card_network().offer(invocation, id).await?;
    let offer = OfferWithRaw::from_raw(merchant, raw)?;
    offer.filter(|offer| offer.normalized.id == *id).ok_or(OfferError::NoSuchOffer)
}

/// When another request has kept a change waiting.
pub(crate) const IN_PROGRESS_RETRY_AFTER: RetryAfter = RetryAfter(5);

/// Applies `change` to the current offer, saves it and parses the response.
///
/// The offer has a lease meanwhile: of two concurrent changes, the second one is applied to what the first one saved.
/// It is refused if another change does not end within five seconds.
pub(crate) async fn update(
    app: &App,
    invocation: &Invocation,
    caller: &Authorized<permission::GiftCards>,
    id: &OfferId,
    change: impl FnOnce(RawOffer) -> Result<RawOffer, ChangeOfferError>,
) -> Result<OfferWithRaw, ChangeOfferError> {
    let merchant = &caller.merchant;
    if merchant.network_merchant_id.is_none() {
        return Err(OfferError::NoSuchOffer.into());
    }
    count(app, caller).await?;
    let lease = app.store.acquire_lease(keys::offer_lease(&merchant.id, id), &app.clock).await?;
    let lease = lease.ok_or(ChangeOfferError::InProgress(IN_PROGRESS_RETRY_AFTER))?;
    let current = find(app, invocation, merchant, id).await.map_err(ChangeOfferError::from);
    let changed = current.and_then(|current| change(current.raw));
    let saved = match changed {
        Ok(offer) => app.card_network().put_offer(invocation, id, &offer).await,
        Err(error) => {
            release(app, &lease).await;
            return Err(error);
        }
    };
    // The network may still execute a write that timed out. The lease then ends on its own, so that the late write
    // cannot undo the next change.
    if !matches!(saved, Err(NetworkError::Timeout)) {
        release(app, &lease).await;
    }
    Ok(saved.and_then(|raw| from_response(merchant, raw)).map_err(OfferError::from)?)
}

pub(crate) async fn release(app: &App, lease: &Lease) {
    best_effort("the end of a lease of offers", app.store.release_lease(lease).await);
}

/// Parses the response to a write. An offer of another merchant is an invalid response.
pub(crate) fn from_response(merchant: &Merchant, raw: RawOffer) -> Result<OfferWithRaw, NetworkError> {
    OfferWithRaw::from_raw(merchant, raw)?.ok_or(NetworkError::Unreadable(StatusCode::OK))
}
