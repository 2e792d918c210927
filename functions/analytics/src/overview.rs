//! `GET /api/bff/analytics/overview`: key figures of visits, orders and redemptions.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::http::{Authorized, Data, Description, Query, permission};
use shared::projections::model::reports::fraud::FraudCounts;
use shared::projections::model::reports::kpi::{Kpi, PercentageKpi, percentage};
use shared::projections::model::reports::redemptions::Redemptions;
use shared::projections::model::reports::sales::Sales;
use shared::projections::model::reports::timeline::Timeline;
use shared::projections::model::reports::total::Total;
use shared::projections::model::reports::visits::Visits;
use shared::projections::model::tally::{Series, Tally};
use shared::values::{Currency, Day, Minor};
use utoipa::ToSchema;

use crate::fraud::{FraudSlice, slices};
use crate::period::{self, ReportError};
use crate::split::{Share, top_shares};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverviewReport {
    /// Length of the period in days.
    period_days: usize,
    /// Figures of the period, with their change from the preceding period of the same length.
    kpis: Kpis,
    /// Completed orders, whatever the merchant is paid for.
    sold: Turnover,
    /// Successful redemptions, whatever the merchant is paid for.
    redeemed: Turnover,
    /// Each day of the period, oldest first.
    series: Vec<OverviewDay>,
    /// Visits by where the shop was embedded.
    embed_split: Vec<Share>,
    /// Visits by entry page.
    entry_split: Vec<Share>,
    /// Checked orders of the period by result.
    fraud_breakdown: [FraudSlice; 3],
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OverviewKpis)]
struct Kpis {
    /// Visits that started in the period.
    unique_sessions: Kpi<u64>,
    /// Orders of any status.
    orders_placed: Kpi<u64>,
    /// Redemptions of any status.
    redemption_attempts: Kpi<u64>,
    /// Orders per hundred visits; null if there are no visits.
    visit_to_order_pct: PercentageKpi,
}

impl Kpis {
    fn new(totals: &Totals, preceding: &Totals) -> Self {
        Self {
            unique_sessions: Kpi::new(totals.visits, preceding.visits),
            orders_placed: Kpi::new(totals.orders, preceding.orders),
            redemption_attempts: Kpi::new(totals.attempts, preceding.attempts),
            visit_to_order_pct: PercentageKpi::new(
                percentage(totals.orders, totals.visits),
                percentage(preceding.orders, preceding.visits),
            ),
        }
    }
}

/// What was sold or redeemed, in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Turnover {
    /// The merchant's currency if any amount of the period is in it, or if there are none. Otherwise the most frequent one.
    currency: Currency,
    /// The sum of the amounts in `currency`.
    amount_minor: Kpi<Minor>,
    /// The number of amounts, of all currencies.
    count: Kpi<u64>,
    /// The number of amounts in `currency`.
    count_in_currency: u64,
}

impl Turnover {
    fn new(total: &Total, preceding: &Total, merchant_currency: Option<Currency>) -> Self {
        let currency = total.shown_currency(merchant_currency);
        Self {
            currency,
            amount_minor: Kpi::new(total.sum(currency), preceding.sum(currency)),
            count: Kpi::new(total.count(), preceding.count()),
            count_in_currency: total.count_in(currency),
        }
    }
}

/// Totals of one period.
struct Totals {
    visits: u64,
    orders: u64,
    attempts: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OverviewDay {
    #[serde(flatten)]
    day: Day,
    /// Visits that started on the day.
    sessions: u64,
    /// Orders of any status that were placed on the day.
    orders: u64,
}

/// The tallies that the report shows.
struct Tallies {
    visits: Timeline<Tally>,
    /// Of the period, without the preceding one.
    visit_names: Tally,
    orders: Timeline<Tally>,
    redemptions: Timeline<Tally>,
}

fn count(tally: &Tally) -> u64 {
    tally.count_where(|_| true)
}

impl Tallies {
    fn report(&self, currency: Option<Currency>) -> OverviewReport {
        let (visits, orders) = (&self.visits, &self.orders);
        let names = Visits::new(&visits.total(), &self.visit_names);
        let totals = Totals { visits: names.count, orders: count(&orders.total()), attempts: count(&self.redemptions.total()) };
        let preceding = Totals {
            visits: count(visits.preceding()),
            orders: count(orders.preceding()),
            attempts: count(self.redemptions.preceding()),
        };
        let sold = |tally: &Tally| Sales::new(tally).completed;
        let redeemed = |tally: &Tally| Redemptions::new(tally, &Tally::default()).succeeded;
        let (attempts, before) = (&self.redemptions.total(), self.redemptions.preceding());
        let days = visits.series().zip(orders.series());
        let series = days.map(|((day, visits), (_, orders))| OverviewDay {
            day: day.clone(),
            sessions: count(visits),
            orders: count(orders),
        });
        OverviewReport {
            period_days: series.len(),
            kpis: Kpis::new(&totals, &preceding),
            sold: Turnover::new(&sold(&orders.total()), &sold(orders.preceding()), currency),
            redeemed: Turnover::new(&redeemed(attempts), &redeemed(before), currency),
            series: series.collect(),
            embed_split: top_shares(&names.by_embed),
            entry_split: top_shares(&names.by_entry),
            fraud_breakdown: slices(&FraudCounts::new(&orders.total())),
        }
    }
}

/// Unlike sales and redemptions, the overview is available in every settlement mode.
pub(crate) async fn overview(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<OverviewReport>, ReportError> {
    let reader = period::reader(&app, &caller.merchant, &query);
    let read = async { tokio::try_join!(reader.visits(), reader.by_day(Series::Orders), reader.by_day(Series::Redemptions)) };
    let ((visits, visit_names), orders, redemptions) = period::counted(&app, &caller, &query, Box::pin(read)).await?;
    Ok(Data(Tallies { visits, visit_names, orders, redemptions }.report(caller.merchant.currency)))
}

pub(crate) fn describe() -> Description {
    period::report_description(
        "getOverviewReport",
        "Get the overview report",
        "Returns key figures of visits, orders and redemptions with their change from the preceding period, and what was \
         sold and redeemed.",
    )
    .success(
        "The overview report.",
        json!({
            "periodDays": 7,
            "kpis": {
                "uniqueSessions": {"value": 12, "changePct": 20}, "ordersPlaced": {"value": 3, "changePct": 0},
                "redemptionAttempts": {"value": 4, "changePct": -33.3},
                "visitToOrderPct": {"valuePct": 25, "changePp": -5},
            },
            "sold": {
                "currency": "SEK", "amountMinor": {"value": 150_000, "changePct": 50}, "count": {"value": 3, "changePct": 50},
                "countInCurrency": 3,
            },
            "redeemed": {
                "currency": "SEK", "amountMinor": {"value": 40_000, "changePct": -20}, "count": {"value": 4, "changePct": -33.3},
                "countInCurrency": 4,
            },
            "series": [{"dateKey": "2026-01-05", "dateLabel": "5 Jan", "sessions": 12, "orders": 3}],
            "embedSplit": [{"name": "popup", "count": 12}],
            "entrySplit": [{"name": "/", "count": 12}],
            "fraudBreakdown": slices(&FraudCounts { passed: 2, review: 1, blocked: 0 }),
        }),
    )
}
