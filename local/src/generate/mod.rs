//! `cargo run -- generate`: writes a merchant with a long history straight into the database of a data directory, so that
//! lists, searches and reports can be tried and measured with many rows.
//!
//! The history depends only on the number of orders, the number of days, the seed, and the time at which it ends.

mod import;
mod merchant;
mod progress;
mod summary;

use std::io;
use std::path::PathBuf;

use clap::Args;
use dynoxide::DynoxideError;
use jiff::Timestamp;
use shared::base::settings::SettingError;
use shared::db::StoreError;
use shared::projections::search::{SearchError, Writer};
use shared::values::MerchantId;
use thiserror::Error;
use tokio::task::JoinError;

pub(crate) use self::merchant::{BIG, merchant};
pub use self::summary::Summary;
use crate::Options;
use crate::engine::EngineError;
use crate::fixtures::FixtureError;
use crate::history::Shop;
use crate::history::records::cards_of;
use crate::resources::TABLE;
use crate::services::{ServiceError, Services};
use crate::stream::Checkpoint;
use crate::table::{self, TableError};

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
    Services(#[from] ServiceError),
    #[error(transparent)]
    Settings(#[from] SettingError),
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
    #[error(transparent)]
    Fixtures(#[from] FixtureError),
    #[error("the generation stopped: {0}")]
    Stopped(#[from] JoinError),
}

impl Arguments {
    fn shop(&self) -> Shop {
        Shop { orders: self.orders.into(), days: self.days.into(), seed: self.seed, ..BIG }
    }
}

/// Writes the merchant, its administrator and its history, and returns what was written.
pub async fn run(arguments: &Arguments, now: Timestamp) -> Result<Summary, GenerateError> {
    let data = &arguments.data;
    std::fs::create_dir_all(data)?;
    let options = Options { data: Some(data.clone()), ..Options::default() };
    let services = Services::start(&options, "http://localhost".to_owned(), None).await?;
    let Some((aws, card_network)) = services.embedded().zip(services.card_network()) else {
        return Err(io::Error::other("the services are not embedded").into());
    };
    let app = services.app("generate", &options.clock)?;
    table::ensure(&shared::aws::Aws::new(app.settings.aws.clone()).dynamodb(), TABLE).await?;
    let (store, id) = (&app.store, MerchantId::new(merchant::ID));
    if store.merchant_exists(&id).await? {
        return Err(GenerateError::Exists { data: data.clone() });
    }
    let document = merchant(now)?;
    card_network.load(&document.card_network)?;
    let (database, shop) = (aws.dynamodb.database().clone(), arguments.shop());
    let write = move || import::write_history(&database, &document, shop, now);
    let written = tokio::task::spawn_blocking(write).await??;
    card_network.load(&cards_of(&written.latest)?)?;
    Writer { store, objects: app.segments(), random: &app.random, now }.rebuild(&id, |_| ()).await?;
    Checkpoint::in_folder(data).begin()?;
    Ok(Summary { data: data.clone(), written })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::sales;
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
        let merchant = &merchant(now).unwrap().merchants[0];
        for sale in sales(arguments.shop(), merchant, now) {
            let stored = local.app().store.order(&merchant.id, &sale.order.id).await.unwrap();
            assert_eq!(stored.unwrap().value, sale.order);
        }
    }
}
