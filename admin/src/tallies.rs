//! Compares the tallies of merchants with their entries, and rebuilds them.

use std::collections::BTreeSet;
use std::io::{IsTerminal, Write, stderr};
use std::slice;

use clap::Args;
use jiff::Timestamp;
use shared::db::{Store, StoreError, Stored};
use shared::merchants::model::merchant::Merchant;
use shared::projections::compare::{Drift, compare, rebuild};
use shared::projections::search::{SearchError, Writer};
use shared::values::{MerchantId, release};
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

#[derive(Debug, Error)]
pub(crate) enum TallyError {
    #[error("there is no merchant {0}")]
    NoMerchant(MerchantId),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(
        "the days of {merchant} are those of the time zone data {theirs}, which differ from {ours} here: use the deployed version"
    )]
    OtherDays { merchant: MerchantId, theirs: String, ours: &'static str },
    #[error("the search segments were renewed during every attempt; repeat the command")]
    SegmentsContended,
}

/// Segments are renewed every five minutes, and take about a minute for a million orders.
const MAX_SEGMENT_ATTEMPTS: u32 = 5;

/// Returns the number of minutes whose tallies, or those of their day or month, differ from the entries.
pub(crate) async fn compare_of(store: &Store, of: &Of, now: Timestamp) -> Result<usize, TallyError> {
    let mut differences = 0;
    for id in merchant_ids(store, of).await? {
        let merchant = merchant(store, &id).await?;
        differences += report(&id, &drift(store, &merchant, now).await?);
    }
    Ok(differences)
}

/// For each merchant, recounts what differs, and writes the search segments anew.
pub(crate) async fn rebuild_of(writer: &Writer<'_>, of: &Of) -> Result<(), TallyError> {
    for id in merchant_ids(writer.store, of).await? {
        rebuild_merchant(writer, &id).await?;
    }
    Ok(())
}

async fn rebuild_merchant(writer: &Writer<'_>, id: &MerchantId) -> Result<(), TallyError> {
    let store = writer.store;
    let merchant = merchant(store, id).await?;
    let drift = drift(store, &merchant, writer.now).await?;
    let minutes = report(id, &drift);
    let mut progress = ProgressLine::new("minutes");
    rebuild(store, id, &drift, |done| progress.show(done, Some(minutes))).await?;
    drop(progress);
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

async fn merchant_ids(store: &Store, of: &Of) -> Result<Vec<MerchantId>, StoreError> {
    match &of.merchant {
        Some(id) => Ok(vec![MerchantId::new(id)]),
        None => store.merchant_ids().await,
    }
}

async fn merchant(store: &Store, id: &MerchantId) -> Result<Stored<Merchant>, TallyError> {
    store.merchant(id).await?.ok_or_else(|| TallyError::NoMerchant(id.clone()))
}

/// A calendar that is being built is compared by whoever builds it.
async fn drift(store: &Store, merchant: &Merchant, now: Timestamp) -> Result<Drift, TallyError> {
    let serving = &merchant.calendars.serving;
    if !serving.can_be_counted() {
        let (merchant, theirs) = (merchant.id.clone(), serving.release.clone());
        return Err(TallyError::OtherDays { merchant, theirs, ours: release() });
    }
    Ok(compare(store, &merchant.id, slice::from_ref(serving), now).await?)
}

/// Prints the drift of each family of a merchant, and returns that of all.
fn report(merchant: &MerchantId, drift: &Drift) -> usize {
    for (family, minutes) in drift {
        println!("{merchant}: {family:?}: {} minutes differ", minutes.len());
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
