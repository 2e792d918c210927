//! How fast the functions start and answer: the release binaries, over the Lambda Runtime API, with TLS to what they talk
//! to. Flattened them the least that a function can do, and a peer in Node; all take turns, so that what the machine does
//! meanwhile falls on each alike. Absolute times belong to a machine; the ratios say something.
//!
//! ```sh
//! cargo run --release -p cold-start
//! ```
//!
//! It reports and gates nothing.

mod endpoint;
mod measure;
mod programs;
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
use test_support::event;

use crate::measure::{Start, Subject};
use crate::report::Figures;
use crate::services::{Environment, Services};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A read of each function with routes: a file in `events/`.
const READS: [(&str, &str); 9] = [
    ("merchant", "profile"),
    ("offers", "list"),
    ("analytics", "overview"),
    ("settlements", "list"),
    ("orders", "list"),
    ("pos", "card"),
    ("widget", "config"),
    ("storefront", "merchant"),
    ("onboarding", "document"),
];
const WORKERS: [&str; 2] = ["jobs", "sweep"];
/// What is known of the bounds that functions miss.
const WHY: &str = "\
- analytics, orders and settlements read something of every row of their range.
- offers, pos and storefront wait for two answers, one after the other: the table's, and the card network's or another
  of the table.
- Whoever has a session costs one round trip to the table, through TLS and the SDK, before anything else: what merchant
  takes is that and little more.";
const FLOOR: &str = "floor";
/// The function that the peer does the same as.
const MODEL: &str = "merchant";
const PEER: &str = "Node";

/// Measures how fast the functions start and answer.
#[derive(Debug, Parser)]
struct Arguments {
    /// How often each is started
    #[arg(long, default_value_t = 30)]
    starts: usize,
    /// Requests to each start after the first one
    #[arg(long, default_value_t = 100)]
    requests: usize,
    /// Functions to look at; all when there are none
    functions: Vec<String>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let Arguments { starts, requests, functions } = Arguments::parse();
    let all = || READS.iter().map(|(name, _)| *name).chain(WORKERS);
    let wanted = |name: &&str| functions.is_empty() || functions.iter().any(|wanted| wanted == name);
    let names: Vec<&str> = all().filter(|name| *name == MODEL || wanted(name)).collect();
    programs::build_functions(&names)?;
    let services = Services::start(&programs::build_local()?).await?;

    let mut subjects = vec![floor()?];
    for name in &names {
        subjects.push(function(name, &services.environment)?);
    }
    // Uncounted: it fills the caches of the machine, and tells the endpoints what will be asked.
    let mut read = None;
    for subject in &subjects {
        subject.start(1).await?;
        if subject.name == MODEL {
            read = services.dynamodb.longest_call(".BatchGetItem");
        }
    }
    if let Some(peer) = peer(&services.environment, read)? {
        peer.start(1).await?;
        subjects.push(peer);
    }
    let mut taken: BTreeMap<&str, Vec<Start>> = BTreeMap::new();
    for _ in 0..starts {
        for subject in &subjects {
            taken.entry(&subject.name).or_default().push(subject.start(requests).await?);
        }
    }
    let mut figures = Vec::new();
    for subject in &subjects {
        let zipped = match subject.name.as_str() {
            PEER => None,
            name => Some(programs::zipped(&programs::release(name))?),
        };
        let starts = taken.get(subject.name.as_str()).map(Vec::as_slice).unwrap_or_default();
        figures.push(Figures::of(&subject.name, starts, zipped));
    }
    println!("{starts} starts of each in turn, {requests} more requests to each start. Times are medians.\n");
    print(&figures);
    if names.contains(&"offers") {
        let peak = upload(&services.environment)?.start(1).await?.peak.unwrap_or_default();
        println!("\nAn upload of the largest file takes offers to {} MB.", peak / 1_000_000);
    }
    Ok(())
}

fn print(figures: &[Figures]) {
    let Some(floor) = figures.first() else { return };
    let peer = figures.iter().find(|figures| figures.name == PEER);
    report::print_heading();
    for figures in figures {
        report::print(figures, floor);
    }
    let with_routes = figures.iter().filter(|figures| READS.iter().any(|(name, _)| *name == figures.name));
    let missed: Vec<String> = with_routes.flat_map(|figures| report::missed(figures, floor, peer)).collect();
    println!();
    if missed.is_empty() {
        println!("Every function keeps to every bound.");
    } else {
        println!("Missed:\n{}\n\nWhy, as far as it is known:\n{WHY}", missed.join("\n"));
    }
}

fn floor() -> Result<Subject, Failure> {
    let command = vec![programs::build_floor()?];
    Ok(Subject { name: FLOOR.to_owned(), command, environment: Environment::new(), event: json!({}) })
}

fn function(name: &str, environment: &Environment) -> Result<Subject, Failure> {
    let event = match READS.iter().find(|(read, _)| *read == name) {
        Some((_, read)) => event(&format!("{name}/{read}")),
        None => json!({"Records": []}),
    };
    let command = vec![programs::release(name)];
    Ok(Subject { name: name.to_owned(), command, environment: environment.clone(), event })
}

/// The Node function, which reads what its model was seen to read; none where there is no npm.
fn peer(environment: &Environment, read: Option<Bytes>) -> Result<Option<Subject>, Failure> {
    let Some(script) = programs::install_peer()? else {
        println!("There is no npm, and so no peer in Node.");
        return Ok(None);
    };
    let read = read.ok_or("merchant was not seen to read anything")?;
    let mut environment = environment.clone();
    environment.insert("READ".to_owned(), String::from_utf8(read.into())?);
    let command = vec![PathBuf::from("node"), script];
    Ok(Some(Subject { name: PEER.to_owned(), command, environment, event: event("merchant/profile") }))
}

/// The largest file that may be uploaded.
fn upload(environment: &Environment) -> Result<Subject, Failure> {
    const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
    let mut event = event("offers/media-base64");
    let head = "------boundary\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n\
                Content-Type: image/png\r\n\r\n";
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    file.resize(MAX_FILE_BYTES, 0);
    let body = [head.as_bytes(), &file, b"\r\n------boundary--\r\n"].concat();
    if let Some(encoded) = event.get_mut("body") {
        *encoded = STANDARD.encode(body).into();
    }
    Ok(Subject { event, ..function("offers", environment)? })
}
