//! Random histories of a merchant: one to three concurrent invocations at a time, with random faults, crashes and delays.
//! Once all operations are closed, the records must match.
//!
//! With `MONEY_PROXY=reset`, connections to the card network die once they are idle.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use http::StatusCode;
use serde_json::Value;
use tokio::task::JoinSet;
use upstreams::faults::{Call, FaultKind, Hold, HoldHandle, Target};
use upstreams::simulators::card_network::OperationKind;
use world::{Counts, Histories, SeededRandom};

use crate::dead_connections::Death;
use crate::harness::{Harness, Outcome, PosRequest, RECONCILIATION, Response, TestMerchant, Till, is_lookup, moves_money};
use crate::reconciliation::Records;

/// The faults of one invocation.
struct FaultPlan {
    /// The probability of a fault per call, in percent.
    fault_percent: u64,
    latency: Latency,
    crash: Option<Hold>,
    random: SeededRandom,
}

/// The latency of the card network relative to the invocation's deadline.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Latency {
    #[default]
    Normal,
    /// The call that moves money times out.
    Timeout,
    /// As `Timeout`, shortly before the deadline.
    DeadlineNear,
    /// The call that moves money has timed out.
    TimedOut,
}

/// Calls that arrive at the card network when the test releases them.
type HeldCalls = Arc<Mutex<Vec<HoldHandle>>>;

impl FaultPlan {
    fn fault(&mut self, call: Call<'_>, advance_clock: impl Fn(i64), held_calls: &HeldCalls) -> Option<FaultKind> {
        let (moves_money, is_lookup) = (moves_money(call), is_lookup(call));
        match self.latency {
            // Shortens the timeout that the test waits for.
            Latency::Timeout if call.operation == "TransactWriteItems" => {
                advance_clock(11_470);
                self.latency = Latency::DeadlineNear;
            }
            Latency::DeadlineNear if moves_money => {
                advance_clock(1_500);
                self.latency = Latency::TimedOut;
                return Some(self.timeout(held_calls));
            }
            Latency::TimedOut if is_lookup => return Some(FaultKind::Timeout),
            _ => {}
        }
        if !self.random.percent(self.fault_percent) {
            return None;
        }
        if let Some(crash) = self.crash.take_if(|_| self.random.percent(25)) {
            let crash = FaultKind::Hold(crash);
            return Some(if self.random.percent(50) { crash } else { FaultKind::OnReply(Box::new(crash)) });
        }
        if self.random.percent(10) {
            advance_clock(self.random.below(9_000));
            return None;
        }
        Some(match call.target {
            Target::CardNetwork => self.network_fault(moves_money || is_lookup),
            _ => self.aws_fault(),
        })
    }

    fn timeout(&mut self, held_calls: &HeldCalls) -> FaultKind {
        match self.random.below(3) {
            0 => FaultKind::Timeout,
            1 => FaultKind::OnReply(Box::new(FaultKind::Timeout)),
            _ => {
                let (hold, held) = Hold::new();
                held_calls.lock().unwrap().push(held);
                FaultKind::Hold(hold)
            }
        }
    }

    /// Returns a fault that does not misreport an outcome: after it has executed a call, the card network never answers what says that
    /// it has not.
    fn network_fault(&mut self, has_effect: bool) -> FaultKind {
        let status = |status: u16| FaultKind::Status(StatusCode::from_u16(status).unwrap());
        let body = |text: &str| FaultKind::Body(text.to_owned());
        let fault = match self.random.below(16) {
            0 => FaultKind::Drop,
            1 => status(500),
            2 => status(503),
            3 => status(408),
            4 => body("<html>busy</html>"),
            5 => body(r#"{"code": "UNAVAILABLE", "message": "not now"}"#),
            6 => body(r#"{"transactionId": "t-1", "qrCode": "#),
            7 => body(""),
            8 => FaultKind::OnReply(Box::new(FaultKind::Drop)),
            9 => FaultKind::OnReply(Box::new(status(503))),
            10 => FaultKind::OnReply(Box::new(body("<html>busy</html>"))),
            11 => FaultKind::Throttle,
            12 => status(422),
            13 => status(401),
            14 => FaultKind::OnReply(Box::new(status(401))),
            _ => FaultKind::OnReply(Box::new(FaultKind::Throttle)),
        };
        if has_effect { fault } else { FaultKind::Drop }
    }

    fn aws_fault(&mut self) -> FaultKind {
        match self.random.below(4) {
            0 => FaultKind::Throttle,
            1 => FaultKind::Drop,
            2 => FaultKind::Status(StatusCode::INTERNAL_SERVER_ERROR),
            _ => FaultKind::After,
        }
    }
}

/// A request and the responses to each time it was sent.
struct Exchange {
    request: PosRequest,
    /// How often it was sent, with a response or without.
    sent: usize,
    responses: Vec<Response>,
    /// Whether a cancellation was sent, with a response or without.
    is_cancelled: bool,
    cancellations: Vec<Response>,
}

/// An invocation to start.
#[derive(Clone, Copy)]
enum Actor {
    /// The indexes of the till and of the exchange whose request it sends.
    Till {
        till: usize,
        exchange: usize,
    },
    /// As `Till`, but closes the key of the request.
    Cancel {
        till: usize,
        exchange: usize,
    },
    Sweep,
}

impl InvocationEnd {
    /// What it is counted as.
    fn name(&self) -> &'static str {
        match self {
            Self::Responded(_, response) => match response.outcome() {
                Outcome::Succeeded => "succeeded",
                Outcome::Refused => "refused",
                Outcome::Failed => "failed",
                Outcome::Open => "open",
                Outcome::Rejected => "rejected",
            },
            Self::Cancelled(_, response) if response.is_cancelled() => "cancelled, nothing found",
            Self::Cancelled(_, response) if response.status == 200 => "cancelled, an operation found",
            Self::Cancelled(..) => "rejected",
            Self::Swept => "sweeps",
            Self::Crashed => "crashed",
        }
    }
}

/// How an invocation ended.
enum InvocationEnd {
    /// The index of the exchange, and the response.
    Responded(usize, Response),
    /// The same for a cancellation.
    Cancelled(usize, Response),
    Swept,
    Crashed,
}

type Invocation = Pin<Box<dyn Future<Output = InvocationEnd> + Send>>;

struct History<'a> {
    harness: &'a Harness,
    merchant: TestMerchant,
    random: SeededRandom,
    token: String,
    tills: Vec<Till>,
    exchanges: Vec<Exchange>,
    held_calls: HeldCalls,
    counts: Counts,
}

impl<'a> History<'a> {
    async fn new(harness: &'a Harness, seed: u64) -> Self {
        let merchant = harness.merchant().await;
        let token = harness.sign_in(&merchant).await;
        Self {
            harness,
            merchant,
            random: SeededRandom::new(seed),
            tills: tills(harness, &token),
            token,
            exchanges: Vec::new(),
            held_calls: HeldCalls::default(),
            counts: Counts::default(),
        }
    }

    async fn run(mut self) -> Result<Counts, String> {
        for _ in 0..3 + self.random.below(5) {
            match self.random.below(10) {
                0..6 => self.invoke(1).await,
                6 | 7 => {
                    let actors = 2 + self.random.below(2);
                    self.invoke(actors).await;
                }
                8 => self.release_held_call(),
                _ => {
                    let milliseconds = *self.random.pick(&[1_000, 6_000, 25_000, 120_000]);
                    self.harness.clock.advance_milliseconds(milliseconds);
                }
            }
        }
        self.check().await
    }

    /// Runs this number of invocations concurrently.
    async fn invoke(&mut self, actors: i64) {
        let actors: Vec<Actor> = (0..actors).map(|till| self.actor(usize::try_from(till).unwrap())).collect();
        let mut plans = HashMap::new();
        let mut running = JoinSet::new();
        for actor in actors {
            match actor {
                Actor::Till { exchange, .. } => self.exchanges[exchange].sent += 1,
                Actor::Cancel { exchange, .. } => self.exchanges[exchange].is_cancelled = true,
                Actor::Sweep => {}
            }
            let (name, invocation) = self.invocation(actor);
            let (crash, mut held) = Hold::new();
            plans.insert(name, self.fault_plan(crash));
            running.spawn(async move {
                tokio::select! {
                    end = invocation => end,
                    () = held.reached() => InvocationEnd::Crashed,
                }
            });
        }
        self.inject_faults(plans);
        while let Some(end) = running.join_next().await {
            let end = end.unwrap();
            self.counts.add(end.name(), 1);
            match end {
                InvocationEnd::Responded(exchange, response) => {
                    self.exchanges[exchange].responses.push(response);
                }
                InvocationEnd::Cancelled(exchange, response) => {
                    self.exchanges[exchange].cancellations.push(response);
                }
                InvocationEnd::Swept | InvocationEnd::Crashed => {}
            }
        }
        self.harness.clear_faults();
        if self.random.percent(20) {
            self.replace_instances();
        }
    }

    /// Returns the invocation with the name that its upstream calls carry.
    fn invocation(&self, actor: Actor) -> (String, Invocation) {
        match actor {
            Actor::Sweep => {
                let sweep = self.harness.sweep("sweep");
                let swept = async move {
                    // The sweep fails if it cannot read its index. The next one retries.
                    drop(sweep.await);
                    InvocationEnd::Swept
                };
                ("sweep".to_owned(), Box::pin(swept))
            }
            Actor::Till { till, exchange } => {
                let response = self.tills[till].send(&self.exchanges[exchange].request);
                let responded = async move { InvocationEnd::Responded(exchange, response.await) };
                (till_name(till), Box::pin(responded))
            }
            Actor::Cancel { till, exchange } => {
                let response = self.tills[till].cancel(&self.exchanges[exchange].request);
                let responded = async move { InvocationEnd::Cancelled(exchange, response.await) };
                (till_name(till), Box::pin(responded))
            }
        }
    }

    fn actor(&mut self, till: usize) -> Actor {
        let count = self.exchanges.len();
        if self.random.percent(15) {
            return Actor::Sweep;
        }
        if count > 0 && self.random.percent(45) {
            // Repeats a recent request, which may still be running.
            let back = usize::try_from(self.random.below(3)).unwrap().min(count - 1);
            return self.cancel_or_send(till, count - 1 - back);
        }
        let request = self.request(&format!("request-{count}"));
        let (responses, cancellations) = (Vec::new(), Vec::new());
        self.exchanges.push(Exchange { request, sent: 0, responses, is_cancelled: false, cancellations });
        if self.random.percent(5) {
            // The cancellation overtakes the request.
            return self.cancel_or_send(till, count);
        }
        Actor::Till { till, exchange: count }
    }

    fn cancel_or_send(&mut self, till: usize, exchange: usize) -> Actor {
        let has_key = self.exchanges[exchange].request.idempotency_key.is_some();
        let cancels = has_key && self.random.percent(30);
        if cancels { Actor::Cancel { till, exchange } } else { Actor::Till { till, exchange } }
    }

    fn request(&mut self, label: &str) -> PosRequest {
        let redeemed = self.redemptions();
        let request = if !redeemed.is_empty() && self.random.percent(25) {
            // Often more than is left to give back.
            PosRequest::giving_back(label, self.random.pick::<String>(&redeemed), 1 + self.random.below(4_000))
        } else if self.random.percent(40) {
            PosRequest::sale(label, 100 + self.random.below(50_000))
        } else {
            let amount = 1 + self.random.below(6_000);
            let cards: Vec<String> = self.merchant.cards.iter().cloned().chain(self.sold_cards()).collect();
            PosRequest::redemption(label, self.random.pick::<String>(&cards), amount)
        };
        if self.random.percent(75) { request.with_idempotency_key() } else { request }
    }

    /// Returns the codes of the cards that the network has issued. It mails a card before the portal knows of its sale.
    fn sold_cards(&self) -> impl Iterator<Item = String> {
        let issued = self.harness.network.operations().into_iter().filter(|operation| {
            operation.kind == OperationKind::Issue && operation.merchant_id.as_ref() == Some(&self.merchant.network_id)
        });
        issued.filter_map(|operation| operation.qr_code)
    }

    /// Returns the ids of redemptions that responses have named, whatever became of them.
    fn redemptions(&self) -> Vec<String> {
        let responses = self.exchanges.iter().flat_map(|exchange| &exchange.responses);
        let ids = responses
            .filter_map(|response| response.body.get("redemptionId").or(Some(response.detail("redemptionId")))?.as_str());
        ids.map(str::to_owned).collect()
    }

    fn fault_plan(&mut self, crash: Hold) -> FaultPlan {
        let fault_percent = *self.random.pick(&[0, 0, 5, 15, 30]);
        let latency = if self.random.percent(6) { Latency::Timeout } else { Latency::Normal };
        FaultPlan { fault_percent, latency, crash: Some(crash), random: self.random.fork() }
    }

    fn inject_faults(&self, mut plans: HashMap<String, FaultPlan>) {
        let (clock, held_calls) = (self.harness.clock.clone(), self.held_calls.clone());
        self.harness.faults.decide(move |call| {
            let caller = call.application().or(call.request_id()).unwrap_or_default();
            let advance_clock = |milliseconds| clock.advance_milliseconds(milliseconds);
            plans.get_mut(caller)?.fault(call, advance_clock, &held_calls)
        });
    }

    fn release_held_call(&mut self) {
        if let Some(held) = self.held_calls.lock().unwrap().pop() {
            held.release();
        }
    }

    /// Gives each till a new instance of the POS function.
    fn replace_instances(&mut self) {
        self.tills = tills(self.harness, &self.token);
    }

    async fn check(mut self) -> Result<Counts, String> {
        for held in self.held_calls.lock().unwrap().drain(..) {
            held.release();
        }
        self.harness.sweep_until_idle().await;
        Records::read(self.harness, &self.merchant).await.reconcile(&self.merchant)?;
        self.token = self.harness.sign_in(&self.merchant).await;
        let till = self.harness.till_with_token(RECONCILIATION, self.token.clone());
        let keyed = self.exchanges.iter_mut().filter(|exchange| exchange.request.idempotency_key.is_some());
        for exchange in keyed {
            exchange.sent += 1;
            exchange.responses.push(till.send(&exchange.request).await);
        }
        let records = Records::read(self.harness, &self.merchant).await;
        records.reconcile(&self.merchant)?;
        records.reconcile_balances(self.harness, &self.merchant).await?;
        records.reconcile_histories(self.harness, &self.merchant).await?;
        records.reconcile_outstanding(self.harness, &self.merchant).await?;
        self.exchanges.iter().try_for_each(|exchange| exchange.check(&records))?;
        Ok(self.counts)
    }
}

fn tills(harness: &Harness, token: &str) -> Vec<Till> {
    (0..3).map(|till| harness.till_with_token(&till_name(till), token.to_owned())).collect()
}

fn till_name(till: usize) -> String {
    format!("till-{till}")
}

impl Exchange {
    /// Checks that the responses match the records, and that an idempotency key has a single final response.
    fn check(&self, records: &Records) -> Result<(), String> {
        let with_outcome = |outcome| self.responses.iter().filter(move |response| response.outcome() == outcome);
        let successes = records.successes(&self.request.label);
        let error = |what: &str| Err(format!("{what}: {successes} successes of {:?}: {:?}", self.request, self.responses));
        if let Some(response) = self.responses.iter().find(|response| !response.is_documented()) {
            return error(&format!("undocumented response {response:?}"));
        }
        if self.request.idempotency_key.is_none() {
            let reported = with_outcome(Outcome::Succeeded).count();
            let moved_nothing = self.responses.iter().filter(|response| response.money_moved() == "no").count();
            let is_possible = (reported..=self.sent - moved_nothing).contains(&successes);
            return if is_possible { Ok(()) } else { error("too few successes, or too many") };
        }
        for response in self.responses.iter().chain(&self.cancellations) {
            let is_true = match response.money_moved() {
                "yes" => successes == 1,
                "no" => successes == 0,
                "not-yet" | "unknown" => true,
                _ => false,
            };
            if !is_true {
                return error(&format!("a lie: {response:?}"));
            }
        }
        let last = self.responses.last().map(Response::money_moved);
        let final_responses: Vec<(u16, &Value)> = with_outcome(Outcome::Succeeded)
            .chain(with_outcome(Outcome::Refused))
            .map(|response| (response.status, &response.body))
            .collect();
        let was_closed = self.cancellations.iter().any(|response| response.status == 200);
        if was_closed && last != Some("yes") && last != Some("no") {
            return error("a closed key whose money is not certain");
        }
        if self.is_cancelled && final_responses.is_empty() && last == Some("no") {
            return Ok(());
        }
        let gives_back = self.request.body.get("refundOf").is_some();
        if gives_back && final_responses.is_empty() && self.responses.last().is_some_and(Response::is_no_return) {
            return if successes == 0 { Ok(()) } else { error("a refused return was made") };
        }
        if final_responses.is_empty() || final_responses.iter().any(|other| *other != final_responses[0]) {
            return error("expected one final response");
        }
        let reported = usize::from(final_responses[0].0 == 200);
        if successes == reported { Ok(()) } else { error("the response does not match the records") }
    }
}

impl Response {
    fn code(&self) -> &str {
        let code = self.body.pointer("/error/code").or(self.body.get("code"));
        code.and_then(Value::as_str).unwrap_or_default()
    }

    fn is_cancelled(&self) -> bool {
        self.body.pointer("/data/status").is_some_and(|status| status == "CANCELLED")
    }

    fn is_documented(&self) -> bool {
        let has_retry_after = self.header("retry-after").is_some();
        match self.status {
            400 => self.is_no_return(),
            200 | 401 | 404 | 408 | 422 | 500 | 502 | 503 | 504 => true,
            409 => has_retry_after || self.detail("code") == "REFERENCE_FENCED" || self.code() == "CANCELLED",
            // One that is final stays so, whenever it is repeated.
            429 => has_retry_after || (self.header("idempotent-replayed").is_some() && self.money_moved() == "no"),
            _ => false,
        }
    }
}

async fn new_harness() -> Harness {
    match std::env::var("MONEY_PROXY").as_deref() {
        Ok("reset") => Harness::behind(Death::Reset).await,
        Ok(other) => panic!("MONEY_PROXY={other}"),
        Err(_) => Harness::new().await,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_match_after_every_random_history() {
    // More workers than cores, because some histories wait for a timeout.
    Histories::new("--test money histories::", 100)
        .run(
            4,
            250,
            || Box::pin(new_harness()),
            |harness, seed| Box::pin(async move { History::new(harness, seed).await.run().await }),
        )
        .await;
}
