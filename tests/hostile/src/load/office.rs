//! Two platform administrators: one starts payout runs, the other decides the payouts.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use super::fixtures::PLATFORM_ADMINISTRATORS;
use super::shift::{POLL_INTERVAL, Session, Shift, is_success};

const PAYOUTS: &str = "/api/admin/payouts";
/// One in this many payouts is cancelled.
const CANCELLED_EVERY: usize = 5;

pub(super) async fn run(shift: Shift, every: Duration) {
    let mut decided = 0;
    for run in 0.. {
        if !shift.wait_until(shift.elapsed() + every).await {
            return;
        }
        pay(&shift, run, &mut decided).await;
    }
}

async fn pay(shift: &Shift, run: usize, decided: &mut usize) {
    let [first, second] = PLATFORM_ADMINISTRATORS;
    // Changes need a sign-in of the last minutes.
    let (first, second) = (shift.signed_in(first).await, shift.signed_in(second).await);
    let started = first.repeat(Method::POST, PAYOUTS, Some(&format!("run-{run}")), &json!({})).await;
    let Some(id) = started.at("/data/runId").as_str() else {
        return shift.unexplained_error(format!("a payout run: {started:?}"));
    };
    while !is_done(&first, id).await {
        if shift.has_ended() {
            return;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    let Some(listed) = first.read("others", &format!("{PAYOUTS}?runId={id}")).await else { return };
    for payout in listed.list("/data/payouts").iter().filter(|payout| payout["status"] == "IN_BATCH") {
        *decided += 1;
        let decision = match *decided % CANCELLED_EVERY {
            0 => json!({"status": "CANCELLED", "reason": "Load"}),
            _ => json!({"status": "PAID", "reference": format!("transfer-{decided}")}),
        };
        let path = format!("{PAYOUTS}/{}", payout["id"].as_str().unwrap());
        let answer = second.repeat(Method::PATCH, &path, None, &decision).await;
        if !is_success(&answer) {
            shift.unexplained_error(format!("the decision about {payout}: {answer:?}"));
        }
    }
}

async fn is_done(administrator: &Session, run: &str) -> bool {
    let answer = administrator.request("others", Method::GET, &format!("{PAYOUTS}/runs/{run}"), None, None).await;
    // It is 404 until a worker has begun with it.
    answer.is_some_and(|answer| answer.at("/data/status") == "DONE")
}
