//! Writes the history straight into the engine, in batches, so that the memory does not grow with the number of orders.

use dynoxide::Database;
use jiff::Timestamp;
use shared::cards::rows::orders::order_record;
use shared::db::Item;
use shared::projections::compare::Counted;

use super::progress::ProgressBar;
use super::{GenerateError, TABLE};
use crate::engine;
use crate::fixtures::Fixtures;
use crate::history::records::fixtures_of;
use crate::history::{Sale, Shop, sales};

/// Orders in one transaction of the engine.
const BATCH: usize = 1000;
/// Rows of tallies in one transaction of the engine.
const ROWS_OF_TALLIES: usize = 5000;
/// The card network knows the cards of this many orders, the latest ones.
const LATEST: i64 = 25;

/// Counts of what was written, and the latest sales.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) orders: usize,
    pub(super) gift_cards: usize,
    pub(super) redemptions: usize,
    pub(super) settlements: usize,
    pub(super) visits: usize,
    pub(super) rows: usize,
    pub(super) latest: Vec<Sale>,
}

impl Written {
    fn add(&mut self, batch: &Fixtures) {
        self.orders += batch.orders.len();
        self.gift_cards += batch.orders.iter().map(|order| order.gift_cards.len()).sum::<usize>();
        self.redemptions += batch.redemptions.len();
        self.settlements += batch.settlements.len();
        self.visits += batch.visits.len();
    }
}

/// Writes the merchants of the document, first of all, and the history of the first one, and shows the progress. Blocks.
pub(super) fn write_history(
    database: &Database,
    document: &Fixtures,
    shop: Shop,
    now: Timestamp,
) -> Result<Written, GenerateError> {
    let mut written = Written::default();
    let Some(merchant) = document.merchants.first() else { return Ok(written) };
    let mut counted = Counted::default();
    let mut progress = ProgressBar::on_stderr(u64::try_from(shop.orders).unwrap_or_default());
    let mut sales = sales(shop, merchant, now);
    database.enable_bulk_loading()?;
    written.rows += write(database, rows_of(document)?)?;
    loop {
        let batch: Vec<Sale> = sales.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let latest = batch.iter().filter(|sale| sale.number > shop.orders - LATEST);
        written.latest.extend(latest.cloned());
        let batch = fixtures_of(batch);
        batch.count(&mut counted);
        written.add(&batch);
        written.rows += write(database, rows_of(&batch)?)?;
        progress.update(u64::try_from(written.orders).unwrap_or_default());
    }
    for rows in counted.rows(&merchant.id, &merchant.calendars.serving)?.chunks(ROWS_OF_TALLIES) {
        written.rows += write(database, rows.to_vec())?;
    }
    database.disable_bulk_loading()?;
    Ok(written)
}

fn rows_of(fixtures: &Fixtures) -> Result<Vec<Item>, GenerateError> {
    Ok(fixtures.records(order_record)?.concat())
}

fn write(database: &Database, rows: Vec<Item>) -> Result<usize, GenerateError> {
    Ok(engine::import(database, TABLE, rows)?)
}
