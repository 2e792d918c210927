//! The entry point of a function on AWS.

mod batch;
mod events;

pub use batch::Batch;
pub use events::encode_delimiters;

use axum::Router;
pub use lambda_http::Error;
use lambda_http::{Adapter, Service};
use lambda_runtime::{LambdaEvent, service_fn};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::app::App;
use crate::base::clock::Clock;
use crate::base::invocation::Invocation;
use crate::base::random::Random;
use crate::base::settings::Settings;
use crate::http::Routes;

/// Serves a route table until Lambda stops the process.
pub fn serve(routes: Routes) -> Result<(), Error> {
    let app = start()?;
    block_on(async {
        // During INIT, when Lambda gives a function its full CPU.
        app.store.open_connection().await;
        let function = Function::new(routes, app);
        lambda_runtime::run(service_fn(|event| function.respond(event))).await
    })
}

/// A function with routes.
struct Function {
    router: Router,
    /// Responds to malformed requests.
    malformed: Router,
}

impl Function {
    fn new(routes: Routes, app: App) -> Self {
        Self { malformed: routes.for_malformed_requests().into_router(app.clone()), router: routes.into_router(app) }
    }

    /// Returns the response to an event of API Gateway. Fails for events that are not HTTP requests.
    async fn respond(&self, event: LambdaEvent<Box<RawValue>>) -> Result<impl Serialize, Error> {
        let LambdaEvent { payload, context, .. } = event;
        let (request, router) = match events::parse(payload.get())? {
            events::Request::Valid(request) => (request, &self.router),
            events::Request::Malformed(request) => (request, &self.malformed),
        };
        Adapter::from(router.clone()).call(LambdaEvent::new(request, context)).await.map_err(|never| match never {})
    }
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
    log_panics_without_their_message();
    Ok(App::new(Settings::read(environment)?, Clock::system(), Random::system()))
}

/// The message of a panic can contain data of a request: that of an invalid string index contains the string.
fn log_panics_without_their_message() {
    std::panic::set_hook(Box::new(|panic| {
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(location, "panicked");
    }));
}

fn block_on(run: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    // One thread: Lambda sends one invocation at a time, and each thread costs start-up time.
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(run)
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub fn log_as_json() {
    json_log(environment("RUST_LOG").as_deref(), std::io::stdout).init();
}

/// One JSON line per event, with the id, the user and the merchant of the request. `levels` are those of `RUST_LOG`, which make
/// the log quieter. It cannot have more than [`LevelFilter::INFO`]: below, the AWS SDK logs rows and secrets, and the Lambda
/// runtime logs requests.
pub fn json_log<W>(levels: Option<&str>, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let levels = levels.and_then(|levels| levels.parse().ok());
    let levels: Targets = levels.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    // Lambda adds the time of each line.
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(writer)
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .without_time();
    tracing_subscriber::registry().with(lines).with(levels).with(LevelFilter::INFO)
}
