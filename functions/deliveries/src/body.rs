//! Makes the bodies of messages, and their deliveries.

use std::collections::HashMap;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use shared::app::App;
use shared::cards::model::order::Order;
use shared::cards::model::redemption::card_reference;
use shared::db::{StoreError, Stored};
use shared::settlements::view::SettlementRow;
use shared::team::model::till::Operator;
use shared::values::ids::{MerchantId, SettlementId, TillId};
use shared::webhooks::model::{Event, Message, MessageState};
use shared::webhooks::view::{
    ChangedStatus, IssuedGiftCard, MessageData, OperationOfMessage, PaidPayout, RedeemedGiftCard, ResolvedOperation,
    ResolvedStatus, StoreOfMessage, TillOfMessage, UnknownOperation, body, cut,
};

/// Messages that are made in one pass, of all merchants and of one.
const MAX_MESSAGES: usize = 2000;
const MAX_OF_MERCHANT: usize = 120;
/// Merchants whose messages are made at the same time.
const MERCHANTS_AT_ONCE: usize = 20;
/// Messages of one merchant in a transaction, with a delivery and its entry for each of five endpoints.
const MESSAGES_AT_ONCE: usize = 6;

/// Makes the bodies of messages that wait for one. Returns how many. The messages of one merchant follow each other; however many
/// they are, those of others wait for a few of them at most.
pub(crate) async fn make_bodies(app: &App) -> Result<usize, StoreError> {
    let mut of_merchants: HashMap<MerchantId, Vec<Stored<Message>>> = HashMap::new();
    for message in app.store.due_webhook_messages(MAX_OF_MERCHANT, MAX_MESSAGES).await? {
        of_merchants.entry(message.merchant_id.clone()).or_default().push(message);
    }
    let made = of_merchants.into_iter().map(|(merchant, messages)| make_bodies_of(app, merchant, messages));
    let made: Vec<Result<usize, StoreError>> = stream::iter(made).buffer_unordered(MERCHANTS_AT_ONCE).collect().await;
    made.into_iter().sum()
}

async fn make_bodies_of(app: &App, merchant: MerchantId, messages: Vec<Stored<Message>>) -> Result<usize, StoreError> {
    let mut made = 0;
    for some in messages.chunks(MESSAGES_AT_ONCE) {
        let now = app.clock.now();
        let bodies = join_all(some.iter().map(|message| body_of(app, message))).await;
        // One that cannot be read stays due, and holds up no other one.
        let with_bodies: Vec<_> = some.iter().zip(bodies).filter_map(|(message, body)| Some((message, body.ok()?))).collect();
        let endpoints = app.store.webhook_endpoints(&merchant).await?;
        let count = with_bodies.len();
        if count > 0 && app.store.send_messages(with_bodies, &endpoints, now).await? {
            made += count;
        }
    }
    Ok(made)
}

/// `None` if what it is about is gone.
async fn body_of(app: &App, message: &Message) -> Result<Option<String>, StoreError> {
    let MessageState::Recorded(event) = &message.state else { return Ok(None) };
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
