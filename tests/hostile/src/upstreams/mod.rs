//! Upstreams that send anything: the card network, the verifier, and the systems of merchants that receive webhooks.

mod behaviours;
mod network;
mod receivers;
mod rogue;
mod verifier;

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use world::shop::{member, merchant, with};

use crate::Effort;
use crate::report::Report;

/// API Gateway waits no longer for a function.
const MAX_TIME: Duration = Duration::from_secs(15);
/// More than the largest body that is accepted, with what is made of it.
const MAX_MEMORY: u64 = 96 * MEBIBYTE;
const MEBIBYTE: u64 = 1024 * 1024;

/// The most memory that was used, in bytes.
static LARGEST: AtomicU64 = AtomicU64::new(0);

pub(crate) async fn run(effort: Effort) -> Report {
    let report = Report::new("breaches");
    Box::pin(network::attack(effort, &report)).await;
    Box::pin(verifier::attack(&report)).await;
    Box::pin(receivers::attack(effort, &report)).await;
    report.figure(format!("{} MB at most", LARGEST.load(Ordering::Relaxed) / MEBIBYTE));
    report
}

/// The memory that this process takes for something. Linux only.
struct PeakMemory {
    /// In bytes.
    before: u64,
}

impl PeakMemory {
    fn begin() -> Self {
        // Sets the peak to what is used now.
        let _ = fs::write("/proc/self/clear_refs", "5");
        Self { before: memory("VmRSS:") }
    }

    /// Checks the most memory since the beginning, beyond what was used then.
    fn check(&self, what: &str, report: &Report) {
        let used = memory("VmHWM:").saturating_sub(self.before);
        LARGEST.fetch_max(used, Ordering::Relaxed);
        if used > MAX_MEMORY {
            report.breach(format!("{what}: {} MB of memory", used / MEBIBYTE));
        }
    }
}

/// In bytes.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1024
}

/// So many merchants with these fields, each with an administrator: `w-0` and `u-0` for the letter `w`.
fn fixtures(letter: &str, count: usize, fields: &Value) -> Value {
    let fields = with(json!({"networkMerchantId": null}), fields);
    let merchants = (0..count).map(|number| merchant(&format!("{letter}-{number}"), "", "SEK", &fields));
    let users = (0..count).map(|number| {
        let id = format!("{letter}-{number}");
        member(&format!("u-{number}"), &id, &json!({"email": format!("{id}@{letter}.example"), "emailVerified": true}))
    });
    json!({"merchants": merchants.collect::<Vec<_>>(), "users": users.collect::<Vec<_>>()})
}
