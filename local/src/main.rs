//! `cargo run`: runs the whole system locally.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Parser, Subcommand};
use local::clients::ClientAddresses;
use local::{DEFAULT_DASHBOARD_ORIGINS, Listening, Local, Options, Requested, StartError, StartingState};
use shared::base::clock::Clock;
use shared::team::model::team::AdministratorsBy;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Runs the merchant portal API and its upstream services on this machine
#[derive(Debug, Parser)]
#[command(name = "local", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Port of the API; 0 picks a free port
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,
    /// First of four consecutive ports for DynamoDB, S3, SES and Secrets Manager; 0 picks free ports
    #[arg(long, value_name = "N", default_value_t = 4566, conflicts_with = "external")]
    aws_port: u16,
    #[command(flatten)]
    external: Requested,
    /// Directory for persistent state; without it, state is kept in memory
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Fixtures document to load at start-up instead of the demo; `none` loads nothing
    #[arg(long, value_name = "FILE")]
    fixtures: Option<PathBuf>,
    /// URL of a card network to use instead of the simulator
    #[arg(long, value_name = "URL")]
    card_network: Option<String>,
    /// URL of an identity verifier to use instead of the simulator
    #[arg(long, value_name = "URL")]
    verifier: Option<String>,
    /// Start everything except the API, to run the functions with cargo-lambda or SAM
    #[arg(long)]
    services_only: bool,
    /// Origin whose pages may call the API with the session cookie; `:*` at the end stands for any port; may be repeated
    #[arg(long, value_name = "ORIGIN", default_values = DEFAULT_DASHBOARD_ORIGINS)]
    dashboard_origin: Vec<String>,
    /// Whether a platform administrator is one after signing in by a mailed code too, or by a passkey alone
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    administrators_by_code: bool,
    /// Print no line for each request
    #[arg(long)]
    quiet: bool,
    /// File to write once everything is running: a JSON object of all base URLs
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a merchant with many orders into a data directory
    Generate(local::generate::Arguments),
}

#[tokio::main]
async fn main() -> ExitCode {
    log_to_stderr();
    match Box::pin(run(Arguments::parse())).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("local: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `RUST_LOG` overrides the default levels.
fn log_to_stderr() {
    let from_environment = std::env::var("RUST_LOG").ok().and_then(|levels| levels.parse().ok());
    let default = || Targets::new().with_default(LevelFilter::WARN).with_target("dynoxide", LevelFilter::ERROR);
    let levels: Targets = from_environment.unwrap_or_else(default);
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(layer).with(levels).init();
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    if let Some(Command::Generate(arguments)) = &arguments.command {
        println!("{}", local::generate::run(arguments, Clock::system().now()).await?);
        return Ok(());
    }
    let ready_file = arguments.ready_file.clone();
    // A file from an earlier run would report this run as ready too early.
    if let Some(path) = ready_file.as_ref().filter(|path| path.exists()) {
        std::fs::remove_file(path)?;
    }
    let has_fixtures = arguments.fixtures.as_deref() != Some(Path::new("none"));
    let external = arguments.external.clone().check(has_fixtures, |name| std::env::var(name).ok())?;
    match &external {
        None => println!("Starting the embedded services, and loading what the system begins with."),
        Some(_) => println!("Preparing the AWS services, and loading what the system begins with."),
    }
    let local = Local::start(Options { external_aws: external, ..arguments.into() }).await?;
    for line in local.external_resources() {
        println!("  {line}");
    }
    print_endpoints(&local).await;
    tokio::select! {
        loaded = finish_demo(&local) => loaded?,
        stopped = shutdown_signal() => return Ok(stopped?),
    }
    if let Some(path) = ready_file {
        write_ready_file(&path, &local.listening)?;
    }
    shutdown_signal().await?;
    Ok(())
}

impl From<Arguments> for Options {
    fn from(arguments: Arguments) -> Self {
        let fixtures = match arguments.fixtures {
            None => StartingState::Demo,
            Some(path) if path == Path::new("none") => StartingState::Nothing,
            Some(path) => StartingState::File(path),
        };
        Self {
            port: arguments.port,
            aws_port: arguments.aws_port,
            data: arguments.data,
            fixtures,
            card_network: arguments.card_network,
            verifier: arguments.verifier,
            services_only: arguments.services_only,
            dashboard_origins: arguments.dashboard_origin,
            administrators_by: if arguments.administrators_by_code {
                AdministratorsBy::AnyMethod
            } else {
                AdministratorsBy::Passkey
            },
            whole_demo: true,
            prints_requests: !arguments.quiet,
            ..Self::default()
        }
    }
}

async fn finish_demo(local: &Local) -> Result<(), StartError> {
    if local.has_unfinished_demo() {
        println!("Loading the rest of the demo. Lists and reports fill up meanwhile, the latest weeks first.");
        Box::pin(local.finish_demo()).await?;
        println!("All of the demo is loaded.");
    }
    Ok(())
}

async fn print_endpoints(local: &Local) {
    let Listening { api, dynamodb, s3, ses, secretsmanager, card_network, verifier, clients } = &local.listening;
    println!("Services:");
    println!("  DynamoDB            {dynamodb}");
    println!("  S3                  {s3}");
    println!("  SES                 {ses}");
    println!("  Secrets Manager     {secretsmanager}");
    println!("  Card network        {card_network}");
    println!("  Identity verifier   {verifier}");
    if let Ok(Some(token)) = local.sign_in_to_demo().await {
        println!("\nExample request, signed in as {}:\n", local::demo::ADMIN);
        println!("  curl '{api}/api/bff/merchant-orders?pageSize=3' -H 'Authorization: Bearer {token}'");
    }
    if let Some(ClientAddresses { dashboard, till, shop, storefront }) = clients {
        println!("\nIn the browser:");
        println!("  Console             {api}");
        println!("  Dashboard           {dashboard}");
        println!("  Till                {till}");
        println!("  Shop with widget    {shop}");
        println!("  Storefront          {storefront}/aurora-coffee");
    }
    println!("\nThe API listens on {api}");
    println!("Press Ctrl-C to stop.");
}

/// Writes a temporary file and renames it, so that a process that waits for the file never reads part of it.
fn write_ready_file(path: &Path, listening: &Listening) -> std::io::Result<()> {
    let temporary = path.with_extension("unfinished");
    std::fs::write(&temporary, serde_json::to_vec(listening)?)?;
    std::fs::rename(temporary, path)
}

async fn shutdown_signal() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}
