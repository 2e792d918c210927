//! Makes the payouts of a run: one for each merchant and currency with settlements to be paid. Records what it leaves out.

use std::time::Duration;

use super::left_out::LeftOutReason;
use super::plan::plan;
use super::run::PayoutRun;
use super::store::create_payout;
use super::worker::{PayoutError, Progress};
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::db::{ActionBudget, CommitError, Stored, Task, Write, fill_transaction, keys};
use crate::merchants::model::merchant::Merchant;
use crate::values::{Currency, MerchantId, PayoutRunId};

/// A worker that dies repeats at most this many merchants.
const MERCHANTS_PER_PAGE: u16 = 25;
/// Pages in one job, so that other jobs of the stream do not wait for long.
const PAGES_PER_JOB: usize = 10;
/// No merchant starts with less time left than this.
const MIN_TIME_LEFT: Duration = Duration::from_secs(5);

/// Goes on after the last merchant that the run has recorded. To repeat a merchant does no harm: the ids of its payouts
/// follow from the run, and what is left out is written together with the progress.
pub async fn make_payouts(app: &App, invocation: &Invocation, run_id: &PayoutRunId) -> Result<Progress, PayoutError> {
    let Some(mut run) = app.store.payout_run(run_id).await? else { return Ok(Progress::Done) };
    for _ in 0..PAGES_PER_JOB {
        if run.finished_at.is_some() {
            return Ok(Progress::Done);
        }
        let (merchants, others_follow) = app.store.merchants_of_run(&run, run.after.as_ref(), MERCHANTS_PER_PAGE).await?;
        let (mut left_out, mut after) = (Vec::new(), run.after.clone());
        for merchant in merchants {
            if invocation.time_left() < MIN_TIME_LEFT {
                advance(app, &run, after, left_out, false).await?;
                return Ok(Progress::Unfinished);
            }
            let of_merchant = Box::pin(start_payouts(app, &run, &merchant)).await?;
            let progress = Write::replace(&run, &run)?;
            if !ActionBudget::beside(left_out.iter().chain([&progress])).spend(&of_merchant) {
                run = advance(app, &run, after, std::mem::take(&mut left_out), false).await?;
            }
            left_out.extend(of_merchant);
            after = Some(merchant);
        }
        run = advance(app, &run, after, left_out, !others_follow).await?;
    }
    Ok(if run.finished_at.is_some() { Progress::Done } else { Progress::Unfinished })
}

/// Records that the merchants up to `after` are done, and what was left out of them.
async fn advance(
    app: &App,
    run: &Stored<PayoutRun>,
    after: Option<MerchantId>,
    left_out: Vec<Write>,
    is_finished: bool,
) -> Result<Stored<PayoutRun>, PayoutError> {
    let finished_at = is_finished.then(|| app.clock.now());
    let advanced = PayoutRun { after, finished_at, ..run.value.clone() };
    let mut writes = vec![Write::replace(run, &advanced)?];
    fill_transaction(&mut writes, left_out);
    app.store.commit(writes).await?;
    Ok(run.clone().replaced(advanced))
}

/// Returns the writes of what is left out. A payout that exists is left alone.
async fn start_payouts(app: &App, run: &Stored<PayoutRun>, merchant: &MerchantId) -> Result<Vec<Write>, PayoutError> {
    let plan = plan(&app.store, run, merchant).await?;
    let mut left_out = Vec::new();
    for planned in plan.left_out {
        // A worker that has died may have made the payout. What has joined it since is not in the plan any more.
        let of_payout = planned.reason != LeftOutReason::OtherKind;
        let payout = run.payout_id(merchant, planned.currency);
        if !of_payout || app.store.payout(&payout).await?.is_none() {
            left_out.push(planned);
        }
    }
    if let Some(merchant) = plan.merchant {
        for planned in plan.payouts {
            if !start_payout(app, run, &merchant, planned.currency).await? {
                left_out.push(planned.left_out(run, LeftOutReason::AnotherRun));
            }
        }
    }
    Ok(left_out.iter().map(Write::put).collect::<Result<_, _>>()?)
}

/// Returns `false` if settlements are joining the payout of another run.
async fn start_payout(app: &App, run: &PayoutRun, merchant: &Merchant, currency: Currency) -> Result<bool, PayoutError> {
    let now = app.clock.now();
    let payout = run.payout(merchant, currency, now);
    let task = Task::AdvancePayout { payout_id: payout.id.clone() };
    let mut writes = create_payout(&payout)?;
    writes.push(app.store.enqueue(merchant.id.clone(), task, now)?);
    match app.store.commit(writes).await {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict(key)) => Ok(key != keys::building_payout(&merchant.id, currency)),
        Err(error) => Err(error.into()),
    }
}
