//! Measures the cold start and the response times of the functions: the release binaries run against the Lambda Runtime
//! API and connect to the local services over TLS. For comparison, a minimal Rust function (the baseline) and a Node.js
//! function run too. All programs take turns, so that other load on the machine affects them equally. Absolute times
//! depend on the machine; compare the ratios.
//!
//! ```sh
//! cargo run --release -p cold-start
//! ```
//!
//! The program only reports: it does not fail if a function misses a target. Sizes have none here: `.ci/arm64` checks those of
//! the programs that are deployed, which are smaller than those of `x86_64`.

mod measure;
mod programs;
mod proxy;
mod report;
mod runtime_api;
mod server;
mod services;

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use clap::Parser;
use serde_json::json;
use world::{PNG, event};

use crate::measure::{Measurement, Program};
use crate::report::Summary;
use crate::services::{Environment, Services};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A read request for each function with routes: the name of an event in `events/`.
const READS: [(&str, &str); 13] = [
    ("merchant", "profile"),
    ("offers", "list"),
    ("analytics", "overview"),
    ("settlements", "list"),
    ("orders", "list"),
    ("pos", "card"),
    ("widget", "config"),
    ("storefront", "merchant"),
    ("onboarding", "document"),
    ("accounts", "session"),
    ("administration", "merchants"),
    ("exports", "export-that-is-gone"),
    ("webhooks", "list"),
];
/// Without `deliveries`, which works for a minute each time it is started.
const WORKERS: [&str; 3] = ["jobs", "projections", "sweep"];
const BASELINE: &str = "baseline";
/// The Node.js function makes the same read as this function.
const NODE_MODEL: &str = "merchant";
const NODE: &str = "Node.js";

/// Measures the cold start and the response times of the functions.
#[derive(Debug, Parser)]
struct Arguments {
    /// Starts of each program
    #[arg(long, default_value_t = 12)]
    starts: usize,
    /// Requests per start after the first one
    #[arg(long, default_value_t = 100)]
    requests: usize,
    /// Functions to build and measure [default: all]
    #[arg(long, num_args = 1..)]
    functions: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let Arguments { starts, requests, functions } = Arguments::parse();
    let all = READS.iter().map(|(name, _)| *name).chain(WORKERS);
    let names: Vec<&str> = if functions.is_empty() { all.collect() } else { functions.iter().map(String::as_str).collect() };
    programs::build_functions(&names)?;
    let services = Services::start(&programs::build_local()?).await?;

    let mut programs = vec![baseline()?];
    for name in &names {
        programs.push(function(name, &services.environment));
    }
    // Warm-up, not counted: fills the caches of the machine and of the proxies.
    let mut model_read = None;
    for program in &programs {
        program.measure(1).await?;
        if program.name == NODE_MODEL {
            model_read = services.dynamodb.longest_request(".BatchGetItem");
        }
    }
    if let Some(read) = model_read
        && let Some(node) = node_function(&services.environment, read)?
    {
        node.measure(1).await?;
        programs.push(node);
    }
    let mut measurements: BTreeMap<&str, Vec<Measurement>> = BTreeMap::new();
    for _ in 0..starts {
        for program in &programs {
            measurements.entry(&program.name).or_default().push(program.measure(requests).await?);
        }
    }
    let mut summaries = Vec::new();
    for program in &programs {
        let zip_size = match program.name.as_str() {
            NODE => None,
            name => Some(programs::zip_size(&programs::release_binary(name))?),
        };
        let measurements = measurements.get(program.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        summaries.push(Summary::new(&program.name, measurements, zip_size));
    }
    println!("{starts} starts of each program in turn, {requests} more requests per start. Times are medians.\n");
    print(&summaries);
    if names.contains(&"offers") {
        let peak = upload(&services.environment).measure(1).await?.peak_memory.unwrap_or_default();
        println!("\nPeak memory of offers during an upload of the maximum size: {} MB.", peak / 1_000_000);
    }
    Ok(())
}

fn print(summaries: &[Summary]) {
    let Some(baseline) = summaries.first() else { return };
    report::print_heading();
    for summary in summaries {
        report::print(summary, baseline);
    }
    let with_routes = summaries.iter().filter(|summary| READS.iter().any(|(name, _)| *name == summary.name));
    let missed: Vec<String> = with_routes.flat_map(|summary| report::missed_targets(summary, baseline)).collect();
    println!("\n{}", if missed.is_empty() { "All functions meet all targets.".to_owned() } else { missed.join("\n") });
}

fn baseline() -> Result<Program, Failure> {
    let command = vec![programs::build_baseline()?];
    Ok(Program { name: BASELINE.to_owned(), command, environment: Environment::new(), event: json!({}) })
}

fn function(name: &str, environment: &Environment) -> Program {
    let event = match READS.iter().find(|(function, _)| *function == name) {
        Some((_, read)) => event(&format!("{name}/{read}")),
        None => json!({"Records": []}),
    };
    let command = vec![programs::release_binary(name)];
    Program { name: name.to_owned(), command, environment: environment.clone(), event }
}

/// Returns the Node.js function, which makes the recorded read of its model, or `None` if npm is not installed.
fn node_function(environment: &Environment, read: Bytes) -> Result<Option<Program>, Failure> {
    let Some(script) = programs::install_node_function()? else {
        println!("npm is not installed: the Node.js function is not measured.");
        return Ok(None);
    };
    let mut environment = environment.clone();
    environment.insert("READ".to_owned(), String::from_utf8(read.into())?);
    let command = vec![PathBuf::from("node"), script];
    Ok(Some(Program { name: NODE.to_owned(), command, environment, event: event("merchant/profile") }))
}

/// Returns the offers function with an upload of the maximum size as its event.
fn upload(environment: &Environment) -> Program {
    const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
    let mut event = event("offers/media-base64");
    let head = "------boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
                Content-Type: image/png\r\n\r\n";
    let mut file = PNG.to_vec();
    file.resize(MAX_FILE_BYTES, 0);
    let body = [head.as_bytes(), &file, b"\r\n------boundary--\r\n"].concat();
    if let Some(encoded) = event.get_mut("body") {
        *encoded = STANDARD.encode(body).into();
    }
    Program { event, ..function("offers", environment) }
}
