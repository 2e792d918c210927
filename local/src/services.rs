//! The services that the functions call: AWS endpoints, and a simulator for each provider without an external URL.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use shared::app::App;
use shared::projections::search::Writer;
use shared::store::keys::USERS;
use thiserror::Error;
use tokio::sync::watch;
use upstreams::aws::{Aws, AwsOptions, Mail, Permissions, StartError, Usage};
use upstreams::calls::UpstreamCalls;
use upstreams::faults::Faults;
use upstreams::guard::Guard;
use upstreams::simulators::card_network::{CardNetwork, CardNetworkOptions};
use upstreams::simulators::verifier::{Verifier, VerifierOptions};

use crate::fixtures::{self, Fixtures, LoadError};

/// The bucket for public images.
const BUCKET: &str = "portal-images";
/// The bucket for identity documents.
const DOCUMENTS_BUCKET: &str = "portal-files";
/// The bucket for search segments.
pub(crate) const SEARCH_BUCKET: &str = "portal-search";
/// IDs in Secrets Manager.
const CARD_NETWORK_SECRET_ID: &str = "portal/card-network";
const VERIFIER_SECRET_ID: &str = "portal/verifier";
const CODE_SECRET_ID: &str = "portal/codes";
/// Values of the secrets. They exist only in the local system.
const CARD_NETWORK_API_KEY: &str = "local-card-network-key";
const VERIFIER_API_KEY: &str = "local-verifier-key";
const VERIFIER_SIGNING_KEY: &str = "local-verifier-signing-key";
const CODE_KEY: &str = "local-key-that-one-time-codes-follow-from";

#[derive(Debug, Error)]
pub enum ServiceError {
    #[error(transparent)]
    Aws(#[from] StartError),
    #[error(transparent)]
    Simulator(#[from] std::io::Error),
}

/// Base URLs, without a trailing slash.
#[derive(Debug, Clone)]
pub struct Addresses {
    pub dynamodb: String,
    pub s3: String,
    pub ses: String,
    pub secrets_manager: String,
    pub card_network: String,
    pub verifier: String,
}

/// The running services. Clones share them. They stop when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Services(Arc<Parts>);

struct Parts {
    aws: Aws,
    card_network: Option<CardNetwork>,
    /// The simulator stops when dropped.
    _verifier: Option<Verifier>,
    addresses: Addresses,
    faults: Faults,
    calls: UpstreamCalls,
}

impl std::fmt::Debug for Services {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Services({:?})", self.0.addresses)
    }
}

#[derive(Debug)]
pub(crate) struct ServiceOptions {
    pub(crate) data: Option<PathBuf>,
    pub(crate) aws_port: u16,
    pub(crate) card_network: Option<String>,
    pub(crate) verifier: Option<String>,
    pub(crate) guard: Guard,
}

impl Services {
    pub(crate) async fn start(options: ServiceOptions) -> Result<Self, ServiceError> {
        let (faults, calls) = (Faults::default(), UpstreamCalls::default());
        let secrets = vec![
            (CARD_NETWORK_SECRET_ID.to_owned(), json!({"apiKey": CARD_NETWORK_API_KEY}).to_string()),
            (VERIFIER_SECRET_ID.to_owned(), json!({"apiKey": VERIFIER_API_KEY, "signingKey": VERIFIER_SIGNING_KEY}).to_string()),
            (CODE_SECRET_ID.to_owned(), json!({"key": CODE_KEY}).to_string()),
        ];
        let (data, first_port, guard) = (options.data.clone(), options.aws_port, options.guard.clone());
        let aws = Aws::start(AwsOptions { data, first_port, secrets, faults: faults.clone(), guard }).await?;
        aws.s3.create_versioned_bucket(BUCKET)?;
        for bucket in [DOCUMENTS_BUCKET, SEARCH_BUCKET] {
            aws.s3.create_bucket(bucket)?;
        }
        let card_network = match &options.card_network {
            Some(_) => None,
            None => Some(start_card_network(options.data.clone(), &options.guard, &faults, &calls).await?),
        };
        let verifier = match &options.verifier {
            Some(_) => None,
            None => Some(start_verifier(options.data, &options.guard, &faults, &calls).await?),
        };
        let base_url = |external: Option<String>, simulator: Option<String>| {
            external.map(|url| url.trim_end_matches('/').to_owned()).or(simulator).unwrap_or_default()
        };
        let addresses = Addresses {
            dynamodb: aws.dynamodb.url(),
            s3: aws.s3.url(),
            ses: aws.ses.url(),
            secrets_manager: aws.secrets_manager.url(),
            card_network: base_url(options.card_network, card_network.as_ref().map(CardNetwork::url)),
            verifier: base_url(options.verifier, verifier.as_ref().map(Verifier::url)),
        };
        Ok(Self(Arc::new(Parts { aws, card_network, _verifier: verifier, addresses, faults, calls })))
    }

    pub(crate) fn addresses(&self) -> &Addresses {
        &self.0.addresses
    }

    /// Returns the simulator, or `None` if an external card network is used.
    pub(crate) fn card_network(&self) -> Option<&CardNetwork> {
        self.0.card_network.as_ref()
    }

    /// Loads fixtures. Nobody may recount tallies meanwhile.
    pub(crate) async fn load(&self, fixtures: &Fixtures, app: &App) -> Result<(), LoadError> {
        let (database, table) = (self.0.aws.dynamodb.database(), &app.settings.table);
        let (store, objects, random) = (&app.store, app.segments(), &app.random);
        let writer = Writer { store, objects, random, now: app.clock.now() };
        fixtures::load_into(fixtures, &writer, database, table, self.card_network()).await
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.0.faults
    }

    pub(crate) fn calls(&self) -> &UpstreamCalls {
        &self.0.calls
    }

    pub(crate) fn mails(&self) -> Vec<Mail> {
        self.0.aws.ses.mails()
    }

    pub(crate) fn permissions(&self) -> &Permissions {
        &self.0.aws.permissions
    }

    /// Returns the partition keys of the first users.
    pub(crate) async fn users(&self, table: &str, limit: usize) -> Result<Vec<String>, StartError> {
        self.0.aws.dynamodb.partition_keys(table, USERS, limit).await
    }

    /// Changes with every write to the table.
    pub(crate) fn table_changes(&self) -> watch::Receiver<u64> {
        self.0.aws.dynamodb.changes()
    }

    pub(crate) fn usage(&self) -> &Usage {
        &self.0.aws.usage
    }

    pub(crate) fn rotate_secret(&self, name: &str, value: &Value) {
        self.0.aws.secrets_manager.set(name, value.to_string());
    }

    /// Returns the environment variables that all functions share.
    pub(crate) fn environment(&self) -> BTreeMap<&'static str, String> {
        let addresses = self.addresses();
        let variables = [
            ("AWS_REGION", upstreams::aws::REGION),
            ("AWS_ACCESS_KEY_ID", upstreams::aws::ACCESS_KEY_ID),
            ("AWS_SECRET_ACCESS_KEY", upstreams::aws::SECRET_ACCESS_KEY),
            ("AWS_ENDPOINT_URL_DYNAMODB", &addresses.dynamodb),
            ("AWS_ENDPOINT_URL_S3", &addresses.s3),
            ("AWS_ENDPOINT_URL_SES", &addresses.ses),
            ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &addresses.secrets_manager),
            ("TABLE_NAME", "portal"),
            ("BUCKET_NAME", BUCKET),
            ("DOCUMENTS_BUCKET_NAME", DOCUMENTS_BUCKET),
            ("SEARCH_BUCKET_NAME", SEARCH_BUCKET),
            ("CARD_NETWORK_URL", &addresses.card_network),
            ("CARD_NETWORK_SECRET_ID", CARD_NETWORK_SECRET_ID),
            ("VERIFIER_URL", &addresses.verifier),
            ("VERIFIER_SECRET_ID", VERIFIER_SECRET_ID),
            ("CODE_SECRET_ID", CODE_SECRET_ID),
            ("WEBSHOP_BASE_URL", "https://shop.example"),
            ("MAIL_FROM", "portal@example.com"),
            ("MAIL_CONFIGURATION_SET", "portal"),
        ];
        variables.map(|(name, value)| (name, value.to_owned())).into()
    }
}

async fn start_card_network(
    data: Option<PathBuf>,
    guard: &Guard,
    faults: &Faults,
    calls: &UpstreamCalls,
) -> std::io::Result<CardNetwork> {
    let (faults, calls) = (faults.clone(), calls.clone());
    CardNetwork::start(CardNetworkOptions {
        data,
        port: 0,
        api_key: CARD_NETWORK_API_KEY.to_owned(),
        faults,
        calls,
        guard: guard.clone(),
    })
    .await
}

async fn start_verifier(
    data: Option<PathBuf>,
    guard: &Guard,
    faults: &Faults,
    calls: &UpstreamCalls,
) -> std::io::Result<Verifier> {
    let port_file = data.as_ref().map(|data| data.join("verifier.port"));
    let start = |port| {
        let (data, faults, calls) = (data.clone(), faults.clone(), calls.clone());
        let (api_key, signing_key) = (VERIFIER_API_KEY.to_owned(), VERIFIER_SIGNING_KEY.to_owned());
        Verifier::start(VerifierOptions { data, port, api_key, signing_key, faults, calls, guard: guard.clone() })
    };
    // Reuses the port of the previous run if it is free: sent mails contain links to the simulator.
    let previous_port = port_file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    let verifier = match start(previous_port.unwrap_or(0)).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse => start(0).await?,
        started => started?,
    };
    if let (Some(file), Some((_, port))) = (port_file, verifier.url().rsplit_once(':')) {
        std::fs::write(file, port)?;
    }
    Ok(verifier)
}
