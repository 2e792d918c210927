//! `GET /api/bff/analytics/fraud`: fraud check results of orders.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::cards::model::order::OrderEntry;
use shared::http::{Authorized, Data, Description, Query, UtcTime, permission};
use shared::projections::model::reports::fraud::{FraudCounts, action_label, reason_text};
use shared::projections::model::reports::kpi::{Kpi, PercentageKpi};
use shared::projections::model::reports::timeline::Timeline;
use shared::projections::model::tally::{Series, Tally};
use shared::values::OrderId;
use utoipa::ToSchema;

use crate::period::{self, ReportError};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FraudReport {
    /// Length of the period in days.
    period_days: usize,
    /// Figures of the period, with their change from the preceding period of the same length.
    kpis: Kpis,
    /// Checked orders of the period by result.
    breakdown: [FraudSlice; 3],
    /// Decisions of the period, newest first.
    recent_events: Vec<FraudEvent>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FraudKpis)]
struct Kpis {
    /// Orders that the fraud check blocked.
    blocked: Kpi<u64>,
    /// Orders under review.
    under_review: Kpi<u64>,
    /// Percentage of checked orders that passed; null if no order was checked.
    pass_rate: PercentageKpi,
}

impl Kpis {
    fn new(counts: &FraudCounts, preceding: &FraudCounts) -> Self {
        Self {
            blocked: Kpi::new(counts.blocked, preceding.blocked),
            under_review: Kpi::new(counts.review, preceding.review),
            pass_rate: PercentageKpi::new(counts.pass_rate(), preceding.pass_rate()),
        }
    }
}

/// A slice of the fraud chart.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub(crate) struct FraudSlice {
    /// `Passed`, `Review` or `Blocked`.
    name: &'static str,
    /// Number of orders.
    value: u64,
    /// The color of the slice in charts, as `#rrggbb`.
    color: &'static str,
}

/// Returns the slices of the fraud chart, including empty ones.
pub(crate) fn slices(counts: &FraudCounts) -> [FraudSlice; 3] {
    [
        FraudSlice { name: "Passed", value: counts.passed, color: "#16a34a" },
        FraudSlice { name: "Review", value: counts.review, color: "#f59e0b" },
        FraudSlice { name: "Blocked", value: counts.blocked, color: "#dc2626" },
    ]
}

/// An order that was blocked or sent to review.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FraudEvent {
    /// The id of the order.
    id: OrderId,
    /// Time of the decision; if unknown, time of the order.
    occurred_at: UtcTime,
    /// The id of the order, or the last 8 characters of a long one.
    order_ref: String,
    /// `Sent to review` or `Blocked`.
    action: &'static str,
    /// A sentence for people, which does not reveal how the check works.
    reason: &'static str,
    /// The total of the order with its currency code, such as `SEK 500.00`.
    amount_label: String,
}

impl FraudEvent {
    /// Returns `None` for orders that passed or were not checked.
    fn from_order(order: OrderEntry) -> Option<Self> {
        Some(Self {
            occurred_at: order.flagged_at()?.into(),
            order_ref: order.id.reference().to_owned(),
            action: order.fraud.status.known().and_then(action_label)?,
            reason: reason_text(order.fraud.reason_code.as_deref()),
            amount_label: order.total.label(),
            id: order.id,
        })
    }
}

const MAX_EVENTS: usize = 8;

fn report(tallies: &Timeline<Tally>, flagged: Vec<OrderEntry>) -> FraudReport {
    let total = FraudCounts::new(&tallies.total());
    FraudReport {
        period_days: tallies.series().len(),
        kpis: Kpis::new(&total, &FraudCounts::new(tallies.preceding())),
        breakdown: slices(&total),
        recent_events: flagged.into_iter().filter_map(FraudEvent::from_order).collect(),
    }
}

pub(crate) async fn fraud(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<FraudReport>, ReportError> {
    let reader = period::reader(&app, &caller.merchant, &query);
    let read = async { tokio::try_join!(reader.by_day(Series::Orders), reader.flagged_orders(MAX_EVENTS)) };
    let (tallies, flagged) = period::counted(&app, &caller, &query, Box::pin(read)).await?;
    Ok(Data(report(&tallies, flagged)))
}

pub(crate) fn describe() -> Description {
    period::report_description(
        "getFraudReport",
        "Get the fraud report",
        "Returns the fraud check results of the orders placed in the period, and the latest decisions of the period to block an \
         order or to send it to review. The order may have been placed up to one period earlier.",
    )
    .success(
        "The fraud report.",
        json!({
            "periodDays": 14,
            "kpis": {
                "blocked": {"value": 0, "changePct": 0}, "underReview": {"value": 1, "changePct": 100},
                "passRate": {"valuePct": 66.7, "changePp": -33.3},
            },
            "breakdown": slices(&FraudCounts { passed: 2, review: 1, blocked: 0 }),
            "recentEvents": [{
                "id": "019b8d97-9440-7676-b997-4d75333824fe", "occurredAt": "2026-01-05T10:00:00.000Z", "orderRef": "333824fe",
                "action": "Sent to review", "reason": "The amount is higher than usual.",
                "amountLabel": "SEK 500.00",
            }],
        }),
    )
}
