//! Opens the table.

use shared::aws::Aws;
use shared::clock::Clock;
use shared::metrics::Metrics;
use shared::random::Random;
use shared::settings::{AwsSettings, SettingError, required};
use shared::store::Store;

/// Reads the settings with `lookup`. They have the same names as the settings of the functions.
pub(crate) fn store(random: &Random, lookup: impl Fn(&str) -> Option<String>) -> Result<Store, SettingError> {
    let metrics = Metrics::new(None, Clock::system());
    let aws = Aws::new(AwsSettings::read(&lookup)?);
    Ok(Store::new(aws.dynamodb(), required(&lookup, "TABLE_NAME")?, random.clone(), metrics))
}
