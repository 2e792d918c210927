//! `GET /api/bff/analytics/sales`: what was ordered, and what it brought in.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::OrderId;
use shared::domain::merchant::SettlementMode;
use shared::domain::money::{Currency, Minor};
use shared::domain::order::{OrderStatus, PlacedOrder};
use shared::domain::reports::days::{Day, Days};
use shared::domain::reports::humanize::label;
use shared::domain::reports::kpi::Kpi;
use shared::domain::reports::sales::Sales;
use shared::domain::reports::timeline::Timeline;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::period;
use crate::split::{ValuedShare, by_count};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SalesReport)]
struct Answer<'a> {
    period_days: usize,
    /// That of all sums: the merchant's own.
    currency: Currency,
    kpis: Kpis,
    series: Vec<DayOfSales<'a>>,
    /// Orders by their status, with what they amount to.
    status_breakdown: Vec<ValuedShare<'a>>,
    /// Orders by the status of their payment, with what they amount to.
    payment_breakdown: Vec<ValuedShare<'a>>,
    recent: &'a [RecentOrder],
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SalesKpis)]
struct Kpis {
    /// Orders of any status.
    orders_placed: Kpi<u64>,
    /// Orders that are completed.
    completed: Kpi<u64>,
    /// What the completed orders amount to.
    gross_revenue_minor: Kpi<Minor>,
    /// The revenue for each completed order in the shown currency, rounded to a minor unit; null without any.
    avg_completed_minor: Kpi<Option<Minor>>,
}

impl Kpis {
    fn of(sales: &Sales, preceding: &Sales) -> Self {
        let (completed, before) = (sales.completed, preceding.completed);
        Self {
            orders_placed: Kpi::new(sales.placed, preceding.placed),
            completed: Kpi::new(completed.count, before.count),
            gross_revenue_minor: Kpi::new(completed.sum, before.sum),
            avg_completed_minor: Kpi::new(completed.average(), before.average()),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SalesDay)]
struct DayOfSales<'a> {
    #[serde(flatten)]
    day: &'a Day,
    /// Orders of any status.
    total: u64,
    completed: u64,
    /// What the completed orders amount to.
    revenue_minor: Minor,
}

impl<'a> DayOfSales<'a> {
    fn of((day, sales): (&'a Day, &Sales)) -> Self {
        Self {
            day,
            total: sales.placed,
            completed: sales.completed.count,
            revenue_minor: sales.completed.sum,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RecentOrder {
    id: OrderId,
    occurred_at: Timestamp,
    order_ref: String,
    status: OrderStatus,
    payment_label: String,
    amount_minor: Minor,
    currency: Currency,
}

impl RecentOrder {
    fn of(order: PlacedOrder) -> Self {
        Self {
            order_ref: order.id.reference().to_owned(),
            id: order.id,
            occurred_at: order.created_at,
            status: order.status,
            payment_label: label(order.payment_status),
            amount_minor: order.total.minor,
            currency: order.total.currency,
        }
    }
}

const MAX_RECENT: usize = 10;

/// The orders of two periods as they are counted.
#[derive(Debug)]
struct Report {
    currency: Currency,
    sales: Timeline<Sales>,
    recent: Vec<RecentOrder>,
}

impl Report {
    fn new(currency: Currency, days: Days) -> Self {
        Self { currency, sales: Timeline::new(days), recent: Vec::new() }
    }

    /// Counts an order. They come newest first.
    fn add(&mut self, order: PlacedOrder) {
        if let Some(sales) = self.sales.at(order.created_at) {
            sales.add(&order, self.currency);
        }
        if self.recent.len() < MAX_RECENT && self.sales.shows(order.created_at) {
            self.recent.push(RecentOrder::of(order));
        }
    }

    fn answer(&self) -> Response {
        let total = self.sales.total();
        let series = self.sales.series();
        Data(Answer {
            period_days: series.len(),
            currency: self.currency,
            kpis: Kpis::of(&total, self.sales.preceding()),
            series: series.map(DayOfSales::of).collect(),
            status_breakdown: by_count(&total.by_status),
            payment_breakdown: by_count(&total.by_payment),
            recent: &self.recent,
        })
        .into_response()
    }
}

/// Sales by the day on which the order was placed. 403 for a merchant that is paid on redemption.
pub(crate) async fn sales(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let merchant = &caller.merchant;
    if merchant.settlement_mode == Some(SettlementMode::OnRedemption) {
        return Err(Fault::forbidden("Sales are not shown to a merchant that is paid on redemption."));
    }
    let days = period::days(&query, merchant, app.clock.now());
    let both_periods = days.both_periods();
    let mut report = Report::new(merchant.currency.unwrap_or(Currency::USD), days);
    app.store.for_each_order(&merchant.id, &both_periods, |order| report.add(order)).await?;
    Ok(report.answer())
}

pub(crate) fn describe() -> Description {
    period::described(
        "Sales",
        "Orders by the day on which they were placed, and what the completed ones brought in. Not for a merchant that \
         is paid on redemption.",
    )
    .data::<Answer>(
        "The figures.",
        json!({
            "periodDays": 7,
            "currency": "SEK",
            "kpis": {
                "ordersPlaced": {"value": 3, "changePct": 0}, "completed": {"value": 2, "changePct": 100},
                "grossRevenueMinor": {"value": 100_000, "changePct": 100},
                "avgCompletedMinor": {"value": 50_000, "changePct": 0},
            },
            "series": [
                {"dateKey": "2026-01-05", "dateLabel": "5 Jan", "total": 3, "completed": 2, "revenueMinor": 100_000},
            ],
            "statusBreakdown": [{"name": "completed", "count": 2, "valueMinor": 100_000}],
            "paymentBreakdown": [{"name": "payment capture succeeded", "count": 2, "valueMinor": 100_000}],
            "recent": [{
                "id": "o-1", "occurredAt": "2026-01-05T10:00:00Z", "orderRef": "o-1", "status": "COMPLETED",
                "paymentLabel": "Payment capture succeeded", "amountMinor": 50_000, "currency": "SEK",
            }],
        }),
    )
    .refuses(403, "The merchant is paid on redemption.")
}
