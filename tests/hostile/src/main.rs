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

mod effort;
mod input;
mod names;
mod report;
mod request;
mod routes;
mod shop;
mod system;
mod tenants;

use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};

use crate::effort::Effort;
use crate::report::Report;

/// Attacks the API as hostile callers and hostile upstreams do
#[derive(Debug, Parser)]
struct Arguments {
    /// What to try [default: everything]
    attacks: Vec<Attack>,
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

/// Listed in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Attack {
    /// Callers of one merchant, and what belongs to another one
    Tenants,
    /// Requests that are malformed in every way
    Input,
}

impl Attack {
    fn name(self) -> String {
        self.to_possible_value().unwrap().get_name().to_owned()
    }

    async fn run(self, effort: Effort) -> Report {
        match self {
            Self::Tenants => tenants::run(effort).await,
            Self::Input => input::run(effort).await,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments { attacks, quick, verbose, seed } = Arguments::parse();
    let effort = Effort { quick, verbose, seed };
    let attacks = if attacks.is_empty() { Attack::value_variants().to_vec() } else { attacks };
    let mut reports = Vec::new();
    for attack in attacks {
        let started = Instant::now();
        eprintln!("{} …", attack.name());
        let report = Box::pin(attack.run(effort)).await;
        reports.push((attack.name(), started.elapsed(), report));
    }
    println!("{}", report::table(&reports));
    for (name, _, report) in &reports {
        report.print_breaches(name);
    }
    if reports.iter().all(|(_, _, report)| report.holds()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
