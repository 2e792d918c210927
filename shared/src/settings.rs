//! What a function is told by its environment.

use std::fmt;

use thiserror::Error;

/// A value that must not show in a log.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(String);

impl Hidden {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(…)")
    }
}

/// What calls to AWS are signed with.
#[derive(Debug, Clone)]
pub struct AwsCredentials {
    pub access_key_id: String,
    pub secret_access_key: Hidden,
    pub session_token: Option<Hidden>,
}

/// Endpoints in place of the AWS ones; each falls back on `AWS_ENDPOINT_URL`.
#[derive(Debug, Clone, Default)]
pub struct AwsEndpoints {
    pub dynamodb: Option<String>,
    pub s3: Option<String>,
    pub ses: Option<String>,
    pub secrets_manager: Option<String>,
}

/// Everything that differs from one place to another.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Names the function in logs and in its calls to AWS.
    pub function_name: String,
    pub region: String,
    pub credentials: AwsCredentials,
    pub endpoints: AwsEndpoints,
    pub table: String,
    pub bucket: String,
    pub card_network_url: String,
    pub card_network_secret_id: String,
    /// The canonical address of the portal, without a slash at the end.
    pub portal_base_url: String,
    /// Where merchants' shops live, without a slash at the end.
    pub webshop_base_url: String,
    /// Origins that the dashboard is served from, besides the portal's own.
    pub dashboard_origins: Vec<String>,
    /// The sender of every mail. Mails ask for answers, which must reach somebody.
    pub mail_from: String,
}

/// A setting that is missing.
#[derive(Debug, Error)]
#[error("the environment variable {0} is not set")]
pub struct Missing(&'static str);

impl Settings {
    /// Reads the settings through `lookup`, which is the environment in a function.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, Missing> {
        let optional = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let required = |name: &'static str| optional(name).ok_or(Missing(name));
        let address = |name| required(name).map(|url| url.trim_end_matches('/').to_owned());
        let endpoint = |name| optional(name).or_else(|| optional("AWS_ENDPOINT_URL"));
        let origins = optional("DASHBOARD_ORIGINS").unwrap_or_default();
        Ok(Self {
            function_name: optional("AWS_LAMBDA_FUNCTION_NAME").unwrap_or_else(|| "portal".to_owned()),
            region: required("AWS_REGION")?,
            credentials: AwsCredentials {
                access_key_id: required("AWS_ACCESS_KEY_ID")?,
                secret_access_key: Hidden::new(required("AWS_SECRET_ACCESS_KEY")?),
                session_token: optional("AWS_SESSION_TOKEN").map(Hidden::new),
            },
            endpoints: AwsEndpoints {
                dynamodb: endpoint("AWS_ENDPOINT_URL_DYNAMODB"),
                s3: endpoint("AWS_ENDPOINT_URL_S3"),
                ses: endpoint("AWS_ENDPOINT_URL_SES"),
                secrets_manager: endpoint("AWS_ENDPOINT_URL_SECRETS_MANAGER"),
            },
            table: required("TABLE_NAME")?,
            bucket: required("BUCKET_NAME")?,
            card_network_url: address("CARD_NETWORK_URL")?,
            card_network_secret_id: required("CARD_NETWORK_SECRET_ID")?,
            portal_base_url: address("PORTAL_BASE_URL")?,
            webshop_base_url: address("WEBSHOP_BASE_URL")?,
            dashboard_origins: origins.split(',').map(|origin| origin.trim().to_owned()).collect(),
            mail_from: required("MAIL_FROM")?,
        })
    }
}
