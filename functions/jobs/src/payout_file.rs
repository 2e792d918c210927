//! The file of a payout: a CSV of its settlements.

use bytes::Bytes;
use shared::app::App;
use shared::clock::iso_8601;
use shared::domain::csv::{Cell, write_header, write_record};
use shared::domain::money::Money;
use shared::domain::payout::Payout;
use shared::files::payout_file;
use shared::store::payouts::PayoutSettlement;

use crate::Failure;

const ROWS_PER_READ: u16 = 1000;
const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

const COLUMNS: [&str; 17] = [
    "payoutId",
    "settlementId",
    "merchantId",
    "sourceType",
    "sourceId",
    "orderId",
    "giftCardId",
    "redemptionId",
    "createdAt",
    "eligibleAt",
    "currency",
    "grossAmountMinor",
    "feeAmountMinor",
    "netAmountMinor",
    "grossAmount",
    "feeAmount",
    "netAmount",
];

/// Writes the file of a payout that no more settlements join, sorted by settlement. A repetition writes the same file.
pub(crate) async fn write(app: &App, payout: &Payout) -> Result<(), Failure> {
    let mut csv = String::new();
    write_header(&mut csv, &COLUMNS);
    let mut after: Option<String> = None;
    loop {
        let rows = app.store.settlements_of_payout(&payout.id, after.as_deref(), ROWS_PER_READ).await?;
        let Some(last) = rows.last() else { break };
        after = Some(last.settlement.id.to_string());
        rows.iter().for_each(|row| write_row(&mut csv, row));
    }
    let key = payout_file(&payout.id);
    Ok(app.documents().put_as(&key, Bytes::from(csv), CONTENT_TYPE).await?)
}

fn write_row(csv: &mut String, PayoutSettlement { payout_id, settlement }: &PayoutSettlement) {
    let units = |minor| Cell::Units(Money::new(minor, settlement.currency));
    write_record(
        csv,
        [
            Cell::Text(payout_id.as_str()),
            Cell::Text(settlement.id.as_str()),
            Cell::Text(settlement.merchant_id.as_str()),
            Cell::Text(&settlement.source_type.to_string()),
            Cell::Text(&settlement.source_id),
            Cell::optional(settlement.order_id.as_ref().map(|id| id.as_str())),
            Cell::optional(settlement.gift_card_id.as_ref().map(|id| id.as_str())),
            Cell::optional(settlement.redemption_id.as_ref().map(|id| id.as_str())),
            Cell::Text(&iso_8601(settlement.created_at)),
            Cell::Text(&iso_8601(settlement.eligible_at)),
            Cell::Text(settlement.currency.code()),
            Cell::Integer(settlement.gross.get()),
            Cell::Integer(settlement.fee.get()),
            Cell::Integer(settlement.net.get()),
            units(settlement.gross),
            units(settlement.fee),
            units(settlement.net),
        ],
    );
}
