//! A settlement as it is stored.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::domain::fees::{FeeSnapshot, known_fees};
use crate::domain::ids::{GiftCardId, MerchantId, OrderId, PayoutId, RedemptionId, SettlementId};
use crate::domain::money::{Currency, Minor};
use crate::domain::open_enum::OpenEnum;
use crate::domain::settlement::{HeldBecause, Settlement, SettlementHold, SettlementStatus, SourceType};

#[derive(Serialize, Deserialize)]
struct SettlementRow {
    id: SettlementId,
    merchant_id: MerchantId,
    source_type: OpenEnum<SourceType>,
    source_id: String,
    order_id: Option<OrderId>,
    gift_card_id: Option<GiftCardId>,
    redemption_id: Option<RedemptionId>,
    gross: Minor,
    fee: Minor,
    net: Minor,
    currency: Currency,
    #[serde(default, deserialize_with = "known_fees")]
    fee_snapshot: Option<FeeSnapshot>,
    status: OpenEnum<SettlementStatus>,
    payout_batch_id: Option<PayoutId>,
    #[serde(default)]
    held: bool,
    #[serde(default)]
    held_because: Option<OpenEnum<HeldBecause>>,
    /// Why an administrator holds it, or lifted the hold.
    #[serde(default)]
    held_reason: Option<String>,
    #[serde(default)]
    hold_lifted: bool,
    eligible_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Serialize for Settlement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (held, held_because, held_reason) = match self.hold.clone() {
            SettlementHold::NotHeld { lifted_because } => (false, None, lifted_because),
            SettlementHold::Held { because, reason } => (true, because, reason),
        };
        let settlement = self.clone();
        let row = SettlementRow {
            id: settlement.id,
            merchant_id: settlement.merchant_id,
            source_type: settlement.source_type,
            source_id: settlement.source_id,
            order_id: settlement.order_id,
            gift_card_id: settlement.gift_card_id,
            redemption_id: settlement.redemption_id,
            gross: settlement.gross,
            fee: settlement.fee,
            net: settlement.net,
            currency: settlement.currency,
            fee_snapshot: settlement.fee_snapshot,
            status: settlement.status,
            payout_batch_id: settlement.payout_batch_id,
            held,
            held_because,
            held_reason,
            hold_lifted: settlement.hold_lifted,
            eligible_at: settlement.eligible_at,
            created_at: settlement.created_at,
            updated_at: settlement.updated_at,
        };
        row.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Settlement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let row = SettlementRow::deserialize(deserializer)?;
        let hold = if row.held {
            SettlementHold::Held { because: row.held_because, reason: row.held_reason }
        } else {
            SettlementHold::NotHeld { lifted_because: row.held_reason }
        };
        Ok(Self {
            id: row.id,
            merchant_id: row.merchant_id,
            source_type: row.source_type,
            source_id: row.source_id,
            order_id: row.order_id,
            gift_card_id: row.gift_card_id,
            redemption_id: row.redemption_id,
            gross: row.gross,
            fee: row.fee,
            net: row.net,
            currency: row.currency,
            fee_snapshot: row.fee_snapshot,
            status: row.status,
            payout_batch_id: row.payout_batch_id,
            hold,
            hold_lifted: row.hold_lifted,
            eligible_at: row.eligible_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}
