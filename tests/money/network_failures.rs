//! Failures of the call that moves money, before and after the card network executes it, with and without lookups.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::StatusCode;
use serde_json::{Value, json};
use upstreams::faults::{Call, FaultKind};

use crate::harness::{Harness, ISSUE, LEASE, Outcome, PosRequest, Response, TestMerchant, Till, is_lookup, moves_money};
use crate::reconciliation::Records;

/// A failed call.
#[derive(Debug, Clone)]
struct Failure {
    kind: FaultKind,
    /// The status of the response to the till if no money moved.
    status: u16,
    /// Whether the failure itself states that no money moved.
    is_refusal: bool,
}

impl Failure {
    /// Whether a repeat of the request is a new attempt.
    fn frees_the_key(&self) -> bool {
        matches!(self.status, 408 | 429 | 500..)
    }
}

fn failures() -> Vec<Failure> {
    let ambiguous = |kind, status| Failure { kind, status, is_refusal: false };
    let status = |code: u16| FaultKind::Status(StatusCode::from_u16(code).unwrap());
    let refusal = |code: u16, expected| Failure { kind: status(code), status: expected, is_refusal: true };
    let body = |text: &str| FaultKind::Body(text.to_owned());
    let text = |code: u16, text: &str| FaultKind::Response(StatusCode::from_u16(code).unwrap(), text.to_owned());
    vec![
        ambiguous(FaultKind::Drop, 502),
        ambiguous(FaultKind::Timeout, 504),
        ambiguous(status(408), 408),
        ambiguous(status(500), 500),
        ambiguous(status(502), 502),
        ambiguous(status(503), 503),
        ambiguous(status(504), 504),
        ambiguous(text(503, "<html>busy</html>"), 503),
        ambiguous(text(302, ""), 502),
        ambiguous(body(""), 502),
        ambiguous(body("<html>busy</html>"), 502),
        ambiguous(body("{\"transactionId\": \"t-1\", \"qrCode\": \"q"), 502),
        ambiguous(body("{\"code\": \"CARD_BLOCKED\", \"message\": \"no\"}"), 502),
        ambiguous(body("{\"transactionId\": \"\", \"qrCode\": \"\"}"), 502),
        ambiguous(body("[]"), 502),
        ambiguous(body("null"), 502),
        ambiguous(body("\u{feff}{\"transactionId\": \"t-1\", \"qrCode\": \"q\"}"), 502),
        ambiguous(text(307, ""), 502),
        ambiguous(text(500, "{\"transactionId\": \"t-1\", \"qrCode\": \"q\"}"), 500),
        refusal(400, 400),
        // The portal's API key is invalid: not the client's error.
        ambiguous(status(401), 502),
        refusal(403, 403),
        refusal(404, 404),
        refusal(409, 409),
        refusal(422, 422),
        ambiguous(status(429), 429),
        Failure { kind: text(422, "no JSON"), status: 422, is_refusal: true },
        // It asks to wait for longer than a till waits.
        ambiguous(FaultKind::Throttle, 429),
    ]
}

/// What the card network answers to lookups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookups {
    Answered,
    Busy,
    /// A proxy in front of it answers that there is no such page.
    NotFoundByProxy,
    NotFoundByGateway,
    Unauthorized,
}

impl Lookups {
    const FAILING: [Self; 4] = [Self::Busy, Self::NotFoundByProxy, Self::NotFoundByGateway, Self::Unauthorized];

    fn fault(self) -> Option<FaultKind> {
        let not_found = |body: &str| FaultKind::Response(StatusCode::NOT_FOUND, body.to_owned());
        match self {
            Self::Answered => None,
            Self::Busy => Some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE)),
            Self::NotFoundByProxy => Some(not_found("<html>Not Found</html>")),
            Self::NotFoundByGateway => Some(not_found("{\"code\": 404, \"message\": \"no Route matched\"}")),
            Self::Unauthorized => Some(FaultKind::Status(StatusCode::UNAUTHORIZED)),
        }
    }
}

/// The behavior of the card network during one request.
#[derive(Debug, Clone)]
struct Scenario {
    failure: Failure,
    /// Whether the card network executes the call, so that only the reply fails.
    is_executed: bool,
    lookups: Lookups,
}

impl Scenario {
    /// A refused call is never executed, and the portal does not look it up.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (failure, failing) in failures().into_iter().zip(Lookups::FAILING.into_iter().cycle()) {
            let combinations =
                [(false, Lookups::Answered), (false, failing), (true, Lookups::Answered), (true, failing)].into_iter();
            let combinations = combinations.take(if failure.is_refusal { 1 } else { 4 });
            all.extend(combinations.map(|(is_executed, lookups)| Self { failure: failure.clone(), is_executed, lookups }));
        }
        all
    }

    /// Returns the number of lookups so far.
    fn inject_faults(&self, harness: &Harness) -> Arc<AtomicUsize> {
        let (scenario, clock) = (self.clone(), harness.clock.clone());
        let lookups = Arc::new(AtomicUsize::new(0));
        let looked_up = lookups.clone();
        let mut is_begun = false;
        harness.faults.decide(move |call: Call<'_>| {
            let times_out = scenario.failure.kind == FaultKind::Timeout;
            if times_out && call.operation == "TransactWriteItems" && !is_begun {
                // Shortens the timeout that the test waits for.
                is_begun = true;
                clock.advance_milliseconds(11_470);
            }
            if moves_money(call) {
                let kind = scenario.failure.kind.clone();
                return Some(if scenario.is_executed { FaultKind::OnReply(Box::new(kind)) } else { kind });
            }
            if !is_lookup(call) {
                return None;
            }
            looked_up.fetch_add(1, Ordering::SeqCst);
            scenario.lookups.fault()
        });
        lookups
    }

    /// How many lookups come before the first response. A rejected API key is read again, and the lookup repeated with it.
    fn lookups(&self) -> usize {
        match self.lookups {
            _ if self.failure.is_refusal || self.failure.kind == FaultKind::Throttle => 0,
            Lookups::Unauthorized => 2,
            _ => 1,
        }
    }

    /// Returns the expected status and outcome of the first response, and what it says for certain about the money.
    fn first_response(&self) -> (u16, Outcome, &'static str) {
        let is_known = self.failure.is_refusal || self.lookups() > 0 && self.lookups == Lookups::Answered;
        match (is_known, self.is_executed) {
            (false, _) => (504, Outcome::Open, "unknown"),
            (true, true) => (200, Outcome::Succeeded, "yes"),
            (true, false) if self.failure.frees_the_key() => (self.failure.status, Outcome::Failed, "not-yet"),
            (true, false) => (self.failure.status, Outcome::Refused, "no"),
        }
    }

    /// Whether a repeat of the request is a new attempt once the operation is closed.
    fn is_repeat_new(&self) -> bool {
        !self.is_executed && self.failure.frees_the_key()
    }

    /// Returns the expected status of a repeat once the operation is closed.
    fn final_status(&self) -> u16 {
        if self.is_executed || self.is_repeat_new() { 200 } else { self.failure.status }
    }
}

/// What a till asks for.
#[derive(Debug, Clone, Copy)]
enum Intent {
    Sale,
    Redemption,
    /// All of what was redeemed before.
    GivingBack,
}

impl Intent {
    async fn request(self, merchant: &TestMerchant, till: &Till) -> PosRequest {
        let redemption = |label| PosRequest::redemption(label, &merchant.cards[0], 1_234);
        let request = match self {
            Self::Sale => PosRequest::sale("sale", 2_500),
            Self::Redemption => redemption("redemption"),
            Self::GivingBack => {
                let redeemed = till.send(&redemption("before")).await;
                PosRequest::giving_back("giving-back", redeemed.body["redemptionId"].as_str().unwrap(), 1_234)
            }
        };
        request.with_idempotency_key()
    }

    /// How many movements of money come before.
    fn earlier_movements(self) -> usize {
        usize::from(matches!(self, Self::GivingBack))
    }
}

async fn check(harness: &Harness, scenario: &Scenario, intent: Intent) -> Result<(), String> {
    let merchant = harness.merchant().await;
    let till = harness.till("till", &merchant).await;
    let request = intent.request(&merchant, &till).await;
    let lookups = scenario.inject_faults(harness);
    let first = till.send(&request).await;
    harness.clear_faults();
    if (first.status, first.outcome(), first.money_moved()) != scenario.first_response() {
        return Err(format!("{first:?}"));
    }
    let lookups = lookups.load(Ordering::SeqCst);
    if lookups != scenario.lookups() {
        return Err(format!("{lookups} lookups"));
    }
    check_format(&first, &request)?;

    harness.clock.advance_milliseconds(LEASE);
    harness.sweep_until_idle().await;
    let last = till.send(&request).await;
    if last.status != scenario.final_status() || last.is_replay() == scenario.is_repeat_new() {
        return Err(format!("{first:?}, finally {last:?}"));
    }
    if first.is_final() && first.body != last.body {
        return Err(format!("{first:?}, then {last:?}"));
    }
    if last.header("retry-after").is_some() {
        return Err(format!("a replayed Retry-After: {last:?}"));
    }
    let records = Records::read(harness, &merchant).await;
    if records.movements.len() != intent.earlier_movements() + usize::from(last.status == 200) {
        return Err(format!("{records:?}"));
    }
    records.reconcile(&merchant)?;
    records.reconcile_balances(harness, &merchant).await
}

/// Expects `{ok: false, error: {message, details}}` for a sale and `{error, details}` for a redemption.
fn check_format(response: &Response, request: &PosRequest) -> Result<(), String> {
    let names = |value: &Value| value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>());
    let is_sale = request.path == ISSUE;
    let error = if is_sale { &response.body["error"] } else { &response.body };
    let mut expected = if is_sale { vec!["details", "message"] } else { vec!["details", "error"] };
    if response.outcome() == Outcome::Open {
        expected.insert(0, "code");
    }
    let has_error_format = names(error).is_some_and(|names| names == expected);
    let is_documented = match response.outcome() {
        Outcome::Succeeded => response.body["ok"] == json!(true) && response.body["data"].is_object(),
        Outcome::Open => {
            let ids = if is_sale { &["orderId", "paymentReference"][..] } else { &["redemptionId"][..] };
            let has_ids = ids.iter().chain(&["reference"]).all(|id| response.detail(id).is_string());
            has_ids && has_error_format && response.header("retry-after").is_some()
        }
        _ => has_error_format,
    };
    let has_valid_retry_after = response.status != 429 || response.header("retry-after").is_none_or(|seconds| seconds == "30");
    if is_documented && has_valid_retry_after { Ok(()) } else { Err(format!("undocumented: {response:?}")) }
}

#[tokio::test]
async fn reports_the_true_outcome_after_every_failure_of_the_network() {
    let harness = Harness::new().await;
    let mut count = 0;
    for scenario in Scenario::all() {
        for intent in [Intent::Sale, Intent::Redemption, Intent::GivingBack] {
            let checked = check(&harness, &scenario, intent).await;
            checked.unwrap_or_else(|error| panic!("{intent:?}, {scenario:?}: {error}"));
            count += 1;
        }
    }
    println!("{count} scenarios");
}
