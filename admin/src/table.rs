//! The table that the environment names.

use shared::aws::Aws;
use shared::random::Random;
use shared::settings::{AwsSettings, SettingError, required};
use shared::store::Store;

/// The table, with the settings that `lookup` finds. They are named as those of the functions.
pub(crate) fn store(random: &Random, lookup: impl Fn(&str) -> Option<String>) -> Result<Store, SettingError> {
    let aws = Aws::new(AwsSettings::read(&lookup)?);
    Ok(Store::new(aws.dynamodb(), required(&lookup, "TABLE_NAME")?, random.clone()))
}
