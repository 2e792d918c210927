//! Hears of new jobs through the table's stream.

use aws_lambda_events::dynamodb::Event;
use futures_util::future::join_all;
use shared::app::App;
use shared::http::invocation::Invocation;
use shared::lambda::Error;

fn main() -> Result<(), Error> {
    shared::lambda::run_worker(hear)
}

/// Delivers what a batch promises, all at once, so that none waits for another. Fails where the table did: handed
/// over again, the batch leaves alone what was claimed by then.
async fn hear(app: App, invocation: Invocation, batch: Event) -> Result<(), Error> {
    let promised = batch.records.into_iter().filter_map(jobs::job_from_record);
    let delivered = promised.map(|job| jobs::run(&app, &invocation, job));
    for job in join_all(delivered).await {
        job?;
    }
    Ok(())
}
