//! Plays a gradual rollout and its rollback: two builds of the functions serve requests and do the due work over the same
//! table, in turns.
//!
//! Not part of CI, because it needs two builds. `tests/rollout/run` makes them from this commit and from `next.patch`,
//! and runs the test. What the patch adds stands for what releases add: an attribute of the merchant
//! (`profile_changed_at`) and of the order (`channel`), enum values (`LINK`, `FULFILMENT_SENT`), a task of jobs
//! (`RecordSale`) and a row in the merchant's partition (`LAST_SALE`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod build;
mod reconciliation;
#[allow(dead_code, reason = "shared with the tests of the function binaries")]
#[path = "../lambda/runtime.rs"]
mod runtime;
mod system;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use build::{Build, FUNCTIONS, Request, Response};
use http::StatusCode;
use serde_json::{Value, json};
use shared::domain::ids::{MerchantId, OrderId};
use shared::store::keys::{self, Key};
use system::System;
use upstreams::faults::{Call, FaultKind};

/// The share of requests that the new build serves, in percent.
const PHASES: [(&str, u32); 5] =
    [("all old", 0), ("10% new", 10), ("half new", 50), ("all new", 100), ("rolled back", 0)];
const ROUNDS: usize = 10;
const MERCHANT: &str = "m-aurora";
/// Of each sold card, in minor units.
const CARD_VALUE: i64 = 25_050;
/// Of each redemption, in minor units.
const REDEEMED: i64 = 1_250;
const BATCH_SIZE: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    Old,
    New,
}

/// A successful sale or redemption.
#[derive(Debug, Clone)]
struct Done {
    request: Request,
    /// The body of the first response.
    body: Value,
    by: Version,
    has_key: bool,
}

struct Rollout {
    system: System,
    builds: BTreeMap<Version, Build>,
    /// The share of the new build in the current phase, in percent.
    share: u32,
    requests: BTreeMap<Version, u32>,
    requests_in_phase: u32,
    worker_turns: u32,
    numbers: u32,
    sales: Vec<Done>,
    redemptions: Vec<Done>,
    /// The payment references of all sales, also of those without a response.
    receipts: Vec<String>,
    team: Option<Value>,
    /// The number of orders in the reports before the first sale.
    placed_before: Option<u64>,
    /// New jobs that the old build left alone.
    jobs_left_alone: u32,
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs two builds of the functions: run tests/rollout/run"]
async fn a_rollout_and_its_rollback_fail_no_request_and_lose_no_sale() {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(old), Some(new)) = (folder("OLD_BINARIES"), folder("NEW_BINARIES")) else {
        panic!("run tests/rollout/run, or set OLD_BINARIES and NEW_BINARIES to folders with {FUNCTIONS:?}");
    };
    let system = System::start().await;
    let mut builds = BTreeMap::new();
    for (version, folder) in [(Version::Old, old), (Version::New, new)] {
        builds.insert(version, Build::start(&folder, &system.environment).await);
    }
    let mut rollout = Rollout::new(system, builds);
    for (name, share) in PHASES {
        rollout.play(name, share).await;
    }
    rollout.finish().await;
}

impl Rollout {
    fn new(system: System, builds: BTreeMap<Version, Build>) -> Self {
        Self {
            system,
            builds,
            share: 0,
            requests: BTreeMap::new(),
            requests_in_phase: 0,
            worker_turns: 0,
            numbers: 0,
            sales: Vec::new(),
            redemptions: Vec::new(),
            receipts: Vec::new(),
            team: None,
            placed_before: None,
            jobs_left_alone: 0,
        }
    }

    async fn play(&mut self, name: &str, share: u32) {
        self.share = share;
        self.requests_in_phase = 0;
        self.requests.clear();
        let (first_sale, first_redemption) = (self.sales.len(), self.redemptions.len());
        self.repeat_requests_of_earlier_phases().await;
        for _ in 0..ROUNDS {
            self.change_profile().await;
            self.sell(false).await;
            self.sell(true).await;
            self.look_up_and_redeem(false).await;
            self.look_up_and_redeem(true).await;
            self.read_reports().await;
            self.work().await;
        }
        self.lose_responses().await;
        if self.live().len() == 2 {
            self.sell_through_both_builds_at_once().await;
        }
        for version in self.live() {
            self.check_orders(version, first_sale).await;
        }
        let sold_by = |version| self.sales[first_sale..].iter().filter(|sale| sale.by == version).count();
        println!(
            "{name}: {:?} requests; {} sales by the old build, {} by the new one; {} redemptions",
            self.requests,
            sold_by(Version::Old),
            sold_by(Version::New),
            self.redemptions.len() - first_redemption
        );
        for version in self.live() {
            assert_ne!(sold_by(version), 0, "{name}: {version:?}");
        }
    }

    /// Returns the builds that serve requests in this phase.
    fn live(&self) -> Vec<Version> {
        match self.share {
            0 => vec![Version::Old],
            100 => vec![Version::New],
            _ => vec![Version::Old, Version::New],
        }
    }

    /// Returns the build of the next request, by its share.
    fn next(&mut self) -> Version {
        let before = self.requests_in_phase * self.share / 100;
        self.requests_in_phase += 1;
        if self.requests_in_phase * self.share / 100 > before { Version::New } else { Version::Old }
    }

    /// Returns the other build if it serves requests, otherwise the same one.
    fn other(&self, version: Version) -> Version {
        self.live().into_iter().find(|live| *live != version).unwrap_or(version)
    }

    fn next_worker(&mut self) -> Version {
        self.worker_turns += 1;
        let live = self.live();
        live[self.worker_turns as usize % live.len()]
    }

    fn number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }

    /// Sends a request that must get this status.
    async fn send(&mut self, version: Version, request: &Request, status: u64) -> Response {
        *self.requests.entry(version).or_default() += 1;
        let response = self.builds[&version].send(request).await;
        assert_eq!(response.status, status, "{version:?}: {request:?}: {response:?}");
        response
    }

    /// Changes the profile through one build and reads it through the other.
    async fn change_profile(&mut self) {
        let website = format!("https://aurora.example/{}", self.number());
        let version = self.next();
        let change = Request::new("merchant/update-profile").body(&json!({"brand": {"website": website}}));
        self.send(version, &change, 200).await;
        let merchant = self.system.item(&keys::merchant(&MerchantId::new(MERCHANT))).await;
        let is_set = merchant["profile_changed_at"]["S"].is_string();
        // A build writes the attributes that it knows. So the old one drops the attribute of the new one.
        assert_eq!(is_set, version == Version::New, "{version:?}: {merchant}");
        let profile = self.send(self.other(version), &Request::new("merchant/profile"), 200).await;
        assert_eq!(profile.body["data"]["brand"]["website"], website);
    }

    fn sale(&mut self, version: Version) -> Request {
        let receipt = format!("rollout-{}", self.number());
        let delivery_type = if version == Version::New { "LINK" } else { "QR" };
        let body = json!({
            "value": "250.50", "deliveryDetails": {"deliveryType": delivery_type}, "paymentReference": receipt,
        });
        self.receipts.push(receipt);
        Request::new("pos/issue").body(&body)
    }

    fn redemption(&self) -> Request {
        let card = self.sales.last().unwrap().body["data"]["qrCode"].clone();
        Request::new("pos/redeem")
            .body(&json!({"qrCode": card, "redeemAmount": 12.5, "purchaseAmount": 12.5}))
    }

    fn with_key(&mut self, request: Request) -> Request {
        let key = format!("key-{}", self.number());
        request.idempotency_key(&key)
    }

    async fn sell(&mut self, has_key: bool) {
        let version = self.next();
        let mut request = self.sale(version);
        if has_key {
            request = self.with_key(request);
        }
        let sale = self.execute(version, request, has_key).await;
        self.sales.push(sale);
    }

    async fn look_up_and_redeem(&mut self, has_key: bool) {
        let version = self.next();
        let card = self.sales.last().unwrap().body["data"]["qrCode"].as_str().unwrap().to_owned();
        self.balance(version, &card).await;
        let mut request = self.redemption();
        if has_key {
            request = self.with_key(request);
        }
        let version = self.next();
        let redemption = self.execute(version, request, has_key).await;
        self.redemptions.push(redemption);
    }

    /// Sends a sale or redemption. With a key, repeats it through the other build.
    async fn execute(&mut self, version: Version, request: Request, has_key: bool) -> Done {
        let response = self.send(version, &request, 200).await;
        assert!(!response.is_replayed);
        let done = Done { request, body: response.body, by: version, has_key };
        if has_key {
            self.repeat(self.other(version), &done).await;
        }
        done
    }

    async fn repeat(&mut self, version: Version, done: &Done) {
        let response = self.send(version, &done.request, 200).await;
        assert!(response.is_replayed, "{version:?}: {done:?}");
        assert_eq!(response.body, done.body, "{version:?}");
    }

    async fn repeat_requests_of_earlier_phases(&mut self) {
        for done in [&self.sales[..], &self.redemptions].concat().into_iter().filter(|done| done.has_key) {
            let version = self.next();
            self.repeat(version, &done).await;
        }
    }

    /// Returns the balance of a card in minor units.
    async fn balance(&mut self, version: Version, card: &str) -> i64 {
        let request = Request::new("pos/card").path(format!("/api/bff/pos/card/{card}"));
        let response = self.send(version, &request, 200).await;
        let balance = response.body["data"]["valueRemains"].as_f64().unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "the amounts are small")]
        let minor = (balance * 100.0).round() as i64;
        minor
    }

    /// Reads the team, which does not change, and the reports, which count each sale once.
    async fn read_reports(&mut self) {
        let version = self.next();
        let team = self.send(version, &Request::new("merchant/team"), 200).await.body;
        assert_eq!(*self.team.get_or_insert_with(|| team.clone()), team);
        let version = self.next();
        let overview = self.send(version, &Request::new("analytics/overview"), 200).await.body;
        let placed = overview["data"]["kpis"]["ordersPlaced"]["value"].as_u64().unwrap();
        let placed = placed - u64::try_from(self.receipts.len()).unwrap();
        assert_eq!(*self.placed_before.get_or_insert(placed), placed, "{version:?}");
        let version = self.next();
        self.send(version, &Request::new("analytics/redemptions"), 200).await;
    }

    /// Runs the new jobs from the stream and sweeps once. The live builds take turns.
    async fn work(&mut self) {
        let records = self.system.new_job_records().await;
        for batch in records.chunks(BATCH_SIZE) {
            let version = self.next_worker();
            self.builds[&version].work("jobs", &json!({"Records": batch})).await;
            for record in batch {
                let job = &record["dynamodb"]["NewImage"];
                let stored = self.system.item(&item_key(job)).await;
                if version == Version::Old && is_new_task(job) {
                    assert_eq!(stored, *job, "the old build changed a job that it cannot read");
                    self.jobs_left_alone += 1;
                } else {
                    assert_eq!(stored, Value::Null, "{version:?} has not finished the job");
                }
            }
        }
        let version = self.next_worker();
        self.sweep(version).await;
    }

    async fn sweep(&mut self, version: Version) {
        let before: Vec<Value> = self.system.jobs().await.into_iter().filter(is_new_task).collect();
        self.builds[&version].work("sweep", &json!({})).await;
        for job in before {
            let stored = self.system.item(&item_key(&job)).await;
            let expected = if version == Version::Old { job } else { Value::Null };
            assert_eq!(stored, expected, "{version:?}");
        }
    }

    /// The card network executes requests, but neither responds nor answers lookups. Those with a key are repeated through
    /// the other build, which finds the outcome. The others are left to the sweep of either build.
    async fn lose_responses(&mut self) {
        for (version, is_sale) in
            self.live().into_iter().flat_map(|version| [(version, true), (version, false)])
        {
            let request = if is_sale { self.sale(version) } else { self.redemption() };
            let request = self.with_key(request);
            self.send_without_outcome(version, &request).await;
            let response = self.send(self.other(version), &request, 200).await;
            assert!(response.is_replayed);
            let done = Done { request, body: response.body, by: version, has_key: true };
            if is_sale { &mut self.sales } else { &mut self.redemptions }.push(done);
        }
        for version in self.live() {
            let sale = self.sale(version);
            self.send_without_outcome(version, &sale).await;
        }
    }

    async fn send_without_outcome(&mut self, version: Version, request: &Request) {
        self.system.faults.decide(|call: Call<'_>| {
            if call.operation.starts_with("POST /v1/cards/") {
                return Some(FaultKind::After);
            }
            let is_lookup = call.operation.starts_with("GET /v1/operations/");
            is_lookup.then_some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE))
        });
        let response = self.send(version, request, 504).await;
        assert!(response.body.to_string().contains(r#""outcome":"unknown""#), "{response:?}");
        self.system.faults.replace(Vec::new());
    }

    /// Sends the same sale to both builds at the same time. One of them sells.
    async fn sell_through_both_builds_at_once(&mut self) {
        // Both know this delivery type.
        let request = self.sale(Version::Old);
        let request = self.with_key(request);
        let [old, new] = [Version::Old, Version::New].map(|version| self.builds[&version].send(&request));
        let (old, new) = tokio::join!(old, new);
        let executed = [&old, &new].into_iter().filter(|sent| sent.status == 200 && !sent.is_replayed);
        assert_eq!(executed.count(), 1, "{old:?} {new:?}");
        for response in [&old, &new] {
            assert!([200, 409].contains(&response.status), "{response:?}");
        }
        let is_old = old.status == 200 && !old.is_replayed;
        let (by, body) = if is_old { (Version::Old, old.body) } else { (Version::New, new.body) };
        let sale = Done { request, body, by, has_key: true };
        for version in [Version::Old, Version::New] {
            self.repeat(version, &sale).await;
        }
        self.sales.push(sale);
    }

    /// Checks the list, and the detail of the sales from `first` on. Values of the other build are returned as text.
    async fn check_orders(&mut self, version: Version, first: usize) {
        let listed = self.listed_orders(version).await;
        for sale in &self.sales {
            let order = &listed[sale.order_id()];
            assert_eq!(order["status"], "COMPLETED");
            assert!(order["fulfilmentStatus"].is_string(), "{order}");
        }
        for sale in self.sales[first..].to_vec() {
            let id = sale.order_id();
            let request = Request::new("orders/detail").path(format!("/api/bff/merchant-orders/{id}"));
            let order = self.send(version, &request, 200).await.body["data"].take();
            assert_eq!(order["fulfilmentStatus"], listed[id]["fulfilmentStatus"]);
            assert_eq!(order["giftCards"][0]["qrCode"], sale.body["data"]["qrCode"]);
            let item = self.system.item(&keys::order(&MerchantId::new(MERCHANT), &OrderId::new(id))).await;
            let sent = sale.request.json_body();
            assert_eq!(order["deliveryType"], sent["deliveryDetails"]["deliveryType"]);
            // An order keeps the attribute of the new build unless the old one has closed the operation.
            let is_closed_by_new = item["fulfilment_status"]["S"] == "FULFILMENT_SENT";
            let is_set = item["channel"]["S"] == "TILL";
            assert_eq!(is_set, sale.by == Version::New && is_closed_by_new, "{sale:?}: {item}");
        }
    }

    async fn listed_orders(&mut self, version: Version) -> BTreeMap<String, Value> {
        let mut listed = BTreeMap::new();
        for page in 1.. {
            let request = Request::new("orders/list").query(format!("page={page}&pageSize=50&q=rollout-"));
            let body = self.send(version, &request, 200).await.body;
            let orders = body["data"]["orders"].as_array().unwrap();
            if orders.is_empty() {
                assert_eq!(body["data"]["total"], listed.len());
                break;
            }
            for order in orders {
                listed.insert(order["id"].as_str().unwrap().to_owned(), order.clone());
            }
        }
        listed
    }

    /// Waits until the old build has closed all operations, compares all records, and lets the new build do the jobs
    /// that only it knows.
    async fn finish(mut self) {
        const SWEEPS: usize = 30;
        for _ in 0..SWEEPS {
            self.work().await;
            if self.system.open_operations().await == 0 {
                break;
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        assert_eq!(self.system.open_operations().await, 0, "operations are open");
        for version in [Version::Old, Version::New] {
            self.check_orders(version, 0).await;
            for sale in self.sales.clone() {
                let card = sale.body["data"]["qrCode"].as_str().unwrap();
                let balance = self.balance(version, card).await;
                let redeemed = self
                    .redemptions
                    .iter()
                    .filter(|redemption| redemption.request.json_body()["qrCode"] == card);
                let redeemed = i64::try_from(redeemed.count()).unwrap() * REDEEMED;
                assert_eq!(balance, CARD_VALUE - redeemed, "{version:?}: {card}");
            }
        }
        reconciliation::reconcile(&self.system, &self.receipts, self.redemptions.len()).await;

        let jobs = self.system.jobs().await;
        assert!(jobs.iter().all(is_new_task), "{jobs:?}");
        assert!(!jobs.is_empty(), "no new job was waiting during the rollback");
        println!(
            "{} sales and {} redemptions, each once; the old build left {} new jobs alone, {} of them still wait",
            self.receipts.len(),
            self.redemptions.len(),
            self.jobs_left_alone,
            jobs.len()
        );
        self.sweep(Version::New).await;
        assert_eq!(self.system.jobs().await, Vec::<Value>::new());
        let merchant = keys::merchant_partition(&MerchantId::new(MERCHANT));
        let last_sale = self.system.item(&Key { pk: merchant, sk: "LAST_SALE".to_owned() }).await;
        assert!(last_sale["order_id"]["S"].is_string(), "{last_sale}");
        println!("rolled out again: the new build has done them");
        for (version, build) in self.builds {
            for (function, log) in build.stop() {
                let errors = log.lines().filter(|line| line.contains(r#""level":"ERROR""#));
                let mut messages: BTreeMap<String, usize> = BTreeMap::new();
                for error in errors {
                    let error: Value = serde_json::from_str(error).unwrap();
                    *messages.entry(format!("{} ({})", error["message"], error["cause"])).or_default() += 1;
                }
                for (message, count) in messages {
                    println!("log of {version:?} {function}: {count} × {message}");
                }
            }
        }
    }
}

impl Done {
    fn order_id(&self) -> &str {
        self.body["data"]["orderId"].as_str().unwrap()
    }
}

fn item_key(item: &Value) -> Key {
    let [pk, sk] = ["pk", "sk"].map(|name| item[name]["S"].as_str().unwrap().to_owned());
    Key { pk, sk }
}

/// Whether only the new build can read a job.
fn is_new_task(job: &Value) -> bool {
    job["task"]["M"]["RecordSale"].is_object()
}
