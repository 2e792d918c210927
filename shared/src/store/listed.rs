//! The index of lists: the rows of a merchant by time. It serves merchants whose entries are incomplete.

use std::ops::Range as Span;
use std::pin::pin;

use futures_util::stream::{StreamExt, TryStreamExt};
use jiff::Timestamp;

use super::error::StoreError;
use super::keys;
use super::query::Range;
use super::row::Entity;
use super::table::Store;
use super::write::Write;
use crate::domain::ids::MerchantId;
use crate::domain::order::{Order, OrderEntry};
use crate::domain::redemption::{Redemption, RedemptionEntry};
use crate::domain::settlement::Settlement;
use crate::domain::tally::{Countable, Family, SettlementKind};
use crate::domain::visit::Visit;

impl Store {
    /// Calls `visit` with what would be counted of each row of a family within a span, newest first.
    pub async fn for_each_listed(
        &self,
        merchant: &MerchantId,
        family: Family,
        span: &Span<Timestamp>,
        mut visit: impl FnMut(&dyn Countable),
    ) -> Result<(), StoreError> {
        match family {
            Family::Orders => self.for_each_listed_order(merchant, span, |entry| visit(&entry)).await,
            Family::Redemptions => {
                self.for_each_listed_redemption(merchant, span, |entry| visit(&entry)).await
            }
            Family::Settlements(kind) => {
                self.for_each_listed_settlement(merchant, span, &[kind], |settlement| visit(&settlement))
                    .await
            }
            Family::Visits => {
                let range = Range::newest(keys::visits(merchant)).within(span);
                self.for_each(range, |visited: Visit| visit(&visited)).await
            }
        }
    }

    /// Writes the entries of all rows of a family that are in the index, `concurrency` at a time. A row that changes meanwhile is
    /// left alone: its change has written them. `progress` is told how many rows have been processed.
    pub async fn write_entries(
        &self,
        merchant: &MerchantId,
        family: Family,
        concurrency: usize,
        mut progress: impl FnMut(usize),
    ) -> Result<(), StoreError> {
        match family {
            Family::Orders => {
                self.write_entries_of::<Order>(keys::orders(merchant), concurrency, &mut progress).await
            }
            Family::Redemptions => {
                self.write_entries_of::<Redemption>(keys::redemptions(merchant), concurrency, &mut progress)
                    .await
            }
            // The index has the settlements of all source types in one partition.
            Family::Settlements(SettlementKind::Order) => {
                self.write_entries_of::<Settlement>(keys::settlements(merchant), concurrency, &mut progress)
                    .await
            }
            Family::Settlements(SettlementKind::Redemption | SettlementKind::Other) => Ok(()),
            Family::Visits => {
                self.write_entries_of::<Visit>(keys::visits(merchant), concurrency, &mut progress).await
            }
        }
    }

    async fn write_entries_of<T: Entity>(
        &self,
        partition: String,
        concurrency: usize,
        progress: &mut impl FnMut(usize),
    ) -> Result<(), StoreError> {
        let rows = self.stream_items(Range::newest(partition)).map(|item| async {
            let Some(row) = self.readable_row::<T>(item?) else { return Ok(()) };
            self.commit_if_possible(vec![Write::entries_of(&row)?]).await.map(|_| ())
        });
        let mut written = pin!(rows.buffer_unordered(concurrency));
        let mut done = 0;
        while written.try_next().await?.is_some() {
            done += 1;
            progress(done);
        }
        Ok(())
    }

    pub async fn for_each_listed_order(
        &self,
        merchant: &MerchantId,
        span: &Span<Timestamp>,
        mut visit: impl FnMut(OrderEntry),
    ) -> Result<(), StoreError> {
        let range = Range::newest(keys::orders(merchant)).within(span);
        self.for_each(range, |order: Order| visit(OrderEntry::from(&order))).await
    }

    pub async fn for_each_listed_redemption(
        &self,
        merchant: &MerchantId,
        span: &Span<Timestamp>,
        mut visit: impl FnMut(RedemptionEntry),
    ) -> Result<(), StoreError> {
        let range = Range::newest(keys::redemptions(merchant)).within(span);
        self.for_each(range, |redemption: Redemption| visit(RedemptionEntry::from(&redemption))).await
    }

    /// Void settlements are left out.
    pub async fn for_each_listed_settlement(
        &self,
        merchant: &MerchantId,
        span: &Span<Timestamp>,
        kinds: &[SettlementKind],
        mut visit: impl FnMut(Settlement),
    ) -> Result<(), StoreError> {
        let range = Range::newest(keys::settlements(merchant)).within(span);
        self.for_each(range, |settlement: Settlement| {
            if settlement.is_listed() && kinds.contains(&settlement.kind()) {
                visit(settlement);
            }
        })
        .await
    }
}
