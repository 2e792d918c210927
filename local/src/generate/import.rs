//! Writes the history straight into the engine, in batches, so that the memory does not grow with the number of orders.

use std::collections::VecDeque;

use dynoxide::Database;
use shared::projections::compare::Counted;
use shared::store::Item;

use super::history::{Sale, sales};
use super::progress::ProgressBar;
use super::rows::{count as count_sale, rows_of, rows_of_merchant, rows_of_tallies};
use super::{GenerateError, Plan, TABLE};
use crate::engine;

/// Orders in one transaction of the engine.
const BATCH: usize = 1000;
/// Rows of tallies in one transaction of the engine.
const ROWS_OF_TALLIES: usize = 5000;
/// The number of cards that exist at the card network.
const LATEST_ISSUED: usize = 20;

/// Counts of what was written, and the latest sales of a card.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) orders: u64,
    pub(super) gift_cards: u64,
    pub(super) redemptions: u64,
    pub(super) settlements: u64,
    pub(super) visits: u64,
    pub(super) rows: u64,
    latest_issued: VecDeque<Sale>,
}

impl Written {
    /// The latest sales whose card was issued, oldest first.
    pub(super) fn latest_issued(&self) -> impl Iterator<Item = &Sale> {
        self.latest_issued.iter()
    }

    fn add(&mut self, sale: Sale) {
        self.orders += 1;
        self.gift_cards += count(sale.order.gift_cards.len());
        self.redemptions += u64::from(sale.redemption.is_some());
        self.settlements += u64::from(sale.settlement.is_some());
        self.visits += u64::from(sale.visit.is_some());
        if sale.is_completed() {
            self.latest_issued.push_back(sale);
        }
        if self.latest_issued.len() > LATEST_ISSUED {
            self.latest_issued.pop_front();
        }
    }
}

/// Writes the merchant and its history, and shows the progress. Blocks.
pub(super) fn write_history(database: &Database, plan: &Plan) -> Result<Written, GenerateError> {
    let mut written = Written::default();
    let mut counted = Counted::default();
    let mut progress = ProgressBar::on_stderr(u64::try_from(plan.orders).unwrap_or_default());
    let mut sales = sales(plan);
    database.enable_bulk_loading()?;
    written.rows += write(database, rows_of_merchant()?)?;
    loop {
        let batch: Vec<Sale> = sales.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        let mut rows = Vec::new();
        for sale in batch {
            rows.extend(rows_of(&sale)?);
            count_sale(&mut counted, &sale);
            written.add(sale);
        }
        written.rows += write(database, rows)?;
        progress.update(written.orders);
    }
    for rows in rows_of_tallies(&counted)?.chunks(ROWS_OF_TALLIES) {
        written.rows += write(database, rows.to_vec())?;
    }
    database.disable_bulk_loading()?;
    Ok(written)
}

fn write(database: &Database, rows: Vec<Item>) -> Result<u64, GenerateError> {
    Ok(count(engine::import(database, TABLE, rows)?))
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or_default()
}
