//! Breakdowns by name, largest first.

use serde::Serialize;
use shared::domain::money::{Currency, Minor};
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

impl<'a> ValuedShare<'a> {
    fn new(name: &'a str, total: &Total, currency: Currency) -> Self {
        Self { name, count: total.count(), value_minor: total.sum(currency) }
    }
}

pub(crate) fn top_by_count(ranking: &Ranking<Total>, currency: Currency) -> Vec<ValuedShare<'_>> {
    let top = ranking.top(MAX_STATUSES, Total::count);
    top.map(|(name, total)| ValuedShare::new(name, total, currency)).collect()
}

pub(crate) fn top_by_value(ranking: &Ranking<Total>, currency: Currency) -> Vec<ValuedShare<'_>> {
    let top = ranking.top(MAX_SHARES, |total| total.sum(currency));
    top.map(|(name, total)| ValuedShare::new(name, total, currency)).collect()
}
