//! Random histories of webhooks: whatever a merchant, its systems, the card network and the workers do, each event arrives or is shown
//! as failed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::{join, join3};
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use shared::base::clock::Clock;
use shared::webhooks::model::EventType;
use world::contract::check_message;
use world::shop::{self, ISSUE, REDEEM, payment};
use world::{ApiResponse, Caller, Counts, Histories, Log, ManualClock, Received, Receiver, SeededRandom, System, poll_up_to};

use crate::payouts::{decide, id_of, paid};
use crate::webhooks::{UNTIL_IDLE, WEBHOOKS, create};

const STEPS: usize = 40;
/// A port on which nothing listens.
const GONE: &str = "http://127.0.0.1:9/hooks";
/// Longer than all attempts at a message take.
const LONGEST_RETRY: SignedDuration = SignedDuration::from_hours(100);
/// How long endpoints have for an answer here.
const TIMEOUT: Duration = Duration::from_millis(100);
const DAY: i64 = 24 * 3600;
/// A card that another seller has sold: its settlements are paid.
const BOUGHT_ELSEWHERE: &str = "QR-500";

#[tokio::test]
async fn every_event_arrives_or_is_shown_as_failed() {
    let mut counts = Counts::default();
    for history in Histories::new("--test api webhook_histories::", 2).all() {
        // A history runs on one thread.
        let (log, _capturing) = Log::of_thread();
        let mut running = History::begin(history.seed).await;
        for _ in 0..STEPS {
            Box::pin(running.step()).await;
        }
        counts += running.end(&log).await;
    }
    println!("{counts:?}");
}

/// A span of time, in the seconds of `webhook-timestamp`. Whatever begins or ends it happens in the second of a bound.
#[derive(Debug, Clone, Copy)]
struct Span {
    from: i64,
    to: i64,
}

impl Span {
    fn since(from: i64) -> Self {
        Self { from, to: i64::MAX }
    }

    fn end(&mut self, at: i64) {
        self.to = self.to.min(at);
    }

    fn surely_has(self, at: i64) -> bool {
        self.from < at && at < self.to
    }

    fn may_have(self, at: i64) -> bool {
        self.from <= at && at <= self.to
    }
}

/// An endpoint that is deleted in the middle.
struct ShortLived {
    id: String,
    receiver: Receiver,
    /// In seconds.
    deleted_at: Option<i64>,
}

/// A change of m-aurora's endpoint for all events.
#[derive(Debug, Clone)]
enum Change {
    Status(&'static str),
    Url(String),
    Rotation { immediately: bool },
}

struct History {
    case: String,
    system: System,
    clock: ManualClock,
    random: SeededRandom,
    /// What m-aurora's endpoint for all events has for addresses, beside one that is gone.
    receivers: [Receiver; 2],
    id: String,
    secrets: Vec<(String, Span)>,
    urls: Vec<(String, Span)>,
    /// While a member has disabled it.
    disabled: Vec<Span>,
    /// A delivery can fail before its last attempt: a member has disabled the endpoint, or it was gone.
    was_disabled: bool,
    /// Deliveries that a member has sent again. They get one attempt if they had ended.
    retried: BTreeSet<String>,
    short_lived: Vec<ShortLived>,
    rival: Receiver,
    rival_secret: String,
    rival_sales: BTreeSet<String>,
    codes: Vec<String>,
    status_changes: usize,
    holds: usize,
    /// Beside the index of the receiver.
    received: Vec<(usize, Received)>,
    counts: Counts,
}

impl History {
    async fn begin(seed: u64) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = System::with_clock(clock.clock()).await;
        system.local.limit_webhooks(TIMEOUT).await;
        system.load_fixtures(&json!({"users": [shop::platform_administrator("u-second")]})).await;
        let (receivers, rival) = ([Receiver::start().await, Receiver::start().await], Receiver::start().await);
        let of_rival = create(&system.sign_in("u-rival").await, &rival.url, &EventType::ALL).await;
        let created = create(&system.sign_in("u-admin").await, &receivers[0].url, &EventType::ALL).await;
        let begun = Span::since(clock.clock().now().as_second());
        clock.advance(1);
        Self {
            case: format!("seed {seed}"),
            clock,
            random: SeededRandom::new(seed),
            id: created.text("/data/id"),
            secrets: vec![(created.text("/data/secret"), begun)],
            urls: vec![(receivers[0].url.clone(), begun)],
            receivers,
            disabled: Vec::new(),
            was_disabled: false,
            retried: BTreeSet::new(),
            short_lived: Vec::new(),
            rival,
            rival_secret: of_rival.text("/data/secret"),
            rival_sales: BTreeSet::new(),
            codes: Vec::new(),
            status_changes: 0,
            holds: 0,
            received: Vec::new(),
            counts: Counts::default(),
            system,
        }
    }

    async fn step(&mut self) {
        match self.random.below(30) {
            0..=4 => {
                let sold = self.sell("u-till").await;
                self.codes.extend(sold.body.pointer("/data/qrCode").map(|code| code.as_str().unwrap().to_owned()));
            }
            5..=7 => self.redeem().await,
            8 => {
                let sold = self.sell("u-rival").await;
                let order = if sold.status == 200 { "/data/orderId" } else { "/error/details/orderId" };
                self.rival_sales.insert(sold.text(order));
            }
            9 => self.lose_answers_of_the_network().await,
            10 => self.system.set_faults(json!([])).await,
            11..=13 => self.set_an_answer(),
            14 | 15 => self.crash().await,
            16..=18 => self.deliver().await,
            19 => self.deliver_by_two_workers().await,
            20 => self.work().await,
            21 => {
                let seconds = self.random.below(4000);
                self.clock.advance(seconds);
            }
            22 => self.change_alone().await,
            23 | 24 => self.change_at_once().await,
            25 => Box::pin(self.change_while_workers_send()).await,
            26 | 27 => self.create_or_delete_another().await,
            28 => self.hold().await,
            _ => self.retry_or_change_status().await,
        }
    }

    fn now(&self) -> i64 {
        self.clock.clock().now().as_second()
    }

    async fn admin(&self) -> Caller {
        self.system.sign_in("u-admin").await
    }

    fn path(&self) -> String {
        format!("{WEBHOOKS}/{}", self.id)
    }

    /// Whether it is known at once that the sale has succeeded depends on the network.
    async fn sell(&self, user: &str) -> ApiResponse {
        let sale = json!({"value": 100, "deliveryDetails": {"deliveryType": "QR"}, "paymentReference": "receipt-1"});
        let sold = self.system.sign_in(user).await.post(ISSUE, &sale).await;
        assert!(matches!(sold.status, 200 | 504), "{}: {sold:?}", self.case);
        sold
    }

    async fn redeem(&mut self) {
        let is_own = self.random.percent(50);
        let code = self.codes.last().filter(|_| is_own).map_or(BOUGHT_ELSEWHERE, String::as_str);
        let body = payment(code, 10);
        let redeemed = self.system.sign_in("u-till").await.post(REDEEM, &body).await;
        assert!(matches!(redeemed.status, 200 | 400 | 409 | 504), "{}: {redeemed:?}", self.case);
    }

    /// Until the faults are taken away.
    async fn lose_answers_of_the_network(&self) {
        let faults = json!([
            {"target": "card-network", "match": "POST /v1/cards*", "kind": "after", "times": 2},
            {"target": "card-network", "match": "GET /v1/operations/*", "kind": "status", "value": 503, "times": "always"},
        ]);
        self.system.set_faults(faults).await;
    }

    /// Of the receiver that gets the messages, if there is one.
    fn set_an_answer(&mut self) {
        let in_use = |receiver: &&Receiver| self.urls.last().is_some_and(|(url, _)| *url == receiver.url);
        let Some(receiver) = self.receivers.iter().find(in_use) else { return };
        if self.random.percent(30) {
            receiver.answer_too_late();
            self.counts.add("too_late", 1);
        } else {
            let answer = *self.random.pick(&[500, 404, 302, 429, 410]);
            receiver.answer([answer]);
            self.counts.add("refused", 1);
            self.was_disabled |= answer == 410;
        }
    }

    /// A worker dies somewhere in the middle.
    async fn crash(&mut self) {
        let polls = self.random.below(80);
        let mut crashing = Box::pin(self.system.local.send_due_webhooks());
        poll_up_to(&mut crashing, polls).await;
        self.counts.add("crashes", 1);
    }

    async fn deliver(&mut self) {
        self.system.local.send_due_webhooks().await;
        self.take();
    }

    /// Nobody gets a message from both of them.
    async fn deliver_by_two_workers(&mut self) {
        // What a dead worker has sent arrives before the answer to a later request.
        self.deliveries().await;
        self.take();
        let before = self.received.len();
        let app = self.system.local.app();
        join(deliveries::work(app, UNTIL_IDLE), deliveries::work(app, UNTIL_IDLE)).await;
        self.take();
        let mut seen = BTreeSet::new();
        for (_, message) in &self.received[before..] {
            assert!(seen.insert(message.header("webhook-id").to_owned()), "{}: sent by both workers", self.case);
        }
    }

    /// All other workers, and an attempt at each message.
    async fn work(&mut self) {
        self.system.drain().await;
        self.take();
    }

    fn take(&mut self) {
        let received = self.receivers.iter().enumerate();
        self.received.extend(received.flat_map(|(index, receiver)| receiver.take().into_iter().map(move |one| (index, one))));
    }

    fn some_change(&mut self) -> Change {
        match self.random.below(3) {
            0 => Change::Status(self.random.pick::<&str>(&["DISABLED", "ENABLED"])),
            1 => Change::Url((*self.random.pick(&[&self.receivers[0].url, &self.receivers[1].url, GONE])).to_owned()),
            _ => Change::Rotation { immediately: self.random.percent(50) },
        }
    }

    async fn send_change(&self, change: &Change, user: &str) -> ApiResponse {
        let caller = self.system.sign_in(user).await;
        let path = self.path();
        match change {
            Change::Status(status) => caller.patch(&path, &json!({"status": status})).await,
            Change::Url(url) => caller.patch(&path, &json!({"url": url})).await,
            Change::Rotation { immediately } => {
                caller.post(&format!("{path}/rotation"), &json!({"immediately": immediately})).await
            }
        }
    }

    /// What follows from a change. Time goes on, so that what is sent from now on has a later time.
    fn changed(&mut self, change: &Change, response: &ApiResponse) {
        assert_eq!(response.status, 200, "{}: {change:?}: {response:?}", self.case);
        let now = self.now();
        self.clock.advance(1);
        let secret = response.at("/data").get("secret").map(|secret| secret.as_str().unwrap().to_owned());
        match change {
            Change::Status("DISABLED") => {
                self.disabled.push(Span::since(now));
                self.was_disabled = true;
                self.counts.add("disabled", 1);
            }
            Change::Status(_) => self.disabled.iter_mut().for_each(|span| span.end(now)),
            Change::Url(url) => {
                // The same URL needs no new secret.
                if let Some(secret) = secret {
                    self.secrets.iter_mut().for_each(|(_, span)| span.end(now));
                    self.secrets.push((secret, Span::since(now)));
                    self.urls.iter_mut().for_each(|(_, span)| span.end(now));
                    self.urls.push((url.clone(), Span::since(now)));
                    self.counts.add("moves", 1);
                }
            }
            Change::Rotation { immediately } => {
                let (last, earlier) = self.secrets.split_last_mut().unwrap();
                for (_, span) in earlier {
                    span.end(now);
                }
                last.1.end(if *immediately { now } else { now + DAY });
                self.secrets.push((secret.unwrap(), Span::since(now)));
                self.counts.add("rotations", 1);
            }
        }
    }

    async fn change_alone(&mut self) {
        let change = self.some_change();
        let changed = self.send_change(&change, "u-admin").await;
        self.changed(&change, &changed);
    }

    /// Two members change the endpoint in the same moment: neither change is lost.
    async fn change_at_once(&mut self) {
        let change = self.some_change();
        let description = format!("Called so in second {}", self.now());
        let body = json!({"description": description});
        let (unset, path) = (self.system.sign_in("u-unset").await, self.path());
        let (described, changed) = join(unset.patch(&path, &body), self.send_change(&change, "u-admin")).await;
        assert_eq!(described.status, 200, "{}: {described:?}", self.case);
        self.changed(&change, &changed);
        let endpoint = self.admin().await.get(WEBHOOKS).await.row("/data", "id", &*self.id);
        assert_eq!(endpoint["description"], description, "{}", self.case);
        match change {
            // Its answers can have disabled it meanwhile.
            Change::Status(status) => assert!(endpoint["status"] == status || endpoint["disabledBecause"] == "GONE"),
            Change::Url(url) => assert_eq!(endpoint["url"], url, "{}", self.case),
            Change::Rotation { .. } => assert_ne!(endpoint["rotatedAt"], Value::Null, "{}", self.case),
        }
        self.counts.add("at_once", 1);
    }

    async fn change_while_workers_send(&mut self) {
        let change = self.some_change();
        let app = self.system.local.app();
        let sending = join(deliveries::work(app, UNTIL_IDLE), self.system.local.send_due_webhooks());
        let (_, changed) = Box::pin(join(sending, self.send_change(&change, "u-admin"))).await;
        self.changed(&change, &changed);
        self.take();
        self.counts.add("at_once", 1);
    }

    /// Two members can do it at once, and a worker can be sending.
    async fn create_or_delete_another(&mut self) {
        if let Some(id) = self.short_lived.last().filter(|last| last.deleted_at.is_none()).map(|last| last.id.clone()) {
            let path = format!("{WEBHOOKS}/{id}");
            let (admin, unset) = (self.admin().await, self.system.sign_in("u-unset").await);
            let (one, other, ()) = join3(admin.delete(&path), unset.delete(&path), self.system.local.send_due_webhooks()).await;
            let statuses = BTreeSet::from([one.status, other.status]);
            assert_eq!(statuses, BTreeSet::from([200, 404]), "{}: {one:?} {other:?}", self.case);
            let now = self.now();
            self.short_lived.last_mut().unwrap().deleted_at = Some(now);
            self.clock.advance(1);
            self.counts.add("deleted", 1);
        } else {
            let receiver = Receiver::start().await;
            receiver.answer([500]);
            let created = create(&self.admin().await, &receiver.url, &EventType::ALL).await;
            self.short_lived.push(ShortLived { id: created.text("/data/id"), receiver, deleted_at: None });
        }
    }

    /// Of a settlement that is not held yet.
    async fn hold(&mut self) {
        let listed = self.admin().await.get("/api/bff/settlements?take=100").await;
        let Some(row) = listed.list("/rows").iter().find(|row| row["held"] == false) else { return };
        let path = format!("/api/admin/settlements/m-aurora/{}", row["id"].as_str().unwrap());
        let root = self.system.sign_in("u-root").await;
        for held in [true, false] {
            let changed = root.patch(&path, &json!({"held": held, "reason": "Looked at."})).await;
            assert_eq!(changed.status, 200, "{}: {changed:?}", self.case);
        }
        self.holds += 1;
    }

    async fn retry_or_change_status(&mut self) {
        if self.random.percent(30) {
            let root = self.system.sign_in("u-root").await;
            for status in ["SUSPENDED", "ACTIVE"] {
                let body = json!({"status": status, "reason": "Asked by phone."});
                assert_eq!(root.patch("/api/admin/merchants/m-aurora", &body).await.status, 200, "{}", self.case);
            }
            self.status_changes += 2;
        } else {
            let deliveries = self.deliveries().await;
            if deliveries.is_empty() {
                return;
            }
            let delivery = self.random.pick(&deliveries)["id"].as_str().unwrap().to_owned();
            let retry = format!("{}/deliveries/{delivery}/retry", self.path());
            let (admin, unset) = (self.admin().await, self.system.sign_in("u-unset").await);
            let retried = join(admin.post_empty(&retry), unset.post_empty(&retry)).await;
            self.retried.insert(delivery);
            for retried in [retried.0, retried.1] {
                assert!(matches!(retried.status, 202 | 409), "{}: {retried:?}", self.case);
                self.counts.add("retried", usize::from(retried.status == 202));
            }
        }
    }

    /// Newest first.
    async fn deliveries(&self) -> Vec<Value> {
        let (mut deliveries, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{}/deliveries?limit=100&cursor={cursor}", self.path());
            let page = self.admin().await.get(&path).await;
            assert_eq!(page.status, 200, "{}: {page:?}", self.case);
            deliveries.extend(page.list("/data/deliveries").iter().cloned());
            let Some(next) = page.at("/data/next").as_str() else { return deliveries };
            next.clone_into(&mut cursor);
        }
    }

    /// Everything recovers, what is owed is paid, and time passes.
    async fn end(mut self, log: &Log) -> Counts {
        self.system.set_faults(json!([])).await;
        // Once what is on its way is answered: its receiver could want no more, and disable the endpoint after the changes below.
        self.system.local.pause(async { self.receivers.iter().for_each(Receiver::recover) }).await;
        for change in [Change::Url(self.receivers[0].url.clone()), Change::Status("ENABLED")] {
            let changed = self.send_change(&change, "u-admin").await;
            self.changed(&change, &changed);
        }
        self.wait(LONGEST_RETRY).await;
        self.wait(SignedDuration::from_hours(8 * 24)).await;
        let payouts = self.pay().await;
        self.wait(LONGEST_RETRY).await;
        let deliveries = self.deliveries().await;
        self.check_messages(&deliveries);
        self.check_events(&deliveries, &payouts).await;
        self.check_the_others();
        self.check_privacy(log).await;
        self.counts
    }

    async fn wait(&mut self, time: SignedDuration) {
        const PARTS: i64 = 12;
        for _ in 0..PARTS {
            self.clock.advance(time.as_secs() / PARTS);
            self.work().await;
        }
    }

    async fn pay(&self) -> BTreeSet<String> {
        let root = self.system.sign_in("u-root").await;
        let start = root.request(Method::POST, "/api/admin/payouts").header("idempotency-key", "run");
        let started = Caller::send_request(start.header("content-type", "application/json").body("{}")).await;
        assert_eq!(started.status, 202, "{}: {started:?}", self.case);
        self.system.drain().await;
        let listed = root.get("/api/admin/payouts").await;
        let payouts = listed.list("/data/payouts");
        for payout in payouts {
            let decided = decide(&self.system.sign_in("u-second").await, id_of(payout), &paid("SEPA 1")).await;
            assert_eq!(decided.status, 200, "{}: {decided:?}", self.case);
        }
        payouts.iter().map(|payout| id_of(payout).to_owned()).collect()
    }

    /// The same bytes at each attempt, signed by the secrets of that time, and sent where the endpoint was then.
    fn check_messages(&mut self, deliveries: &[Value]) {
        let case = &self.case;
        let sent: BTreeMap<&str, &Value> =
            deliveries.iter().map(|delivery| (delivery["messageId"].as_str().unwrap(), delivery)).collect();
        assert_eq!(sent.len(), deliveries.len(), "{case}: one delivery for each message");
        let (mut bodies, mut accepted) = (BTreeMap::new(), BTreeSet::new());
        for (receiver, message) in &self.received {
            if message.is_accepted {
                accepted.insert(message.header("webhook-id"));
            }
            let body = bodies.entry(message.header("webhook-id").to_owned()).or_insert(&message.body);
            assert_eq!(*body, &message.body, "{case}: the same bytes");
            let at: i64 = message.header("webhook-timestamp").parse().unwrap();
            let mut signatures = 0;
            for (secret, span) in &self.secrets {
                let count = message.signatures_by(secret);
                assert!(count == 1 || !span.surely_has(at), "{case}: not signed by a secret of that time");
                assert!(count == 0 || span.may_have(at), "{case}: signed by a secret of another time");
                signatures += count;
            }
            assert!((1..=2).contains(&signatures), "{case}: {signatures} signatures");
            let is_there = |(url, span): &(String, Span)| *url == self.receivers[*receiver].url && span.may_have(at);
            assert!(self.urls.iter().any(is_there), "{case}: sent to an earlier address");
            assert!(!self.disabled.iter().any(|span| span.surely_has(at)), "{case}: sent to a disabled endpoint");
            check_message(&message.json());
            assert_eq!(message.json()["merchantId"], "m-aurora", "{case}");
            let delivery = sent[message.header("webhook-id")];
            assert_eq!(message.json()["type"], delivery["event"], "{case}");
        }
        for (id, delivery) in sent {
            let attempts = delivery["attempts"].as_array().unwrap();
            let is_shown = attempts.iter().any(|attempt| attempt["error"].is_null());
            match delivery["status"].as_str().unwrap() {
                "DELIVERED" => assert!(accepted.contains(id) && is_shown, "{case}: {delivery}"),
                "FAILED" => {
                    // The attempts of workers that have died are not listed.
                    let begun = attempts.len() + self.counts.of("crashes");
                    let is_retried = self.retried.contains(delivery["id"].as_str().unwrap());
                    assert!(self.was_disabled || is_retried || begun >= 10, "{case}: {delivery}");
                }
                _ => panic!("{case}: {delivery}"),
            }
            self.counts.add("delivered", usize::from(delivery["status"] == "DELIVERED"));
            self.counts.add("failed", usize::from(delivery["status"] == "FAILED"));
            self.counts.add(delivery["event"].as_str().unwrap(), 1);
        }
        self.counts.add("arrived", self.received.len());
    }

    /// One message for each event, and none of anything else.
    async fn check_events(&self, deliveries: &[Value], payouts: &BTreeSet<String>) {
        let case = &self.case;
        let admin = self.admin().await;
        let orders = admin.get("/api/bff/merchant-orders?pageSize=50").await;
        let orders = orders.list("/data/orders").iter();
        let sold = orders.filter(|order| order["status"] == "COMPLETED" && order["id"] != "o-sold");
        let sold: BTreeSet<String> = sold.map(|order| order["id"].as_str().unwrap().to_owned()).collect();
        let settlements = admin.get("/api/bff/settlements?take=100").await;
        let of_settlements = |field: &str| -> BTreeSet<String> {
            settlements.list("/rows").iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
        };
        let count = |event: &str| deliveries.iter().filter(|delivery| delivery["event"] == event).count();
        for (event, field, expected) in [
            ("gift_card.issued", "orderId", sold),
            ("gift_card.redeemed", "redemptionId", of_settlements("redemptionId")),
            ("settlement.created", "id", of_settlements("id")),
            ("payout.paid", "payoutId", payouts.clone()),
        ] {
            assert_eq!(count(event), expected.len(), "{case}: {event}");
            let messages = self.received.iter().map(|(_, message)| message.json()).filter(|message| message["type"] == event);
            let told: BTreeSet<String> = messages.map(|message| message["data"][field].as_str().unwrap().to_owned()).collect();
            assert!(told.is_subset(&expected), "{case}: {event}: {told:?}, not {expected:?}");
            let failed = deliveries.iter().filter(|delivery| delivery["event"] == event && delivery["status"] == "FAILED");
            assert!(expected.len() - told.len() <= failed.count(), "{case}: {event}: {told:?} of {expected:?}");
        }
        assert_eq!(count("merchant.status_changed"), self.status_changes, "{case}");
        assert_eq!(count("settlement.held"), self.holds, "{case}");
        assert_eq!(count("operation.unknown"), count("operation.resolved"), "{case}: what was unknown is known");
    }

    /// Nothing arrives after a deletion, and another merchant's system hears of that merchant only.
    fn check_the_others(&self) {
        let case = &self.case;
        let bodies: BTreeMap<&str, &Received> =
            self.received.iter().map(|(_, message)| (message.header("webhook-id"), message)).collect();
        for ShortLived { receiver, deleted_at, .. } in &self.short_lived {
            for message in receiver.take() {
                assert_eq!(message.json()["merchantId"], "m-aurora", "{case}");
                let sent_at: i64 = message.header("webhook-timestamp").parse().unwrap();
                assert!(deleted_at.is_none_or(|deleted_at| sent_at <= deleted_at), "{case}: sent after the deletion");
                let same = bodies.get(message.header("webhook-id"));
                assert!(same.is_none_or(|same| same.body == message.body), "{case}: the same bytes for each endpoint");
            }
        }
        let messages = self.rival.take();
        assert!(messages.iter().all(|message| message.signatures_by(&self.rival_secret) == 1), "{case}");
        let messages: Vec<Value> = messages.iter().map(Received::json).collect();
        assert!(messages.iter().all(|message| message["merchantId"] == "m-rival"), "{case}: {messages:?}");
        let issued = messages.iter().filter(|message| message["type"] == "gift_card.issued");
        let issued: BTreeSet<String> = issued.map(|message| message["data"]["orderId"].as_str().unwrap().to_owned()).collect();
        assert_eq!(issued, self.rival_sales, "{case}: a well endpoint hears of everything");
    }

    /// No body, row or line of the log has a secret, the code of a card, or personal data.
    async fn check_privacy(&self, log: &Log) {
        let case = &self.case;
        let rows = self.system.store().scan(vec!["WEBHOOK".to_owned()]).try_concat().await.unwrap();
        let rows = rows.into_iter().map(|item| format!("{item:?}"));
        let bodies = self.received.iter().map(|(_, message)| String::from_utf8(message.body.to_vec()).unwrap());
        let secrets = self.secrets.iter().map(|(secret, _)| secret.trim_start_matches("whsec_"));
        let secrets = secrets.chain([self.rival_secret.trim_start_matches("whsec_")]);
        let private: Vec<&str> = secrets.chain(self.codes.iter().map(String::as_str)).chain(["@", "whsec_", "Bearer"]).collect();
        let mut count = 0;
        for text in rows.chain(bodies).chain([log.text()]) {
            for private in &private {
                assert!(!text.contains(private), "{case}: {private} in {text}");
            }
            count += 1;
        }
        assert!(count > self.received.len() && log.text().contains("INFO"), "{case}: nothing was looked at");
    }
}
