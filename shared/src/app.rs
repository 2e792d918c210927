//! The parts of a function: settings and clients. They are built once at start-up, or on first use if only some routes
//! need them.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::aws::Aws;
use crate::aws::files::Files;
use crate::aws::mail::Mailer;
use crate::aws::secrets::{Secret, SecretError};
use crate::base::clock::Clock;
use crate::base::metrics::Metrics;
use crate::base::random::Random;
use crate::base::settings::Settings;
use crate::card_network::CardNetwork;
use crate::db::Store;
use crate::projections::search::SegmentObjects;
use crate::team::model::code::CodeKey;
use crate::verifier::Verifier;
use crate::webhooks::Sender;

/// Clones share everything.
#[derive(Debug, Clone)]
pub struct App(Arc<Parts>);

#[derive(Debug)]
pub struct Parts {
    pub settings: Settings,
    pub clock: Clock,
    pub random: Random,
    pub metrics: Metrics,
    pub store: Store,
    aws: Aws,
    card_network: OnceLock<CardNetwork>,
    files: OnceLock<Files>,
    documents: OnceLock<Files>,
    segments: OnceLock<SegmentObjects>,
    mail: OnceLock<Mailer>,
    verifier: OnceLock<Verifier>,
    code_key: OnceLock<Secret<CodeKey>>,
    webhooks: OnceLock<Sender>,
}

impl App {
    pub fn new(settings: Settings, clock: Clock, random: Random) -> Self {
        let aws = Aws::new(settings.aws.clone());
        let metrics = Metrics::new(settings.metrics_namespace.as_deref(), clock.clone())
            .with_routes(settings.route_metrics)
            .of_version(settings.function_version.as_deref());
        let store = Store::new(aws.dynamodb(), &settings.table, random.clone(), metrics.clone());
        Self(Arc::new(Parts {
            settings,
            clock,
            random,
            metrics,
            store,
            aws,
            card_network: OnceLock::new(),
            files: OnceLock::new(),
            documents: OnceLock::new(),
            segments: OnceLock::new(),
            mail: OnceLock::new(),
            verifier: OnceLock::new(),
            code_key: OnceLock::new(),
            webhooks: OnceLock::new(),
        }))
    }
}

impl Parts {
    pub fn card_network(&self) -> &CardNetwork {
        self.card_network.get_or_init(|| {
            let secrets = self.aws.secrets_manager();
            let credentials = Secret::new(secrets, &self.settings.card_network_secret_id);
            CardNetwork::new(&self.settings.card_network_url, credentials, self.metrics.clone())
        })
    }

    /// Public images.
    pub fn files(&self) -> &Files {
        self.files.get_or_init(|| Files::new(self.aws.s3(), &self.settings.bucket))
    }

    /// Identity documents and exports.
    pub fn documents(&self) -> &Files {
        self.documents.get_or_init(|| Files::new(self.aws.s3(), &self.settings.documents_bucket))
    }

    /// Search segments.
    pub fn segments(&self) -> &SegmentObjects {
        self.segments.get_or_init(|| SegmentObjects::new(Files::new(self.aws.s3(), &self.settings.search_bucket)))
    }

    pub fn mail(&self) -> &Mailer {
        self.mail.get_or_init(|| {
            let configuration_set = self.settings.mail_configuration_set.clone();
            Mailer::new(self.aws.ses(), &self.settings.mail_from, configuration_set)
        })
    }

    /// The key that one-time codes follow from.
    pub async fn code_key(&self) -> Result<Arc<CodeKey>, SecretError> {
        let secret = || Secret::new(self.aws.secrets_manager(), &self.settings.code_secret_id);
        self.code_key.get_or_init(secret).get().await
    }

    pub fn webhooks(&self) -> &Sender {
        self.webhooks.get_or_init(|| Sender::new(self.settings.webhook_hosts()))
    }

    /// Lets webhook endpoints answer within another time than ten seconds. For tests, before a message is sent.
    pub fn limit_webhooks(&self, timeout: Duration) {
        let _ = self.webhooks.set(Sender::new(self.settings.webhook_hosts()).with_timeout(timeout));
    }

    pub fn verifier(&self) -> &Verifier {
        self.verifier.get_or_init(|| {
            let secrets = self.aws.secrets_manager();
            let keys = Secret::new(secrets, &self.settings.verifier_secret_id);
            Verifier::new(&self.settings.verifier_url, keys, self.metrics.clone())
        })
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
