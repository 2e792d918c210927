//! Does what is left to do for a payout: lets settlements join, writes the file and seals it, and lets the settlements follow
//! what was decided.
//!
//! Every step is one transaction of the payout and some of its settlements, on condition that none of them has changed since
//! it was read. So any worker can go on where another one has died, and workers that race do nothing twice.

use super::follow::follow;
use super::join::join;
use super::seal::write_and_seal;
use super::state::{Building, PayoutState};
use super::worker::{PayoutError, Progress, Worker};
use crate::app::App;
use crate::base::invocation::Invocation;
use crate::db::keys;
use crate::values::PayoutId;

/// One worker at a time works on the payouts of a merchant, so that all of them together keep the pace. What is written does
/// not depend on it.
pub async fn advance_payout(app: &App, invocation: &Invocation, id: &PayoutId) -> Result<Progress, PayoutError> {
    let Some(payout) = app.store.payout(id).await? else { return Ok(Progress::Done) };
    if payout.is_waiting_or_done() {
        return Ok(Progress::Done);
    }
    let key = keys::payouts_lease(&payout.merchant_id);
    let Some(lease) = app.store.try_acquire_lease(key, &app.clock).await? else {
        return Ok(Progress::Busy);
    };
    let progress = advance(&mut Worker::new(app, invocation), id).await;
    app.store.release_lease(&lease).await?;
    progress
}

async fn advance(worker: &mut Worker<'_>, id: &PayoutId) -> Result<Progress, PayoutError> {
    while !worker.is_over() {
        let Some(payout) = worker.app.store.payout(id).await? else { return Ok(Progress::Done) };
        match payout.state() {
            PayoutState::Building(Building::Joining) => join(worker, payout).await?,
            PayoutState::Building(Building::WritingFile { upload }) => write_and_seal(worker, &payout, upload.as_ref()).await?,
            PayoutState::Paying { followed, .. } | PayoutState::Cancelling { followed, .. } => {
                follow(worker, &payout, followed).await?;
            }
            PayoutState::Sealed | PayoutState::Paid { .. } | PayoutState::Cancelled { .. } | PayoutState::Unknown(_) => {
                return Ok(Progress::Done);
            }
        }
    }
    Ok(Progress::Unfinished)
}
