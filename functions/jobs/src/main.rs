//! Runs new jobs from the table's stream.

use aws_lambda_events::dynamodb::EventRecord;
use futures_util::future::join_all;
use shared::app::App;
use shared::base::invocation::Invocation;
use shared::lambda::{Batch, Error};

fn main() -> Result<(), Error> {
    shared::lambda::run_worker(run_batch)
}

/// Runs the jobs of a batch concurrently. Fails if the store failed for one of them: Lambda then retries the batch, and
/// jobs that were claimed by then are skipped.
async fn run_batch(app: App, invocation: Invocation, batch: Batch<EventRecord>) -> Result<(), Error> {
    jobs::report_heartbeats(&app, &batch.records);
    let now = app.clock.now();
    let jobs = batch.records.into_iter().filter_map(|record| jobs::job_from_record(record, now));
    let runs = jobs.map(|job| jobs::run(&app, &invocation, job));
    for result in join_all(runs).await {
        result?;
    }
    Ok(())
}
