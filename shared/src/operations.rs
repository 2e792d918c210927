//! Money moves here: issue and redeem, by one state machine.
//!
//! 1. [`begin`]: the intent is written, as an open [`Operation`] beside the order or redemption that it is about.
//! 2. [`carry_out`]: it is sent once, under a reference that is also the network's idempotency key. Where no usable
//!    answer comes, the network is asked what became of the reference.
//! 3. [`settle`]: the outcome and all that follows from it are written in one transaction, which holds only while
//!    the operation is still as it was read.
//!
//! Whatever stops in between leaves an open operation in the index of due work. A repeat of the request or the
//! sweep then [takes it over](resume) and asks: the network's word is final, and never is anything sent twice.

use std::time::Duration;

use jiff::Timestamp;
use thiserror::Error;

use crate::app::App;
use crate::card_network::{Asked, IssuedCard, MoneyCall, Sent, network_code_of_reply};
use crate::domain::ids::{GiftCardId, QrCode, Reference};
use crate::domain::operation::{Operation, Outcome, Refusal, Subject};
use crate::domain::order::{FulfilmentStatus, GiftCard, GiftCardStatus, Order, OrderStatus};
use crate::domain::redemption::{Redemption, RedemptionStatus};
use crate::domain::settlement::Settlement;
use crate::http::invocation::Invocation;
use crate::store::deliveries::{Delivery, Task};
use crate::store::idempotency::UsedKey;
use crate::store::orders::card_writes;
use crate::store::settlements::new_settlement;
use crate::store::{CommitError, StoreError, Stored, Write};

/// How an operation stands when a request has to be answered.
#[derive(Debug)]
pub enum Standing {
    Closed(Outcome),
    /// Whether money moved is not known, or could not be recorded. The sweep will find out.
    Unknown,
}

#[derive(Debug, Error)]
pub enum BeginError {
    /// The idempotency key has been used by now.
    #[error("the idempotency key is in use")]
    KeyInUse,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A fresh reference, which nobody can guess.
pub fn new_reference(app: &App) -> Reference {
    Reference::new(hex::encode(app.random.bytes::<24>()))
}

/// Writes the intent: the operation, what it is about, and the idempotency key that stands for it.
pub async fn begin(
    app: &App,
    operation: Operation,
    about: Write,
    key: Option<&UsedKey>,
) -> Result<Stored<Operation>, BeginError> {
    let mut writes = vec![Write::create(&operation)?, about];
    if let Some(key) = key {
        writes.push(Write::create_or_renew(key, app.clock.now())?);
    }
    let position_of_key = writes.len() - 1;
    match app.store.commit(writes).await {
        Ok(()) => Ok(Stored::created(operation)),
        Err(CommitError::Conflict(position)) if key.is_some() && position == position_of_key => {
            Err(BeginError::KeyInUse)
        }
        Err(CommitError::Conflict(_)) => Err(StoreError::Contended("a fresh id").into()),
        Err(CommitError::Store(error)) => Err(error.into()),
    }
}

/// Sends an operation that was just begun, and writes down how it ended.
pub async fn carry_out(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
    call: &MoneyCall,
) -> Standing {
    match app.card_network().move_money(invocation, &operation.reference, call).await {
        Sent::Known(outcome) => record(app, invocation, operation, outcome).await,
        Sent::Unknown { seen } => ask(app, invocation, operation, Some(seen)).await,
    }
}

/// Takes an open operation over and asks the network for its outcome; none while its owner is at work on it.
pub async fn resume(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
) -> Result<Option<Standing>, StoreError> {
    if let Some(outcome) = operation.outcome() {
        return Ok(Some(Standing::Closed(outcome.clone())));
    }
    let Some(taken) = operation.take_over(app.clock.now(), invocation.deadline) else { return Ok(None) };
    match app.store.commit(vec![Write::replace(&operation, &taken)?]).await {
        Ok(()) => Ok(Some(ask(app, invocation, operation.replaced(taken), None).await)),
        Err(CommitError::Conflict(_)) => Ok(None),
        Err(CommitError::Store(error)) => Err(error),
    }
}

async fn ask(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
    seen: Option<Refusal>,
) -> Standing {
    match app.card_network().ask(invocation, &operation.reference).await {
        Asked::Known(outcome) => record(app, invocation, operation, outcome).await,
        Asked::NeverSeen => {
            let refusal = operation.seen().cloned().or(seen).unwrap_or_else(never_sent);
            record(app, invocation, operation, Outcome::Failed(refusal)).await
        }
        Asked::NoAnswer => {
            leave_open(app, &operation, seen).await;
            Standing::Unknown
        }
    }
}

/// The request that began it died before it could see any answer.
fn never_sent() -> Refusal {
    Refusal { status: 504, details: serde_json::Value::Null }
}

/// Gives the operation up, so that a repeat or the sweep can ask again.
async fn leave_open(app: &App, operation: &Stored<Operation>, seen: Option<Refusal>) {
    let left = operation.leave_open(app.clock.now(), seen);
    let written = match Write::replace(operation, &left) {
        Ok(write) => app.store.commit(vec![write]).await,
        Err(error) => Err(error.into()),
    };
    // Where this fails too, the lease runs out by itself.
    if let Err(error) = written {
        tracing::warn!(cause = %error, "an open card operation could not be released early");
    }
    tracing::warn!("the outcome of a card operation is unknown");
}

/// Writes the outcome down, within the time there is. Where somebody else did so first, theirs stands.
async fn record(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
    outcome: Outcome,
) -> Standing {
    let recorded = tokio::time::timeout(invocation.time_left(), try_to_record(app, operation, outcome)).await;
    recorded.unwrap_or(Standing::Unknown)
}

async fn try_to_record(app: &App, operation: Stored<Operation>, outcome: Outcome) -> Standing {
    const TRIES: u32 = 3;
    for attempt in 0..TRIES {
        match settle(app, &operation, &outcome).await {
            Ok(()) => return Standing::Closed(outcome),
            Err(CommitError::Conflict(_)) => {
                if let Ok(Some(current)) = app.store.operation(&operation.reference).await
                    && let Some(outcome) = current.outcome()
                {
                    return Standing::Closed(outcome.clone());
                }
            }
            Err(CommitError::Store(error)) => {
                tracing::warn!(cause = %error, attempt, "the outcome of a card operation could not be recorded");
            }
        }
        let pause = app.random.below(50 << attempt);
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    Standing::Unknown
}

/// One transaction: the operation closed, and everything that follows from its outcome.
async fn settle(app: &App, operation: &Stored<Operation>, outcome: &Outcome) -> Result<(), CommitError> {
    let mut writes = vec![Write::replace(operation, &operation.close(outcome.clone()))?];
    let now = app.clock.now();
    match &operation.subject {
        Subject::Issue(id) => {
            if let Some(order) = app.store.order(&operation.merchant_id, id).await? {
                let settled = settled_order(&order, operation, outcome, now);
                writes.push(Write::replace(&order, &settled)?);
                writes.extend(card_writes(&settled)?);
            }
        }
        Subject::Redeem(id) => {
            if let Some(redemption) = app.store.redemption(&operation.merchant_id, id).await? {
                let settled = settled_redemption(app, &redemption, outcome).await?;
                writes.push(Write::replace(&redemption, &settled)?);
                writes.extend(settlement_writes(app, &settled, now)?);
            }
        }
    }
    app.store.commit(writes).await
}

fn settled_order(order: &Order, operation: &Operation, outcome: &Outcome, now: Timestamp) -> Order {
    let order = Order { updated_at: now, ..order.clone() };
    match outcome {
        Outcome::Failed(_) => Order { status: OrderStatus::IssueFailed, ..order },
        Outcome::Succeeded(reply) => {
            let card = IssuedCard::of_reply(reply);
            let id = card.gift_card_id.unwrap_or_else(|| operation.reference.to_string());
            let card = GiftCard {
                id: GiftCardId::new(id),
                qr_code: card.qr_code.map(QrCode::new),
                network_code: card.network_code,
                status: GiftCardStatus::Issued,
                value: order.total,
            };
            Order {
                status: OrderStatus::Completed,
                fulfilment_status: Some(FulfilmentStatus::FulfilmentFulfilled),
                gift_cards: vec![card],
                ..order
            }
        }
    }
}

async fn settled_redemption(
    app: &App,
    redemption: &Redemption,
    outcome: &Outcome,
) -> Result<Redemption, StoreError> {
    let Outcome::Succeeded(reply) = outcome else {
        return Ok(Redemption { status: RedemptionStatus::Failed, ..redemption.clone() });
    };
    let card = match &redemption.qr_code {
        Some(code) => app.store.card_by_code(&redemption.merchant_id, code).await?,
        None => None,
    };
    Ok(Redemption {
        status: RedemptionStatus::Succeeded,
        network_code: network_code_of_reply(reply),
        card,
        ..redemption.clone()
    })
}

/// What a redemption's success owes the merchant; where that alone cannot be worked out, a promise to make up for it.
fn settlement_writes(app: &App, redemption: &Redemption, now: Timestamp) -> Result<Vec<Write>, StoreError> {
    if redemption.status != RedemptionStatus::Succeeded {
        return Ok(Vec::new());
    }
    match Settlement::of(redemption, now) {
        Ok(Some(settlement)) => new_settlement(&settlement),
        Ok(None) => Ok(Vec::new()),
        Err(error) => {
            tracing::error!(cause = %error, "a redemption is recorded without its settlement");
            let task = Task::SettleRedemption { redemption_id: redemption.id.clone() };
            let promise = Delivery::promise(redemption.merchant_id.clone(), task, now, &app.random);
            Ok(vec![Write::create(&promise)?])
        }
    }
}
