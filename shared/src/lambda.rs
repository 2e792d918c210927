//! The way into a function on AWS.

pub use lambda_http::Error;
use tracing_subscriber::EnvFilter;

use crate::app::App;
use crate::clock::Clock;
use crate::http::routes::Routes;
use crate::random::Random;
use crate::settings::Settings;

/// Serves a route table until Lambda ends the process.
pub fn serve(routes: Routes) -> Result<(), Error> {
    log_as_json();
    let app = App::new(Settings::read(environment)?, Clock::system(), Random::system());
    // One thread: an invocation at a time is what Lambda hands over, and what is not started costs nothing.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(lambda_http::run(routes.into_router(app)))
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// One JSON line for each event, the request's id and merchant in each.
pub fn log_as_json() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    // Lambda notes the time of each line itself.
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .without_time()
        .with_env_filter(filter)
        .init();
}
