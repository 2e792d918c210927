//! Dispatches the messages of a merchant to its endpoints. A quick endpoint is sent a message at once, before anything else is written
//! for it; for a slow or disabled one, and where the first attempt fails, the delivery joins the queue.
//!
//! A worker claims a message by its body. If it dies, the message is still there, and once the claim is over, another worker makes the
//! deliveries that are missing.

use std::collections::HashSet;

use futures_util::future::join_all;
use jiff::Timestamp;
use shared::app::App;
use shared::db::{StoreError, Stored, Write};
use shared::values::{MerchantId, WebhookEndpointId};
use shared::webhooks::model::{Delivery, Endpoint, Message, MessageBody};

use crate::body::body_of;
use crate::endpoint::{Sent, ServeError, record, send};
use crate::slots::{AT_ONCE_OF_MERCHANT, Slots};
use crate::{Shift, Work};

/// A message that this worker alone dispatches now, with the deliveries that are missing.
struct Claimed<'a> {
    message: &'a Stored<Message>,
    body: String,
    deliveries: Vec<Delivery>,
}

/// Returns how many of the messages, which are of one merchant, were dispatched or forgotten.
pub(crate) async fn dispatch(
    app: &App,
    slots: &Slots,
    merchant: &MerchantId,
    messages: &[Stored<Message>],
    shift: Shift,
) -> Result<usize, ServeError> {
    let endpoints = app.store.webhook_endpoints(merchant).await?;
    let is_quick = |endpoint: &&Stored<Endpoint>| endpoint.is_enabled() && endpoint.is_quick && shift.work != Work::Once;
    let quick: HashSet<WebhookEndpointId> = endpoints.iter().filter(is_quick).map(|endpoint| endpoint.id.clone()).collect();
    let mut dispatched = 0;
    for some in messages.chunks((AT_ONCE_OF_MERCHANT / quick.len().max(1)).max(1)) {
        // Before they are claimed: a claim is short, and the wait can be long.
        let Some(_slot) = slots.take(merchant, true, some.len() * quick.len()).await else { break };
        if shift.is_over(app.clock.now()) {
            break;
        }
        dispatched += dispatch_some(app, slots, merchant, some, &quick).await?;
    }
    Ok(dispatched)
}

async fn dispatch_some(
    app: &App,
    slots: &Slots,
    merchant: &MerchantId,
    messages: &[Stored<Message>],
    quick: &HashSet<WebhookEndpointId>,
) -> Result<usize, ServeError> {
    let look = slots.look().await;
    // The time of the attempts comes first: after a deletion, a move or an immediate rotation, no message has a later one.
    let now = app.clock.now();
    let endpoints = app.store.webhook_endpoints(merchant).await?;
    let claimed = join_all(messages.iter().map(|message| claim(app, message, &endpoints, now))).await;
    // One that cannot be read stays, and holds up no other one.
    let log = |error: &StoreError| tracing::error!(%merchant, cause = %error, "a message was not made");
    let claimed: Vec<Claimed> = claimed.into_iter().filter_map(|claimed| claimed.inspect_err(log).ok().flatten()).collect();
    drop(look);
    let dispatched = endpoints.into_iter().map(|endpoint| dispatch_to(app, slots, endpoint, &claimed, quick, now));
    join_all(dispatched).await.into_iter().collect::<Result<(), _>>()?;
    let done = join_all(claimed.iter().map(|claimed| app.store.delete_if_unchanged(claimed.message))).await;
    done.into_iter().collect::<Result<Vec<bool>, _>>()?;
    Ok(claimed.len())
}

/// `None` if another worker dispatches it. Without deliveries if no endpoint wants it any more, or what it is about is gone.
async fn claim<'a>(
    app: &App,
    message: &'a Stored<Message>,
    endpoints: &[Stored<Endpoint>],
    now: Timestamp,
) -> Result<Option<Claimed<'a>>, StoreError> {
    let forgotten = Claimed { message, body: String::new(), deliveries: Vec::new() };
    let event_type = message.event.event_type().into();
    let takes = |endpoint: &&Stored<Endpoint>| endpoint.takes(&event_type, now);
    let mut receivers: Vec<&WebhookEndpointId> = endpoints.iter().filter(takes).map(|endpoint| &endpoint.id).collect();
    let begun = app.store.webhook_body(&message.merchant_id, &message.id).await?;
    if begun.as_ref().is_some_and(|begun| begun.is_claimed(now)) {
        return Ok(None);
    }
    if receivers.is_empty() {
        return Ok(Some(forgotten));
    }
    let (body, write) = if let Some(begun) = &begun {
        let body = begun.claimed(now);
        let write = Write::replace(begun, &body)?;
        (body, write)
    } else {
        let Some(text) = body_of(app, message).await? else { return Ok(Some(forgotten)) };
        let body = MessageBody::new(message.id.clone(), message.merchant_id.clone(), text, now);
        let write = Write::create(&body)?;
        (body, write)
    };
    if !app.store.commit_one_if_possible(write).await? {
        return Ok(None);
    }
    if begun.is_some() {
        receivers = app.store.endpoints_without_delivery(message, receivers).await?;
    }
    let delivery = |endpoint: &WebhookEndpointId| Delivery::new(&body, event_type.clone(), message.at, endpoint.clone(), now);
    let deliveries = receivers.into_iter().map(delivery).collect();
    Ok(Some(Claimed { message, body: body.body, deliveries }))
}

async fn dispatch_to(
    app: &App,
    slots: &Slots,
    endpoint: Stored<Endpoint>,
    claimed: &[Claimed<'_>],
    quick: &HashSet<WebhookEndpointId>,
    now: Timestamp,
) -> Result<(), ServeError> {
    // One that has been slow since has no slot among the quick ones any more.
    let is_sent_at_once = endpoint.is_enabled() && endpoint.is_quick && quick.contains(&endpoint.id);
    let first = claimed.iter().flat_map(|claimed| claimed.deliveries.iter().map(|delivery| (delivery, claimed.body.as_str())));
    let first = first.filter(|(delivery, _)| delivery.endpoint_id == endpoint.id).map(async |(delivery, body)| {
        if !is_sent_at_once {
            return Ok((delivery.clone(), None));
        }
        if endpoint.withholds(delivery) {
            return Ok((delivery.withheld(now), None));
        }
        let (after, sent) = send(app, &endpoint, &delivery.claimed(now), body, now).await?;
        Ok::<_, ServeError>((after, Some(sent)))
    });
    let first = join_all(first).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let (deliveries, sent): (Vec<Delivery>, Vec<Option<Sent>>) = first.into_iter().unzip();
    let sent: Vec<Sent> = sent.into_iter().flatten().collect();
    let _look = slots.look().await;
    let (joining, ended): (Vec<Delivery>, Vec<Delivery>) =
        deliveries.into_iter().partition(|delivery| delivery.next_attempt_at().is_some());
    let writes = ended.iter().map(Write::create).collect::<Result<Vec<Write>, _>>()?;
    let written = join_all(writes.into_iter().map(|write| app.store.commit_one_if_possible(write))).await;
    if written.into_iter().collect::<Result<Vec<bool>, _>>()?.contains(&false) {
        tracing::warn!(endpoint = %endpoint.id, "a message was sent by two workers");
    }
    Ok(record(app, endpoint, &sent, &joining).await?)
}
