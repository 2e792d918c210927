//! Reads and updates a single offer of the merchant.

use http::StatusCode;
use shared::app::App;
use shared::best_effort::best_effort;
use shared::card_network::{NetworkError, RawOffer};
use shared::domain::ids::OfferId;
use shared::domain::merchant::Merchant;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::invocation::Invocation;
use shared::store::keys;
use shared::store::leases::Lease;

use crate::normalized::OfferWithRaw;

/// Returns the offer id of the path; 400 if it is blank.
pub(crate) fn id(path: &PathIds) -> Result<OfferId, Fault> {
    path.get("id").map(OfferId::new).ok_or_else(|| Fault::invalid("id: is missing."))
}

/// Returns the offer if it belongs to the merchant.
///
/// Responds with the same 404 if the offer is unknown or belongs to another merchant or to none, if its id is spelled
/// differently (each offer has one lease), and if the merchant has no card network account. Passes on errors of the
/// card network.
pub(crate) async fn find(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
) -> Result<OfferWithRaw, Fault> {
    if merchant.network_merchant_id.is_none() {
        return Err(not_found());
    }
    let raw = app.card_network().offer(invocation, id).await.map_err(|error| to_fault(&error))?;
    let offer = OfferWithRaw::from_raw(merchant, raw).map_err(|error| to_fault(&error))?;
    offer.filter(|offer| offer.normalized.id == *id).ok_or_else(not_found)
}

/// `Retry-After` of a change that another request has kept waiting.
const CHANGING_RETRY_AFTER_SECONDS: u32 = 5;

/// Applies `change` to the current offer, saves it and parses the response.
///
/// The offer has a lease meanwhile: of two concurrent changes, the second one is applied to what the first one saved.
/// Responds with 409 if another change does not end within five seconds; otherwise as [`find`].
pub(crate) async fn update(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
    change: impl FnOnce(RawOffer) -> Result<RawOffer, Fault>,
) -> Result<OfferWithRaw, Fault> {
    if merchant.network_merchant_id.is_none() {
        return Err(not_found());
    }
    let lease = app.store.acquire_lease(keys::offer_lease(&merchant.id, id), &app.clock).await?;
    let lease =
        lease.ok_or_else(|| in_progress("Another request is changing this offer. Please try again."))?;
    let changed = find(app, invocation, merchant, id).await.and_then(|current| change(current.raw));
    let saved = match changed {
        Ok(offer) => app.card_network().put_offer(invocation, id, &offer).await,
        Err(fault) => {
            release(app, &lease).await;
            return Err(fault);
        }
    };
    // The network may still execute a write that timed out. The lease then ends on its own, so that the late write
    // cannot undo the next change.
    if !matches!(saved, Err(NetworkError::Timeout)) {
        release(app, &lease).await;
    }
    saved.and_then(|raw| from_response(merchant, raw)).map_err(|error| to_fault(&error))
}

/// 409: another request has the lease.
pub(crate) fn in_progress(message: &'static str) -> Fault {
    Fault::in_progress(message, CHANGING_RETRY_AFTER_SECONDS)
}

pub(crate) async fn release(app: &App, lease: &Lease) {
    best_effort("the end of a lease of offers", app.store.release_lease(lease).await);
}

/// Parses the response to a write. An offer of another merchant is an invalid response.
pub(crate) fn from_response(merchant: &Merchant, raw: RawOffer) -> Result<OfferWithRaw, NetworkError> {
    OfferWithRaw::from_raw(merchant, raw)?.ok_or(NetworkError::Unreadable(StatusCode::OK))
}

fn to_fault(error: &NetworkError) -> Fault {
    if error.is_not_found() {
        not_found()
    } else {
        Fault::card_network(error, "The card network could not do this with the offer.")
    }
}

fn not_found() -> Fault {
    Fault::not_found("There is no such offer.")
}
