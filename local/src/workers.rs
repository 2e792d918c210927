//! Runs the background functions: `projections` and `jobs`, with records from the table's stream, `sweep`, on a schedule, and
//! `deliveries`, when something is due.

use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::dynamodb::EventRecord;
use deliveries::{Shift, Work};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::db::{StoreError, keys};
use shared::values::later;
use thiserror::Error;
use tokio::sync::{Mutex, Notify, watch};

use crate::stream::{Stream, StreamError};

const RETRY_INTERVAL: Duration = Duration::from_millis(200);
/// One second on AWS, for the projections. Changes that follow each other closely are projected once.
const BATCHING_WINDOW: Duration = Duration::from_millis(50);
/// One minute on AWS.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
/// One minute on AWS. Whoever wants the workers to pause waits for its end.
const SHIFT: SignedDuration = SignedDuration::from_secs(5);
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
/// What is due later waits for its day in a drain too: it is neither a retry nor a consequence.
const SOON: SignedDuration = SignedDuration::from_hours(48);

#[derive(Debug, Error)]
pub(crate) enum WorkerError {
    #[error("cannot read the table's stream: {0}")]
    Stream(#[from] StreamError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The work that remains after a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Remaining {
    /// Open jobs and operations, and webhooks that wait for their next attempt.
    pub(crate) pending: usize,
    /// Jobs that failed their last attempt.
    pub(crate) dead: usize,
}

/// The workers. Clones share them. Only one runs at a time, so that the schedule does not interfere with a drain. Webhooks are sent
/// beside the others: who receives them can take its time.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    inner: Arc<Mutex<Inner>>,
    sweep: App,
    deliveries: App,
    webhooks: Webhooks,
    /// Changes with every write to the table.
    changes: watch::Receiver<u64>,
}

/// The function that sends webhooks. On AWS, it looks for work each second.
#[derive(Debug, Clone)]
struct Webhooks {
    app: Arc<Mutex<App>>,
    /// There can be work.
    changed: Arc<Notify>,
}

#[derive(Debug)]
struct Inner {
    apps: WorkerApps,
    stream: Stream,
    /// What was read and is not processed: a drain that is interrupted leaves it behind.
    records: Vec<EventRecord>,
    webhooks_changed: Arc<Notify>,
}

/// The functions that work in the background.
#[derive(Debug)]
pub(crate) struct WorkerApps {
    pub(crate) projections: App,
    pub(crate) jobs: App,
    pub(crate) sweep: App,
    pub(crate) deliveries: App,
}

impl Workers {
    pub(crate) fn new(apps: WorkerApps, stream: Stream, changes: watch::Receiver<u64>) -> Self {
        let (sweep, deliveries) = (apps.sweep.clone(), apps.deliveries.clone());
        let webhooks = Webhooks { app: Arc::new(Mutex::new(deliveries.clone())), changed: Arc::default() };
        let inner = Inner { apps, stream, records: Vec::new(), webhooks_changed: webhooks.changed.clone() };
        Self { inner: Arc::new(Mutex::new(inner)), sweep, deliveries, webhooks, changes }
    }

    /// Does something while no worker runs.
    pub(crate) async fn pause<T>(&self, work: impl Future<Output = T>) -> T {
        let _paused = (self.inner.lock().await, self.webhooks.app.lock().await);
        let result = work.await;
        self.webhooks.changed.notify_one();
        result
    }

    pub(crate) async fn limit_webhooks(&self, timeout: Duration) {
        self.webhooks.app.lock().await.limit_webhooks(timeout);
    }

    /// Sends the webhooks that are due.
    pub(crate) async fn send_due_webhooks(&self) {
        let shift = Shift { work: Work::UntilIdle, until: Timestamp::MAX };
        deliveries::work(&*self.webhooks.app.lock().await, shift).await;
    }

    /// Sends webhooks until the task is aborted. Looks for them after a change only, and when one is due again, so that an idle
    /// system does no work for it.
    pub(crate) async fn send_webhooks(self) {
        let mut wait = Duration::ZERO;
        loop {
            let _ = tokio::time::timeout(wait, self.webhooks.changed.notified()).await;
            let app = self.webhooks.app.lock().await;
            let until = later(app.clock.now(), SHIFT);
            deliveries::work(&app, Shift { work: Work::UntilIdle, until }).await;
            wait = match deliveries::next_due(&app).await {
                Ok(next) => next.map_or(Duration::MAX, |next| {
                    Duration::try_from(next.duration_since(app.clock.now())).unwrap_or_default().max(RETRY_INTERVAL)
                }),
                Err(error) => {
                    tracing::warn!(cause = %error, "webhooks were not sent; they will be");
                    RETRY_INTERVAL
                }
            };
        }
    }

    /// Runs until the table is closed. Reads the stream after writes only, so that an idle system does no work for it.
    pub(crate) async fn run(mut self) {
        let mut schedule = tokio::time::interval(SWEEP_INTERVAL);
        loop {
            let result = tokio::select! {
                changed = self.changes.changed() => match changed {
                    Ok(()) => self.consume_stream_after_window().await,
                    Err(_) => return,
                },
                _ = schedule.tick() => self.inner.lock().await.sweep_due().await,
            };
            if let Err(error) = result {
                tracing::warn!(cause = %error, "a worker failed and will retry");
                tokio::time::sleep(RETRY_INTERVAL).await;
                self.changes.mark_changed();
            }
        }
    }

    async fn consume_stream_after_window(&mut self) -> Result<(), WorkerError> {
        tokio::time::sleep(BATCHING_WINDOW).await;
        let mut inner = self.inner.lock().await;
        self.changes.mark_unchanged();
        inner.consume_stream().await
    }

    /// Processes the records that the stream has.
    pub(crate) async fn catch_up(&self) -> Result<(), WorkerError> {
        self.inner.lock().await.consume_stream().await
    }

    /// Runs all work, due or [soon](SOON), until a pass changes nothing or the timeout expires.
    pub(crate) async fn drain(&self) -> Result<Remaining, WorkerError> {
        // Work that the timeout interrupts is in the same state as after a crash of its function.
        let work = async {
            self.inner.lock().await.run_until_idle().await?;
            // Each once: those that fail wait for their next attempt.
            let shift = Shift { work: Work::Once, until: Timestamp::MAX };
            deliveries::work(&*self.webhooks.app.lock().await, shift).await;
            self.inner.lock().await.run_until_idle().await
        };
        if let Ok(result) = tokio::time::timeout(DRAIN_TIMEOUT, work).await {
            result?;
        }
        self.remaining().await
    }

    async fn remaining(&self) -> Result<Remaining, WorkerError> {
        let store = &self.sweep.store;
        let operations = store.due_operations(Timestamp::MAX, u16::MAX).await?.len();
        let jobs = store.due_jobs(later(self.sweep.clock.now(), SOON), u16::MAX).await?.len();
        let dead = store.dead_jobs(u16::MAX).await?.len();
        let webhooks = deliveries::count_waiting(&self.deliveries).await?;
        Ok(Remaining { pending: operations + jobs + webhooks, dead })
    }
}

impl Inner {
    /// Processes the records of the stream, until it has no more.
    async fn consume_stream(&mut self) -> Result<(), WorkerError> {
        loop {
            if self.records.is_empty() {
                self.records = self.stream.next().await?;
            }
            if self.records.is_empty() {
                return Ok(());
            }
            self.process(&self.records).await;
            self.records.clear();
            self.stream.save_checkpoint();
        }
    }

    async fn process(&self, records: &[EventRecord]) {
        projections::report_heartbeats(&self.apps.projections, records);
        jobs::report_heartbeats(&self.apps.jobs, records);
        self.project(records).await;
        if records.iter().any(is_of_webhooks) {
            self.webhooks_changed.notify_one();
        }
        let now = self.apps.jobs.clock.now();
        for job in records.iter().filter_map(|record| jobs::job_from_record(record.clone(), now)) {
            let result = jobs::run(&self.apps.jobs, &worker(&self.apps.jobs), job).await;
            if let Err(error) = result {
                tracing::warn!(cause = %error, "a job failed; the sweep will retry it");
            }
        }
    }

    /// Repeats a failed batch, as the event source mapping does.
    async fn project(&self, records: &[EventRecord]) {
        projections::report_changed_trails(&self.apps.projections, records);
        let changes = projections::changes(records);
        while let Err(error) = projections::project(&self.apps.projections, changes.clone()).await {
            tracing::warn!(cause = %error, "the projections failed and will retry");
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }

    /// A sweep that happens to come between a write and its record would take the job from the function that it is for.
    async fn sweep_due(&mut self) -> Result<(), WorkerError> {
        self.consume_stream().await?;
        sweep::write_heartbeat(&self.apps.sweep).await;
        let invocation = worker(&self.apps.sweep);
        sweep::sweep(&self.apps.sweep, &invocation, self.apps.sweep.clock.now()).await?;
        sweep::follow_time_zones(&self.apps.sweep, &invocation).await;
        Ok(())
    }

    async fn run_until_idle(&mut self) -> Result<(), WorkerError> {
        let timeout = SignedDuration::try_from(DRAIN_TIMEOUT).unwrap_or_default();
        let deadline = self.apps.sweep.clock.now().saturating_add(timeout).unwrap_or(Timestamp::MAX);
        loop {
            self.consume_stream().await?;
            let until = later(self.apps.sweep.clock.now(), SOON);
            let pass = sweep::sweep(&self.apps.sweep, &worker(&self.apps.sweep), until).await?;
            if pass.finished > 0 {
                continue;
            }
            // A leased operation is in progress, or its worker crashed. The next pass after the lease expires runs it.
            let Some(expiry) = self.next_lease_expiry().await?.filter(|expiry| *expiry < deadline) else {
                return Ok(());
            };
            let wait = expiry.duration_since(self.apps.sweep.clock.now());
            tokio::time::sleep(Duration::try_from(wait).unwrap_or_default().min(RETRY_INTERVAL)).await;
        }
    }

    /// Returns when the first lease of an open operation expires, or `None` if no operation is leased.
    async fn next_lease_expiry(&self) -> Result<Option<Timestamp>, StoreError> {
        let now = self.apps.sweep.clock.now();
        let open = self.apps.sweep.store.due_operations(Timestamp::MAX, u16::MAX).await?;
        Ok(open.iter().filter_map(|operation| operation.leased_until()).filter(|until| *until > now).min())
    }
}

fn is_of_webhooks(record: &EventRecord) -> bool {
    let key: shared::db::Item = record.change.keys.clone().into();
    shared::db::item_key(&key).is_some_and(|key| key.pk.starts_with(keys::WEBHOOK_ROWS))
}

fn worker(app: &App) -> Invocation {
    Invocation::new(&app.clock, app.random.uuid(app.clock.now()).to_string())
}
