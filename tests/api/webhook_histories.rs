//! Random histories of webhooks: whatever a merchant, its systems, the card network and the workers do, each event arrives or is shown
//! as failed.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};
use shared::clock::Clock;
use shared::domain::webhook::EventType;
use test_support::SeededRandom;

use crate::payouts::{decide, id_of, paid};
use crate::support::contract::check_message;
use crate::support::receiver::{Received, Receiver};
use crate::support::{ApiResponse, Caller, ManualClock, System, poll_up_to};
use crate::webhooks::{ISSUE, REDEEM, WEBHOOKS, create};

const STEPS: usize = 40;
/// A port on which nothing listens.
const GONE: &str = "http://127.0.0.1:9/hooks";
/// Longer than all attempts at a message take.
const LONGEST_RETRY: SignedDuration = SignedDuration::from_hours(100);

/// `WEBHOOK_HISTORIES` histories, 10 without it, from the seed `WEBHOOK_SEED`, 0 without it.
#[tokio::test]
async fn every_event_arrives_or_is_shown_as_failed() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |number| number.parse().unwrap());
    let first = number("WEBHOOK_SEED", 0);
    for seed in first..first + number("WEBHOOK_HISTORIES", 10) {
        let mut history = History::begin(seed).await;
        for _ in 0..STEPS {
            history.step().await;
        }
        history.end().await;
    }
}

/// An endpoint that is deleted in the middle.
struct ShortLived {
    id: String,
    receiver: Receiver,
    /// In seconds.
    deleted_at: Option<i64>,
}

struct History {
    case: String,
    system: System,
    clock: ManualClock,
    random: SeededRandom,
    /// What m-aurora's endpoint for all events has for addresses, beside one that is gone.
    receivers: [Receiver; 2],
    id: String,
    secrets: Vec<String>,
    short_lived: Vec<ShortLived>,
    rival: Receiver,
    rival_secret: String,
    rival_sales: BTreeSet<String>,
    codes: Vec<String>,
    status_changes: usize,
    received: Vec<Received>,
}

impl History {
    async fn begin(seed: u64) -> Self {
        let clock = ManualClock::new(Clock::system().now());
        let system = System::with_clock(clock.clock()).await;
        let second = json!({"id": "u-second", "email": "second@portal.example", "isAdmin": true, "emailVerified": true});
        system.load_fixtures(&json!({"users": [second]})).await;
        let (receivers, rival) = ([Receiver::start().await, Receiver::start().await], Receiver::start().await);
        let of_rival = create(&system.sign_in("u-rival").await, &rival.url, &EventType::ALL).await;
        let created = create(&system.sign_in("u-admin").await, &receivers[0].url, &EventType::ALL).await;
        Self {
            case: format!("seed {seed}"),
            clock,
            random: SeededRandom::new(seed),
            receivers,
            id: created.text("/data/id"),
            secrets: vec![created.text("/data/secret")],
            short_lived: Vec::new(),
            rival,
            rival_secret: of_rival.text("/data/secret"),
            rival_sales: BTreeSet::new(),
            codes: Vec::new(),
            status_changes: 0,
            received: Vec::new(),
            system,
        }
    }

    async fn step(&mut self) {
        match self.random.below(24) {
            0..=4 => {
                let sold = self.sell("u-till").await;
                self.codes.extend(sold.body.pointer("/data/qrCode").map(|code| code.as_str().unwrap().to_owned()));
            }
            5 | 6 => self.redeem().await,
            7 => {
                let sold = self.sell("u-rival").await;
                let order = if sold.status == 200 { "/data/orderId" } else { "/error/details/orderId" };
                self.rival_sales.insert(sold.text(order));
            }
            8 => self.lose_answers_of_the_network().await,
            9 => self.system.set_faults(json!([])).await,
            10 | 11 => {
                let answer = *self.random.pick(&[500, 404, 302, 429, 410]);
                self.random.pick(&self.receivers).answer([answer]);
            }
            12 | 13 => {
                let mut crashing = Box::pin(self.system.local.send_due_webhooks());
                poll_up_to(&mut crashing, self.random.below(60)).await;
            }
            14..=16 => self.deliver().await,
            17 => self.work().await,
            18 => self.clock.advance(self.random.below(4000)),
            19 => {
                let status = *self.random.pick(&["DISABLED", "ENABLED"]);
                self.change(&json!({"status": status})).await;
            }
            20 => {
                let url = *self.random.pick(&[&self.receivers[0].url, &self.receivers[1].url, GONE]);
                self.change(&json!({"url": url})).await;
            }
            21 => self.rotate().await,
            22 => self.create_or_delete_another().await,
            _ => self.retry_or_change_status().await,
        }
    }

    async fn admin(&self) -> Caller<'_> {
        self.system.sign_in("u-admin").await
    }

    /// Whether it is known at once that the sale has succeeded depends on the network.
    async fn sell(&self, user: &str) -> ApiResponse {
        let sale = json!({"value": 100, "deliveryDetails": {"deliveryType": "QR"}, "paymentReference": "receipt-1"});
        let sold = self.system.sign_in(user).await.post(ISSUE, &sale).await;
        assert!(matches!(sold.status, 200 | 504), "{}: {sold:?}", self.case);
        sold
    }

    async fn redeem(&self) {
        let Some(code) = self.codes.last() else { return };
        let body = json!({"qrCode": code, "redeemAmount": 10, "purchaseAmount": 10});
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

    async fn deliver(&mut self) {
        self.system.local.send_due_webhooks().await.unwrap();
        self.take();
    }

    /// All other workers, and an attempt at each message.
    async fn work(&mut self) {
        self.system.drain().await;
        self.take();
    }

    fn take(&mut self) {
        self.received.extend(self.receivers.iter().flat_map(Receiver::take));
    }

    async fn change(&mut self, change: &Value) {
        let changed = self.admin().await.patch(&format!("{WEBHOOKS}/{}", self.id), change).await;
        assert_eq!(changed.status, 200, "{}: {changed:?}", self.case);
        self.secrets.extend(changed.at("/data").get("secret").map(|secret| secret.as_str().unwrap().to_owned()));
    }

    async fn rotate(&mut self) {
        let body = json!({"immediately": self.random.percent(50)});
        let rotated = self.admin().await.post(&format!("{WEBHOOKS}/{}/rotation", self.id), &body).await;
        self.secrets.push(rotated.text("/data/secret"));
    }

    async fn create_or_delete_another(&mut self) {
        let now = self.clock.clock().now().as_second();
        if let Some(last) = self.short_lived.last_mut().filter(|last| last.deleted_at.is_none()) {
            let admin = self.system.sign_in("u-admin").await;
            let deleted = admin.send(Method::DELETE, &format!("{WEBHOOKS}/{}", last.id), None).await;
            assert_eq!(deleted.status, 200, "{}: {deleted:?}", self.case);
            last.deleted_at = Some(now);
            self.clock.advance(1);
        } else {
            let receiver = Receiver::start().await;
            let created = create(&self.admin().await, &receiver.url, &EventType::ALL).await;
            self.short_lived.push(ShortLived { id: created.text("/data/id"), receiver, deleted_at: None });
        }
    }

    async fn retry_or_change_status(&mut self) {
        if self.random.percent(50) {
            let root = self.system.sign_in("u-root").await;
            for status in ["SUSPENDED", "ACTIVE"] {
                let body = json!({"status": status, "reason": "Asked by phone."});
                assert_eq!(root.patch("/api/admin/merchants/m-aurora", &body).await.status, 200, "{}", self.case);
            }
            self.status_changes += 2;
        } else if let Some(delivery) = self.deliveries().await.first() {
            let retry = format!("{WEBHOOKS}/{}/deliveries/{}/retry", self.id, delivery["id"].as_str().unwrap());
            let retried = self.admin().await.send(Method::POST, &retry, None).await;
            assert!(matches!(retried.status, 202 | 409), "{}: {retried:?}", self.case);
        }
    }

    /// Newest first.
    async fn deliveries(&self) -> Vec<Value> {
        let (mut deliveries, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{WEBHOOKS}/{}/deliveries?limit=100&cursor={cursor}", self.id);
            let page = self.admin().await.get(&path).await;
            assert_eq!(page.status, 200, "{}: {page:?}", self.case);
            deliveries.extend(page.at("/data/deliveries").as_array().unwrap().iter().cloned());
            let Some(next) = page.at("/data/next").as_str() else { return deliveries };
            next.clone_into(&mut cursor);
        }
    }

    /// Everything recovers, what is owed is paid, and time passes.
    async fn end(mut self) {
        self.system.set_faults(json!([])).await;
        for receiver in &self.receivers {
            receiver.recover();
        }
        let url = self.receivers[0].url.clone();
        self.change(&json!({"url": url, "status": "ENABLED"})).await;
        self.wait(LONGEST_RETRY).await;
        self.wait(SignedDuration::from_hours(8 * 24)).await;
        let payouts = self.pay().await;
        self.wait(LONGEST_RETRY).await;

        let deliveries = self.deliveries().await;
        self.check_messages(&deliveries);
        self.check_events(&deliveries, &payouts).await;
        self.check_the_others();
    }

    async fn wait(&mut self, time: SignedDuration) {
        const PARTS: i64 = 12;
        for _ in 0..PARTS {
            self.clock.advance(time.as_secs() / PARTS);
            self.work().await;
        }
    }

    /// Returns the ids of the payouts.
    async fn pay(&self) -> BTreeSet<String> {
        let root = self.system.sign_in("u-root").await;
        let start = root.request(Method::POST, "/api/admin/payouts").header("idempotency-key", "run");
        let started = Caller::send_request(start.header("content-type", "application/json").body("{}")).await;
        assert_eq!(started.status, 202, "{}: {started:?}", self.case);
        self.system.drain().await;
        let listed = root.get("/api/admin/payouts").await;
        let payouts = listed.at("/data/payouts").as_array().unwrap();
        for payout in payouts {
            let decided = decide(&self.system.sign_in("u-second").await, id_of(payout), &paid("SEPA 1")).await;
            assert_eq!(decided.status, 200, "{}: {decided:?}", self.case);
        }
        payouts.iter().map(|payout| id_of(payout).to_owned()).collect()
    }

    /// The same bytes at each attempt, signed by a secret of the endpoint; nothing that is nobody's business.
    fn check_messages(&self, deliveries: &[Value]) {
        let case = &self.case;
        let sent: BTreeMap<&str, &Value> =
            deliveries.iter().map(|delivery| (delivery["messageId"].as_str().unwrap(), delivery)).collect();
        assert_eq!(sent.len(), deliveries.len(), "{case}: one delivery for each message");
        let mut bodies = BTreeMap::new();
        for message in &self.received {
            let body = bodies.entry(message.header("webhook-id").to_owned()).or_insert(&message.body);
            assert_eq!(*body, &message.body, "{case}: the same bytes");
            let signatures: usize = self.secrets.iter().map(|secret| message.signatures_by(secret)).sum();
            assert!((1..=2).contains(&signatures), "{case}: {signatures} signatures");
            check_message(&message.json());
            let delivery = sent[message.header("webhook-id")];
            assert_eq!(message.json()["type"], delivery["event"], "{case}");
            let text = String::from_utf8(message.body.to_vec()).unwrap();
            let private = self.codes.iter().map(String::as_str).chain(["@", "whsec_", "Bearer"]);
            private.for_each(|private| assert!(!text.contains(private), "{case}: {text}"));
        }
        for (id, delivery) in sent {
            let arrived = bodies.contains_key(id);
            match delivery["status"].as_str().unwrap() {
                "DELIVERED" => assert!(arrived, "{case}: {delivery}"),
                "FAILED" => {}
                _ => panic!("{case}: {delivery}"),
            }
        }
    }

    /// One message for each event, and none of anything else.
    async fn check_events(&self, deliveries: &[Value], payouts: &BTreeSet<String>) {
        let case = &self.case;
        let admin = self.admin().await;
        let orders = admin.get("/api/bff/merchant-orders?pageSize=50").await;
        let orders = orders.at("/data/orders").as_array().unwrap().iter();
        let sold = orders.filter(|order| order["status"] == "COMPLETED" && order["id"] != "o-sold");
        let sold: BTreeSet<String> = sold.map(|order| order["id"].as_str().unwrap().to_owned()).collect();
        let settlements = admin.get("/api/bff/settlements?take=100").await;
        let of_settlements = |field: &str| -> BTreeSet<String> {
            settlements.at("/rows").as_array().unwrap().iter().map(|row| row[field].as_str().unwrap().to_owned()).collect()
        };
        let count = |event: &str| deliveries.iter().filter(|delivery| delivery["event"] == event).count();
        for (event, field, expected) in [
            ("gift_card.issued", "orderId", sold),
            ("gift_card.redeemed", "redemptionId", of_settlements("redemptionId")),
            ("settlement.created", "id", of_settlements("id")),
            ("payout.paid", "payoutId", payouts.clone()),
        ] {
            assert_eq!(count(event), expected.len(), "{case}: {event}");
            let messages = self.received.iter().map(Received::json).filter(|message| message["type"] == event);
            let told: BTreeSet<String> = messages.map(|message| message["data"][field].as_str().unwrap().to_owned()).collect();
            assert!(told.is_subset(&expected), "{case}: {event}: {told:?}, not {expected:?}");
            let failed = deliveries.iter().filter(|delivery| delivery["event"] == event && delivery["status"] == "FAILED");
            assert!(expected.len() - told.len() <= failed.count(), "{case}: {event}: {told:?} of {expected:?}");
        }
        assert_eq!(count("merchant.status_changed"), self.status_changes, "{case}");
        assert_eq!(count("operation.unknown"), count("operation.resolved"), "{case}: what was unknown is known");
    }

    /// Nothing arrives after a deletion, and another merchant's system hears of that merchant only.
    fn check_the_others(&self) {
        let case = &self.case;
        for ShortLived { receiver, deleted_at, .. } in &self.short_lived {
            for message in receiver.take() {
                assert_eq!(message.json()["merchantId"], "m-aurora", "{case}");
                let sent_at: i64 = message.header("webhook-timestamp").parse().unwrap();
                assert!(deleted_at.is_none_or(|deleted_at| sent_at <= deleted_at), "{case}: sent after the deletion");
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
}
