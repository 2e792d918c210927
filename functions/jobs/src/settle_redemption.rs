//! Creates the missing settlement of a succeeded redemption.

use shared::app::App;
use shared::cards::model::redemption::RedemptionStatus;
use shared::settlements::model::settlement::Settlement;
use shared::settlements::rows::create_settlement;
use shared::values::{MerchantId, RedemptionId};
use shared::webhooks::model::Event;

use crate::outcome::Failure;

/// A conflict means that the settlement already exists: the job is done.
pub(crate) async fn settle(app: &App, merchant: &MerchantId, redemption: &RedemptionId) -> Result<(), Failure> {
    let Some(redemption) = app.store.redemption(merchant, redemption).await? else { return Ok(()) };
    if redemption.status != RedemptionStatus::Succeeded {
        return Ok(());
    }
    let now = app.clock.now();
    let Some(settlement) = Settlement::of_redemption(&redemption, now)? else { return Ok(()) };
    let mut writes = create_settlement(&settlement)?;
    if let Some(merchant) = app.store.merchant(merchant).await? {
        let event = Event::SettlementCreated { settlement_id: settlement.id.clone() };
        writes.extend(app.store.webhook_message(&merchant, event, now)?);
    }
    app.store.commit_if_possible(writes).await?;
    Ok(())
}
