//! Compares the tallies of merchants with their entries, and rebuilds them.

use std::io::{IsTerminal, Write, stderr};

use clap::Args;
use jiff::Timestamp;
use shared::domain::calendar::Calendar;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::domain::tally::Family;
use shared::projections::calendars;
use shared::projections::compare::{Drift, compare, rebuild};
use shared::projections::search::{SearchError, Writer};
use shared::store::{Store, StoreError, Stored, Update};
use thiserror::Error;

#[derive(Debug, Args)]
pub(crate) struct Of {
    /// The merchant's id
    #[arg(long, value_name = "ID")]
    merchant: String,
}

#[derive(Debug, Args)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    of: Of,
    /// Write the entries of all rows again, as for a merchant that has none yet. After older code, which writes no entries, has
    /// changed rows
    #[arg(long)]
    entries: bool,
}

#[derive(Debug, Error)]
pub(crate) enum TallyError {
    #[error("there is no merchant {0}")]
    NoMerchant(MerchantId),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error("the search segments were renewed during every attempt; repeat the command")]
    SegmentsContended,
}

/// Rows that are processed at once. More would slow down the tills: an index that cannot keep up throttles the table.
const CONCURRENCY: usize = 8;
/// Segments are renewed every five minutes, and take about a minute for a million orders.
const MAX_SEGMENT_ATTEMPTS: u32 = 5;

/// Returns the number of minutes whose tallies, or those of their day or month, differ from the entries.
pub(crate) async fn compare_of(store: &Store, of: &Of, now: Timestamp) -> Result<usize, TallyError> {
    let merchant = merchant(store, of).await?;
    Ok(report(&drift(store, &merchant, now).await?))
}

/// Writes missing entries if the merchant's lists and reports still read the rows themselves, recounts what differs, and lets
/// the tallies serve. Writes the search segments anew.
pub(crate) async fn rebuild_of(
    writer: &Writer<'_>,
    Rebuild { of, entries }: &Rebuild,
) -> Result<(), TallyError> {
    let store = writer.store;
    let mut merchant = merchant(store, of).await?;
    let id = merchant.id.clone();
    if *entries || merchant.calendars.serving.is_none() {
        for family in Family::ALL {
            let mut progress = Progress::new("entries");
            store.write_entries(&id, family, CONCURRENCY, |done| progress.show(done, None)).await?;
        }
        store.update(merchant, |merchant| Ok::<_, StoreError>(with_calendar_to_build(merchant))).await?;
        merchant = self::merchant(store, of).await?;
    }
    let drift = drift(store, &merchant, writer.now).await?;
    let minutes = report(&drift);
    let mut progress = Progress::new("minutes");
    rebuild(store, &id, &drift, |done| progress.show(done, Some(minutes))).await?;
    calendars::build(store, &id, writer.now, writer.random).await?;
    eprintln!("{minutes} minutes recounted");
    rebuild_segments(writer, &id).await
}

/// Repeated if the segments are renewed meanwhile.
async fn rebuild_segments(writer: &Writer<'_>, merchant: &MerchantId) -> Result<(), TallyError> {
    for _ in 0..MAX_SEGMENT_ATTEMPTS {
        let mut progress = Progress::new("orders written for searches");
        if writer.rebuild(merchant, |done| progress.show(done, None)).await? {
            return Ok(());
        }
    }
    Err(TallyError::SegmentsContended)
}

async fn merchant(store: &Store, of: &Of) -> Result<Stored<Merchant>, TallyError> {
    let id = MerchantId::new(&of.merchant);
    store.merchant(&id).await?.ok_or(TallyError::NoMerchant(id))
}

fn with_calendar_to_build(merchant: &Merchant) -> Option<Update<Merchant>> {
    let mut changed = merchant.clone();
    changed.calendars.change_to(&merchant.time_zone);
    (changed != *merchant).then(|| changed.into())
}

/// A calendar that is being built is compared by whoever builds it.
async fn drift(store: &Store, merchant: &Merchant, now: Timestamp) -> Result<Drift, StoreError> {
    let calendars: Vec<Calendar> = merchant.calendars.serving.iter().cloned().collect();
    compare(store, &merchant.id, &calendars, now).await
}

/// Prints the drift of each family, and returns that of all.
fn report(drift: &Drift) -> usize {
    for (family, minutes) in drift {
        println!("{family:?}: {} minutes differ", minutes.len());
    }
    drift.values().map(std::collections::BTreeSet::len).sum()
}

/// One line on the terminal that is written over.
struct Progress {
    what: &'static str,
    percent: Option<usize>,
}

impl Progress {
    fn new(what: &'static str) -> Self {
        Self { what, percent: None }
    }

    fn show(&mut self, done: usize, of: Option<usize>) {
        let percent = of.map(|of| done * 100 / of.max(1));
        let is_due = if of.is_some() { percent != self.percent } else { done.is_multiple_of(100) };
        if !stderr().is_terminal() || !is_due {
            return;
        }
        self.percent = percent;
        let of = of.map(|of| format!(" of {of}")).unwrap_or_default();
        let _ = write!(stderr(), "\r{done}{of} {}", self.what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if stderr().is_terminal() {
            let _ = writeln!(stderr());
        }
    }
}
