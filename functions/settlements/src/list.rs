//! `GET /api/bff/settlements`: the merchant's settlements, a stretch at a time.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::{GiftCardId, MerchantId, OrderId, RedemptionId, SettlementId};
use shared::domain::money::{Currency, Minor};
use shared::domain::settlement::{Settlement, SettlementStatus, SourceType};
use shared::http::access::{Authorized, permission};
use shared::http::description::{Anything, Description};
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Flattened;
use shared::store::pages::PageRequest;
use utoipa::ToSchema;

const DEFAULT_TAKE: i64 = 50;
const MAX_TAKE: i64 = 200;

/// What the query asks for. Nothing in it is an error: what makes no sense is as usual, or brought within its bounds.
fn stretch(query: &Query) -> PageRequest {
    let take = query.whole_number("take").filter(|take| *take >= 1).unwrap_or(DEFAULT_TAKE).min(MAX_TAKE);
    let skip = query.whole_number("skip").unwrap_or(0).max(0);
    PageRequest {
        skip: usize::try_from(skip).unwrap_or(usize::MAX),
        take: usize::try_from(take).unwrap_or(usize::MAX),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Settlements)]
struct Listing<'a> {
    rows: Vec<Row<'a>>,
    /// Settlements of the whole list.
    total: usize,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settlement)]
struct Row<'a> {
    id: &'a SettlementId,
    merchant_id: &'a MerchantId,
    source_type: SourceType,
    source_id: &'a str,
    order_id: Option<&'a OrderId>,
    gift_card_id: Option<&'a GiftCardId>,
    redemption_id: Option<&'a RedemptionId>,
    gross_amount_minor: Minor,
    fee_amount_minor: Minor,
    net_amount_minor: Minor,
    currency: Currency,
    /// The fees that were applied: `{percentBps, fixedMinor}`, or whatever was recorded.
    #[schema(value_type = Anything)]
    fee_snapshot: &'a serde_json::Value,
    status: SettlementStatus,
    status_label: &'static str,
    payout_batch_id: Option<&'a str>,
    eligible_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> Row<'a> {
    fn of(settlement: &'a Settlement) -> Self {
        Self {
            id: &settlement.id,
            merchant_id: &settlement.merchant_id,
            source_type: settlement.source_type,
            source_id: &settlement.source_id,
            order_id: settlement.order_id.as_ref(),
            gift_card_id: settlement.gift_card_id.as_ref(),
            redemption_id: settlement.redemption_id.as_ref(),
            gross_amount_minor: settlement.gross,
            fee_amount_minor: settlement.fee,
            net_amount_minor: settlement.net,
            currency: settlement.currency,
            fee_snapshot: &settlement.fee_snapshot,
            status: settlement.status,
            status_label: settlement.status.label(),
            payout_batch_id: settlement.payout_batch_id.as_deref(),
            eligible_at: settlement.eligible_at,
            created_at: settlement.created_at,
            updated_at: settlement.updated_at,
        }
    }
}

/// `{ok, rows, total}`: settlements of the kind that the merchant is paid for, void ones left out, the one that
/// falls due last first.
pub(crate) async fn settlements(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let merchant = &caller.merchant;
    let mode = merchant.settlement_mode;
    let page = app.store.listed_settlements(&merchant.id, mode, stretch(&query)).await?;
    let rows = page.rows.iter().map(Row::of).collect();
    Ok(Flattened(Listing { rows, total: page.total }).into_response())
}

pub(crate) fn describe() -> Description {
    Description::new(
        "List settlements",
        "Settlements of the kind that the merchant is paid for, void ones left out, the one that falls due last first. \
         No value of the query is an error: what makes no sense is as usual, or brought within its bounds.",
    )
    .query::<i64>("skip", "How many to leave out at the beginning; 0 by default.", false)
    .query::<i64>("take", "1 to 200, by default 50.", false)
    .flattened::<Listing>("Some of the settlements.", json!({"rows": [example()], "total": 1}))
}

fn example() -> serde_json::Value {
    json!({
        "id": "s-1", "merchantId": "m-aurora", "sourceType": "REDEMPTION", "sourceId": "r-1", "orderId": "o-1",
        "giftCardId": "g-1", "redemptionId": "r-1", "grossAmountMinor": 10_000, "feeAmountMinor": 350,
        "netAmountMinor": 9650, "currency": "SEK", "feeSnapshot": {"percentBps": 250, "fixedMinor": 100},
        "status": "PENDING", "statusLabel": "Pending payout", "payoutBatchId": null,
        "eligibleAt": "2026-01-08T10:00:00Z", "createdAt": "2026-01-01T10:00:00Z",
        "updatedAt": "2026-01-01T10:00:00Z",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_stays_within_its_bounds() {
        for (query, skip, take) in [
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
            assert_eq!(stretch(&Query::parse(query)), PageRequest { skip, take }, "{query}");
        }
    }
}
