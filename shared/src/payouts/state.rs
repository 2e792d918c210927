//! The states of a payout, and how they are stored: as a status and flat attributes, which older releases read too.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::export::UploadedPart;
use crate::domain::ids::UserId;
use crate::domain::open_enum::OpenEnum;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PayoutState {
    Joining,
    /// No more settlements join. How far the file is; `None` before the first part.
    WritingFile(Option<Upload>),
    /// Count and sum are fixed. It waits for a decision.
    Sealed,
    /// Its settlements become `PAID`.
    Paying(Payment, Followed),
    Paid(Payment),
    /// Its settlements become `PENDING` again.
    Cancelling(Cancellation, Followed),
    Cancelled(Cancellation),
    /// A status that only another release knows. Nothing changes it here.
    Unknown(String, Box<StoredState>),
}

/// How far the file of a payout is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    pub id: String,
    pub parts: Vec<UploadedPart>,
    /// The last settlement in these parts.
    pub until: String,
}

/// Somebody said that it is paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payment {
    pub by: UserId,
    pub at: Timestamp,
    pub reference: String,
}

/// It is not paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    pub at: Timestamp,
    pub cause: Cause,
}

/// Why a payout is cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    Decision {
        by: UserId,
        reason: String,
    },
    /// Its sum is 0 or less: a debt is set off against later settlements.
    NothingToPay,
    /// It may have been paid in a span of time that a restored table has lost.
    Restore {
        reason: String,
    },
}

/// The settlements that have followed a decision: they were paid or returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    pub count: u64,
    /// Settlements with this id or one before it have been looked at.
    pub until: Option<String>,
}

/// What is known of the decision about a payout. Empty before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decided<'a> {
    /// `None` without a decision.
    pub by: Option<&'a UserId>,
    /// When it was decided, or turned out that there is nothing to pay.
    pub at: Option<Timestamp>,
    /// The reference of the payment.
    pub reference: Option<&'a str>,
    /// Why it is not paid.
    pub reason: Option<&'a str>,
}

/// The stored attributes of a state, beside its status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredState {
    pub is_complete: bool,
    pub upload: Option<Upload>,
    pub closed_count: u64,
    pub closed_until: Option<String>,
    pub closed_by: Option<UserId>,
    pub closed_at: Option<Timestamp>,
    pub reference: Option<String>,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PayoutStatus {
    /// Settlements join, or the file is written.
    Building,
    /// Waits for the decision whether it is paid.
    InBatch,
    /// It is paid; its settlements become `PAID`.
    Paying,
    Paid,
    /// It is not paid; its settlements become `PENDING` again.
    Cancelling,
    Cancelled,
}

impl PayoutState {
    pub fn status(&self) -> OpenEnum<PayoutStatus> {
        OpenEnum::Known(match self {
            Self::Joining | Self::WritingFile(_) => PayoutStatus::Building,
            Self::Sealed => PayoutStatus::InBatch,
            Self::Paying(..) => PayoutStatus::Paying,
            Self::Paid(_) => PayoutStatus::Paid,
            Self::Cancelling(..) => PayoutStatus::Cancelling,
            Self::Cancelled(_) => PayoutStatus::Cancelled,
            Self::Unknown(status, _) => return OpenEnum::Unknown(status.clone()),
        })
    }

    pub(super) fn decided(&self) -> Decided<'_> {
        match self {
            Self::Joining | Self::WritingFile(_) | Self::Sealed => Decided::default(),
            Self::Paying(Payment { by, at, reference }, _) | Self::Paid(Payment { by, at, reference }) => {
                Decided { by: Some(by), at: Some(*at), reference: Some(reference), reason: None }
            }
            Self::Cancelling(cancellation, _) | Self::Cancelled(cancellation) => {
                Decided { by: cancellation.by(), at: Some(cancellation.at), reference: None, reason: cancellation.reason() }
            }
            Self::Unknown(_, stored) => Decided {
                by: stored.closed_by.as_ref(),
                at: stored.closed_at,
                reference: stored.reference.as_deref(),
                reason: stored.reason.as_deref(),
            },
        }
    }

    /// The attributes of the state of a payout with `count` settlements.
    pub(super) fn stored(&self, count: u64) -> StoredState {
        let (upload, followed) = match self {
            Self::Joining | Self::Sealed => (None, Followed::default()),
            Self::WritingFile(upload) => (upload.clone(), Followed::default()),
            Self::Paying(_, followed) | Self::Cancelling(_, followed) => (None, followed.clone()),
            Self::Paid(_) | Self::Cancelled(_) => (None, Followed { count, until: None }),
            Self::Unknown(_, stored) => return (**stored).clone(),
        };
        let decided = self.decided();
        StoredState {
            is_complete: *self != Self::Joining,
            upload,
            closed_count: followed.count,
            closed_until: followed.until,
            closed_by: decided.by.cloned(),
            closed_at: decided.at,
            reference: decided.reference.map(ToOwned::to_owned),
            reason: decided.reason.map(ToOwned::to_owned),
        }
    }

    /// `None` if the attributes are not those of a payout with this status.
    pub(super) fn from_stored(status: OpenEnum<PayoutStatus>, stored: StoredState) -> Option<Self> {
        let status = match status {
            OpenEnum::Known(status) => status,
            OpenEnum::Unknown(status) => return Some(Self::Unknown(status, Box::new(stored))),
        };
        Some(match status {
            PayoutStatus::Building if stored.is_complete => Self::WritingFile(stored.upload),
            PayoutStatus::Building => Self::Joining,
            PayoutStatus::InBatch => Self::Sealed,
            PayoutStatus::Paying => Self::Paying(Payment::from_stored(&stored)?, stored.into()),
            PayoutStatus::Paid => Self::Paid(Payment::from_stored(&stored)?),
            PayoutStatus::Cancelling => Self::Cancelling(Cancellation::from_stored(&stored)?, stored.into()),
            PayoutStatus::Cancelled => Self::Cancelled(Cancellation::from_stored(&stored)?),
        })
    }
}

impl Payment {
    fn from_stored(stored: &StoredState) -> Option<Self> {
        let StoredState { closed_by, closed_at, reference, .. } = stored.clone();
        Some(Self { by: closed_by?, at: closed_at?, reference: reference? })
    }
}

impl Cancellation {
    pub fn reason(&self) -> Option<&str> {
        match &self.cause {
            Cause::Decision { reason, .. } | Cause::Restore { reason } => Some(reason),
            Cause::NothingToPay => None,
        }
    }

    fn by(&self) -> Option<&UserId> {
        match &self.cause {
            Cause::Decision { by, .. } => Some(by),
            Cause::NothingToPay | Cause::Restore { .. } => None,
        }
    }

    fn from_stored(stored: &StoredState) -> Option<Self> {
        let cause = match (stored.closed_by.clone(), stored.reason.clone()) {
            (Some(by), Some(reason)) => Cause::Decision { by, reason },
            (None, None) => Cause::NothingToPay,
            (None, Some(reason)) => Cause::Restore { reason },
            (Some(_), None) => return None,
        };
        Some(Self { at: stored.closed_at?, cause })
    }
}

impl From<StoredState> for Followed {
    fn from(stored: StoredState) -> Self {
        Self { count: stored.closed_count, until: stored.closed_until }
    }
}
