//! The file of a payout: a CSV of its settlements. It is written in parts, so that any number of settlements fits into memory.

use bytes::Bytes;
use shared::app::App;
use shared::clock::iso_8601;
use shared::domain::csv::{Cell, write_header, write_record};
use shared::domain::ids::{GiftCardId, OrderId, RedemptionId};
use shared::domain::money::Money;
use shared::domain::payout::{Payout, Upload};
use shared::files::{Download, MIN_PART_BYTES, payout_file};
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

/// What was written.
pub(crate) enum Written {
    /// A part that others follow.
    Part(Upload),
    /// The last part. The file is complete.
    File,
    /// Nothing: the upload is gone. It has expired, or a worker completed it and died before the payout was sealed.
    Nothing,
}

/// Writes the next part of the file of a payout that no more settlements join. The rows are sorted by settlement and never
/// change, so that a repetition writes the same part.
pub(crate) async fn write_part(app: &App, payout: &Payout) -> Result<Written, Failure> {
    let key = payout_file(&payout.id);
    let (csv, until) = next_rows(app, payout).await?;
    let (id, mut parts) = match &payout.upload {
        Some(upload) => (upload.id.clone(), upload.parts.clone()),
        None => {
            let file_name = format!("{}.csv", payout.id);
            let download = Download { content_type: CONTENT_TYPE, file_name: &file_name };
            (app.documents().start_upload(&key, download).await?, Vec::new())
        }
    };
    if !csv.is_empty() {
        let part = app.documents().upload_part(&key, &id, parts.len() + 1, Bytes::from(csv)).await?;
        let Some(part) = part else { return Ok(Written::Nothing) };
        parts.push(part);
    }
    if let Some(until) = until {
        return Ok(Written::Part(Upload { id, parts, until }));
    }
    let is_complete = app.documents().complete_upload(&key, &id, &parts).await?;
    Ok(if is_complete { Written::File } else { Written::Nothing })
}

/// The next rows that are large enough for a part, and the last settlement among them. `None` if they are the last rows.
async fn next_rows(app: &App, payout: &Payout) -> Result<(String, Option<String>), Failure> {
    let mut csv = String::new();
    if payout.upload.is_none() {
        write_header(&mut csv, &COLUMNS);
    }
    let mut until = payout.upload.as_ref().map(|upload| upload.until.clone());
    while csv.len() < MIN_PART_BYTES {
        let rows = app.store.settlements_of_payout(&payout.id, until.as_deref(), ROWS_PER_READ).await?;
        let Some(last) = rows.last() else { return Ok((csv, None)) };
        until = Some(last.settlement.id.to_string());
        for row in &rows {
            write_row(&mut csv, row);
        }
    }
    Ok((csv, until))
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
            Cell::optional(settlement.order_id.as_ref().map(OrderId::as_str)),
            Cell::optional(settlement.gift_card_id.as_ref().map(GiftCardId::as_str)),
            Cell::optional(settlement.redemption_id.as_ref().map(RedemptionId::as_str)),
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
