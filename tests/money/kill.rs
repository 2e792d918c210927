//! Kills the local system repeatedly under load and restarts it on the same data. The card network runs in a second
//! process that is not killed, and loses some of its answers. Afterwards the records, the lists, the tallies and what the webhook was told
//! are compared with what the network has carried out.
//!
//! The test is slow and needs the `local` program: run `cargo build -p local`, then
//! `cargo test -p tests --test money -- --ignored --nocapture`. `MONEY_KILLS` is the number of kills (default 5),
//! `SEED` the seed of all random numbers, and `LOCAL_PROGRAM` the path of another build of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::StatusCode;
use reqwest::Client;
use serde_json::{Value, json};
use shared::app::App;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::cards::model::order::OrderStatus;
use shared::cards::model::redemption::RedemptionStatus;
use shared::projections::compare::compare;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinSet;
use upstreams::simulators::card_network::OperationKind;
use world::shop::member;
use world::{Caller, LocalProcess, Receiver, SeededRandom, seed};

use crate::harness::{Outcome, PosRequest, Response, TestMerchant, settings_with};
use crate::reconciliation::{Movement, Records};

const TILLS: u64 = 6;
const ADMINISTRATOR: &str = "u-administrator";
const NETWORK_KEY: &str = "local-card-network-key";
const RETRY_DELAY: Duration = Duration::from_millis(20);
/// What a killed worker was sending is sent again after half a minute. Twice that is enough for all work.
const MAX_DRAINS: usize = 60;
const DRAIN_INTERVAL: Duration = Duration::from_secs(1);

async fn start_local(folder: &Path, arguments: &[&str]) -> LocalProcess {
    let fixtures = folder.join("fixtures.json");
    let arguments = [&["--fixtures", fixtures.to_str().unwrap()], arguments].concat();
    LocalProcess::start(&program(), folder, arguments).await.expect("run `cargo build -p local` first")
}

fn program() -> PathBuf {
    let default = || std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("local");
    std::env::var_os("LOCAL_PROGRAM").map_or_else(default, PathBuf::from)
}

/// A till that retries each request under its idempotency key until it gets a final response.
struct Till {
    client: Client,
    api: watch::Receiver<String>,
    token: String,
    random: SeededRandom,
    cards: Vec<String>,
    /// Requests without a final response.
    open: Vec<PosRequest>,
    completed: Vec<Completed>,
    retries: usize,
}

/// A request and its final response.
struct Completed {
    request: PosRequest,
    response: Response,
}

impl Till {
    /// Sends new requests until `stop` is set, then completes the open ones.
    async fn run(mut self, till: u64, stop: watch::Receiver<bool>) -> Self {
        for number in 0.. {
            if *stop.borrow() {
                break;
            }
            let request = self.request(&format!("request-{till}-{number}"));
            self.attempt(request).await;
            if self.random.percent(20) {
                self.retry_oldest().await;
            }
        }
        while !self.open.is_empty() {
            self.retry_oldest().await;
            tokio::time::sleep(RETRY_DELAY).await;
        }
        self
    }

    fn request(&mut self, label: &str) -> PosRequest {
        let request = if self.random.percent(40) {
            PosRequest::sale(label, 100 + self.random.below(50_000))
        } else {
            PosRequest::redemption(label, self.random.pick::<String>(&self.cards), 1 + self.random.below(90))
        };
        request.with_idempotency_key()
    }

    async fn attempt(&mut self, request: PosRequest) {
        match self.send(&request).await {
            Some(response) if response.is_final() => self.completed.push(Completed { request, response }),
            response => {
                self.open.push(request);
                if response.is_none() {
                    // The system is down until its next start.
                    tokio::time::sleep(RETRY_DELAY).await;
                }
            }
        }
    }

    async fn retry_oldest(&mut self) {
        if !self.open.is_empty() {
            let request = self.open.remove(0);
            self.retries += 1;
            self.attempt(request).await;
        }
    }

    /// Returns `None` if the system is down or is killed meanwhile.
    async fn send(&self, pos_request: &PosRequest) -> Option<Response> {
        let url = format!("{}{}", *self.api.borrow(), pos_request.path);
        let request = self.client.post(url).bearer_auth(&self.token).body(pos_request.body.to_string());
        let key = pos_request.idempotency_key.as_deref().unwrap_or_default();
        let response = request.header("idempotency-key", key).send().await.ok()?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
        Some(Response { status, headers, body })
    }
}

/// The card network, which keeps running, and the data of the portal, which is killed and restarted.
struct Setup {
    client: Client,
    folder: TempDir,
    network: LocalProcess,
    merchant: TestMerchant,
}

impl Setup {
    async fn new() -> Self {
        let (folder, merchant) = (tempfile::tempdir().unwrap(), TestMerchant::numbered(1));
        let mut fixtures = TestMerchant::fixtures(std::slice::from_ref(&merchant));
        let administrator = member(ADMINISTRATOR, merchant.id.as_str(), &json!({"emailVerified": true}));
        fixtures["users"].as_array_mut().unwrap().push(administrator);
        let fixtures = fixtures.to_string();
        let network_folder = folder.path().join("network");
        std::fs::create_dir(&network_folder).unwrap();
        for folder in [folder.path(), &network_folder] {
            std::fs::write(folder.join("fixtures.json"), &fixtures).unwrap();
        }
        let network = start_local(&network_folder, &["--services-only"]).await;
        let client = shared::base::outbound::client(Duration::from_secs(1));
        Self { client, folder, network, merchant }
    }

    async fn start_portal(&self) -> LocalProcess {
        let data = self.folder.path().join("data");
        let network = self.network.url("cardNetwork");
        let arguments = ["--data", data.to_str().unwrap(), "--card-network", &network];
        start_local(self.folder.path(), &arguments).await
    }

    async fn post(&self, url: String, body: &Value) -> Value {
        let response = self.client.post(url).body(body.to_string()).send().await.unwrap();
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    async fn signed_in(&self, portal: &LocalProcess, user: &str) -> Caller {
        let url = format!("{}/__local/sessions", portal.url("api"));
        let session = self.post(url, &json!({"userId": user})).await;
        Caller::anonymous(world::client(), portal.url("api")).with_token(session["token"].as_str().unwrap())
    }

    /// Lets the next call to the card network fail, before its effect or after it. `None` for no call.
    async fn set_fault(&self, kind: Option<&str>) {
        let fault = |kind| json!({"target": "card-network", "match": "*", "kind": kind});
        let faults: Vec<Value> = kind.map(fault).into_iter().collect();
        let network = Caller::anonymous(world::client(), self.network.url("api"));
        network.post("/__local/faults", &json!(faults)).await.ok();
    }

    async fn get_from_network(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.network.url("cardNetwork"));
        let response = self.client.get(url).bearer_auth(NETWORK_KEY).send().await.unwrap();
        assert!(matches!(response.status(), StatusCode::OK | StatusCode::NOT_FOUND), "{path}");
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    /// Returns the operations that the card network executed, from its call log and its operation lookups.
    async fn movements(&self) -> Vec<Movement> {
        let calls = format!("{}/__local/upstream-calls", self.network.url("api"));
        let calls = self.client.get(calls).send().await.unwrap().bytes().await.unwrap();
        let calls: Vec<Value> = serde_json::from_slice(&calls).unwrap();
        // A call can have moved money and have lost its answer, and one that repeats a reference moves none.
        let posted = calls.iter().filter(|call| call["method"] == "POST");
        let by_reference: BTreeMap<String, &Value> =
            posted.map(|call| (call["headers"]["idempotency-key"].to_string(), call)).collect();
        let mut movements = Vec::new();
        for call in by_reference.values() {
            movements.extend(self.movement(call).await);
        }
        movements
    }

    /// `None` if the operation was refused, or never arrived.
    async fn movement(&self, call: &Value) -> Option<Movement> {
        let reference = call["headers"]["idempotency-key"].as_str().unwrap();
        let operation = self.get_from_network(&format!("/v1/operations/{reference}")).await;
        if operation["status"] != "SUCCEEDED" {
            return None;
        }
        let code = operation["result"]["qrCode"].as_str().unwrap().to_owned();
        let (kind, amount) = match operation["kind"].as_str().unwrap() {
            "ISSUE" => (OperationKind::Issue, &call["body"]["value"]),
            _ => (OperationKind::Redeem, &call["body"]["redeemAmount"]),
        };
        Some(Movement { kind, amount: (code, minor(amount)) })
    }

    async fn check(&self, portal: &LocalProcess, completed: &[Completed], receiver: &Receiver) {
        let movements = self.movements().await;
        let app = app(portal);
        let records = Records::with_movements(&app.store, &self.merchant, movements).await;
        records.reconcile(&self.merchant).unwrap();
        self.check_lists(portal, &records).await;
        check_messages(&records, receiver);
        let merchant = app.store.merchant(&self.merchant.id).await.unwrap().unwrap().value;
        let drift = compare(&app.store, &self.merchant.id, &[merchant.calendars.serving], app.clock.now()).await.unwrap();
        assert!(drift.is_empty(), "tallies that differ: {drift:?}");
        for Completed { request, response } in completed {
            let successes = records.successes(&request.label);
            let reported = usize::from(response.outcome() == Outcome::Succeeded);
            assert_eq!(successes, reported, "{request:?}: {response:?}");
        }
        for (code, balance) in records.balances(&self.merchant) {
            let card = self.get_from_network(&format!("/v1/cards/{code}")).await;
            assert_eq!(minor(&card["valueRemains"]), balance, "{card}");
        }
        println!(
            "{} requests completed, {} operations executed, {} settlements",
            completed.len(),
            records.movements.len(),
            records.settlements.len()
        );
    }

    /// What the merchant sees is what the records say.
    async fn check_lists(&self, portal: &LocalProcess, records: &Records) {
        let administrator = self.signed_in(portal, ADMINISTRATOR).await;
        let read =
            async |path: &str, pointer: &str| administrator.get(&format!("/api/bff/{path}")).await.ok().at(pointer).clone();
        let pending: i64 = records.settlements.iter().map(|settlement| settlement.net.get()).sum();
        let succeeded = records.redemptions.iter().filter(|redemption| redemption.status == RedemptionStatus::Succeeded);
        let redeemed: i64 = succeeded.map(|redemption| redemption.amount.minor.get()).sum();
        let shown = json!([
            read("merchant-orders", "/data/total").await,
            read("settlements", "/total").await,
            read("settlements/summary", "/pendingNetMinor").await,
            read("analytics/redemptions?days=7", "/data/kpis/totalRedeemedMinor/value").await,
        ]);
        assert_eq!(shown, json!([records.orders.len(), records.settlements.len(), pending, redeemed]));
    }
}

/// Each sale and redemption was told once or more, always with the same bytes, and nothing else was.
fn check_messages(records: &Records, receiver: &Receiver) {
    let mut bodies = BTreeMap::new();
    for message in receiver.take() {
        let id = message.header("webhook-id").to_owned();
        let body = bodies.entry(id).or_insert_with(|| message.body.clone());
        assert_eq!(*body, message.body, "a message that arrived again");
    }
    let told: BTreeSet<String> = bodies
        .values()
        .map(|body| {
            let data = &serde_json::from_slice::<Value>(body).unwrap()["data"];
            data["redemptionId"].as_str().or(data["orderId"].as_str()).unwrap().to_owned()
        })
        .collect();
    let sold = records.orders.iter().filter(|order| order.status == OrderStatus::Completed).map(|order| order.id.to_string());
    let redeemed = records.redemptions.iter().filter(|redemption| redemption.status == RedemptionStatus::Succeeded);
    assert_eq!(told, sold.chain(redeemed.map(|redemption| redemption.id.to_string())).collect());
}

/// Converts a decimal, a JSON number or string, to minor units.
fn minor(amount: &Value) -> i64 {
    let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
    let (units, cents) = text.split_once('.').unwrap_or((&text, ""));
    format!("{units}{cents:0<2}").parse().unwrap()
}

/// Returns an instance for reading the portal's table.
fn app(portal: &LocalProcess) -> App {
    let settings = settings_with(&[("AWS_ENDPOINT_URL_DYNAMODB", portal.url("dynamodb"))]);
    App::new(settings, Clock::system(), Random::system())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow, and needs the program `local`"]
async fn a_system_that_is_killed_repeatedly_loses_no_record_and_moves_no_money_twice() {
    let (kills, mut random) = (std::env::var("MONEY_KILLS").map_or(5, |kills| kills.parse().unwrap()), SeededRandom::new(seed()));
    let setup = Setup::new().await;
    let mut portal = setup.start_portal().await;
    let token = setup.signed_in(&portal, "u-1").await.token().to_owned();
    let receiver = Receiver::start().await;
    let endpoint = json!({"url": receiver.url, "events": ["gift_card.issued", "gift_card.redeemed"]});
    setup.signed_in(&portal, ADMINISTRATOR).await.post("/api/bff/webhooks", &endpoint).await.ok();

    let (api_sender, api) = watch::channel(portal.url("api"));
    let (stop_sender, stop) = watch::channel(false);
    let mut tills = JoinSet::new();
    for number in 0..TILLS {
        let till = Till {
            client: shared::base::outbound::client(Duration::from_secs(1)),
            api: api.clone(),
            token: token.clone(),
            random: random.fork(),
            cards: setup.merchant.cards.to_vec(),
            open: Vec::new(),
            completed: Vec::new(),
            retries: 0,
        };
        tills.spawn(till.run(number, stop.clone()));
    }
    for _ in 0..kills {
        setup.set_fault(Some(*random.pick(&["drop", "after"]))).await;
        tokio::time::sleep(Duration::from_millis(random.below(600).unsigned_abs())).await;
        portal.kill().await;
        portal = setup.start_portal().await;
        api_sender.send_replace(portal.url("api"));
    }
    setup.set_fault(None).await;
    stop_sender.send_replace(true);
    let tills = tills.join_all().await;
    let retries: usize = tills.iter().map(|till| till.retries).sum();
    let completed: Vec<Completed> = tills.into_iter().flat_map(|till| till.completed).collect();

    let mut left = Value::Null;
    for _ in 0..MAX_DRAINS {
        left = setup.post(format!("{}/__local/drain", portal.url("api")), &Value::Null).await;
        if left == json!({"pending": 0, "dead": 0}) {
            break;
        }
        tokio::time::sleep(DRAIN_INTERVAL).await;
    }
    assert_eq!(left, json!({"pending": 0, "dead": 0}));
    println!("{kills} kills, {retries} retries");
    setup.check(&portal, &completed, &receiver).await;
}
