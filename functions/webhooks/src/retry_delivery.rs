//! `POST /api/bff/webhooks/{id}/deliveries/{deliveryId}/retry`: sends a message once more, now.

use axum::extract::State;
use serde_json::json;
use shared::app::App;
use shared::db::Write;
use shared::db::counters::Reservation;
use shared::endpoint_error;
use shared::http::{Accepted, Description, PathIds, examples};
use shared::limits;
use shared::limits::model::{UsedUp, WEBHOOK_RETRIES};
use shared::values::WebhookDeliveryId;

use crate::endpoint::{Caller, EventsError, NoEndpoint, own_endpoint, require_readable, still_allowed};
use crate::send_test::{BegunDelivery, Disabled};

endpoint_error! {
    pub(crate) enum RetryDeliveryError {
        Events(#[from] EventsError),
        Endpoint(#[from] NoEndpoint),
        /// The endpoint has no such delivery.
        NoDelivery => 404 NOT_FOUND "There is no such delivery.",
        Disabled(#[from] Disabled),
        /// The endpoint has since been moved to another URL by somebody who may not read the message.
        Withheld => 409 WEBHOOK_WITHHELD "The endpoint was moved by somebody who may not read this message, so it is not sent \
                                          there.",
        /// The caller has sent 50 messages again within an hour, or all members of the merchant together 100.
        UsedUp(#[from] UsedUp) => 429 TOO_MANY_REQUESTS
            "You have reached your limit of 50 resent webhook messages an hour. Please try again in 12 minutes.",
    }
}

pub(crate) async fn retry_delivery(
    caller: Caller,
    State(app): State<App>,
    ids: PathIds,
) -> Result<Accepted<BegunDelivery>, RetryDeliveryError> {
    let mut reserved = None;
    let retried = retry(&app, &caller, &ids, &mut reserved).await;
    limits::give_back_refused(&app, reserved, retried).await
}

async fn retry(
    app: &App,
    caller: &Caller,
    ids: &PathIds,
    reserved: &mut Option<Reservation>,
) -> Result<Accepted<BegunDelivery>, RetryDeliveryError> {
    let merchant = &caller.merchant.id;
    let mut attempts = app.store.attempts("the delivery");
    loop {
        let endpoint = own_endpoint(app, caller, ids).await?;
        let id = WebhookDeliveryId::new(ids.get("deliveryId").ok_or(RetryDeliveryError::NoDelivery)?);
        let delivery = app.store.webhook_delivery(merchant, &endpoint.id, &id).await?;
        let delivery = delivery.ok_or(RetryDeliveryError::NoDelivery)?;
        require_readable(caller, std::slice::from_ref(&delivery.event_type))?;
        if !endpoint.is_enabled() {
            return Err(Disabled::Disabled.into());
        }
        if endpoint.withholds(&delivery) {
            return Err(RetryDeliveryError::Withheld);
        }
        let now = app.clock.now();
        if delivery.is_claimed(now) {
            // It is being sent.
            app.store.give_back(reserved.take().unwrap_or_default()).await;
            return Ok(Accepted(BegunDelivery { delivery_id: id }));
        }
        limits::reserve_once::<RetryDeliveryError>(app, &caller.member().within(WEBHOOK_RETRIES), reserved).await?;
        let writes = vec![
            Write::replace(&delivery, &delivery.retried(now))?,
            Write::replace(&endpoint, &endpoint.with_delivery(now))?,
            still_allowed(caller)?,
        ];
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(Accepted(BegunDelivery { delivery_id: id }));
        }
    }
}

pub(crate) fn describe() -> Description {
    Description::new(
        "retryWebhookDelivery",
        "Send a message again",
        "Sends the same message with the same id again, whatever its status. A failure of it never disables the endpoint. \
         Requires the permission to read what its event shows. A merchant can do this 100 times an hour, and a member 50 times.",
    )
    .success("The delivery.", json!({"deliveryId": examples::WEBHOOK_DELIVERY}))
}
