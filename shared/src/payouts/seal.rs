//! Sealing: the file is written part by part, then count and sum are fixed.

use super::file::{Written, write_part};
use super::left_out::{LeftOutReason, left_out_of_payout};
use super::payout::Payout;
use super::state::Upload;
use super::worker::{PayoutError, Worker};
use crate::db::{Store, StoreError, Stored, Write, keys};
use crate::settlements::model::settlement::Owed;
use crate::settlements::rows::PendingList;
use crate::values::Minor;

/// Writes the next part of the file, and seals the payout after the last one.
pub(super) async fn write_and_seal(
    worker: &mut Worker<'_>,
    payout: &Stored<Payout>,
    upload: Option<&Upload>,
) -> Result<(), PayoutError> {
    let app = worker.app;
    let writes = match write_part(app, payout, upload).await? {
        Written::Part(upload) => vec![Write::replace(payout, &payout.written(Some(upload))?)?],
        Written::Nothing => vec![Write::replace(payout, &payout.written(None)?)?],
        Written::File => {
            let mut writes = seal_payout(payout, &payout.seal(app.clock.now())?)?;
            writes.extend(Box::pin(not_paid(&app.store, payout)).await?);
            writes
        }
    };
    worker.commit(writes, 0).await?;
    Ok(())
}

/// Another payout of this merchant and currency can be made from then on.
fn seal_payout(read: &Stored<Payout>, sealed: &Payout) -> Result<Vec<Write>, StoreError> {
    let building = keys::building_payout(&read.merchant_id, read.currency);
    Ok(vec![Write::replace(read, sealed)?, Write::remove(building)?])
}

/// What the run leaves out because a payout adds up to nothing: a debt, or settlements that were held meanwhile.
async fn not_paid(store: &Store, payout: &Payout) -> Result<Option<Write>, StoreError> {
    if payout.net() > Minor::ZERO {
        return Ok(None);
    }
    if payout.count() > 0 {
        let owed = Owed { count: payout.count(), net: payout.net() };
        let left_out = left_out_of_payout(store, payout, Some(owed), LeftOutReason::NotPositive).await?;
        return Ok(Some(Write::put(&left_out)?));
    }
    let mut held = Some(Owed::default());
    for kind in payout.kinds() {
        let of_kind = (*kind, payout.currency);
        let before = payout.eligible_before;
        let sum = store.pending_sum(&payout.merchant_id, PendingList::Held, of_kind, before).await?;
        held = held.zip(sum).and_then(|(held, sum)| held.plus(sum));
    }
    if held.is_some_and(|held| held.count == 0) {
        return Ok(None);
    }
    let left_out = left_out_of_payout(store, payout, held, LeftOutReason::AllHeld).await?;
    Ok(Some(Write::put(&left_out)?))
}
