//! Looking up and recording the outcome of an operation, and recovering operations whose outcome is unknown.

use super::close::close;
use super::event_writer::with_unknown;
use super::operation::Operation;
use crate::app::App;
use crate::base::best_effort::best_effort;
use crate::base::invocation::Invocation;
use crate::card_network::{CardNetwork, LookupResult, Outcome, Refusal};
use crate::db::counters::Reservation;
use crate::db::{CommitError, StoreError, Stored, Write};
use crate::team::model::till::Operator;

/// The status of an operation at the time of the response.
#[derive(Debug)]
pub enum OperationStatus {
    Closed(Outcome),
    /// It is not known whether money moved, or it could not be recorded. The sweep will look it up again.
    Unknown,
}

/// Takes an open operation over and looks its outcome up. `None` while its owner works on it.
pub async fn recover(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
) -> Result<Option<OperationStatus>, StoreError> {
    if let Some(outcome) = operation.outcome() {
        return Ok(Some(OperationStatus::Closed(outcome.clone())));
    }
    let now = app.clock.now();
    if operation.waits(now) {
        return Ok(Some(OperationStatus::Unknown));
    }
    let Some(taken) = operation.take_over(now, invocation.deadline) else { return Ok(None) };
    match app.store.commit(vec![Write::replace(&operation, &taken)?]).await {
        Ok(()) => Ok(Some(look_up(app, invocation, operation.replaced(taken), None).await)),
        Err(CommitError::Conflict(_)) => {
            let current = app.store.operation(&operation.reference, app.clock.now()).await?;
            Ok(current.and_then(|current| current.outcome().cloned()).map(OperationStatus::Closed))
        }
        Err(CommitError::Store(error)) => Err(error),
    }
}

/// Looks the outcome up at the network and records it, not before a `Retry-After` has passed. `error` is the error instead of a
/// response to the call.
pub(super) async fn look_up(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
    error: Option<Refusal>,
) -> OperationStatus {
    let retry_after = error.as_ref().and_then(|error| error.retry_after);
    let result = match CardNetwork::time_until_lookup(invocation, retry_after) {
        Some(wait) => {
            tokio::time::sleep(wait).await;
            app.card_network().look_up_operation(invocation, &operation.reference).await
        }
        None => LookupResult::Unavailable { retry_after },
    };
    match result {
        LookupResult::Known(outcome) => record(app, invocation, operation, outcome).await,
        LookupResult::NeverReceived => {
            let refusal = operation.first_error().cloned().or(error).unwrap_or_else(never_sent);
            record(app, invocation, operation, Outcome::Failed(refusal)).await
        }
        LookupResult::Unavailable { retry_after: of_lookup } => {
            tracing::warn!("the outcome of a card operation is unknown");
            let retry_after = retry_after.max(of_lookup);
            let released = operation.release(app.clock.now(), error, retry_after);
            within_time_left(invocation, release(app, &operation, released)).await
        }
    }
}

/// The refusal of an operation whose request died before it was sent.
fn never_sent() -> Refusal {
    Refusal { status: 504, details: serde_json::Value::Null, retry_after: None }
}

pub(super) async fn record(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
    outcome: Outcome,
) -> OperationStatus {
    let (merchant, mut guessed_by) = (operation.merchant_id.clone(), None);
    let status = within_time_left(invocation, try_to_record(app, operation, outcome, &mut guessed_by)).await;
    if let Some(by) = guessed_by {
        const WHAT: &str = "the count of a guessed card code";
        let nothing = Reservation::default();
        let counted = app.store.count_guess(&merchant, &by, &nothing, app.clock.now());
        let counted = tokio::time::timeout(invocation.time_left(), Box::pin(counted)).await;
        best_effort(WHAT, counted).and_then(|counted| best_effort(WHAT, counted));
    }
    status
}

/// After the deadline the state in the table counts: retries and the sweep continue from it.
async fn within_time_left(invocation: &Invocation, written: impl Future<Output = OperationStatus>) -> OperationStatus {
    let written = tokio::time::timeout(invocation.time_left(), Box::pin(written));
    written.await.unwrap_or(OperationStatus::Unknown)
}

/// Writes the released operation, so that a retry or the sweep can look its outcome up before the lease expires.
async fn release(app: &App, operation: &Stored<Operation>, released: Operation) -> OperationStatus {
    if best_effort("releasing an open card operation", try_to_release(app, operation, released).await).is_some() {
        return OperationStatus::Unknown;
    }
    let current = best_effort("reading a card operation again", app.store.operation(&operation.reference, app.clock.now()).await);
    let outcome = current.flatten().and_then(|current| current.outcome().cloned());
    outcome.map_or(OperationStatus::Unknown, OperationStatus::Closed)
}

async fn try_to_release(app: &App, operation: &Stored<Operation>, released: Operation) -> Result<(), CommitError> {
    let (released, event) = with_unknown(app, released, app.clock.now()).await?;
    let writes = std::iter::once(Write::replace(operation, &released)?).chain(event).collect();
    app.store.commit(writes).await
}

/// Attempts to record an outcome. The network has carried the operation out by then, so any error is retried.
const MAX_RECORD_ATTEMPTS: u32 = 5;

/// Records the outcome. If another owner has recorded one before, that one counts. `guessed_by` is set to who redeemed an unknown code.
async fn try_to_record(
    app: &App,
    mut operation: Stored<Operation>,
    outcome: Outcome,
    guessed_by: &mut Option<Operator>,
) -> OperationStatus {
    for attempt in 0..MAX_RECORD_ATTEMPTS {
        match close(app, &operation, &outcome).await {
            Ok(by) => {
                *guessed_by = by;
                app.metrics.record_operation(operation.subject.kind().name(), outcome.result());
                return OperationStatus::Closed(outcome);
            }
            Err(error) => {
                tracing::warn!(cause = %error, attempt, "could not record the outcome of a card operation");
            }
        }
        // Another owner may have closed it, or this write took effect and its response was lost. If another owner has
        // only taken it over, it is about to look up the outcome that is known here.
        if let Ok(Some(current)) = app.store.operation(&operation.reference, app.clock.now()).await {
            if let Some(outcome) = current.outcome() {
                return OperationStatus::Closed(outcome.clone());
            }
            operation = current;
        }
        app.store.back_off(attempt).await;
    }
    OperationStatus::Unknown
}
