//! DynamoDB, S3, SES and Secrets Manager on this machine: an endpoint each, which the AWS SDKs talk to as they
//! do on AWS.

mod dynamodb;
mod permissions;
mod s3;
mod secrets_manager;
mod ses;

use std::future::Future;
use std::io;
use std::path::PathBuf;

use bytes::Bytes;
use http::{Request, StatusCode};

pub use self::dynamodb::DynamoDb;
pub use self::permissions::{Permission, Permissions};
pub use self::s3::S3;
pub use self::secrets_manager::SecretsManager;
pub use self::ses::{Mail, Ses};
use crate::faults::{FaultKind, Faults};
use crate::server::{Reply, Server, with_fault};

/// The region that everything here is in.
pub const REGION: &str = "eu-west-1";

/// The throwaway credentials of the local system. They are public and open nothing else; only S3 checks them.
pub const ACCESS_KEY_ID: &str = "LOCALACCESSKEY";
pub const SECRET_ACCESS_KEY: &str = "local-secret-access-key";

/// What to start and where.
#[derive(Debug, Default)]
pub struct AwsOptions {
    /// The directory that keeps the state, created when missing; None keeps it for as long as this runs.
    pub data: Option<PathBuf>,
    /// The first of four consecutive ports: DynamoDB, S3, SES, Secrets Manager. 0 takes free ones.
    pub first_port: u16,
    /// Name and JSON text of each secret.
    pub secrets: Vec<(String, String)>,
    pub faults: Faults,
}

/// The running endpoints. They stop when this is dropped; whatever they answered is kept by then.
#[derive(Debug)]
pub struct Aws {
    pub dynamodb: DynamoDb,
    pub s3: S3,
    pub ses: Ses,
    pub secrets_manager: SecretsManager,
    /// What the calls to all of them needed leave for.
    pub permissions: Permissions,
}

/// Why the endpoints did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot listen on port {port} ({source}): choose other ports with --aws-port")]
    Port { port: u16, source: io::Error },
    #[error("there are no four ports from {0} on: choose other ports with --aws-port")]
    NoSuchPorts(u16),
    #[error("cannot keep state in {}: {source}", path.display())]
    State { path: PathBuf, source: io::Error },
    #[error("cannot open the database: {0}")]
    Database(#[from] dynoxide::DynoxideError),
}

impl Aws {
    pub async fn start(options: AwsOptions) -> Result<Self, StartError> {
        let AwsOptions { data, first_port, secrets, faults } = options;
        let [dynamodb, s3, ses, secrets_manager] = ports(first_port)?;
        if let Some(path) = &data {
            std::fs::create_dir_all(path)
                .map_err(|source| StartError::State { path: path.clone(), source })?;
        }
        let below_data = |name: &str| data.as_ref().map(|data| data.join(name));
        let watch = Watch { faults, permissions: Permissions::default() };
        Ok(Self {
            dynamodb: DynamoDb::start(dynamodb, below_data("dynamodb.sqlite"), watch.clone()).await?,
            s3: S3::start(s3, below_data("s3"), watch.clone()).await?,
            ses: Ses::start(ses, below_data("mail.jsonl"), watch.clone()).await?,
            secrets_manager: SecretsManager::start(secrets_manager, secrets, watch.clone()).await?,
            permissions: watch.permissions,
        })
    }
}

fn ports(first: u16) -> Result<[u16; 4], StartError> {
    match (first, first.checked_add(3)) {
        (0, _) => Ok([0; 4]),
        (_, None) => Err(StartError::NoSuchPorts(first)),
        (_, Some(last)) => Ok([first, first + 1, first + 2, last]),
    }
}

/// What becomes of every call besides its answer. Clones share it.
#[derive(Clone, Default)]
struct Watch {
    faults: Faults,
    permissions: Permissions,
}

/// [`Server::start`] with an error that says what to do.
async fn listen<H, F>(port: u16, handler: H) -> Result<Server, StartError>
where
    H: Fn(Request<Bytes>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    Server::start(port, handler).await.map_err(|source| StartError::Port { port, source })
}

/// How a service puts its errors.
struct Errors {
    /// An answer with this status, error code and message.
    reply: fn(StatusCode, &str, &str) -> Reply,
    /// The code of a failure on the service's side.
    internal: &'static str,
    throttled: (StatusCode, &'static str),
}

impl Errors {
    /// Carries `operation` out as `fault` lets it, with errors that the service's SDK client understands.
    async fn with_fault(&self, fault: Option<FaultKind>, operation: impl Future<Output = Reply>) -> Reply {
        let message = "a fault that was asked for";
        if let Some(FaultKind::Status(status)) = fault {
            let code = if status.is_server_error() { self.internal } else { "RequestedFault" };
            return (self.reply)(status, code, message);
        }
        let (status, code) = self.throttled;
        with_fault(fault, || (self.reply)(status, code, message), operation).await
    }
}

#[cfg(test)]
mod testing {
    //! Real SDK clients of the endpoints.

    use aws_credential_types::Credentials;
    use aws_smithy_http_client::Builder;
    use aws_smithy_runtime_api::client::http::SharedHttpClient;
    use http_body_util::{BodyExt, Full};
    use hyper_util::client::legacy::Client;
    use hyper_util::rt::TokioExecutor;
    use serde_json::Value;

    use super::*;

    /// A client of one service, without retries.
    macro_rules! client {
        ($sdk:ident, $url:expr $(, $setting:ident($value:expr))*) => {
            $sdk::Client::from_conf(
                $sdk::Config::builder()
                    .behavior_version($sdk::config::BehaviorVersion::latest())
                    .region($sdk::config::Region::new(crate::aws::REGION))
                    .endpoint_url($url)
                    .credentials_provider(crate::aws::testing::credentials())
                    .http_client(crate::aws::testing::http_client())
                    .retry_config($sdk::config::retry::RetryConfig::disabled())
                    $(.$setting($value))*
                    .build(),
            )
        };
    }
    pub(super) use client;

    pub(super) fn credentials() -> Credentials {
        Credentials::from_keys(ACCESS_KEY_ID, SECRET_ACCESS_KEY, None)
    }

    pub(super) fn http_client() -> SharedHttpClient {
        Builder::new().build_http()
    }

    pub(super) fn faults(rules: Value) -> Faults {
        let faults = Faults::default();
        faults.replace(serde_json::from_value(rules).unwrap());
        faults
    }

    /// A call without an SDK.
    pub(super) async fn call(request: Request<Bytes>) -> http::Response<Bytes> {
        let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
        let (head, body) = client.request(request.map(Full::new)).await.unwrap().into_parts();
        http::Response::from_parts(head, body.collect().await.unwrap().to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_in_use_is_named_with_the_flag_to_change_it() {
        let taken = Aws::start(AwsOptions::default()).await.unwrap();
        let port = taken.dynamodb.url().rsplit_once(':').unwrap().1.parse().unwrap();
        let error = Aws::start(AwsOptions { first_port: port, ..AwsOptions::default() }).await.unwrap_err();

        assert!(error.to_string().contains(&format!("port {port} ")), "{error}");
        assert!(error.to_string().ends_with("--aws-port"), "{error}");
    }

    #[test]
    fn four_ports_are_consecutive() {
        assert_eq!(ports(4566).unwrap(), [4566, 4567, 4568, 4569]);
        assert_eq!(ports(0).unwrap(), [0; 4]);
        assert!(ports(65533).is_err());
    }
}
