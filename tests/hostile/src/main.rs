//! Attacks the API as hostile callers and hostile upstreams do, and prints one table of what was tried and what broke.
//!
//! ```sh
//! cargo run --release -p hostile                   # everything, as in SECURITY.md
//! cargo run --release -p hostile -- tenants input  # some attacks
//! cargo run -p hostile -- --quick                  # the part that runs in CI
//! ```
//!
//! The program starts local systems in its own process and calls nothing but this machine. It fails if anything broke.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the program stops at an unexpected state, as tests do"
)]

mod balances;
mod files;
mod input;
mod names;
mod report;
mod request;
mod routes;
mod secrets;
mod shop;
mod tenants;
mod timing;
mod upstreams;
mod wire;

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use world::SeededRandom;

use crate::report::Report;

/// Attacks the API as hostile callers and hostile upstreams do
#[derive(Debug, Parser)]
struct Arguments {
    /// What to try [default: everything]
    attacks: Vec<Attack>,
    #[command(flatten)]
    effort: Effort,
}

/// How much an attack tries, and with which random choices.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Effort {
    /// Tries the part that runs in CI
    #[arg(long)]
    quick: bool,
    /// Prints how often each route was answered with which status
    #[arg(long)]
    verbose: bool,
    /// Seed of all random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

impl Effort {
    /// One of two counts.
    fn choose<T>(self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    fn random(self) -> SeededRandom {
        SeededRandom::new(self.seed)
    }
}

/// Listed in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Attack {
    /// Callers of one merchant, and what belongs to another one
    Tenants,
    /// Requests that are malformed in every way
    Input,
    /// Files that are not what they seem, their names and their links
    Files,
    /// A card network, a verifier and receivers of webhooks that send anything
    Upstreams,
    /// Secrets and personal data in answers, rows, mails and logs
    Secrets,
    /// Strangers who try codes of gift cards, while a till sells
    Balances,
    /// Whether times tell what answers do not
    Timing,
}

impl Attack {
    async fn run(self, effort: Effort) -> Report {
        match self {
            Self::Tenants => tenants::run(effort).await,
            Self::Input => input::run(effort).await,
            Self::Files => files::run(effort).await,
            Self::Upstreams => upstreams::run(effort).await,
            Self::Secrets => secrets::run().await,
            Self::Balances => balances::run(effort).await,
            Self::Timing => timing::run(effort).await,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments { attacks, effort } = Arguments::parse();
    let attacks = if attacks.is_empty() { Attack::value_variants().to_vec() } else { attacks };
    let mut reports = Vec::new();
    for attack in attacks {
        let name = attack.to_possible_value().unwrap().get_name().to_owned();
        let started = Instant::now();
        eprintln!("{name} …");
        let report = Box::pin(attack.run(effort)).await;
        reports.push((name, started.elapsed(), report));
    }
    println!("{}", report::table(&reports));
    for (name, _, report) in &reports {
        report.print_breaches(name);
    }
    if reports.iter().all(|(_, _, report)| report.holds()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
