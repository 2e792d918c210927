//! `GET /api/bff/analytics/overview`: key figures of visits, orders and redemptions.

use std::ops::AddAssign;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::order::{FraudCheck, Order};
use shared::domain::redemption::Redemption;
use shared::domain::reports::fraud::FraudCounts;
use shared::domain::reports::kpi::{Kpi, PercentageKpi, percentage};
use shared::domain::reports::period::{Day, ReportPeriod};
use shared::domain::reports::timeline::Timeline;
use shared::domain::reports::visits::Visits;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use shared::projection;
use shared::store::visits::Visit;
use utoipa::ToSchema;

use crate::fraud::{FraudSlice, slices};
use crate::period;
use crate::split::{Share, top_shares};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OverviewReport<'a> {
    period_days: usize,
    kpis: Kpis,
    series: Vec<OverviewDay<'a>>,
    /// Visits by where the shop was embedded.
    embed_split: Vec<Share<'a>>,
    /// Visits by entry page.
    entry_split: Vec<Share<'a>>,
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

/// Totals of one period.
struct Totals {
    visits: u64,
    orders: u64,
    attempts: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OverviewDay<'a> {
    #[serde(flatten)]
    day: &'a Day,
    sessions: u64,
    orders: u64,
}

projection! {
    struct PlacedOrder of Order {
        created_at: Timestamp,
        #[serde(default)]
        fraud: FraudCheck,
    }
}

projection! {
    struct StartedVisit of Visit {
        started_at: Timestamp,
        embed: Option<String>,
        entry: Option<String>,
    }
}

projection! {
    struct RedemptionAttempt of Redemption {
        occurred_at: Timestamp,
    }
}

/// Orders of a day or a period.
#[derive(Debug, Default)]
struct OrderCounts {
    placed: u64,
    fraud: FraudCounts,
}

impl OrderCounts {
    fn add(&mut self, order: &PlacedOrder) {
        self.placed += 1;
        self.fraud.add(&order.fraud.status);
    }
}

impl AddAssign<&Self> for OrderCounts {
    fn add_assign(&mut self, other: &Self) {
        self.placed += other.placed;
        self.fraud += &other.fraud;
    }
}

#[derive(Debug)]
struct ReportBuilder {
    visits: Timeline<Visits>,
    orders: Timeline<OrderCounts>,
    attempts: Timeline<u64>,
}

impl ReportBuilder {
    fn new(period: &ReportPeriod) -> Self {
        Self {
            visits: Timeline::new(period.clone()),
            orders: Timeline::new(period.clone()),
            attempts: Timeline::new(period.clone()),
        }
    }

    fn response(&self) -> Response {
        let (visits, orders) = (self.visits.total(), self.orders.total());
        let totals = Totals { visits: visits.count, orders: orders.placed, attempts: self.attempts.total() };
        let preceding = Totals {
            visits: self.visits.preceding().count,
            orders: self.orders.preceding().placed,
            attempts: *self.attempts.preceding(),
        };
        let days = self.visits.series().zip(self.orders.series());
        let series = days.map(|((day, visits), (_, orders))| OverviewDay {
            day,
            sessions: visits.count,
            orders: orders.placed,
        });
        Data(OverviewReport {
            period_days: series.len(),
            kpis: Kpis::new(&totals, &preceding),
            series: series.collect(),
            embed_split: top_shares(&visits.by_embed),
            entry_split: top_shares(&visits.by_entry),
            fraud_breakdown: slices(&orders.fraud),
        })
        .into_response()
    }
}

/// Unlike sales and redemptions, the overview is available in every settlement mode.
pub(crate) async fn overview(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let merchant = &caller.merchant;
    let period = period::from_query(&query, merchant, app.clock.now());
    let range = period.range_with_preceding();
    let mut report = ReportBuilder::new(&period);
    let ReportBuilder { visits, orders, attempts } = &mut report;
    tokio::try_join!(
        app.store.for_each_visit(&merchant.id, &range, |visit: StartedVisit| {
            if let Some(visits) = visits.aggregate_mut(visit.started_at) {
                visits.add(visit.embed.as_deref(), visit.entry.as_deref());
            }
        }),
        app.store.for_each_order(&merchant.id, &range, |order: PlacedOrder| {
            if let Some(orders) = orders.aggregate_mut(order.created_at) {
                orders.add(&order);
            }
        }),
        app.store.for_each_redemption(&merchant.id, &range, |attempt: RedemptionAttempt| {
            if let Some(attempts) = attempts.aggregate_mut(attempt.occurred_at) {
                *attempts += 1;
            }
        }),
    )?;
    Ok(report.response())
}

pub(crate) fn describe() -> Description {
    period::report_description(
        "Get the overview report",
        "Returns key figures of visits, orders and redemptions with their change from the preceding period.",
    )
    .data::<OverviewReport>(
        "The overview report.",
        json!({
            "periodDays": 7,
            "kpis": {
                "uniqueSessions": {"value": 12, "changePct": 20}, "ordersPlaced": {"value": 3, "changePct": 0},
                "redemptionAttempts": {"value": 4, "changePct": -33.3},
                "visitToOrderPct": {"valuePct": 25, "changePp": -5},
            },
            "series": [{"dateKey": "2026-01-05", "dateLabel": "5 Jan", "sessions": 12, "orders": 3}],
            "embedSplit": [{"name": "popup", "count": 12}],
            "entrySplit": [{"name": "/", "count": 12}],
            "fraudBreakdown": slices(&FraudCounts { passed: 2, review: 1, blocked: 0 }),
        }),
    )
}
