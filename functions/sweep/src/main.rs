use shared::http::invocation::Invocation;
use shared::lambda::{Error, run_worker};

fn main() -> Result<(), Error> {
    run_worker(async |app, invocation: Invocation, _schedule: serde_json::Value| {
        let pass = sweep::sweep(&app, &invocation, app.clock.now()).await?;
        let open = sweep::open(&app).await?;
        tracing::info!(
            ended = pass.ended,
            left = pass.left,
            open = open.count,
            oldest_open_seconds = open.oldest_seconds,
            "swept"
        );
        app.metrics.swept(open.count, open.oldest_seconds);
        Ok(())
    })
}
