//! Every behaviour of a merchant's system that receives webhooks.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use reqwest::Method;
use serde_json::{Value, json};

use super::Found;
use super::behaviours::{BEHAVIOURS, Behaviour, JUNK};
use super::memory::PeakMemory;
use super::rogue::{Request, Rogue, Trap};
use crate::effort::Effort;
use crate::system::{Answer, System};

/// An attempt ends after ten seconds, and others wait for a worker meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);
const MAX_MEMORY: u64 = 96 * 1024 * 1024;
/// The time that an attempt can take, in milliseconds, with what a busy machine adds.
const MAX_MILLISECONDS: u64 = 13_000;

fn fixtures() -> Value {
    super::fixtures("w", BEHAVIOURS.len(), &json!({"status": "ACTIVE", "name": "W", "currency": "SEK"}))
}

fn choose(request: &Request) -> (Option<&'static Behaviour>, Value) {
    let index: Option<usize> = request.path.trim_start_matches('/').parse().ok();
    (index.and_then(|index| BEHAVIOURS.get(index)), json!({"received": true}))
}

/// An endpoint, and who owns it.
struct Endpoint {
    token: String,
    id: String,
}

async fn call(system: &System, token: &str, method: Method, path: &str, body: &Value) -> Answer {
    let request = system.request(method, path).bearer_auth(token).header("content-type", "application/json");
    system.send(request.body(body.to_string())).await.unwrap()
}

impl Endpoint {
    async fn create(system: &System, index: usize, receiver: &str) -> Self {
        let token = system.sign_in(&format!("u-{index}")).await;
        let body = json!({"url": format!("{receiver}/{index}"), "events": ["gift_card.issued"]});
        let created = call(system, &token, Method::POST, "/api/bff/webhooks", &body).await;
        let id = created.json()["data"]["id"].as_str().unwrap_or_else(|| panic!("{}", created.json())).to_owned();
        Self { token, id }
    }

    /// Asks for a test message. A busy machine may need several requests.
    async fn test(&self, system: &System) {
        let path = format!("/api/bff/webhooks/{}/test", self.id);
        for _ in 0..5 {
            let answer = call(system, &self.token, Method::POST, &path, &json!({"event": "gift_card.issued"})).await;
            if answer.status == 202 {
                return;
            }
        }
    }

    /// The delivery of the test.
    async fn delivery(&self, system: &System) -> Value {
        let path = format!("/api/bff/webhooks/{}/deliveries", self.id);
        call(system, &self.token, Method::GET, &path, &Value::Null).await.json()["data"]["deliveries"][0].clone()
    }
}

/// The words in which an attempt may have failed: none of them is the receiver's.
fn is_known(error: &str) -> bool {
    const WORDS: [&str; 6] = [
        "no answer within 10 seconds",
        "redirects are not followed",
        "no connection within 5 seconds",
        "no connection",
        "the connection was closed without an answer",
        "the certificate or TLS is not valid",
    ];
    let status = error.strip_prefix("status ").and_then(|status| status.parse::<u16>().ok());
    WORDS.contains(&error) || status.is_some_and(|status| (100..1000).contains(&status))
}

pub(super) async fn attack(effort: Effort, found: &Found) -> Vec<(usize, &'static str)> {
    let trap = Trap::start().await;
    let receiver = Rogue::start(&trap, choose).await;
    let system = System::start(&fixtures()).await;
    let peak = PeakMemory::begin();
    let mut endpoints = Vec::new();
    for (index, behaviour) in BEHAVIOURS.iter().enumerate().step_by(effort.choose(3, 1)) {
        endpoints.push((Endpoint::create(&system, index, &receiver.url).await, behaviour));
    }
    stream::iter(&endpoints).for_each_concurrent(4, |(endpoint, _)| endpoint.test(&system)).await;

    let begun = Instant::now();
    for (endpoint, behaviour) in &endpoints {
        let delivery = loop {
            let delivery = endpoint.delivery(&system).await;
            if delivery["attempts"].as_array().is_some_and(|attempts| !attempts.is_empty()) || begun.elapsed() > PATIENCE {
                break delivery;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        };
        check(behaviour, &delivery, found);
    }
    found.note_peak(peak.used());
    if peak.used() > MAX_MEMORY {
        found.add(format!("answers of receivers took {} MB of memory", peak.used() / 1024 / 1024));
    }

    receiver.is_honest.store(true, Ordering::Relaxed);
    system.send(system.request(Method::POST, "/__local/drain")).await.unwrap();
    for (endpoint, behaviour) in &endpoints {
        let delivery = endpoint.delivery(&system).await;
        if delivery["status"] != "DELIVERED" {
            found.add(format!("a receiver that recovered: {}: {delivery}", behaviour.name));
        }
    }
    if trap.connections() > 0 {
        found.add(format!("{} redirects of receivers were followed", trap.connections()));
    }
    vec![(endpoints.len(), "behaviours of receivers")]
}

fn check(behaviour: &Behaviour, delivery: &Value, found: &Found) {
    let attempt = &delivery["attempts"][0];
    let status = attempt["status"].as_u64();
    let succeeded = status.is_some_and(|status| (200..300).contains(&status));
    let is_right = match attempt["error"].as_str() {
        Some(error) => is_known(error) && !succeeded,
        None => attempt["at"].is_string() && succeeded,
    };
    let is_in_time = attempt["milliseconds"].as_u64().is_some_and(|milliseconds| milliseconds <= MAX_MILLISECONDS);
    if !is_right || !is_in_time || delivery.to_string().contains(JUNK) {
        found.add(format!("a receiver: {}: {delivery}", behaviour.name));
    }
}
