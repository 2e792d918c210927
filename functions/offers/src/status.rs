//! `PATCH /api/bff/offers/{id}/status`: an offer put on sale, hidden or taken away.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::domain::offer::OfferStatus;
use shared::http::access::{Authorized, permission};
use shared::http::body::{JsonBody, named};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::invocation::Invocation;
use shared::http::path::PathIds;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::normalised::{NormalisedOffer, example};
use crate::own;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OfferStatusChange)]
pub(crate) struct NewStatus {
    #[serde(deserialize_with = "named")]
    status: OfferStatus,
}

/// The offer as the network has it after the change. Any status may follow any other.
///
/// 400 for a status that there is not, for any other field, and without an id; 404 for an offer that is not the
/// merchant's; else whatever status the network fails with.
pub(crate) async fn change(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    JsonBody(new): JsonBody<NewStatus>,
) -> Result<Data<NormalisedOffer>, Fault> {
    let id = own::id(&path)?;
    let found = own::find(&app, &invocation, &caller.merchant, &id).await?;
    let changed = found.raw.with_status(new.status).map_err(|error| Fault::internal(error.to_string()))?;
    own::save(&app, &invocation, &caller.merchant, &id, &changed).await.map(Data)
}
pub(crate) fn describe() -> Description {
    Description::new("Change an offer's status", "Puts an offer on sale, hides it or takes it away.")
        .body::<NewStatus>(json!({"status": "HIDDEN"}))
        .data::<NormalisedOffer>("The offer after the change.", example())
        .refuses(400, "The id is blank, the status is none, or there is another field.")
        .refuses(404, "There is no such offer.")
        .passes_on_the_network()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::http::body::RawBody;

    #[test]
    fn only_the_six_statuses_are_taken_and_a_refusal_names_the_field() {
        let read = |body: &'static str| RawBody(body.into()).parse::<NewStatus>();
        for (status, body) in [
            (OfferStatus::Available, r#"{"status": "AVAILABLE"}"#),
            (OfferStatus::Hidden, r#"{"status": "HIDDEN"}"#),
            (OfferStatus::AwaitingApproval, r#"{"status": "AWAITING_APPROVAL"}"#),
            (OfferStatus::Canceled, r#"{"status": "CANCELED"}"#),
            (OfferStatus::Expired, r#"{"status": "EXPIRED"}"#),
            (OfferStatus::Archived, r#"{"status": "ARCHIVED"}"#),
        ] {
            assert_eq!(read(body).unwrap().status, status);
        }
        for body in [
            r#"{"status": "archived"}"#,
            r#"{"status": "CANCELLED"}"#,
            r#"{"status": null}"#,
            r#"{"status": {"HIDDEN": null}}"#,
            "{}",
        ] {
            let fault = read(body).unwrap_err();
            assert!(fault.message().contains("status"), "{body}: {}", fault.message());
        }
        assert!(read(r#"{"status": "HIDDEN", "name": "A"}"#).is_err());
    }
}
