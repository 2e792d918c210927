//! The entry point of a function on AWS.

pub use lambda_http::Error;
use lambda_runtime::{LambdaEvent, service_fn};
use serde::de::DeserializeOwned;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::app::App;
use crate::clock::Clock;
use crate::http::routes::Routes;
use crate::invocation::Invocation;
use crate::random::Random;
use crate::settings::Settings;

/// Serves a route table until Lambda stops the process.
pub fn serve(routes: Routes) -> Result<(), Error> {
    let app = start()?;
    block_on(async {
        // During INIT, when Lambda gives a function its full CPU.
        app.store.open_connection().await;
        lambda_http::run(routes.into_router(app)).await
    })
}

/// Passes every event to `work` until Lambda stops the process. For functions without routes.
pub fn run_worker<E: DeserializeOwned, F>(work: impl Fn(App, Invocation, E) -> F) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>>,
{
    let app = start()?;
    block_on(lambda_runtime::run(service_fn(|event: LambdaEvent<E>| {
        let invocation = Invocation::new(&app.clock, event.context.request_id);
        work(app.clone(), invocation, event.payload)
    })))
}

fn start() -> Result<App, Error> {
    log_as_json();
    Ok(App::new(Settings::read(environment)?, Clock::system(), Random::system()))
}

fn block_on(run: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    // One thread: Lambda sends one invocation at a time, and each thread costs start-up time.
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// One JSON line per event, with the id and the merchant of the request. `RUST_LOG` sets the level.
pub fn log_as_json() {
    let configured = environment("RUST_LOG").and_then(|levels| levels.parse().ok());
    let levels: Targets = configured.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // Lambda adds the time of each line.
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .without_time();
    tracing_subscriber::registry().with(lines).with(levels).init();
}
