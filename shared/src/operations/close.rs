//! Closing an operation: the outcome and its consequences for the order, the redemption and the settlement.

use jiff::Timestamp;
use thiserror::Error;

use super::event_writer::EventWriter;
use super::key_row::free;
use super::operation::{Operation, Subject};
use crate::app::App;
use crate::aws::secrets::SecretError;
use crate::card_network::{IssuedCard, Outcome, disagreements, network_code};
use crate::cards::model::card_history;
use crate::cards::model::card_tag::TaggedCard;
use crate::cards::model::order::{FulfilmentStatus, GiftCard, GiftCardStatus, Order, OrderStatus};
use crate::cards::model::redemption::{Redemption, RedemptionStatus};
use crate::cards::rows::card_history::{count_cards, count_new_cards, count_redemption};
use crate::cards::rows::given_back::take_back;
use crate::cards::rows::orders::card_writes;
use crate::db::{CommitError, StoreError, Stored, Task, Write, keys};
use crate::settlements::model::settlement::Settlement;
use crate::settlements::rows::create_settlement;
use crate::team::model::till::Operator;
use crate::values::{GiftCardId, QrCode, SettlementId};

#[derive(Debug, Error)]
pub(super) enum CloseError {
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// Without the key of card tags, the outcome stays open, as it does without the table.
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl From<StoreError> for CloseError {
    fn from(error: StoreError) -> Self {
        Self::Commit(error.into())
    }
}

/// Closes an operation and writes all consequences of its outcome, in one transaction. Returns who redeemed a code that the network
/// does not know.
pub(super) async fn close(app: &App, operation: &Stored<Operation>, outcome: &Outcome) -> Result<Option<Operator>, CloseError> {
    let now = app.clock.now();
    let events = EventWriter::of(app, operation, now).await?;
    let closed = operation.close(outcome.clone(), now);
    let mut writes = vec![Write::replace(operation, &closed)?];
    if let Some(to_keep) = closed.to_keep() {
        writes.push(Write::put(&to_keep)?);
    }
    let (mut reply_disagrees, mut sale, mut guessed_by) = (false, None, None);
    // What may be impossible, in groups of what belongs together: a restore can have carried the settlement over, and lost what
    // is given back, and the idempotency key can be closed. The outcome has to be recorded in any case.
    let mut possible: Vec<Vec<Write>> = Vec::new();
    match &operation.subject {
        Subject::Issue(id) => {
            let order = app.store.order(&operation.merchant_id, id).await?;
            if let Some(order) = order.or_else(|| missing("order", operation)) {
                let mut closed = closed_order(&order, operation, outcome, now);
                closed.tagged_cards = tagged_cards(app, &closed).await?;
                possible.extend(take_back(&mut closed)?.map(|write| vec![write]));
                writes.push(Write::replace(&order, &closed)?);
                writes.extend(card_writes(&closed)?);
                if let (Some(events), Outcome::Succeeded(_)) = (&events, outcome) {
                    writes.extend(events.issued(&closed)?);
                }
                sale = Some(closed);
            }
        }
        Subject::Redeem(id) => {
            let redemption = app.store.redemption(&operation.merchant_id, id).await?;
            if let Some(redemption) = redemption.or_else(|| missing("redemption", operation)) {
                let closed = closed_redemption(app, &redemption, outcome).await?;
                reply_disagrees = closed.reply_disagrees;
                let is_guess = matches!(outcome, Outcome::Failed(refusal) if refusal.is_unknown_card());
                guessed_by = closed.requested_by.clone().filter(|_| is_guess).map(|by| by.operator);
                writes.push(Write::replace(&redemption, &closed)?);
                writes.extend(count_redemption(&closed)?);
                let (settlement, settlement_id) = settlement_writes(app, &closed, events.as_ref(), now)?;
                possible.push(settlement);
                if let (Some(events), Outcome::Succeeded(response)) = (&events, outcome) {
                    writes.extend(events.redeemed(&closed, response, settlement_id)?);
                }
            }
        }
    }
    if let Some(events) = &events {
        writes.extend(events.resolved(operation, outcome)?);
    }
    let freed_key = closed.idempotency_key.clone().filter(|_| closed.frees_its_key());
    possible.extend(freed_key.map(free).transpose()?.map(|write| vec![write]));
    match sale {
        Some(order) => commit_sale(app, &order, writes, possible).await?,
        None => app.store.commit_with_possible(writes, possible).await?,
    }
    if reply_disagrees {
        app.metrics.record_disagreeing_reply();
    }
    Ok(guessed_by)
}

/// Commits a sale, with a job if its card has been redeemed already, or is being redeemed: the network can have mailed it before its
/// response arrived, or was asked for. Such a redemption did not find the sale.
async fn commit_sale(app: &App, order: &Order, writes: Vec<Write>, possible: Vec<Vec<Write>>) -> Result<(), CommitError> {
    let with = |others: Vec<Write>| writes.iter().cloned().chain(others).collect();
    match app.store.commit_with_possible(with(count_new_cards(order)?), possible.clone()).await {
        Err(CommitError::Conflict(row)) if keys::is_card_sums(&row) => {
            let task = Task::ClaimRedemptions { order_id: order.id.clone() };
            let mut others = count_cards(order, &order.tagged_cards)?;
            others.push(app.store.enqueue(order.merchant_id.clone(), task, order.updated_at)?);
            app.store.commit_with_possible(with(others), possible).await
        }
        result => result,
    }
}

/// The cards of an order in their histories.
async fn tagged_cards(app: &App, order: &Order) -> Result<Vec<TaggedCard>, SecretError> {
    if order.gift_cards.is_empty() {
        return Ok(Vec::new());
    }
    Ok(card_history::tagged_cards(order, &*app.code_key().await?))
}

/// The order or redemption of an operation is created with it and never deleted by this code. If it is missing, the
/// operation is closed without it: another lookup would not restore the row.
fn missing<T>(what: &'static str, operation: &Operation) -> Option<T> {
    tracing::error!(what, reference = %operation.reference, "the row of a card operation does not exist");
    None
}

fn closed_order(order: &Order, operation: &Operation, outcome: &Outcome, now: Timestamp) -> Order {
    let order = Order { updated_at: now, ..order.clone() };
    match outcome {
        Outcome::Failed(_) => Order { status: OrderStatus::IssueFailed.into(), ..order },
        Outcome::Succeeded(response) => {
            let card = IssuedCard::from_response(response);
            let id = card.gift_card_id.unwrap_or_else(|| operation.reference.to_string());
            let card = GiftCard {
                id: GiftCardId::new(id),
                qr_code: card.qr_code.map(QrCode::new),
                network_code: card.network_code,
                status: GiftCardStatus::Issued.into(),
                value: order.total,
            };
            Order {
                status: OrderStatus::Completed.into(),
                fulfilment_status: Some(FulfilmentStatus::FulfilmentFulfilled.into()),
                gift_cards: vec![card],
                ..order
            }
        }
    }
}

async fn closed_redemption(app: &App, redemption: &Redemption, outcome: &Outcome) -> Result<Redemption, StoreError> {
    let Outcome::Succeeded(response) = outcome else {
        return Ok(Redemption { status: RedemptionStatus::Failed.into(), ..redemption.clone() });
    };
    let card = match &redemption.qr_code {
        Some(code) => app.store.card_by_code(&redemption.merchant_id, code).await?,
        None => None,
    };
    let disagreements = disagreements(response, redemption.amount, redemption.qr_code.as_ref(), redemption.foreign_currency);
    if !disagreements.is_empty() {
        tracing::error!(
            redemption = %redemption.id,
            fields = ?disagreements,
            "the card network's reply to a redemption names something else than was asked for"
        );
    }
    Ok(Redemption {
        status: RedemptionStatus::Succeeded.into(),
        network_code: network_code(response),
        card,
        reply_disagrees: !disagreements.is_empty(),
        ..redemption.clone()
    })
}

/// The settlement of a successful redemption, and its id. If it cannot be computed, a job that creates it later: the redemption
/// has to be recorded in any case.
fn settlement_writes(
    app: &App,
    redemption: &Redemption,
    events: Option<&EventWriter<'_>>,
    now: Timestamp,
) -> Result<(Vec<Write>, Option<SettlementId>), StoreError> {
    if redemption.status != RedemptionStatus::Succeeded {
        return Ok((Vec::new(), None));
    }
    match Settlement::of_redemption(redemption, now) {
        Ok(Some(settlement)) => {
            let mut writes = create_settlement(&settlement)?;
            if let Some(events) = events {
                writes.extend(events.settlement_created(&settlement.id)?);
            }
            Ok((writes, Some(settlement.id)))
        }
        Ok(None) => Ok((Vec::new(), None)),
        Err(error) => {
            tracing::error!(cause = %error, "recorded a redemption without its settlement");
            let task = Task::SettleRedemption { redemption_id: redemption.id.clone() };
            Ok((vec![app.store.enqueue(redemption.merchant_id.clone(), task, now)?], None))
        }
    }
}
