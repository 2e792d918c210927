//! The local system as a process of its own, killed again and again under load, over one folder of data; the card network
//! is another process, which lives on.
//!
//! It takes a while, and needs the program: `cargo build -p local`, then
//! `cargo test -p tests --test money -- --ignored --nocapture`. `MONEY_KILLS` is how often (5), `MONEY_SEED` the seed of the
//! times, `LOCAL_PROGRAM` another program than the one beside this test.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http::StatusCode;
use reqwest::Client;
use serde_json::{Value, json};
use shared::app::App;
use shared::clock::Clock;
use shared::random::Random;
use tempfile::TempDir;
use test_support::{LocalProcess, SeededRandom};
use tokio::sync::watch;
use tokio::task::JoinSet;
use upstreams::simulators::card_network::OperationKind;

use crate::books::{Books, Moved};
use crate::histories::number;
use crate::world::{Answer, Order, Shop, Verdict, settings_with};

const TILLS: u64 = 6;
const NETWORK_KEY: &str = "local-card-network-key";
const POLL: Duration = Duration::from_millis(20);

async fn start(folder: &Path, arguments: &[&str]) -> LocalProcess {
    let fixtures = folder.join("fixtures.json");
    let arguments = [&["--fixtures", fixtures.to_str().unwrap()], arguments].concat();
    LocalProcess::start(&program(), folder, arguments).await.expect("cargo build -p local")
}

fn program() -> PathBuf {
    let beside_this = || std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("local");
    std::env::var_os("LOCAL_PROGRAM").map_or_else(beside_this, PathBuf::from)
}

/// A till that repeats each order under its key, in between others, until it is told how it ended.
struct Till {
    client: Client,
    api: watch::Receiver<String>,
    token: String,
    random: SeededRandom,
    cards: Vec<String>,
    /// What it has not been told the end of.
    open: Vec<Order>,
    told: Vec<Told>,
    repeats: usize,
}

/// What a till has been told in the end.
struct Told {
    order: Order,
    answer: Answer,
}

impl Till {
    /// Works until the system has been killed for the last time, and sees everything through.
    async fn work(mut self, till: u64, last_orders: watch::Receiver<bool>) -> Self {
        for number in 0.. {
            if *last_orders.borrow() {
                break;
            }
            let order = self.order(&format!("order-{till}-{number}"));
            self.try_once(order).await;
            if self.random.percent(20) {
                self.try_an_open_one().await;
            }
        }
        while !self.open.is_empty() {
            self.try_an_open_one().await;
            tokio::time::sleep(POLL).await;
        }
        self
    }

    fn order(&mut self, label: &str) -> Order {
        let order = if self.random.percent(40) {
            Order::sale(label, 100 + self.random.below(50_000))
        } else {
            Order::payment(label, self.random.pick::<String>(&self.cards), 1 + self.random.below(90))
        };
        order.keyed()
    }

    async fn try_once(&mut self, order: Order) {
        match self.place(&order).await {
            Some(answer) if matches!(answer.verdict(), Verdict::Moved | Verdict::Refused) => {
                self.told.push(Told { order, answer });
            }
            answer => {
                self.open.push(order);
                if answer.is_none() {
                    // It is down: there is nothing to do but wait.
                    tokio::time::sleep(POLL).await;
                }
            }
        }
    }

    async fn try_an_open_one(&mut self) {
        if !self.open.is_empty() {
            let order = self.open.remove(0);
            self.repeats += 1;
            self.try_once(order).await;
        }
    }

    /// None where the system went down on the way.
    async fn place(&self, order: &Order) -> Option<Answer> {
        let url = format!("{}{}", *self.api.borrow(), order.path);
        let request = self.client.post(url).bearer_auth(&self.token).body(order.body.to_string());
        let request = request.header("idempotency-key", order.key.as_deref().unwrap_or_default());
        let response = request.send().await.ok()?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = serde_json::from_slice(&response.bytes().await.ok()?).ok()?;
        Some(Answer { status, headers, body })
    }
}

/// The portal, which is killed, and the network, which is not.
struct Killed {
    client: Client,
    folder: TempDir,
    network: LocalProcess,
    shop: Shop,
}

impl Killed {
    async fn begin() -> Self {
        let (folder, shop) = (tempfile::tempdir().unwrap(), Shop::numbered(1));
        let document = Shop::document(std::slice::from_ref(&shop)).to_string();
        let network_folder = folder.path().join("network");
        std::fs::create_dir(&network_folder).unwrap();
        for folder in [folder.path(), &network_folder] {
            std::fs::write(folder.join("fixtures.json"), &document).unwrap();
        }
        let network = start(&network_folder, &["--services-only"]).await;
        let client = shared::outbound::client(Duration::from_secs(1));
        Self { client, folder, network, shop }
    }

    async fn portal(&self) -> LocalProcess {
        let data = self.folder.path().join("data");
        let network = self.network.url("cardNetwork");
        let arguments = ["--data", data.to_str().unwrap(), "--card-network", &network];
        start(self.folder.path(), &arguments).await
    }

    async fn post(&self, url: String, body: &Value) -> Value {
        let response = self.client.post(url).body(body.to_string()).send().await.unwrap();
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    async fn get_from_network(&self, path: &str) -> Value {
        let url = format!("{}{path}", self.network.url("cardNetwork"));
        let response = self.client.get(url).bearer_auth(NETWORK_KEY).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        serde_json::from_slice(&response.bytes().await.unwrap()).unwrap()
    }

    /// What the network carried out, as its calls and its answers to questions tell.
    async fn moved(&self) -> Vec<Moved> {
        let calls = format!("{}/__local/upstream-calls", self.network.url("api"));
        let calls = self.client.get(calls).send().await.unwrap().bytes().await.unwrap();
        let calls: Vec<Value> = serde_json::from_slice(&calls).unwrap();
        let carried_out = calls.iter().filter(|call| call["method"] == "POST" && is_success(&call["status"]));
        // A repeated call gets the first outcome and moves nothing.
        let by_reference: BTreeMap<String, &Value> =
            carried_out.map(|call| (call["headers"]["idempotency-key"].to_string(), call)).collect();
        let mut moved = Vec::new();
        for call in by_reference.values() {
            moved.push(self.moved_by(call).await);
        }
        moved
    }

    async fn moved_by(&self, call: &Value) -> Moved {
        let reference = call["headers"]["idempotency-key"].as_str().unwrap();
        let operation = self.get_from_network(&format!("/v1/operations/{reference}")).await;
        assert_eq!(operation["status"], "SUCCEEDED");
        let code = operation["result"]["qrCode"].as_str().unwrap().to_owned();
        let (kind, amount) = match operation["kind"].as_str().unwrap() {
            "ISSUE" => (OperationKind::Issue, &call["body"]["value"]),
            _ => (OperationKind::Redeem, &call["body"]["redeemAmount"]),
        };
        Moved { kind, movement: (code, minor(amount)) }
    }

    async fn check(&self, portal: &LocalProcess, told: &[Told]) {
        let books = Books::read(&app(portal).store, &self.shop, self.moved().await).await;
        books.check(&self.shop).unwrap();
        for Told { order, answer, .. } in told {
            let successes = books.successes(&order.label);
            assert_eq!(successes, usize::from(answer.verdict() == Verdict::Moved), "{order:?}: {answer:?}");
        }
        for (code, balance) in books.balances(&self.shop) {
            let card = self.get_from_network(&format!("/v1/cards/{code}")).await;
            assert_eq!(minor(&card["valueRemains"]), balance, "{card}");
        }
        let moved = books.moved.len();
        println!(
            "{} orders answered, {moved} movements of money, {} settlements",
            told.len(),
            books.settlements.len()
        );
    }
}

fn is_success(status: &Value) -> bool {
    matches!(status.as_u64(), Some(200 | 201))
}

/// A decimal as a number or a text, in minor units.
fn minor(amount: &Value) -> i64 {
    let text = amount.as_str().map_or_else(|| amount.to_string(), str::to_owned);
    let (units, cents) = text.split_once('.').unwrap_or((&text, ""));
    format!("{units}{cents:0<2}").parse().unwrap()
}

/// A look into the portal's table.
fn app(portal: &LocalProcess) -> App {
    let settings = settings_with(&[("AWS_ENDPOINT_URL_DYNAMODB", portal.url("dynamodb"))]);
    App::new(settings, Clock::system(), Random::system())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a while, and needs the program `local`"]
async fn a_system_that_is_killed_again_and_again_loses_nothing_and_moves_nothing_twice() {
    let (kills, mut random) = (number("MONEY_KILLS", 5), SeededRandom::new(number("MONEY_SEED", 1)));
    let killed = Killed::begin().await;
    let mut portal = killed.portal().await;
    let sign_in = format!("{}/__local/sessions", portal.url("api"));
    let session = killed.post(sign_in, &json!({"userId": "u-1"})).await;
    let token = session["token"].as_str().unwrap();

    let (api, seen_api) = watch::channel(portal.url("api"));
    let (last_orders, seen_last_orders) = watch::channel(false);
    let mut tills = JoinSet::new();
    for number in 0..TILLS {
        let till = Till {
            client: shared::outbound::client(Duration::from_secs(1)),
            api: seen_api.clone(),
            token: token.to_owned(),
            random: random.fork(),
            cards: killed.shop.cards.to_vec(),
            open: Vec::new(),
            told: Vec::new(),
            repeats: 0,
        };
        tills.spawn(till.work(number, seen_last_orders.clone()));
    }
    for _ in 0..kills {
        tokio::time::sleep(Duration::from_millis(random.below(600).unsigned_abs())).await;
        portal.kill().await;
        portal = killed.portal().await;
        api.send_replace(portal.url("api"));
    }
    last_orders.send_replace(true);
    let tills = tills.join_all().await;
    let repeats: usize = tills.iter().map(|till| till.repeats).sum();
    let told: Vec<Told> = tills.into_iter().flat_map(|till| till.told).collect();

    let settled = killed.post(format!("{}/__local/settle", portal.url("api")), &Value::Null).await;
    assert_eq!(settled, json!({"pending": 0, "dead": 0}));
    println!("{kills} kills, {repeats} repeats");
    killed.check(&portal, &told).await;
}
