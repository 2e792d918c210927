//! `DELETE /api/bff/webhooks/{id}`: nothing more is sent to an endpoint.

use axum::extract::State;
use shared::app::App;
use shared::db::{News, Write};
use shared::endpoint_error;
use shared::http::{Description, NoData, PathIds};

use crate::endpoint::{
    Caller, EventsError, NoEndpoint, endpoint_id, require_readable, still_allowed, tell_administrators, webhooks,
};

endpoint_error! {
    pub(crate) enum DeleteEndpointError {
        Events(#[from] EventsError),
        Endpoint(#[from] NoEndpoint),
    }
}

pub(crate) async fn delete_endpoint(caller: Caller, State(app): State<App>, ids: PathIds) -> Result<NoData, DeleteEndpointError> {
    let id = endpoint_id(&ids);
    let mut attempts = app.store.attempts("the endpoint");
    loop {
        let webhooks = webhooks(&app, &caller).await?;
        let endpoint = webhooks.endpoint(&id).ok_or(NoEndpoint::NotFound)?;
        require_readable(&caller, &endpoint.events)?;
        let now = app.clock.now();
        let deleted = endpoint.deleted(now);
        let news = News::WebhookDeleted { user_id: caller.user.id.clone(), host: endpoint.host().to_owned() };
        let writes = vec![
            Write::replace(endpoint, &deleted)?,
            webhooks.with(&deleted)?,
            still_allowed(&caller)?,
            tell_administrators(&app, &caller, news, now)?,
        ];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(NoData);
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "deleteWebhook",
        "Delete a webhook endpoint",
        "Nothing more is sent to it, not even pending messages, and its deliveries are no longer listed. Requires the permission \
         to read what each of its events shows. Administrators are notified by e-mail.",
    )
    .ok("The endpoint is deleted.")
}
