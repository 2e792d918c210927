//! A message: an event of a merchant, on its way to the endpoints that want it.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::event::Event;
use super::event_type::EventType;
use crate::values::ids::{MerchantId, WebhookMessageId};
use crate::values::open_enum::OpenEnum;

/// How long messages and their deliveries are kept.
pub const MESSAGE_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// The same in each attempt, and for all endpoints of the merchant.
    pub id: WebhookMessageId,
    pub merchant_id: MerchantId,
    /// When it happened.
    pub at: Timestamp,
    pub state: MessageState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum MessageState {
    /// The body is still to be made.
    Recorded(Event),
    /// The bytes that are sent in each attempt.
    Sent { event_type: OpenEnum<EventType>, body: String },
}

impl Message {
    pub fn event_type(&self) -> OpenEnum<EventType> {
        match &self.state {
            MessageState::Recorded(event) => event.event_type().into(),
            MessageState::Sent { event_type, .. } => event_type.clone(),
        }
    }

    /// The message with its body.
    #[must_use]
    pub fn with_body(&self, body: String) -> Self {
        Self { state: MessageState::Sent { event_type: self.event_type(), body }, ..self.clone() }
    }

    /// Whether its body is still to be made.
    pub fn is_due(&self) -> bool {
        !matches!(self.state, MessageState::Sent { .. })
    }
}
