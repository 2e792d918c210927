//! Payout runs, payouts, and the settlements that have joined a payout, as rows.

use serde::{Deserialize, Serialize};

use super::left_out::LeftOut;
use super::payout::Payout;
use super::run::PayoutRun;
use super::state::{PayoutState, PayoutStatus};
use crate::db::keys::{self, Key};
use crate::db::{Entity, Item, Range, Store, StoreError, Stored, Write, entry_item, item_key};
use crate::settlements::model::settlement::Settlement;
use crate::values::{Currency, MerchantId, PayoutId, PayoutRunId};

impl Entity for PayoutRun {
    fn key(&self) -> Key {
        keys::payout_run(&self.id)
    }
}

impl Entity for LeftOut {
    fn key(&self) -> Key {
        keys::left_out(&self.run_id, &self.merchant_id, self.currency, &self.reason.to_string())
    }
}

impl Entity for Payout {
    fn key(&self) -> Key {
        keys::payout(&self.id)
    }

    /// The whole payout, once for each way in which payouts are listed.
    fn entries(&self) -> Result<Vec<Item>, StoreError> {
        let partitions = [keys::payouts(), keys::payouts_of_merchant(&self.merchant_id), keys::payouts_of_run(&self.run_id)];
        partitions.into_iter().map(|pk| entry_item(Key { pk, sk: sort_key(self) }, self)).collect()
    }
}

fn sort_key(payout: &Payout) -> String {
    keys::at_and_id(payout.created_at, payout.id.as_str())
}

/// The payout that settlements of a merchant and a currency join. There is one at a time.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BuildingPayout {
    merchant_id: MerchantId,
    currency: Currency,
    payout_id: PayoutId,
}

impl Entity for BuildingPayout {
    fn key(&self) -> Key {
        keys::building_payout(&self.merchant_id, self.currency)
    }
}

impl From<&Payout> for BuildingPayout {
    fn from(payout: &Payout) -> Self {
        Self { merchant_id: payout.merchant_id.clone(), currency: payout.currency, payout_id: payout.id.clone() }
    }
}

/// Creates a payout. Fails if it exists, or while settlements join another one of this merchant and currency.
pub fn create_payout(payout: &Payout) -> Result<Vec<Write>, StoreError> {
    Ok(vec![Write::create(payout)?, Write::create(&BuildingPayout::from(payout))?])
}

/// A settlement as it was when it joined a payout. It stays, also if the payout is cancelled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PayoutSettlement {
    pub payout_id: PayoutId,
    pub settlement: Settlement,
}

impl Entity for PayoutSettlement {
    fn key(&self) -> Key {
        keys::settlement_of_payout(&self.payout_id, &self.settlement.id)
    }
}

/// Which payouts are listed. Unset fields do not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PayoutFilter {
    pub run_id: Option<PayoutRunId>,
    pub merchant_id: Option<MerchantId>,
    pub status: Option<PayoutStatus>,
    /// Leaves out those that are cancelled, or are being cancelled.
    pub without_cancelled: bool,
}

impl PayoutFilter {
    fn partition(&self) -> String {
        match (&self.run_id, &self.merchant_id) {
            (Some(run), _) => keys::payouts_of_run(run),
            (None, Some(merchant)) => keys::payouts_of_merchant(merchant),
            (None, None) => keys::payouts(),
        }
    }

    fn matches(&self, payout: &Payout) -> bool {
        self.run_id.as_ref().is_none_or(|run| *run == payout.run_id)
            && self.merchant_id.as_ref().is_none_or(|merchant| *merchant == payout.merchant_id)
            && self.status.is_none_or(|status| payout.status() == status)
            && !(self.without_cancelled && payout.is_cancelled())
    }
}

/// How far the payouts of a run are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunProgress {
    pub payouts: u64,
    pub is_building: bool,
}

/// A part of what a run has left out.
#[derive(Debug)]
pub struct LeftOutPage {
    pub left_out: Vec<LeftOut>,
    /// What follows begins after this. `None` if nothing can follow.
    pub next: Option<String>,
}

/// A page of payouts, newest first.
#[derive(Debug, Default)]
pub struct PayoutPage {
    pub payouts: Vec<Payout>,
    /// The payout after which the next page begins. `None` after the last page.
    pub next: Option<PayoutId>,
}

/// Rows that one call reads.
const ROWS_PER_READ: u16 = 200;
/// Calls for one page. If so many rows contain too few that match, the page is shorter than requested.
const MAX_READS: usize = 10;

impl Store {
    pub async fn payout_run(&self, id: &PayoutRunId) -> Result<Option<Stored<PayoutRun>>, StoreError> {
        self.get(&keys::payout_run(id)).await
    }

    /// The merchants that a run comes to after one of them, and whether others can follow.
    pub async fn merchants_of_run(
        &self,
        run: &PayoutRun,
        after: Option<&MerchantId>,
        limit: u16,
    ) -> Result<(Vec<MerchantId>, bool), StoreError> {
        match &run.merchant_id {
            Some(only) => Ok((vec![only.clone()], false)),
            None => self.merchant_ids_page(after, limit).await,
        }
    }

    pub async fn is_building_payout(&self, merchant: &MerchantId, currency: Currency) -> Result<bool, StoreError> {
        self.exists(&keys::building_payout(merchant, currency)).await
    }

    /// The number of payouts that a run has made, and whether settlements are still joining one of them.
    pub async fn progress_of_run(&self, run: &PayoutRunId) -> Result<RunProgress, StoreError> {
        #[derive(Deserialize)]
        struct Row {
            state: PayoutState,
        }
        let mut progress = RunProgress::default();
        let range = Range::of_table(keys::payouts_of_run(run)).only(&["state"]);
        self.for_each(range, |payout: Row| {
            progress.payouts += 1;
            progress.is_building |= matches!(payout.state, PayoutState::Building(_));
        })
        .await?;
        Ok(progress)
    }

    /// What a run has left out, by merchant, from the one after `after` on.
    pub async fn left_out_of_run(&self, run: &PayoutRunId, after: Option<&str>, limit: u16) -> Result<LeftOutPage, StoreError> {
        let from = after.map_or_else(|| keys::LEFT_OUT.to_owned(), |after| format!("{}{after}\0", keys::LEFT_OUT));
        let range = Range::of_table(keys::payout_run(run).pk);
        let range = range.between(from, format!("{}\u{10ffff}", keys::LEFT_OUT)).limit(limit);
        let mut rows = self.query_items(range).await?;
        // The call that reaches the limit can return more.
        rows.truncate(usize::from(limit));
        let is_full = rows.len() == usize::from(limit);
        let last = rows.last().filter(|_| is_full).and_then(item_key);
        let next = last.and_then(|key| key.sk.strip_prefix(keys::LEFT_OUT).map(ToOwned::to_owned));
        Ok(LeftOutPage { left_out: rows.into_iter().filter_map(|row| self.readable_value(row)).collect(), next })
    }

    pub async fn payout(&self, id: &PayoutId) -> Result<Option<Stored<Payout>>, StoreError> {
        self.get(&keys::payout(id)).await
    }

    /// At most `limit` payouts that match, from the one after `after` on.
    pub async fn payouts(&self, filter: &PayoutFilter, after: Option<&Payout>, limit: usize) -> Result<PayoutPage, StoreError> {
        let mut page = PayoutPage::default();
        let mut last_read = after.map(|payout| (sort_key(payout), payout.id.clone()));
        for _ in 0..MAX_READS {
            let end = last_read.as_ref().map(|(sort_key, _)| sort_key.as_str());
            let range = Range::of_table(filter.partition()).descending().below(end).limit(ROWS_PER_READ);
            let rows = self.query_items(range).await?;
            let is_last = rows.len() < usize::from(ROWS_PER_READ);
            for payout in self.readable::<Payout>(rows) {
                if filter.matches(&payout) {
                    if page.payouts.len() == limit {
                        page.next = page.payouts.last().map(|payout| payout.id.clone());
                        return Ok(page);
                    }
                    page.payouts.push(payout.value.clone());
                }
                last_read = Some((sort_key(&payout), payout.value.id));
            }
            if is_last {
                return Ok(page);
            }
        }
        page.next = last_read.map(|(_, id)| id);
        Ok(page)
    }

    /// The settlements that have joined a payout, by id, from the one after `after` on. An unreadable one is an error: the
    /// file would not add up to the payout.
    pub async fn settlements_of_payout(
        &self,
        payout: &PayoutId,
        after: Option<&str>,
        limit: u16,
    ) -> Result<Vec<PayoutSettlement>, StoreError> {
        let from = after.map_or_else(|| "\0".to_owned(), |after| format!("{after}\0"));
        let range = Range::of_table(keys::settlements_of_payout(payout)).between(from, "\u{10ffff}");
        let rows = self.query_items(range.limit(limit)).await?;
        rows.into_iter().map(|row| serde_dynamo::from_item(row).map_err(StoreError::from)).collect()
    }
}
