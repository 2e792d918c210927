//! The AWS clients: one connection pool and one set of credentials for all of them, taken straight from what Lambda
//! puts into the environment.

mod http;

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{AppName, BehaviorVersion, Region};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use reqwest::Client;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rusty_s3::Bucket;

use crate::files::Files;
use crate::outbound;
use crate::settings::AwsSettings;

/// What every client of one function shares.
#[derive(Debug, Clone)]
pub struct Aws {
    http: Client,
    sdk_http: SharedHttpClient,
    sdk_credentials: SharedCredentialsProvider,
    settings: AwsSettings,
}

/// Amazon's own roots, and Starfield's, which cross-signs them.
const AMAZON_ROOTS: &[u8] = include_bytes!("amazon-roots.pem");
/// A call to AWS that takes longer than this is tried again; three tries fit into any request.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
const CALL_TIMEOUT: Duration = Duration::from_secs(6);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// At most so long, at random, before the second try; up to twice as long before the third. Somebody waits at a till.
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);

macro_rules! sdk_client {
    ($aws:expr, $sdk:ident, $endpoint:ident) => {{
        let settings = &$aws.settings;
        let mut config = $sdk::config::Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .http_client($aws.sdk_http.clone())
            .credentials_provider($aws.sdk_credentials.clone())
            .region(Region::new(settings.region.clone()))
            .retry_config(RetryConfig::standard().with_initial_backoff(INITIAL_BACKOFF))
            .timeout_config(timeouts());
        config.set_app_name(AppName::new(settings.function_name.clone()).ok());
        config.set_endpoint_url(settings.endpoints.$endpoint.clone());
        $sdk::Client::from_conf(config.build())
    }};
}

impl Aws {
    pub fn new(settings: AwsSettings) -> Self {
        let keys = &settings.credentials;
        let credentials = Credentials::new(
            &keys.access_key_id,
            keys.secret_access_key.expose(),
            keys.session_token.as_ref().map(|token| token.expose().to_owned()),
            None,
            "environment",
        );
        let http = outbound::client_trusting(trusted(&settings), CONNECT_TIMEOUT);
        Self {
            sdk_http: http::client(http.clone()),
            sdk_credentials: SharedCredentialsProvider::new(credentials),
            http,
            settings,
        }
    }

    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        sdk_client!(self, aws_sdk_dynamodb, dynamodb)
    }

    pub fn ses(&self) -> aws_sdk_ses::Client {
        sdk_client!(self, aws_sdk_ses, ses)
    }

    pub fn secrets_manager(&self) -> aws_sdk_secretsmanager::Client {
        sdk_client!(self, aws_sdk_secretsmanager, secrets_manager)
    }

    pub fn files(&self, bucket: &Bucket) -> Files {
        let AwsSettings { credentials, function_name, .. } = &self.settings;
        Files::new(self.http.clone(), bucket.clone(), credentials, function_name)
    }
}

/// The roots that sign for AWS endpoints, or those of the setting. Reading the machine's whole bundle would cost a
/// function more than all else that it does at its start.
fn trusted(settings: &AwsSettings) -> RootCertStore {
    let bundle = settings.ca_bundle.as_deref().unwrap_or(AMAZON_ROOTS);
    let mut roots = RootCertStore::empty();
    let (_, unreadable) =
        roots.add_parsable_certificates(CertificateDer::pem_slice_iter(bundle).filter_map(Result::ok));
    if unreadable > 0 {
        tracing::warn!(unreadable, "not every certificate to trust could be read");
    }
    roots
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(CALL_TIMEOUT)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amazons_own_roots_can_be_read() {
        let certificates = CertificateDer::pem_slice_iter(AMAZON_ROOTS);
        let mut roots = RootCertStore::empty();
        assert_eq!(roots.add_parsable_certificates(certificates.map(Result::unwrap)).1, 0);
        assert!(!roots.is_empty());
    }
}
