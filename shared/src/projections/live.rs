//! Settlements that came about a short time ago, which the tallies may not know of yet.
//!
//! A settlement is listed and counted by when it becomes eligible: a payout delay after it came about. So those of the last two
//! minutes lie in a window of the list, most often at its beginning.

use futures_util::future::try_join_all;
use jiff::Timestamp;

use crate::db::{Store, StoreError};
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::tally::{Family, SettlementKind};
use crate::projections::rows::tallies::entries_range;
use crate::settlements::model::settlement::{Settlement, eligible_at};
use crate::values::{Span, live_minutes};

/// When the settlements are eligible that came about within the last two minutes, with the merchant's current payout delay.
pub(super) fn live_settlements(merchant: &Merchant, now: Timestamp) -> Span<Timestamp> {
    let live = live_minutes(now);
    let eligible = |at| eligible_at(at, merchant.payout_delay_days).unwrap_or(Timestamp::MAX);
    eligible(live.start)..eligible(live.end)
}

/// The settlements of these kinds that are eligible within a span, kind by kind, latest first, read consistently.
pub(super) async fn settlements_within(
    store: &Store,
    merchant: &Merchant,
    kinds: &[SettlementKind],
    span: &Span<Timestamp>,
) -> Result<Vec<Settlement>, StoreError> {
    let read = kinds.iter().map(|kind| of_kind(store, merchant, *kind, span));
    Ok(try_join_all(read).await?.into_iter().flatten().collect())
}

async fn of_kind(
    store: &Store,
    merchant: &Merchant,
    kind: SettlementKind,
    span: &Span<Timestamp>,
) -> Result<Vec<Settlement>, StoreError> {
    let mut settlements = Vec::new();
    let range = entries_range(&merchant.id, Family::Settlements(kind), span);
    store.for_each(range, |settlement| settlements.push(settlement)).await?;
    Ok(settlements)
}
