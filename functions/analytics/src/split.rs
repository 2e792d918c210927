//! Breakdowns by name, largest first.

use serde::Serialize;
use shared::projections::model::reports::ranking::Ranking;
use shared::projections::model::reports::total::Total;
use shared::values::{Currency, Minor};
use utoipa::ToSchema;

/// Maximum number of embeds, entry pages, stores or sources.
const MAX_SHARES: usize = 8;
/// Maximum number of statuses.
const MAX_STATUSES: usize = 10;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Share {
    /// The name of the group, such as `Widget` or `/`.
    name: String,
    /// Number of visits.
    count: u64,
}

pub(crate) fn top_shares(ranking: &Ranking<u64>) -> Vec<Share> {
    let top = ranking.top(MAX_SHARES, |count| *count);
    top.map(|(name, count)| Share { name: name.to_owned(), count: *count }).collect()
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ValuedShare {
    /// The name of the group: a store, a source, or a status in words.
    name: String,
    /// Number of amounts in any currency.
    count: u64,
    /// Sum of the amounts in the report's currency.
    value_minor: Minor,
}

impl ValuedShare {
    fn new(name: &str, total: &Total, currency: Currency) -> Self {
        Self { name: name.to_owned(), count: total.count(), value_minor: total.sum(currency) }
    }
}

pub(crate) fn top_by_count(ranking: &Ranking<Total>, currency: Currency) -> Vec<ValuedShare> {
    let top = ranking.top(MAX_STATUSES, Total::count);
    top.map(|(name, total)| ValuedShare::new(name, total, currency)).collect()
}

pub(crate) fn top_by_value(ranking: &Ranking<Total>, currency: Currency) -> Vec<ValuedShare> {
    let top = ranking.top(MAX_SHARES, |total| total.sum(currency));
    top.map(|(name, total)| ValuedShare::new(name, total, currency)).collect()
}
