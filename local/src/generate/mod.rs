//! `cargo run -- generate`: writes a merchant with a long history straight into the database of a data directory, so that
//! lists, searches and reports can be tried and measured with many rows.
//!
//! The history depends only on the number of orders, the number of days, the seed, and the time at which it ends.

mod codes;
mod history;
mod import;
mod merchant;
mod network;
mod people;
mod progress;
mod rows;
mod summary;
mod traffic;

use std::io;
use std::path::PathBuf;

use clap::Args;
use dynoxide::DynoxideError;
use jiff::Timestamp;
use shared::clock::Clock;
use shared::files::Files;
use shared::metrics::Metrics;
use shared::projections::search::{SearchError, SegmentObjects, Writer};
use shared::random::Random;
use shared::settings::{AwsCredentials, AwsEndpoints, AwsSettings, SecretString};
use shared::store::{Store, StoreError};
use thiserror::Error;
use tokio::task::JoinError;
use upstreams::aws::{ACCESS_KEY_ID, Aws, AwsOptions, REGION, SECRET_ACCESS_KEY, StartError};
use upstreams::calls::UpstreamCalls;
use upstreams::faults::Faults;
use upstreams::guard::Guard;
use upstreams::simulators::card_network::{CardNetwork, CardNetworkOptions};

pub use self::summary::Summary;
use crate::engine::EngineError;
use crate::services::SEARCH_BUCKET;
use crate::table::{self, TableError};

/// The name of the table in the local system.
const TABLE: &str = "portal";

/// Writes a merchant with many orders into a data directory
#[derive(Debug, Clone, Args)]
pub struct Arguments {
    /// Data directory to write to; no local system may be running on it
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
    /// Number of orders
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub orders: u32,
    /// Number of days of the history; the last one is today
    #[arg(
        long,
        value_name = "D",
        default_value_t = 365,
        value_parser = clap::value_parser!(u32).range(1..=3650)
    )]
    pub days: u32,
    /// Seed of the history; the same seed gives the same history at the same time
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Why the history was not written, or only a part of it.
#[derive(Debug, Error)]
pub enum GenerateError {
    #[error(
        "{} contains the merchant {}, perhaps of an interrupted run: delete it or choose another directory",
        data.display(),
        merchant::ID
    )]
    Exists { data: PathBuf },
    #[error(transparent)]
    Aws(#[from] StartError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("cannot prepare the database: {0}")]
    Database(#[from] DynoxideError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("cannot write to the data directory: {0}")]
    Data(#[from] io::Error),
    #[error("invalid records of the card network: {0}")]
    NetworkRecords(#[from] serde_json::Error),
    #[error("the generation stopped: {0}")]
    Stopped(#[from] JoinError),
}

/// What the history depends on.
#[derive(Debug, Clone, Copy)]
struct Plan {
    orders: i64,
    days: i64,
    seed: u64,
    /// When the history ends, in whole milliseconds.
    now: Timestamp,
}

impl Plan {
    fn new(arguments: &Arguments, now: Timestamp) -> Self {
        Self { orders: arguments.orders.into(), days: arguments.days.into(), seed: arguments.seed, now }
    }
}

/// Writes the merchant, its administrator and its history, and returns what was written.
pub async fn run(arguments: &Arguments, now: Timestamp) -> Result<Summary, GenerateError> {
    let data = &arguments.data;
    let aws = Aws::start(AwsOptions { data: Some(data.clone()), ..AwsOptions::default() }).await?;
    let clients = clients(&aws);
    let client = clients.dynamodb();
    table::ensure(&client, TABLE).await?;
    let random = Random::system();
    let store = Store::new(client, TABLE, random.clone(), Metrics::new(None, Clock::system()));
    if store.merchant_exists(&merchant::id()).await? {
        return Err(GenerateError::Exists { data: data.clone() });
    }
    let card_network = start_card_network(data.clone()).await?;
    let (database, plan) = (aws.dynamodb.database().clone(), Plan::new(arguments, now));
    let written = tokio::task::spawn_blocking(move || import::write_history(&database, &plan)).await??;
    card_network.load(&network::records(written.latest_issued())?)?;
    aws.s3.create_bucket(SEARCH_BUCKET)?;
    let objects = SegmentObjects::new(Files::new(clients.s3(), SEARCH_BUCKET));
    let writer = Writer { store: &store, objects: &objects, random: &random, now };
    writer.rebuild(&merchant::id(), |_| ()).await?;
    Ok(Summary::new(data.clone(), &written))
}

/// The clients of the endpoints, as the functions have them.
fn clients(aws: &Aws) -> shared::aws::Aws {
    let credentials = AwsCredentials {
        access_key_id: ACCESS_KEY_ID.to_owned(),
        secret_access_key: SecretString::new(SECRET_ACCESS_KEY),
        session_token: None,
    };
    let settings = AwsSettings {
        function_name: "generate".to_owned(),
        region: REGION.to_owned(),
        credentials,
        endpoints: AwsEndpoints {
            dynamodb: Some(aws.dynamodb.url()),
            s3: Some(aws.s3.url()),
            ..AwsEndpoints::default()
        },
        ca_bundle: None,
    };
    shared::aws::Aws::new(settings)
}

/// Opens the card network of the data directory. Nobody calls it, so its key does not matter.
async fn start_card_network(data: PathBuf) -> io::Result<CardNetwork> {
    CardNetwork::start(CardNetworkOptions {
        data: Some(data),
        port: 0,
        api_key: "unused".to_owned(),
        faults: Faults::default(),
        calls: UpstreamCalls::default(),
        guard: Guard::default(),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Local, Options, StartingState};

    #[tokio::test(flavor = "multi_thread")]
    async fn the_local_system_has_what_was_generated() {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().to_owned();
        let now = "2026-07-15T12:34:56.789Z".parse().unwrap();
        let arguments = Arguments { data: data.clone(), orders: 60, days: 30, seed: 1 };
        let summary = run(&arguments, now).await.unwrap().to_string();
        assert!(summary.contains("orders") && summary.contains("60"), "{summary}");
        let again = run(&arguments, now).await.unwrap_err();
        assert!(matches!(again, GenerateError::Exists { .. }), "{again}");

        let options = Options { data: Some(data), fixtures: StartingState::Nothing, ..Options::default() };
        let local = Local::start(options).await.unwrap();
        assert!(local.sign_in(merchant::ADMIN).await.unwrap().is_some());
        for sale in history::sales(&Plan::new(&arguments, now)) {
            let stored = local.app().store.order(&merchant::id(), &sale.order.id).await.unwrap();
            assert_eq!(stored.unwrap().value, sale.order);
        }
    }
}
