//! The states of a payout, as they are stored in its row.

use jiff::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::projections::model::export::UploadedPart;
use crate::values::{OpenEnum, UserId};

/// Each variant is stored with its [`PayoutStatus`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "SCREAMING_SNAKE_CASE", expecting = "a status with all of its attributes")]
pub enum PayoutState {
    Building(Building),
    /// Count and sum are fixed. It waits for a decision.
    #[serde(rename = "IN_BATCH")]
    Sealed,
    /// Its settlements become `PAID`.
    Paying {
        payment: Payment,
        followed: Followed,
    },
    Paid {
        payment: Payment,
    },
    /// Its settlements become `PENDING` again.
    Cancelling {
        cancellation: Cancellation,
        followed: Followed,
    },
    Cancelled {
        cancellation: Cancellation,
    },
    /// Nothing changes it here.
    #[serde(untagged)]
    Unknown(UnknownState),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Building {
    Joining,
    /// No more settlements join.
    WritingFile {
        /// How far the file is; `None` before the first part.
        upload: Option<Upload>,
    },
}

/// A state with a status that only a newer release knows, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownState {
    #[serde(deserialize_with = "unknown_status")]
    status: String,
    #[serde(flatten)]
    attributes: Map<String, Value>,
}

/// A known status is not unknown because some of its attributes are missing.
fn unknown_status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match OpenEnum::<PayoutStatus>::deserialize(deserializer)? {
        OpenEnum::Known(_) => Err(D::Error::custom("the attributes of the status are missing")),
        OpenEnum::Unknown(status) => Ok(status),
    }
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payment {
    pub by: UserId,
    pub at: Timestamp,
    pub reference: String,
}

/// It is not paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cancellation {
    pub at: Timestamp,
    pub cause: Cause,
}

/// Why a payout is cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
            Self::Building(_) => PayoutStatus::Building,
            Self::Sealed => PayoutStatus::InBatch,
            Self::Paying { .. } => PayoutStatus::Paying,
            Self::Paid { .. } => PayoutStatus::Paid,
            Self::Cancelling { .. } => PayoutStatus::Cancelling,
            Self::Cancelled { .. } => PayoutStatus::Cancelled,
            Self::Unknown(unknown) => return OpenEnum::Unknown(unknown.status.clone()),
        })
    }

    pub(super) fn decided(&self) -> Decided<'_> {
        match self {
            Self::Building(_) | Self::Sealed | Self::Unknown(_) => Decided::default(),
            Self::Paying { payment: Payment { by, at, reference }, .. }
            | Self::Paid { payment: Payment { by, at, reference } } => {
                Decided { by: Some(by), at: Some(*at), reference: Some(reference), reason: None }
            }
            Self::Cancelling { cancellation, .. } | Self::Cancelled { cancellation } => {
                Decided { by: cancellation.by(), at: Some(cancellation.at), reference: None, reason: cancellation.reason() }
            }
        }
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
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_state_is_written_back_as_it_was_read() {
        let at = "2026-01-03T00:00:00Z";
        let upload = json!({"id": "x", "parts": [], "until": "s-1"});
        let payment = json!({"by": "u-2", "at": at, "reference": "A"});
        let cancellation = |cause: Value| json!({"at": at, "cause": cause});
        let decision = cancellation(json!({"Decision": {"by": "u-2", "reason": "A"}}));
        let followed = json!({"count": 1, "until": "s-1"});
        let none_followed = json!({"count": 0, "until": null});
        for stored in [
            json!({"status": "BUILDING", "step": "JOINING"}),
            json!({"status": "BUILDING", "step": "WRITING_FILE", "upload": null}),
            json!({"status": "BUILDING", "step": "WRITING_FILE", "upload": upload}),
            json!({"status": "IN_BATCH"}),
            json!({"status": "PAYING", "payment": payment, "followed": followed}),
            json!({"status": "PAID", "payment": payment}),
            json!({"status": "CANCELLING", "cancellation": cancellation(json!("NothingToPay")), "followed": none_followed}),
            json!({"status": "CANCELLING", "cancellation": decision, "followed": followed}),
            json!({"status": "CANCELLED", "cancellation": cancellation(json!({"Restore": {"reason": "A"}}))}),
            json!({"status": "RECALLED", "step": 1, "by": ["u-2"], "file": {"upload": upload}}),
        ] {
            let state: PayoutState = serde_json::from_value(stored.clone()).unwrap();
            assert_eq!(state.status().to_string(), stored["status"]);
            assert_eq!(serde_json::to_value(&state).unwrap(), stored);
        }
    }

    #[test]
    fn a_known_status_without_its_attributes_is_unreadable() {
        let at = "2026-01-03T00:00:00Z";
        let payment = json!({"by": "u-2", "at": at, "reference": "A"});
        let followed = json!({"count": 1, "until": "s-1"});
        for stored in [
            json!({}),
            json!({"status": "BUILDING"}),
            json!({"status": "PAYING", "followed": followed}),
            json!({"status": "PAYING", "payment": payment}),
            json!({"status": "PAYING", "payment": {"by": "u-2", "at": at}, "followed": followed}),
            json!({"status": "PAID", "payment": {"at": at, "reference": "A"}}),
            json!({"status": "CANCELLING", "cancellation": {"cause": "NothingToPay"}, "followed": followed}),
            json!({"status": "CANCELLED", "cancellation": {"at": at, "cause": {"Decision": {"by": "u-2"}}}}),
        ] {
            assert!(serde_json::from_value::<PayoutState>(stored.clone()).is_err(), "{stored}");
        }
    }
}
