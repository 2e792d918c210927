//! `PATCH /api/bff/webhooks/{id}`: changes an endpoint.
#![expect(clippy::option_option, reason = "null removes a value, a missing field leaves it")]

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{News, Write};
use shared::endpoint_error;
use shared::http::{Data, Description, Invalid, JsonBody, PathIds, non_null, nullable};
use shared::limits;
use shared::values::WebhookEndpointId;
use shared::webhooks::SigningSecret;
use shared::webhooks::model::{DisabledBecause, Endpoint, EndpointStatus, EventType};
use utoipa::ToSchema;

use crate::endpoint::{
    Caller, EndpointView, EventsError, NoEndpoint, UrlsError, count_url, endpoint_id, example, new_secret, readable,
    record_secret, require_readable, still_allowed, tell_administrators, valid_description, valid_events, valid_url, webhooks,
};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookEndpointChange)]
pub(crate) struct EndpointChange {
    /// A new URL, which gets a new secret. Pending messages that you may read are sent there; the rest are withheld.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    url: Option<String>,
    /// The types of messages to subscribe to, at least one.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false, min_items = 1)]
    events: Option<Vec<EventType>>,
    /// The team's description of it: at most 200 characters. Null to clear.
    #[serde(default, deserialize_with = "nullable")]
    #[schema(required = false, value_type = Option<String>)]
    description: Option<Option<String>>,
    /// `DISABLED`: nothing is sent, and messages are kept for three days. `ENABLED`: pending messages are sent.
    #[serde(default, deserialize_with = "non_null")]
    #[schema(required = false, nullable = false)]
    status: Option<EndpointStatus>,
}

/// The changed endpoint.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChangedWebhookEndpoint)]
pub(crate) struct ChangedEndpoint {
    #[serde(flatten)]
    endpoint: EndpointView,
    /// The new secret, shown only here. Missing unless the URL has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    secret: Option<String>,
}

endpoint_error! {
    pub(crate) enum ChangeEndpointError {
        /// A field is invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "url: must begin with https://.",
        Events(#[from] EventsError),
        Endpoint(#[from] NoEndpoint),
        Urls(#[from] UrlsError),
    }
}

pub(crate) async fn change_endpoint(
    caller: Caller,
    State(app): State<App>,
    ids: PathIds,
    JsonBody(body): JsonBody<EndpointChange>,
) -> Result<Data<ChangedEndpoint>, ChangeEndpointError> {
    let mut reserved = None;
    let changed = change(&app, &caller, &endpoint_id(&ids), &body, &mut reserved).await;
    limits::give_back_refused(&app, reserved, changed).await
}

async fn change(
    app: &App,
    caller: &Caller,
    id: &WebhookEndpointId,
    change: &EndpointChange,
    reserved: &mut Option<Reservation>,
) -> Result<Data<ChangedEndpoint>, ChangeEndpointError> {
    let mut attempts = app.store.attempts("the endpoint");
    loop {
        let webhooks = webhooks(app, caller).await?;
        let endpoint = webhooks.endpoint(id).ok_or(NoEndpoint::NotFound)?;
        let (changed, secret) = change.apply(app, caller, endpoint).await?;
        require_readable(caller, endpoint.events.iter().chain(&changed.events))?;
        let is_set_anew = changed.url != endpoint.url || changed.events != endpoint.events;
        let (changed, tell_at) = if is_set_anew { changed.set(&caller.user.id, app.clock.now()) } else { (changed, None) };
        let mut writes = vec![Write::replace(endpoint, &changed)?, webhooks.with(&changed)?, still_allowed(caller)?];
        if secret.is_some() {
            writes.push(record_secret(app, caller, &changed)?);
            count_url(app, caller, reserved).await?;
        }
        if let Some(at) = tell_at {
            writes.push(tell_administrators(app, caller, News::WebhookSet { endpoint_id: id.clone() }, at)?);
        }
        if attempts.committed(app.store.commit(writes).await).await? {
            let secret = secret.map(|secret| secret.expose());
            return Ok(Data(ChangedEndpoint { endpoint: EndpointView::from(&changed), secret }));
        }
    }
}

impl EndpointChange {
    /// The changed endpoint, and its secret if that is a new one.
    async fn apply(
        &self,
        app: &App,
        caller: &Caller,
        endpoint: &Endpoint,
    ) -> Result<(Endpoint, Option<SigningSecret>), ChangeEndpointError> {
        let now = app.clock.now();
        let mut changed = endpoint.clone();
        if let Some(events) = &self.events {
            changed.events = valid_events(events.clone())?;
        }
        if let Some(description) = &self.description {
            changed.description = description.as_deref().map(valid_description).transpose()?.flatten();
        }
        let mut new = None;
        if let Some(text) = &self.url {
            let url = valid_url(app, text)?;
            if url.as_str() != changed.url {
                let (secret, sealed) = new_secret(app, caller, &endpoint.id).await?;
                changed = changed.moved(url, sealed, &readable(caller), now);
                new = Some(secret);
            }
        }
        Ok(match self.status {
            Some(EndpointStatus::Enabled) => (changed.enabled(now), new),
            Some(EndpointStatus::Disabled) => (changed.disabled(DisabledBecause::Member, now), new),
            None => (changed, new),
        })
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "changeWebhook",
        "Change a webhook endpoint",
        "Missing fields are not changed. Requires the permission to read what each of its events shows, both before and after \
         the change. Administrators are notified by e-mail of a new URL or new events, at most once an hour. A merchant can set \
         60 new URLs an hour. Pending messages that you may not read fail as `withheld`.",
    )
    .body::<EndpointChange>(json!({"description": "Loyalty system"}))
    .success("The endpoint, with its secret if that is new.", example())
}
