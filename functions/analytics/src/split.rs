//! Breakdowns by name, largest first.

use serde::Serialize;
use shared::domain::money::Minor;
use shared::domain::reports::ranking::Ranking;
use shared::domain::reports::total::Total;
use utoipa::ToSchema;

/// Maximum number of embeds, entry pages, stores or sources.
const MAX_SHARES: usize = 8;
/// Maximum number of statuses.
const MAX_STATUSES: usize = 10;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Share<'a> {
    name: &'a str,
    count: u64,
}

pub(crate) fn top_shares(ranking: &Ranking<u64>) -> Vec<Share<'_>> {
    ranking.top(MAX_SHARES, |count| *count).map(|(name, count)| Share { name, count: *count }).collect()
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValuedShare<'a> {
    name: &'a str,
    /// Number of amounts in any currency.
    count: u64,
    /// Sum of the amounts in the report's currency.
    value_minor: Minor,
}

impl<'a> From<(&'a str, &'a Total)> for ValuedShare<'a> {
    fn from((name, total): (&'a str, &'a Total)) -> Self {
        Self { name, count: total.count, value_minor: total.sum }
    }
}

pub(crate) fn top_by_count(ranking: &Ranking<Total>) -> Vec<ValuedShare<'_>> {
    ranking.top(MAX_STATUSES, |total| total.count).map(ValuedShare::from).collect()
}

pub(crate) fn top_by_value(ranking: &Ranking<Total>) -> Vec<ValuedShare<'_>> {
    ranking.top(MAX_SHARES, |total| total.sum).map(ValuedShare::from).collect()
}
