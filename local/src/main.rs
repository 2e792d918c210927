//! `cargo run`: the whole system on this machine.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use local::{Listening, Local, Options, StartingState};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Runs the merchant portal and everything that it talks to on this machine.
#[derive(Debug, Parser)]
#[command(name = "local")]
struct Arguments {
    /// Port of the API; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,
    /// First of the four ports of DynamoDB, S3, SES and Secrets Manager; 0 picks free ones
    #[arg(long, value_name = "N", default_value_t = 4566)]
    aws_port: u16,
    /// Keep all state in this folder; without it, state is gone when the system stops
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A fixtures document to load at the start instead of the demo, or `none`
    #[arg(long, value_name = "FILE")]
    fixtures: Option<PathBuf>,
    /// Another card network than the simulator
    #[arg(long, value_name = "URL")]
    card_network: Option<String>,
    /// Another identity verifier than the simulator
    #[arg(long, value_name = "URL")]
    verifier: Option<String>,
    /// Everything but the API itself, for other ways to run the functions
    #[arg(long)]
    services_only: bool,
    /// Written once all is up: a JSON document with every base URL
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    log_to_stderr();
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("local: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `RUST_LOG` may ask for more lines, or fewer.
fn log_to_stderr() {
    let asked_for = std::env::var("RUST_LOG").ok().and_then(|levels| levels.parse().ok());
    let usual = || Targets::new().with_default(LevelFilter::WARN).with_target("dynoxide", LevelFilter::ERROR);
    let levels: Targets = asked_for.unwrap_or_else(usual);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(lines).with(levels).init();
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let ready_file = arguments.ready_file.clone();
    // One of an earlier run would say that this one is up.
    if let Some(path) = ready_file.as_ref().filter(|path| path.exists()) {
        std::fs::remove_file(path)?;
    }
    let local = Local::start(arguments.into()).await?;
    announce(&local).await;
    if let Some(path) = ready_file {
        write_ready_file(&path, &local.listening)?;
    }
    stopped().await?;
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
            ..Self::default()
        }
    }
}

async fn announce(local: &Local) {
    let Listening { api, dynamodb, s3, ses, secretsmanager, card_network, verifier } = &local.listening;
    println!("DynamoDB          {dynamodb}");
    println!("S3                {s3}");
    println!("SES               {ses}");
    println!("Secrets Manager   {secretsmanager}");
    println!("Card network      {card_network}");
    println!("Identity verifier {verifier}");
    println!("API               {api}");
    if let Ok(Some(token)) = local.sign_in_to_demo().await {
        println!("\nSigned in as {}. Try:\n", local::demo::ADMIN);
        println!("  curl '{api}/api/bff/merchant-orders?pageSize=3' -H 'Authorization: Bearer {token}'\n");
    }
    println!("The API listens on {api}");
}

/// By rename: whoever waits for the file never reads half of it.
fn write_ready_file(path: &Path, listening: &Listening) -> std::io::Result<()> {
    let unfinished = path.with_extension("unfinished");
    std::fs::write(&unfinished, serde_json::to_vec(listening)?)?;
    std::fs::rename(unfinished, path)
}

async fn stopped() -> std::io::Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}
