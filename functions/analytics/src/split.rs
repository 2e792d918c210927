//! Shares of a whole, the largest first.

use serde::Serialize;
use shared::domain::money::Minor;
use shared::domain::reports::ranking::Ranking;
use shared::domain::reports::total::Total;
use utoipa::ToSchema;

/// Of visits, stores and sources.
pub(crate) const MAX_SHARES: usize = 8;
/// Of statuses.
pub(crate) const MAX_STATUSES: usize = 10;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Share<'a> {
    name: &'a str,
    count: u64,
}

/// The largest shares by count.
pub(crate) fn shares(split: &Ranking<u64>) -> Vec<Share<'_>> {
    split.top(MAX_SHARES, |count| *count).map(|(name, count)| Share { name, count: *count }).collect()
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValuedShare<'a> {
    name: &'a str,
    /// In any currency.
    count: u64,
    /// Of those in the shown currency.
    value_minor: Minor,
}

impl<'a> From<(&'a str, &'a Total)> for ValuedShare<'a> {
    fn from((name, total): (&'a str, &'a Total)) -> Self {
        Self { name, count: total.count, value_minor: total.sum }
    }
}

/// The largest shares by count.
pub(crate) fn by_count(split: &Ranking<Total>) -> Vec<ValuedShare<'_>> {
    split.top(MAX_STATUSES, |total| total.count).map(ValuedShare::from).collect()
}

/// The largest shares by value.
pub(crate) fn by_value(split: &Ranking<Total>) -> Vec<ValuedShare<'_>> {
    split.top(MAX_SHARES, |total| total.sum).map(ValuedShare::from).collect()
}
