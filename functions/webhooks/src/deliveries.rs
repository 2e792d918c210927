//! `GET /api/bff/webhooks/{id}/deliveries`: what was sent to an endpoint, and what has become of it.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Data, Description, PathIds, Query, UtcTime, examples};
use shared::values::{OpenEnum, WebhookDeliveryId, WebhookMessageId, later};
use shared::webhooks::model::{Attempt, Delivery, DeliveryState, DeliveryStatus, EventType, MESSAGE_RETENTION};
use utoipa::ToSchema;

use crate::endpoint::{Caller, NoEndpoint, own_endpoint};

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 100;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDeliveryPage)]
pub(crate) struct PageView {
    /// The deliveries of the page, newest first.
    deliveries: Vec<DeliveryView>,
    /// The `cursor` of the next page; null on the last one. A page can be shorter than `limit` although more follow.
    next: Option<WebhookDeliveryId>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDelivery)]
struct DeliveryView {
    /// The id of the delivery.
    id: WebhookDeliveryId,
    /// The id of the message, in the header `webhook-id`: the same at each attempt, and for all endpoints.
    message_id: WebhookMessageId,
    /// The type of the message.
    #[schema(value_type = EventType)]
    event: OpenEnum<EventType>,
    /// When it was made.
    created_at: UtcTime,
    /// Whether the endpoint has accepted it, or delivery was given up.
    status: DeliveryStatus,
    /// The last attempts, oldest first: at most 20.
    attempts: Vec<AttemptView>,
    /// When it will be attempted next. Null if it will not be, or is being sent now.
    next_attempt_at: Option<UtcTime>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookAttempt)]
struct AttemptView {
    /// When it began.
    at: UtcTime,
    /// The HTTP status of the response. Null if there was none.
    status: Option<u16>,
    /// How long it took.
    milliseconds: u32,
    /// Why it failed, in a few words. Null if the endpoint has accepted the message. `withheld`: it was not sent, because the
    /// person who moved the endpoint may not read it.
    error: Option<String>,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        let next_attempt_at = match delivery.state {
            DeliveryState::Waiting { next_attempt_at } => Some(next_attempt_at.into()),
            DeliveryState::Claimed { .. } | DeliveryState::Delivered | DeliveryState::Failed => None,
        };
        Self {
            status: delivery.status(),
            id: delivery.id,
            message_id: delivery.message_id,
            event: delivery.event_type,
            created_at: delivery.created_at.into(),
            attempts: delivery.attempts.into_iter().map(Into::into).collect(),
            next_attempt_at,
        }
    }
}

impl From<Attempt> for AttemptView {
    fn from(attempt: Attempt) -> Self {
        let Attempt { at, status, milliseconds, error } = attempt;
        Self { at: at.into(), status, milliseconds, error }
    }
}

endpoint_error! {
    pub(crate) enum ListDeliveriesError {
        Endpoint(#[from] NoEndpoint),
    }
}

pub(crate) async fn list_deliveries(
    caller: Caller,
    State(app): State<App>,
    ids: PathIds,
    query: Query,
) -> Result<Data<PageView>, ListDeliveriesError> {
    let endpoint = own_endpoint(&app, &caller, &ids).await?;
    let limit = query.limit(DEFAULT_LIMIT, MAX_LIMIT);
    let after = query.cursor().map(WebhookDeliveryId::new);
    let status = query.one_of::<DeliveryStatus>("status");
    // The database deletes older ones some time later.
    let since = later(app.clock.now(), -MESSAGE_RETENTION);
    let merchant = &caller.merchant.id;
    let page = app.store.webhook_deliveries(merchant, &endpoint.id, status, since, after.as_ref(), limit.into()).await?;
    let deliveries = page.deliveries.into_iter().map(DeliveryView::from).collect();
    Ok(Data(PageView { deliveries, next: page.next }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "listWebhookDeliveries",
        "List the deliveries of an endpoint",
        "Returns the deliveries of the last 30 days, newest first, with their attempts.",
    )
    .query::<DeliveryStatus>("status", "Only deliveries with this status.", false)
    .query::<String>("cursor", "The `next` of the previous page.", false)
    .query::<i64>("limit", "1 to 100; default 50.", false)
    .success(
        "A page of deliveries.",
        json!({
            "deliveries": [{
                "id": examples::WEBHOOK_DELIVERY, "messageId": "msg_01KEAHTBC07KTVE0V6DQ2ZJT9M", "event": "gift_card.issued",
                "createdAt": "2026-01-05T10:00:00.000Z", "status": "PENDING",
                "attempts": [{"at": "2026-01-05T10:00:01.000Z", "status": 500, "milliseconds": 120, "error": "status 500"}],
                "nextAttemptAt": "2026-01-05T10:00:06.000Z",
            }],
            "next": null,
        }),
    )
}
