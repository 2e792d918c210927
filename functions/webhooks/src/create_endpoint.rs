//! `POST /api/bff/webhooks`: an endpoint that is told what happens from now on.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{News, Write};
use shared::endpoint_error;
use shared::http::{
    CREATION_KEY_TEXT, Created, CreationKey, CreationKeyError, CreationRequest, Description, Invalid, KEY_HEADER, Made, Once,
    UtcTime, examples,
};
use shared::limits;
use shared::limits::model::WEBHOOK_ENDPOINTS;
use shared::values::{OpenEnum, WebhookEndpointId};
use shared::webhooks::model::{Endpoint, EndpointSettings, EndpointStatus, EventType};
use utoipa::ToSchema;

use crate::endpoint::{
    Caller, EXAMPLE_SECRET, EventsError, UrlsError, count_url, new_secret, record_secret, require_readable, still_allowed,
    tell_administrators, valid_description, valid_events, valid_url, webhooks,
};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewWebhookEndpoint)]
pub(crate) struct NewEndpoint {
    /// Where messages are sent: `https`, port 443 or 8443, a host name rather than an IP address, at most 500 characters.
    url: String,
    /// The types of messages to subscribe to, at least one.
    #[schema(min_items = 1)]
    events: Vec<EventType>,
    /// The team's description of it: at most 200 characters.
    #[schema(required = false)]
    description: Option<String>,
}

/// A new endpoint, with its secret.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedWebhookEndpoint)]
pub(crate) struct CreatedEndpoint {
    /// The id of the endpoint.
    id: WebhookEndpointId,
    /// Where messages are sent.
    url: String,
    /// The types of messages that it is subscribed to.
    #[schema(value_type = Vec<EventType>)]
    events: Vec<OpenEnum<EventType>>,
    /// The team's description of it. Null if none was given.
    description: Option<String>,
    /// Enabled.
    status: EndpointStatus,
    /// When it was created.
    created_at: UtcTime,
    /// The secret that signs its messages, `whsec_` and 32 bytes in base64. It is shown only here, and is null in the response to
    /// a repeated request: replace it in that case.
    secret: Option<String>,
}

endpoint_error! {
    pub(crate) enum CreateEndpointError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "url: must begin with https://.",
        Events(#[from] EventsError),
        /// The merchant has too many endpoints.
        TooMany => 409 WEBHOOK_LIMIT "Your merchant already has 5 endpoints. Delete one that is no longer used.",
        Urls(#[from] UrlsError),
        Key(#[from] CreationKeyError),
    }
}

pub(crate) async fn create_endpoint(
    caller: Caller,
    State(app): State<App>,
    request: CreationRequest,
) -> Result<Once<Created<CreatedEndpoint>>, CreateEndpointError> {
    request.once(&app, "webhook", caller.member(), |body, key| create(&app, &caller, body, key)).await
}

async fn create(
    app: &App,
    caller: &Caller,
    body: NewEndpoint,
    key: CreationKey,
) -> Result<Made<Created<CreatedEndpoint>>, CreateEndpointError> {
    let url = valid_url(app, &body.url)?;
    let events = valid_events(body.events)?;
    require_readable(caller, &events)?;
    let now = app.clock.now();
    let id = WebhookEndpointId::new(app.random.uuid(now).to_string());
    let (secret, sealed) = new_secret(app, caller, &id).await?;
    let description = body.description.as_deref().map(valid_description).transpose()?.flatten();
    let settings = EndpointSettings { url, events, description, secret: sealed };
    let endpoint = Endpoint::new(id, caller.merchant.id.clone(), settings, caller.user.id.clone(), now);
    let mut reserved = None;
    let made = write(app, caller, &endpoint, key, &mut reserved).await;
    let made = limits::give_back_refused(app, reserved, made).await?;
    Ok(made.map(|shown| Created(CreatedEndpoint { secret: Some(secret.expose()), ..shown })))
}

async fn write(
    app: &App,
    caller: &Caller,
    endpoint: &Endpoint,
    key: CreationKey,
    reserved: &mut Option<Reservation>,
) -> Result<Made<CreatedEndpoint>, CreateEndpointError> {
    let mut attempts = app.store.attempts("the endpoints");
    loop {
        let webhooks = webhooks(app, caller).await?;
        if webhooks.endpoints.len() >= WEBHOOK_ENDPOINTS.max {
            return Err(CreateEndpointError::TooMany);
        }
        count_url(app, caller, reserved).await?;
        let writes = vec![
            Write::create(endpoint)?,
            webhooks.with(endpoint)?,
            still_allowed(caller)?,
            record_secret(app, caller, endpoint)?,
            tell_administrators(app, caller, News::WebhookSet { endpoint_id: endpoint.id.clone() }, endpoint.created_at)?,
        ];
        let shown = CreatedEndpoint {
            id: endpoint.id.clone(),
            url: endpoint.url.clone(),
            events: endpoint.events.clone(),
            description: endpoint.description.clone(),
            status: endpoint.status(),
            created_at: endpoint.created_at.into(),
            secret: None,
        };
        if let Some(made) = attempts.made(key.commit(&app.store, writes, shown).await).await? {
            return Ok(made);
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "createWebhook",
        "Create a webhook endpoint",
        "From now on, messages about these events are sent to the URL, signed as in Standard Webhooks 1.0. In addition to \
         `portal.organization`, this requires the permission to read what each of the events shows. A merchant can have 5 \
         endpoints and set 60 new URLs an hour, and a member 30 of them. Administrators are notified by e-mail.",
    )
    .header(KEY_HEADER, CREATION_KEY_TEXT)
    .body::<NewEndpoint>(json!({
        "url": "https://hooks.aurora.example/gift-cards", "events": ["gift_card.issued", "gift_card.redeemed"],
        "description": "Loyalty system",
    }))
    .success(
        "The endpoint, with its secret.",
        json!({
            "id": examples::WEBHOOK, "url": "https://hooks.aurora.example/gift-cards",
            "events": ["gift_card.issued", "gift_card.redeemed"], "description": "Loyalty system", "status": "ENABLED",
            "createdAt": "2026-01-05T10:00:00.000Z", "secret": EXAMPLE_SECRET,
        }),
    )
}
