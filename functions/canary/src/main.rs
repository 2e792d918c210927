use canary::Canary;
use shared::base::invocation::Invocation;
use shared::lambda::{Error, run_worker};

fn main() -> Result<(), Error> {
    run_worker(async |app, _invocation: Invocation, _event: serde_json::Value| {
        let result = Canary::read(&app, |name| std::env::var(name).ok())?.run(&app).await;
        app.metrics.record_canary(result.is_err());
        if let Err(failure) = &result {
            tracing::error!(cause = %failure, "the canary failed");
        }
        Ok(result?)
    })
}
