//! Sends webhooks.
//!
//! A worker looks each second for messages that are to be dispatched, and for endpoints with deliveries that are due. It claims a message or a
//! delivery before it sends it, so that two workers do not send it at the same time; if it dies, another one may send it once the claim is
//! over.

mod body;
mod dispatch;
mod endpoint;
mod slots;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use shared::app::App;
use shared::db::{StoreError, Stored};
use shared::values::{MerchantId, WebhookEndpointId};
use shared::webhooks::model::Message;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::dispatch::dispatch;
use crate::endpoint::serve;
use crate::slots::Slots;

/// How often a worker looks for work.
const INTERVAL: Duration = Duration::from_secs(1);
/// Endpoints that are looked at in one pass.
const MAX_ENDPOINTS: u16 = 1000;
/// Messages that are dispatched in one pass, of all merchants and of one.
const MAX_MESSAGES: usize = 2000;
const MAX_OF_MERCHANT: usize = 120;

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
        worker.dispatch_all().await;
    }
    while !shift.is_over(app.clock.now()) {
        let begun = worker.begin().await;
        let is_idle = !matches!(begun, Ok(count) if count > 0);
        log_failure(begun);
        if shift.work == Work::Continuously {
            sleep(INTERVAL).await;
        } else if timeout(INTERVAL, worker.finish()).await.is_ok() && is_idle {
            return;
        }
    }
    worker.finish().await;
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

/// How many deliveries wait for an attempt, and messages for their deliveries.
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
    /// The merchants whose messages are being dispatched, or are not to be dispatched again.
    dispatching: HashSet<MerchantId>,
}

enum Ended {
    Messages { merchant: MerchantId, dispatched: usize },
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
            dispatching: HashSet::new(),
        }
    }

    /// Dispatches messages as long as there are some, so that all that waits is in the queues.
    async fn dispatch_all(&mut self) {
        while !self.shift.is_over(self.app.clock.now()) {
            let begun = self.begin_to_dispatch().await;
            let is_done = !matches!(begun, Ok(count) if count > 0);
            log_failure(begun);
            if is_done {
                return;
            }
            self.finish().await;
        }
    }

    /// Begins to dispatch the messages of merchants, unless that is on its way. Returns of how many merchants. The messages of one follow
    /// each other; nobody waits for another merchant.
    async fn begin_to_dispatch(&mut self) -> Result<usize, StoreError> {
        let mut of_merchants: HashMap<MerchantId, Vec<Stored<Message>>> = HashMap::new();
        for message in self.app.store.due_webhook_messages(MAX_OF_MERCHANT, MAX_MESSAGES).await? {
            of_merchants.entry(message.merchant_id.clone()).or_default().push(message);
        }
        of_merchants.retain(|merchant, _| self.dispatching.insert(merchant.clone()));
        let begun = of_merchants.len();
        for (merchant, messages) in of_merchants {
            let (app, slots, shift) = (self.app.clone(), self.slots.clone(), self.shift);
            self.tasks.spawn(async move {
                let dispatched = dispatch(&app, &slots, &merchant, &messages, shift).await;
                let count = dispatched.as_ref().copied().unwrap_or_default();
                log_failure(dispatched);
                Ended::Messages { merchant, dispatched: count }
            });
        }
        Ok(begun)
    }

    /// Begins to dispatch messages, and to serve the endpoints that are due, unless that is on its way. Returns of how many merchants, and how
    /// many endpoints.
    async fn begin(&mut self) -> Result<usize, StoreError> {
        while let Some(ended) = self.tasks.try_join_next() {
            self.end(ended);
        }
        let mut begun = self.begin_to_dispatch().await?;
        let now = self.app.clock.now();
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
            // Those that could not be dispatched, or that another worker dispatches, would be tried without a pause.
            Ok(Ended::Messages { merchant, dispatched }) => {
                if dispatched > 0 || self.shift.work == Work::Continuously {
                    self.dispatching.remove(&merchant);
                }
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
                tracing::error!(cause = %error, "a worker of webhooks has panicked");
            }
        }
    }
}
