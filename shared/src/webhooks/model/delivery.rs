//! A delivery: one message on its way to one endpoint.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::event_type::EventType;
use super::message::{CLAIM_TIMEOUT, MessageBody};
use crate::values::{MerchantId, OpenEnum, WebhookDeliveryId, WebhookEndpointId, WebhookMessageId};

/// An endpoint has to answer within this time.
pub const MAX_ATTEMPT_DURATION: SignedDuration = SignedDuration::from_secs(10);
/// The waits between the attempts: 75.6 hours in all. Up to a fifth is added to each.
const WAITS: [SignedDuration; 9] = [
    SignedDuration::from_secs(5),
    SignedDuration::from_mins(5),
    SignedDuration::from_mins(30),
    SignedDuration::from_hours(2),
    SignedDuration::from_hours(5),
    SignedDuration::from_hours(10),
    SignedDuration::from_hours(14),
    SignedDuration::from_hours(20),
    SignedDuration::from_hours(24),
];
/// The longest wait that an endpoint can ask for.
const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);
/// Attempts that are kept. Members can ask for more than are made by themselves.
const MAX_KEPT_ATTEMPTS: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DeliveryStatus {
    Pending,
    Delivered,
    Failed,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub at: Timestamp,
    /// The status of the answer. `None` without one.
    pub status: Option<u16>,
    pub milliseconds: u32,
    /// Why it failed, in a few words. `None` if the endpoint has accepted the message.
    pub error: Option<String>,
}

impl Attempt {
    pub fn succeeded(&self) -> bool {
        self.error.is_none()
    }
}

/// What an endpoint has answered, beyond success or failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reply {
    /// How long to wait before the next attempt, in seconds.
    pub retry_after: Option<u32>,
    /// It wants no more messages.
    pub is_gone: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeliveryState {
    Waiting {
        next_attempt_at: Timestamp,
    },
    /// A worker is sending it.
    Claimed {
        until: Timestamp,
    },
    Delivered,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub id: WebhookDeliveryId,
    pub merchant_id: MerchantId,
    pub endpoint_id: WebhookEndpointId,
    pub message_id: WebhookMessageId,
    pub event_type: OpenEnum<EventType>,
    pub happened_at: Timestamp,
    pub created_at: Timestamp,
    pub state: DeliveryState,
    /// Attempts that were begun since it was created, without those that a member asked for.
    pub begun: usize,
    /// The latest ones, oldest first.
    pub attempts: Vec<Attempt>,
    /// Whether a member has asked for the next attempt.
    pub is_by_hand: bool,
}

impl Delivery {
    /// Due at once. Its id follows from the message: an endpoint has one delivery of each.
    pub fn new(
        body: &MessageBody,
        event_type: OpenEnum<EventType>,
        happened_at: Timestamp,
        endpoint_id: WebhookEndpointId,
        now: Timestamp,
    ) -> Self {
        Self {
            id: WebhookDeliveryId::of(&body.message_id),
            merchant_id: body.merchant_id.clone(),
            endpoint_id,
            message_id: body.message_id.clone(),
            event_type,
            happened_at,
            created_at: now,
            state: DeliveryState::Waiting { next_attempt_at: now },
            begun: 0,
            attempts: Vec::new(),
            is_by_hand: false,
        }
    }

    pub fn status(&self) -> DeliveryStatus {
        match self.state {
            DeliveryState::Waiting { .. } | DeliveryState::Claimed { .. } => DeliveryStatus::Pending,
            DeliveryState::Delivered => DeliveryStatus::Delivered,
            DeliveryState::Failed => DeliveryStatus::Failed,
        }
    }

    /// When a worker can take it. `None` if nothing is left to do.
    pub fn next_attempt_at(&self) -> Option<Timestamp> {
        match self.state {
            DeliveryState::Waiting { next_attempt_at: at } | DeliveryState::Claimed { until: at } => Some(at),
            DeliveryState::Delivered | DeliveryState::Failed => None,
        }
    }

    /// Whether a worker is sending it.
    pub fn is_claimed(&self, now: Timestamp) -> bool {
        matches!(self.state, DeliveryState::Claimed { until } if now < until)
    }

    /// Taken by a worker for an attempt.
    #[must_use]
    pub fn claimed(&self, now: Timestamp) -> Self {
        let until = after(now, CLAIM_TIMEOUT);
        Self { state: DeliveryState::Claimed { until }, begun: self.begun + 1, ..self.clone() }
    }

    /// After an attempt. `jitter` is a share of a fifth of the wait, from 0 to 1,000.
    #[must_use]
    pub fn after_attempt(&self, attempt: Attempt, reply: Reply, jitter: u64, now: Timestamp) -> Self {
        let state = if attempt.succeeded() {
            DeliveryState::Delivered
        } else {
            match WAITS.get(self.begun.saturating_sub(1)) {
                Some(wait) => {
                    let asked = SignedDuration::from_secs(reply.retry_after.unwrap_or_default().into()).min(MAX_RETRY_AFTER);
                    DeliveryState::Waiting { next_attempt_at: after(now, with_jitter(*wait, jitter).max(asked)) }
                }
                None => DeliveryState::Failed,
            }
        };
        Self { state, is_by_hand: false, ..self.with_attempt(attempt) }
    }

    fn with_attempt(&self, attempt: Attempt) -> Self {
        let mut attempts = self.attempts.clone();
        attempts.push(attempt);
        attempts.drain(..attempts.len().saturating_sub(MAX_KEPT_ATTEMPTS));
        Self { attempts, ..self.clone() }
    }

    /// To be attempted now, because a member asks for it. What has ended gets this one attempt; what has not gets all that are left.
    #[must_use]
    pub fn retried(&self, now: Timestamp) -> Self {
        let begun = if self.next_attempt_at().is_none() { WAITS.len() } else { self.begun.saturating_sub(1) };
        Self { state: DeliveryState::Waiting { next_attempt_at: now }, begun, is_by_hand: true, ..self.clone() }
    }

    /// Not sent, because whoever has moved the endpoint could not read it.
    #[must_use]
    pub fn withheld(&self, now: Timestamp) -> Self {
        let error = Some("withheld".to_owned());
        self.with_attempt(Attempt { at: now, status: None, milliseconds: 0, error }).dropped()
    }

    /// Not attempted any more.
    #[must_use]
    pub fn dropped(&self) -> Self {
        Self { state: DeliveryState::Failed, ..self.clone() }
    }
}

fn with_jitter(wait: SignedDuration, jitter: u64) -> SignedDuration {
    let share = i32::try_from(jitter.min(1000)).unwrap_or_default();
    wait.saturating_add((wait / 5_000).saturating_mul(share))
}

fn after(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.checked_add(wait).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn delivery() -> Delivery {
        let body = MessageBody::new(WebhookMessageId::new("msg_1"), MerchantId::new("m"), "{}".to_owned(), at(0));
        Delivery::new(&body, EventType::PayoutPaid.into(), at(0), WebhookEndpointId::new("e"), at(0))
    }

    fn failure(now: Timestamp) -> Attempt {
        Attempt { at: now, status: Some(500), milliseconds: 3, error: Some("status 500".to_owned()) }
    }

    #[test]
    fn an_endpoint_can_ask_for_a_longer_wait_of_a_day_at_most() {
        for (retry_after, seconds) in [(None, 5), (Some(1), 5), (Some(60), 60), (Some(u32::MAX), 86_400)] {
            let reply = Reply { retry_after, is_gone: false };
            let next = delivery().claimed(at(0)).after_attempt(failure(at(0)), reply, 0, at(0));
            assert_eq!(next.next_attempt_at(), Some(at(seconds)), "{retry_after:?}");
        }
    }

    #[test]
    fn a_delivery_that_has_ended_gets_one_more_attempt_when_asked_for() {
        let attempt = |succeeded: bool| Attempt { error: (!succeeded).then(|| "status 500".to_owned()), ..failure(at(0)) };
        let try_once = |delivery: &Delivery, succeeded| {
            delivery.claimed(at(0)).after_attempt(attempt(succeeded), Reply::default(), 0, at(0))
        };
        let failed = delivery().dropped();
        assert_eq!(try_once(&failed.retried(at(0)), false).status(), DeliveryStatus::Failed);
        assert_eq!(try_once(&failed.retried(at(0)), true).status(), DeliveryStatus::Delivered);
        let waiting = try_once(&delivery(), false);
        assert_eq!(try_once(&waiting.retried(at(0)), false).next_attempt_at(), Some(at(5)), "none of the attempts is lost");
    }

    #[test]
    fn the_latest_attempts_are_kept() {
        let mut delivery = delivery();
        for second in 0..50 {
            delivery = delivery.retried(at(second)).claimed(at(second));
            delivery = delivery.after_attempt(failure(at(second)), Reply::default(), 0, at(second));
        }
        assert_eq!(delivery.attempts.len(), 20);
        assert_eq!(delivery.attempts.last().map(|attempt| attempt.at), Some(at(49)));
    }
}
