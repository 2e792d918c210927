//! Compares the tallies of merchants with their entries, and rebuilds them.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{IsTerminal, Write, stderr};

use clap::Args;
use jiff::Timestamp;
use shared::domain::calendar::Calendar;
use shared::domain::ids::MerchantId;
use shared::domain::merchant::Merchant;
use shared::projections::calendars;
use shared::projections::compare::{Drift, compare, rebuild};
use shared::projections::search::{SearchError, Writer};
use shared::store::{Store, StoreError, Stored};
use thiserror::Error;

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Of {
    /// The merchant's id
    #[arg(long, value_name = "ID")]
    merchant: Option<String>,
    /// All merchants
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rebuild {
    #[command(flatten)]
    of: Of,
    /// Read the whole table and write the entries of all rows again, as for merchants that have none yet. After older code,
    /// which writes no entries, has changed rows
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

/// Rows that are processed at once. More would slow down the tills: rows of the same minutes share a partition.
const CONCURRENCY: usize = 8;
/// Segments are renewed every five minutes, and take about a minute for a million orders.
const MAX_SEGMENT_ATTEMPTS: u32 = 5;

/// What `compare` has found.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Minutes whose tallies, or those of their day or month, differ from the entries.
    minutes: usize,
    /// Merchants whose entries are not known to be complete.
    without_calendar: usize,
}

impl Differences {
    pub(crate) fn is_empty(&self) -> bool {
        self.minutes == 0 && self.without_calendar == 0
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} minutes differ", self.minutes)?;
        if self.without_calendar > 0 {
            write!(f, ", {} merchants without a serving calendar", self.without_calendar)?;
        }
        Ok(())
    }
}

pub(crate) async fn compare_of(store: &Store, of: &Of, now: Timestamp) -> Result<Differences, TallyError> {
    let mut differences = Differences::default();
    for merchant in merchants(store, of).await? {
        if merchant.calendars.serving.is_none() {
            println!("{}: no serving calendar", merchant.id);
            differences.without_calendar += 1;
        }
        differences.minutes += report(&merchant, &drift(store, &merchant, now).await?);
    }
    Ok(differences)
}

/// Writes the entries of all rows, if a merchant's are not known to be complete. Then, for each merchant, recounts what differs,
/// lets the tallies serve, and writes the search segments anew.
pub(crate) async fn rebuild_of(writer: &Writer<'_>, Rebuild { of, entries }: &Rebuild) -> Result<(), TallyError> {
    let merchants = merchants(writer.store, of).await?;
    if *entries || merchants.iter().any(|merchant| merchant.calendars.serving.is_none()) {
        let only = of.merchant.as_ref().map(MerchantId::new);
        let mut progress = ProgressLine::new("rows read for entries");
        let unreadable = writer.store.write_entries(only.as_ref(), CONCURRENCY, |read| progress.show(read, None)).await?;
        drop(progress);
        if unreadable > 0 {
            eprintln!("{unreadable} rows cannot be read, and have no entries");
        }
    }
    for merchant in &merchants {
        rebuild_merchant(writer, &merchant.id).await?;
    }
    Ok(())
}

async fn rebuild_merchant(writer: &Writer<'_>, id: &MerchantId) -> Result<(), TallyError> {
    let store = writer.store;
    let merchant = merchant(store, id).await?;
    let drift = drift(store, &merchant, writer.now).await?;
    let minutes = report(&merchant, &drift);
    let mut progress = ProgressLine::new("minutes");
    rebuild(store, id, &drift, |done| progress.show(done, Some(minutes))).await?;
    drop(progress);
    calendars::serve(store, id, writer.now, writer.random).await?;
    eprintln!("{id}: {minutes} minutes recounted");
    rebuild_segments(writer, id).await
}

/// Repeated if the segments are renewed meanwhile.
async fn rebuild_segments(writer: &Writer<'_>, merchant: &MerchantId) -> Result<(), TallyError> {
    for _ in 0..MAX_SEGMENT_ATTEMPTS {
        let mut progress = ProgressLine::new("orders written for searches");
        if writer.rebuild(merchant, |done| progress.show(done, None)).await? {
            return Ok(());
        }
    }
    Err(TallyError::SegmentsContended)
}

async fn merchants(store: &Store, of: &Of) -> Result<Vec<Stored<Merchant>>, TallyError> {
    let ids = match &of.merchant {
        Some(id) => BTreeSet::from([MerchantId::new(id)]),
        None => store.merchant_ids().await?,
    };
    let mut merchants = Vec::new();
    for id in &ids {
        merchants.push(merchant(store, id).await?);
    }
    Ok(merchants)
}

async fn merchant(store: &Store, id: &MerchantId) -> Result<Stored<Merchant>, TallyError> {
    store.merchant(id).await?.ok_or_else(|| TallyError::NoMerchant(id.clone()))
}

/// A calendar that is being built is compared by whoever builds it.
async fn drift(store: &Store, merchant: &Merchant, now: Timestamp) -> Result<Drift, StoreError> {
    let calendars: Vec<Calendar> = merchant.calendars.serving.iter().cloned().collect();
    compare(store, &merchant.id, &calendars, now).await
}

/// Prints the drift of each family of a merchant, and returns that of all.
fn report(merchant: &Merchant, drift: &Drift) -> usize {
    for (family, minutes) in drift {
        println!("{}: {family:?}: {} minutes differ", merchant.id, minutes.len());
    }
    drift.values().map(BTreeSet::len).sum()
}

/// One line on the terminal that is written over.
struct ProgressLine {
    what: &'static str,
    percent: Option<usize>,
}

impl ProgressLine {
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

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if stderr().is_terminal() {
            let _ = writeln!(stderr());
        }
    }
}
