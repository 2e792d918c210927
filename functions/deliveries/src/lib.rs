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
use shared::domain::ids::{MerchantId, WebhookEndpointId};
use shared::store::StoreError;
use tokio::task::JoinSet;

use crate::body::make_bodies;
use crate::endpoint::{Due, serve};
use crate::slots::Slots;

/// How often a worker looks for work.
const INTERVAL: Duration = Duration::from_secs(1);
/// Endpoints that are looked at in one pass.
const MAX_ENDPOINTS: u16 = 1000;

/// Works until then, and finishes what is on its way.
pub async fn work(app: &App, until: Timestamp) {
    match oldest_due(app).await {
        Ok(seconds) => app.metrics.record_webhooks(seconds),
        Err(error) => log_failure::<(), _>(Err(error)),
    }
    let bodies = async {
        while app.clock.now() < until {
            let made = make_bodies(app).await;
            let is_idle = !matches!(made, Ok(count) if count > 0);
            log_failure(made);
            if is_idle {
                tokio::time::sleep(INTERVAL).await;
            }
        }
    };
    let sending = async {
        let mut worker = Worker::new(app, Due::By(until));
        while app.clock.now() < until {
            log_failure(worker.begin().await);
            tokio::time::sleep(INTERVAL).await;
        }
        worker.finish().await;
    };
    tokio::join!(bodies, sending);
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

/// What is left after a pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pass {
    /// Messages whose body was made.
    pub made: usize,
    /// Endpoints whose deliveries were looked at.
    pub served: usize,
    /// When the next delivery is due.
    pub next: Option<Timestamp>,
}

/// One pass over all that is due.
pub async fn send_due(app: &App) -> Result<Pass, StoreError> {
    pass(app, Due::Now).await
}

/// Attempts everything that waits once, whether or not it is due.
pub async fn send_all(app: &App) -> Result<Pass, StoreError> {
    pass(app, Due::Once).await
}

/// How many deliveries wait for an attempt, and messages for their body.
pub async fn count_waiting(app: &App) -> Result<usize, StoreError> {
    let mut count = app.store.due_webhook_messages(usize::MAX, usize::MAX).await?.len();
    for endpoint in app.store.due_webhook_endpoints(u16::MAX).await? {
        count += app.store.waiting_deliveries(&endpoint.merchant_id, &endpoint.id, u16::MAX).await?.len();
    }
    Ok(count)
}

async fn pass(app: &App, due: Due) -> Result<Pass, StoreError> {
    let mut made = 0;
    loop {
        match make_bodies(app).await? {
            0 => break,
            count => made += count,
        }
    }
    let mut worker = Worker::new(app, due);
    let served = worker.begin().await?;
    worker.finish().await;
    let waiting = app.store.due_webhook_endpoints(1).await?;
    Ok(Pass { made, served, next: waiting.first().and_then(|endpoint| endpoint.due_at) })
}

/// What has failed is due again.
fn log_failure<T, E: std::error::Error>(result: Result<T, E>) {
    if let Err(error) = result {
        tracing::warn!(cause = %error, "a worker of webhooks failed and will retry");
    }
}

/// The endpoints that are being served.
struct Worker {
    app: App,
    due: Due,
    slots: Arc<Slots>,
    tasks: JoinSet<(MerchantId, WebhookEndpointId)>,
    served: HashSet<(MerchantId, WebhookEndpointId)>,
}

impl Worker {
    fn new(app: &App, due: Due) -> Self {
        Self { app: app.clone(), due, slots: Arc::new(Slots::new()), tasks: JoinSet::new(), served: HashSet::new() }
    }

    /// Begins to serve the endpoints that are due and not served yet. Returns how many.
    async fn begin(&mut self) -> Result<usize, StoreError> {
        while let Some(ended) = self.tasks.try_join_next() {
            self.forget(ended);
        }
        let now = self.app.clock.now();
        let mut begun = 0;
        for endpoint in self.app.store.due_webhook_endpoints(MAX_ENDPOINTS).await? {
            let key = (endpoint.merchant_id.clone(), endpoint.id.clone());
            if !self.due.includes(endpoint.due_at, now) || !self.served.insert(key.clone()) {
                continue;
            }
            begun += 1;
            let (app, slots, due) = (self.app.clone(), self.slots.clone(), self.due);
            self.tasks.spawn(async move {
                log_failure(serve(&app, &slots, &key.0, &key.1, due).await);
                key
            });
        }
        Ok(begun)
    }

    /// Waits for what is on its way.
    async fn finish(&mut self) {
        while let Some(ended) = self.tasks.join_next().await {
            self.forget(ended);
        }
    }

    fn forget(&mut self, ended: Result<(MerchantId, WebhookEndpointId), tokio::task::JoinError>) {
        match ended {
            Ok(endpoint) => {
                self.served.remove(&endpoint);
            }
            Err(error) => tracing::error!(cause = %error, "serving an endpoint of webhooks has panicked"),
        }
    }
}
