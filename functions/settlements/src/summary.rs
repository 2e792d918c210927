//! `GET /api/bff/settlements/summary`: pending and paid amounts.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Authorized, Description, Flattened, General, permission};
use shared::projections::reports;
use shared::values::{Currency, Minor};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SettlementSummary {
    /// Net amount of unpaid settlements in `currency`, in its minor units.
    pending_net_minor: Minor,
    /// Net amount of paid settlements in `currency` that became eligible in the current month (UTC) or later, in its
    /// minor units.
    paid_this_period_net_minor: Minor,
    /// Number of unpaid settlements in any currency.
    unsettled_count: u64,
    /// ISO 4217 code of the merchant's own currency; `EUR` if none is set.
    currency: Currency,
}

/// Includes settlements of every settlement mode: amounts from before a change of the mode are still owed.
pub(crate) async fn summary(
    caller: Authorized<permission::Reports>,
    State(app): State<App>,
) -> Result<Flattened<SettlementSummary>, General> {
    let currency = caller.merchant.currency.unwrap_or(Currency::EUR);
    let payouts = reports::payouts(&app.store, &caller.merchant, currency, app.clock.now()).await?;
    Ok(Flattened(SettlementSummary {
        pending_net_minor: payouts.pending_net,
        paid_this_period_net_minor: payouts.paid_net,
        unsettled_count: payouts.unsettled,
        currency,
    }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getSettlementSummary",
        "Get the settlement summary",
        "Returns the pending amount and the amount paid in the current month. Includes the settlements of every \
         settlement mode.",
    )
    .success(
        "The settlement summary.",
        json!({"pendingNetMinor": 9650, "paidThisPeriodNetMinor": 120_000, "unsettledCount": 1, "currency": "SEK"}),
    )
}
