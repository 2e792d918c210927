//! The way into a function on AWS.

pub use lambda_http::Error;
use lambda_runtime::{LambdaEvent, service_fn};
use serde::de::DeserializeOwned;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::app::App;
use crate::clock::Clock;
use crate::http::invocation::Invocation;
use crate::http::routes::Routes;
use crate::random::Random;
use crate::settings::Settings;

/// Serves a route table until Lambda ends the process.
pub fn serve(routes: Routes) -> Result<(), Error> {
    let app = start()?;
    block_on(async {
        // While Lambda gives a function its full speed: at its start.
        app.store.open_connection().await;
        lambda_http::run(routes.into_router(app)).await
    })
}

/// Hands every event that is no request to `work`, until Lambda ends the process.
pub fn run_worker<E: DeserializeOwned, F>(work: impl Fn(App, Invocation, E) -> F) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    let app = start()?;
    block_on(lambda_runtime::run(service_fn(|event: LambdaEvent<E>| {
        let invocation = Invocation::of_worker(&app.clock, event.context.request_id);
        work(app.clone(), invocation, event.payload)
    })))
}

fn start() -> Result<App, Error> {
    log_as_json();
    Ok(App::new(Settings::read(environment)?, Clock::system(), Random::system()))
}

fn block_on(run: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    // One thread: an invocation at a time is what Lambda hands over, and what is not started costs nothing.
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// One JSON line for each event, the request's id and merchant in each. `RUST_LOG` may ask for more of them, or fewer.
pub fn log_as_json() {
    let asked_for = environment("RUST_LOG").and_then(|levels| levels.parse().ok());
    let levels: Targets = asked_for.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // Lambda notes the time of each line itself.
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .without_time();
    tracing_subscriber::registry().with(lines).with(levels).init();
}
