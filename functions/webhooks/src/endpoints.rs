//! `GET /api/bff/webhooks`: the endpoints of the merchant.

use axum::extract::State;
use shared::app::App;
use shared::http::{Description, General, List};

use crate::endpoint::{self, Caller, EndpointView};

/// Oldest first.
pub(crate) async fn list_endpoints(caller: Caller, State(app): State<App>) -> Result<List<EndpointView>, General> {
    let endpoints = app.store.webhook_endpoints(&caller.merchant.id).await?;
    Ok(List(endpoints.iter().map(|endpoint| EndpointView::from(&endpoint.value)).collect()))
}

pub(crate) fn describe() -> Description {
    Description::new("listWebhooks", "List the webhook endpoints", "Returns the endpoints, oldest first, without secrets.")
        .success("The endpoints.", endpoint::example())
}
