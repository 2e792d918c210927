//! `GET /api/admin/payouts/runs/{runId}`: how far a payout run is, and what it has left out.

use std::iter;

use axum::extract::State;
use serde::Serialize;
use serde_json::{Value, json};
use shared::app::App;
use shared::endpoint_error;
use shared::http::{Data, Description, PathIds, PlatformAdministrator, Query, UtcTime, examples};
use shared::payouts::{LeftOut, LeftOutReason};
use shared::values::{Currency, MerchantId, Minor, OpenEnum, PayoutRunId, UserId};
use utoipa::ToSchema;

use crate::people::{self, Person, people};

/// What one response contains of what a run has left out.
const MAX_LEFT_OUT: u16 = 1000;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PayoutRunProgress)]
pub(crate) struct RunView {
    /// The id of the run.
    run_id: PayoutRunId,
    /// `DONE` once all payouts are started and no more settlements join them; `leftOut` is then final.
    status: RunStatus,
    /// The id of the platform administrator who started the run.
    created_by: UserId,
    /// Who started it.
    people: Vec<Person>,
    /// When it was started.
    created_at: UtcTime,
    /// Only settlements that are eligible before this time are paid.
    eligible_before: UtcTime,
    /// The number of payouts that it has made so far.
    payouts: u64,
    /// Settlements that are eligible and in none of its payouts, by merchant, currency and reason.
    left_out: Vec<LeftOutView>,
    /// The `cursor` that continues `leftOut`; null unless it has 1,000 entries here and can have more.
    next: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = PayoutRunStatus)]
enum RunStatus {
    Running,
    Done,
}

/// Settlements of a merchant in a currency that are not paid.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LeftOut)]
pub(crate) struct LeftOutView {
    /// The merchant that is owed the amount.
    merchant_id: MerchantId,
    /// The name of the merchant that the portal shows. Empty if the merchant cannot be read.
    merchant_name: String,
    /// ISO 4217 code of the settlements.
    currency: Currency,
    /// The number of settlements. Null if there are more than 100,000, or one cannot be read.
    count: Option<u64>,
    /// The sum of their net amounts, in minor units of `currency`. Null if there are more than 100,000, or one cannot be read.
    net_amount_minor: Option<Minor>,
    /// `STATUS`: the merchant is neither `ACTIVE` nor `INACTIVE`. `IDENTITY_CHANGED`: the identity of the merchant has changed
    /// and was not reviewed. `OWN_MERCHANT`: the administrator who starts the run is or was a member of the merchant. `ALL_HELD`:
    /// all settlements are held. `NOT_POSITIVE`: they add up to 0 or less. `UNREADABLE`: the merchant or the settlements cannot
    /// be read. `OTHER_KIND`: the merchant's settlement mode does not pay them. `ANOTHER_RUN`: settlements are joining the payout
    /// of another run.
    #[schema(value_type = LeftOutReason)]
    reason: OpenEnum<LeftOutReason>,
}

impl From<LeftOut> for LeftOutView {
    fn from(left_out: LeftOut) -> Self {
        Self {
            merchant_id: left_out.merchant_id,
            merchant_name: left_out.merchant_name,
            currency: left_out.currency,
            count: left_out.count,
            net_amount_minor: left_out.net,
            reason: left_out.reason,
        }
    }
}

endpoint_error! {
    pub(crate) enum PayoutRunError {
        /// There is no such run.
        NoSuchRun => 404 NOT_FOUND "There is no such payout run.",
    }
}

pub(crate) async fn run(
    _: PlatformAdministrator,
    State(app): State<App>,
    path: PathIds,
    query: Query,
) -> Result<Data<RunView>, PayoutRunError> {
    let id = PayoutRunId::new(path.get("runId").unwrap_or_default());
    let run = app.store.payout_run(&id).await?;
    let run = run.ok_or(PayoutRunError::NoSuchRun)?;
    // Before what is left out: that is final once no payout is being built.
    let progress = app.store.progress_of_run(&id).await?;
    let after = query.cursor();
    let page = app.store.left_out_of_run(&id, after, MAX_LEFT_OUT).await?;
    let is_done = run.finished_at.is_some() && !progress.is_building;
    Ok(Data(RunView {
        run_id: id,
        status: if is_done { RunStatus::Done } else { RunStatus::Running },
        created_by: run.created_by.clone(),
        people: people(&app, iter::once(&run.created_by)).await?,
        created_at: run.created_at.into(),
        eligible_before: run.eligible_before.into(),
        payouts: progress.payouts,
        left_out: page.left_out.into_iter().map(LeftOutView::from).collect(),
        next: page.next,
    }))
}

pub(crate) fn describe() -> Description {
    Description::new(
        "getPayoutRun",
        "Get a payout run",
        "Returns the progress of a run, and which settlements it leaves out and why.",
    )
    .query::<String>("cursor", "The `next` of the previous response.", false)
    .success(
        "The run.",
        json!({
            "runId": examples::PAYOUT_RUN, "status": "DONE", "createdBy": examples::ADMINISTRATOR,
            "people": [people::example()], "createdAt": "2026-01-15T10:00:00.000Z",
            "eligibleBefore": "2026-01-15T00:00:00.000Z", "payouts": 41, "leftOut": [left_out_example()], "next": null,
        }),
    )
}

pub(crate) fn left_out_example() -> Value {
    json!({
        "merchantId": examples::MERCHANT, "merchantName": "Aurora Coffee", "currency": "SEK", "count": 12,
        "netAmountMinor": 118_400, "reason": "IDENTITY_CHANGED",
    })
}
