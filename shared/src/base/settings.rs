//! Settings of a function, from environment variables.

use std::fmt;
use std::str::FromStr;

use http::HeaderName;
use thiserror::Error;

use crate::limits::model::{ONBOARDING_CHECKS_OF_ADDRESS, ONBOARDING_CHECKS_OF_CLIENT};
use crate::team::model::team::AdministratorsBy;
use crate::webhooks::model::Hosts;

/// A value that must not be logged. `Debug` redacts it.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(String);

impl SecretString {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretString(…)")
    }
}

#[derive(Debug, Clone)]
pub struct AwsCredentials {
    pub access_key_id: String,
    pub secret_access_key: SecretString,
    pub session_token: Option<SecretString>,
}

/// Custom endpoints of AWS services. Each defaults to `AWS_ENDPOINT_URL`.
#[derive(Debug, Clone, Default)]
pub struct AwsEndpoints {
    pub dynamodb: Option<String>,
    pub s3: Option<String>,
    pub ses: Option<String>,
    pub secrets_manager: Option<String>,
}

/// The rate limits of the onboarding check: calls within ten minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnboardingChecks {
    pub per_email: u32,
    pub per_address: u32,
}

#[derive(Debug, Clone)]
pub struct AwsSettings {
    /// Part of the user agent in calls to AWS.
    pub function_name: String,
    pub region: String,
    pub credentials: AwsCredentials,
    pub endpoints: AwsEndpoints,
    /// PEM certificates to trust at AWS endpoints instead of Amazon's.
    pub ca_bundle: Option<Vec<u8>>,
}

/// A proxy in front of API Gateway. It sends the client's address, and a secret that proves that it is the proxy: API
/// Gateway can also be called directly.
#[derive(Debug, Clone)]
pub struct FrontDoor {
    pub address_header: HeaderName,
    pub secret: SecretString,
    /// Also accepted, so that requests pass while the proxy changes its secret.
    pub previous_secret: Option<SecretString>,
}

/// Everything that differs between deployments.
#[derive(Debug, Clone)]
pub struct Settings {
    pub aws: AwsSettings,
    /// The version of the function.
    pub function_version: Option<String>,
    pub table: String,
    /// The bucket of public images.
    pub bucket: String,
    /// The bucket of identity documents. Defaults to the one of images.
    pub documents_bucket: String,
    /// The bucket of search segments.
    pub search_bucket: String,
    pub card_network_url: String,
    pub card_network_secret_id: String,
    pub verifier_url: String,
    pub verifier_secret_id: String,
    /// The secret of the key that one-time codes follow from.
    pub code_secret_id: String,
    /// The canonical URL of the portal, without a trailing slash.
    pub portal_base_url: String,
    /// The URL of the dashboard, to which mails link, without a trailing slash. Defaults to the portal's.
    pub dashboard_base_url: String,
    /// The base URL of the merchants' shops, without a trailing slash.
    pub webshop_base_url: String,
    /// Origins of the dashboard, in addition to the portal's own. `:*` at the end stands for any port.
    pub dashboard_origins: Vec<String>,
    /// Further URLs of the platform, to which no webhook goes.
    pub platform_urls: Vec<String>,
    /// The sender of all mails. Recipients are asked to reply, so it must be a mailbox that is read.
    pub mail_from: String,
    /// The SES configuration set of all mails, which counts bounces and complaints.
    pub mail_configuration_set: Option<String>,
    pub onboarding_checks: OnboardingChecks,
    /// Whether the administrator who started a payout can also confirm that it is paid.
    pub payouts_by_one: bool,
    /// The sessions in which a platform administrator is one.
    pub administrators_by: AdministratorsBy,
    /// The host that passkeys are made for: the dashboard's, or a parent of it. It cannot change once there is one.
    pub passkey_rp_id: String,
    /// How many settlements of a payout change in a second. 0 is as many as possible.
    pub payout_settlements_per_second: u32,
    /// Whether webhooks go to this machine, and nowhere else. For the local system.
    pub webhooks_to_this_machine: bool,
    /// The proxy in front of API Gateway. Without one, API Gateway sees the clients' addresses.
    pub front_door: Option<FrontDoor>,
    /// The CloudWatch namespace of the metrics. `None` turns metrics off.
    pub metrics_namespace: Option<String>,
    /// Whether there are metrics of each route. CloudWatch bills each metric.
    pub route_metrics: bool,
}

/// Why the settings cannot be read.
#[derive(Debug, Error)]
pub enum SettingError {
    #[error("the environment variable {0} is not set")]
    Missing(&'static str),
    #[error("the environment variable {0} is invalid")]
    Unreadable(&'static str),
}

impl AwsSettings {
    /// Reads the settings through `lookup`, which is the environment in a function.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let optional = |name| optional(&lookup, name);
        let required = |name| required(&lookup, name);
        let endpoint = |name| endpoint(&lookup, name);
        Ok(Self {
            function_name: optional("AWS_LAMBDA_FUNCTION_NAME").unwrap_or_else(|| "portal".to_owned()),
            region: required("AWS_REGION")?,
            credentials: AwsCredentials {
                access_key_id: required("AWS_ACCESS_KEY_ID")?,
                secret_access_key: SecretString::new(required("AWS_SECRET_ACCESS_KEY")?),
                session_token: optional("AWS_SESSION_TOKEN").map(SecretString::new),
            },
            endpoints: AwsEndpoints {
                dynamodb: endpoint("AWS_ENDPOINT_URL_DYNAMODB"),
                s3: endpoint("AWS_ENDPOINT_URL_S3"),
                ses: endpoint("AWS_ENDPOINT_URL_SES"),
                secrets_manager: endpoint("AWS_ENDPOINT_URL_SECRETS_MANAGER"),
            },
            ca_bundle: optional("AWS_CA_BUNDLE").map(file).transpose()?,
        })
    }
}

impl Settings {
    /// Reads the settings through `lookup`, which is the environment in a function.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let required = |name| required(&lookup, name);
        let address = |name| required(name).map(|url| url.trim_end_matches('/').to_owned());
        let dashboard_base_url = optional(&lookup, "DASHBOARD_BASE_URL")
            .map_or_else(|| address("PORTAL_BASE_URL"), |url| Ok(url.trim_end_matches('/').to_owned()))?;
        let passkey_rp_id = optional(&lookup, "PASSKEY_RP_ID").unwrap_or_else(|| host_of(&dashboard_base_url).to_owned());
        Ok(Self {
            aws: AwsSettings::read(&lookup)?,
            function_version: optional(&lookup, "AWS_LAMBDA_FUNCTION_VERSION"),
            table: required("TABLE_NAME")?,
            bucket: required("BUCKET_NAME")?,
            documents_bucket: optional(&lookup, "DOCUMENTS_BUCKET_NAME").map_or_else(|| required("BUCKET_NAME"), Ok)?,
            search_bucket: required("SEARCH_BUCKET_NAME")?,
            card_network_url: address("CARD_NETWORK_URL")?,
            card_network_secret_id: required("CARD_NETWORK_SECRET_ID")?,
            verifier_url: address("VERIFIER_URL")?,
            verifier_secret_id: required("VERIFIER_SECRET_ID")?,
            code_secret_id: required("CODE_SECRET_ID")?,
            portal_base_url: address("PORTAL_BASE_URL")?,
            dashboard_base_url,
            webshop_base_url: address("WEBSHOP_BASE_URL")?,
            dashboard_origins: comma_separated(&lookup("DASHBOARD_ORIGINS").unwrap_or_default()),
            platform_urls: comma_separated(&lookup("PLATFORM_URLS").unwrap_or_default()),
            mail_from: required("MAIL_FROM")?,
            mail_configuration_set: optional(&lookup, "MAIL_CONFIGURATION_SET"),
            onboarding_checks: OnboardingChecks {
                per_email: parsed(&lookup, "ONBOARDING_CHECKS_PER_EMAIL")?.unwrap_or(ONBOARDING_CHECKS_OF_ADDRESS.max),
                per_address: parsed(&lookup, "ONBOARDING_CHECKS_PER_ADDRESS")?.unwrap_or(ONBOARDING_CHECKS_OF_CLIENT.max),
            },
            payouts_by_one: yes_or_no(&lookup, "PAYOUTS_BY_ONE")?.unwrap_or(false),
            administrators_by: match yes_or_no(&lookup, "ADMINISTRATORS_BY_CODE")? {
                Some(true) => AdministratorsBy::AnyMethod,
                Some(false) | None => AdministratorsBy::Passkey,
            },
            passkey_rp_id,
            payout_settlements_per_second: parsed(&lookup, "PAYOUT_SETTLEMENTS_PER_SECOND")?
                .unwrap_or(PAYOUT_SETTLEMENTS_PER_SECOND),
            webhooks_to_this_machine: yes_or_no(&lookup, "WEBHOOKS_TO_THIS_MACHINE")?.unwrap_or(false),
            front_door: front_door(&lookup)?,
            metrics_namespace: optional(&lookup, "METRICS_NAMESPACE"),
            route_metrics: yes_or_no(&lookup, "ROUTE_METRICS")?.unwrap_or(true),
        })
    }

    /// The hosts that webhook endpoints can have.
    pub fn webhook_hosts(&self) -> Hosts {
        if self.webhooks_to_this_machine {
            return Hosts::Local;
        }
        let own =
            [&self.portal_base_url, &self.dashboard_base_url, &self.webshop_base_url, &self.card_network_url, &self.verifier_url];
        Hosts::public(own.into_iter().chain(&self.dashboard_origins).chain(&self.platform_urls).map(String::as_str))
    }
}

/// An optional setting. An empty value counts as unset.
fn optional(lookup: &impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    lookup(name).filter(|value| !value.is_empty())
}

pub fn required(lookup: &impl Fn(&str) -> Option<String>, name: &'static str) -> Result<String, SettingError> {
    optional(lookup, name).ok_or(SettingError::Missing(name))
}

fn endpoint(lookup: &impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    optional(lookup, name).or_else(|| optional(lookup, "AWS_ENDPOINT_URL"))
}

fn front_door(lookup: &impl Fn(&str) -> Option<String>) -> Result<Option<FrontDoor>, SettingError> {
    let Some(address_header) = parsed(lookup, "CLIENT_ADDRESS_HEADER")? else { return Ok(None) };
    let secret = SecretString::new(required(lookup, "FRONT_DOOR_SECRET")?);
    let previous_secret = optional(lookup, "FRONT_DOOR_PREVIOUS_SECRET").map(SecretString::new);
    Ok(Some(FrontDoor { address_header, secret, previous_secret }))
}

fn file(path: String) -> Result<Vec<u8>, SettingError> {
    std::fs::read(path).map_err(|_| SettingError::Unreadable("AWS_CA_BUNDLE"))
}

/// The host of a URL, without its port.
fn host_of(url: &str) -> &str {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    authority.split(['/', ':']).next().unwrap_or_default()
}

/// An optional setting that is `yes` or `no`.
fn yes_or_no(lookup: &impl Fn(&str) -> Option<String>, name: &'static str) -> Result<Option<bool>, SettingError> {
    match optional(lookup, name).as_deref() {
        None => Ok(None),
        Some("yes") => Ok(Some(true)),
        Some("no") => Ok(Some(false)),
        Some(_) => Err(SettingError::Unreadable(name)),
    }
}

/// A quarter of what one partition of the table takes, so that the merchant's tills have the rest.
const PAYOUT_SETTLEMENTS_PER_SECOND: u32 = 200;

/// The entries of a comma-separated list, without empty ones.
fn comma_separated(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
}

/// An optional setting that must parse as a `T`.
fn parsed<T: FromStr>(lookup: &impl Fn(&str) -> Option<String>, name: &'static str) -> Result<Option<T>, SettingError> {
    optional(lookup, name).map(|value| value.trim().parse().map_err(|_| SettingError::Unreadable(name))).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::model::{UrlError, WebhookUrl};

    /// Reads these settings, with a value for each other required setting.
    fn read(set: &[(&str, &str)]) -> Result<Settings, SettingError> {
        let optional = |name: &str| {
            ["ONBOARDING", "CLIENT", "AWS_CA", "AWS_ENDPOINT", "ROUTE", "PAYOUT", "WEBHOOKS", "ADMINISTRATORS", "PASSKEY"]
                .iter()
                .any(|prefix| name.starts_with(prefix))
        };
        let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        Settings::read(|name| value(name).or((!optional(name)).then_some("x")).map(str::to_owned))
    }

    #[test]
    fn unset_and_empty_settings_have_their_defaults() {
        for unset in [&[][..], &[("ONBOARDING_CHECKS_PER_EMAIL", ""), ("CLIENT_ADDRESS_HEADER", "")]] {
            let settings = read(unset).unwrap();
            assert!(settings.route_metrics && !settings.payouts_by_one);
            assert_eq!(settings.payout_settlements_per_second, 200);
            let default = OnboardingChecks { per_email: 5, per_address: 20 };
            assert_eq!(settings.onboarding_checks, default);
            assert!(settings.front_door.is_none());
        }
    }

    #[test]
    fn endpoint_of_one_service_overrides_the_one_for_all() {
        let all = ("AWS_ENDPOINT_URL", "http://localhost:1");
        let s3 = ("AWS_ENDPOINT_URL_S3", "http://localhost:2");
        for (set, of_s3, of_ses) in [
            (&[][..], None, None),
            (&[all], Some(all.1), Some(all.1)),
            (&[s3], Some(s3.1), None),
            (&[all, s3], Some(s3.1), Some(all.1)),
        ] {
            let endpoints = read(set).unwrap().aws.endpoints;
            assert_eq!((endpoints.s3.as_deref(), endpoints.ses.as_deref()), (of_s3, of_ses), "{set:?}");
        }
    }

    #[test]
    fn a_list_has_no_empty_entries() {
        for (origins, expected) in [
            ("", vec![]),
            (" , ", vec![]),
            ("https://a.example", vec!["https://a.example"]),
            (" https://a.example,, https://b.example,", vec!["https://a.example", "https://b.example"]),
        ] {
            let settings = read(&[("DASHBOARD_ORIGINS", origins)]).unwrap();
            assert_eq!(settings.dashboard_origins, expected, "{origins}");
        }
    }

    #[test]
    fn no_webhook_goes_to_the_platform_itself() {
        let settings = read(&[
            ("PORTAL_BASE_URL", "https://portal.example"),
            ("DASHBOARD_BASE_URL", "https://board.example/app"),
            ("WEBSHOP_BASE_URL", "https://shop.example/s/"),
            ("CARD_NETWORK_URL", "https://network.example/v1"),
            ("VERIFIER_URL", "https://verifier.example"),
            ("DASHBOARD_ORIGINS", "https://dashboard.example,https://till.example"),
            ("PLATFORM_URLS", "https://api.example,https://,https://widget.example"),
        ]);
        let hosts = settings.unwrap().webhook_hosts();
        let own = ["portal", "board", "shop", "network", "verifier", "dashboard", "till", "api", "widget"];
        for host in own {
            let url = format!("https://{host}.example/hooks");
            assert_eq!(WebhookUrl::parse(&url, &hosts), Err(UrlError::OwnHost), "{url}");
        }
        assert!(WebhookUrl::parse("https://hooks.example/", &hosts).is_ok());
        let local = read(&[("WEBHOOKS_TO_THIS_MACHINE", "yes")]).unwrap();
        assert_eq!(local.webhook_hosts(), Hosts::Local);
    }

    #[test]
    fn settings_that_are_set_are_used_or_rejected() {
        let settings = read(&[
            ("ONBOARDING_CHECKS_PER_EMAIL", "1"),
            ("ONBOARDING_CHECKS_PER_ADDRESS", " 2 "),
            ("CLIENT_ADDRESS_HEADER", "CloudFront-Viewer-Address"),
            ("ROUTE_METRICS", "no"),
            ("PAYOUTS_BY_ONE", "yes"),
            ("PAYOUT_SETTLEMENTS_PER_SECOND", "0"),
            ("FRONT_DOOR_SECRET", "secret"),
            ("FRONT_DOOR_PREVIOUS_SECRET", "previous"),
        ]);
        let settings = settings.unwrap();
        assert!(!settings.route_metrics && settings.payouts_by_one);
        assert_eq!(settings.payout_settlements_per_second, 0);
        assert_eq!(settings.onboarding_checks, OnboardingChecks { per_email: 1, per_address: 2 });
        let front_door = settings.front_door.unwrap();
        assert_eq!(front_door.address_header, HeaderName::from_static("cloudfront-viewer-address"));
        assert_eq!(front_door.secret, SecretString::new("secret"));
        assert_eq!(front_door.previous_secret, Some(SecretString::new("previous")));
        let without_previous = [("CLIENT_ADDRESS_HEADER", "x-client"), ("FRONT_DOOR_PREVIOUS_SECRET", "")];
        assert_eq!(read(&without_previous).unwrap().front_door.unwrap().previous_secret, None);
        let without_secret = read(&[("CLIENT_ADDRESS_HEADER", "x-client"), ("FRONT_DOOR_SECRET", "")]);
        assert!(matches!(without_secret, Err(SettingError::Missing("FRONT_DOOR_SECRET"))));
        for (name, value) in [
            ("ONBOARDING_CHECKS_PER_EMAIL", "five"),
            ("ONBOARDING_CHECKS_PER_ADDRESS", "-1"),
            ("CLIENT_ADDRESS_HEADER", "not a header"),
            ("ROUTE_METRICS", "false"),
            ("PAYOUTS_BY_ONE", "true"),
            ("PAYOUT_SETTLEMENTS_PER_SECOND", "-1"),
        ] {
            let rejected = read(&[(name, value)]);
            assert!(matches!(rejected, Err(SettingError::Unreadable(named)) if named == name), "{name}");
        }
    }
}
