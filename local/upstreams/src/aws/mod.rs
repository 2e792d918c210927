//! Embedded DynamoDB, S3, SES and Secrets Manager. Each service has its own endpoint and works with an unmodified AWS
//! SDK.

mod database;
mod dynamodb;
mod permissions;
mod s3;
mod secrets_manager;
mod ses;
mod usage;

use std::future::Future;
use std::io;
use std::path::PathBuf;

use bytes::Bytes;
use http::{Request, StatusCode};

pub use self::dynamodb::DynamoDb;
pub use self::permissions::{Call, Permission, Permissions};
pub use self::s3::S3;
pub use self::secrets_manager::SecretsManager;
pub use self::ses::{Mail, Ses};
pub use self::usage::Usage;
use crate::faults::{FaultKind, Faults};
use crate::guard::Guard;
use crate::server::{Reply, Server, with_fault};

/// The region of all endpoints.
pub const REGION: &str = "eu-west-1";

/// The fixed credentials of the local system. They are public and grant no other access. Only S3 verifies them.
pub const ACCESS_KEY_ID: &str = "LOCALACCESSKEY";
pub const SECRET_ACCESS_KEY: &str = "local-secret-access-key";

/// Configuration of the endpoints.
#[derive(Debug, Default)]
pub struct AwsOptions {
    /// The directory for the state, created if missing. `None` keeps the state in memory and temporary files.
    pub data: Option<PathBuf>,
    /// The first of four consecutive ports: DynamoDB, S3, SES, Secrets Manager. 0 selects free ports.
    pub first_port: u16,
    /// The name and JSON value of each secret.
    pub secrets: Vec<(String, String)>,
    pub faults: Faults,
    pub guard: Guard,
}

/// The running endpoints. Dropping this stops them; every acknowledged write is saved by then.
#[derive(Debug)]
pub struct Aws {
    pub dynamodb: DynamoDb,
    pub s3: S3,
    pub ses: Ses,
    pub secrets_manager: SecretsManager,
    /// The IAM permissions that the calls so far require.
    pub permissions: Permissions,
    /// The calls to DynamoDB and S3.
    pub usage: Usage,
}

/// An error that prevents the endpoints from starting.
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
    #[error("cannot prepare the database file: {0}")]
    DatabaseFile(#[from] rusqlite::Error),
}

impl Aws {
    pub async fn start(options: AwsOptions) -> Result<Self, StartError> {
        let AwsOptions { data, first_port, secrets, faults, guard } = options;
        let [dynamodb, s3, ses, secrets_manager] = ports(first_port)?;
        if let Some(path) = &data {
            std::fs::create_dir_all(path).map_err(|source| StartError::State { path: path.clone(), source })?;
        }
        let data_path = |name: &str| data.as_ref().map(|data| data.join(name));
        let instrumentation = Instrumentation { faults, guard, ..Instrumentation::default() };
        Ok(Self {
            dynamodb: DynamoDb::start(dynamodb, data_path("dynamodb.sqlite"), instrumentation.clone()).await?,
            s3: S3::start(s3, data_path("s3"), instrumentation.clone()).await?,
            ses: Ses::start(ses, data_path("mail.jsonl"), instrumentation.clone()).await?,
            secrets_manager: SecretsManager::start(secrets_manager, secrets, instrumentation.clone()).await?,
            permissions: instrumentation.permissions,
            usage: instrumentation.usage,
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

/// Access control, fault injection, and the record of permissions and usage, applied to every call. Clones share the same
/// state.
#[derive(Clone, Default)]
struct Instrumentation {
    faults: Faults,
    permissions: Permissions,
    usage: Usage,
    guard: Guard,
}

/// [`Server::start`] with an error message that names the port and the flag that changes it.
async fn listen<H, F>(port: u16, guard: Guard, handler: H) -> Result<Server, StartError>
where
    H: Fn(Request<Bytes>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Reply> + Send + 'static,
{
    Server::start(port, guard, handler).await.map_err(|source| StartError::Port { port, source })
}

/// The wire format of the errors of a service.
struct ErrorFormat {
    /// Builds an error response from the status, the error code and the message.
    reply: fn(StatusCode, &str, &str) -> Reply,
    /// The error code of a server error.
    internal: &'static str,
    throttled: (StatusCode, &'static str),
}

impl ErrorFormat {
    /// Applies `fault` to one call, with errors in the format that the SDK client of the service parses.
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
    //! AWS SDK clients for the endpoints.

    use aws_credential_types::Credentials;
    use aws_smithy_http_client::Builder;
    use aws_smithy_runtime_api::client::http::SharedHttpClient;
    use http_body_util::{BodyExt, Full};
    use hyper_util::client::legacy::Client;
    use hyper_util::rt::TokioExecutor;
    use serde_json::Value;

    use super::*;

    /// Builds an SDK client with retries disabled.
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

    /// Sends a request without an SDK.
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
    async fn the_error_for_a_port_in_use_names_the_port_and_the_flag() {
        let running = Aws::start(AwsOptions::default()).await.unwrap();
        let port = running.dynamodb.url().rsplit_once(':').unwrap().1.parse().unwrap();
        let error = Aws::start(AwsOptions { first_port: port, ..AwsOptions::default() }).await.unwrap_err();

        assert!(error.to_string().contains(&format!("port {port} ")), "{error}");
        assert!(error.to_string().ends_with("--aws-port"), "{error}");
    }

    #[test]
    fn assigns_four_consecutive_ports() {
        assert_eq!(ports(4566).unwrap(), [4566, 4567, 4568, 4569]);
        assert_eq!(ports(0).unwrap(), [0; 4]);
        assert!(ports(65533).is_err());
    }
}
