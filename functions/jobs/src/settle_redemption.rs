//! Makes up for the settlement of a redemption that succeeded without one.

use shared::app::App;
use shared::domain::ids::{MerchantId, RedemptionId};
use shared::domain::redemption::RedemptionStatus;
use shared::domain::settlement::Settlement;
use shared::store::CommitError;
use shared::store::settlements::new_settlement;

use crate::Failure;

/// A settlement that exists by now is what was promised.
pub(crate) async fn settle(
    app: &App,
    merchant: &MerchantId,
    redemption: &RedemptionId,
) -> Result<(), Failure> {
    let Some(redemption) = app.store.redemption(merchant, redemption).await? else { return Ok(()) };
    if redemption.status != RedemptionStatus::Succeeded {
        return Ok(());
    }
    let Some(settlement) = Settlement::of(&redemption, app.clock.now())? else { return Ok(()) };
    match app.store.commit(new_settlement(&settlement)?).await {
        Ok(()) | Err(CommitError::Conflict(_)) => Ok(()),
        Err(CommitError::Store(error)) => Err(error.into()),
    }
}
