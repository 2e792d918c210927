//! The file of a payout: a CSV of its settlements. It is written in parts, so that any number of settlements fits into memory.

use std::time::Duration;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

use super::payout::Payout;
use super::state::Upload;
use super::store::PayoutSettlement;
use super::worker::PayoutError;
use crate::app::App;
use crate::aws::files::{Download, FileError, MIN_PART_BYTES, payout_file};
use crate::base::audit;
use crate::db::{CommitError, StoreError, Write};
use crate::merchants::model::audit::{AuditAction, AuditEntry};
use crate::values::csv::{Cell, write_header, write_record};
use crate::values::{GiftCardId, Money, OrderId, RedemptionId, UserId, later};

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

/// How long a link to a file works.
const EXPIRES_IN: SignedDuration = SignedDuration::from_mins(10);

pub(super) enum Written {
    /// A part that others follow.
    Part(Upload),
    /// The last part. The file is complete.
    File,
    /// Nothing: the upload is gone. It has expired, or a worker completed it and died before the payout was sealed.
    Nothing,
}

/// Writes the next part of the file of a payout that no more settlements join. The rows are sorted by settlement and never
/// change, so that a repetition writes the same part.
pub(super) async fn write_part(app: &App, payout: &Payout, upload: Option<&Upload>) -> Result<Written, PayoutError> {
    let key = payout_file(&payout.id);
    let (csv, until) = next_rows(app, payout, upload).await?;
    let (id, mut parts) = match upload {
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
async fn next_rows(app: &App, payout: &Payout, upload: Option<&Upload>) -> Result<(String, Option<String>), PayoutError> {
    let mut csv = String::new();
    if upload.is_none() {
        write_header(&mut csv, &COLUMNS);
    }
    let mut until = upload.map(|upload| upload.until.clone());
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
            Cell::text(payout_id.as_str()),
            Cell::text(settlement.id.as_str()),
            Cell::text(settlement.merchant_id.as_str()),
            Cell::text(settlement.source_type.to_string()),
            Cell::text(&settlement.source_id),
            Cell::optional(settlement.order_id.as_ref().map(OrderId::as_str)),
            Cell::optional(settlement.gift_card_id.as_ref().map(GiftCardId::as_str)),
            Cell::optional(settlement.redemption_id.as_ref().map(RedemptionId::as_str)),
            Cell::Time(settlement.created_at),
            Cell::Time(settlement.eligible_at),
            Cell::text(settlement.currency.code()),
            Cell::Integer(settlement.gross.get()),
            Cell::Integer(settlement.fee.get()),
            Cell::Integer(settlement.net.get()),
            units(settlement.gross),
            units(settlement.fee),
            units(settlement.net),
        ],
    );
}

/// A link that opens the file of a payout without a session.
#[derive(Debug)]
pub struct FileLink {
    pub url: String,
    pub expires_at: Timestamp,
}

#[derive(Debug, Error)]
pub enum FileLinkError {
    #[error("settlements are still joining the payout")]
    NotSealed,
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<StoreError> for FileLinkError {
    fn from(error: StoreError) -> Self {
        Self::Commit(error.into())
    }
}

/// A link to the file, which is written before the payout is sealed.
pub async fn file_link(app: &App, payout: &Payout) -> Result<FileLink, FileLinkError> {
    if !payout.is_sealed() {
        return Err(FileLinkError::NotSealed);
    }
    let now = app.clock.now();
    let expires_in = Duration::try_from(EXPIRES_IN).unwrap_or_default();
    let url = app.documents().presigned_url(&payout_file(&payout.id), now, expires_in).await?;
    Ok(FileLink { url, expires_at: later(now, EXPIRES_IN) })
}

/// As [`file_link`], for a platform administrator: the audit trail names who asked for it.
pub async fn audited_file_link(app: &App, payout: &Payout, by: &UserId) -> Result<FileLink, FileLinkError> {
    let link = file_link(app, payout).await?;
    let entry = AuditEntry {
        subject: Some(payout.id.to_string()),
        ..app.store.new_audit_entry(by, Some(&payout.merchant_id), AuditAction::PayoutFileRead, app.clock.now())
    };
    app.store.commit(vec![Write::create(&entry)?]).await?;
    audit::administration(&entry);
    Ok(link)
}
