//! A card operation: one issue or one redeem, from the intent to an outcome that never changes again.
//!
//! ```text
//!            begun (lease: the request that began it)
//!                 │
//!               Open ──── outcome unknown, lease over ────► asked again by a repeat or the sweep ─┐
//!                 │  ▲                                                                           │
//!                 │  └───────────────────────── still unknown ◄──────────────────────────────────┤
//!      network's word                                                                 network's word
//!                 ▼                                                                           ▼
//!        Succeeded │ Failed, with everything that follows, in one transaction
//! ```

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ids::{MerchantId, OrderId, RedemptionId, Reference};

/// What the operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    Issue(OrderId),
    Redeem(RedemptionId),
}

impl Subject {
    /// Names the kind of operation in metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Issue(_) => "issue",
            Self::Redeem(_) => "redeem",
        }
    }
}

/// The network's refusal, or what was seen in place of an answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What the caller is answered with.
    pub status: u16,
    /// The network's body: JSON where it is, else text; may hold card data, so it is never logged.
    #[serde(with = "as_text")]
    pub details: Value,
    /// Seconds after which the network wants to be asked again.
    pub retry_after: Option<u32>,
}

/// JSON kept as its text: a row cannot hold every depth and number that JSON can have.
mod as_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(json: &Value, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(json)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map_err(D::Error::custom)
    }
}

impl std::fmt::Debug for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Refusal({})", self.status)
    }
}

/// How the network's part ended.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// The network's reply, as the text it came in.
    Succeeded(String),
    Failed(Refusal),
}

impl Outcome {
    /// Names it in metrics.
    pub fn result(&self) -> &'static str {
        match self {
            Self::Succeeded(_) => "succeeded",
            Self::Failed(_) => "refused",
        }
    }
}

impl std::fmt::Debug for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Succeeded(_) => f.write_str("Succeeded(…)"),
            Self::Failed(refusal) => refusal.fmt(f),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperationState {
    /// Whether money moved is not known, or not recorded, yet.
    Open {
        /// Until then its owner is at work on it and nobody else touches it.
        lease_until: Timestamp,
        /// How often the network was asked for the outcome in vain.
        asked: u32,
        /// What was seen in place of an answer; the refusal, should the network know nothing of the reference.
        seen: Option<Refusal>,
        /// Until then the network wants to be left alone.
        not_before: Option<Timestamp>,
    },
    Closed(Outcome),
}

/// One intent to move money, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    pub reference: Reference,
    pub merchant_id: MerchantId,
    pub subject: Subject,
    pub begun_at: Timestamp,
    pub state: OperationState,
}

/// How long the owner of an open operation is waited for beyond the end of its time.
const LEASE_MARGIN: SignedDuration = SignedDuration::from_secs(5);
/// The longest that the network is left alone because it asked for that.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);

impl Operation {
    /// An intent whose owner has until `deadline`.
    pub fn begin(
        reference: Reference,
        merchant_id: MerchantId,
        subject: Subject,
        now: Timestamp,
        deadline: Timestamp,
    ) -> Self {
        let state =
            OperationState::Open { lease_until: lease(deadline), asked: 0, seen: None, not_before: None };
        Self { reference, merchant_id, subject, begun_at: now, state }
    }

    /// The same operation, owned until `deadline`; none while another owner is at work, or once it is closed.
    pub fn take_over(&self, now: Timestamp, deadline: Timestamp) -> Option<Self> {
        let mut taken = self.clone();
        match &mut taken.state {
            OperationState::Open { lease_until, .. } if *lease_until <= now => *lease_until = lease(deadline),
            _ => return None,
        }
        Some(taken)
    }

    /// The same operation, given up by its owner with the outcome unknown. `observed` is what was seen in place of an
    /// answer, `rest` the seconds for which the network wants to be left alone.
    pub fn leave_open(&self, now: Timestamp, observed: Option<Refusal>, rest: Option<u32>) -> Self {
        let mut left = self.clone();
        if let OperationState::Open { lease_until, asked, seen, not_before } = &mut left.state {
            *lease_until = now;
            *asked = asked.saturating_add(1);
            *seen = seen.take().or(observed);
            *not_before = rest.and_then(|seconds| end_of_rest(now, seconds));
        }
        left
    }

    pub fn close(&self, outcome: Outcome) -> Self {
        Self { state: OperationState::Closed(outcome), ..self.clone() }
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            OperationState::Closed(outcome) => Some(outcome),
            OperationState::Open { .. } => None,
        }
    }

    /// Until when its owner is at work on it.
    pub fn leased_until(&self) -> Option<Timestamp> {
        match &self.state {
            OperationState::Open { lease_until, .. } => Some(*lease_until),
            OperationState::Closed(_) => None,
        }
    }

    /// What was seen in place of an answer.
    pub fn seen(&self) -> Option<&Refusal> {
        match &self.state {
            OperationState::Open { seen, .. } => seen.as_ref(),
            OperationState::Closed(_) => None,
        }
    }

    /// When the sweep should look at it next: growing from seconds to an hour, and no sooner than the network asked
    /// for; none once it is closed.
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.state {
            OperationState::Open { lease_until, asked, not_before, .. } => {
                let due_at = lease_until.checked_add(wait(*asked)).ok()?;
                Some(not_before.map_or(due_at, |not_before| due_at.max(not_before)))
            }
            OperationState::Closed(_) => None,
        }
    }
}

/// How long the network is left alone after it was asked so often in vain.
fn wait(asked: u32) -> SignedDuration {
    const FIRST: SignedDuration = SignedDuration::from_secs(10);
    const LONGEST: SignedDuration = SignedDuration::from_hours(1);
    match asked {
        0 => SignedDuration::ZERO,
        _ => FIRST.saturating_mul(1 << (asked - 1).min(10)).min(LONGEST),
    }
}

fn lease(deadline: Timestamp) -> Timestamp {
    deadline.checked_add(LEASE_MARGIN).unwrap_or(deadline)
}

/// When the network may be asked again that wants to be left alone for so long.
pub fn end_of_rest(now: Timestamp, seconds: u32) -> Option<Timestamp> {
    now.checked_add(SignedDuration::from_secs(seconds.into()).min(MAX_RETRY_AFTER)).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_750_000_000 + seconds).unwrap()
    }

    fn begun() -> Operation {
        let subject = Subject::Issue(OrderId::new("o"));
        Operation::begin(Reference::new("r"), MerchantId::new("m"), subject, at(0), at(14))
    }

    fn refusal(status: u16) -> Refusal {
        Refusal { status, details: Value::Null, retry_after: None }
    }

    fn seconds_until_due(operation: &Operation, now: Timestamp) -> i64 {
        operation.due_at().unwrap().duration_since(now).as_secs()
    }

    #[test]
    fn nobody_takes_over_before_the_owner_had_its_time_and_some_more() {
        let begun = begun();
        assert_eq!(begun.take_over(at(18), at(30)), None);
        let taken = begun.take_over(at(19), at(33)).unwrap();
        assert_eq!(taken.leased_until(), Some(at(38)));
        assert_eq!(begun.close(Outcome::Failed(refusal(422))).take_over(at(99), at(120)), None);
    }

    #[test]
    fn what_was_seen_first_stays() {
        let left = begun().leave_open(at(5), Some(refusal(503)), None);
        let left = left.leave_open(at(9), Some(refusal(502)), None);
        assert_eq!(left.seen(), Some(&refusal(503)));
    }

    #[test]
    fn asking_in_vain_grows_rarer_down_to_once_an_hour() {
        let mut operation = begun();
        let mut waits = Vec::new();
        for _ in 0..12 {
            operation = operation.leave_open(at(0), None, None);
            waits.push(seconds_until_due(&operation, at(0)));
        }
        assert_eq!(waits, [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600]);
    }

    #[test]
    fn the_network_is_left_alone_for_as_long_as_it_asks_but_not_for_ever() {
        let rest = |seconds| seconds_until_due(&begun().leave_open(at(0), None, Some(seconds)), at(0));
        assert_eq!([rest(0), rest(9), rest(600), rest(u32::MAX)], [10, 10, 600, 86_400]);
        let asked_again = begun().leave_open(at(0), None, Some(600)).leave_open(at(600), None, None);
        assert_eq!(seconds_until_due(&asked_again, at(600)), 20, "a rest is over once it has been kept");
    }

    #[test]
    fn a_row_can_hold_whatever_the_network_says() {
        // As deep as a reply is read: what is deeper never becomes JSON, and is kept as text.
        let deep = (0..60).fold(json!(1), |inner, _| json!({"": [inner]}));
        for details in [deep, json!({"amount": 1e300}), json!("<html>"), Value::Null] {
            let refusal = Refusal { status: 422, details, retry_after: Some(7) };
            let item: std::collections::HashMap<String, aws_sdk_dynamodb::types::AttributeValue> =
                serde_dynamo::to_item(&refusal).unwrap();
            assert!(item["details"].is_s());
            assert_eq!(serde_dynamo::from_item::<_, Refusal>(item).unwrap(), refusal);
        }
    }
}
