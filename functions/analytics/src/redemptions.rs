//! `GET /api/bff/analytics/redemptions`: redemptions by day, store and source.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::RedemptionId;
use shared::domain::merchant::SettlementMode;
use shared::domain::money::{Currency, Minor};
use shared::domain::open_enum::OpenEnum;
use shared::domain::redemption::{RedemptionStatus, ReportedRedemption};
use shared::domain::reports::kpi::Kpi;
use shared::domain::reports::period::{Day, ReportPeriod};
use shared::domain::reports::redemptions::{Redemptions, card_reference, source_label, store_label};
use shared::domain::reports::timeline::Timeline;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::period;
use crate::split::{ValuedShare, top_by_value};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RedemptionsReport<'a> {
    period_days: usize,
    /// The merchant's currency. Sums include amounts in this currency only.
    currency: Currency,
    kpis: Kpis,
    series: Vec<RedemptionsDay<'a>>,
    /// Succeeded redemptions by store.
    top_stores: Vec<ValuedShare<'a>>,
    /// Redemptions of any status by source, with their requested amounts.
    source_split: Vec<ValuedShare<'a>>,
    recent: &'a [RecentRedemption],
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RedemptionsKpis)]
struct Kpis {
    /// Redemptions of any status.
    total_attempts: Kpi<u64>,
    succeeded: Kpi<u64>,
    /// Failed redemptions; pending ones are not included.
    failed: Kpi<u64>,
    /// Redeemed amount.
    total_redeemed_minor: Kpi<Minor>,
    /// Average amount of the succeeded redemptions in `currency`, rounded to a minor unit; null if there are none.
    avg_redeem_minor: Kpi<Option<Minor>>,
}

impl Kpis {
    fn new(redemptions: &Redemptions, preceding: &Redemptions) -> Self {
        let (succeeded, preceding_succeeded) = (redemptions.succeeded, preceding.succeeded);
        Self {
            total_attempts: Kpi::new(redemptions.attempts, preceding.attempts),
            succeeded: Kpi::new(succeeded.count, preceding_succeeded.count),
            failed: Kpi::new(redemptions.failed, preceding.failed),
            total_redeemed_minor: Kpi::new(succeeded.sum, preceding_succeeded.sum),
            avg_redeem_minor: Kpi::new(succeeded.average(), preceding_succeeded.average()),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RedemptionsDay<'a> {
    #[serde(flatten)]
    day: &'a Day,
    /// Redemptions of any status.
    total: u64,
    succeeded: u64,
    /// Redeemed amount.
    amount_succeeded_minor: Minor,
}

impl<'a> RedemptionsDay<'a> {
    fn new((day, redemptions): (&'a Day, &Redemptions)) -> Self {
        Self {
            day,
            total: redemptions.attempts,
            succeeded: redemptions.succeeded.count,
            amount_succeeded_minor: redemptions.succeeded.sum,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RecentRedemption {
    id: RedemptionId,
    occurred_at: Timestamp,
    #[schema(value_type = RedemptionStatus)]
    status: OpenEnum<RedemptionStatus>,
    source_label: String,
    store_label: String,
    amount_minor: Minor,
    currency: Currency,
    card_ref: String,
}

impl RecentRedemption {
    fn new(redemption: ReportedRedemption) -> Self {
        Self {
            source_label: source_label(&redemption).to_owned(),
            store_label: store_label(&redemption).to_owned(),
            card_ref: card_reference(&redemption).to_owned(),
            id: redemption.id,
            occurred_at: redemption.occurred_at,
            status: redemption.status,
            amount_minor: redemption.amount.minor,
            currency: redemption.amount.currency,
        }
    }
}

const MAX_RECENT: usize = 10;

#[derive(Debug)]
struct ReportBuilder {
    currency: Currency,
    redemptions: Timeline<Redemptions>,
    /// Newest first, at most [`MAX_RECENT`].
    recent: Vec<RecentRedemption>,
}

impl ReportBuilder {
    fn new(currency: Currency, period: ReportPeriod) -> Self {
        Self { currency, redemptions: Timeline::new(period), recent: Vec::new() }
    }

    /// Adds a redemption. Redemptions must be added newest first.
    fn add(&mut self, redemption: ReportedRedemption) {
        if let Some(redemptions) = self.redemptions.aggregate_mut(redemption.occurred_at) {
            redemptions.add(&redemption, self.currency);
        }
        if self.recent.len() < MAX_RECENT && self.redemptions.contains(redemption.occurred_at) {
            self.recent.push(RecentRedemption::new(redemption));
        }
    }

    fn response(&self) -> Response {
        let total = self.redemptions.total();
        let series = self.redemptions.series();
        Data(RedemptionsReport {
            period_days: series.len(),
            currency: self.currency,
            kpis: Kpis::new(&total, self.redemptions.preceding()),
            series: series.map(RedemptionsDay::new).collect(),
            top_stores: top_by_value(&total.by_store),
            source_split: top_by_value(&total.by_source),
            recent: &self.recent,
        })
        .into_response()
    }
}

/// Returns 403 if the merchant is paid on sale.
pub(crate) async fn redemptions(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let merchant = &caller.merchant;
    if merchant.is_paid(SettlementMode::OnSale) {
        return Err(Fault::forbidden("Redemptions are not shown to a merchant that is paid on sale."));
    }
    let period = period::from_query(&query, merchant, app.clock.now());
    let range = period.range_with_preceding();
    let mut report = ReportBuilder::new(merchant.currency.unwrap_or(Currency::USD), period);
    app.store.for_each_redemption(&merchant.id, &range, |redemption| report.add(redemption)).await?;
    Ok(report.response())
}

pub(crate) fn describe() -> Description {
    period::report_description(
        "Get the redemptions report",
        "Returns redemptions and redeemed amounts by day, store and source. Not available to merchants that are paid \
         on sale.",
    )
    .data::<RedemptionsReport>(
        "The redemptions report.",
        json!({
            "periodDays": 7,
            "currency": "SEK",
            "kpis": {
                "totalAttempts": {"value": 4, "changePct": 0}, "succeeded": {"value": 3, "changePct": 50},
                "failed": {"value": 1, "changePct": -50},
                "totalRedeemedMinor": {"value": 30_000, "changePct": 50},
                "avgRedeemMinor": {"value": 10_000, "changePct": 0},
            },
            "series": [{
                "dateKey": "2026-01-05", "dateLabel": "5 Jan", "total": 4, "succeeded": 3,
                "amountSucceededMinor": 30_000,
            }],
            "topStores": [{"name": "Main street", "count": 3, "valueMinor": 30_000}],
            "sourceSplit": [{"name": "POS", "count": 4, "valueMinor": 40_000}],
            "recent": [{
                "id": "r-1", "occurredAt": "2026-01-05T10:00:00Z", "status": "SUCCEEDED", "sourceLabel": "POS",
                "storeLabel": "Main street", "amountMinor": 10_000, "currency": "SEK", "cardRef": "1111",
            }],
        }),
    )
    .error(403, "The merchant is paid on sale.")
}
