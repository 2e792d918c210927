//! Opens tables, and the bucket of search segments.

use aws_sdk_dynamodb::Client;
use shared::aws::Aws;
use shared::aws::files::Files;
use shared::aws::secrets::Secret;
use shared::base::clock::Clock;
use shared::base::metrics::Metrics;
use shared::base::random::Random;
use shared::base::settings::{AwsSettings, SettingError, required};
use shared::db::Store;
use shared::projections::search::SegmentObjects;
use shared::team::model::code::CodeKey;

/// The search segments of the environment.
pub fn segments(lookup: impl Fn(&str) -> Option<String>) -> Result<SegmentObjects, SettingError> {
    let client = Aws::new(AwsSettings::read(&lookup)?).s3();
    Ok(SegmentObjects::new(Files::new(client, required(&lookup, "SEARCH_BUCKET_NAME")?)))
}

/// The key of codes and tags of the environment.
pub fn code_key(lookup: impl Fn(&str) -> Option<String>) -> Result<Secret<CodeKey>, SettingError> {
    let client = Aws::new(AwsSettings::read(&lookup)?).secrets_manager();
    Ok(Secret::new(client, required(&lookup, "CODE_SECRET_ID")?))
}

/// The table of the environment, and others of the same account.
pub struct Tables {
    pub client: Client,
    /// The table of the environment.
    pub name: String,
    random: Random,
}

impl Tables {
    /// Reads the settings with `lookup`. They have the same names as the settings of the functions.
    pub fn read(random: &Random, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let client = Aws::new(AwsSettings::read(&lookup)?).dynamodb();
        Ok(Self { client, name: required(&lookup, "TABLE_NAME")?, random: random.clone() })
    }

    /// The table of the environment.
    pub fn store(&self) -> Store {
        self.store_of(&self.name)
    }

    pub fn store_of(&self, table: &str) -> Store {
        let metrics = Metrics::new(None, Clock::system());
        Store::new(self.client.clone(), table, self.random.clone(), metrics)
    }
}
