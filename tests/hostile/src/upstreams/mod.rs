//! Upstreams that send anything: the card network, the verifier, and the systems of merchants that receive webhooks.

mod behaviours;
mod decisions;
mod flows;
mod memory;
mod network;
mod receivers;
mod rogue;
mod verifier;

use std::sync::Mutex;
use std::time::Duration;

use behaviours::Truth;
use serde_json::{Value, json};

use crate::effort::Effort;
use crate::report::Report;

/// The key of the card network. It appears in no answer.
const API_KEY: &str = "KEY-of-the-network-0b7d41c6";

/// API Gateway waits no longer for a function.
const MAX_TIME: Duration = Duration::from_secs(15);

/// What broke.
#[derive(Default)]
struct Found {
    breaches: Mutex<Vec<String>>,
    /// Operations whose outcome was unknown: the cell, the caller, the reference, and what is true.
    open: Mutex<Vec<(String, String, String, Truth)>>,
    /// In bytes.
    peak: Mutex<u64>,
}

impl Found {
    fn add(&self, what: String) {
        self.breaches.lock().unwrap().push(what);
    }

    fn note_peak(&self, bytes: u64) {
        let mut peak = self.peak.lock().unwrap();
        *peak = bytes.max(*peak);
    }
}

pub(crate) async fn run(effort: Effort) -> Report {
    let mut report = Report::new("breaches");
    let found = Found::default();
    let mut counts = Box::pin(network::attack(effort, &found)).await;
    counts.extend(Box::pin(flows::attack(effort, &found)).await);
    counts.extend(Box::pin(verifier::attack(&found)).await);
    counts.extend(Box::pin(decisions::attack(&found)).await);
    counts.extend(Box::pin(receivers::attack(effort, &found)).await);
    for (count, what) in counts {
        report.count(count, what);
    }
    report.figure(format!("{} MB at most", found.peak.into_inner().unwrap() / 1024 / 1024));
    for breach in found.breaches.into_inner().unwrap() {
        report.breach(breach);
    }
    report
}

/// So many merchants with these fields, each with an administrator: `w-0` and `u-0` for the letter `w`.
fn fixtures(letter: &str, count: usize, fields: &Value) -> Value {
    let merchant = |i| {
        let id = format!("{letter}-{i}");
        let mut merchant = fields.clone();
        merchant["id"] = json!(id);
        merchant["slug"] = json!(id);
        merchant["brand"] = json!({"logoUrl": format!("https://{letter}.example/l.png")});
        merchant
    };
    let user = |i| {
        json!({
            "id": format!("u-{i}"), "email": format!("{letter}{i}@{letter}.example"), "emailVerified": true,
            "merchantId": format!("{letter}-{i}"), "merchantTeamRole": "ADMIN",
        })
    };
    let merchants: Vec<Value> = (0..count).map(merchant).collect();
    let users: Vec<Value> = (0..count).map(user).collect();
    json!({"merchants": merchants, "users": users})
}
