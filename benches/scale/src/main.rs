//! Measures what lists, searches, reports and sales cost as a merchant grows: read units, DynamoDB calls, S3 requests, calls
//! one after the other, and response times.
//!
//! ```sh
//! cargo run --release -p scale-bench
//! ```
//!
//! The program only reports: it does not fail if a bound is missed.

mod bounds;
mod cases;
mod data;
mod dollars;
mod error;
mod figures;
mod machine;
mod measure;
mod report;
mod results;
mod system;
mod till;
mod webhooks;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use crate::data::Data;
use crate::error::BenchError;
use crate::results::{Measured, SizeResult};
use crate::system::System;

/// Measures what lists, searches, reports and sales cost as a merchant grows
#[derive(Debug, Parser)]
struct Arguments {
    /// Numbers of orders
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [10, 1_000, 100_000, 1_000_000])]
    sizes: Vec<u32>,
    /// Directory to keep the generated data in, for the next run; each run adds 20 sales and redemptions to it [default:
    /// a temporary directory]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Requests of each case; fewer if they are slow
    #[arg(long, value_name = "N", default_value_t = 30)]
    requests: usize,
    /// Measures only whether a merchant notices that a slow system of another one has this many messages
    #[arg(long, value_name = "N")]
    webhooks: Option<u32>,
    /// Directory to write scale-benchmark.md to [default: the table is printed only]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Orders of the merchant that sells while another one's system is slow.
const SMALL: u32 = 10;

#[tokio::main]
async fn main() -> ExitCode {
    match Box::pin(run(Arguments::parse())).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scale-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), BenchError> {
    let Arguments { mut sizes, data, requests, webhooks, out } = arguments;
    sizes.sort_unstable();
    sizes.dedup();
    let data = Data::open(data)?;
    if let Some(messages) = webhooks {
        let system = Box::pin(System::start(&Box::pin(data.of_size(SMALL)).await?)).await?;
        println!("{}", Box::pin(webhooks::compare(&system, messages)).await?);
        return Ok(());
    }
    let mut results = Vec::new();
    for orders in sizes {
        let directory = Box::pin(data.of_size(orders)).await?;
        results.push(Box::pin(measure_size(&directory, orders, requests)).await?);
    }
    let document = report::document(&results, requests);
    println!("{document}");
    if let Some(out) = out {
        std::fs::create_dir_all(&out).map_err(|source| BenchError::File { path: out.clone(), source })?;
        write(&out.join("scale-benchmark.md"), &document)?;
    }
    Ok(())
}

async fn measure_size(directory: &Path, orders: u32, requests: usize) -> Result<SizeResult, BenchError> {
    let system = Box::pin(System::start(directory)).await?;
    // Before any other search, so that the function has no segments in memory.
    let first_search = cases::first_search();
    let cost = measure::cost(&system, &first_search, 0).await?;
    let mut measured = vec![Measured { case: first_search, cost, sequential_calls: None }];
    for case in cases::cases(&system).await? {
        eprintln!("{orders} orders: {}", case.name());
        let cost = measure::cost(&system, &case, requests).await?;
        let sequential_calls = if cost.is_given_up { None } else { measure::sequential_calls(&system, &case).await? };
        measured.push(Measured { case, cost, sequential_calls });
    }
    eprintln!("{orders} orders: sales and redemptions");
    let till = till::measure(&system).await?;
    Ok(SizeResult { orders, measured, till })
}

fn write(path: &Path, content: &str) -> Result<(), BenchError> {
    std::fs::write(path, content).map_err(|source| BenchError::File { path: path.to_owned(), source })
}
