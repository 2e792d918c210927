//! `GET /api/bff/analytics/redemptions`: what was taken off cards, and where.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::domain::ids::RedemptionId;
use shared::domain::merchant::SettlementMode;
use shared::domain::money::{Currency, Minor};
use shared::domain::redemption::{Redemption, RedemptionStatus};
use shared::domain::reports::days::{Day, Days};
use shared::domain::reports::kpi::Kpi;
use shared::domain::reports::redemptions::{Redemptions, card_reference, source_label, store_label};
use shared::domain::reports::timeline::Timeline;
use shared::http::access::{Authorized, permission};
use shared::http::description::Description;
use shared::http::fault::Fault;
use shared::http::query::Query;
use shared::http::reply::Data;
use utoipa::ToSchema;

use crate::period;
use crate::split::{ValuedShare, by_value};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RedemptionsReport)]
struct Answer<'a> {
    period_days: usize,
    /// That of all sums: the merchant's own.
    currency: Currency,
    kpis: Kpis,
    series: Vec<DayOfRedemptions<'a>>,
    /// Redemptions that succeeded, by the store they took place in.
    top_stores: Vec<ValuedShare<'a>>,
    /// All attempts and what they asked for, by where they came from.
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
    /// Redemptions that failed; one that is still open has not.
    failed: Kpi<u64>,
    /// What was taken off cards.
    total_redeemed_minor: Kpi<Minor>,
    /// What was taken off for each success in the shown currency, rounded to a minor unit; null without any.
    avg_redeem_minor: Kpi<Option<Minor>>,
}

impl Kpis {
    fn of(redemptions: &Redemptions, preceding: &Redemptions) -> Self {
        let (succeeded, before) = (redemptions.succeeded, preceding.succeeded);
        Self {
            total_attempts: Kpi::new(redemptions.attempts, preceding.attempts),
            succeeded: Kpi::new(succeeded.count, before.count),
            failed: Kpi::new(redemptions.failed, preceding.failed),
            total_redeemed_minor: Kpi::new(succeeded.sum, before.sum),
            avg_redeem_minor: Kpi::new(succeeded.average(), before.average()),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RedemptionsDay)]
struct DayOfRedemptions<'a> {
    #[serde(flatten)]
    day: &'a Day,
    /// Redemptions of any status.
    total: u64,
    succeeded: u64,
    /// What was taken off cards.
    amount_succeeded_minor: Minor,
}

impl<'a> DayOfRedemptions<'a> {
    fn of((day, redemptions): (&'a Day, &Redemptions)) -> Self {
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
    status: RedemptionStatus,
    source_label: String,
    store_label: String,
    amount_minor: Minor,
    currency: Currency,
    card_ref: String,
}

impl RecentRedemption {
    fn of(redemption: Redemption) -> Self {
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

/// The redemptions of two periods as they are counted.
#[derive(Debug)]
struct Report {
    currency: Currency,
    redemptions: Timeline<Redemptions>,
    recent: Vec<RecentRedemption>,
}

impl Report {
    fn new(currency: Currency, days: Days) -> Self {
        Self { currency, redemptions: Timeline::new(days), recent: Vec::new() }
    }

    /// Counts a redemption. They come newest first.
    fn add(&mut self, redemption: Redemption) {
        if let Some(redemptions) = self.redemptions.at(redemption.occurred_at) {
            redemptions.add(&redemption, self.currency);
        }
        if self.recent.len() < MAX_RECENT && self.redemptions.shows(redemption.occurred_at) {
            self.recent.push(RecentRedemption::of(redemption));
        }
    }

    fn answer(&self) -> Response {
        let total = self.redemptions.total();
        let series = self.redemptions.series();
        Data(Answer {
            period_days: series.len(),
            currency: self.currency,
            kpis: Kpis::of(&total, self.redemptions.preceding()),
            series: series.map(DayOfRedemptions::of).collect(),
            top_stores: by_value(&total.by_store),
            source_split: by_value(&total.by_source),
            recent: &self.recent,
        })
        .into_response()
    }
}

/// Redemptions by the day on which they took place. 403 for a merchant that is paid on sale.
pub(crate) async fn redemptions(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Response, Fault> {
    let merchant = &caller.merchant;
    if merchant.settlement_mode == Some(SettlementMode::OnSale) {
        return Err(Fault::forbidden("Redemptions are not shown to a merchant that is paid on sale."));
    }
    let days = period::days(&query, merchant, app.clock.now());
    let both_periods = days.both_periods();
    let mut report = Report::new(merchant.currency.unwrap_or(Currency::USD), days);
    app.store.for_each_redemption(&merchant.id, &both_periods, |redemption| report.add(redemption)).await?;
    Ok(report.answer())
}

pub(crate) fn describe() -> Description {
    period::described(
        "Redemptions",
        "Redemptions by the day on which they took place, and what was taken off cards. Not for a merchant that is \
         paid on sale.",
    )
    .data::<Answer>(
        "The figures.",
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
    .refuses(403, "The merchant is paid on sale.")
}
