//! The services that the functions call: AWS endpoints, and a simulator for each provider without an external URL.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::base::settings::{SettingError, Settings};
use shared::db::keys::USERS;
use shared::projections::search::Writer;
use shared::team::model::team::AdministratorsBy;
use shared::values::MerchantId;
use thiserror::Error;
use tokio::sync::watch;
use upstreams::aws::{Aws as EmbeddedAws, AwsOptions, Mail, Permissions, StartError, Usage};
use upstreams::calls::UpstreamCalls;
use upstreams::faults::Faults;
use upstreams::simulators::SimulatorOptions;
use upstreams::simulators::card_network::CardNetwork;
use upstreams::simulators::verifier::Verifier;

use crate::Options;
use crate::clients::ClientAddresses;
use crate::external::{ExternalAws, ExternalError};
use crate::fixtures::{self, Fixtures, LoadError};
use crate::resources::{
    BUCKET, CARD_NETWORK_SECRET_ID, CODE_SECRET_ID, DEFAULT_MAIL_FROM, DOCUMENTS_BUCKET, MAIL_CONFIGURATION_SET, Names,
    SEARCH_BUCKET, Secrets, VERIFIER_SECRET_ID,
};
use crate::stream::Checkpoint;

/// Values of the embedded secrets. They exist only in the local system.
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
    #[error(transparent)]
    External(#[from] ExternalError),
}

/// The AWS services that the functions call.
enum Aws {
    Embedded(Box<EmbeddedAws>),
    External(Box<ExternalAws>),
}

/// Base URLs, without a trailing slash.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listening {
    pub api: String,
    pub dynamodb: String,
    pub s3: String,
    pub ses: String,
    pub secretsmanager: String,
    pub card_network: String,
    pub verifier: String,
    /// The browser clients, unless other tools serve the API.
    #[serde(flatten)]
    pub clients: Option<ClientAddresses>,
}

/// The running services. Clones share them. They stop when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct Services(Arc<Parts>);

struct Parts {
    aws: Aws,
    stream_checkpoint: Option<Checkpoint>,
    card_network: Option<CardNetwork>,
    /// The simulator stops when dropped.
    _verifier: Option<Verifier>,
    listening: Listening,
    dashboard_origins: String,
    administrators_by: AdministratorsBy,
    faults: Faults,
    calls: UpstreamCalls,
}

impl std::fmt::Debug for Services {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Services({:?})", self.0.listening)
    }
}

impl Services {
    /// Starts what the options do not replace. `api` and `clients` are where the system itself listens.
    pub(crate) async fn start(options: &Options, api: String, clients: Option<ClientAddresses>) -> Result<Self, ServiceError> {
        let (faults, calls, guard) = (Faults::default(), UpstreamCalls::default(), options.guard());
        let (aws, secrets) = match options.external_aws.clone() {
            None => start_embedded(options, &faults).await?,
            Some(external) => {
                let (aws, secrets) = ExternalAws::prepare(external, &Random::system()).await?;
                (Aws::External(Box::new(aws)), secrets)
            }
        };
        let stream_checkpoint = options.data.as_deref().filter(|_| options.external_aws.is_none()).map(Checkpoint::in_folder);
        let simulator = |api_key: &str| SimulatorOptions {
            data: options.data.clone(),
            port: 0,
            api_key: api_key.to_owned(),
            faults: faults.clone(),
            calls: calls.clone(),
            guard: guard.clone(),
        };
        let card_network = match &options.card_network {
            Some(_) => None,
            None => Some(CardNetwork::start(simulator(&secrets.card_network_api_key)).await?),
        };
        let verifier = match &options.verifier {
            Some(_) => None,
            None => Some(start_verifier(simulator(&secrets.verifier_api_key), &secrets.verifier_signing_key).await?),
        };
        let base_url = |external: &Option<String>, simulator: Option<String>| {
            external.as_ref().map(|url| url.trim_end_matches('/').to_owned()).or(simulator).unwrap_or_default()
        };
        let listening = Listening {
            api,
            dynamodb: aws.url(|aws| aws.dynamodb.url(), "dynamodb"),
            s3: aws.url(|aws| aws.s3.url(), "s3"),
            ses: aws.url(|aws| aws.ses.url(), "email"),
            secretsmanager: aws.url(|aws| aws.secrets_manager.url(), "secretsmanager"),
            card_network: base_url(&options.card_network, card_network.as_ref().map(CardNetwork::url)),
            verifier: base_url(&options.verifier, verifier.as_ref().map(Verifier::url)),
            clients,
        };
        let dashboard_origins = options.dashboard_origins.join(",");
        let parts = Parts {
            aws,
            stream_checkpoint,
            card_network,
            _verifier: verifier,
            listening,
            dashboard_origins,
            administrators_by: options.administrators_by,
            faults,
            calls,
        };
        Ok(Self(Arc::new(parts)))
    }

    pub(crate) fn listening(&self) -> &Listening {
        &self.0.listening
    }

    /// Returns the simulator, or `None` if an external card network is used.
    pub(crate) fn card_network(&self) -> Option<&CardNetwork> {
        self.0.card_network.as_ref()
    }

    /// Loads fixtures. Nobody may recount tallies meanwhile.
    pub(crate) async fn load(&self, fixtures: &Fixtures, app: &App) -> Result<(), LoadError> {
        let Aws::Embedded(aws) = &self.0.aws else {
            return fixtures::load(fixtures, &app.store, self.card_network()).await;
        };
        let (database, table) = (aws.dynamodb.database(), &app.settings.table);
        let writer = writer(app);
        let loading = Box::pin(fixtures::load_into(fixtures, &writer, database, table, self.card_network()));
        match &self.0.stream_checkpoint {
            // What is loaded is not in the stream. If the system dies before it is counted, the next start counts everything.
            Some(checkpoint) => checkpoint.suspend(loading).await,
            None => loading.await,
        }
    }

    /// Counts the tallies of merchants, and writes their search segments anew. Only of embedded services.
    pub(crate) async fn recount(&self, merchants: &[MerchantId], app: &App) -> Result<(), LoadError> {
        let Some(aws) = self.embedded() else { return Ok(()) };
        fixtures::count(merchants, &writer(app), aws.dynamodb.database(), &app.settings.table).await
    }

    pub(crate) fn faults(&self) -> &Faults {
        &self.0.faults
    }

    pub(crate) fn calls(&self) -> &UpstreamCalls {
        &self.0.calls
    }

    /// Returns the mails so far, or `None` if external services do not show them.
    pub(crate) async fn mails(&self) -> Option<Vec<Mail>> {
        match &self.0.aws {
            Aws::Embedded(aws) => Some(aws.ses.mails()),
            Aws::External(aws) => aws.mails().await,
        }
    }

    /// Only of embedded services.
    pub(crate) fn permissions(&self) -> Option<&Permissions> {
        self.embedded().map(|aws| &aws.permissions)
    }

    /// Returns the partition keys of the first users.
    pub(crate) async fn users(&self, table: &str, limit: usize) -> Result<Vec<String>, ServiceError> {
        Ok(match &self.0.aws {
            Aws::Embedded(aws) => aws.dynamodb.partition_keys(table, USERS, limit).await?,
            Aws::External(aws) => aws.users(limit).await?,
        })
    }

    /// Changes whenever the stream of the table is to be read: with every write, or regularly.
    pub(crate) fn table_changes(&self) -> watch::Receiver<u64> {
        match &self.0.aws {
            Aws::Embedded(aws) => aws.dynamodb.changes(),
            Aws::External(aws) => aws.changes(),
        }
    }

    pub(crate) fn stream_url(&self) -> String {
        self.0.aws.url(|aws| aws.dynamodb.url(), "streams.dynamodb")
    }

    /// Only of embedded services whose data is kept. Without one, a run begins with the oldest record: what is loaded into the
    /// embedded services does not come through the stream, and an external table may have changes of any run.
    pub(crate) fn stream_checkpoint(&self) -> Option<Checkpoint> {
        self.0.stream_checkpoint.clone()
    }

    /// Only of embedded services.
    pub(crate) fn usage(&self) -> Option<&Usage> {
        self.embedded().map(|aws| &aws.usage)
    }

    pub(crate) async fn rotate_secret(&self, name: &str, value: &Value) -> Result<(), ServiceError> {
        match &self.0.aws {
            Aws::Embedded(aws) => aws.secrets_manager.set(name, value.to_string()),
            Aws::External(aws) => aws.rotate_secret(name, value).await?,
        }
        Ok(())
    }

    pub(crate) fn embedded(&self) -> Option<&EmbeddedAws> {
        match &self.0.aws {
            Aws::Embedded(aws) => Some(aws),
            Aws::External(_) => None,
        }
    }

    pub(crate) fn external(&self) -> Option<&ExternalAws> {
        match &self.0.aws {
            Aws::Embedded(_) => None,
            Aws::External(aws) => Some(aws),
        }
    }

    /// Returns the environment variables that all functions share.
    pub(crate) fn environment(&self) -> BTreeMap<&'static str, String> {
        let listening = self.listening();
        let dashboard = listening.clients.as_ref().map_or(&listening.api, |clients| &clients.dashboard);
        let embedded_names = Names::new(None);
        let names = self.external().map_or(&embedded_names, |aws| &aws.names);
        let of_aws = self.external().map_or_else(|| embedded_environment(listening), ExternalAws::environment);
        let variables = [
            ("TABLE_NAME", names.table.as_str()),
            ("BUCKET_NAME", &names.images),
            ("DOCUMENTS_BUCKET_NAME", &names.documents),
            ("SEARCH_BUCKET_NAME", &names.search),
            ("CARD_NETWORK_URL", &listening.card_network),
            ("CARD_NETWORK_SECRET_ID", &names.card_network_secret),
            ("VERIFIER_URL", &listening.verifier),
            ("VERIFIER_SECRET_ID", &names.verifier_secret),
            ("CODE_SECRET_ID", &names.code_secret),
            ("WEBSHOP_BASE_URL", "https://shop.example"),
            ("PORTAL_BASE_URL", &listening.api),
            ("DASHBOARD_BASE_URL", dashboard),
            ("DASHBOARD_ORIGINS", &self.0.dashboard_origins),
            ("ADMINISTRATORS_BY_CODE", if self.0.administrators_by == AdministratorsBy::AnyMethod { "yes" } else { "no" }),
            ("WEBHOOKS_TO_THIS_MACHINE", "yes"),
        ];
        variables.into_iter().map(|(name, value)| (name, value.to_owned())).chain(of_aws).collect()
    }

    /// Creates an instance of a function, with its own environment as on AWS.
    pub(crate) fn app(&self, function: &str, clock: &Clock) -> Result<App, SettingError> {
        let environment = self.environment();
        let settings = Settings::read(|name| match name {
            "AWS_LAMBDA_FUNCTION_NAME" => Some(function.to_owned()),
            name => environment.get(name).cloned(),
        })?;
        Ok(App::new(settings, clock.clone(), Random::system()))
    }
}

fn writer(app: &App) -> Writer<'_> {
    Writer { store: &app.store, objects: app.segments(), random: &app.random, now: app.clock.now() }
}

fn embedded_environment(listening: &Listening) -> BTreeMap<&'static str, String> {
    let variables = [
        ("AWS_REGION", upstreams::aws::REGION),
        ("AWS_ACCESS_KEY_ID", upstreams::aws::ACCESS_KEY_ID),
        ("AWS_SECRET_ACCESS_KEY", upstreams::aws::SECRET_ACCESS_KEY),
        ("AWS_ENDPOINT_URL_DYNAMODB", &listening.dynamodb),
        ("AWS_ENDPOINT_URL_S3", &listening.s3),
        ("AWS_ENDPOINT_URL_SES", &listening.ses),
        ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &listening.secretsmanager),
        ("MAIL_FROM", DEFAULT_MAIL_FROM),
        ("MAIL_CONFIGURATION_SET", MAIL_CONFIGURATION_SET),
    ];
    variables.map(|(name, value)| (name, value.to_owned())).into()
}

impl Aws {
    /// The URL of a service, with its name in the endpoints of AWS.
    fn url(&self, embedded: impl FnOnce(&EmbeddedAws) -> String, name: &str) -> String {
        match self {
            Self::Embedded(aws) => embedded(aws),
            Self::External(aws) => aws.url(name),
        }
    }
}

async fn start_embedded(options: &Options, faults: &Faults) -> Result<(Aws, Secrets), ServiceError> {
    let keys = Secrets {
        card_network_api_key: CARD_NETWORK_API_KEY.to_owned(),
        verifier_api_key: VERIFIER_API_KEY.to_owned(),
        verifier_signing_key: VERIFIER_SIGNING_KEY.to_owned(),
    };
    let secrets = vec![
        (CARD_NETWORK_SECRET_ID.to_owned(), json!({"apiKey": CARD_NETWORK_API_KEY}).to_string()),
        (VERIFIER_SECRET_ID.to_owned(), json!({"apiKey": VERIFIER_API_KEY, "signingKey": VERIFIER_SIGNING_KEY}).to_string()),
        (CODE_SECRET_ID.to_owned(), json!({"key": CODE_KEY}).to_string()),
    ];
    let (data, first_port, guard) = (options.data.clone(), options.aws_port, options.guard());
    let aws = EmbeddedAws::start(AwsOptions { data, first_port, secrets, faults: faults.clone(), guard }).await?;
    aws.s3.create_versioned_bucket(BUCKET)?;
    for bucket in [DOCUMENTS_BUCKET, SEARCH_BUCKET] {
        aws.s3.create_bucket(bucket)?;
    }
    Ok((Aws::Embedded(Box::new(aws)), keys))
}

async fn start_verifier(options: SimulatorOptions, signing_key: &str) -> std::io::Result<Verifier> {
    let port_file = options.data.as_ref().map(|data| data.join("verifier.port"));
    // Reuses the port of the previous run if it is free: sent mails contain links to the simulator.
    let previous_port = port_file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    let start = |port| Verifier::start(SimulatorOptions { port, ..options.clone() }, signing_key);
    let verifier = match start(previous_port.unwrap_or(0)).await {
        Err(error) if error.kind() == ErrorKind::AddrInUse => start(0).await?,
        started => started?,
    };
    if let (Some(file), Some((_, port))) = (port_file, verifier.url().rsplit_once(':')) {
        std::fs::write(file, port)?;
    }
    Ok(verifier)
}
