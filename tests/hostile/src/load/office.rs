//! Two platform administrators: one starts payout runs, the other decides the payouts.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::fixtures::PLATFORM_ADMINISTRATORS;
use super::shift::{Answer, Session, Shift};

const PAYOUTS: &str = "/api/admin/payouts";
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// One in this many payouts is cancelled.
const CANCELLED_EVERY: usize = 5;

pub(super) struct Office {
    shift: Shift,
    every: Duration,
    decided: usize,
}

impl Office {
    pub(super) fn open(shift: &Shift, every: Duration) -> Self {
        Self { shift: shift.clone(), every, decided: 0 }
    }

    pub(super) async fn run(mut self) {
        let mut next = self.every;
        for run in 0.. {
            while self.shift.elapsed() < next {
                if self.shift.has_ended() {
                    return;
                }
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            self.pay(run).await;
            next = self.shift.elapsed() + self.every;
        }
    }

    async fn pay(&mut self, run: usize) {
        let [first, second] = PLATFORM_ADMINISTRATORS;
        // Changes need a sign-in of the last minutes.
        let (first, second) = (self.shift.signed_in(first).await, self.shift.signed_in(second).await);
        let key = format!("run-{run}");
        let started = self.until_answered(&first, Method::POST, PAYOUTS, &[("idempotency-key", &key)], &json!({})).await;
        let Some(id) = started.at("/data/runId").as_str().map(str::to_owned) else {
            return self.shift.unexplained_error(format!("a payout run: {started:?}"));
        };
        while !self.is_done(&first, &id).await {
            if self.shift.has_ended() {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let Some(listed) = first.read("others", &format!("{PAYOUTS}?runId={id}")).await else { return };
        for payout in listed.at("/data/payouts").as_array().into_iter().flatten() {
            if payout["status"] == "IN_BATCH" {
                self.decide(&second, payout["id"].as_str().unwrap()).await;
            }
        }
    }

    async fn is_done(&self, administrator: &Session, run: &str) -> bool {
        let answer = administrator.request("others", Method::GET, &format!("{PAYOUTS}/runs/{run}"), &[], None).await;
        // It is 404 until a worker has begun with it.
        answer.is_some_and(|answer| answer.at("/data/status") == "DONE")
    }

    async fn decide(&mut self, administrator: &Session, payout: &str) {
        self.decided += 1;
        let body = match self.decided % CANCELLED_EVERY {
            0 => json!({"status": "CANCELLED", "reason": "Load"}),
            _ => json!({"status": "PAID", "reference": format!("transfer-{}", self.decided)}),
        };
        let decided = self.until_answered(administrator, Method::PATCH, &format!("{PAYOUTS}/{payout}"), &[], &body).await;
        if !decided.is_success() {
            self.shift.unexplained_error(format!("the decision about {payout}: {decided:?}"));
        }
    }

    /// Repeats a request that a kill has left without a response: all of these can be repeated.
    async fn until_answered(
        &self,
        administrator: &Session,
        method: Method,
        path: &str,
        headers: &[(&'static str, &str)],
        body: &Value,
    ) -> Answer {
        loop {
            if let Some(answer) = administrator.request("others", method.clone(), path, headers, Some(body)).await {
                return answer;
            }
        }
    }
}
