//! Serves one endpoint: sends it what is due, a few messages at once.

use std::collections::HashSet;

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use shared::app::App;
use shared::aws::secrets::SecretError;
use shared::db::{News, StoreError, Stored, Task, Write};
use shared::values::{MerchantId, WebhookEndpointId};
use shared::webhooks::model::{Attempt, Delivery, DeliveryStatus, DisabledBecause, Endpoint, Reply};
use shared::webhooks::{MessageHeaders, SigningSecret};
use thiserror::Error;

use crate::slots::{AT_ONCE_OF_MERCHANT, Slots};
use crate::{Shift, Work};

/// Deliveries that are read at once. Those that are due come first.
const PAGE_SIZE: u16 = 20;
/// Deliveries that one transaction drops, each with its entry in the queue.
const DROPPED_AT_ONCE: u16 = 40;

#[derive(Debug, Error)]
pub(crate) enum ServeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Secret(#[from] SecretError),
}

/// What became of an attempt.
pub(crate) struct Sent {
    attempt: Attempt,
    reply: Reply,
    /// Whether the message is not attempted any more.
    failed: bool,
    /// Whether a member has asked for it.
    is_by_hand: bool,
}

/// Sends to an endpoint what is due. Says then when it has to be looked at again.
pub(crate) async fn serve(
    app: &App,
    slots: &Slots,
    merchant: &MerchantId,
    id: &WebhookEndpointId,
    shift: Shift,
) -> Result<(), ServeError> {
    let mut attempted = HashSet::new();
    loop {
        let look = slots.look().await;
        let Some(endpoint) = app.store.webhook_endpoint(merchant, id).await? else { return Ok(()) };
        let now = app.clock.now();
        if shift.is_over(now) {
            return Ok(());
        }
        if !endpoint.is_enabled() {
            return Ok(drop_what_waits(app, endpoint).await?);
        }
        let page_size = if shift.work == Work::Once { u16::MAX } else { PAGE_SIZE };
        let waiting = app.store.waiting_deliveries(merchant, id, page_size).await?;
        let is_due = |delivery: &&Stored<Delivery>| {
            shift.includes(delivery.next_attempt_at(), now) && !delivery.is_claimed(now) && !attempted.contains(&delivery.id)
        };
        let some: Vec<Stored<Delivery>> = waiting.iter().filter(is_due).take(AT_ONCE_OF_MERCHANT).cloned().collect();
        if some.is_empty() {
            let next =
                Endpoint { due_at: waiting.first().and_then(|delivery| delivery.next_attempt_at()), ..endpoint.value.clone() };
            if app.store.commit_one_if_possible(Write::replace(&endpoint, &next)?).await? {
                return Ok(());
            }
            continue;
        }
        drop(look);
        attempted.extend(some.iter().map(|delivery| delivery.id.clone()));
        let sent = join_all(some.into_iter().map(|delivery| attempt(app, slots, &endpoint, delivery, shift))).await;
        let sent: Vec<Sent> = sent.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
        let _look = slots.look().await;
        record(app, endpoint, &sent, &[]).await?;
        if shift.work != Work::Once {
            attempted.clear();
        }
    }
}

/// Attempts a delivery. `None` if it was not sent: it, or its endpoint, has changed meanwhile.
async fn attempt(
    app: &App,
    slots: &Slots,
    endpoint: &Endpoint,
    delivery: Stored<Delivery>,
    shift: Shift,
) -> Result<Option<Sent>, ServeError> {
    let Some(_slot) = slots.take(&endpoint.merchant_id, endpoint.is_quick, 1).await else { return Ok(None) };
    // The wait can have been long: the next worker goes on, and what was deleted, disabled or moved meanwhile is sent nothing.
    if shift.is_over(app.clock.now()) {
        return Ok(None);
    }
    let (merchant, store) = (&endpoint.merchant_id, &app.store);
    // The time of the attempt comes first: after a deletion, a move or an immediate rotation, no message has a later one.
    let now = app.clock.now();
    let (endpoint, body) =
        tokio::join!(store.webhook_endpoint(merchant, &endpoint.id), store.webhook_body(merchant, &delivery.message_id));
    let Some(endpoint) = endpoint?.filter(|endpoint| endpoint.is_enabled()) else { return Ok(None) };
    let Some(body) = body? else {
        store.save_delivery(&delivery, &delivery.dropped()).await?;
        return Ok(None);
    };
    if endpoint.withholds(&delivery) {
        store.save_delivery(&delivery, &delivery.withheld(now)).await?;
        return Ok(None);
    }
    let claimed = delivery.claimed(app.clock.now());
    if !store.save_delivery(&delivery, &claimed).await? {
        return Ok(None);
    }
    let claimed = delivery.replaced(claimed);
    let (after, sent) = send(app, &endpoint, &claimed, &body.body, now).await?;
    if !store.save_delivery(&claimed, &after).await? {
        tracing::warn!(delivery = %claimed.id, "a delivery has changed while it was sent");
    }
    Ok(Some(sent))
}

/// Sends a claimed delivery. Returns what becomes of it.
pub(crate) async fn send(
    app: &App,
    endpoint: &Endpoint,
    claimed: &Delivery,
    body: &str,
    now: Timestamp,
) -> Result<(Delivery, Sent), SecretError> {
    let (attempt, reply) = post(app, endpoint, claimed.message_id.as_str(), body, now).await?;
    let after = claimed.after_attempt(attempt.clone(), reply, app.random.below(1001), app.clock.now());
    let failed = after.status() == DeliveryStatus::Failed;
    Ok((after, Sent { attempt, reply, failed, is_by_hand: claimed.is_by_hand }))
}

async fn post(app: &App, endpoint: &Endpoint, id: &str, body: &str, now: Timestamp) -> Result<(Attempt, Reply), SecretError> {
    let key = app.code_key().await?;
    let open = |secret| SigningSecret::open(secret, &key, &endpoint.merchant_id, &endpoint.id);
    let secrets: Result<Vec<SigningSecret>, _> = endpoint.secrets.signing(now).map(open).collect();
    let Ok(secrets) = secrets else {
        tracing::error!(endpoint = %endpoint.id, "the secret of an endpoint cannot be read");
        let error = Some("the secret cannot be read: replace it".to_owned());
        return Ok((Attempt { at: now, status: None, milliseconds: 0, error }, Reply::default()));
    };
    let signatures: Vec<String> = secrets.iter().map(|secret| secret.sign(id, now.as_second(), body)).collect();
    let headers = MessageHeaders { id, timestamp: now.as_second(), signatures: &signatures.join(" ") };
    Ok(app.webhooks().send(&endpoint.url, &headers, body, now).await)
}

/// Writes the deliveries that join the queue of an endpoint, and what the attempts say about it. Disables it if it wants no more or has
/// accepted nothing for days.
pub(crate) async fn record(app: &App, endpoint: Stored<Endpoint>, sent: &[Sent], joining: &[Delivery]) -> Result<(), StoreError> {
    let mut attempts = app.store.attempts("an endpoint");
    let url = endpoint.url.clone();
    let mut current = endpoint;
    loop {
        // What a former address has answered says nothing of the new one.
        let sent = if current.url == url { sent } else { &[] };
        if current.is_deleted() || (sent.is_empty() && joining.is_empty()) {
            return Ok(());
        }
        let now = app.clock.now();
        let mut next = current.value.clone();
        // The slowest answer counts: one quick answer of several says nothing.
        let slowest = sent.iter().map(|sent| sent.attempt.milliseconds).max().unwrap_or_default();
        for Sent { attempt, is_by_hand, .. } in sent {
            let duration = SignedDuration::from_millis(slowest.into());
            next = next.after_attempt(attempt.succeeded(), *is_by_hand, duration, attempt.at);
        }
        // What a member has sent again disables no endpoint.
        let mut by_schedule = sent.iter().filter(|sent| !sent.is_by_hand);
        let because = if by_schedule.clone().any(|sent| sent.reply.is_gone) {
            Some(DisabledBecause::Gone)
        } else {
            (by_schedule.any(|sent| sent.failed) && next.is_failing(now)).then_some(DisabledBecause::Failing)
        };
        let mut with = joining.iter().map(Write::create).collect::<Result<Vec<Write>, _>>()?;
        if let Some(because) = because.filter(|_| next.is_enabled()) {
            next = next.disabled(because, now);
            tracing::warn!(endpoint = %next.id, merchant = %next.merchant_id, ?because, "a webhook endpoint is disabled");
            app.metrics.record_disabled_webhook();
            let news = News::WebhookDisabled { host: next.host().to_owned(), because: because.into() };
            with.push(app.store.enqueue(next.merchant_id.clone(), Task::TeamNews { news }, now)?);
        }
        next = joining.iter().filter_map(Delivery::next_attempt_at).fold(next, |next, at| next.with_delivery(at));
        if with.is_empty() && next == current.value {
            return Ok(());
        }
        let write = Write::replace(&current, &next)?;
        let committed = if with.is_empty() {
            app.store.commit_one(write).await
        } else {
            app.store.commit(std::iter::once(write).chain(with).collect()).await
        };
        if attempts.committed(committed).await? {
            return Ok(());
        }
        let Some(reread) = app.store.webhook_endpoint(&current.merchant_id, &current.id).await? else { return Ok(()) };
        current = reread;
    }
}

/// What waits for a disabled endpoint is given up once it has waited long enough; for a deleted one, at once, before its own row.
async fn drop_what_waits(app: &App, endpoint: Stored<Endpoint>) -> Result<(), StoreError> {
    let now = app.clock.now();
    if endpoint.waits_until().is_some_and(|until| now < until) {
        return Ok(());
    }
    loop {
        let waiting = app.store.waiting_deliveries(&endpoint.merchant_id, &endpoint.id, DROPPED_AT_ONCE).await?;
        let writes = if waiting.is_empty() && endpoint.is_deleted() {
            vec![Write::delete(&endpoint)?]
        } else if waiting.is_empty() {
            vec![Write::replace(&endpoint, &Endpoint { due_at: None, ..endpoint.value.clone() })?]
        } else {
            waiting.iter().map(|delivery| Write::replace(delivery, &delivery.dropped())).collect::<Result<_, _>>()?
        };
        // What has changed meanwhile is looked at again.
        if !app.store.commit_if_possible(writes).await? || waiting.is_empty() {
            return Ok(());
        }
    }
}
