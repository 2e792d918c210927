//! One offer of the merchant's own, found by its id and written back.

use http::StatusCode;
use shared::app::App;
use shared::card_network::{NetworkError, RawOffer};
use shared::domain::ids::OfferId;
use shared::domain::merchant::Merchant;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::path::PathIds;

use crate::normalised::NormalisedOffer;

/// The id in the path; 400 where it is blank.
pub(crate) fn id(path: &PathIds) -> Result<OfferId, Fault> {
    path.get("id").map(OfferId::new).ok_or_else(|| Fault::invalid("id: is missing."))
}

/// The offer, if it is the merchant's.
///
/// The same 404 where it is unknown, another merchant's or nobody's, and where the merchant has no account at the
/// network; else whatever status the network fails with.
pub(crate) async fn find(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
) -> Result<NormalisedOffer, Fault> {
    if merchant.network_merchant_id.is_none() {
        return Err(no_such_offer());
    }
    let raw = app.card_network().offer(invocation, id).await.map_err(not_found_or_failed)?;
    NormalisedOffer::of(merchant, raw).map_err(not_found_or_failed)?.ok_or_else(no_such_offer)
}

/// Writes an offer that was [found](find) back, and reads the network's reply.
pub(crate) async fn save(
    app: &App,
    invocation: &Invocation,
    merchant: &Merchant,
    id: &OfferId,
    offer: &RawOffer,
) -> Result<NormalisedOffer, Fault> {
    let reply = app.card_network().put_offer(invocation, id, offer).await;
    reply.and_then(|raw| reply_of(merchant, raw)).map_err(not_found_or_failed)
}

/// Reads the reply to a write. One that is not about an offer of the merchant's is no reply to it.
pub(crate) fn reply_of(merchant: &Merchant, raw: RawOffer) -> Result<NormalisedOffer, NetworkError> {
    NormalisedOffer::of(merchant, raw)?.ok_or(NetworkError::Unreadable(StatusCode::OK))
}

fn not_found_or_failed(error: NetworkError) -> Fault {
    if error.is_not_found() {
        no_such_offer()
    } else {
        error.into_fault("The card network could not do this with the offer.")
    }
}

fn no_such_offer() -> Fault {
    Fault::not_found("There is no such offer.")
}
