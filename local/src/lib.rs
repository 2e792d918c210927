//! The local system: all functions behind one port, and the services that they call, in one process without external
//! dependencies.
//!
//! The functions run the deployed code, with the same AWS and HTTP clients. Only their settings differ.

mod bounds;
pub mod client_headers;
pub mod client_release;
pub mod clients;
mod components;
mod control;
pub mod demo;
mod engine;
mod external;
pub mod fixtures;
mod gateway;
pub mod generate;
mod history;
mod mail_page;
pub mod openapi;
mod reference;
mod request_log;
mod resources;
pub mod route_files;
mod services;
pub mod stream;
pub mod table;
mod users;
mod webhook_receivers;
mod workers;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use http::{Method, Request, StatusCode};
use jiff::Timestamp;
use serde_json::{Value, json};
use shared::app::App;
use shared::aws;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::base::settings::{SettingError, Settings};
use shared::db::StoreError;
use shared::http::Routes;
use shared::team::model::team::AdministratorsBy;
use shared::values::UserId;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use clients::{Clients, Site, widget_file};
use control::Control;
use external::ExternalAws;
pub use external::{External, Refused, Requested};
use fixtures::{FixtureError, LoadError};
use gateway::Gateway;
use request_log::RequestLog;
use services::Services;
pub use services::{Listening, ServiceError};
use stream::Stream;
use table::TableError;
use upstreams::aws::{Call, Permissions};
use upstreams::faults::Faults;
use upstreams::guard::Guard;
use upstreams::simulators::card_network::{CardNetwork, Operation};
use webhook_receivers::WebhookReceivers;
use workers::{WorkerApps, WorkerError, Workers};

/// The fixtures to load at start-up.
#[derive(Debug, Clone, Default)]
pub enum StartingState {
    #[default]
    Demo,
    Nothing,
    File(PathBuf),
}

/// Options of the local system. By default, it listens on free ports and keeps all state in memory.
#[derive(Debug, Clone)]
pub struct Options {
    pub port: u16,
    pub aws_port: u16,
    /// AWS services to use instead of embedded ones.
    pub external_aws: Option<External>,
    pub data: Option<PathBuf>,
    pub fixtures: StartingState,
    pub card_network: Option<String>,
    pub verifier: Option<String>,
    pub services_only: bool,
    /// The origins of the dashboard. `:*` at the end stands for any port.
    pub dashboard_origins: Vec<String>,
    /// The sessions in which a platform administrator is one.
    pub administrators_by: AdministratorsBy,
    /// Whether the demo has all of its history. It is loaded after the start, and so are tills and payouts; else only the latest
    /// weeks are loaded.
    pub whole_demo: bool,
    /// Whether each request is printed.
    pub prints_requests: bool,
    pub clock: Clock,
}

/// The default origins of the dashboard: development servers on this machine.
pub const DEFAULT_DASHBOARD_ORIGINS: [&str; 2] = ["http://localhost:*", "http://127.0.0.1:*"];

impl Default for Options {
    fn default() -> Self {
        Self {
            port: 0,
            aws_port: 0,
            external_aws: None,
            data: None,
            fixtures: StartingState::Demo,
            card_network: None,
            verifier: None,
            services_only: false,
            dashboard_origins: DEFAULT_DASHBOARD_ORIGINS.map(str::to_owned).into(),
            administrators_by: AdministratorsBy::AnyMethod,
            whole_demo: false,
            prints_requests: false,
            clock: Clock::system(),
        }
    }
}

impl Options {
    pub(crate) fn guard(&self) -> Guard {
        Guard::new(&self.dashboard_origins, self.services_only)
    }
}

#[derive(Debug, Error)]
pub enum StartError {
    #[error("cannot listen on port {port} ({source}): choose another port with --port")]
    Port { port: u16, source: io::Error },
    #[error("cannot read {path}: {source}")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("invalid fixtures: {0}")]
    Fixtures(#[from] FixtureError),
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Services(#[from] ServiceError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Settings(#[from] SettingError),
    #[error(transparent)]
    Demo(#[from] demo::DemoError),
    #[error("cannot start the workers: {0}")]
    Workers(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A running local system. It stops when dropped.
#[derive(Debug)]
pub struct Local {
    pub listening: Listening,
    /// Environment variables for a function that runs against this system.
    pub environment: BTreeMap<&'static str, String>,
    control: Control,
    _tasks: JoinSet<()>,
    /// When the demo ends whose rest is to be loaded.
    unfinished_demo: Option<Timestamp>,
}

/// Returns the route tables of all functions behind the gateway.
pub fn route_tables() -> Vec<Routes> {
    vec![
        merchant::routes(),
        offers::routes(),
        onboarding::routes(),
        orders::routes(),
        pos::routes(),
        analytics::routes(),
        settlements::routes(),
        widget::routes(),
        storefront::routes(),
        accounts::routes(),
        administration::routes(),
        exports::routes(),
        webhooks::routes(),
    ]
}

impl Local {
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let unavailable = |source| StartError::Port { port: options.port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await.map_err(unavailable)?;
        let api = format!("http://{}:{}", clients::NAME, listener.local_addr()?.port());
        let clients = if options.services_only { None } else { Some(Clients::listen(options.port).await?) };
        if let Some(data) = &options.data {
            std::fs::create_dir_all(data)?;
        }
        let addresses = clients.as_ref().map(|clients| clients.addresses.clone());
        let services = Services::start(&options, api.clone(), addresses).await?;
        let (environment, guard) = (services.environment(), options.guard());
        let app = services.app("local", &options.clock)?;
        if services.embedded().is_some() {
            table::ensure(&aws::Aws::new(app.settings.aws.clone()).dynamodb(), &app.settings.table).await?;
        }
        let now = app.clock.now();
        let stream = open_stream(&services, &app).await?;
        let uncounted = if stream.has_gap { app.store.merchant_ids().await.map_err(LoadError::from)? } else { Vec::new() };
        load_fixtures(&options.fixtures, &app, &services, now).await?;
        if !uncounted.is_empty() {
            tracing::warn!("it is not known which changes have been counted: all figures are counted from the table");
            services.recount(&uncounted, &app).await?;
        }
        let workers = workers(&services, stream, &options.clock)?;
        if matches!(options.fixtures, StartingState::Demo) && !options.whole_demo {
            // The workers count these changes once they run.
            Box::pin(demo::add_accounts(&environment, now)).await?;
        }
        let requests = RequestLog::new(options.prints_requests);
        let control = Control {
            app,
            requests: requests.clone(),
            webhook_receivers: WebhookReceivers::default(),
            services: services.clone(),
            workers: workers.clone(),
            environment: shown_environment(&services, &environment),
        };

        let mut tasks = JoinSet::new();
        let router = control::routes(control.clone()).layer(middleware::from_fn_with_state(guard.clone(), check_origin));
        let router = match clients {
            None => router,
            Some(clients) => {
                let console = Site::console(&api, &clients.addresses);
                let gateway = Arc::new(gateway(&services, &options.clock, guard.clone(), requests)?);
                for (listener, router) in clients.servers(&api, &guard, &gateway) {
                    tasks.spawn(serve(listener, router));
                }
                router.fallback_service(serve_api(gateway, guard.clone(), console))
            }
        };
        let router = router.layer(middleware::from_fn_with_state(guard, check_host));
        tasks.spawn(serve(listener, router));
        tasks.spawn(workers.clone().run());
        tasks.spawn(workers.send_webhooks());
        let listening = services.listening().clone();
        let is_unfinished = options.whole_demo && matches!(options.fixtures, StartingState::Demo);
        let unfinished_demo = is_unfinished.then_some(now);
        Ok(Self { listening, environment, control, _tasks: tasks, unfinished_demo })
    }

    /// Whether the demo has more than its latest weeks, which are loaded at the start.
    pub fn has_unfinished_demo(&self) -> bool {
        self.unfinished_demo.is_some()
    }

    /// Loads the rest of the demo while the system serves requests: tills and payouts, then its earlier history.
    pub async fn finish_demo(&self) -> Result<(), StartError> {
        let Some(now) = self.unfinished_demo else { return Ok(()) };
        let accounts = demo::add_accounts(&self.environment, now);
        self.control.workers.pause(Box::pin(accounts)).await?;
        Ok(self.control.load(&demo::earlier_history(now)?).await?)
    }

    /// Does something while nothing works in the background, so that tallies and search segments trail the rows. Fixtures cannot
    /// be loaded meanwhile.
    pub async fn pause<T>(&self, work: impl Future<Output = T>) -> T {
        self.control.workers.pause(Box::pin(work)).await
    }

    /// Sends the webhooks that are due, and returns when their answers are recorded.
    pub async fn send_due_webhooks(&self) {
        self.control.workers.send_due_webhooks().await;
    }

    /// Lets webhook endpoints answer within another time than ten seconds. Before a message is sent.
    pub async fn limit_webhooks(&self, timeout: Duration) {
        self.control.app.limit_webhooks(timeout);
        self.control.workers.limit_webhooks(timeout).await;
    }

    pub fn app(&self) -> &App {
        &self.control.app
    }

    /// Lets only these functions list the objects of a bucket. S3 tells only those that an object is missing.
    pub fn restrict_listing(&self, listers: BTreeSet<(String, String)>) {
        if let Some(permissions) = self.control.services.permissions() {
            permissions.restrict_listing(listers);
        }
    }

    /// Returns what the different calls of each function to AWS have required.
    pub fn calls(&self) -> BTreeMap<String, BTreeSet<Call>> {
        self.control.services.permissions().map(Permissions::calls).unwrap_or_default()
    }

    /// Returns the number of calls to DynamoDB and S3 that a function has made one after the other since the last reset of the
    /// usage: the longest sequence of calls of which each began after the one before had ended.
    pub fn sequential_calls(&self, function: &str) -> u64 {
        self.control.services.usage().map_or(0, |usage| usage.sequential_calls(function))
    }

    /// The faults of the upstreams. A test can hold a call with them.
    pub fn faults(&self) -> &Faults {
        self.control.services.faults()
    }

    /// Returns the operations of the card network's simulator, or none if another card network is used.
    pub fn card_network_operations(&self) -> Vec<Operation> {
        self.control.services.card_network().map(CardNetwork::operations).unwrap_or_default()
    }

    /// Replaces the value of a secret, as a rotation does.
    pub async fn rotate_secret(&self, name: &str, value: &Value) -> Result<(), ServiceError> {
        self.control.services.rotate_secret(name, value).await
    }

    /// What was made of the resources in external services, and what was found.
    pub fn external_resources(&self) -> &[String] {
        self.control.services.external().map(|aws| aws.report.as_slice()).unwrap_or_default()
    }

    /// Signs a user in and returns the session token, or `None` if the user does not exist.
    pub async fn sign_in(&self, user: &str) -> Result<Option<String>, StoreError> {
        let secret = self.control.app.random.bytes();
        let token = self.control.sign_in(&UserId::new(user), secret).await?;
        Ok(token.map(|token| token.expose().to_owned()))
    }

    /// Signs in the demo's administrator and its platform administrator, with tokens that are the same in every run. Returns
    /// that of the administrator, or `None` if the demo is not loaded.
    pub async fn sign_in_to_demo(&self) -> Result<Option<String>, StoreError> {
        self.control.sign_in(&UserId::new(demo::PLATFORM_ADMIN), demo::SESSION_SECRET).await?;
        let token = self.control.sign_in(&UserId::new(demo::ADMIN), demo::SESSION_SECRET).await?;
        Ok(token.map(|token| token.expose().to_owned()))
    }
}

fn gateway(services: &Services, clock: &Clock, guard: Guard, requests: RequestLog) -> Result<Gateway, SettingError> {
    let mut gateway = Gateway::new(clock.clone(), Random::system(), guard, requests);
    for routes in route_tables() {
        let app = services.app(routes.group(), clock)?;
        gateway.add(routes, app);
    }
    Ok(gateway)
}

async fn open_stream(services: &Services, app: &App) -> Result<Stream, StartError> {
    let Settings { aws, table, .. } = &app.settings;
    let stream = Stream::open(&services.stream_url(), aws.clone(), table, services.stream_checkpoint()).await;
    stream.map_err(|error| StartError::Workers(WorkerError::from(error).to_string()))
}

fn workers(services: &Services, stream: Stream, clock: &Clock) -> Result<Workers, StartError> {
    let app = |function| services.app(function, clock);
    let apps =
        WorkerApps { projections: app("projections")?, jobs: app("jobs")?, sweep: app("sweep")?, deliveries: app("deliveries")? };
    Ok(Workers::new(apps, stream, services.table_changes()))
}

/// Serves the API, and the files of the widget and of the console at all paths that have one.
fn serve_api(gateway: Arc<Gateway>, guard: Guard, console: Site) -> Router {
    Router::new().fallback(move |ConnectInfo(client): ConnectInfo<SocketAddr>, request: Request<Body>| {
        let gateway = gateway.clone();
        let (path, headers) = (request.uri().path(), request.headers());
        let is_read = request.method() == Method::GET;
        let of_widget = is_read.then(|| widget_file(path, headers)).flatten();
        let of_console = is_read.then(|| console.file(path, headers)).flatten();
        let is_own_page = guard.accepts_origin(headers);
        async move {
            match (of_widget, of_console) {
                (Some(file), _) => file,
                (None, Some(file)) if is_own_page => file,
                (None, Some(_)) => forbidden(),
                (None, None) => gateway.handle(client, request).await,
            }
        }
    })
}

async fn load_fixtures(state: &StartingState, app: &App, services: &Services, now: Timestamp) -> Result<(), StartError> {
    let documents = match state {
        StartingState::Nothing => Vec::new(),
        StartingState::Demo => demo::initial(now)?,
        StartingState::File(path) => {
            let unreadable = |source| StartError::Unreadable { path: path.clone(), source };
            vec![fixtures::parse(&std::fs::read(path).map_err(unreadable)?, now)?]
        }
    };
    for document in &documents {
        services.load(document, app).await?;
    }
    Ok(())
}

/// Rejects requests to another host than this machine.
async fn check_host(State(guard): State<Guard>, request: Request<Body>, next: Next) -> Response {
    if guard.accepts_host(request.uri(), request.headers()) { next.run(request).await } else { forbidden() }
}

/// Rejects requests of pages of other sites.
async fn check_origin(State(guard): State<Guard>, request: Request<Body>, next: Next) -> Response {
    if guard.accepts_origin(request.headers()) { next.run(request).await } else { forbidden() }
}

/// The response to a request that does not come from this machine or from the dashboard.
fn forbidden() -> Response {
    let message = "The local system accepts requests of this machine and of the dashboard's origins only.";
    (StatusCode::FORBIDDEN, Json(json!({"ok": false, "error": {"message": message}}))).into_response()
}

async fn serve(listener: TcpListener, router: Router) {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    if let Err(error) = axum::serve(listener, service).await {
        tracing::error!(cause = %error, "the gateway stopped");
    }
}

/// The environment that control calls show: without the credentials of an account.
fn shown_environment(services: &Services, environment: &BTreeMap<&'static str, String>) -> BTreeMap<&'static str, String> {
    const CREDENTIALS: [&str; 3] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
    let mut shown = environment.clone();
    shown.retain(|name, _| !services.external().is_some_and(ExternalAws::is_account) || !CREDENTIALS.contains(name));
    shown
}
