//! `GET /api/bff/analytics/sales`: orders and revenue by day and status.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::cards::model::order::{OrderEntry, OrderStatus};
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, Query, UtcTime, examples, permission};
use shared::merchants::model::merchant::SettlementMode;
use shared::projections::model::reports::humanize::label;
use shared::projections::model::reports::kpi::Kpi;
use shared::projections::model::reports::sales::Sales;
use shared::projections::model::reports::timeline::Timeline;
use shared::projections::model::tally::Tally;
use shared::values::{Currency, Day, Minor, OpenEnum, OrderId};
use utoipa::ToSchema;

use crate::period::{self, ReportError};
use crate::split::{ValuedShare, top_by_count};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SalesReport {
    /// Length of the period in days.
    period_days: usize,
    /// The merchant's currency if any amount of the period is in it, or if there are none. Otherwise the most frequent one. Sums
    /// include amounts in this currency only.
    currency: Currency,
    /// Figures of the period, with their change from the preceding period of the same length.
    kpis: Kpis,
    /// Each day of the period, oldest first.
    series: Vec<SalesDay>,
    /// Orders by status, with their total amounts.
    status_breakdown: Vec<ValuedShare>,
    /// Orders by payment status, with their total amounts.
    payment_breakdown: Vec<ValuedShare>,
    /// The 10 latest orders of the period, newest first.
    recent: Vec<RecentOrder>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SalesKpis)]
struct Kpis {
    /// Orders of any status.
    orders_placed: Kpi<u64>,
    /// Completed orders.
    completed: Kpi<u64>,
    /// Total amount of the completed orders.
    gross_revenue_minor: Kpi<Minor>,
    /// Average amount of the completed orders in `currency`, rounded to a minor unit; null if there are none.
    avg_completed_minor: Kpi<Option<Minor>>,
    /// The completed orders in `currency`, on which the average is based.
    completed_in_currency: u64,
}

impl Kpis {
    fn new(sales: &Sales, preceding: &Sales, currency: Currency) -> Self {
        let (completed, preceding_completed) = (&sales.completed, &preceding.completed);
        Self {
            orders_placed: Kpi::new(sales.placed.count(), preceding.placed.count()),
            completed: Kpi::new(completed.count(), preceding_completed.count()),
            gross_revenue_minor: Kpi::new(completed.sum(currency), preceding_completed.sum(currency)),
            avg_completed_minor: Kpi::new(completed.average(currency), preceding_completed.average(currency)),
            completed_in_currency: completed.count_in(currency),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SalesDay {
    #[serde(flatten)]
    day: Day,
    /// Orders of any status.
    total: u64,
    /// Orders with the status `COMPLETED`.
    completed: u64,
    /// Total amount of the completed orders.
    revenue_minor: Minor,
}

impl SalesDay {
    fn new(day: &Day, sales: &Sales, currency: Currency) -> Self {
        Self {
            day: day.clone(),
            total: sales.placed.count(),
            completed: sales.completed.count(),
            revenue_minor: sales.completed.sum(currency),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RecentOrder {
    /// The id of the order.
    id: OrderId,
    /// When the order was placed.
    occurred_at: UtcTime,
    /// The id of the order, or the last 8 characters of a long one.
    order_ref: String,
    /// The state of the order, from its payment to the issue of its cards.
    #[schema(value_type = OrderStatus)]
    status: OpenEnum<OrderStatus>,
    /// The payment status for people, such as `Payment capture succeeded`.
    payment_label: String,
    /// What the buyer pays, in minor units of `currency`.
    amount_minor: Minor,
    /// ISO 4217 code of the order, which can differ from that of the report.
    currency: Currency,
}

impl RecentOrder {
    fn new(order: OrderEntry) -> Self {
        Self {
            order_ref: order.id.reference().to_owned(),
            id: order.id,
            occurred_at: order.created_at.into(),
            status: order.status.clone(),
            payment_label: label(order.payment_status),
            amount_minor: order.total.minor,
            currency: order.total.currency,
        }
    }
}

const MAX_RECENT: usize = 10;

fn report(tallies: &Timeline<Tally>, recent: Vec<OrderEntry>, merchant_currency: Option<Currency>) -> SalesReport {
    let sales = tallies.map(Sales::new);
    let total = sales.total();
    let currency = total.placed.shown_currency(merchant_currency);
    let series = sales.series();
    SalesReport {
        period_days: series.len(),
        currency,
        kpis: Kpis::new(&total, sales.preceding(), currency),
        series: series.map(|(day, sales)| SalesDay::new(day, sales, currency)).collect(),
        status_breakdown: top_by_count(&total.by_status, currency),
        payment_breakdown: top_by_count(&total.by_payment, currency),
        recent: recent.into_iter().map(RecentOrder::new).collect(),
    }
}

endpoint_error! {
    pub(crate) enum SalesError {
        /// The merchant is paid on redemption.
        PaidOnRedemption => 403 FORBIDDEN "Sales are not available to a merchant that is paid on redemption.",
        Report(#[from] ReportError),
    }
}

pub(crate) async fn sales(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<SalesReport>, SalesError> {
    let merchant = &caller.merchant;
    if merchant.is_paid(SettlementMode::OnRedemption) {
        return Err(SalesError::PaidOnRedemption);
    }
    let reader = period::reader(&app, merchant, &query);
    let (tallies, recent) = period::counted(&app, &caller, &query, Box::pin(reader.orders(MAX_RECENT))).await?;
    Ok(Data(report(&tallies, recent, merchant.currency)))
}

pub(crate) fn describe() -> Description {
    period::report_description(
        "getSalesReport",
        "Get the sales report",
        "Returns orders and revenue by day, status and payment status. Not available to merchants that are paid on \
         redemption.",
    )
    .success(
        "The sales report.",
        json!({
            "periodDays": 7,
            "currency": "SEK",
            "kpis": {
                "ordersPlaced": {"value": 3, "changePct": 0}, "completed": {"value": 2, "changePct": 100},
                "grossRevenueMinor": {"value": 100_000, "changePct": 100},
                "avgCompletedMinor": {"value": 50_000, "changePct": 0}, "completedInCurrency": 2,
            },
            "series": [
                {"dateKey": "2026-01-05", "dateLabel": "5 Jan", "total": 3, "completed": 2, "revenueMinor": 100_000},
            ],
            "statusBreakdown": [{"name": "completed", "count": 2, "valueMinor": 100_000}],
            "paymentBreakdown": [{"name": "payment capture succeeded", "count": 2, "valueMinor": 100_000}],
            "recent": [{
                "id": examples::ORDER, "occurredAt": "2026-01-01T10:00:00.000Z", "orderRef": "4a23d596", "status": "COMPLETED",
                "paymentLabel": "Payment capture succeeded", "amountMinor": 50_000, "currency": "SEK",
            }],
        }),
    )
}
