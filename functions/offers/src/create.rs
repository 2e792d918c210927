//! `POST /api/bff/offers`: a new offer, made of whatever fields the caller gives.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::card_network::{Fields, NetworkError};
use shared::http::access::{Authorized, permission};
use shared::http::body::JsonBody;
use shared::http::description::{AnyFields, Description};
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::reply::Data;

use crate::normalised::{NormalisedOffer, example};
use crate::own;

/// The offer that the network made.
///
/// 400 for a body that is no JSON object and for a merchant without an account at the network; else the network's
/// own status, with a message that says nothing of its reasons.
pub(crate) async fn offer(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    JsonBody(fields): JsonBody<Fields>,
) -> Result<Data<NormalisedOffer>, Fault> {
    let account = caller.network_account()?;
    let reply = app.card_network().create_offer(&invocation, account, fields).await;
    let created = reply.and_then(|raw| own::reply_of(&caller.merchant, raw));
    created.map(Data).map_err(|error| unexplained(&error))
}

fn unexplained(error: &NetworkError) -> Fault {
    let status = error.status();
    let message = if status.is_client_error() { "Request failed" } else { "Service unavailable" };
    Fault::upstream(status.as_u16(), message, None)
        .retry_after(error.retry_after())
        .caused_by(error.to_string())
}
pub(crate) fn describe() -> Description {
    Description::new(
        "Create an offer",
        "The body is handed to the card network as it is, with the merchant's account attached. Where the network \
         refuses or fails, its status is passed on with a message that says no more.",
    )
    .body::<AnyFields>(json!({
        "name": "Winter card", "giftCardOfferType": "GIFTCARD_DIGITAL", "minPrice": 100, "maxPrice": 1000,
        "currency": "SEK",
    }))
    .data::<NormalisedOffer>("The new offer.", example())
    .refuses(400, "The body is no JSON object, or there is no card network account.")
    .passes_on_the_network()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::StatusCode;
    use shared::card_network::Refused;

    #[test]
    fn a_failure_keeps_its_status_and_nothing_else() {
        let refused = |status| {
            let body = json!({"message": "inside"});
            NetworkError::Refused(Refused { status, body, retry_after: None })
        };
        for (error, status, message) in [
            (refused(StatusCode::UNPROCESSABLE_ENTITY), 422, "Request failed"),
            (refused(StatusCode::SERVICE_UNAVAILABLE), 503, "Service unavailable"),
            (refused(StatusCode::UNAUTHORIZED), 502, "Service unavailable"),
            (NetworkError::Timeout, 504, "Service unavailable"),
            (NetworkError::Unreachable(String::new()), 502, "Service unavailable"),
        ] {
            let fault = unexplained(&error);
            assert_eq!((fault.status().as_u16(), fault.message()), (status, message), "{error}");
        }
    }
}
