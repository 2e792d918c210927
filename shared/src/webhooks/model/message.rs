//! A message: an event of a merchant, on its way to the endpoints that want it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::event::Event;
use crate::values::{MerchantId, WebhookMessageId, later};

/// How long bodies and deliveries are kept.
pub const MESSAGE_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The time after which another worker may take over, because the one before has died.
pub(super) const CLAIM_TIMEOUT: SignedDuration = SignedDuration::from_secs(30);

/// An event that is still to be dispatched. Once each of them has a delivery, the message is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The same in each attempt, and for all endpoints of the merchant.
    pub id: WebhookMessageId,
    pub merchant_id: MerchantId,
    /// When it happened.
    pub at: Timestamp,
    pub event: Event,
}

/// The body of a message, made by the worker that claims the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageBody {
    pub message_id: WebhookMessageId,
    pub merchant_id: MerchantId,
    /// The bytes that are sent in each attempt.
    pub body: String,
    /// When another worker may make the deliveries that are missing, because the first one has died.
    pub claimed_until: Timestamp,
}

impl MessageBody {
    pub fn new(message_id: WebhookMessageId, merchant_id: MerchantId, body: String, now: Timestamp) -> Self {
        Self { message_id, merchant_id, body, claimed_until: later(now, CLAIM_TIMEOUT) }
    }

    pub fn is_claimed(&self, now: Timestamp) -> bool {
        now < self.claimed_until
    }

    /// Claimed by another worker.
    #[must_use]
    pub fn claimed(&self, now: Timestamp) -> Self {
        Self { claimed_until: later(now, CLAIM_TIMEOUT), ..self.clone() }
    }
}
