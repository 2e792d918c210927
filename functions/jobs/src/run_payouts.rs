//! Starts the payouts of a run: one for each merchant and currency with settlements to be paid.

use std::collections::BTreeMap;
use std::time::Duration;

use shared::app::App;
use shared::domain::ids::{MerchantId, PayoutRunId};
use shared::domain::money::Currency;
use shared::domain::open_enum::OpenEnum;
use shared::domain::payout::PayoutRun;
use shared::domain::tally::SettlementKind;
use shared::invocation::Invocation;
use shared::store::jobs::{Job, Task};
use shared::store::payouts::create_payout;
use shared::store::{StoreError, Stored, Write};

use crate::{Failure, Progress};

/// A worker that dies repeats at most this many merchants.
const MERCHANTS_PER_PAGE: u16 = 25;
/// Pages in one job, so that other jobs of the stream do not wait for long.
const PAGES_PER_JOB: usize = 10;
/// No page starts with less time left than this.
const MIN_TIME_LEFT: Duration = Duration::from_secs(5);

/// Goes on after the last merchant that the run has recorded. To repeat a merchant does no harm: the ids of its payouts
/// follow from the run.
pub(crate) async fn run(
    app: &App,
    invocation: &Invocation,
    run_id: &PayoutRunId,
) -> Result<Progress, Failure> {
    let Some(mut run) = app.store.payout_run(run_id).await? else { return Ok(Progress::Done) };
    for _ in 0..PAGES_PER_JOB {
        if run.finished_at.is_some() {
            return Ok(Progress::Done);
        }
        if invocation.time_left() < MIN_TIME_LEFT {
            break;
        }
        let (merchants, next) = merchants(app, &run).await?;
        for merchant in &merchants {
            match start_payouts(app, &run, merchant).await {
                // One merchant does not hold up the others.
                Err(Failure::Store(error @ StoreError::UnreadableRow(_))) => {
                    tracing::error!(cause = %error, %merchant, "left out of a payout run");
                }
                started => started?,
            }
        }
        let finished_at = next.is_none().then(|| app.clock.now());
        let advanced = PayoutRun { after: next, finished_at, ..run.value.clone() };
        app.store.commit(vec![Write::replace(&run, &advanced)?]).await?;
        run = run.replaced(advanced);
    }
    Ok(if run.finished_at.is_some() { Progress::Done } else { Progress::Unfinished })
}

/// The next merchants, and the one after which the others follow.
async fn merchants(app: &App, run: &PayoutRun) -> Result<(Vec<MerchantId>, Option<MerchantId>), Failure> {
    if let Some(only) = &run.merchant_id {
        return Ok((vec![only.clone()], None));
    }
    let page = app.store.merchants_page(run.after.as_ref(), MERCHANTS_PER_PAGE).await?;
    Ok((page.merchants.into_iter().map(|merchant| merchant.id).collect(), page.next))
}

/// A payout that exists is left alone, and so is a currency in which settlements join another payout of the merchant.
async fn start_payouts(app: &App, run: &Stored<PayoutRun>, merchant: &MerchantId) -> Result<(), Failure> {
    let Some(merchant) = app.store.merchant(merchant).await?.filter(|merchant| run.pays(merchant)) else {
        return Ok(());
    };
    let mode = merchant.settlement_mode.as_ref().and_then(OpenEnum::known);
    for currency in pending_currencies(app, run, &merchant.id, SettlementKind::listed(mode)).await? {
        let now = app.clock.now();
        let payout = run.payout(&merchant, currency, now);
        let task = Task::AdvancePayout { payout_id: payout.id.clone() };
        let mut writes = create_payout(&payout)?;
        writes.push(Write::create(&Job::new(merchant.id.clone(), task, now, &app.random))?);
        app.store.commit_if_possible(writes).await?;
    }
    Ok(())
}

/// The currencies of the run in which a settlement is eligible.
async fn pending_currencies(
    app: &App,
    run: &PayoutRun,
    merchant: &MerchantId,
    kinds: &[SettlementKind],
) -> Result<Vec<Currency>, Failure> {
    let mut currencies = BTreeMap::new();
    for kind in kinds {
        let mut after = None;
        while let Some(first) = app.store.next_pending_currency(merchant, *kind, after).await? {
            let currency = first.currency;
            let is_wanted = run.currency.is_none_or(|wanted| wanted == currency);
            if is_wanted && first.eligible_at < run.eligible_before {
                currencies.insert(currency.code(), currency);
            }
            after = Some(currency);
        }
    }
    Ok(currencies.into_values().collect())
}
