//! `GET /api/bff/settlements`: the merchant's settlements, paginated.

use std::collections::HashMap;

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::fees::{FeeSnapshot, FeeTerms};
use shared::domain::ids::{GiftCardId, MerchantId, OrderId, PayoutId, RedemptionId, SettlementId};
use shared::domain::money::{Currency, Minor};
use shared::domain::open_enum::OpenEnum;
use shared::domain::settlement::{Settlement, SettlementStatus, SourceType};
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::examples;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Flattened;
use shared::http::utc_time::UtcTime;
use shared::projections::lists;
use shared::store::pages::{PageRequest, PageStart};
use utoipa::ToSchema;

const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 200;

/// Parses `after`, `skip` and `take`. Invalid values get the default; `take` is limited to `MAX_LIMIT`.
fn page_request(query: &Query) -> PageRequest {
    let limit = query.whole_number("take").filter(|take| *take >= 1).unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let offset = query.whole_number("skip").unwrap_or(0).max(0);
    PageRequest {
        start: PageStart::new(query.text("after"), usize::try_from(offset).unwrap_or(usize::MAX)),
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettlementPage {
    /// Latest `eligibleAt` first.
    rows: Vec<Row>,
    /// Number of settlements in the whole list.
    total: usize,
    /// The `after` of the next page. Null on the last one.
    next_cursor: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settlement)]
struct Row {
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
    /// What is kept, in minor units of `currency`.
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
    /// Not paid out until the platform lifts the hold: the merchant has the money already, because it sold the card at its
    /// own till, or it is not certain what was redeemed.
    held: bool,
    /// From when on a payout can take it.
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

impl Row {
    fn new(settlement: Settlement) -> Self {
        Self {
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
            held: settlement.held,
            eligible_at: settlement.eligible_at.into(),
            created_at: settlement.created_at.into(),
            updated_at: settlement.updated_at.into(),
        }
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

/// Returns the settlements of the merchant's settlement mode without void ones, latest `eligibleAt` first.
pub(crate) async fn settlements(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Flattened<SettlementPage>, Fault> {
    let (request, now) = (page_request(&query), app.clock.now());
    let page = lists::settlements(&app.store, &caller.merchant, &request, now).await?;
    Ok(Flattened(SettlementPage {
        rows: page.rows.into_iter().map(Row::new).collect(),
        total: page.total,
        next_cursor: page.next.map(|next| next.to_string()),
    }))
}

pub(crate) fn describe() -> Description {
    Description::new("listSettlements", 
        "List settlements",
        "Returns the settlements of the merchant's settlement mode, latest `eligibleAt` first. Void settlements are \
         excluded. Invalid query parameters are ignored, and numbers are clamped to their bounds.",
    )
    .query::<i64>("skip", "Number of settlements to skip. Defaults to 0.", false)
    .query::<i64>("take", "Maximum number of settlements to return, from 1 to 200. Defaults to 50.", false)
    .query::<String>(
        "after",
        "The `nextCursor` of the page before. Pages that follow each other by it show each settlement once, also while \
         settlements are added. It comes before `skip`. Empty is the start of the list, and so is a text that is no cursor.",
        false,
    )
    .success("A page of settlements.", json!({"rows": [example()], "total": 1, "nextCursor": null}))
}

fn example() -> serde_json::Value {
    json!({
        "id": examples::SETTLEMENT, "merchantId": examples::MERCHANT, "sourceType": "REDEMPTION",
        "sourceId": examples::REDEMPTION, "orderId": examples::ORDER, "giftCardId": examples::GIFT_CARD,
        "redemptionId": examples::REDEMPTION, "grossAmountMinor": 10_000, "feeAmountMinor": 350,
        "netAmountMinor": 9650, "currency": "SEK", "feeSnapshot": {"percentBps": 250, "fixedMinor": 100},
        "status": "PENDING", "statusLabel": "Pending payout", "payoutBatchId": null,
        "held": false, "eligibleAt": "2026-01-12T10:00:00.000Z", "createdAt": "2026-01-05T10:00:00.000Z",
        "updatedAt": "2026-01-05T10:00:00.000Z",
    })
}

#[cfg(test)]
mod tests {
    use shared::store::pages::Cursor;

    use super::*;

    #[test]
    fn clamps_skip_and_take() {
        for (query, offset, limit) in [
            ("", 0, 50),
            ("skip=3&take=7", 3, 7),
            ("take=1", 0, 1),
            ("take=0", 0, 50),
            ("take=-5", 0, 50),
            ("take=200", 0, 200),
            ("take=201", 0, 200),
            ("take=99999999999999999999", 0, 200),
            ("skip=-1", 0, 50),
            ("skip=-99999999999999999999", 0, 50),
            ("skip=two&take=many", 0, 50),
            ("skip=1.5&take=", 0, 50),
        ] {
            let expected = PageRequest { start: PageStart::Offset(offset), limit };
            assert_eq!(page_request(&Query::parse(query)), expected, "{query}");
        }
        let cursor = Cursor::after("2026-01-01T10:00:00.000Z#s-1");
        let request = page_request(&Query::parse(&format!("skip=3&take=7&after={cursor}")));
        assert_eq!(request, PageRequest { start: PageStart::After(cursor), limit: 7 });
    }
}
