//! The AWS clients: one connection pool and one set of credentials for all of them, taken straight from what Lambda
//! puts into the environment.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{AppName, BehaviorVersion, Region};
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::SharedHttpClient;

use crate::best_effort::best_effort;
use crate::settings::Settings;

/// What every client of one function shares.
#[derive(Debug, Clone)]
pub struct Aws {
    http: SharedHttpClient,
    credentials: SharedCredentialsProvider,
    region: Region,
    app_name: Option<AppName>,
}

/// Amazon's own roots, and Starfield's, which cross-signs them.
const AMAZON_ROOTS: &[u8] = include_bytes!("amazon-roots.pem");
/// A call to AWS that takes longer than this is tried again; three tries fit into any request.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
const CALL_TIMEOUT: Duration = Duration::from_secs(6);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// At most so long, at random, before the second try; up to twice as long before the third. Somebody waits at a till.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

macro_rules! configured {
    ($aws:expr, $sdk:ident, $endpoint:expr) => {{
        let mut config = $sdk::config::Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .http_client($aws.http.clone())
            .credentials_provider($aws.credentials.clone())
            .region($aws.region.clone())
            .retry_config(RetryConfig::standard().with_initial_backoff(FIRST_PAUSE))
            .timeout_config(timeouts());
        config.set_app_name($aws.app_name.clone());
        config.set_endpoint_url($endpoint.clone());
        config
    }};
}

impl Aws {
    pub fn new(settings: &Settings) -> Self {
        let keys = &settings.credentials;
        let credentials = Credentials::new(
            &keys.access_key_id,
            keys.secret_access_key.expose(),
            keys.session_token.as_ref().map(|token| token.expose().to_owned()),
            None,
            "environment",
        );
        Self {
            http: http_client(settings),
            credentials: SharedCredentialsProvider::new(credentials),
            region: Region::new(settings.region.clone()),
            app_name: AppName::new(settings.function_name.clone()).ok(),
        }
    }

    pub fn dynamodb(&self, settings: &Settings) -> aws_sdk_dynamodb::Client {
        let config = configured!(self, aws_sdk_dynamodb, settings.endpoints.dynamodb);
        aws_sdk_dynamodb::Client::from_conf(config.build())
    }

    pub fn s3(&self, settings: &Settings) -> aws_sdk_s3::Client {
        let config = configured!(self, aws_sdk_s3, settings.endpoints.s3);
        // Another endpoint than that of AWS has no host name for each bucket.
        let config = config.force_path_style(settings.endpoints.s3.is_some());
        aws_sdk_s3::Client::from_conf(config.build())
    }

    pub fn ses(&self, settings: &Settings) -> aws_sdk_ses::Client {
        aws_sdk_ses::Client::from_conf(configured!(self, aws_sdk_ses, settings.endpoints.ses).build())
    }

    pub fn secrets_manager(&self, settings: &Settings) -> aws_sdk_secretsmanager::Client {
        let config = configured!(self, aws_sdk_secretsmanager, settings.endpoints.secrets_manager);
        aws_sdk_secretsmanager::Client::from_conf(config.build())
    }
}

/// With TLS, or without it where an endpoint has none.
fn http_client(settings: &Settings) -> SharedHttpClient {
    let tls = Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring));
    match trusted(settings) {
        Some(trusted) => tls.tls_context(trusted).build_https(),
        None => tls.build_https(),
    }
}

/// The roots that sign for AWS endpoints, or those of the setting. Reading the machine's whole bundle would cost a
/// function more than all else that it does at its start.
fn trusted(settings: &Settings) -> Option<TlsContext> {
    let roots = settings.ca_bundle.as_deref().unwrap_or(AMAZON_ROOTS);
    let trust_store = TrustStore::empty().with_pem_certificate(roots);
    best_effort("a trust store of our own", TlsContext::builder().with_trust_store(trust_store).build())
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .operation_attempt_timeout(ATTEMPT_TIMEOUT)
        .operation_timeout(CALL_TIMEOUT)
        .build()
}
