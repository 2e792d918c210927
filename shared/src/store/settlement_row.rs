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
    held: bool,
    held_because: Option<OpenEnum<HeldBecause>>,
    /// Why an administrator holds it, or lifted the hold.
    held_reason: Option<String>,
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn row(attributes: &Value) -> Value {
        let mut row = json!({
            "id": "s", "merchant_id": "m", "source_type": "REDEMPTION", "source_id": "r", "order_id": null,
            "gift_card_id": null, "redemption_id": "r", "gross": 100, "fee": 0, "net": 100, "currency": "EUR",
            "fee_snapshot": null, "status": "PENDING", "payout_batch_id": null, "eligible_at": "2026-01-02T00:00:00Z",
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        });
        row.as_object_mut().unwrap().extend(attributes.as_object().unwrap().clone());
        row
    }

    fn read(row: &Value) -> Settlement {
        serde_json::from_value(row.clone()).unwrap()
    }

    #[test]
    fn every_hold_is_written_back_as_it_was_read() {
        for (held, because, reason, is_lifted) in [
            (false, Value::Null, Value::Null, false),
            (false, Value::Null, json!("cleared"), true),
            (true, Value::Null, Value::Null, false),
            (true, json!("OWN_SALE"), Value::Null, false),
            (true, json!("ADMINISTRATOR"), json!("a doubt"), true),
            (true, json!("OF_A_NEWER_RELEASE"), Value::Null, false),
        ] {
            let hold = json!({"held": held, "held_because": because, "held_reason": reason, "hold_lifted": is_lifted});
            let (row, settlement) = (row(&hold), read(&row(&hold)));
            assert_eq!(serde_json::to_value(&settlement).unwrap(), row);
            assert_eq!((settlement.is_held(), settlement.hold_lifted), (held, is_lifted));
        }
    }

    #[test]
    fn a_settlement_without_the_attributes_of_a_hold_is_not_held() {
        let settlement = read(&row(&json!({})));
        assert_eq!((settlement.hold, settlement.hold_lifted), (SettlementHold::default(), false));
    }
}
