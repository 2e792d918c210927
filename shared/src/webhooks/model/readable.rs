//! The right to change an endpoint, and what follows it to another URL.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::event_type::EventType;
use crate::team::model::team::Permission;
use crate::values::OpenEnum;

/// The types of messages that somebody can read: what such a message contains, the portal shows them as well.
///
/// Whoever changes an endpoint can read all that it wants, before the change and after it. Messages that wait follow it to another
/// URL only if its mover could read them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Readable(Vec<OpenEnum<EventType>>);

impl Readable {
    pub fn new(may_read: impl Fn(Permission) -> bool) -> Self {
        let readable = EventType::ALL.into_iter().filter(|event| may_read(event.permission()));
        Self(readable.map(OpenEnum::from).collect())
    }

    /// A type that only a newer release knows is for those who can read all others.
    pub fn includes(&self, event: &OpenEnum<EventType>) -> bool {
        self.0.contains(event) || (event.known().is_none() && self.is_everything())
    }

    pub(super) fn is_everything(&self) -> bool {
        EventType::ALL.iter().all(|event| self.0.iter().any(|readable| readable == event))
    }
}

/// When an endpoint was moved to another URL, by somebody who cannot read everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub at: Timestamp,
    pub readable: Readable,
}
