//! The services that both builds share: embedded AWS with the demo, the card network simulator and the table's stream.

use std::collections::BTreeMap;

use jiff::Timestamp;
use local::{demo, fixtures, table};
use reqwest::Client;
use serde_json::{Value, json};
use shared::app::App;
use shared::clock::Clock;
use shared::domain::ids::{MerchantId, UserId};
use shared::projections::compare::{compare, rebuild};
use shared::random::Random;
use shared::settings::Settings;
use shared::store::keys::{JOBS, Key};
use test_support::client;
use upstreams::aws::{Aws, AwsOptions};
use upstreams::calls::UpstreamCalls;
use upstreams::faults::Faults;
use upstreams::guard::Guard;
use upstreams::simulators::card_network::{CardNetwork, CardNetworkOptions};

use crate::MERCHANT;

const NETWORK_KEY: &str = "network-key";
const NETWORK_SECRET: &str = "card-network";
const TABLE: &str = "portal";
const BUCKET: &str = "portal-files";
const SEARCH_BUCKET: &str = "portal-search";

/// No worker runs by itself, unlike in the local system: the test decides which build does which work.
pub(crate) struct System {
    pub(crate) network: CardNetwork,
    pub(crate) faults: Faults,
    pub(crate) app: App,
    /// Environment variables of the functions.
    pub(crate) environment: BTreeMap<&'static str, String>,
    aws: Aws,
    client: Client,
    stream: Option<String>,
}

impl System {
    /// Starts the services, loads the demo and signs its administrator in with the token of `events/`.
    pub(crate) async fn start() -> Self {
        let faults = Faults::default();
        let secrets = vec![
            (NETWORK_SECRET.to_owned(), json!({"apiKey": NETWORK_KEY}).to_string()),
            ("codes".to_owned(), json!({"key": "k".repeat(32)}).to_string()),
        ];
        let aws = AwsOptions { secrets, faults: faults.clone(), ..AwsOptions::default() };
        let aws = Aws::start(aws).await.unwrap();
        for bucket in [BUCKET, SEARCH_BUCKET] {
            aws.s3.create_bucket(bucket).unwrap();
        }
        let network = CardNetworkOptions {
            data: None,
            port: 0,
            api_key: NETWORK_KEY.to_owned(),
            faults: faults.clone(),
            calls: UpstreamCalls::default(),
            guard: Guard::default(),
        };
        let network = CardNetwork::start(network).await.unwrap();
        let environment = environment(&aws, &network);
        let settings = Settings::read(|name| match name {
            "AWS_LAMBDA_FUNCTION_NAME" => Some("rollout".to_owned()),
            name => environment.get(name).cloned(),
        });
        let app = App::new(settings.unwrap(), Clock::system(), Random::system());
        let dynamodb = shared::aws::Aws::new(app.settings.aws.clone()).dynamodb();
        table::ensure(&dynamodb, TABLE).await.unwrap();
        let now = app.clock.now();
        for part in demo::initial(now).unwrap() {
            fixtures::load(&part, &app.store, Some(&network)).await.unwrap();
        }
        let merchant = MerchantId::new(MERCHANT);
        let drift = compare(&app.store, &merchant, &[], now).await.unwrap();
        rebuild(&app.store, &merchant, &drift, |_| {}).await.unwrap();
        let user = app.store.user(&UserId::new(demo::ADMIN)).await.unwrap().unwrap();
        app.store.open_session(&user, demo::SESSION_SECRET, now).await.unwrap();
        let mut system = Self { network, faults, app, environment, aws, client: client(), stream: None };
        system.stream = system.open_stream().await;
        system
    }

    /// Returns an item in DynamoDB's JSON format, or null if there is none.
    pub(crate) async fn item(&self, key: &Key) -> Value {
        let key = json!({"pk": {"S": key.pk}, "sk": {"S": key.sk}});
        let request = json!({"TableName": TABLE, "Key": key, "ConsistentRead": true});
        self.call("DynamoDB_20120810.GetItem", request).await["Item"].take()
    }

    /// Returns the items of all jobs.
    pub(crate) async fn jobs(&self) -> Vec<Value> {
        let mut jobs = Vec::new();
        let mut request = json!({
            "TableName": TABLE,
            "FilterExpression": "begins_with(pk, :jobs)",
            "ExpressionAttributeValues": {":jobs": {"S": JOBS}},
        });
        loop {
            let mut page = self.call("DynamoDB_20120810.Scan", request.clone()).await;
            jobs.extend(page["Items"].as_array().unwrap().iter().cloned());
            match page["LastEvaluatedKey"].take() {
                Value::Null => return jobs,
                key => request["ExclusiveStartKey"] = key,
            }
        }
    }

    /// Returns the number of card operations without an outcome.
    pub(crate) async fn open_operations(&self) -> usize {
        self.app.store.due_operations(Timestamp::MAX, u16::MAX).await.unwrap().len()
    }

    async fn open_stream(&self) -> Option<String> {
        let streams = self.call("DynamoDBStreams_20120810.ListStreams", json!({"TableName": TABLE})).await;
        let arn = &streams["Streams"][0]["StreamArn"];
        let described = self.call("DynamoDBStreams_20120810.DescribeStream", json!({"StreamArn": arn})).await;
        let shard = &described["StreamDescription"]["Shards"][0]["ShardId"];
        let request = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"});
        let opened = self.call("DynamoDBStreams_20120810.GetShardIterator", request).await;
        opened["ShardIterator"].as_str().map(str::to_owned)
    }

    /// Returns the stream's records since the last call.
    pub(crate) async fn new_records(&mut self) -> Vec<Value> {
        let mut found = Vec::new();
        loop {
            let iterator = self.stream.take().expect("the stream is open");
            let request = json!({"ShardIterator": iterator});
            let page = self.call("DynamoDBStreams_20120810.GetRecords", request).await;
            self.stream = page["NextShardIterator"].as_str().map(str::to_owned);
            let records = page["Records"].as_array().unwrap();
            if records.is_empty() {
                return found;
            }
            found.extend(records.iter().cloned());
        }
    }

    async fn call(&self, target: &str, request: Value) -> Value {
        let request = self
            .client
            .post(self.aws.dynamodb.url())
            .header("content-type", "application/x-amz-json-1.0")
            // Required by the server, which does not verify the signature.
            .header("authorization", "AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none")
            .header("x-amz-date", "20260101T000000Z")
            .header("x-amz-target", target)
            .body(request.to_string());
        let response = request.send().await.unwrap();
        let status = response.status();
        let text = response.text().await.unwrap();
        assert!(status.is_success(), "{target}: {text}");
        serde_json::from_str(&text).unwrap()
    }
}

fn environment(aws: &Aws, network: &CardNetwork) -> BTreeMap<&'static str, String> {
    [
        ("AWS_REGION", upstreams::aws::REGION),
        ("AWS_ACCESS_KEY_ID", upstreams::aws::ACCESS_KEY_ID),
        ("AWS_SECRET_ACCESS_KEY", upstreams::aws::SECRET_ACCESS_KEY),
        ("AWS_ENDPOINT_URL_DYNAMODB", &aws.dynamodb.url()),
        ("AWS_ENDPOINT_URL_S3", &aws.s3.url()),
        ("AWS_ENDPOINT_URL_SES", &aws.ses.url()),
        ("AWS_ENDPOINT_URL_SECRETS_MANAGER", &aws.secrets_manager.url()),
        ("TABLE_NAME", TABLE),
        ("BUCKET_NAME", BUCKET),
        ("SEARCH_BUCKET_NAME", SEARCH_BUCKET),
        ("CARD_NETWORK_URL", &network.url()),
        ("CARD_NETWORK_SECRET_ID", NETWORK_SECRET),
        ("VERIFIER_URL", "https://verifier.example"),
        ("VERIFIER_SECRET_ID", "verifier"),
        ("CODE_SECRET_ID", "codes"),
        ("PORTAL_BASE_URL", "https://portal.example"),
        ("WEBSHOP_BASE_URL", "https://shop.example"),
        ("MAIL_FROM", "portal@example.com"),
    ]
    .map(|(name, value)| (name, value.to_owned()))
    .into()
}
