//! Reads and updates a single offer of the merchant.

use http::StatusCode;
use shared::app::App;
use shared::card_network::{NetworkError, RawOffer};
use shared::domain::ids::OfferId;
use shared::domain::merchant::Merchant;
use shared::http::fault::Fault;
use shared::http::path::PathIds;
use shared::invocation::Invocation;

use crate::normalized::NormalizedOffer;

/// Returns the offer id of the path; 400 if it is blank.
pub(crate) fn id(path: &PathIds) -> Result<OfferId, Fault> {
    path.get("id").map(OfferId::new).ok_or_else(|| Fault::invalid("id: is missing."))
}

/// Returns the offer if it belongs to the merchant.
///
/// Responds with the same 404 if the offer is unknown or belongs to another merchant or to none, and if the merchant
/// has no card network account. Passes on errors of the card network.
pub(crate) async fn find(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
) -> Result<NormalizedOffer, Fault> {
    if merchant.network_merchant_id.is_none() {
        return Err(not_found());
    }
    let raw = app.card_network().offer(invocation, id).await.map_err(|error| to_fault(&error))?;
    NormalizedOffer::from_raw(merchant, raw).map_err(|error| to_fault(&error))?.ok_or_else(not_found)
}

/// Saves an offer that [`find`] returned and parses the response.
pub(crate) async fn save(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
    offer: &RawOffer,
) -> Result<NormalizedOffer, Fault> {
    let response = app.card_network().put_offer(invocation, id, offer).await;
    response.and_then(|raw| from_response(merchant, raw)).map_err(|error| to_fault(&error))
}

/// Parses the response to a write. An offer of another merchant is an invalid response.
pub(crate) fn from_response(merchant: &Merchant, raw: RawOffer) -> Result<NormalizedOffer, NetworkError> {
    NormalizedOffer::from_raw(merchant, raw)?.ok_or(NetworkError::Unreadable(StatusCode::OK))
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
