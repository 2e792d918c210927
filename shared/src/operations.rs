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

use jiff::Timestamp;
use thiserror::Error;

use crate::app::App;
use crate::best_effort::best_effort;
use crate::card_network::{Asked, IssuedCard, MoneyCall, Sent, network_code_of_reply};
use crate::domain::ids::{GiftCardId, QrCode, Reference};
use crate::domain::operation::{Operation, Outcome, Refusal, Subject};
use crate::domain::order::{FulfilmentStatus, GiftCard, GiftCardStatus, Order, OrderStatus};
use crate::domain::redemption::{Redemption, RedemptionStatus};
use crate::domain::settlement::Settlement;
use crate::http::invocation::Invocation;
use crate::store::idempotency::UsedKey;
use crate::store::jobs::{Job, Task};
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
    let position_of_key = writes.len();
    if let Some(key) = key {
        writes.push(key.write(app.clock.now())?);
    }
    match app.store.commit(writes).await {
        // Nobody else knows the reference. Where it stands by now, this commit has put it there and the answer was lost.
        Ok(()) | Err(CommitError::Conflict(0)) => Ok(Stored::created(operation)),
        Err(CommitError::Conflict(position)) if position == position_of_key => Err(BeginError::KeyInUse),
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
    let kind = operation.subject.kind();
    let standing = match app.card_network().submit(invocation, &operation.reference, call).await {
        Sent::Known(outcome) => record(app, invocation, operation, outcome).await,
        Sent::Unknown { seen } => ask(app, invocation, operation, Some(seen)).await,
    };
    if matches!(standing, Standing::Unknown) {
        app.metrics.moved_money(kind, "unknown");
    }
    standing
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
        Err(CommitError::Conflict(_)) => {
            let current = app.store.operation(&operation.reference).await?;
            Ok(current.and_then(|current| current.outcome().cloned()).map(Standing::Closed))
        }
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
        Asked::NoAnswer { retry_after } => {
            tracing::warn!("the outcome of a card operation is unknown");
            let rest = retry_after.max(seen.as_ref().and_then(|seen| seen.retry_after));
            let left = operation.leave_open(app.clock.now(), seen, rest);
            in_time(invocation, leave_open(app, &operation, &left)).await
        }
    }
}

/// The request that began it died before it could see any answer.
fn never_sent() -> Refusal {
    Refusal { status: 504, details: serde_json::Value::Null, retry_after: None }
}

/// Writes the outcome down, within the time there is. Where somebody else did so first, theirs stands.
async fn record(
    app: &App,
    invocation: &Invocation,
    operation: Stored<Operation>,
    outcome: Outcome,
) -> Standing {
    in_time(invocation, try_to_record(app, operation, outcome)).await
}

/// Where the time runs out, whatever was begun stays as the table has it: that is what repeats and the sweep go by.
async fn in_time(invocation: &Invocation, written: impl Future<Output = Standing>) -> Standing {
    let written = tokio::time::timeout(invocation.time_left(), Box::pin(written));
    written.await.unwrap_or(Standing::Unknown)
}

/// Gives the operation up, so that a repeat or the sweep can ask again. Where this fails, the lease runs out by itself.
async fn leave_open(app: &App, operation: &Stored<Operation>, left: &Operation) -> Standing {
    let written = match Write::replace(operation, left) {
        Ok(write) => app.store.commit(vec![write]).await,
        Err(error) => Err(error.into()),
    };
    if best_effort("releasing an open card operation early", written).is_some() {
        return Standing::Unknown;
    }
    let current =
        best_effort("reading a card operation again", app.store.operation(&operation.reference).await);
    let outcome = current.flatten().and_then(|current| current.outcome().cloned());
    outcome.map_or(Standing::Unknown, Standing::Closed)
}

async fn try_to_record(app: &App, mut operation: Stored<Operation>, outcome: Outcome) -> Standing {
    const MAX_ATTEMPTS: u32 = 5;
    for attempt in 0..MAX_ATTEMPTS {
        match settle(app, &operation, &outcome).await {
            Ok(()) => {
                app.metrics.moved_money(operation.subject.kind(), outcome.result());
                return Standing::Closed(outcome);
            }
            Err(error) => {
                tracing::warn!(cause = %error, attempt, "the outcome of a card operation could not be recorded");
            }
        }
        // It may be closed by now, by somebody else or by a write whose answer was lost. If somebody has only taken it
        // over, what is known here is what they are about to ask for.
        if let Ok(Some(current)) = app.store.operation(&operation.reference).await {
            if let Some(outcome) = current.outcome() {
                return Standing::Closed(outcome.clone());
            }
            operation = current;
        }
        app.store.pause(attempt).await;
    }
    Standing::Unknown
}

/// One transaction: the operation closed, and everything that follows from its outcome.
async fn settle(app: &App, operation: &Stored<Operation>, outcome: &Outcome) -> Result<(), CommitError> {
    let mut writes = vec![Write::replace(operation, &operation.close(outcome.clone()))?];
    let now = app.clock.now();
    match &operation.subject {
        Subject::Issue(id) => {
            let order = app.store.order(&operation.merchant_id, id).await?;
            if let Some(order) = order.or_else(|| missing("order", operation)) {
                let settled = settled_order(&order, operation, outcome, now);
                writes.push(Write::replace(&order, &settled)?);
                writes.extend(card_writes(&settled)?);
            }
        }
        Subject::Redeem(id) => {
            let redemption = app.store.redemption(&operation.merchant_id, id).await?;
            if let Some(redemption) = redemption.or_else(|| missing("redemption", operation)) {
                let settled = settled_redemption(app, &redemption, outcome).await?;
                writes.push(Write::replace(&redemption, &settled)?);
                writes.extend(settlement_writes(app, &settled, now)?);
            }
        }
    }
    app.store.commit(writes).await
}

/// Both were written together, and no code removes either: somebody did by hand. The operation is closed all the
/// same, since nothing is gained by asking the network for ever.
fn missing<T>(what: &'static str, operation: &Operation) -> Option<T> {
    tracing::error!(what, reference = %operation.reference, "a card operation is about a row that is gone");
    None
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
            let promise = Job::new(redemption.merchant_id.clone(), task, now, &app.random);
            Ok(vec![Write::create(&promise)?])
        }
    }
}
