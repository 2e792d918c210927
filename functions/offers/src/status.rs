//! `PATCH /api/bff/offers/{id}/status`: changes the status of an offer.

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::card_network::RawOffer;
use shared::http::{Authorized, Data, Description, General, JsonBody, PathIds, enum_from_string, permission};
use shared::offers::model::offer::OfferStatus;
use utoipa::ToSchema;

use crate::merchant_offer::{self, ChangeOfferError};
use crate::normalized::{OfferWithRaw, example};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = OfferStatusChange)]
pub(crate) struct StatusChange {
    /// The new status. Only an `AVAILABLE` offer can be sold.
    #[serde(deserialize_with = "enum_from_string")]
    status: OfferStatus,
}

/// Returns the updated offer. All status transitions are allowed.
pub(crate) async fn update_status(
    caller: Authorized<permission::GiftCards>,
    State(app): State<App>,
    invocation: Invocation,
    path: PathIds,
    JsonBody(change): JsonBody<StatusChange>,
) -> Result<Data<OfferWithRaw>, ChangeOfferError> {
    let id = merchant_offer::id(&path)?;
    let change = |current: RawOffer| {
        let changed = current.with_status(change.status);
        changed.map_err(|error| General::internal(error.to_string()).into())
    };
    merchant_offer::update(&app, &invocation, &caller, &id, change).await.map(Data)
}

pub(crate) fn describe() -> Description {
    Description::new(
        "updateOfferStatus",
        "Update an offer's status",
        "Makes an offer available, hides it or withdraws it. All transitions are allowed.",
    )
    .body::<StatusChange>(json!({"status": "AVAILABLE"}))
    .success("The updated offer.", example())
}
