//! Secrets Manager. Supports `GetSecretValue` for the current version of a secret.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{Request, StatusCode};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use super::{ErrorFormat, Instrumentation, StartError, listen, permissions};
use crate::faults::{Call, Target};
use crate::server::{Reply, Server};

const CURRENT_STAGE: &str = "AWSCURRENT";

const ERROR_FORMAT: ErrorFormat = ErrorFormat {
    reply: |status, code, message| json_reply(status, &json!({"__type": code, "Message": message})),
    internal: "InternalServiceError",
    throttled: (StatusCode::BAD_REQUEST, "ThrottlingException"),
};

/// The Secrets Manager endpoint.
#[derive(Debug)]
pub struct SecretsManager {
    server: Server,
    secrets: Arc<Mutex<Secrets>>,
}

impl SecretsManager {
    pub(super) async fn start(
        port: u16,
        values: Vec<(String, String)>,
        instrumentation: Instrumentation,
    ) -> Result<Self, StartError> {
        let secrets = values.into_iter().map(|(name, value)| (name, Secret { value, version: 1 })).collect();
        let secrets: Arc<Mutex<Secrets>> = Arc::new(Mutex::new(secrets));
        let handler_secrets = secrets.clone();
        let guard = instrumentation.guard.clone();
        let handler = move |request: Request<Bytes>| {
            let target = request.headers().get("x-amz-target").and_then(|target| target.to_str().ok());
            let operation = target.and_then(|target| target.strip_prefix("secretsmanager.")).unwrap_or_default();
            let headers = request.headers();
            let fault = instrumentation.faults.take(Call { target: Target::Secretsmanager, operation, headers });
            let input = serde_json::from_slice::<GetSecretValue>(request.body()).ok();
            let required = input.map(|input| permissions::for_secrets_manager(operation, arn(&input.secret_id)));
            instrumentation.permissions.record(headers, required);
            let reply = match operation {
                "GetSecretValue" => get(&lock(&handler_secrets), request.body()),
                _ => bad_request("UnknownOperationException", "only GetSecretValue is supported"),
            };
            ERROR_FORMAT.with_fault(fault, async { reply })
        };
        Ok(Self { server: listen(port, guard, handler).await?, secrets })
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Stores a new version of a secret, creating the secret if missing.
    pub fn set(&self, name: impl Into<String>, value: impl Into<String>) {
        let mut secrets = lock(&self.secrets);
        let secret = secrets.entry(name.into()).or_default();
        secret.value = value.into();
        secret.version += 1;
    }
}

/// The secrets, keyed by name.
type Secrets = BTreeMap<String, Secret>;

#[derive(Debug, Default)]
struct Secret {
    value: String,
    version: u128,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetSecretValue {
    secret_id: String,
    version_id: Option<String>,
    version_stage: Option<String>,
}

fn lock(secrets: &Mutex<Secrets>) -> MutexGuard<'_, Secrets> {
    secrets.lock().unwrap_or_else(PoisonError::into_inner)
}

fn get(secrets: &Secrets, request: &[u8]) -> Reply {
    let Ok(input) = serde_json::from_slice::<GetSecretValue>(request) else {
        return bad_request("SerializationException", "SecretId is missing");
    };
    let secret = secrets
        .iter()
        .map(|(name, secret)| (name, arn(name), Uuid::from_u128(secret.version).to_string(), &secret.value))
        .find(|(name, arn, ..)| input.secret_id == **name || input.secret_id == *arn)
        .filter(|(.., version, _)| input.version_id.as_ref().is_none_or(|id| id == version))
        .filter(|_| input.version_stage.as_ref().is_none_or(|stage| stage == CURRENT_STAGE));
    let Some((name, arn, version, value)) = secret else {
        return bad_request(
            "ResourceNotFoundException",
            "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT",
        );
    };
    let output = json!({
        "ARN": arn,
        "Name": name,
        "VersionId": version,
        "VersionStages": [CURRENT_STAGE],
        "SecretString": value,
    });
    json_reply(StatusCode::OK, &output)
}

/// On AWS, six random characters follow the name in the ARN. Here they are fixed.
fn arn(name: &str) -> String {
    permissions::arn("secretsmanager", &format!("secret:{name}-Local1"))
}

fn bad_request(code: &str, message: &str) -> Reply {
    (ERROR_FORMAT.reply)(StatusCode::BAD_REQUEST, code, message)
}

fn json_reply(status: StatusCode, body: &serde_json::Value) -> Reply {
    Reply::bytes(status, "application/x-amz-json-1.1", body.to_string())
}

#[cfg(test)]
mod tests {
    use aws_sdk_secretsmanager::Client;
    use aws_sdk_secretsmanager::error::ProvideErrorMetadata;

    use super::super::testing::{client, faults};
    use super::*;
    use crate::faults::Faults;

    async fn start(faults: Faults) -> (SecretsManager, Client) {
        let values = vec![("portal/verifier".to_owned(), r#"{"apiKey":"k1"}"#.to_owned())];
        let secrets_manager =
            SecretsManager::start(0, values, Instrumentation { faults, ..Instrumentation::default() }).await.unwrap();
        let client = client!(aws_sdk_secretsmanager, secrets_manager.url());
        (secrets_manager, client)
    }

    #[tokio::test]
    async fn returns_the_current_value_by_name_and_by_arn() {
        let (secrets_manager, client) = start(Faults::default()).await;
        let first = client.get_secret_value().secret_id("portal/verifier").send().await.unwrap();
        secrets_manager.set("portal/verifier", r#"{"apiKey":"k2"}"#);
        let second = client.get_secret_value().secret_id(first.arn().unwrap()).send().await.unwrap();

        assert_eq!(first.secret_string(), Some(r#"{"apiKey":"k1"}"#));
        assert_eq!(second.secret_string(), Some(r#"{"apiKey":"k2"}"#));
        assert_eq!((second.name(), second.version_stages()), (Some("portal/verifier"), &[CURRENT_STAGE.to_owned()][..]));
        assert_ne!(first.version_id(), second.version_id());
    }

    #[tokio::test]
    async fn returns_resource_not_found_for_unknown_names_and_stages() {
        let (_secrets_manager, client) = start(Faults::default()).await;
        let get = client.get_secret_value();
        for get in
            [get.clone().secret_id("portal/verifie"), get.clone().secret_id("portal/verifier").version_stage("AWSPREVIOUS")]
        {
            let error = get.send().await.unwrap_err().into_service_error();
            assert!(error.is_resource_not_found_exception(), "{error:?}");
        }
    }

    #[tokio::test]
    async fn injected_faults_use_the_error_codes_of_secrets_manager() {
        let faults = faults(json!([
            {"target": "secretsmanager", "match": "Get*", "kind": "throttle"},
            {"target": "secretsmanager", "match": "Get*", "kind": "status", "value": 500},
        ]));
        let (_secrets_manager, client) = start(faults).await;
        let get = client.get_secret_value().secret_id("portal/verifier");
        assert_eq!(get.clone().send().await.unwrap_err().code(), Some("ThrottlingException"));
        let failed = get.clone().send().await.unwrap_err().into_service_error();
        assert!(failed.is_internal_service_error(), "{failed:?}");
        get.send().await.unwrap();
    }
}
