//! A payout as it is stored.

use jiff::Timestamp;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::payout::Payout;
use super::state::{PayoutState, PayoutStatus, StoredState, Upload};
use crate::domain::ids::{MerchantId, PayoutId, PayoutRunId, UserId};
use crate::domain::merchant::SettlementMode;
use crate::domain::money::{Currency, Minor};
use crate::domain::open_enum::OpenEnum;

#[derive(Serialize, Deserialize)]
struct PayoutRow {
    id: PayoutId,
    run_id: PayoutRunId,
    merchant_id: MerchantId,
    currency: Currency,
    /// Required, also if null: it decides what is paid.
    #[serde(deserialize_with = "Option::deserialize")]
    settlement_mode: Option<SettlementMode>,
    eligible_before: Timestamp,
    status: OpenEnum<PayoutStatus>,
    count: u64,
    net: Minor,
    is_complete: bool,
    #[serde(default)]
    upload: Option<Upload>,
    closed_count: u64,
    closed_until: Option<String>,
    created_by: UserId,
    created_at: Timestamp,
    closed_by: Option<UserId>,
    closed_at: Option<Timestamp>,
    reference: Option<String>,
    reason: Option<String>,
}

impl Serialize for Payout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let payout = self.clone();
        let state = payout.state.stored(payout.count);
        let row = PayoutRow {
            id: payout.id,
            run_id: payout.run_id,
            merchant_id: payout.merchant_id,
            currency: payout.currency,
            settlement_mode: payout.settlement_mode,
            eligible_before: payout.eligible_before,
            status: payout.state.status(),
            count: payout.count,
            net: payout.net,
            is_complete: state.is_complete,
            upload: state.upload,
            closed_count: state.closed_count,
            closed_until: state.closed_until,
            created_by: payout.created_by,
            created_at: payout.created_at,
            closed_by: state.closed_by,
            closed_at: state.closed_at,
            reference: state.reference,
            reason: state.reason,
        };
        row.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Payout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let row = PayoutRow::deserialize(deserializer)?;
        let stored = StoredState {
            is_complete: row.is_complete,
            upload: row.upload,
            closed_count: row.closed_count,
            closed_until: row.closed_until,
            closed_by: row.closed_by,
            closed_at: row.closed_at,
            reference: row.reference,
            reason: row.reason,
        };
        let state = PayoutState::from_stored(row.status, stored);
        Ok(Self {
            id: row.id,
            run_id: row.run_id,
            merchant_id: row.merchant_id,
            currency: row.currency,
            settlement_mode: row.settlement_mode,
            eligible_before: row.eligible_before,
            created_by: row.created_by,
            created_at: row.created_at,
            count: row.count,
            net: row.net,
            state: state.ok_or_else(|| D::Error::custom("the attributes of the status are missing"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The row of a payout of two settlements, as every release has written it.
    fn row(status: &str, attributes: &Value) -> Value {
        let mut row = json!({
            "id": "p", "run_id": "r", "merchant_id": "m", "currency": "EUR", "settlement_mode": null,
            "eligible_before": "2026-01-02T00:00:00Z", "status": status, "count": 2, "net": 100, "is_complete": true,
            "upload": null, "closed_count": 0, "closed_until": null, "created_by": "u-1",
            "created_at": "2026-01-02T00:00:00Z", "closed_by": null, "closed_at": null, "reference": null, "reason": null,
        });
        row.as_object_mut().unwrap().extend(attributes.as_object().unwrap().clone());
        row
    }

    fn read(row: &Value) -> Result<Payout, serde_json::Error> {
        serde_json::from_value(row.clone())
    }

    #[test]
    fn every_state_is_written_back_as_it_was_read() {
        let at = "2026-01-03T00:00:00Z";
        let upload = json!({"id": "x", "parts": [], "until": "s-1"});
        for (status, attributes) in [
            ("BUILDING", json!({"is_complete": false})),
            ("BUILDING", json!({})),
            ("BUILDING", json!({"upload": upload})),
            ("IN_BATCH", json!({})),
            ("PAYING", json!({"closed_by": "u-2", "closed_at": at, "reference": "A", "closed_count": 1, "closed_until": "s-1"})),
            ("PAID", json!({"closed_by": "u-2", "closed_at": at, "reference": "A", "closed_count": 2})),
            ("CANCELLING", json!({"closed_at": at})),
            ("CANCELLING", json!({"closed_by": "u-2", "closed_at": at, "reason": "A", "closed_count": 1, "closed_until": "s-1"})),
            ("CANCELLED", json!({"closed_at": at, "reason": "Restored", "closed_count": 2})),
            ("RECALLED", json!({"closed_by": "u-2", "closed_until": "s-1", "is_complete": false, "upload": upload})),
        ] {
            let row = row(status, &attributes);
            assert_eq!(serde_json::to_value(read(&row).unwrap()).unwrap(), row);
        }
    }

    #[test]
    fn a_done_payout_of_an_earlier_release_names_its_last_settlement() {
        let done = json!({"closed_at": "2026-01-03T00:00:00Z", "closed_count": 2, "closed_until": "s-2"});
        let payout = read(&row("CANCELLED", &done)).unwrap();
        assert!(matches!(payout.state(), PayoutState::Cancelled(_)));
    }

    #[test]
    fn a_decision_without_its_attributes_is_unreadable() {
        let at = "2026-01-03T00:00:00Z";
        for (status, attributes) in [
            ("PAYING", json!({})),
            ("PAYING", json!({"closed_by": "u-2", "closed_at": at})),
            ("PAID", json!({"closed_at": at, "reference": "A"})),
            ("CANCELLING", json!({"reason": "A", "closed_by": "u-2"})),
            ("CANCELLED", json!({"closed_by": "u-2", "closed_at": at})),
        ] {
            assert!(read(&row(status, &attributes)).is_err(), "{status} {attributes}");
        }
    }
}
