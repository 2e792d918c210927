//! A settlement as it is listed, for merchants and for platform administrators.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::http::{UtcTime, examples};
use crate::settlements::model::fees::{FeeSnapshot, FeeTerms};
use crate::settlements::model::settlement::{HeldBecause, Settlement, SettlementStatus, SourceType};
use crate::values::{Currency, GiftCardId, MerchantId, Minor, OpenEnum, OrderId, PayoutId, RedemptionId, SettlementId};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settlement)]
pub struct SettlementRow {
    /// The id of the settlement.
    id: SettlementId,
    /// The merchant that is owed the amount.
    merchant_id: MerchantId,
    /// What is settled: an order if the merchant is paid on sale, a redemption otherwise.
    #[schema(value_type = SourceType)]
    source_type: OpenEnum<SourceType>,
    /// The id of the order or the redemption that is settled.
    source_id: String,
    /// The order of the card. Null if it is unknown.
    order_id: Option<OrderId>,
    /// The id of the card in its order. Null if it is unknown.
    gift_card_id: Option<GiftCardId>,
    /// The redemption that is settled. Null for an order.
    redemption_id: Option<RedemptionId>,
    /// What was sold or redeemed, before fees, in minor units of `currency`.
    gross_amount_minor: Minor,
    /// The fee, in minor units of `currency`.
    fee_amount_minor: Minor,
    /// The gross amount less the fees, in minor units of `currency`.
    net_amount_minor: Minor,
    /// ISO 4217 code of the amounts.
    currency: Currency,
    /// The applied fees: `{percentBps, fixedMinor}`. Imported settlements can have other fields.
    #[schema(value_type = Option<FeesOfSettlement>)]
    fee_snapshot: Option<serde_json::Value>,
    /// `PENDING`, then `IN_BATCH` once it has joined a payout, then `PAID`. Void settlements are not listed.
    #[schema(value_type = SettlementStatus)]
    status: OpenEnum<SettlementStatus>,
    /// The status in words, such as `Pending payout`.
    status_label: String,
    /// The payout that it has joined. Null if it has joined none.
    payout_batch_id: Option<PayoutId>,
    /// Not paid out until the platform lifts the hold: the merchant already has the money, because it sold the card at its own
    /// till, or the redeemed amount is uncertain.
    held: bool,
    /// Why it is held: `OWN_SALE`, the merchant sold the card at its own till; `DISAGREEMENT`, the card network's reply did not
    /// match the request; `RESTORED`, it may have been paid by a payout that a restore has lost; `ADMINISTRATOR`, an
    /// administrator holds it. Null if it is not held.
    #[schema(value_type = Option<HeldBecause>)]
    held_because: Option<OpenEnum<HeldBecause>>,
    /// When it becomes eligible for a payout.
    eligible_at: UtcTime,
    /// When the settlement was recorded.
    created_at: UtcTime,
    /// When the settlement was last changed.
    updated_at: UtcTime,
}

/// The fees that were applied. Those of an imported settlement can have other fields.
#[derive(ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FeeSnapshot)]
#[expect(dead_code, reason = "describes the schema; imported fees are returned as they are")]
struct FeesOfSettlement {
    /// Hundredths of a percent of the amount.
    percent_bps: Option<f64>,
    /// In the minor unit of the currency.
    fixed_minor: Option<f64>,
    #[serde(flatten)]
    others: HashMap<String, serde_json::Value>,
}

impl SettlementRow {
    pub fn new(settlement: Settlement) -> Self {
        Self {
            held: settlement.is_held(),
            held_because: settlement.held_because().cloned(),
            id: settlement.id,
            merchant_id: settlement.merchant_id,
            source_type: settlement.source_type,
            source_id: settlement.source_id,
            order_id: settlement.order_id,
            gift_card_id: settlement.gift_card_id,
            redemption_id: settlement.redemption_id,
            gross_amount_minor: settlement.gross,
            fee_amount_minor: settlement.fee,
            net_amount_minor: settlement.net,
            currency: settlement.currency,
            fee_snapshot: settlement.fee_snapshot.as_ref().map(fee_snapshot),
            status_label: settlement.status.label(SettlementStatus::label).to_owned(),
            status: settlement.status,
            payout_batch_id: settlement.payout_batch_id,
            eligible_at: settlement.eligible_at.into(),
            created_at: settlement.created_at.into(),
            updated_at: settlement.updated_at.into(),
        }
    }

    /// Without the applied fees, which can be of any length in an imported settlement.
    #[must_use]
    pub fn without_fees(self) -> Self {
        Self { fee_snapshot: None, ..self }
    }

    /// As the API description shows it.
    pub fn example() -> serde_json::Value {
        json!({
            "id": examples::SETTLEMENT, "merchantId": examples::MERCHANT, "sourceType": "REDEMPTION",
            "sourceId": examples::REDEMPTION, "orderId": examples::ORDER, "giftCardId": examples::GIFT_CARD,
            "redemptionId": examples::REDEMPTION, "grossAmountMinor": 10_000, "feeAmountMinor": 350,
            "netAmountMinor": 9650, "currency": "SEK", "feeSnapshot": {"percentBps": 250, "fixedMinor": 100},
            "status": "PENDING", "statusLabel": "Pending payout", "payoutBatchId": null,
            "held": false, "heldBecause": null, "eligibleAt": "2026-01-12T10:00:00.000Z", "createdAt": "2026-01-05T10:00:00.000Z",
            "updatedAt": "2026-01-05T10:00:00.000Z",
        })
    }
}

/// Null if the fees of an imported settlement are not JSON.
fn fee_snapshot(snapshot: &FeeSnapshot) -> serde_json::Value {
    match snapshot {
        FeeSnapshot::Applied(FeeTerms { percent_bps, fixed_minor }) => {
            json!({"percentBps": percent_bps, "fixedMinor": fixed_minor})
        }
        FeeSnapshot::Imported(json) => serde_json::from_str(json).unwrap_or_default(),
    }
}
