//! Every behaviour of a merchant's system that receives webhooks.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use world::{Caller, System};

use super::PeakMemory;
use super::behaviours::{BEHAVIOURS, Behaviour, JUNK};
use super::rogue::{Request, Rogue};
use crate::Effort;
use crate::report::Report;

/// An attempt ends after ten seconds, and others wait for a worker meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);
/// The time that an attempt can take, in milliseconds, with what a busy machine adds.
const MAX_MILLISECONDS: u64 = 13_000;

/// The words in which an attempt may have failed, beside a status: none of them is the receiver's.
const ERRORS: [&str; 6] = [
    "no answer within 10 seconds",
    "redirects are not followed",
    "no connection within 5 seconds",
    "no connection",
    "the connection was closed without an answer",
    "the certificate or TLS is not valid",
];

fn choose(request: &Request) -> (Option<&'static Behaviour>, Value) {
    let index: Option<usize> = request.path.trim_start_matches('/').parse().ok();
    (index.and_then(|index| BEHAVIOURS.get(index)), json!({"received": true}))
}

/// An endpoint, and who owns it.
struct Endpoint {
    owner: Caller,
    path: String,
}

impl Endpoint {
    async fn create(system: &System, index: usize, receiver: &str) -> Self {
        let owner = system.sign_in(&format!("u-{index}")).await;
        let endpoint = json!({"url": format!("{receiver}/{index}"), "events": ["gift_card.issued"]});
        let created = owner.post("/api/bff/webhooks", &endpoint).await.text("/data/id");
        Self { owner, path: format!("/api/bff/webhooks/{created}") }
    }

    /// Asks for a test message. A busy machine may need several requests.
    async fn test(&self) {
        for _ in 0..5 {
            let asked = self.owner.post(&format!("{}/test", self.path), &json!({"event": "gift_card.issued"})).await;
            if asked.status == 202 {
                return;
            }
        }
    }

    /// The delivery of the test.
    async fn delivery(&self) -> Value {
        self.owner.get(&format!("{}/deliveries", self.path)).await.at("/data/deliveries/0").clone()
    }
}

pub(super) async fn attack(effort: Effort, report: &Report) {
    let receiver = Rogue::start(choose).await;
    let system = System::with_fixtures(&super::fixtures("w", BEHAVIOURS.len(), &json!({}))).await;
    let memory = PeakMemory::begin();
    let mut endpoints = Vec::new();
    for (index, behaviour) in BEHAVIOURS.iter().enumerate().step_by(effort.choose(3, 1)) {
        endpoints.push((Endpoint::create(&system, index, &receiver.url).await, behaviour));
    }
    stream::iter(&endpoints).for_each_concurrent(4, |(endpoint, _)| endpoint.test()).await;

    let begun = Instant::now();
    for (endpoint, behaviour) in &endpoints {
        let delivery = loop {
            let delivery = endpoint.delivery().await;
            if delivery["attempts"].as_array().is_some_and(|attempts| !attempts.is_empty()) || begun.elapsed() > PATIENCE {
                break delivery;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        };
        check(behaviour, &delivery, report);
    }
    memory.check("answers of receivers", report);

    receiver.reform();
    system.drain().await;
    for (endpoint, behaviour) in &endpoints {
        let delivery = endpoint.delivery().await;
        if delivery["status"] != "DELIVERED" {
            report.breach(format!("a receiver that recovered: {}: {delivery}", behaviour.name));
        }
    }
    receiver.check_trap(report);
    report.count(endpoints.len(), "behaviours of receivers");
}

fn check(behaviour: &Behaviour, delivery: &Value, report: &Report) {
    let attempt = &delivery["attempts"][0];
    let succeeded = attempt["status"].as_u64().is_some_and(|status| (200..300).contains(&status));
    let is_right = match attempt["error"].as_str() {
        Some(error) => {
            let status = error.strip_prefix("status ").and_then(|status| status.parse::<u16>().ok());
            let is_known = ERRORS.contains(&error) || status.is_some_and(|status| (100..1000).contains(&status));
            is_known && !succeeded
        }
        None => attempt["at"].is_string() && succeeded,
    };
    let is_in_time = attempt["milliseconds"].as_u64().is_some_and(|milliseconds| milliseconds <= MAX_MILLISECONDS);
    if !is_right || !is_in_time || delivery.to_string().contains(JUNK) {
        report.breach(format!("a receiver: {}: {delivery}", behaviour.name));
    }
}
