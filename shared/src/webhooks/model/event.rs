//! What a merchant's systems can be told of.

use serde::{Deserialize, Serialize};

use super::event_type::EventType;
use crate::merchants::model::merchant::{Merchant, MerchantStatus};
use crate::values::{Minor, OfferId, OpenEnum, OrderId, PayoutId, RedemptionId, Reference, SettlementId};

/// What has happened: ids, and the values that rows do not keep. The rest of a message is read when its body is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    GiftCardIssued {
        order_id: OrderId,
        offer_id: Option<OfferId>,
        store_id: Option<String>,
    },
    GiftCardRedeemed {
        redemption_id: RedemptionId,
        store_id: Option<String>,
        /// What was left on the card, if the card network has said so.
        remaining: Option<Minor>,
        settlement_id: Option<SettlementId>,
    },
    OperationUnknown {
        reference: Reference,
        operation: Operation,
    },
    OperationResolved {
        reference: Reference,
        operation: Operation,
        succeeded: bool,
    },
    SettlementCreated {
        settlement_id: SettlementId,
    },
    SettlementHeld {
        settlement_id: SettlementId,
    },
    PayoutPaid {
        payout_id: PayoutId,
    },
    MerchantStatusChanged {
        from: OpenEnum<MerchantStatus>,
        to: OpenEnum<MerchantStatus>,
    },
}

/// The sale or the redemption that an operation at the card network is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    Issue(OrderId),
    Redeem(RedemptionId),
}

impl Event {
    pub fn event_type(&self) -> EventType {
        match self {
            Self::GiftCardIssued { .. } => EventType::GiftCardIssued,
            Self::GiftCardRedeemed { .. } => EventType::GiftCardRedeemed,
            Self::OperationUnknown { .. } => EventType::OperationUnknown,
            Self::OperationResolved { .. } => EventType::OperationResolved,
            Self::SettlementCreated { .. } => EventType::SettlementCreated,
            Self::SettlementHeld { .. } => EventType::SettlementHeld,
            Self::PayoutPaid { .. } => EventType::PayoutPaid,
            Self::MerchantStatusChanged { .. } => EventType::MerchantStatusChanged,
        }
    }

    /// Whether an endpoint of the merchant wants it, and the merchant is told of it.
    pub fn is_wanted_by(&self, merchant: &Merchant) -> bool {
        let event_type = self.event_type();
        let is_told = match self {
            Self::MerchantStatusChanged { from, to } => {
                from != to && (*from == MerchantStatus::Active || *to == MerchantStatus::Active)
            }
            // A closed one is still paid.
            Self::PayoutPaid { .. } => merchant.status == MerchantStatus::Active || merchant.status == MerchantStatus::Inactive,
            _ => merchant.status == MerchantStatus::Active,
        };
        is_told && merchant.webhook_events.iter().any(|wanted| *wanted == event_type)
    }
}

#[cfg(test)]
mod tests {
    use MerchantStatus::{Active, Declined, Inactive, Submitted, Suspended};

    use super::*;
    use crate::values::MerchantId;

    #[test]
    fn a_merchant_is_told_while_it_is_active_of_payouts_also_when_it_is_closed_and_of_becoming_or_ceasing_to_be_active() {
        let merchant = |status: MerchantStatus| {
            let mut merchant = Merchant::new(MerchantId::new("m"), jiff::Timestamp::UNIX_EPOCH);
            merchant.status = status.into();
            merchant.webhook_events = EventType::ALL.map(OpenEnum::from).into();
            merchant
        };
        let created = Event::SettlementCreated { settlement_id: SettlementId::new("s") };
        let paid = Event::PayoutPaid { payout_id: PayoutId::new("p") };
        let changed =
            |from: MerchantStatus, to: MerchantStatus| Event::MerchantStatusChanged { from: from.into(), to: to.into() };
        for (event, status, is_told) in [
            (&created, Active, true),
            (&created, Inactive, false),
            (&created, Suspended, false),
            (&paid, Active, true),
            (&paid, Inactive, true),
            (&paid, Suspended, false),
            (&changed(Active, Suspended), Suspended, true),
            (&changed(Inactive, Active), Active, true),
            (&changed(Suspended, Inactive), Inactive, false),
            (&changed(Submitted, Declined), Declined, false),
        ] {
            assert_eq!(event.is_wanted_by(&merchant(status)), is_told, "{event:?} {status:?}");
            let unwanted = Merchant { webhook_events: vec![EventType::GiftCardIssued.into()], ..merchant(status) };
            assert!(!event.is_wanted_by(&unwanted));
        }
    }
}
