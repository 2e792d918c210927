//! Sends webhooks.
//!
//! A worker looks each second for messages whose body is to be made, and for endpoints with deliveries that are due. It claims a
//! delivery before it sends the message, so that two workers do not send it at the same time; if it dies, the delivery is due
//! again once the claim is over.

mod body;
mod endpoint;
mod slots;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use shared::app::App;
use shared::db::StoreError;
use shared::values::ids::{MerchantId, WebhookEndpointId};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::body::make_bodies;
use crate::endpoint::serve;
use crate::slots::Slots;

/// How often a worker looks for work.
const INTERVAL: Duration = Duration::from_secs(1);
/// Endpoints that are looked at in one pass.
const MAX_ENDPOINTS: u16 = 1000;

/// How a worker works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Until its time is over, on all that is due then.
    Continuously,
    /// Until nothing is due any more.
    UntilIdle,
    /// On everything that waits, due or not: one attempt at each.
    Once,
}

/// What a worker does, and until when it takes new work.
#[derive(Debug, Clone, Copy)]
pub struct Shift {
    pub work: Work,
    pub until: Timestamp,
}

impl Shift {
    fn includes(self, due_at: Option<Timestamp>, now: Timestamp) -> bool {
        due_at.is_some_and(|at| self.work == Work::Once || at <= now)
    }

    fn is_over(self, now: Timestamp) -> bool {
        self.until <= now
    }
}

/// Works, and finishes what is on its way.
pub async fn work(app: &App, shift: Shift) {
    match oldest_due(app).await {
        Ok(seconds) => app.metrics.record_webhooks(seconds),
        Err(error) => log_failure::<(), _>(Err(error)),
    }
    let mut worker = Worker::new(app, shift);
    if shift.work == Work::Once {
        make_all_bodies(app, shift).await;
    }
    while !shift.is_over(app.clock.now()) {
        let begun = worker.begin().await;
        let is_idle = !matches!(begun, Ok(count) if count > 0);
        log_failure(begun);
        if shift.work == Work::Continuously {
            sleep(INTERVAL).await;
        } else if timeout(INTERVAL, worker.finish()).await.is_ok() && is_idle && !worker.has_made {
            return;
        }
    }
    worker.finish().await;
}

/// Makes bodies as long as there are messages without one.
async fn make_all_bodies(app: &App, shift: Shift) -> usize {
    let mut all = 0;
    while !shift.is_over(app.clock.now()) {
        let made = make_bodies(app).await;
        let count = made.as_ref().copied().unwrap_or_default();
        log_failure(made);
        if count == 0 {
            break;
        }
        all += count;
    }
    all
}

/// How long the longest waiting message has waited for a worker, in seconds. What slow endpoints make wait does not count.
async fn oldest_due(app: &App) -> Result<u64, StoreError> {
    let messages = app.store.due_webhook_messages(1, 1).await?;
    let endpoints = app.store.due_webhook_endpoints(MAX_ENDPOINTS).await?;
    let quick = endpoints.iter().filter(|endpoint| endpoint.is_enabled() && endpoint.is_quick);
    let oldest = messages.iter().map(|message| message.at).chain(quick.filter_map(|endpoint| endpoint.due_at)).min();
    let waited = oldest.map(|at| app.clock.now().duration_since(at).as_secs());
    Ok(waited.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or_default())
}

/// When something is due next.
pub async fn next_due(app: &App) -> Result<Option<Timestamp>, StoreError> {
    let messages = app.store.due_webhook_messages(1, 1).await?;
    let endpoints = app.store.due_webhook_endpoints(1).await?;
    Ok(messages.iter().map(|message| message.at).chain(endpoints.iter().filter_map(|endpoint| endpoint.due_at)).min())
}

/// How many deliveries wait for an attempt, and messages for their body.
pub async fn count_waiting(app: &App) -> Result<usize, StoreError> {
    let mut count = app.store.due_webhook_messages(usize::MAX, usize::MAX).await?.len();
    for endpoint in app.store.due_webhook_endpoints(u16::MAX).await? {
        count += app.store.waiting_deliveries(&endpoint.merchant_id, &endpoint.id, u16::MAX).await?.len();
    }
    Ok(count)
}

/// What has failed is due again.
fn log_failure<T, E: std::error::Error>(result: Result<T, E>) {
    if let Err(error) = result {
        tracing::warn!(cause = %error, "a worker of webhooks failed and will retry");
    }
}

/// What is on its way.
struct Worker {
    app: App,
    shift: Shift,
    slots: Arc<Slots>,
    tasks: JoinSet<Ended>,
    /// The endpoints that are being served, or that are not to be served again.
    served: HashSet<(MerchantId, WebhookEndpointId)>,
    is_making_bodies: bool,
    /// Whether bodies were made since work was last begun.
    has_made: bool,
}

enum Ended {
    Bodies(usize),
    Endpoint { key: (MerchantId, WebhookEndpointId), is_served: bool },
}

impl Worker {
    fn new(app: &App, shift: Shift) -> Self {
        Self {
            app: app.clone(),
            shift,
            slots: Arc::new(Slots::new()),
            tasks: JoinSet::new(),
            served: HashSet::new(),
            is_making_bodies: false,
            has_made: false,
        }
    }

    /// Begins to make bodies, and to serve the endpoints that are due, unless that is on its way. Returns how many endpoints.
    async fn begin(&mut self) -> Result<usize, StoreError> {
        self.has_made = false;
        while let Some(ended) = self.tasks.try_join_next() {
            self.end(ended);
        }
        if !self.is_making_bodies {
            self.is_making_bodies = true;
            let (app, shift) = (self.app.clone(), self.shift);
            self.tasks.spawn(async move { Ended::Bodies(make_all_bodies(&app, shift).await) });
        }
        let now = self.app.clock.now();
        let mut begun = 0;
        for endpoint in self.app.store.due_webhook_endpoints(MAX_ENDPOINTS).await? {
            let key = (endpoint.merchant_id.clone(), endpoint.id.clone());
            if !self.shift.includes(endpoint.due_at, now) || !self.served.insert(key.clone()) {
                continue;
            }
            begun += 1;
            let (app, slots, shift) = (self.app.clone(), self.slots.clone(), self.shift);
            self.tasks.spawn(async move {
                let served = serve(&app, &slots, &key.0, &key.1, shift).await;
                let is_served = served.is_ok();
                log_failure(served);
                Ended::Endpoint { key, is_served }
            });
        }
        Ok(begun)
    }

    /// Waits for what is on its way.
    async fn finish(&mut self) {
        while let Some(ended) = self.tasks.join_next().await {
            self.end(ended);
        }
    }

    fn end(&mut self, ended: Result<Ended, tokio::task::JoinError>) {
        match ended {
            Ok(Ended::Bodies(count)) => {
                self.is_making_bodies = false;
                self.has_made |= count > 0;
            }
            Ok(Ended::Endpoint { key, is_served }) => {
                let again = match self.shift.work {
                    Work::Continuously => true,
                    // It would fail without a pause.
                    Work::UntilIdle => is_served,
                    Work::Once => false,
                };
                if again {
                    self.served.remove(&key);
                }
            }
            Err(error) => {
                self.is_making_bodies = false;
                tracing::error!(cause = %error, "a worker of webhooks has panicked");
            }
        }
    }
}
