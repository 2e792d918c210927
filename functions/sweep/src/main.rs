use shared::base::invocation::Invocation;
use shared::lambda::{Error, run_worker};

fn main() -> Result<(), Error> {
    run_worker(async |app, invocation: Invocation, _schedule: serde_json::Value| {
        sweep::write_heartbeat(&app).await;
        let pass = sweep::sweep(&app, &invocation, app.clock.now()).await?;
        sweep::follow_time_zones(&app, &invocation).await;
        let open = sweep::count_open(&app).await?;
        tracing::info!(
            finished = pass.finished,
            remaining = pass.remaining,
            open = open.count,
            oldest_open_seconds = open.oldest_seconds,
            "swept"
        );
        app.metrics.record_sweep(open.count, open.oldest_seconds);
        Ok(())
    })
}
