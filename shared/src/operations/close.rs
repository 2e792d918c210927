//! Closing an operation: the outcome and its consequences for the order, the redemption and the settlement.

use jiff::Timestamp;

use super::idempotency::free;
use super::operation::{Operation, Subject};
use crate::app::App;
use crate::card_network::{IssuedCard, Outcome, disagreements, network_code};
use crate::domain::ids::{GiftCardId, QrCode};
use crate::domain::order::{FulfilmentStatus, GiftCard, GiftCardStatus, Order, OrderStatus};
use crate::domain::redemption::{Redemption, RedemptionStatus};
use crate::domain::settlement::Settlement;
use crate::store::jobs::{Job, Task};
use crate::store::keys::{self, Key};
use crate::store::orders::card_writes;
use crate::store::settlements::create_settlement;
use crate::store::{CommitError, StoreError, Stored, Write};

/// Closes an operation and writes all consequences of its outcome, in one transaction.
pub(super) async fn close(
    app: &App,
    operation: &Stored<Operation>,
    outcome: &Outcome,
) -> Result<(), CommitError> {
    let now = app.clock.now();
    let closed = operation.close(outcome.clone(), now);
    let mut writes = vec![Write::replace(operation, &closed)?];
    if let Some(without_codes) = closed.without_codes() {
        writes.push(Write::put(&without_codes)?);
    }
    let (mut reply_disagrees, mut settlement) = (false, Vec::new());
    match &operation.subject {
        Subject::Issue(id) => {
            let order = app.store.order(&operation.merchant_id, id).await?;
            if let Some(order) = order.or_else(|| missing("order", operation)) {
                let closed = closed_order(&order, operation, outcome, now);
                writes.push(Write::replace(&order, &closed)?);
                writes.extend(card_writes(&closed)?);
            }
        }
        Subject::Redeem(id) => {
            let redemption = app.store.redemption(&operation.merchant_id, id).await?;
            if let Some(redemption) = redemption.or_else(|| missing("redemption", operation)) {
                let closed = closed_redemption(app, &redemption, outcome).await?;
                reply_disagrees = closed.reply_disagrees;
                writes.push(Write::replace(&redemption, &closed)?);
                settlement = settlement_writes(app, &closed, now)?;
            }
        }
    }
    let freed_key = closed.idempotency_key.clone().filter(|_| closed.frees_its_key());
    let freed_key = freed_key.map(free).transpose()?;
    let optional: Vec<Write> = settlement.into_iter().chain(freed_key).collect();
    match app.store.commit([writes.clone(), optional].concat()).await {
        Err(CommitError::Conflict(row)) if is_optional(&row) => app.store.commit(writes).await?,
        result => result?,
    }
    if reply_disagrees {
        app.metrics.record_disagreeing_reply();
    }
    Ok(())
}

/// Whether an operation can be closed without the write of this row: a restore can have carried its settlement over, and its
/// idempotency key can be closed.
fn is_optional(row: &Key) -> bool {
    keys::Listed::of(&row.pk) == Some(keys::Listed::Settlements) || row.pk.starts_with(keys::IDEMPOTENCY_KEYS)
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

async fn closed_redemption(
    app: &App,
    redemption: &Redemption,
    outcome: &Outcome,
) -> Result<Redemption, StoreError> {
    let Outcome::Succeeded(response) = outcome else {
        return Ok(Redemption { status: RedemptionStatus::Failed.into(), ..redemption.clone() });
    };
    let card = match &redemption.qr_code {
        Some(code) => app.store.card_by_code(&redemption.merchant_id, code).await?,
        None => None,
    };
    let disagreements =
        disagreements(response, redemption.amount, redemption.qr_code.as_ref(), redemption.foreign_currency);
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

/// The settlement of a successful redemption. If it cannot be computed, a job that creates it later: the redemption has
/// to be recorded in any case.
fn settlement_writes(app: &App, redemption: &Redemption, now: Timestamp) -> Result<Vec<Write>, StoreError> {
    if redemption.status != RedemptionStatus::Succeeded {
        return Ok(Vec::new());
    }
    match Settlement::of_redemption(redemption, now) {
        Ok(Some(settlement)) => create_settlement(&settlement),
        Ok(None) => Ok(Vec::new()),
        Err(error) => {
            tracing::error!(cause = %error, "recorded a redemption without its settlement");
            let task = Task::SettleRedemption { redemption_id: redemption.id.clone() };
            let job = Job::new(redemption.merchant_id.clone(), task, now, &app.random);
            Ok(vec![Write::create(&job)?])
        }
    }
}
