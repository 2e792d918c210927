//! The events of webhooks that follow from an operation, for the transactions in which they happen.

use jiff::{SignedDuration, Timestamp};

use super::operation::{Operation, Subject, WebhookContext};
use crate::app::App;
use crate::card_network::{Outcome, remaining_value};
use crate::cards::model::order::Order;
use crate::cards::model::redemption::Redemption;
use crate::db::{Store, StoreError, Write};
use crate::merchants::model::merchant::Merchant;
use crate::values::SettlementId;
use crate::webhooks::model::{self as webhook, Event, EventType};

/// An outcome that is looked up this long after the beginning and is still unknown is told.
const UNKNOWN_AFTER: SignedDuration = SignedDuration::from_secs(60);

/// Writes the events of an operation, if the merchant has an endpoint that is told of them.
pub(super) struct EventWriter<'a> {
    store: &'a Store,
    merchant: Merchant,
    context: WebhookContext,
    now: Timestamp,
}

impl<'a> EventWriter<'a> {
    /// `None` if nobody is told.
    pub(super) async fn of(app: &'a App, operation: &Operation, now: Timestamp) -> Result<Option<Self>, StoreError> {
        let Some(context) = &operation.webhook else { return Ok(None) };
        let merchant = app.store.merchant(&operation.merchant_id).await?;
        let store = &app.store;
        Ok(merchant.map(|merchant| Self { store, merchant: merchant.value, context: context.clone(), now }))
    }

    pub(super) fn issued(&self, order: &Order) -> Result<Option<Write>, StoreError> {
        let WebhookContext { offer_id, store_id, .. } = self.context.clone();
        self.write(Event::GiftCardIssued { order_id: order.id.clone(), offer_id, store_id })
    }

    pub(super) fn redeemed(
        &self,
        redemption: &Redemption,
        response: &str,
        settlement_id: Option<SettlementId>,
    ) -> Result<Option<Write>, StoreError> {
        let remaining = if redemption.reply_disagrees { None } else { remaining_value(response, redemption.amount.currency) };
        let store_id = self.context.store_id.clone();
        self.write(Event::GiftCardRedeemed { redemption_id: redemption.id.clone(), store_id, remaining, settlement_id })
    }

    pub(super) fn settlement_created(&self, settlement_id: &SettlementId) -> Result<Option<Write>, StoreError> {
        self.write(Event::SettlementCreated { settlement_id: settlement_id.clone() })
    }

    /// Only what was told to be unknown is told to be resolved.
    pub(super) fn resolved(&self, operation: &Operation, outcome: &Outcome) -> Result<Option<Write>, StoreError> {
        if !self.context.unknown_is_told {
            return Ok(None);
        }
        let succeeded = matches!(outcome, Outcome::Succeeded(_));
        let reference = operation.reference.clone();
        self.write(Event::OperationResolved { reference, operation: subject(operation), succeeded })
    }

    fn unknown(&self, operation: &Operation) -> Result<Option<Write>, StoreError> {
        self.write(Event::OperationUnknown { reference: operation.reference.clone(), operation: subject(operation) })
    }

    fn write(&self, event: Event) -> Result<Option<Write>, StoreError> {
        self.store.webhook_message(&self.merchant, event, self.now)
    }
}

/// A released operation, and the event that its outcome is unknown: once, by the first lookup after a minute.
pub(super) async fn with_unknown(
    app: &App,
    released: Operation,
    now: Timestamp,
) -> Result<(Operation, Option<Write>), StoreError> {
    let is_told = |context: &WebhookContext| context.unknown_is_told;
    let is_early = now.duration_since(released.begun_at) < UNKNOWN_AFTER;
    if is_early || released.webhook.as_ref().is_none_or(is_told) {
        return Ok((released, None));
    }
    let Some(events) = EventWriter::of(app, &released, now).await? else { return Ok((released, None)) };
    let wants = |event: EventType| events.merchant.webhook_events.iter().any(|wanted| *wanted == event);
    if !wants(EventType::OperationUnknown) && !wants(EventType::OperationResolved) {
        return Ok((released, None));
    }
    let event = events.unknown(&released)?;
    // While the merchant is not active, nothing is written: what becomes of the operation is not told either, unless a later
    // question is.
    let unknown_is_told = event.is_some() || !wants(EventType::OperationUnknown);
    let context = WebhookContext { unknown_is_told, ..events.context };
    Ok((released.with_webhook(Some(context)), event))
}

fn subject(operation: &Operation) -> webhook::Operation {
    match &operation.subject {
        Subject::Issue(order) => webhook::Operation::Issue(order.clone()),
        Subject::Redeem(redemption) => webhook::Operation::Redeem(redemption.clone()),
    }
}
