//! `GET /api/bff/analytics/redemptions`: redemptions by day, store and source.

use axum::extract::State;
use serde::Serialize;
use serde_json::json;
use shared::app::App;
use shared::cards::model::redemption::{RedemptionEntry, RedemptionStatus};
use shared::endpoint_error;
use shared::http::{Authorized, Data, Description, Query, UtcTime, examples, permission};
use shared::merchants::model::merchant::SettlementMode;
use shared::projections::model::reports::kpi::Kpi;
use shared::projections::model::reports::redemptions::{Redemptions, source_label, store_label};
use shared::projections::model::reports::timeline::Timeline;
use shared::projections::model::tally::Tally;
use shared::values::{Currency, Day, Minor, OpenEnum, RedemptionId};
use utoipa::ToSchema;

use crate::period::{self, ReportError};
use crate::split::{ValuedShare, top_by_value};

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedemptionsReport {
    /// Length of the period in days.
    period_days: usize,
    /// The merchant's currency if any amount of the period is in it, or if there are none. Otherwise the most frequent one. Sums
    /// include amounts in this currency only.
    currency: Currency,
    /// Figures of the period, with their change from the preceding period of the same length.
    kpis: Kpis,
    /// Each day of the period, oldest first.
    series: Vec<RedemptionsDay>,
    /// Successful redemptions by store.
    top_stores: Vec<ValuedShare>,
    /// Successful redemptions by source.
    source_split: Vec<ValuedShare>,
    /// The 10 latest redemptions of the period, newest first.
    recent: Vec<RecentRedemption>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RedemptionsKpis)]
struct Kpis {
    /// Redemptions of any status.
    total_attempts: Kpi<u64>,
    /// Redemptions with the status `SUCCEEDED`.
    succeeded: Kpi<u64>,
    /// Failed redemptions; pending ones are not included.
    failed: Kpi<u64>,
    /// Redeemed amount.
    total_redeemed_minor: Kpi<Minor>,
    /// Average amount of the successful redemptions in `currency`, rounded to a minor unit; null if there are none.
    avg_redeem_minor: Kpi<Option<Minor>>,
    /// The successful redemptions in `currency`, on which the average is based.
    succeeded_in_currency: u64,
}

impl Kpis {
    fn new(redemptions: &Redemptions, preceding: &Redemptions, currency: Currency) -> Self {
        let kpi = |number: fn(&Redemptions) -> u64| Kpi::new(number(redemptions), number(preceding));
        let (succeeded, preceding) = (&redemptions.succeeded, &preceding.succeeded);
        Self {
            total_attempts: kpi(|redemptions| redemptions.attempts.count()),
            succeeded: kpi(|redemptions| redemptions.succeeded.count()),
            failed: kpi(|redemptions| redemptions.failed),
            total_redeemed_minor: Kpi::new(succeeded.sum(currency), preceding.sum(currency)),
            avg_redeem_minor: Kpi::new(succeeded.average(currency), preceding.average(currency)),
            succeeded_in_currency: succeeded.count_in(currency),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RedemptionsDay {
    #[serde(flatten)]
    day: Day,
    /// Redemptions of any status.
    total: u64,
    /// Redemptions with the status `SUCCEEDED`.
    succeeded: u64,
    /// Redeemed amount.
    amount_succeeded_minor: Minor,
}

impl RedemptionsDay {
    fn new(day: &Day, redemptions: &Redemptions, currency: Currency) -> Self {
        Self {
            day: day.clone(),
            total: redemptions.attempts.count(),
            succeeded: redemptions.succeeded.count(),
            amount_succeeded_minor: redemptions.succeeded.sum(currency),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RecentRedemption {
    /// The id of the redemption.
    id: RedemptionId,
    /// When the card was redeemed.
    occurred_at: UtcTime,
    /// `PENDING` until the outcome is known.
    #[schema(value_type = RedemptionStatus)]
    status: OpenEnum<RedemptionStatus>,
    /// Where it was redeemed, such as `POS`; `Other` if that is unknown.
    source_label: String,
    /// The name of the store; `Unspecified location` if it is unknown.
    store_label: String,
    /// The redeemed amount, in minor units of `currency`.
    amount_minor: Minor,
    /// ISO 4217 code of the redemption, which can differ from that of the report.
    currency: Currency,
    /// The last characters of a code of the card, at most 4. They cannot be redeemed.
    card_ref: String,
}

impl RecentRedemption {
    fn new(redemption: RedemptionEntry) -> Self {
        Self {
            source_label: source_label(redemption.source_text()).to_owned(),
            store_label: store_label(redemption.store_name.as_deref()).to_owned(),
            card_ref: redemption.card_reference,
            id: redemption.id,
            occurred_at: redemption.occurred_at.into(),
            status: redemption.status,
            amount_minor: redemption.amount.minor,
            currency: redemption.amount.currency,
        }
    }
}

const MAX_RECENT: usize = 10;

/// `names` are those of the period, without the preceding one.
fn report(
    tallies: &Timeline<Tally>,
    names: &Tally,
    recent: Vec<RedemptionEntry>,
    merchant_currency: Option<Currency>,
) -> RedemptionsReport {
    let redemptions = tallies.map(|tally| Redemptions::new(tally, &Tally::default()));
    let total = Redemptions::new(&tallies.total(), names);
    let currency = total.attempts.shown_currency(merchant_currency);
    let series = redemptions.series();
    RedemptionsReport {
        period_days: series.len(),
        currency,
        kpis: Kpis::new(&total, redemptions.preceding(), currency),
        series: series.map(|(day, redemptions)| RedemptionsDay::new(day, redemptions, currency)).collect(),
        top_stores: top_by_value(&total.by_store, currency),
        source_split: top_by_value(&total.by_source, currency),
        recent: recent.into_iter().map(RecentRedemption::new).collect(),
    }
}

endpoint_error! {
    pub(crate) enum RedemptionsError {
        /// The merchant is paid on sale.
        PaidOnSale => 403 FORBIDDEN "Redemptions are not available to a merchant that is paid on sale.",
        Report(#[from] ReportError),
    }
}

pub(crate) async fn redemptions(
    caller: Authorized<permission::Analytics>,
    State(app): State<App>,
    query: Query,
) -> Result<Data<RedemptionsReport>, RedemptionsError> {
    let merchant = &caller.merchant;
    if merchant.is_paid(SettlementMode::OnSale) {
        return Err(RedemptionsError::PaidOnSale);
    }
    let reader = period::reader(&app, merchant, &query);
    let (tallies, names, recent) = period::counted(&app, &caller, &query, Box::pin(reader.redemptions(MAX_RECENT))).await?;
    Ok(Data(report(&tallies, &names, recent, merchant.currency)))
}

pub(crate) fn describe() -> Description {
    period::report_description(
        "getRedemptionsReport",
        "Get the redemptions report",
        "Returns redemptions and redeemed amounts by day, store and source. Not available to merchants that are paid \
         on sale.",
    )
    .success(
        "The redemptions report.",
        json!({
            "periodDays": 7,
            "currency": "SEK",
            "kpis": {
                "totalAttempts": {"value": 4, "changePct": 0}, "succeeded": {"value": 3, "changePct": 50},
                "failed": {"value": 1, "changePct": -50},
                "totalRedeemedMinor": {"value": 30_000, "changePct": 50},
                "avgRedeemMinor": {"value": 10_000, "changePct": 0}, "succeededInCurrency": 3,
            },
            "series": [{
                "dateKey": "2026-01-05", "dateLabel": "5 Jan", "total": 4, "succeeded": 3,
                "amountSucceededMinor": 30_000,
            }],
            "topStores": [{"name": "Main street", "count": 3, "valueMinor": 30_000}],
            "sourceSplit": [{"name": "POS", "count": 3, "valueMinor": 30_000}],
            "recent": [{
                "id": examples::REDEMPTION, "occurredAt": "2026-01-05T10:00:00.000Z", "status": "SUCCEEDED", "sourceLabel": "POS",
                "storeLabel": "Main street", "amountMinor": 10_000, "currency": "SEK", "cardRef": "Y65M",
            }],
        }),
    )
}
