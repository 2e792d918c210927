//! `GET /api/bff/settlements/summary`: what the merchant can still expect, and what this month has brought.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::money::{Currency, Minor};
use shared::domain::reports::payouts::Payouts;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::reply::Flattened;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SettlementSummary)]
pub(crate) struct Summary {
    /// Net of settlements in `currency` that have not been paid yet.
    pending_net_minor: Minor,
    /// Net of settlements in `currency` that have been paid and fell due in the current month, by UTC, or later.
    paid_this_period_net_minor: Minor,
    /// Settlements that have not been paid yet, in any currency.
    unsettled_count: u64,
    currency: Currency,
}

/// `{ok, pendingNetMinor, paidThisPeriodNetMinor, unsettledCount, currency}`, of all settlements whatever the
/// merchant is paid for: money that is owed from before a change of the mode is still owed.
pub(crate) async fn summary(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
) -> Result<Flattened<Summary>, Fault> {
    let currency = caller.merchant.currency.unwrap_or(Currency::EUR);
    let mut payouts = Payouts::new(currency, app.clock.now());
    app.store.for_each_settlement(&caller.merchant.id, |settlement| payouts.add(&settlement)).await?;
    Ok(Flattened(Summary {
        pending_net_minor: payouts.pending_net,
        paid_this_period_net_minor: payouts.paid_net,
        unsettled_count: payouts.unsettled,
        currency,
    }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "Sum settlements up",
        "What the merchant can still expect and what this month has brought, of all settlements, whatever the merchant \
         is paid for now.",
    )
    .flattened::<Summary>(
        "The sums.",
        json!({"pendingNetMinor": 9650, "paidThisPeriodNetMinor": 120_000, "unsettledCount": 1, "currency": "SEK"}),
    )
}
