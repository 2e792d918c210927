//! A card operation: one issue or one redeem, from its beginning to its final outcome.
//!
//! ```text
//!            begin (lease: the request that began it)
//!                 │
//!               Open ──── outcome unknown, lease expired ───► recovered by a retry or the sweep ──┐
//!                 │  ▲                                                                           │
//!                 │  └──────────────────── released: still unknown ◄─────────────────────────────┤
//!          response of                                                              response of
//!          the network                                                              the network
//!                 ▼                                                                           ▼
//!        Closed: succeeded or failed, with all consequences, in one transaction
//! ```

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::base::backoff::{Backoff, retry_at};
use crate::card_network::{Outcome, Refusal};
use crate::db::keys::Key;
use crate::merchants::model::merchant::Merchant;
use crate::values::{MerchantId, OfferId, OrderId, RedemptionId, Reference, later};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum OperationKind {
    Issue,
    Redeem,
}

impl OperationKind {
    /// In metrics, audit log lines and the rows of idempotency keys.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Redeem => "redeem",
        }
    }
}

/// The row that the operation creates and changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    Issue(OrderId),
    Redeem(RedemptionId),
}

impl Subject {
    pub fn kind(&self) -> OperationKind {
        match self {
            Self::Issue(_) => OperationKind::Issue,
            Self::Redeem(_) => OperationKind::Redeem,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OperationState {
    /// The outcome is not known, or not recorded, yet.
    Open {
        /// Until then only the owner works on it.
        lease_until: Timestamp,
        /// The number of lookups that did not return the outcome.
        #[serde(default)]
        failed_lookups: u32,
        /// The first error instead of a response. It is the caller's response if it turns out that the network never
        /// received the operation.
        first_error: Option<Refusal>,
        /// The network does not accept a lookup before this time (`Retry-After`).
        not_before: Option<Timestamp>,
    },
    Closed(Outcome),
}

/// A movement of money at the card network, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operation {
    pub reference: Reference,
    pub merchant_id: MerchantId,
    pub subject: Subject,
    pub begun_at: Timestamp,
    /// The row of the caller's idempotency key. It is deleted if the operation fails for a reason that says nothing about
    /// the request.
    #[serde(default)]
    pub idempotency_key: Option<Key>,
    pub state: OperationState,
    /// When the outcome was recorded. `None` while it is open.
    pub closed_at: Option<Timestamp>,
    /// What webhooks say beside the rows. `None` for a merchant without endpoints, which pays nothing for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<WebhookContext>,
}

/// Of the ids that messages have: the row of one has at most 1 KB.
const MAX_STORE_ID_BYTES: usize = 200;

/// What messages say about an operation that is not in its order or redemption.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookContext {
    pub offer_id: Option<OfferId>,
    /// The id at the card network. `None` if it is too long for one.
    pub store_id: Option<String>,
    /// Whether it was told that the outcome is unknown.
    #[serde(default)]
    pub unknown_is_told: bool,
}

impl WebhookContext {
    /// `None` if the merchant has no endpoint.
    pub fn of(merchant: &Merchant, offer_id: Option<OfferId>, store_id: Option<String>) -> Option<Self> {
        // Members can name a store by any text.
        let store_id = store_id.filter(|id| id.len() <= MAX_STORE_ID_BYTES);
        (!merchant.webhook_events.is_empty()).then_some(Self { offer_id, store_id, unknown_is_told: false })
    }
}

/// How long a closed operation is kept as it is: the network's response contains the code of the card.
const CODES_RETENTION: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How long a closed operation is kept without codes, after it was begun. As long as its idempotency key is remembered.
const RETENTION: SignedDuration = SignedDuration::from_hours(2 * 365 * 24);

/// A closed operation without the codes of cards. It is kept longer than the operation itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedOperation(pub(super) Operation);

impl ClosedOperation {
    /// When it is forgotten.
    pub fn expires_at(&self) -> Timestamp {
        later(self.0.begun_at, RETENTION)
    }
}

/// How long the lease outlasts the owner's deadline.
const LEASE_MARGIN: SignedDuration = SignedDuration::from_secs(5);
const LOOKUP_BACKOFF: Backoff = Backoff::new(SignedDuration::from_secs(10), SignedDuration::from_hours(1));

impl Operation {
    /// An open operation whose owner must finish by `deadline`.
    pub fn begin(
        reference: Reference,
        merchant_id: MerchantId,
        subject: Subject,
        idempotency_key: Option<Key>,
        now: Timestamp,
        deadline: Timestamp,
    ) -> Self {
        let state = OperationState::Open { lease_until: lease(deadline), failed_lookups: 0, first_error: None, not_before: None };
        Self { reference, merchant_id, subject, begun_at: now, idempotency_key, state, closed_at: None, webhook: None }
    }

    /// Whether the network does not accept a lookup yet.
    pub fn waits(&self, now: Timestamp) -> bool {
        matches!(self.state, OperationState::Open { not_before: Some(at), .. } if at > now)
    }

    /// The operation with a new owner, which must finish by `deadline`. `None` while it is leased, and once it is closed.
    pub fn take_over(&self, now: Timestamp, deadline: Timestamp) -> Option<Self> {
        let mut taken = self.clone();
        match &mut taken.state {
            OperationState::Open { lease_until, .. } if *lease_until <= now => *lease_until = lease(deadline),
            _ => return None,
        }
        Some(taken)
    }

    /// The operation without an owner, after a lookup that did not return the outcome. `retry_after` is in seconds.
    pub fn release(&self, now: Timestamp, error: Option<Refusal>, retry_after: Option<u32>) -> Self {
        let mut released = self.clone();
        if let OperationState::Open { lease_until, failed_lookups, first_error, not_before } = &mut released.state {
            *lease_until = now;
            *failed_lookups = failed_lookups.saturating_add(1);
            *first_error = first_error.take().or(error);
            *not_before = retry_after.map(|seconds| retry_at(now, seconds));
        }
        released
    }

    /// With what webhooks say about it.
    #[must_use]
    pub fn with_webhook(self, webhook: Option<WebhookContext>) -> Self {
        Self { webhook, ..self }
    }

    pub fn close(&self, outcome: Outcome, now: Timestamp) -> Self {
        Self { state: OperationState::Closed(outcome), closed_at: Some(now), ..self.clone() }
    }

    /// When only its [`ClosedOperation`] is left, if it has one. `None` while it is open.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.closed_at.map(|closed_at| later(closed_at, CODES_RETENTION))
    }

    /// What answers repeats after the operation itself was deleted. `None` while it is open, and without an idempotency key.
    pub fn to_keep(&self) -> Option<ClosedOperation> {
        self.idempotency_key.as_ref()?;
        let state = OperationState::Closed(self.outcome()?.without_codes());
        Some(ClosedOperation(Self { state, ..self.clone() }))
    }

    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.state {
            OperationState::Closed(outcome) => Some(outcome),
            OperationState::Open { .. } => None,
        }
    }

    /// Whether it failed for a reason that frees its idempotency key, unless that is closed: a repeat of the request is a new
    /// attempt.
    pub fn frees_its_key(&self) -> bool {
        let failed_without_reason = matches!(self.outcome(), Some(Outcome::Failed(refusal)) if !refusal.is_about_request());
        failed_without_reason && self.idempotency_key.is_some()
    }

    pub fn leased_until(&self) -> Option<Timestamp> {
        match &self.state {
            OperationState::Open { lease_until, .. } => Some(*lease_until),
            OperationState::Closed(_) => None,
        }
    }

    /// The first error instead of a response.
    pub fn first_error(&self) -> Option<&Refusal> {
        match &self.state {
            OperationState::Open { first_error, .. } => first_error.as_ref(),
            OperationState::Closed(_) => None,
        }
    }

    /// When the sweep should look the outcome up. `None` once it is closed.
    pub fn due_at(&self) -> Option<Timestamp> {
        match &self.state {
            OperationState::Open { lease_until, failed_lookups, not_before, .. } => {
                let delay = failed_lookups.checked_sub(1).map_or(SignedDuration::ZERO, |retries| LOOKUP_BACKOFF.delay(retries));
                let due_at = later(*lease_until, delay);
                Some(not_before.map_or(due_at, |not_before| due_at.max(not_before)))
            }
            OperationState::Closed(_) => None,
        }
    }
}

fn lease(deadline: Timestamp) -> Timestamp {
    later(deadline, LEASE_MARGIN)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_750_000_000 + seconds).unwrap()
    }

    fn begun() -> Operation {
        let subject = Subject::Issue(OrderId::new("o"));
        Operation::begin(Reference::new("r"), MerchantId::new("m"), subject, None, at(0), at(14))
    }

    fn refusal(status: u16) -> Refusal {
        Refusal { status, details: Value::Null, retry_after: None }
    }

    fn seconds_until_due(operation: &Operation, now: Timestamp) -> i64 {
        operation.due_at().unwrap().duration_since(now).as_secs()
    }

    #[test]
    fn an_operation_is_not_taken_over_before_its_lease_expires() {
        let begun = begun();
        assert_eq!(begun.take_over(at(18), at(30)), None);
        let taken = begun.take_over(at(19), at(33)).unwrap();
        assert_eq!(taken.leased_until(), Some(at(38)));
        assert_eq!(begun.close(Outcome::Failed(refusal(422)), at(19)).take_over(at(99), at(120)), None);
    }

    #[test]
    fn only_a_closed_operation_expires() {
        assert_eq!(begun().expires_at(), None);
        let closed = begun().close(Outcome::Succeeded("{}".to_owned()), at(60));
        assert_eq!(closed.expires_at(), Some(at(60 + 7 * 24 * 3600)));
    }

    #[test]
    fn the_first_error_is_kept() {
        let released = begun().release(at(5), Some(refusal(503)), None);
        let released = released.release(at(9), Some(refusal(502)), None);
        assert_eq!(released.first_error(), Some(&refusal(503)));
    }

    #[test]
    fn lookups_back_off_to_once_an_hour() {
        let mut operation = begun();
        let mut delays = Vec::new();
        for _ in 0..12 {
            operation = operation.release(at(0), None, None);
            delays.push(seconds_until_due(&operation, at(0)));
        }
        assert_eq!(delays, [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600]);
    }

    #[test]
    fn no_lookup_is_made_before_retry_after_which_is_capped() {
        let due = |seconds| seconds_until_due(&begun().release(at(0), None, Some(seconds)), at(0));
        assert_eq!([due(0), due(9), due(600), due(u32::MAX)], [10, 10, 600, 86_400]);
        let released_again = begun().release(at(0), None, Some(600)).release(at(600), None, None);
        assert_eq!(seconds_until_due(&released_again, at(600)), 20, "Retry-After applies to one lookup");
    }
}
