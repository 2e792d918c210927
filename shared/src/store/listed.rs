//! The index of lists: the rows of a merchant by time. It serves merchants whose entries are incomplete.

use std::ops::Range as Span;

use jiff::Timestamp;

use super::error::StoreError;
use super::keys;
use super::query::Range;
use super::table::Store;
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
