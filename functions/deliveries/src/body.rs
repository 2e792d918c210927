//! Makes the bodies of messages.

use shared::app::App;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::card_reference;
use shared::db::StoreError;
use shared::settlements::view::SettlementRow;
use shared::team::model::till::Operator;
use shared::values::{MerchantId, SettlementId, TillId};
use shared::webhooks::model::{Event, Message};
use shared::webhooks::view::{
    ChangedStatus, IssuedGiftCard, MessageData, OperationOfMessage, PaidPayout, RedeemedGiftCard, ResolvedOperation,
    ResolvedStatus, StoreOfMessage, TillOfMessage, UnknownOperation, body, cut,
};

/// `None` if what it is about is gone.
pub(crate) async fn body_of(app: &App, message: &Message) -> Result<Option<String>, StoreError> {
    let event = &message.event;
    let data = data_of(app, &message.merchant_id, event).await;
    let data = data.inspect_err(|error| tracing::error!(message = %message.id, cause = %error, "a message was not made"))?;
    let Some(data) = data else {
        tracing::error!(message = %message.id, event = event.event_type().name(), "what a message is about does not exist");
        return Ok(None);
    };
    let body = body(&message.merchant_id, message.at, data);
    Ok(body.inspect_err(|error| tracing::error!(message = %message.id, cause = %error, "a message has no body")).ok())
}

async fn data_of(app: &App, merchant: &MerchantId, event: &Event) -> Result<Option<MessageData>, StoreError> {
    let store = &app.store;
    Ok(match event {
        Event::GiftCardIssued { order_id, offer_id, store_id } => {
            let Some(order) = store.order(merchant, order_id).await? else { return Ok(None) };
            Some(MessageData::GiftCardIssued(IssuedGiftCard {
                order_id: order.id.clone(),
                payment_reference: order.payment_transaction_id.clone(),
                card_ref: card_of(&order),
                amount_minor: order.total.minor,
                currency: order.total.currency,
                offer_id: offer_id.clone(),
                offer_name: order.items.first().map(|item| cut(&item.offer_name)),
                store: StoreOfMessage::new(store_id.clone(), order.store_name.as_deref()),
                till: till_of(app, merchant, order.sold_by.as_ref().map(|by| &by.operator)).await?,
                refund_of: order.refund.as_ref().map(|refund| refund.of.clone()),
            }))
        }
        Event::GiftCardRedeemed { redemption_id, store_id, remaining, settlement_id } => {
            let Some(redemption) = store.redemption(merchant, redemption_id).await? else { return Ok(None) };
            let card_ref = card_reference(redemption.network_code.as_deref(), redemption.qr_code.as_ref()).to_owned();
            Some(MessageData::GiftCardRedeemed(RedeemedGiftCard {
                redemption_id: redemption.id.clone(),
                card_ref,
                amount_minor: redemption.amount.minor,
                currency: redemption.amount.currency,
                remaining_value_minor: *remaining,
                store: StoreOfMessage::new(store_id.clone(), redemption.store_name.as_deref()),
                till: till_of(app, merchant, redemption.requested_by.as_ref().map(|by| &by.operator)).await?,
                settlement_id: settlement_id.clone(),
            }))
        }
        Event::OperationUnknown { reference, operation } => {
            let (reference, operation) = (reference.clone(), OperationOfMessage::from(operation));
            Some(MessageData::OperationUnknown(UnknownOperation { reference, operation }))
        }
        Event::OperationResolved { reference, operation, succeeded } => {
            let (reference, operation) = (reference.clone(), OperationOfMessage::from(operation));
            let status = if *succeeded { ResolvedStatus::Succeeded } else { ResolvedStatus::Failed };
            Some(MessageData::OperationResolved(ResolvedOperation { reference, operation, status }))
        }
        Event::SettlementCreated { settlement_id } => {
            settlement_of(app, merchant, settlement_id).await?.map(MessageData::SettlementCreated)
        }
        Event::SettlementHeld { settlement_id } => {
            settlement_of(app, merchant, settlement_id).await?.map(MessageData::SettlementHeld)
        }
        Event::PayoutPaid { payout_id } => store.payout(payout_id).await?.map(|payout| {
            MessageData::PayoutPaid(PaidPayout {
                payout_id: payout.id.clone(),
                amount_minor: payout.net(),
                currency: payout.currency,
                count: payout.count(),
                reference: payout.decided().reference.map(str::to_owned),
            })
        }),
        Event::MerchantStatusChanged { from, to } => {
            Some(MessageData::MerchantStatusChanged(ChangedStatus { from: from.clone(), to: to.clone() }))
        }
    })
}

fn card_of(order: &Order) -> String {
    let card = order.gift_cards.first();
    let network_code = card.and_then(|card| card.network_code.as_deref());
    card_reference(network_code, card.and_then(|card| card.qr_code.as_ref())).to_owned()
}

async fn till_of(app: &App, merchant: &MerchantId, by: Option<&Operator>) -> Result<Option<TillOfMessage>, StoreError> {
    let Some(Operator::Till(id)) = by else { return Ok(None) };
    let id: &TillId = id;
    let till = app.store.till(merchant, id).await?;
    Ok(Some(TillOfMessage::new(id.clone(), till.as_ref().map(|till| till.name.as_str()))))
}

async fn settlement_of(app: &App, merchant: &MerchantId, id: &SettlementId) -> Result<Option<Box<SettlementRow>>, StoreError> {
    let settlements = app.store.settlements_by_id(merchant, &[id]).await?;
    Ok(settlements.into_iter().next().map(|settlement| Box::new(SettlementRow::new(settlement.value))))
}
