//! What the routes share: an endpoint as members see it, what they may write into one, and the transaction of a change.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::db::counters::Reservation;
use shared::db::{Job, News, StoreError, Stored, Task, Write};
use shared::endpoint_error;
use shared::http::{AuthorizedPerson, General, Invalid, PathIds, UtcTime, examples, permission};
use shared::limits;
use shared::limits::model::{UsedUp, WEBHOOK_URLS};
use shared::merchants::model::activity::{ActivityAction, Actor, Deed};
use shared::team::model::team::Action;
use shared::values::names::is_invisible;
use shared::values::{OpenEnum, UserId, WebhookEndpointId};
use shared::webhooks::SigningSecret;
use shared::webhooks::model::{DisabledBecause, Endpoint, EndpointStatus, EventType, Readable, SealedSecret, WebhookUrl};
use shared::webhooks::rows::Webhooks;
use utoipa::ToSchema;

const MAX_DESCRIPTION_CHARS: usize = 200;

/// Whoever may manage the endpoints, or for GET, see them.
pub(crate) type Caller = AuthorizedPerson<permission::Organization>;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookEndpoint)]
pub(crate) struct EndpointView {
    /// The id of the endpoint.
    id: WebhookEndpointId,
    /// Where messages are sent.
    url: String,
    /// The types of messages that it is subscribed to.
    #[schema(value_type = Vec<EventType>)]
    events: Vec<OpenEnum<EventType>>,
    /// The team's description of it. Null if there is none.
    description: Option<String>,
    /// Nothing is sent to a disabled endpoint. Its messages are kept for three days.
    status: EndpointStatus,
    /// Why it is disabled. Null if it is not.
    #[schema(value_type = Option<DisabledBecause>)]
    disabled_because: Option<OpenEnum<DisabledBecause>>,
    /// The id of the user who created it.
    created_by: UserId,
    /// When it was created.
    created_at: UtcTime,
    /// When it last accepted a message. Null if it never has.
    last_success_at: Option<UtcTime>,
    /// When it last failed to accept a message. Null if it never has.
    last_failure_at: Option<UtcTime>,
    /// When its secret was last replaced. Null if it never was.
    rotated_at: Option<UtcTime>,
}

impl From<&Endpoint> for EndpointView {
    fn from(endpoint: &Endpoint) -> Self {
        Self {
            id: endpoint.id.clone(),
            url: endpoint.url.clone(),
            events: endpoint.events.clone(),
            description: endpoint.description.clone(),
            status: endpoint.status(),
            disabled_because: endpoint.disabled_because().cloned(),
            created_by: endpoint.created_by.clone(),
            created_at: endpoint.created_at.into(),
            last_success_at: endpoint.last_success_at.map(Into::into),
            last_failure_at: endpoint.last_failure_at.map(Into::into),
            rotated_at: endpoint.rotated_at.map(Into::into),
        }
    }
}

endpoint_error! {
    pub(crate) enum NoEndpoint {
        /// The merchant has no such endpoint.
        NotFound => 404 NOT_FOUND "There is no such endpoint.",
    }
}

endpoint_error! {
    pub(crate) enum EventsError {
        /// The caller may not read what a message of one of the events shows.
        NotReadable => 403 FORBIDDEN "You do not have permission to read what these events show.",
    }
}

endpoint_error! {
    pub(crate) enum UrlsError {
        /// The caller has set 30 new URLs within an hour, or all members of the merchant together 60.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 30 new webhook URLs an hour. Please try again in 12 minutes.",
    }
}

pub(crate) fn endpoint_id(ids: &PathIds) -> WebhookEndpointId {
    WebhookEndpointId::new(ids.get("id").unwrap_or_default())
}

/// The endpoints of the caller's merchant.
pub(crate) async fn webhooks(app: &App, caller: &Caller) -> Result<Webhooks, StoreError> {
    let webhooks = app.store.webhooks(&caller.merchant.id).await?;
    webhooks.ok_or(StoreError::Contended("the merchant"))
}

/// An endpoint of the caller's merchant.
pub(crate) async fn own_endpoint(app: &App, caller: &Caller, ids: &PathIds) -> Result<Stored<Endpoint>, NoEndpoint> {
    let endpoint = app.store.webhook_endpoint(&caller.merchant.id, &endpoint_id(ids)).await?;
    endpoint.filter(|endpoint| !endpoint.is_deleted()).ok_or(NoEndpoint::NotFound)
}

/// The messages that the caller can read.
pub(crate) fn readable(caller: &Caller) -> Readable {
    Readable::new(|permission| caller.user.is_admin || caller.membership.allows(permission, Action::Read))
}

/// Nobody gives away, redirects or silences what they cannot read themselves: for a change of an endpoint, what it wants before and
/// after it.
pub(crate) fn require_readable<'a>(
    caller: &Caller,
    events: impl IntoIterator<Item = &'a OpenEnum<EventType>>,
) -> Result<(), EventsError> {
    let readable = readable(caller);
    if events.into_iter().all(|event| readable.includes(event)) { Ok(()) } else { Err(EventsError::NotReadable) }
}

/// The condition that the caller has not lost a permission meanwhile.
pub(crate) fn still_allowed(caller: &Caller) -> Result<Write, StoreError> {
    Write::require_unchanged(&caller.membership)
}

pub(crate) fn valid_url(app: &App, text: &str) -> Result<WebhookUrl, Invalid> {
    WebhookUrl::parse(text, &app.settings.webhook_hosts()).map_err(|error| Invalid::new(format!("url: {error}.")))
}

/// Each event once, in the order of the API description.
pub(crate) fn valid_events(mut events: Vec<EventType>) -> Result<Vec<OpenEnum<EventType>>, Invalid> {
    events.sort_unstable();
    events.dedup();
    if events.is_empty() {
        return Err(Invalid::new("events: must name at least one event."));
    }
    Ok(events.into_iter().map(Into::into).collect())
}

/// `None` if nothing is left without the blanks around it.
pub(crate) fn valid_description(text: &str) -> Result<Option<String>, Invalid> {
    let text = text.trim();
    if text.chars().count() > MAX_DESCRIPTION_CHARS {
        return Err(Invalid::new("description: must be at most 200 characters."));
    }
    if text.chars().any(is_invisible) {
        return Err(Invalid::new("description: must not contain control or invisible characters."));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// A new secret of an endpoint: to be shown once, and to be stored.
pub(crate) async fn new_secret(
    app: &App,
    caller: &Caller,
    id: &WebhookEndpointId,
) -> Result<(SigningSecret, SealedSecret), General> {
    let secret = SigningSecret::new(&app.random);
    let sealed = secret.seal(&*app.code_key().await?, &caller.merchant.id, id, &app.random);
    Ok((secret, sealed.map_err(|error| General::internal(error.to_string()))?))
}

/// Counts a URL, at the first attempt only.
pub(crate) async fn count_url(app: &App, caller: &Caller, reserved: &mut Option<Reservation>) -> Result<(), UrlsError> {
    limits::reserve_once(app, &caller.member().within(WEBHOOK_URLS), reserved).await
}

/// The entry in the merchant's activity that a secret was made.
pub(crate) fn record_secret(app: &App, caller: &Caller, endpoint: &Endpoint) -> Result<Write, StoreError> {
    let deed = Deed::new(ActivityAction::WebhookSecretCreated).to_target(&endpoint.id, endpoint.host());
    app.store.record(Actor::member(&caller.user), &caller.merchant.id, deed, app.clock.now())
}

/// The job that tells the administrators then.
pub(crate) fn tell_administrators(app: &App, caller: &Caller, news: News, at: Timestamp) -> Result<Write, StoreError> {
    let job = Job::new(caller.merchant.id.clone(), Task::TeamNews { news }, app.clock.now(), &app.random);
    Write::create(&job.due_at(at))
}

pub(crate) const EXAMPLE_SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazH4YwPzVSo=";

pub(crate) fn example() -> Value {
    json!({
        "id": examples::WEBHOOK, "url": "https://hooks.aurora.example/gift-cards",
        "events": ["gift_card.issued", "gift_card.redeemed"], "description": "Loyalty system", "status": "ENABLED",
        "disabledBecause": null, "createdBy": examples::OWNER, "createdAt": "2026-01-05T10:00:00.000Z",
        "lastSuccessAt": "2026-01-06T08:00:00.000Z", "lastFailureAt": null, "rotatedAt": null,
    })
}
