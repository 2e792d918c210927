//! `DELETE /api/bff/webhooks/{id}`: nothing more is sent to an endpoint.

use axum::extract::State;
use shared::app::App;
use shared::endpoint_error;
use shared::http::description::Description;
use shared::http::path::PathIds;
use shared::http::reply::NoData;
use shared::store::Write;

use crate::endpoint::{Caller, NoEndpoint, endpoint_id, still_allowed, webhooks};

endpoint_error! {
    pub(crate) enum DeleteEndpointError {
        Endpoint(#[from] NoEndpoint),
    }
}

pub(crate) async fn delete_endpoint(caller: Caller, State(app): State<App>, ids: PathIds) -> Result<NoData, DeleteEndpointError> {
    let id = endpoint_id(&ids);
    let mut attempts = app.store.attempts("the endpoint");
    loop {
        let webhooks = webhooks(&app, &caller).await?;
        let endpoint = webhooks.endpoint(&id).ok_or(NoEndpoint::NotFound)?;
        let writes = vec![Write::delete(endpoint)?, webhooks.without(&id)?, still_allowed(&caller)?];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(NoData);
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "deleteWebhook",
        "Delete an endpoint of webhooks",
        "Nothing more is sent to it, also not what waits. Its deliveries are not listed any more.",
    )
    .ok("The endpoint is deleted.")
}
