//! AWS services that the local system does not embed: those of another implementation, or of an account of one's own.
//!
//! It creates what the template has, if it is missing, and deletes nothing. A table that it has not made itself is refused: the
//! operations in it belong to a card network that the simulator is not.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use aws_sdk_dynamodb::operation::describe_table::DescribeTableError;
use aws_sdk_dynamodb::types::{AttributeValue, KeySchemaElement, StreamSpecification, TableDescription, TableStatus, Tag};
use aws_sdk_s3::operation::head_bucket::HeadBucketError;
use aws_sdk_s3::types::{
    BucketLocationConstraint, BucketVersioningStatus, CreateBucketConfiguration, PublicAccessBlockConfiguration,
    VersioningConfiguration,
};
use aws_sdk_secretsmanager::operation::get_secret_value::GetSecretValueError;
use aws_sdk_ses::operation::create_configuration_set::CreateConfigurationSetError;
use aws_sdk_ses::types::ConfigurationSet;
use clap::Args;
use serde_json::{Value, json};
use shared::aws::Aws;
use shared::aws::sdk_error::describe;
use shared::base::random::Random;
use shared::base::settings::{AwsCredentials, AwsEndpoints, AwsSettings, SecretString};
use shared::db::keys::{DUE, PK, SK, USERS};
use thiserror::Error;
use tokio::sync::watch;
use tokio::task::JoinSet;
use upstreams::aws::Mail;
use url::Url;

use crate::resources::{DEFAULT_MAIL_FROM, Names, Secrets};
use crate::table::{self, TableError};

/// The tag of a table that the local system has made.
const TAG: (&str, &str) = ("made-by", "portal-local-system");
/// The region in which a bucket is created without naming it.
const DEFAULT_REGION_OF_BUCKETS: &str = "us-east-1";
/// A table becomes active within seconds, with an index within a minute.
const CREATION_CHECKS: u32 = 240;
const CREATION_INTERVAL: Duration = Duration::from_millis(500);
/// How often the stream is read. On AWS, a shard takes five reads a second.
const STREAM_INTERVAL: Duration = Duration::from_millis(200);
const STREAM_INTERVAL_OF_ACCOUNT: Duration = Duration::from_secs(1);
/// Pages of a scan, each of a megabyte, for the console's list of users.
const USER_PAGES: usize = 10;
const CALL_TIMEOUT: Duration = Duration::from_secs(5);

/// Which services to use, and with which names.
#[derive(Debug, Clone)]
pub struct External {
    /// `None` stands for AWS.
    pub endpoint: Option<String>,
    pub region: String,
    pub credentials: AwsCredentials,
    /// Begins the names of the table, the buckets and the secrets.
    pub prefix: Option<String>,
    pub mail_from: String,
}

/// What the command line says about external services.
#[derive(Debug, Clone, Default, Args)]
pub struct Requested {
    /// Endpoint of AWS services other than the embedded ones, such as those of moto
    #[arg(long, value_name = "URL", group = "external")]
    pub aws_endpoint: Option<String>,
    /// Use an AWS account, with the credentials and the region of the environment; creates what is missing, deletes nothing
    #[arg(long, group = "external", requires = "table_prefix", requires = "mail_from")]
    pub aws_account: bool,
    /// Begins the names of the table, the buckets and the secrets outside of the embedded services
    #[arg(long, value_name = "PREFIX", requires = "external", value_parser = prefix)]
    pub table_prefix: Option<String>,
    /// Sender of the mails outside of the embedded services
    #[arg(long, value_name = "ADDRESS", requires = "external")]
    pub mail_from: Option<String>,
    /// Load the demo or the fixtures into an AWS account
    #[arg(long, requires = "external")]
    pub load_fixtures_into_account: bool,
}

/// Why external services are not used as requested.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum Refused {
    #[error("--aws-endpoint {0}: must be a URL such as http://127.0.0.1:5000")]
    NotAnEndpoint(String),
    #[error("--aws-endpoint {0} is AWS itself: use --aws-account, which asks for what an account needs")]
    EndpointIsAws(String),
    #[error(
        "--aws-account would load the demo or other fixtures into the account, some thousands of rows: add --fixtures none, or \
         --load-fixtures-into-account"
    )]
    Fixtures,
    #[error("--aws-account needs the environment variable {0}")]
    NoVariable(&'static str),
}

#[derive(Debug, Error)]
pub enum ExternalError {
    #[error("{service}: {message}")]
    Call { service: &'static str, message: String },
    #[error("{0}: is not a response of this service")]
    Unreadable(&'static str),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(
        "the table {0} exists and was not made by the local system, whose workers would change it. Choose another --table-prefix; \
         if it is yours to lose, tag it with {key}={value}", key = TAG.0, value = TAG.1
    )]
    ForeignTable(String),
    #[error("the table {0} does not have the keys, the index or the stream of the template: choose another --table-prefix")]
    OtherSchema(String),
    #[error("the table {0} is still not active")]
    NotActive(String),
    #[error("the secret {0} is not a JSON object with {1}")]
    Secret(String, &'static str),
}

impl Requested {
    /// Checks what was requested. `lookup` is the environment.
    pub fn check(self, has_fixtures: bool, lookup: impl Fn(&str) -> Option<String>) -> Result<Option<External>, Refused> {
        match &self.aws_endpoint {
            Some(endpoint) => self.at_endpoint(endpoint, lookup).map(Some),
            None if self.aws_account && has_fixtures && !self.load_fixtures_into_account => Err(Refused::Fixtures),
            None if self.aws_account => self.in_account(lookup).map(Some),
            None => Ok(None),
        }
    }

    /// The credentials are those of the local system: another implementation needs none, and is not shown anybody's own.
    fn at_endpoint(&self, endpoint: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<External, Refused> {
        let url = Url::parse(endpoint).map_err(|_| Refused::NotAnEndpoint(endpoint.to_owned()))?;
        let (true, Some(host)) = (matches!(url.scheme(), "http" | "https"), url.host_str()) else {
            return Err(Refused::NotAnEndpoint(endpoint.to_owned()));
        };
        if ["amazonaws.com", "amazonaws.com.cn", "api.aws"].iter().any(|domain| is_below(host, domain)) {
            return Err(Refused::EndpointIsAws(endpoint.to_owned()));
        }
        Ok(External {
            endpoint: Some(endpoint.trim_end_matches('/').to_owned()),
            region: region(&lookup).unwrap_or_else(|| upstreams::aws::REGION.to_owned()),
            credentials: AwsCredentials {
                access_key_id: upstreams::aws::ACCESS_KEY_ID.to_owned(),
                secret_access_key: SecretString::new(upstreams::aws::SECRET_ACCESS_KEY),
                session_token: None,
            },
            prefix: self.table_prefix.clone(),
            mail_from: self.mail_from.clone().unwrap_or_else(|| DEFAULT_MAIL_FROM.to_owned()),
        })
    }

    fn in_account(&self, lookup: impl Fn(&str) -> Option<String>) -> Result<External, Refused> {
        let variable = |name| lookup(name).filter(|value| !value.is_empty()).ok_or(Refused::NoVariable(name));
        Ok(External {
            endpoint: None,
            region: region(&lookup).ok_or(Refused::NoVariable("AWS_REGION"))?,
            credentials: AwsCredentials {
                access_key_id: variable("AWS_ACCESS_KEY_ID")?,
                secret_access_key: SecretString::new(variable("AWS_SECRET_ACCESS_KEY")?),
                session_token: variable("AWS_SESSION_TOKEN").ok().map(SecretString::new),
            },
            prefix: self.table_prefix.clone(),
            mail_from: self.mail_from.clone().unwrap_or_default(),
        })
    }
}

fn region(lookup: &impl Fn(&str) -> Option<String>) -> Option<String> {
    ["AWS_REGION", "AWS_DEFAULT_REGION"].into_iter().find_map(|name| lookup(name).filter(|value| !value.is_empty()))
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// A text that names of buckets can begin with.
fn prefix(text: &str) -> Result<String, &'static str> {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_valid = (3..=30).contains(&text.len())
        && text.bytes().all(is_allowed)
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && !text.ends_with('-');
    if is_valid {
        return Ok(text.to_owned());
    }
    Err("must have 3 to 30 characters of a-z, 0-9 and -, starting with a letter and not ending with -")
}

/// The external services, with everything that the functions need.
#[derive(Debug)]
pub(crate) struct ExternalAws {
    options: External,
    pub(crate) names: Names,
    aws: Aws,
    /// What was made or found.
    pub(crate) report: Vec<String>,
    /// Changes whenever the stream is to be read.
    changes: watch::Receiver<u64>,
    _clock: JoinSet<()>,
}

impl ExternalAws {
    /// Creates what is missing.
    pub(crate) async fn prepare(options: External, random: &Random) -> Result<(Self, Secrets), ExternalError> {
        let names = Names::new(options.prefix.as_deref());
        let aws = Aws::new(options.settings());
        let mut report = vec![prepare_table(&aws, &names.table).await?];
        for (bucket, is_versioned) in [(&names.images, true), (&names.documents, true), (&names.search, false)] {
            report.push(prepare_bucket(&aws, bucket, is_versioned, &options.region).await?);
        }
        let secrets = prepare_secrets(&aws, &names, random, &mut report).await?;
        if options.endpoint.is_some() {
            prepare_mail(&aws, &names, &options.mail_from).await?;
            report.push(format!("Mails are sent from {}.", options.mail_from));
        } else {
            report.push(format!("Mails are sent from {}, which SES must have verified. They are delivered.", options.mail_from));
        }
        let mut clock = JoinSet::new();
        let changes = ticks(&mut clock, options.stream_interval());
        Ok((Self { options, names, aws, report, changes, _clock: clock }, secrets))
    }

    pub(crate) fn is_account(&self) -> bool {
        self.options.endpoint.is_none()
    }

    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    /// The URL of a service.
    pub(crate) fn url(&self, service: &str) -> String {
        let regional = || format!("https://{service}.{}.amazonaws.com", self.options.region);
        self.options.endpoint.clone().unwrap_or_else(regional)
    }

    /// Environment variables of the functions that differ from those of the embedded services.
    pub(crate) fn environment(&self) -> BTreeMap<&'static str, String> {
        let credentials = &self.options.credentials;
        let session = credentials.session_token.as_ref().map(|token| ("AWS_SESSION_TOKEN", token.expose().to_owned()));
        let endpoint = self.options.endpoint.clone().map(|endpoint| ("AWS_ENDPOINT_URL", endpoint));
        // The template has one, at which SES counts bounces. A set that does not exist fails every mail.
        let set = (!self.is_account()).then(|| ("MAIL_CONFIGURATION_SET", self.names.mail_configuration_set.clone()));
        let bundle = std::env::var("AWS_CA_BUNDLE").ok().map(|bundle| ("AWS_CA_BUNDLE", bundle));
        let variables = [
            ("AWS_REGION", self.options.region.clone()),
            ("AWS_ACCESS_KEY_ID", credentials.access_key_id.clone()),
            ("AWS_SECRET_ACCESS_KEY", credentials.secret_access_key.expose().to_owned()),
            ("MAIL_FROM", self.options.mail_from.clone()),
        ];
        variables.into_iter().chain(session).chain(endpoint).chain(set).chain(bundle).collect()
    }

    /// Returns the partition keys of some users. Reads the table, which no deployed function does.
    pub(crate) async fn users(&self, limit: usize) -> Result<Vec<String>, ExternalError> {
        let scan = self.aws.dynamodb().scan().table_name(&self.names.table);
        let scan = scan.filter_expression("begins_with(#key, :users)").projection_expression("#key");
        let users = AttributeValue::S(USERS.to_owned());
        let scan = scan.expression_attribute_names("#key", PK).expression_attribute_values(":users", users);
        let (mut keys, mut start) = (BTreeSet::new(), None);
        for _ in 0..USER_PAGES {
            let page = scan.clone().set_exclusive_start_key(start).send().await;
            let page = page.map_err(|error| call("DynamoDB", describe(&error)))?;
            keys.extend(page.items().iter().filter_map(|item| item.get(PK)?.as_s().ok().cloned()));
            start = page.last_evaluated_key;
            if start.is_none() || keys.len() >= limit {
                break;
            }
        }
        Ok(keys.into_iter().take(limit).collect())
    }

    /// Returns the mails that this system has sent, if the endpoint shows them as `LocalStack` does.
    pub(crate) async fn mails(&self) -> Option<Vec<Mail>> {
        let endpoint = self.options.endpoint.as_ref()?;
        let request = shared::base::outbound::client(CALL_TIMEOUT).get(format!("{endpoint}/_aws/ses")).timeout(CALL_TIMEOUT);
        let response = request.send().await.ok()?.error_for_status().ok()?;
        let outbox: Value = serde_json::from_str(&response.text().await.ok()?).ok()?;
        let is_own = |message: &&Value| text(message, "/Source").is_some_and(|from| from.contains(&self.options.mail_from));
        outbox.get("messages")?.as_array()?.iter().filter(is_own).map(mail).collect()
    }

    pub(crate) async fn rotate_secret(&self, name: &str, value: &Value) -> Result<(), ExternalError> {
        let put = self.aws.secrets_manager().put_secret_value().secret_id(name).secret_string(value.to_string());
        put.send().await.map_err(|error| call("Secrets Manager", describe(&error)))?;
        Ok(())
    }
}

impl External {
    fn settings(&self) -> AwsSettings {
        let endpoint = || self.endpoint.clone();
        AwsSettings {
            function_name: "local".to_owned(),
            region: self.region.clone(),
            credentials: self.credentials.clone(),
            endpoints: AwsEndpoints { dynamodb: endpoint(), s3: endpoint(), ses: endpoint(), secrets_manager: endpoint() },
            ca_bundle: std::env::var("AWS_CA_BUNDLE").ok().and_then(|path| std::fs::read(path).ok()),
        }
    }

    fn stream_interval(&self) -> Duration {
        if self.endpoint.is_some() { STREAM_INTERVAL } else { STREAM_INTERVAL_OF_ACCOUNT }
    }
}

/// The stream of external services does not say when it has records.
fn ticks(clock: &mut JoinSet<()>, interval: Duration) -> watch::Receiver<u64> {
    let (sender, receiver) = watch::channel(0);
    clock.spawn(async move {
        let mut timer = tokio::time::interval(interval);
        loop {
            timer.tick().await;
            sender.send_modify(|ticks| *ticks += 1);
        }
    });
    receiver
}

fn call(service: &'static str, message: String) -> ExternalError {
    ExternalError::Call { service, message }
}

async fn prepare_table(aws: &Aws, name: &str) -> Result<String, ExternalError> {
    let client = aws.dynamodb();
    let failed = |message| call("DynamoDB", message);
    let tag = Tag::builder().key(TAG.0).value(TAG.1).build().map_err(TableError::from)?;
    match client.describe_table().table_name(name).send().await {
        Ok(described) => {
            let table = described.table.ok_or(ExternalError::Unreadable("DynamoDB"))?;
            let arn = table.table_arn().unwrap_or_default();
            let tags = client.list_tags_of_resource().resource_arn(arn).send().await;
            if !tags.map_err(|error| failed(describe(&error)))?.tags().contains(&tag) {
                return Err(ExternalError::ForeignTable(name.to_owned()));
            }
            if !has_schema(&table) {
                return Err(ExternalError::OtherSchema(name.to_owned()));
            }
            Ok(format!("Uses the table {name} as it is. Only with --data does the simulator know the cards of an earlier run."))
        }
        Err(error) if error.as_service_error().is_some_and(DescribeTableError::is_resource_not_found_exception) => {
            table::create(&client, name, Some(tag)).await?;
            wait_until_active(&client, name).await?;
            table::enable_expiry(&client, name).await?;
            Ok(format!("Created the table {name}."))
        }
        Err(error) => Err(failed(describe(&error))),
    }
}

async fn wait_until_active(client: &aws_sdk_dynamodb::Client, name: &str) -> Result<(), ExternalError> {
    for _ in 0..CREATION_CHECKS {
        // A table that was just created may not be known everywhere.
        let described = client.describe_table().table_name(name).send().await.ok();
        if described.and_then(|described| described.table?.table_status) == Some(TableStatus::Active) {
            return Ok(());
        }
        tokio::time::sleep(CREATION_INTERVAL).await;
    }
    Err(ExternalError::NotActive(name.to_owned()))
}

fn has_schema(table: &TableDescription) -> bool {
    let keys: Vec<&str> = table.key_schema().iter().map(KeySchemaElement::attribute_name).collect();
    keys == [PK, SK]
        && table.global_secondary_indexes().iter().any(|index| index.index_name() == Some(DUE))
        && table.stream_specification().is_some_and(StreamSpecification::stream_enabled)
}

async fn prepare_bucket(aws: &Aws, name: &str, is_versioned: bool, region: &str) -> Result<String, ExternalError> {
    let client = aws.s3();
    let failed = |message| call("S3", format!("the bucket {name}: {message}"));
    match client.head_bucket().bucket(name).send().await {
        Ok(_) => return Ok(format!("Uses the bucket {name} as it is.")),
        Err(error) if error.as_service_error().is_some_and(HeadBucketError::is_not_found) => {}
        Err(error) => return Err(failed(describe(&error))),
    }
    let location = (region != DEFAULT_REGION_OF_BUCKETS).then(|| BucketLocationConstraint::from(region));
    let location = location.map(|location| CreateBucketConfiguration::builder().location_constraint(location).build());
    let create = client.create_bucket().bucket(name).set_create_bucket_configuration(location);
    create.send().await.map_err(|error| failed(describe(&error)))?;
    let nothing_public = PublicAccessBlockConfiguration::builder()
        .block_public_acls(true)
        .block_public_policy(true)
        .ignore_public_acls(true)
        .restrict_public_buckets(true)
        .build();
    let block = client.put_public_access_block().bucket(name).public_access_block_configuration(nothing_public);
    block.send().await.map_err(|error| failed(describe(&error)))?;
    if is_versioned {
        let versioning = VersioningConfiguration::builder().status(BucketVersioningStatus::Enabled).build();
        let versioning = client.put_bucket_versioning().bucket(name).versioning_configuration(versioning);
        versioning.send().await.map_err(|error| failed(describe(&error)))?;
    }
    Ok(format!("Created the bucket {name}."))
}

async fn prepare_secrets(aws: &Aws, names: &Names, random: &Random, report: &mut Vec<String>) -> Result<Secrets, ExternalError> {
    let key = || hex::encode(random.bytes::<32>());
    let card_network = json!({"apiKey": key()});
    let verifier = json!({"apiKey": key(), "signingKey": key()});
    let codes = json!({"key": key()});
    let card_network = prepare_secret(aws, &names.card_network_secret, card_network, report).await?;
    let verifier = prepare_secret(aws, &names.verifier_secret, verifier, report).await?;
    prepare_secret(aws, &names.code_secret, codes, report).await?;
    let field = |secret: &Value, name: &str, field: &'static str| {
        let text = secret.get(field).and_then(Value::as_str).map(str::to_owned);
        text.ok_or_else(|| ExternalError::Secret(name.to_owned(), field))
    };
    Ok(Secrets {
        card_network_api_key: field(&card_network, &names.card_network_secret, "apiKey")?,
        verifier_api_key: field(&verifier, &names.verifier_secret, "apiKey")?,
        verifier_signing_key: field(&verifier, &names.verifier_secret, "signingKey")?,
    })
}

/// Returns the value of the secret, which is `value` if it does not exist yet.
async fn prepare_secret(aws: &Aws, name: &str, value: Value, report: &mut Vec<String>) -> Result<Value, ExternalError> {
    let client = aws.secrets_manager();
    let failed = |message| call("Secrets Manager", format!("the secret {name}: {message}"));
    match client.get_secret_value().secret_id(name).send().await {
        Ok(found) => {
            report.push(format!("Uses the secret {name} as it is."));
            let text = found.secret_string().unwrap_or_default();
            serde_json::from_str(text).map_err(|_| ExternalError::Secret(name.to_owned(), "the keys that docs/deploy.md names"))
        }
        Err(error) if error.as_service_error().is_some_and(GetSecretValueError::is_resource_not_found_exception) => {
            let create = client.create_secret().name(name).secret_string(value.to_string());
            create.send().await.map_err(|error| failed(describe(&error)))?;
            report.push(format!("Created the secret {name} with random keys."));
            Ok(value)
        }
        Err(error) => Err(failed(describe(&error))),
    }
}

/// Makes SES take mails of the sender. In an account, that is for its owner to do.
async fn prepare_mail(aws: &Aws, names: &Names, sender: &str) -> Result<(), ExternalError> {
    let client = aws.ses();
    let verify = client.verify_email_identity().email_address(sender);
    verify.send().await.map_err(|error| call("SES", describe(&error)))?;
    let set = ConfigurationSet::builder().name(&names.mail_configuration_set).build();
    let set = set.map_err(|error| call("SES", error.to_string()))?;
    match client.create_configuration_set().configuration_set(set).send().await {
        Err(error) => match error.as_service_error() {
            Some(CreateConfigurationSetError::ConfigurationSetAlreadyExistsException(_)) => Ok(()),
            _ => Err(call("SES", describe(&error))),
        },
        Ok(_) => Ok(()),
    }
}

/// A mail in the answer of `LocalStack` to `GET /_aws/ses`.
fn mail(message: &Value) -> Option<Mail> {
    let text = |pointer| text(message, pointer).map(str::to_owned);
    Some(Mail {
        to: serde_json::from_value(message.pointer("/Destination/ToAddresses")?.clone()).ok()?,
        subject: text("/Subject").unwrap_or_default(),
        text: text("/Body/text_part"),
        html: text("/Body/html_part"),
        sent_at: text("/Timestamp")?.parse().ok()?,
    })
}

fn text<'a>(message: &'a Value, pointer: &str) -> Option<&'a str> {
    message.pointer(pointer)?.as_str()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        requested: Requested,
    }

    fn parse(line: &str) -> Result<Requested, clap::Error> {
        Command::try_parse_from(line.split(' ')).map(|command| command.requested)
    }

    fn endpoint(url: &str) -> Requested {
        parse(&format!("local --aws-endpoint {url}")).unwrap()
    }

    fn environment(name: &str) -> Option<String> {
        let known = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
        known.contains(&name).then(|| format!("own-{name}"))
    }

    #[test]
    fn an_account_gets_nothing_that_was_not_asked_for() {
        let account = || parse("local --aws-account --table-prefix acme-dev --mail-from portal@acme.example").unwrap();
        assert_eq!(account().check(true, environment).unwrap_err(), Refused::Fixtures);
        assert_eq!(account().check(false, |_| None).unwrap_err(), Refused::NoVariable("AWS_REGION"));
        let external = account().check(false, environment).unwrap().unwrap();
        assert_eq!((external.endpoint, external.credentials.access_key_id.as_str()), (None, "own-AWS_ACCESS_KEY_ID"));
        assert!(Requested { load_fixtures_into_account: true, ..account() }.check(true, environment).is_ok());
    }

    #[test]
    fn flags_that_need_others_are_refused_without_them() {
        for line in [
            "local --aws-account --mail-from portal@acme.example",
            "local --aws-account --table-prefix acme-dev",
            "local --aws-account --aws-endpoint http://127.0.0.1:5000 --table-prefix acme-dev --mail-from portal@acme.example",
            "local --table-prefix acme-dev",
            "local --mail-from portal@acme.example",
            "local --load-fixtures-into-account",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
        assert!(parse("local").unwrap().check(true, environment).unwrap().is_none());
    }

    #[test]
    fn an_endpoint_is_not_shown_the_credentials_of_the_environment() {
        let external = endpoint("http://127.0.0.1:5000/").check(true, environment).unwrap().unwrap();
        assert_eq!(external.endpoint.as_deref(), Some("http://127.0.0.1:5000"));
        assert_eq!(external.credentials.access_key_id, upstreams::aws::ACCESS_KEY_ID);
        assert!(external.credentials.session_token.is_none());
    }

    #[test]
    fn aws_itself_is_no_endpoint() {
        let aws = "https://dynamodb.eu-west-1.amazonaws.com";
        assert_eq!(endpoint(aws).check(true, environment).unwrap_err(), Refused::EndpointIsAws(aws.to_owned()));
        for url in ["127.0.0.1:5000", "ftp://127.0.0.1", "moto"] {
            assert_eq!(endpoint(url).check(true, environment).unwrap_err(), Refused::NotAnEndpoint(url.to_owned()));
        }
        assert!(endpoint("http://notamazonaws.com").check(true, environment).is_ok());
    }

    #[test]
    fn names_of_buckets_can_begin_with_a_prefix() {
        for (prefix, is_valid) in
            [("acme-dev", true), ("ab", false), ("Acme", false), ("1ab", false), ("ab_c", false), ("abc-", false)]
        {
            assert_eq!(super::prefix(prefix).is_ok(), is_valid, "{prefix}");
        }
    }
}
