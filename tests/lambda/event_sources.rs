//! The real binaries as Lambda runs them: requests through the functions with routes, and the records of the table's stream through
//! `jobs` and `projections`, filtered and batched as the template says, repeated and in another order. `.ci/aws/run` runs it against moto.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::{SignedDuration, Timestamp};
use local::stream::Stream;
use local::{Local, Options, StartingState};
use serde_json::{Value, json};
use shared::base::clock::iso_8601;
use shared::values::later;
use upstreams::simulators::card_network::{OperationKind, OperationStatus};
use world::runtime::{self, Function};
use world::shop::{self, payment, sale};
use world::{SeededRandom, System, client, event};

use crate::environment;
use crate::template::document;

const SALES: usize = 4;
/// In minor units, as are all amounts.
const CARD_VALUE: i64 = 20_000;
const REDEEMED: [i64; 2] = [7_000, 4_050];
/// What the settlements of the payout are worth.
const NETS: std::ops::RangeInclusive<i64> = 1..=30;
/// Far more than a scenario takes.
const MAX_ROUNDS: usize = 50;

/// An event source mapping of the template.
struct EventSource {
    function: &'static str,
    properties: Value,
}

impl EventSource {
    fn of_template(function: &'static str, feed: &str) -> Self {
        let properties = document("template.yaml")["Resources"][feed]["Properties"].clone();
        assert!(properties["FunctionName"].as_str().unwrap().to_lowercase().contains(function), "{properties}");
        Self { function, properties }
    }

    fn number(&self, name: &str) -> usize {
        usize::try_from(self.properties[name].as_u64().unwrap()).unwrap()
    }

    fn accepts(&self, record: &Value) -> bool {
        let filters = self.properties["FilterCriteria"]["Filters"].as_array().unwrap();
        let pattern = |filter: &Value| serde_json::from_str::<Value>(filter["Pattern"].as_str().unwrap()).unwrap();
        filters.iter().any(|filter| matches(&pattern(filter), record))
    }

    /// The batches of these records, which arrived within one window. Those of a partition key are in one lane, and keep their order
    /// in it.
    fn batches(&self, records: &[Value]) -> Vec<Vec<Value>> {
        let lane_count = self.number("ParallelizationFactor");
        let mut lanes = vec![Vec::new(); lane_count];
        for record in records.iter().filter(|record| self.accepts(record)) {
            let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(record["dynamodb"]["Keys"]["pk"].to_string());
            lanes[usize::try_from(hash).unwrap() % lane_count].push(record.clone());
        }
        lanes.iter().flat_map(|lane| lane.chunks(self.number("BatchSize"))).map(<[Value]>::to_vec).collect()
    }
}

/// Whether a record matches a filter pattern: a list has the values, one of which applies, and each member of an object applies.
fn matches(pattern: &Value, value: &Value) -> bool {
    match pattern {
        Value::Object(members) => members.iter().all(|(name, pattern)| matches(pattern, &value[name])),
        Value::Array(choices) => choices.iter().any(|choice| match choice["prefix"].as_str() {
            Some(prefix) => value.as_str().is_some_and(|text| text.starts_with(prefix)),
            None => choice == value,
        }),
        other => panic!("unsupported pattern: {other}"),
    }
}

/// A local system whose requests and workers are served by the binaries.
struct Deployed {
    local: Arc<Local>,
    functions: BTreeMap<&'static str, Function>,
    sources: [EventSource; 2],
    stream: Stream,
    random: SeededRandom,
    requests: AtomicUsize,
    /// What has been delivered, with the position of its source.
    delivered: Vec<(usize, Vec<Value>)>,
}

impl Deployed {
    async fn start(local: Arc<Local>) -> Self {
        let mut functions = BTreeMap::new();
        for name in ["pos", "merchant", "orders", "settlements", "analytics", "administration", "jobs", "projections", "sweep"] {
            functions.insert(name, Function::start(name, &environment::of_template(name, &local)).await);
        }
        let sources = [("jobs", "DeliveriesFeed"), ("projections", "ProjectionsFeed")];
        let sources = sources.map(|(function, feed)| EventSource::of_template(function, feed));
        let settings = &local.app().settings;
        let stream = Stream::open(&local.listening.dynamodb, settings.aws.clone(), &settings.table, None);
        let stream = stream.await.unwrap();
        Self {
            local,
            functions,
            sources,
            stream,
            random: SeededRandom::new(7),
            requests: AtomicUsize::new(0),
            delivered: Vec::new(),
        }
    }

    /// Sends a request as API Gateway does, with an idempotency key of its own. Returns the body of the response.
    async fn request(&self, function: &str, user: &str, method: &str, path: &str, body: &Value) -> Value {
        let token = self.local.sign_in(user).await.unwrap().unwrap();
        let mut event = event("pos/issue");
        event["rawPath"] = json!(path);
        event["requestContext"]["http"]["path"] = json!(path);
        event["requestContext"]["http"]["method"] = json!(method);
        event["headers"]["authorization"] = json!(format!("Bearer {token}"));
        event["headers"]["idempotency-key"] = json!(format!("request-{}", self.requests.fetch_add(1, Ordering::Relaxed)));
        event["body"] = json!(body.to_string());
        let response = self.functions[function].invoke(&event).await;
        assert!([200, 202].contains(&response["statusCode"].as_u64().unwrap_or_default()), "{method} {path}: {response}");
        serde_json::from_str(response["body"].as_str().unwrap()).unwrap()
    }

    async fn get(&self, function: &str, user: &str, path: &str) -> Value {
        self.request(function, user, "GET", path, &Value::Null).await
    }

    /// Invokes a worker with a batch, and halves it if it fails, as Lambda does.
    async fn deliver(&self, source: &EventSource, batch: &[Value]) {
        assert_eq!(source.properties["BisectBatchOnFunctionError"], true);
        let mut waiting = vec![batch];
        for _ in 0..MAX_ROUNDS {
            let Some(batch) = waiting.pop() else { return };
            let response = self.functions[source.function].invoke(&json!({"Records": batch})).await;
            if response["errorMessage"].is_null() {
                continue;
            }
            let (first, second) = batch.split_at(batch.len() / 2);
            waiting.extend([second, first].into_iter().filter(|half| !half.is_empty()));
        }
        panic!("{} cannot process {batch:?}", source.function);
    }

    /// Delivers what the stream has until it has no more: workers write rows too.
    async fn work_until_idle(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let records = self.stream.next().await.unwrap();
            let records: Vec<Value> = records.iter().map(|record| serde_json::to_value(record).unwrap()).collect();
            if records.is_empty() {
                return;
            }
            let batches = self.sources.iter().map(|source| source.batches(&records)).enumerate();
            let batches: Vec<_> = batches.flat_map(|(at, batches)| batches.into_iter().map(move |batch| (at, batch))).collect();
            self.deliver_shuffled(batches.clone()).await;
            self.delivered.extend(batches);
        }
        panic!("the stream does not end");
    }

    async fn deliver_shuffled(&mut self, mut batches: Vec<(usize, Vec<Value>)>) {
        while !batches.is_empty() {
            let at = self.random.below(i64::try_from(batches.len()).unwrap());
            let (source, batch) = batches.swap_remove(usize::try_from(at).unwrap());
            self.deliver(&self.sources[source], &batch).await;
        }
    }

    /// What users see of what has happened.
    async fn figures(&self) -> Value {
        let orders = self.get("orders", "u-admin", "/api/bff/merchant-orders").await;
        let orders = orders["data"]["orders"].as_array().unwrap().clone();
        let settlements = self.get("settlements", "u-admin", "/api/bff/settlements").await;
        let count = |status: &str| settlements["rows"].as_array().unwrap().iter().filter(|row| row["status"] == status).count();
        let report = self.get("analytics", "u-admin", "/api/bff/analytics/redemptions").await;
        let mails = client().get(format!("{}/__local/mail", self.local.listening.api)).send().await.unwrap();
        let mails: Value = serde_json::from_slice(&mails.bytes().await.unwrap()).unwrap();
        json!({
            "completed": orders.iter().filter(|order| order["status"] == "COMPLETED").count(),
            "sold": orders.iter().map(|order| order["totalAmountMinor"].as_i64().unwrap()).sum::<i64>(),
            "paid": count("PAID"),
            "pending": count("PENDING"),
            "redeemed": report["data"]["kpis"]["totalRedeemedMinor"]["value"],
            "mails": mails.as_array().unwrap().len(),
            "issuedByNetwork": self.carried_out(OperationKind::Issue),
            "redeemedByNetwork": self.carried_out(OperationKind::Redeem),
        })
    }

    /// The sum of the network's operations of this kind.
    fn carried_out(&self, kind: OperationKind) -> i64 {
        let operations = self.local.card_network_operations().into_iter();
        let succeeded = operations.filter(|operation| operation.status == OperationStatus::Succeeded && operation.kind == kind);
        succeeded.map(|operation| i64::try_from(operation.amount_minor).unwrap()).sum()
    }
}

fn decimal(minor: i64) -> Value {
    serde_json::from_str(&format!("{}.{:02}", minor / 100, minor % 100)).unwrap()
}

/// Settlements that can be paid now, and a second administrator.
fn fixtures(now: Timestamp) -> Value {
    let settlement = |net: i64| {
        let terms = json!({
            "grossAmountMinor": net + 50, "feeAmountMinor": 50, "createdAt": iso_8601(later(now, SignedDuration::from_hours(-48))),
        });
        shop::settlement(&format!("s-{net}"), &iso_8601(later(now, SignedDuration::from_hours(-1))), net, &terms)
    };
    json!({"users": [shop::platform_administrator("u-second")], "settlements": NETS.map(settlement).collect::<Vec<_>>()})
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_arrive_repeatedly_and_in_another_order_change_nothing() {
    let options = Options { services_only: true, fixtures: StartingState::Nothing, ..Options::default() };
    let system = System::with_data_of(options).await;
    system.load_fixtures(&shop::base()).await;
    system.load_fixtures(&fixtures(system.local.app().clock.now())).await;
    runtime::build_binaries();
    let local = Arc::new(system.local);
    let mut deployed = Deployed::start(local.clone()).await;
    // The workers of the local system have nothing to do with it.
    local.pause(run(&mut deployed)).await;
}

async fn run(deployed: &mut Deployed) {
    for _ in 0..SALES {
        let body = sale(CARD_VALUE / 100);
        let sold = deployed.request("pos", "u-till", "POST", "/api/bff/pos/issue", &body).await;
        for amount in REDEEMED.map(decimal) {
            let body = payment(&sold["data"]["qrCode"], amount);
            deployed.request("pos", "u-till", "POST", "/api/bff/pos/redeem", &body).await;
        }
    }
    deployed.work_until_idle().await;

    deployed.request("administration", "u-root", "POST", "/api/admin/payouts", &json!({})).await;
    deployed.work_until_idle().await;
    let payouts = deployed.get("administration", "u-root", "/api/admin/payouts").await;
    let [payout] = payouts["data"]["payouts"].as_array().unwrap().as_slice() else { panic!("{payouts}") };
    assert_eq!(payout["netAmountMinor"], json!(NETS.sum::<i64>()));
    let path = format!("/api/admin/payouts/{}", payout["id"].as_str().unwrap());
    let paid = json!({"status": "PAID", "reference": "transfer-1"});
    deployed.request("administration", "u-second", "PATCH", &path, &paid).await;
    // A mail, and a change at the card network.
    let company = json!({"company": {"legalName": "Aurora & Sons"}});
    deployed.request("merchant", "u-full", "PUT", "/api/bff/merchant", &company).await;
    deployed.work_until_idle().await;

    let sales = i64::try_from(SALES).unwrap();
    let redeemed = sales * REDEEMED.iter().sum::<i64>();
    // The fixtures have a completed order of 50,000.
    let expected = json!({
        "completed": SALES + 1, "sold": 50_000 + sales * CARD_VALUE, "paid": NETS.count(), "pending": 2 * SALES,
        "redeemed": redeemed, "mails": 1, "issuedByNetwork": sales * CARD_VALUE, "redeemedByNetwork": redeemed,
    });
    assert_eq!(deployed.figures().await, expected);

    let (batches, rounds) = (deployed.delivered.clone(), 2);
    for _ in 0..rounds {
        deployed.deliver_shuffled(batches.clone()).await;
        assert_eq!(deployed.functions["sweep"].invoke(&json!({})).await, Value::Null);
        deployed.work_until_idle().await;
    }
    assert_eq!(deployed.figures().await, expected);
    let records: usize = batches.iter().map(|(_, batch)| batch.len()).sum();
    println!("{} batches with {records} records, each delivered {} times", batches.len(), rounds + 1);
}

#[test]
fn records_are_filtered_by_the_patterns_of_the_template() {
    let [jobs, projections] = [("jobs", "DeliveriesFeed"), ("projections", "ProjectionsFeed")]
        .map(|(function, feed)| EventSource::of_template(function, feed));
    let record = |name: &str, pk: &str| json!({"eventName": name, "dynamodb": {"Keys": {"pk": {"S": pk}, "sk": {"S": "x"}}}});
    for (record, to_jobs, to_projections) in [
        (record("INSERT", "JOB#1"), true, false),
        (record("MODIFY", "JOB#1"), false, false),
        (record("MODIFY", "HEARTBEAT#"), true, true),
        (record("MODIFY", "ORDERS#m"), false, true),
        (record("INSERT", "AUDIT#m"), false, false),
        (record("REMOVE", "AUDIT#m"), false, true),
        (record("INSERT", "ORDER#1"), false, false),
    ] {
        assert_eq!((jobs.accepts(&record), projections.accepts(&record)), (to_jobs, to_projections), "{record}");
    }
    let many: Vec<Value> = (0..60).map(|number| record("INSERT", &format!("JOB#{number}"))).collect();
    let batches = jobs.batches(&many);
    assert!(batches.len() > 6 && batches.iter().all(|batch| batch.len() <= 10), "{}", batches.len());
    assert_eq!(batches.iter().map(Vec::len).sum::<usize>(), many.len());
}
