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

use super::ids::{MerchantId, OrderId, RedemptionId, Reference};

/// What the operation is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    Issue(OrderId),
    Redeem(RedemptionId),
}

/// The network's refusal, or what was seen in place of an answer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What the caller is answered with.
    pub status: u16,
    /// The network's body: JSON where it is, else text; may hold card data, so it is never logged.
    pub details: serde_json::Value,
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

impl Operation {
    /// An intent whose owner has until `deadline`.
    pub fn begin(
        reference: Reference,
        merchant_id: MerchantId,
        subject: Subject,
        now: Timestamp,
        deadline: Timestamp,
    ) -> Self {
        let state = OperationState::Open { lease_until: lease(deadline), asked: 0, seen: None };
        Self { reference, merchant_id, subject, begun_at: now, state }
    }

    /// The same operation, owned until `deadline`; none while another owner is at work, or once it is closed.
    pub fn take_over(&self, now: Timestamp, deadline: Timestamp) -> Option<Self> {
        match &self.state {
            OperationState::Open { lease_until, asked, seen } if *lease_until <= now => {
                let state =
                    OperationState::Open { lease_until: lease(deadline), asked: *asked, seen: seen.clone() };
                Some(Self { state, ..self.clone() })
            }
            _ => None,
        }
    }

    /// The same operation, given up by its owner with the outcome unknown.
    pub fn leave_open(&self, now: Timestamp, observed: Option<Refusal>) -> Self {
        let (asked, seen) = match &self.state {
            OperationState::Open { asked, seen, .. } => (*asked, seen.clone()),
            OperationState::Closed(_) => return self.clone(),
        };
        let state = OperationState::Open {
            lease_until: now,
            asked: asked.saturating_add(1),
            seen: seen.or(observed),
        };
        Self { state, ..self.clone() }
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

    /// When the sweep should look at it next: growing from seconds to an hour; none once it is closed.
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.state {
            OperationState::Open { lease_until, asked, .. } => {
                let delay = SignedDuration::from_secs(5 * (1_i64 << asked.min(&9)).min(720));
                let wait = if *asked == 0 { SignedDuration::ZERO } else { delay };
                lease_until.checked_add(wait).ok()
            }
            OperationState::Closed(_) => None,
        }
    }
}

fn lease(deadline: Timestamp) -> Timestamp {
    deadline.checked_add(LEASE_MARGIN).unwrap_or(deadline)
}
