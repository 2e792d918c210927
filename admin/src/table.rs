//! The table that the environment names.

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Builder, Region};
use aws_smithy_http_client::tls::Provider;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use shared::random::Random;
use shared::settings::SettingError;
use shared::store::Store;

/// The table, with the settings that `lookup` finds. They are named as those of the functions.
pub(crate) fn store(random: &Random, lookup: impl Fn(&str) -> Option<String>) -> Result<Store, SettingError> {
    let optional = |name: &str| lookup(name).filter(|value| !value.is_empty());
    let required = |name: &'static str| optional(name).ok_or(SettingError::Missing(name));
    let credentials = Credentials::new(
        required("AWS_ACCESS_KEY_ID")?,
        required("AWS_SECRET_ACCESS_KEY")?,
        optional("AWS_SESSION_TOKEN"),
        None,
        "environment",
    );
    let tls = Provider::Rustls(CryptoMode::Ring);
    let mut config = Builder::new()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().tls_provider(tls).build_https())
        .credentials_provider(credentials)
        .region(Region::new(required("AWS_REGION")?));
    config.set_endpoint_url(optional("AWS_ENDPOINT_URL_DYNAMODB"));
    Ok(Store::new(Client::from_conf(config.build()), required("TABLE_NAME")?, random.clone()))
}
