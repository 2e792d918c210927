//! The files of exports, in pieces: each is made of the rows that follow the previous one, oldest first.

mod records;

use jiff::{Timestamp, ToSpan};

use self::records::Record;
pub use self::records::columns;
use crate::cards::model::order::{OrderEntry, OrderFilter};
use crate::db::{Item, Range, Store, StoreError, item_key, keys};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::export::{Export, ExportFormat, Position, SelectedBy};
use crate::projections::model::tally::{DatedSeries, Family};
use crate::settlements::model::settlement::Settlement;
use crate::values::csv::{self, Cell};
use crate::values::{OpenEnum, date_of, day_span, live_from};

/// A part of an export's file.
#[derive(Debug)]
pub struct Piece {
    /// Records of a CSV, or [rows](parse_rows) for a workbook.
    pub text: String,
    /// Number of rows in it.
    pub rows: u64,
    /// The last row that was read for it. `None` if nothing follows.
    pub end: Option<Position>,
}

/// Pages of DynamoDB that are read for a piece at most, of 1 MB each: about a second. Few of their rows may be exported.
const MAX_PAGES: usize = 8;

/// The `rest` of an earlier piece and the rows after a position, or the column names and the first rows. A piece ends with the page of
/// rows by which it has `min_bytes`, so it is larger by at most what a page becomes. It is smaller if nothing follows, or if that many
/// were read.
pub async fn next_piece(
    store: &Store,
    export: &Export,
    position: Option<&Position>,
    rest: String,
    min_bytes: usize,
    now: Timestamp,
) -> Result<Piece, StoreError> {
    let mut text = rest;
    if position.is_none() && export.format == ExportFormat::Csv {
        csv::write_header(&mut text, columns(export.kind));
    }
    let (mut rows, mut pages) = (0, 0);
    let zone = export.days.zone();
    let first = position.map_or(0, |position| position.family);
    for (index, family) in export.families.iter().enumerate().skip(first) {
        let reader = Reader { store, export, orders: export.orders.filter(), family: *family };
        let mut after = position.filter(|position| position.family == index).map(|position| position.after.clone());
        let range = reader.range(after.as_deref(), now);
        let mut start = None;
        loop {
            let (items, next) = store.page(&range, start).await?;
            pages += 1;
            for item in items {
                let Some(sort_key) = item_key(&item).map(|key| key.sk).filter(|key| Some(key) != after.as_ref()) else {
                    continue;
                };
                if let Some(record) = reader.record(item) {
                    write(&mut text, record.cells(&zone, export.by), export.format)?;
                    rows += 1;
                }
                after = Some(sort_key);
            }
            if next.is_none() {
                break;
            }
            if let Some(after) = after.clone().filter(|_| text.len() >= min_bytes || pages >= MAX_PAGES) {
                return Ok(Piece { text, rows, end: Some(Position { family: index, after }) });
            }
            start = next;
        }
    }
    Ok(Piece { text, rows, end: None })
}

/// The number of rows that an export has at least, by the tallies of the days that lie in it as a whole. 0 where tallies do not tell.
pub async fn least_rows(store: &Store, export: &Export, merchant: &Merchant) -> Result<u64, StoreError> {
    if export.by == SelectedBy::CreatedAt || !export.orders.text.is_empty() {
        return Ok(0);
    }
    let mut rows = 0;
    for family in &export.families {
        let Some(series) = family.series().next() else { continue };
        let series = DatedSeries::new(series, &merchant.calendars.serving);
        let (zone, span) = (series.zone(), export.days.span());
        let first = date_of(span.start, &zone);
        let first = if day_span(first, &zone).start < span.start { first.saturating_add(1.day()) } else { first };
        let days = store.tallies(&merchant.id).days(&series, &(first..date_of(span.end, &zone)), Range::eventual).await?;
        rows += days.iter().map(|(_, day)| day.tally.count_where(|labels| is_exported(labels, export, *family))).sum::<u64>();
    }
    Ok(rows)
}

/// Whether rows that are tallied with these labels are exported.
fn is_exported(labels: &[String], export: &Export, family: Family) -> bool {
    let matches = |position: usize, wanted: Option<String>| wanted.is_none_or(|wanted| labels.get(position) == Some(&wanted));
    let status = export.orders.status.map(|status| OpenEnum::from(status).to_string());
    let payment_status = export.orders.payment_status.map(|status| OpenEnum::from(status).to_string());
    family != Family::Orders || (matches(0, status) && matches(1, payment_status))
}

fn write(text: &mut String, cells: Vec<Cell<'_>>, format: ExportFormat) -> Result<(), StoreError> {
    match format {
        ExportFormat::Csv => csv::write_record(text, cells),
        ExportFormat::Xlsx => {
            text.push_str(&serde_json::to_string(&cells).map_err(|_| unreadable())?);
            text.push('\n');
        }
    }
    Ok(())
}

/// The rows of a piece for a workbook: a line with the cells of each.
pub fn parse_rows(text: &str) -> impl Iterator<Item = Result<Vec<Cell<'_>>, StoreError>> {
    text.lines().map(|row| serde_json::from_str(row).map_err(|_| unreadable()))
}

/// Without the error, whose message can contain values.
fn unreadable() -> StoreError {
    StoreError::UnreadableRow("a row of a workbook".to_owned())
}

/// Reads one list of an export.
struct Reader<'a> {
    store: &'a Store,
    export: &'a Export,
    orders: OrderFilter,
    family: Family,
}

impl Reader<'_> {
    /// From the row `after`, which is the first of the range, to the end of the export's days. The rows are in the order in which they
    /// are due, so that those of a day of creation can be anywhere.
    fn range(&self, after: Option<&str>, now: Timestamp) -> Range {
        let range = Range::of_table(keys::entries(&self.export.merchant_id, self.family));
        let span = self.export.days.span();
        let range = if span.end <= live_from(now) { range.eventually() } else { range };
        let range = match self.export.by {
            SelectedBy::EligibleAt => range.within(&span),
            SelectedBy::CreatedAt => range.within(&(Timestamp::MIN..Timestamp::MAX)),
        };
        match after {
            Some(after) => range.starting_at(after),
            None => range,
        }
    }

    /// `None` for a row that is not exported, or that cannot be read.
    fn record(&self, item: Item) -> Option<Record> {
        let store = self.store;
        match self.family {
            Family::Orders => {
                let order: Option<OrderEntry> = store.readable_value(item);
                order.filter(|order| self.orders.matches(order)).map(Record::Order)
            }
            Family::Redemptions => store.readable_value(item).map(Record::Redemption),
            Family::Settlements(_) => {
                let settlement: Option<Settlement> = store.readable_value(item);
                let by_due_day = self.export.by == SelectedBy::EligibleAt;
                let settlement = settlement.filter(|one| by_due_day || self.export.days.span().contains(&one.created_at));
                settlement.map(|settlement| Record::Settlement(Box::new(settlement)))
            }
            Family::Visits => None,
        }
    }
}
