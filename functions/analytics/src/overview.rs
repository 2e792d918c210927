//! `GET /api/bff/analytics/overview`: visits, orders and redemptions at a glance.

use std::ops::AddAssign;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::app::App;
use shared::domain::order::FraudCheck;
use shared::domain::reports::days::{Day, Days};
use shared::domain::reports::fraud::{FraudCounts, Slice};
use shared::domain::reports::kpi::{Kpi, PercentageKpi, percentage};
use shared::domain::reports::timeline::Timeline;
use shared::domain::reports::visits::Visits;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::period;
use crate::split::{Share, shares};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OverviewReport)]
struct Answer<'a> {
    period_days: usize,
    kpis: Kpis,
    series: Vec<DayAtAGlance<'a>>,
    /// Sessions by where the shop was embedded.
    embed_split: Vec<Share<'a>>,
    /// Sessions by where the visitor came in.
    entry_split: Vec<Share<'a>>,
    /// The checked orders of the period, by what came of the check.
    fraud_breakdown: [Slice; 3],
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OverviewKpis)]
struct Kpis {
    /// Sessions that began in the period; each has one id and is one row.
    unique_sessions: Kpi<u64>,
    /// Orders of any status.
    orders_placed: Kpi<u64>,
    /// Redemptions of any status.
    redemption_attempts: Kpi<u64>,
    /// Orders placed for each hundred sessions; null without sessions.
    visit_to_order_pct: PercentageKpi,
}

impl Kpis {
    fn of(glance: &Totals, preceding: &Totals) -> Self {
        Self {
            unique_sessions: Kpi::new(glance.sessions, preceding.sessions),
            orders_placed: Kpi::new(glance.orders, preceding.orders),
            redemption_attempts: Kpi::new(glance.attempts, preceding.attempts),
            visit_to_order_pct: PercentageKpi::new(
                percentage(glance.orders, glance.sessions),
                percentage(preceding.orders, preceding.sessions),
            ),
        }
    }
}

/// The figures that are compared.
struct Totals {
    sessions: u64,
    orders: u64,
    attempts: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OverviewDay)]
struct DayAtAGlance<'a> {
    #[serde(flatten)]
    day: &'a Day,
    sessions: u64,
    orders: u64,
}

/// What counts of an order.
#[derive(Deserialize)]
struct Placed {
    created_at: Timestamp,
    fraud: FraudCheck,
}

/// What counts of a visit.
#[derive(Deserialize)]
struct Session {
    started_at: Timestamp,
    embed: Option<String>,
    entry: Option<String>,
}

/// What counts of a redemption.
#[derive(Deserialize)]
struct Attempt {
    occurred_at: Timestamp,
}

/// The orders of some time.
#[derive(Debug, Default)]
struct Orders {
    placed: u64,
    fraud: FraudCounts,
}

impl Orders {
    fn add(&mut self, order: &Placed) {
        self.placed += 1;
        self.fraud.add(order.fraud.status);
    }
}

impl AddAssign<&Self> for Orders {
    fn add_assign(&mut self, other: &Self) {
        self.placed += other.placed;
        self.fraud += &other.fraud;
    }
}

/// What happened in two periods as it is counted.
#[derive(Debug)]
struct Report {
    visits: Timeline<Visits>,
    orders: Timeline<Orders>,
    attempts: Timeline<u64>,
}

impl Report {
    fn new(days: &Days) -> Self {
        Self {
            visits: Timeline::new(days.clone()),
            orders: Timeline::new(days.clone()),
            attempts: Timeline::new(days.clone()),
        }
    }

    fn answer(&self) -> Response {
        let (visits, orders) = (self.visits.total(), self.orders.total());
        let glance =
            Totals { sessions: visits.sessions, orders: orders.placed, attempts: self.attempts.total() };
        let preceding = Totals {
            sessions: self.visits.preceding().sessions,
            orders: self.orders.preceding().placed,
            attempts: *self.attempts.preceding(),
        };
        let days = self.visits.series().zip(self.orders.series());
        let series = days.map(|((day, visits), (_, orders))| DayAtAGlance {
            day,
            sessions: visits.sessions,
            orders: orders.placed,
        });
        Data(Answer {
            period_days: series.len(),
            kpis: Kpis::of(&glance, &preceding),
            series: series.collect(),
            embed_split: shares(&visits.embeds),
            entry_split: shares(&visits.entries),
            fraud_breakdown: orders.fraud.slices(),
        })
        .into_response()
    }
}

/// The figures of every merchant, however it is paid.
pub(crate) async fn overview(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let merchant = &caller.merchant;
    let days = period::days(&query, merchant, app.clock.now());
    let both_periods = days.both_periods();
    let mut report = Report::new(&days);
    let Report { visits, orders, attempts } = &mut report;
    tokio::try_join!(
        app.store.for_each_visit(&merchant.id, &both_periods, |visit: Session| {
            if let Some(visits) = visits.at(visit.started_at) {
                visits.add(visit.embed.as_deref(), visit.entry.as_deref());
            }
        }),
        app.store.for_each_order(&merchant.id, &both_periods, |order: Placed| {
            if let Some(orders) = orders.at(order.created_at) {
                orders.add(&order);
            }
        }),
        app.store.for_each_redemption(&merchant.id, &both_periods, |attempt: Attempt| {
            if let Some(attempts) = attempts.at(attempt.occurred_at) {
                *attempts += 1;
            }
        }),
    )?;
    Ok(report.answer())
}

pub(crate) fn describe() -> Description {
    period::described(
        "Overview",
        "Visits, orders and redemptions at a glance, each figure with its change against the days before.",
    )
    .data::<Answer>(
        "The figures.",
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
            "fraudBreakdown": FraudCounts { passed: 2, review: 1, blocked: 0 }.slices(),
        }),
    )
}
