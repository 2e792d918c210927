//! What is certain about the money of a request, at every moment of it.
//!
//! An operation is only looked up, executed and answered with a [`Certainty`] at hand, so that no response can forget to say what has
//! become of the money.

use super::cancel::CancelError;
use super::idempotency::{EarlierRequest, IdempotencyError, IdempotencyKey};
use super::recover::OperationStatus;
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::card_network::Outcome;

/// What is certain about the money of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoneyMoved {
    Yes,
    /// It did not move, and no request with the same idempotency key will move it. Without a key: this request did not.
    No,
    /// This request did not move it, but a copy of it with the same idempotency key may.
    NotYet,
    Unknown,
}

impl MoneyMoved {
    /// By the outcome of the operation. `key_is_open`: it has an idempotency key that a failure can free.
    pub fn by(status: &OperationStatus, key_is_open: bool) -> Self {
        match status {
            OperationStatus::Unknown => Self::Unknown,
            OperationStatus::Closed(Outcome::Succeeded(_)) => Self::Yes,
            OperationStatus::Closed(Outcome::Failed(refusal)) if key_is_open && !refusal.is_about_request() => Self::NotYet,
            OperationStatus::Closed(Outcome::Failed(_)) => Self::No,
        }
    }
}

impl From<&IdempotencyError> for MoneyMoved {
    fn from(error: &IdempotencyError) -> Self {
        match error {
            IdempotencyError::Cancelled | IdempotencyError::Expired { has_succeeded: false } => Self::No,
            IdempotencyError::Expired { has_succeeded: true } => Self::Yes,
            IdempotencyError::Reused | IdempotencyError::InProgress | IdempotencyError::Restored | IdempotencyError::Store(_) => {
                Self::Unknown
            }
        }
    }
}

impl From<&CancelError> for MoneyMoved {
    fn from(error: &CancelError) -> Self {
        match error {
            // The key has no operation, and is as free as before.
            CancelError::UsedUp(_) => Self::NotYet,
            CancelError::Restored | CancelError::Store(_) => Self::Unknown,
        }
    }
}

/// What is certain while a request is processed.
#[derive(Debug)]
pub struct Certainty {
    has_key: bool,
    moved: MoneyMoved,
}

impl Certainty {
    /// Before the idempotency key was looked up.
    pub fn new(has_key: bool) -> Self {
        Self { has_key, moved: if has_key { MoneyMoved::Unknown } else { MoneyMoved::No } }
    }

    pub fn moved(&self) -> MoneyMoved {
        self.moved
    }

    /// The earlier request with the key, if there is one. Without it, nothing has begun.
    pub async fn look_up(
        &mut self,
        app: &App,
        invocation: &Invocation,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<EarlierRequest>, IdempotencyError> {
        let earlier = match key {
            Some(key) => key.earlier_request(app, invocation).await,
            None => Ok(None),
        };
        self.moved = match &earlier {
            Ok(Some(_)) => MoneyMoved::Unknown,
            Ok(None) => self.not_begun(),
            Err(error) => error.into(),
        };
        earlier
    }

    pub(super) fn set(&mut self, moved: MoneyMoved) {
        self.moved = moved;
    }

    /// What is certain about an operation of this request that has this status.
    pub(super) fn of(&self, status: &OperationStatus) -> MoneyMoved {
        MoneyMoved::by(status, self.has_key)
    }

    /// What is certain if no operation has begun.
    pub(super) fn not_begun(&self) -> MoneyMoved {
        if self.has_key { MoneyMoved::NotYet } else { MoneyMoved::No }
    }
}

impl EarlierRequest {
    /// The status with which the request is answered as a repeat.
    pub fn status(&self, certainty: &mut Certainty) -> &OperationStatus {
        certainty.moved = MoneyMoved::by(&self.status, !self.key_is_closed);
        &self.status
    }
}
