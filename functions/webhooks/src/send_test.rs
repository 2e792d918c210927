//! `POST /api/bff/webhooks/{id}/test`: sends an example of a message.

use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::db::Write;
use shared::db::counters::Reservation;
use shared::endpoint_error;
use shared::http::{Accepted, Description, Invalid, JsonBody, PathIds, examples};
use shared::limits;
use shared::limits::model::{UsedUp, WEBHOOK_TESTS};
use shared::values::WebhookDeliveryId;
use shared::webhooks::model::{Delivery, EventType, MessageBody};
use shared::webhooks::view::test_body;
use utoipa::ToSchema;

use crate::endpoint::{Caller, EventsError, NoEndpoint, own_endpoint, require_readable, still_allowed};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WebhookTest)]
pub(crate) struct Test {
    /// The event of which an example is sent.
    event: EventType,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BegunWebhookDelivery)]
pub(crate) struct BegunDelivery {
    /// The id of the delivery. See the deliveries of the endpoint for the result.
    pub(crate) delivery_id: WebhookDeliveryId,
}

endpoint_error! {
    pub(crate) enum Disabled {
        /// The endpoint is disabled.
        Disabled => 409 WEBHOOK_DISABLED "The endpoint is disabled. Enable it first.",
    }
}

endpoint_error! {
    pub(crate) enum SendTestError {
        /// A field is missing or invalid.
        Invalid(#[from] Invalid) => 400 INVALID_REQUEST "event: is missing.",
        Events(#[from] EventsError),
        Endpoint(#[from] NoEndpoint),
        Disabled(#[from] Disabled),
        /// The caller has sent 10 tests within an hour, or all members of the merchant together 20.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 10 webhook test messages an hour. Please try again in 12 minutes.",
    }
}

pub(crate) async fn send_test(
    caller: Caller,
    State(app): State<App>,
    ids: PathIds,
    JsonBody(test): JsonBody<Test>,
) -> Result<Accepted<BegunDelivery>, SendTestError> {
    let mut reserved = None;
    let sent = send(&app, &caller, &ids, &test, &mut reserved).await;
    limits::give_back_refused(&app, reserved, sent).await
}

async fn send(
    app: &App,
    caller: &Caller,
    ids: &PathIds,
    test: &Test,
    reserved: &mut Option<Reservation>,
) -> Result<Accepted<BegunDelivery>, SendTestError> {
    require_readable(caller, &[test.event.into()])?;
    let merchant = &caller.merchant.id;
    let mut attempts = app.store.attempts("the endpoint");
    loop {
        let endpoint = own_endpoint(app, caller, ids).await?;
        if !endpoint.is_enabled() {
            return Err(Disabled::Disabled.into());
        }
        let now = app.clock.now();
        limits::reserve_once::<SendTestError>(app, &caller.member().within(WEBHOOK_TESTS), reserved).await?;
        let id = app.store.new_webhook_message_id(now);
        let body = MessageBody::new(id, merchant.clone(), test_body(merchant, test.event, now), now);
        let delivery = Delivery::new(&body, test.event.into(), now, endpoint.id.clone(), now);
        let writes = vec![
            Write::create(&body)?,
            Write::create(&delivery)?,
            Write::replace(&endpoint, &endpoint.with_delivery(now))?,
            still_allowed(caller)?,
        ];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(Accepted(BegunDelivery { delivery_id: delivery.id }));
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "testWebhook",
        "Send a test message",
        "Sends an example of an event, whether or not the endpoint is subscribed to it. Its body has `test: true`. Requires the \
         permission to read what the event shows. A merchant can send 20 an hour, and a member 10.",
    )
    .body::<Test>(json!({"event": "gift_card.issued"}))
    .success("The delivery.", json!({"deliveryId": examples::WEBHOOK_DELIVERY}))
}
