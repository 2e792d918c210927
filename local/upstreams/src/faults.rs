//! Faults that a developer or a test asks for: the next matching call to an upstream fails as told.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

/// An endpoint that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    CardNetwork,
    Verifier,
    Dynamodb,
    S3,
    Ses,
    Secretsmanager,
}

impl Target {
    fn is_aws(self) -> bool {
        !matches!(self, Self::CardNetwork | Self::Verifier)
    }
}

/// What happens to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// Answer with this status.
    Status(StatusCode),
    /// Answer 200 with this text.
    Body(String),
    /// Answer with this status and text.
    Answer(StatusCode, String),
    /// Accept the call and never answer.
    Timeout,
    /// Close the connection before any reply.
    Drop,
    /// Carry the operation out, then close the connection.
    After,
    /// Answer as usual, but later.
    Delay(Duration),
    /// The service's own throttling error.
    Throttle,
    /// Wait until a test lets go, then go on as usual.
    Hold(Hold),
    /// Carry the operation out; only its reply fares so.
    Afterwards(Box<FaultKind>),
}

/// Keeps a call waiting, for a test to see that it has come so far.
#[derive(Debug, Clone)]
pub struct Hold {
    reached: watch::Sender<bool>,
    released: watch::Receiver<bool>,
}

/// The test's end of a [`Hold`]. Once it is dropped, the call that was held is never answered.
#[derive(Debug)]
pub struct Held {
    reached: watch::Receiver<bool>,
    released: watch::Sender<bool>,
}

impl Hold {
    pub fn new() -> (Self, Held) {
        let ((reached, seen), (release, released)) = (watch::channel(false), watch::channel(false));
        (Self { reached, released }, Held { reached: seen, released: release })
    }

    /// Whether the call may go on; false where nobody is left to say so.
    pub(crate) async fn wait(mut self) -> bool {
        self.reached.send_replace(true);
        self.released.wait_for(|released| *released).await.is_ok()
    }
}

impl Held {
    /// Waits until a call is held.
    pub async fn reached(&mut self) {
        if self.reached.wait_for(|reached| *reached).await.is_err() {
            // Nothing can come so far any more.
            std::future::pending::<()>().await;
        }
    }

    pub fn release(&self) {
        self.released.send_replace(true);
    }
}

impl PartialEq for Hold {
    fn eq(&self, other: &Self) -> bool {
        self.reached.same_channel(&other.reached)
    }
}

impl Eq for Hold {}

/// One call to an upstream, as it comes in.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub target: Target,
    /// `METHOD /path` for the simulators, the operation's name for an AWS service.
    pub operation: &'a str,
    pub headers: &'a HeaderMap,
}

impl Call<'_> {
    /// The request id that the portal sends to the providers.
    pub fn request_id(&self) -> Option<&str> {
        self.headers.get("x-request-id")?.to_str().ok()
    }

    /// The application name that a function's AWS client gives.
    pub fn application(&self) -> Option<&str> {
        application(self.headers)
    }
}

pub(crate) fn application(headers: &HeaderMap) -> Option<&str> {
    let agents = ["x-amz-user-agent", "user-agent"].into_iter();
    let mut words =
        agents.filter_map(|name| headers.get(name)?.to_str().ok()).flat_map(str::split_whitespace);
    words.find_map(|word| word.strip_prefix("app/"))
}

/// One rule: which calls, what happens, how often.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "WireFault")]
pub struct Fault {
    target: Target,
    pattern: String,
    kind: FaultKind,
    remaining: Times,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Times {
    Left(u32),
    Always,
}

type Decide = dyn FnMut(Call<'_>) -> Option<FaultKind> + Send;

/// The rules in force. Clones share them.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<Rules>>);

#[derive(Default)]
struct Rules {
    listed: Vec<Fault>,
    decide: Option<Box<Decide>>,
}

impl Faults {
    /// Replaces every rule that was set before.
    pub fn replace(&self, faults: Vec<Fault>) {
        *self.rules() = Rules { listed: faults, decide: None };
    }

    /// Replaces every rule by what a test in Rust decides, call by call.
    pub fn decide(&self, decide: impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static) {
        *self.rules() = Rules { listed: Vec::new(), decide: Some(Box::new(decide)) };
    }

    /// The fault for this call, if any: that of the first rule that matches, which is used up by one.
    pub fn take(&self, call: Call<'_>) -> Option<FaultKind> {
        let mut rules = self.rules();
        if let Some(decide) = &mut rules.decide {
            return decide(call);
        }
        let fault = rules.listed.iter_mut().find(|fault| fault.applies_to(call.target, call.operation))?;
        if let Times::Left(left) = &mut fault.remaining {
            *left -= 1;
        }
        Some(fault.kind.clone())
    }

    fn rules(&self) -> MutexGuard<'_, Rules> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Faults").field(&self.rules().listed).finish()
    }
}

impl Fault {
    fn applies_to(&self, target: Target, operation: &str) -> bool {
        self.target == target && self.remaining != Times::Left(0) && matches(&self.pattern, operation)
    }
}

/// Glob matching where `*` stands for anything, `/` too.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| text.strip_prefix(start)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFault {
    target: Target,
    r#match: String,
    kind: WireKind,
    #[serde(default)]
    times: Option<Value>,
    #[serde(default)]
    value: Option<Value>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WireKind {
    Status,
    Body,
    Timeout,
    Drop,
    After,
    Delay,
    Throttle,
}

impl TryFrom<WireFault> for Fault {
    type Error = String;

    fn try_from(wire: WireFault) -> Result<Self, String> {
        Ok(Self {
            target: wire.target,
            kind: wire.kind()?,
            remaining: wire.remaining()?,
            pattern: wire.r#match,
        })
    }
}

impl WireFault {
    fn kind(&self) -> Result<FaultKind, String> {
        Ok(match self.kind {
            WireKind::Status => FaultKind::Status(self.status().ok_or("value: not a status code")?),
            WireKind::Body => FaultKind::Body(
                self.value.as_ref().and_then(Value::as_str).ok_or("value: not a text")?.to_owned(),
            ),
            WireKind::Timeout => FaultKind::Timeout,
            WireKind::Drop => FaultKind::Drop,
            WireKind::After => FaultKind::After,
            WireKind::Delay => {
                let milliseconds = self.value.as_ref().and_then(Value::as_u64);
                FaultKind::Delay(Duration::from_millis(
                    milliseconds.ok_or("value: not a number of milliseconds")?,
                ))
            }
            WireKind::Throttle if self.target.is_aws() => FaultKind::Throttle,
            WireKind::Throttle => return Err("kind: only an AWS target can throttle".to_owned()),
        })
    }

    fn status(&self) -> Option<StatusCode> {
        let code = self.value.as_ref()?.as_u64()?;
        StatusCode::from_u16(u16::try_from(code).ok()?).ok()
    }

    fn remaining(&self) -> Result<Times, String> {
        match &self.times {
            None | Some(Value::Null) => Ok(Times::Left(1)),
            Some(Value::String(word)) if word == "always" => Ok(Times::Always),
            Some(Value::Number(count)) => count
                .as_u64()
                .and_then(|count| u32::try_from(count).ok())
                .map(Times::Left)
                .ok_or_else(|| "times: not a count".to_owned()),
            Some(_) => Err("times: a count or \"always\"".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(rules: Value) -> Faults {
        let faults = Faults::default();
        faults.replace(serde_json::from_value(rules).unwrap());
        faults
    }

    fn take(faults: &Faults, target: Target, operation: &str) -> Option<FaultKind> {
        faults.take(Call { target, operation, headers: &HeaderMap::new() })
    }

    #[test]
    fn a_test_decides_call_by_call_until_rules_are_set() {
        let faults = faults(json!([{"target": "ses", "match": "*", "kind": "drop", "times": "always"}]));
        let mut calls = 0;
        faults.decide(move |call| {
            calls += 1;
            (call.operation == "Query" && calls == 2).then_some(FaultKind::Throttle)
        });
        assert_eq!(take(&faults, Target::Ses, "SendEmail"), None);
        assert_eq!(take(&faults, Target::Dynamodb, "Query"), Some(FaultKind::Throttle));
        assert_eq!(take(&faults, Target::Dynamodb, "Query"), None);

        faults.replace(Vec::new());
        assert_eq!(take(&faults, Target::Dynamodb, "Query"), None);
    }

    #[test]
    fn a_call_says_who_makes_it() {
        let mut headers = HeaderMap::new();
        headers.insert("x-request-id", "r-1".parse().unwrap());
        headers.insert("user-agent", "aws-sdk-rust/1 os/linux app/pos".parse().unwrap());
        let call = Call { target: Target::Dynamodb, operation: "Query", headers: &headers };
        assert_eq!((call.request_id(), call.application()), (Some("r-1"), Some("pos")));
    }

    #[tokio::test]
    async fn a_held_call_goes_on_when_the_test_says_so() {
        let (hold, mut test) = Hold::new();
        let call = tokio::spawn(hold.clone().wait());
        test.reached().await;
        test.release();
        assert!(call.await.unwrap());

        let (hold, test) = Hold::new();
        drop(test);
        assert!(!hold.wait().await, "nobody is left to release it");
    }

    #[test]
    fn a_star_matches_anything_slashes_too() {
        for (pattern, text, expected) in [
            ("POST /v1/cards/issue", "POST /v1/cards/issue", true),
            ("POST /v1/cards/issue", "POST /v1/cards/issues", false),
            ("*", "GET /v1/offers/1", true),
            ("GET *", "GET /v1/offers/1", true),
            ("* /v1/*/1", "GET /v1/a/b/1", true),
            ("* /v1/*/1", "GET /v1/a/b/2", false),
            ("*Item", "TransactWriteItems", false),
            ("Transact*Items", "TransactWriteItems", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn the_first_match_wins_and_is_used_up() {
        let faults = faults(json!([
            {"target": "card-network", "match": "POST *", "kind": "drop"},
            {"target": "card-network", "match": "*", "kind": "status", "value": 503, "times": "always"},
        ]));
        let unavailable = Some(FaultKind::Status(StatusCode::SERVICE_UNAVAILABLE));

        assert_eq!(take(&faults, Target::CardNetwork, "POST /x"), Some(FaultKind::Drop));
        assert_eq!(take(&faults, Target::CardNetwork, "POST /x"), unavailable);
        assert_eq!(take(&faults, Target::CardNetwork, "GET /x"), unavailable);
        assert_eq!(take(&faults, Target::Verifier, "GET /x"), None);
    }

    #[test]
    fn a_rule_that_makes_no_sense_is_refused() {
        for rule in [
            json!({"target": "moon", "match": "*", "kind": "drop"}),
            json!({"target": "ses", "match": "*", "kind": "status"}),
            json!({"target": "ses", "match": "*", "kind": "delay", "value": "long"}),
            json!({"target": "ses", "match": "*", "kind": "drop", "times": -1}),
            json!({"target": "verifier", "match": "*", "kind": "throttle"}),
            json!({"target": "ses", "match": "*", "kind": "drop", "extra": 1}),
        ] {
            assert!(serde_json::from_value::<Fault>(rule.clone()).is_err(), "{rule}");
        }
    }
}
