//! Fault injection: rules that make the next matching calls to an upstream fail.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tokio::sync::watch;

/// The function that follows every write.
const PROJECTIONS: &str = "projections";

/// An endpoint that faults can be injected into.
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
    pub fn is_aws(self) -> bool {
        !matches!(self, Self::CardNetwork | Self::Verifier)
    }
}

/// The effect of a fault on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// Reply with this status and an error body.
    Status(StatusCode),
    /// Reply with status 200 and this body.
    Body(String),
    /// Reply with this status and body.
    Response(StatusCode, String),
    /// Accept the call and never reply.
    Timeout,
    /// Close the connection before any reply.
    Drop,
    /// Execute the operation, then close the connection without a reply.
    After,
    /// Wait for this long, then execute the operation and reply.
    Delay(Duration),
    /// Reply with the throttling error of the service.
    Throttle,
    /// Wait until the test releases the hold, then execute the operation and reply.
    Hold(Hold),
    /// Execute the operation, then apply the inner fault to its reply.
    OnReply(Box<FaultKind>),
}

/// Suspends a call until a test releases it through the [`HoldHandle`].
#[derive(Debug, Clone)]
pub struct Hold {
    reached: watch::Sender<bool>,
    released: watch::Receiver<bool>,
}

/// Controls a [`Hold`] from the test. If it is dropped before the release, the held call never gets a reply.
#[derive(Debug)]
pub struct HoldHandle {
    reached: watch::Receiver<bool>,
    released: watch::Sender<bool>,
}

impl Hold {
    pub fn new() -> (Self, HoldHandle) {
        let (reached_sender, reached) = watch::channel(false);
        let (released_sender, released) = watch::channel(false);
        (Self { reached: reached_sender, released }, HoldHandle { reached, released: released_sender })
    }

    /// Waits for the release. Returns `false` if the handle is dropped first.
    pub(crate) async fn wait_for_release(mut self) -> bool {
        self.reached.send_replace(true);
        self.released.wait_for(|released| *released).await.is_ok()
    }
}

impl HoldHandle {
    /// Waits until a call is held.
    pub async fn reached(&mut self) {
        if self.reached.wait_for(|reached| *reached).await.is_err() {
            // Every `Hold` is dropped, so no call can be held.
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

/// An incoming call to an upstream.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub target: Target,
    /// `METHOD /path` for the simulators; the operation name for an AWS service.
    pub operation: &'a str,
    pub headers: &'a HeaderMap,
}

impl Call<'_> {
    /// The `X-Request-Id` that the portal sends to the providers.
    pub fn request_id(&self) -> Option<&str> {
        self.headers.get("x-request-id")?.to_str().ok()
    }

    /// The application name in the user agent of the AWS client: the name of the function.
    pub fn application(&self) -> Option<&str> {
        application(self.headers)
    }
}

/// Parses the `app/<name>` token of the AWS SDK user agent.
pub(crate) fn application(headers: &HeaderMap) -> Option<&str> {
    let user_agents = ["x-amz-user-agent", "user-agent"].into_iter();
    let mut tokens = user_agents.filter_map(|name| headers.get(name)?.to_str().ok()).flat_map(str::split_whitespace);
    tokens.find_map(|token| token.strip_prefix("app/"))
}

/// A fault rule, and its effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Rule", into = "Rule")]
pub struct Fault {
    rule: Rule,
    kind: FaultKind,
}

type DecideFn = dyn FnMut(Call<'_>) -> Option<FaultKind> + Send;

/// The active fault rules. Clones share the same rules.
#[derive(Clone, Default)]
pub struct Faults(Arc<Mutex<Rules>>);

#[derive(Default)]
struct Rules {
    faults: Vec<Fault>,
    decide: Option<Box<DecideFn>>,
}

impl Faults {
    /// Replaces all rules.
    pub fn replace(&self, faults: Vec<Fault>) {
        *self.rules() = Rules { faults, decide: None };
    }

    /// Returns the rules that still apply, in their order, each with its remaining count.
    pub fn active(&self) -> Vec<Fault> {
        let rules = self.rules();
        rules.faults.iter().filter(|fault| fault.rule.times != Times::Count(0)).cloned().collect()
    }

    /// Replaces all rules with a closure that returns the fault for each call.
    pub fn decide(&self, decide: impl FnMut(Call<'_>) -> Option<FaultKind> + Send + 'static) {
        *self.rules() = Rules { faults: Vec::new(), decide: Some(Box::new(decide)) };
    }

    /// Returns the fault of the first matching rule and decrements its remaining count. Calls of the projections have none:
    /// they work in the background, and would use up faults that are meant for the calls of a request.
    pub fn take(&self, call: Call<'_>) -> Option<FaultKind> {
        if call.application() == Some(PROJECTIONS) {
            return None;
        }
        let mut rules = self.rules();
        if let Some(decide) = &mut rules.decide {
            return decide(call);
        }
        let fault = rules.faults.iter_mut().find(|fault| fault.applies_to(call.target, call.operation))?;
        if let Times::Count(remaining) = &mut fault.rule.times {
            *remaining -= 1;
        }
        Some(fault.kind.clone())
    }

    fn rules(&self) -> MutexGuard<'_, Rules> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Faults").field(&self.rules().faults).finish()
    }
}

impl Fault {
    pub fn target(&self) -> Target {
        self.rule.target
    }

    fn applies_to(&self, target: Target, operation: &str) -> bool {
        self.rule.target == target && self.rule.times != Times::Count(0) && matches(&self.rule.r#match, operation)
    }
}

/// Glob matching in which `*` matches any text, including `/`.
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

/// A rule as the control call sets and lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    target: Target,
    r#match: String,
    kind: RuleKind,
    /// How often it still applies.
    #[serde(default, deserialize_with = "once_if_null")]
    times: Times,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RuleKind {
    Status,
    Body,
    Timeout,
    Drop,
    After,
    Delay,
    Throttle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "times: must be a count or \"always\"")]
enum Times {
    Count(u32),
    Always(Always),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Always {
    Always,
}

impl Default for Times {
    fn default() -> Self {
        Self::Count(1)
    }
}

fn once_if_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Times, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl From<Fault> for Rule {
    fn from(fault: Fault) -> Self {
        fault.rule
    }
}

impl TryFrom<Rule> for Fault {
    type Error = &'static str;

    fn try_from(rule: Rule) -> Result<Self, Self::Error> {
        let number = rule.value.as_ref().and_then(Value::as_u64);
        let kind = match rule.kind {
            RuleKind::Status => {
                let status = number.and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok());
                FaultKind::Status(status.ok_or("value: must be a status code")?)
            }
            RuleKind::Body => {
                FaultKind::Body(rule.value.as_ref().and_then(Value::as_str).ok_or("value: must be a string")?.to_owned())
            }
            RuleKind::Timeout => FaultKind::Timeout,
            RuleKind::Drop => FaultKind::Drop,
            RuleKind::After => FaultKind::After,
            RuleKind::Delay => FaultKind::Delay(Duration::from_millis(number.ok_or("value: must be a number of milliseconds")?)),
            RuleKind::Throttle if rule.target.is_aws() => FaultKind::Throttle,
            RuleKind::Throttle => return Err("kind: throttle requires an AWS target"),
        };
        Ok(Self { rule, kind })
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

    fn take(faults: &Faults, target: Target, operation: &str) {
        faults.take(Call { target, operation, headers: &HeaderMap::new() });
    }

    #[test]
    fn a_star_matches_any_text_including_slashes() {
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
    fn active_rules_are_those_that_still_apply_with_their_remaining_counts() {
        let delay = |times: Value| json!({"target": "s3", "match": "Get*", "kind": "delay", "value": 5, "times": times});
        let faults = faults(json!([
            delay(json!(3)),
            {"target": "ses", "match": "*", "kind": "drop"},
            {"target": "verifier", "match": "*", "kind": "timeout", "times": "always"},
        ]));
        take(&faults, Target::S3, "GetObject");
        take(&faults, Target::Ses, "SendEmail");
        let always = json!({"target": "verifier", "match": "*", "kind": "timeout", "times": "always"});
        assert_eq!(json!(faults.active()), json!([delay(json!(2)), always]));
    }

    #[test]
    fn rejects_invalid_rules() {
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
