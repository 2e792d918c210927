//! Exports: files of a merchant's orders, redemptions or settlements, for its bookkeeping.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::tally::{Family, SettlementKind};
use crate::cards::model::order::{OrderFilter, OrderStatus, PaymentStatus};
use crate::team::model::team::Permission;
use crate::values::{Dates, ExportId, MerchantId, Span, day_span, time_zone};

/// What an export contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportKind {
    Orders,
    Redemptions,
    Settlements,
}

impl ExportKind {
    pub const ALL: [Self; 3] = [Self::Orders, Self::Redemptions, Self::Settlements];

    pub fn name(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::Redemptions => "redemptions",
            Self::Settlements => "settlements",
        }
    }

    /// The permission that shows the same rows in the portal. An export needs it for reading.
    pub fn permission(self) -> Permission {
        match self {
            Self::Orders => Permission::Orders,
            Self::Redemptions => Permission::Analytics,
            Self::Settlements => Permission::Reports,
        }
    }

    /// The lists whose rows are exported, one after the other.
    pub fn families(self, settlements: &[SettlementKind]) -> Vec<Family> {
        match self {
            Self::Orders => vec![Family::Orders],
            Self::Redemptions => vec![Family::Redemptions],
            Self::Settlements => settlements.iter().copied().map(Family::Settlements).collect(),
        }
    }
}

/// The type of an export's file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    #[default]
    Csv,
    /// A workbook.
    Xlsx,
}

impl ExportFormat {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }
}

/// The most rows of a workbook.
pub const MAX_WORKBOOK_ROWS: u64 = 200_000;

/// The time that decides whether a row belongs to the days of its export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum SelectedBy {
    /// That of its list. Of settlements, this is when they are due, which can be ahead.
    #[default]
    EligibleAt,
    /// When a settlement was created, whenever it is due.
    CreatedAt,
}

/// Days of a merchant's time zone, both included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Days {
    pub from: Date,
    pub to: Date,
    pub time_zone: String,
}

impl Days {
    pub fn zone(&self) -> TimeZone {
        time_zone(&self.time_zone)
    }

    /// From the start of the first day to the end of the last one.
    pub fn span(&self) -> Span<Timestamp> {
        let zone = self.zone();
        let start = day_span(self.from, &zone).start;
        // Not before the start, at the end of the calendar.
        start..day_span(self.to, &zone).end.max(start)
    }
}

/// Which orders of its days an export contains: those that a list with this filter shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedOrders {
    pub status: Option<OrderStatus>,
    pub payment_status: Option<PaymentStatus>,
    pub text: String,
}

impl ExportedOrders {
    pub fn filter(&self) -> OrderFilter {
        let Self { status, payment_status, text } = self.clone();
        OrderFilter { status, payment_status, text, placed: Dates::default() }
    }
}

/// An export and its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    pub id: ExportId,
    pub merchant_id: MerchantId,
    pub kind: ExportKind,
    pub days: Days,
    pub by: SelectedBy,
    pub format: ExportFormat,
    /// The lists that are read, fixed when the export was requested, so that each worker goes on in the same order.
    pub families: Vec<Family>,
    /// Which orders, if it is an export of orders.
    pub orders: ExportedOrders,
    /// The key of the file in its bucket.
    pub object_key: String,
    pub created_at: Timestamp,
    pub state: ExportState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExportState {
    Running(ExportProgress),
    Ready {
        rows: u64,
    },
    Failed,
    /// It has failed, because a workbook has at most [`MAX_WORKBOOK_ROWS`].
    TooManyRows,
}

/// How far an export is: another worker goes on from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportProgress {
    /// The multipart upload. `None` until it has been started.
    pub upload_id: Option<String>,
    pub parts: Vec<UploadedPart>,
    /// The key of the file with the rows that follow, as long as they do not fill a part.
    pub rest: Option<String>,
    /// The keys of the files with the rows of a workbook, which is made once all are read: then there is no position.
    pub pieces: Vec<String>,
    /// Number of rows in these parts and this file.
    pub rows: u64,
    /// The last row that was read for them.
    pub position: Option<Position>,
    /// Number of times that the file was begun again, because its upload was gone.
    pub restarts: u32,
    /// When the export has failed, unless it gets further before.
    pub fails_at: Timestamp,
}

/// A part of the file in S3. Parts are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedPart {
    pub e_tag: String,
    pub crc32: Option<String>,
}

/// A row of the export's source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Which of the source's families.
    pub family: usize,
    /// The row's sort key.
    pub after: String,
}

/// How long an export and its file can be read.
pub const RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// How long an export can be without progress until it has failed: as long as its job is retried every few minutes.
const STALL_TIMEOUT: SignedDuration = SignedDuration::from_mins(30);
const MAX_RESTARTS: u32 = 3;

impl ExportProgress {
    pub fn new(now: Timestamp) -> Self {
        let fails_at = now.saturating_add(STALL_TIMEOUT).unwrap_or(Timestamp::MAX);
        Self {
            upload_id: None,
            parts: Vec::new(),
            rest: None,
            pieces: Vec::new(),
            rows: 0,
            position: None,
            restarts: 0,
            fails_at,
        }
    }

    /// Progress at `now`, in a started upload.
    #[must_use]
    pub fn with_part(&self, part: UploadedPart, rows: u64, position: Option<Position>, now: Timestamp) -> Self {
        let parts = self.parts.iter().cloned().chain([part]).collect();
        Self { parts, rest: None, ..self.with_rows(rows, position, now) }
    }

    /// Progress at `now`, with a file of rows that do not fill a part.
    #[must_use]
    pub fn with_rest(&self, rest: String, rows: u64, position: Option<Position>, now: Timestamp) -> Self {
        Self { rest: Some(rest), ..self.with_rows(rows, position, now) }
    }

    /// Progress at `now`, with another file of rows of a workbook.
    #[must_use]
    pub fn with_piece(&self, piece: String, rows: u64, position: Option<Position>, now: Timestamp) -> Self {
        let pieces = self.pieces.iter().cloned().chain([piece]).collect();
        Self { pieces, ..self.with_rows(rows, position, now) }
    }

    fn with_rows(&self, rows: u64, position: Option<Position>, now: Timestamp) -> Self {
        Self { rows: self.rows + rows, position, fails_at: Self::new(now).fails_at, ..self.clone() }
    }

    #[must_use]
    pub fn with_upload(&self, upload_id: String) -> Self {
        Self { upload_id: Some(upload_id), ..self.clone() }
    }

    /// From the beginning, with another upload. `None` after the last restart.
    pub fn restarted(&self, now: Timestamp) -> Option<Self> {
        let restarts = self.restarts + 1;
        (restarts <= MAX_RESTARTS).then(|| Self { restarts, ..Self::new(now) })
    }
}

impl Export {
    /// When it can no longer be read.
    pub fn expires_at(&self) -> Timestamp {
        self.created_at.saturating_add(RETENTION).unwrap_or(Timestamp::MAX)
    }

    /// The export as it is at `now`: one whose workers made no progress for too long has failed.
    pub fn state_at(&self, now: Timestamp) -> &ExportState {
        match &self.state {
            ExportState::Running(progress) if now >= progress.fails_at => &ExportState::Failed,
            state => state,
        }
    }

    #[must_use]
    pub fn with_state(&self, state: ExportState) -> Self {
        Self { state, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_time_zone_and_both_are_included() {
        for (zone, from, to, start, end) in [
            ("UTC", "2026-01-01", "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
            ("Europe/Stockholm", "2026-03-29", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
            ("Europe/Stockholm", "2026-10-25", "2026-10-26", "2026-10-24T22:00:00Z", "2026-10-26T23:00:00Z"),
            ("UTC", "9999-01-01", "9999-12-31", "9999-01-01T00:00:00Z", "9999-01-01T00:00:00Z"),
            ("UTC+05:30", "2026-01-01", "2026-12-31", "2025-12-31T18:30:00Z", "2026-12-31T18:30:00Z"),
        ] {
            let date = |text: &str| text.parse::<Date>().unwrap();
            let days = Days { from: date(from), to: date(to), time_zone: zone.to_owned() };
            let expected: Span<Timestamp> = start.parse().unwrap()..end.parse().unwrap();
            assert_eq!(days.span(), expected, "{zone} {from}");
        }
    }

    #[test]
    fn an_export_without_progress_fails_after_half_an_hour() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let export = Export {
            id: ExportId::new("e"),
            merchant_id: MerchantId::new("m"),
            kind: ExportKind::Orders,
            days: Days { from: Date::constant(2026, 1, 1), to: Date::constant(2026, 1, 1), time_zone: "UTC".to_owned() },
            by: SelectedBy::EligibleAt,
            format: ExportFormat::Csv,
            families: vec![Family::Orders],
            orders: ExportedOrders::default(),
            object_key: "k".to_owned(),
            created_at: now,
            state: ExportState::Running(ExportProgress::new(now)),
        };
        let minutes = |minutes| now + SignedDuration::from_mins(minutes);
        assert_eq!(export.state_at(minutes(29)), &export.state);
        assert_eq!(export.state_at(minutes(30)), &ExportState::Failed);

        let ExportState::Running(progress) = &export.state else { unreachable!() };
        let part = UploadedPart { e_tag: "1".to_owned(), crc32: None };
        let progress = progress.with_upload("u".to_owned()).with_part(part, 7, None, minutes(29));
        let further = export.with_state(ExportState::Running(progress));
        assert_eq!(further.state_at(minutes(58)), &further.state);
        assert_eq!(further.state_at(minutes(59)), &ExportState::Failed);
    }

    #[test]
    fn a_file_is_begun_again_three_times() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut progress = Some(ExportProgress::new(now).with_upload("u".to_owned()));
        let mut restarts = 0;
        while let Some(restarted) = progress.and_then(|progress| progress.restarted(now)) {
            assert_eq!((&restarted.upload_id, restarted.rows), (&None, 0));
            restarts += 1;
            progress = Some(restarted);
        }
        assert_eq!(restarts, 3);
    }
}
