//! Recounts tallies and renews search segments when the table's stream reports changes of entries, and raises an alarm when it
//! reports changes of trails.

use aws_lambda_events::dynamodb::EventRecord;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::lambda::{Batch, Error};

fn main() -> Result<(), Error> {
    shared::lambda::run_worker(run_batch)
}

/// Fails only if the table does: Lambda then retries the batch.
async fn run_batch(app: App, _: Invocation, batch: Batch<EventRecord>) -> Result<(), Error> {
    projections::report_heartbeats(&app, &batch.records);
    projections::report_changed_trails(&app, &batch.records);
    Ok(projections::project(&app, projections::changes(&batch.records)).await?)
}
