//! The files of exports, in pieces: each is made of the rows that follow the previous one, oldest first.

mod records;

use jiff::Timestamp;

pub use self::records::columns;
use self::records::{Record, write_columns};
use crate::cards::model::order::{OrderEntry, OrderFilter};
use crate::db::{Item, Range, Store, StoreError, item_key, keys};
use crate::projections::model::export::{Export, Position, SelectedBy};
use crate::projections::model::tally::Family;
use crate::settlements::model::settlement::Settlement;
use crate::values::calendar::live_from;

/// A part of an export's file.
#[derive(Debug)]
pub struct Piece {
    pub csv: String,
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
    let mut csv = rest;
    if position.is_none() {
        write_columns(&mut csv, export.kind);
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
                    record.write(&mut csv, &zone, export.by);
                    rows += 1;
                }
                after = Some(sort_key);
            }
            if next.is_none() {
                break;
            }
            if let Some(after) = after.clone().filter(|_| csv.len() >= min_bytes || pages >= MAX_PAGES) {
                return Ok(Piece { csv, rows, end: Some(Position { family: index, after }) });
            }
            start = next;
        }
    }
    Ok(Piece { csv, rows, end: None })
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
