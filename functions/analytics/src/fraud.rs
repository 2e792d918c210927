//! `GET /api/bff/analytics/fraud`: what the fraud check made of the orders.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::OrderId;
use shared::domain::order::PlacedOrder;
use shared::domain::reports::days::Days;
use shared::domain::reports::fraud::{FraudCounts, Slice, action, reason};
use shared::domain::reports::kpi::{Kpi, PercentageKpi};
use shared::domain::reports::timeline::Timeline;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::period;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FraudReport)]
struct Answer<'a> {
    period_days: usize,
    kpis: Kpis,
    /// The checked orders of the period, by what came of the check.
    breakdown: [Slice; 3],
    recent_events: &'a [Event],
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FraudKpis)]
struct Kpis {
    /// Orders placed in the period that are blocked.
    blocked: Kpi<u64>,
    /// Orders placed in the period that are under review.
    under_review: Kpi<u64>,
    /// Orders that passed, of those placed in the period that were checked; null without any.
    pass_rate: PercentageKpi,
}

impl Kpis {
    fn of(counts: &FraudCounts, preceding: &FraudCounts) -> Self {
        Self {
            blocked: Kpi::new(counts.blocked, preceding.blocked),
            under_review: Kpi::new(counts.review, preceding.review),
            pass_rate: PercentageKpi::new(counts.pass_rate(), preceding.pass_rate()),
        }
    }
}

/// A decision about an order of the period that did not simply pass.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = FraudEvent)]
struct Event {
    id: OrderId,
    /// When it was decided; when the order was placed, where nobody wrote that down.
    occurred_at: Timestamp,
    order_ref: String,
    action: &'static str,
    reason: &'static str,
    amount_label: String,
}

impl Event {
    fn of(order: PlacedOrder) -> Option<Self> {
        Some(Self {
            occurred_at: order.fraud.decided_at.unwrap_or(order.created_at),
            order_ref: order.id.reference().to_owned(),
            action: action(order.fraud.status)?,
            reason: reason(order.fraud.reason_code.as_deref()),
            amount_label: order.total.label(),
            id: order.id,
        })
    }
}

const MAX_EVENTS: usize = 8;

/// The orders of two periods as they are counted.
#[derive(Debug)]
struct Report {
    counts: Timeline<FraudCounts>,
    /// Newest first.
    recent_events: Vec<Event>,
}

impl Report {
    fn new(days: Days) -> Self {
        Self { counts: Timeline::new(days), recent_events: Vec::new() }
    }

    fn add(&mut self, order: PlacedOrder) {
        if let Some(counts) = self.counts.at(order.created_at) {
            counts.add(order.fraud.status);
        }
        if self.counts.shows(order.created_at)
            && let Some(event) = Event::of(order)
        {
            self.remember(event);
        }
    }

    /// Orders come in the order of their placing; decisions are taken in another.
    fn remember(&mut self, event: Event) {
        self.recent_events.push(event);
        let newest_first =
            |one: &Event, other: &Event| (other.occurred_at, &other.id).cmp(&(one.occurred_at, &one.id));
        self.recent_events.sort_by(newest_first);
        self.recent_events.truncate(MAX_EVENTS);
    }

    fn answer(&self) -> Response {
        let total = self.counts.total();
        Data(Answer {
            period_days: self.counts.series().len(),
            kpis: Kpis::of(&total, self.counts.preceding()),
            breakdown: total.slices(),
            recent_events: &self.recent_events,
        })
        .into_response()
    }
}

/// Fraud checks of the orders that were placed in the period.
pub(crate) async fn fraud(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let days = period::days(&query, &caller.merchant, app.clock.now());
    let both_periods = days.both_periods();
    let mut report = Report::new(days);
    app.store.for_each_order(&caller.merchant.id, &both_periods, |order| report.add(order)).await?;
    Ok(report.answer())
}

pub(crate) fn describe() -> Description {
    period::described(
        "Fraud checks",
        "What the fraud check made of the orders that were placed in the period.",
    )
    .data::<Answer>(
        "The figures.",
        json!({
            "periodDays": 14,
            "kpis": {
                "blocked": {"value": 0, "changePct": 0}, "underReview": {"value": 1, "changePct": 100},
                "passRate": {"valuePct": 66.7, "changePp": -33.3},
            },
            "breakdown": FraudCounts { passed: 2, review: 1, blocked: 0 }.slices(),
            "recentEvents": [{
                "id": "o-1", "occurredAt": "2026-01-05T10:00:00Z", "orderRef": "o-1",
                "action": "Sent to review", "reason": "The amount is higher than usual.",
                "amountLabel": "SEK 500.00",
            }],
        }),
    )
}
