use deliveries::{Shift, Work};
use jiff::SignedDuration;
use shared::base::invocation::Invocation;
use shared::lambda::{Error, run_worker};
use shared::values::later;

/// The schedule starts a worker each minute. It takes no new work when the next one is there.
const WORKS_FOR: SignedDuration = SignedDuration::from_secs(60);

fn main() -> Result<(), Error> {
    run_worker(async |app, _: Invocation, _schedule: serde_json::Value| {
        let until = later(app.clock.now(), WORKS_FOR);
        deliveries::work(&app, Shift { work: Work::Continuously, until }).await;
        Ok(())
    })
}
