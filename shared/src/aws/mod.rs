//! The AWS SDK clients. They share one connection pool and the credentials that Lambda sets in the environment.

pub mod files;
mod http;
pub mod mail;
pub mod sdk_error;
pub mod secrets;

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::timeout::TimeoutConfig;
use aws_sdk_dynamodb::config::{AppName, BehaviorVersion, Region, StalledStreamProtectionConfig};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::base::outbound::{self, Tls};
use crate::base::settings::AwsSettings;

#[derive(Debug, Clone)]
pub struct Aws {
    http: SharedHttpClient,
    credentials: SharedCredentialsProvider,
    settings: AwsSettings,
}

/// The roots of Amazon Trust Services, and those of Starfield, which cross-sign them.
const AMAZON_ROOTS: &[u8] = include_bytes!("amazon-roots.pem");
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(2);
/// Leaves time for three attempts, and for the response within the function's timeout.
const OPERATION_TIMEOUT: Duration = Duration::from_secs(6);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The second attempt waits up to this long, chosen at random, and the third up to twice as long. The SDK's default of a
/// second is too long for a customer at a till.
const INITIAL_BACKOFF: Duration = Duration::from_millis(50);
/// A throttled call is repeated for a second and a half with the longest backoff, and for half of it on average.
const DYNAMODB_ATTEMPTS: u32 = 6;

macro_rules! sdk_client {
    ($aws:expr, $sdk:ident, $endpoint:ident $(, $setting:ident($value:expr))*) => {{
        let settings = &$aws.settings;
        let mut config = $sdk::config::Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .http_client($aws.http.clone())
            .credentials_provider($aws.credentials.clone())
            .region(Region::new(settings.region.clone()))
            .retry_config(RetryConfig::standard().with_initial_backoff(INITIAL_BACKOFF))
            .timeout_config(timeouts())
            $(.$setting($value))*;
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
        Self {
            http: http::client(outbound::client_with(&Tls::trusting(trusted_roots(&settings)), CONNECT_TIMEOUT)),
            credentials: SharedCredentialsProvider::new(credentials),
            settings,
        }
    }

    pub fn dynamodb(&self) -> aws_sdk_dynamodb::Client {
        let retries = RetryConfig::standard().with_initial_backoff(INITIAL_BACKOFF).with_max_attempts(DYNAMODB_ATTEMPTS);
        sdk_client!(self, aws_sdk_dynamodb, dynamodb, retry_config(retries), retry_classifier(TransactionConflict))
    }

    /// Path-style at a configured endpoint, which may have no host name for each bucket; virtual-host style at AWS.
    pub fn s3(&self) -> aws_sdk_s3::Client {
        // The attempt timeout ends with the response's head, so a stalled body needs its own.
        let stalled_body = StalledStreamProtectionConfig::enabled().grace_period(ATTEMPT_TIMEOUT).build();
        sdk_client!(
            self,
            aws_sdk_s3,
            s3,
            force_path_style(self.settings.endpoints.s3.is_some()),
            stalled_stream_protection(stalled_body)
        )
    }

    pub fn ses(&self) -> aws_sdk_ses::Client {
        sdk_client!(self, aws_sdk_ses, ses)
    }

    pub fn secrets_manager(&self) -> aws_sdk_secretsmanager::Client {
        sdk_client!(self, aws_sdk_secretsmanager, secrets_manager)
    }
}

/// The configured CA bundle, or Amazon's roots. Loading the operating system's bundle would take longer than the rest
/// of a cold start.
fn trusted_roots(settings: &AwsSettings) -> RootCertStore {
    let bundle = settings.ca_bundle.as_deref().unwrap_or(AMAZON_ROOTS);
    let mut roots = RootCertStore::empty();
    let (_, unreadable) = roots.add_parsable_certificates(CertificateDer::pem_slice_iter(bundle).filter_map(Result::ok));
    if unreadable > 0 {
        tracing::warn!(unreadable, "some certificates of the CA bundle cannot be read");
    }
    roots
}

/// Repeats the write of a single row that a transaction is writing, which the SDK takes for an error of the caller.
#[derive(Debug)]
struct TransactionConflict;

impl ClassifyRetry for TransactionConflict {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        // Also asked about successes, whose rows can be large and contain any text.
        let refusal = context.response().filter(|response| response.status().is_client_error());
        let body = refusal.and_then(|response| response.body().bytes()).unwrap_or_default();
        let code = b"TransactionConflictException";
        if body.windows(code.len()).any(|part| part == code) {
            return RetryAction::throttling_error();
        }
        RetryAction::NoActionIndicated
    }

    fn name(&self) -> &'static str {
        "TransactionConflict"
    }
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder().operation_attempt_timeout(ATTEMPT_TIMEOUT).operation_timeout(OPERATION_TIMEOUT).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_all_amazon_roots() {
        let certificates = CertificateDer::pem_slice_iter(AMAZON_ROOTS);
        let mut roots = RootCertStore::empty();
        assert_eq!(roots.add_parsable_certificates(certificates.map(Result::unwrap)).1, 0);
        assert!(!roots.is_empty());
    }
}
