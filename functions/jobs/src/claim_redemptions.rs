//! Links redemptions to the sale of their card, if the sale was recorded after them.

use shared::app::App;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::{CardLink, Redemption};
use shared::db::{StoreError, Stored, Write};
use shared::settlements::model::settlement::{Settlement, SettlementStatus, Source};
use shared::settlements::rows::references;
use shared::values::{MerchantId, OrderId, RedemptionId, SettlementId};

use crate::outcome::{Failure, Progress};

/// Waits until no redemption of the cards is open: one that is closed now may not have found the sale.
pub(crate) async fn claim(app: &App, merchant: &MerchantId, order: &OrderId) -> Result<Progress, Failure> {
    let Some(order) = app.store.order(merchant, order).await? else { return Ok(Progress::Done) };
    let mut is_any_open = false;
    for card in &order.tagged_cards {
        // Read before the events, among which are those that are closed meanwhile.
        is_any_open |= app.store.card_sums(merchant, &card.tag).await?.iter().any(|sums| !sums.open.is_empty());
        for redemption in app.store.redemptions_of_card(merchant, &card.tag).await? {
            claim_redemption(app, &order, &redemption).await?;
        }
    }
    Ok(if is_any_open { Progress::Busy } else { Progress::Done })
}

async fn claim_redemption(app: &App, order: &Order, id: &RedemptionId) -> Result<(), Failure> {
    let mut attempts = app.store.attempts("a redemption");
    loop {
        let Some(redemption) = app.store.redemption(&order.merchant_id, id).await? else { return Ok(()) };
        let card = order.gift_cards.iter().find(|card| card.qr_code.is_some() && card.qr_code == redemption.qr_code);
        let Some(link) = card.filter(|_| redemption.card.is_none()).map(|card| order.link(card)) else { return Ok(()) };
        let linked = Redemption { card: Some(link.clone()), ..redemption.value.clone() };
        let mut writes = vec![Write::replace(&redemption, &linked)?];
        let settlements = settlements_of(app, &order.merchant_id, id).await?;
        for settlement in &settlements {
            // Before the redemption is linked: whoever repeats this then finds nothing to do.
            report_if_late(app, settlement, &link);
            writes.extend(claim_settlement(app, settlement, &link).await?);
        }
        if attempts.committed(app.store.commit(writes).await).await? {
            return Ok(());
        }
    }
}

async fn settlements_of(app: &App, merchant: &MerchantId, id: &RedemptionId) -> Result<Vec<Stored<Settlement>>, StoreError> {
    let settlements = app.store.settlements_by_source(merchant, &Source::Redemption(id.clone())).await?;
    let ids: Vec<&SettlementId> = settlements.iter().map(|settlement| &settlement.id).collect();
    app.store.settlements_by_id(merchant, &ids).await
}

/// Nothing if it is not pending any more.
async fn claim_settlement(app: &App, settlement: &Stored<Settlement>, card: &CardLink) -> Result<Vec<Write>, StoreError> {
    let Ok(claimed) = settlement.claimed(card, app.clock.now()) else { return Ok(Vec::new()) };
    let mut writes = references(&claimed)?;
    writes.extend(app.store.replace_settlement(settlement, &claimed).await?);
    Ok(writes)
}

/// A payout has taken what the merchant has in its own till.
fn report_if_late(app: &App, settlement: &Settlement, card: &CardLink) {
    let is_taken = settlement.status != SettlementStatus::Pending && settlement.status != SettlementStatus::Void;
    if card.sold_at_till && is_taken {
        tracing::error!(settlement = %settlement.id, order = %card.order_id, "is in a payout, although the merchant sold its card at its own till");
        app.metrics.record_late_own_sale();
    }
}
