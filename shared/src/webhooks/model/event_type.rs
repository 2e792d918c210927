//! The types of messages.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::team::model::team::Permission;

/// The types of messages. An endpoint subscribes to some of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub enum EventType {
    #[serde(rename = "gift_card.issued")]
    GiftCardIssued,
    #[serde(rename = "gift_card.redeemed")]
    GiftCardRedeemed,
    #[serde(rename = "operation.unknown")]
    OperationUnknown,
    #[serde(rename = "operation.resolved")]
    OperationResolved,
    #[serde(rename = "settlement.created")]
    SettlementCreated,
    #[serde(rename = "settlement.held")]
    SettlementHeld,
    #[serde(rename = "payout.paid")]
    PayoutPaid,
    #[serde(rename = "merchant.status_changed")]
    MerchantStatusChanged,
}

impl EventType {
    pub const ALL: [Self; 8] = [
        Self::GiftCardIssued,
        Self::GiftCardRedeemed,
        Self::OperationUnknown,
        Self::OperationResolved,
        Self::SettlementCreated,
        Self::SettlementHeld,
        Self::PayoutPaid,
        Self::MerchantStatusChanged,
    ];

    /// The name in messages and requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::GiftCardIssued => "gift_card.issued",
            Self::GiftCardRedeemed => "gift_card.redeemed",
            Self::OperationUnknown => "operation.unknown",
            Self::OperationResolved => "operation.resolved",
            Self::SettlementCreated => "settlement.created",
            Self::SettlementHeld => "settlement.held",
            Self::PayoutPaid => "payout.paid",
            Self::MerchantStatusChanged => "merchant.status_changed",
        }
    }

    /// What a member must be able to read in the portal to have it sent to an endpoint.
    pub fn permission(self) -> Permission {
        match self {
            Self::GiftCardIssued => Permission::Orders,
            Self::GiftCardRedeemed => Permission::Analytics,
            Self::OperationUnknown | Self::OperationResolved => Permission::Pos,
            Self::SettlementCreated | Self::SettlementHeld | Self::PayoutPaid => Permission::Reports,
            Self::MerchantStatusChanged => Permission::Information,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_their_json() {
        for event_type in EventType::ALL {
            assert_eq!(serde_json::to_value(event_type).unwrap(), event_type.name());
        }
    }
}
