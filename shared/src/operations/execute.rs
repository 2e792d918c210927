//! Beginning and executing an operation.

use thiserror::Error;

use super::certainty::{Certainty, MoneyMoved};
use super::idempotency::{EarlierRequest, IdempotencyError, IdempotencyKey};
use super::key_row::KeyRow;
use super::operation::{Operation, Subject, WebhookContext};
use super::recover::{OperationStatus, look_up, record};
use crate::app::App;
use crate::base::audit;
use crate::base::invocation::Invocation;
use crate::card_network::{IssueRequest, MIN_TIME, RedeemRequest, SubmitResult};
use crate::cards::model::order::Order;
use crate::cards::model::redemption::Redemption;
use crate::cards::rows::card_history::count_redemption;
use crate::db::{CommitError, Entity, StoreError, Stored, Write, keys};
use crate::team::model::till::Operator;
use crate::values::{MerchantId, Money, Reference};

/// A validated issue or redeem: the row that it creates, and the request to the card network.
#[derive(Debug, Clone, Copy)]
pub enum CardOperation<'a> {
    Issue {
        order: &'a Order,
        /// Counts what the order gives back.
        refund: Option<&'a Write>,
        request: &'a IssueRequest,
    },
    Redeem {
        redemption: &'a Redemption,
        request: &'a RedeemRequest,
    },
}

#[derive(Debug)]
pub enum Execution {
    Executed {
        reference: Reference,
        status: OperationStatus,
    },
    /// A concurrent request with the same idempotency key began first.
    Earlier(Box<EarlierRequest>),
}

#[derive(Debug, Error)]
pub enum ExecutionError {
    /// Nothing was written or sent.
    #[error("too little time is left")]
    TooLittleTime,
    /// With the sales of others, more would be given back than was redeemed. Nothing was written or sent.
    #[error("more would be given back than was redeemed")]
    RefundTooLarge,
    #[error(transparent)]
    Idempotency(#[from] IdempotencyError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CardOperation<'_> {
    /// Begins and executes the operation, unless an earlier request with the same key has begun one.
    pub async fn execute(
        self,
        app: &App,
        invocation: &Invocation,
        by: &Operator,
        key: Option<&IdempotencyKey>,
        webhook: Option<WebhookContext>,
        certainty: &mut Certainty,
    ) -> Result<Execution, ExecutionError> {
        let execution = self.begin_and_submit(app, invocation, by, key, webhook).await;
        certainty.set(match &execution {
            Ok(Execution::Executed { status, .. }) => certainty.of(status),
            // The card network is called only after the operation was recorded.
            Err(ExecutionError::TooLittleTime | ExecutionError::RefundTooLarge) => certainty.not_begun(),
            Err(ExecutionError::Store(error)) if error.is_temporary() => certainty.not_begun(),
            Ok(Execution::Earlier(_)) | Err(ExecutionError::Store(_)) => MoneyMoved::Unknown,
            Err(ExecutionError::Idempotency(error)) => error.into(),
        });
        execution
    }

    async fn begin_and_submit(
        self,
        app: &App,
        invocation: &Invocation,
        by: &Operator,
        key: Option<&IdempotencyKey>,
        webhook: Option<WebhookContext>,
    ) -> Result<Execution, ExecutionError> {
        if invocation.time_left() < MIN_TIME {
            return Err(ExecutionError::TooLittleTime);
        }
        let now = app.clock.now();
        let reference = new_reference(app);
        let used_key = key.map(|key| key.used_for(reference.clone(), now));
        let operation = Operation::begin(
            reference.clone(),
            self.merchant_id().clone(),
            self.subject(),
            used_key.as_ref().map(Entity::key),
            now,
            invocation.deadline,
        )
        .with_webhook(webhook);
        match (begin(app, operation, self.creates()?, used_key.as_ref()).await, key) {
            (Ok(operation), _) => {
                let kind = operation.subject.kind().name();
                audit::money_call(kind, &reference, by, self.merchant_id(), self.amount());
                let status = self.submit(app, invocation, operation).await;
                Ok(Execution::Executed { reference, status })
            }
            (Err(BeginError::KeyInUse), Some(key)) => {
                let earlier = key.earlier_request(app, invocation).await?;
                Ok(Execution::Earlier(Box::new(earlier.ok_or(IdempotencyError::InProgress)?)))
            }
            (Err(BeginError::KeyInUse), None) => Err(StoreError::Contended("an idempotency key").into()),
            (Err(BeginError::RefundTooLarge), _) => Err(ExecutionError::RefundTooLarge),
            (Err(BeginError::Store(error)), _) => Err(error.into()),
        }
    }

    fn merchant_id(&self) -> &MerchantId {
        match self {
            Self::Issue { order, .. } => &order.merchant_id,
            Self::Redeem { redemption, .. } => &redemption.merchant_id,
        }
    }

    fn subject(&self) -> Subject {
        match self {
            Self::Issue { order, .. } => Subject::Issue(order.id.clone()),
            Self::Redeem { redemption, .. } => Subject::Redeem(redemption.id.clone()),
        }
    }

    fn amount(&self) -> Money {
        match self {
            Self::Issue { order, .. } => order.total,
            Self::Redeem { redemption, .. } => redemption.amount,
        }
    }

    /// Creates the order or the redemption, and counts what follows from it.
    fn creates(&self) -> Result<Vec<Write>, StoreError> {
        let (create, count) = match self {
            Self::Issue { order, refund, .. } => (Write::create(*order)?, refund.cloned()),
            Self::Redeem { redemption, .. } => (Write::create(*redemption)?, count_redemption(redemption)?),
        };
        Ok(std::iter::once(create).chain(count).collect())
    }

    /// Sends an operation that was just begun, and records its outcome.
    async fn submit(self, app: &App, invocation: &Invocation, operation: Stored<Operation>) -> OperationStatus {
        let (network, kind) = (app.card_network(), operation.subject.kind());
        let result = match self {
            Self::Issue { request, .. } => network.issue(invocation, &operation.reference, request).await,
            Self::Redeem { request, .. } => network.redeem(invocation, &operation.reference, request).await,
        };
        let status = match result {
            SubmitResult::Known(outcome) => record(app, invocation, operation, outcome).await,
            SubmitResult::Unknown { error } => look_up(app, invocation, operation, Some(error)).await,
        };
        if matches!(status, OperationStatus::Unknown) {
            app.metrics.record_operation(kind.name(), "unknown");
        }
        status
    }
}

/// A new reference. It cannot be guessed.
fn new_reference(app: &App) -> Reference {
    Reference::new(hex::encode(app.random.bytes::<24>()))
}

enum BeginError {
    /// The idempotency key was assigned to another operation meanwhile.
    KeyInUse,
    RefundTooLarge,
    Store(StoreError),
}

impl From<StoreError> for BeginError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Writes the open operation, its idempotency key, and its order or redemption. The first conflict is reported: a repeat of the
/// same operation or with the same key is found to be one, whatever it would do to the other rows.
async fn begin(
    app: &App,
    operation: Operation,
    creates: Vec<Write>,
    key: Option<&KeyRow>,
) -> Result<Stored<Operation>, BeginError> {
    let mut writes = vec![Write::create(&operation)?];
    if let Some(key) = key {
        writes.push(key.write(app.clock.now())?);
    }
    writes.extend(creates);
    match app.store.commit(writes).await {
        Ok(()) => Ok(Stored::created(operation)),
        // No other request has this reference: an earlier attempt of this commit succeeded and its response was lost.
        Err(CommitError::Conflict(row)) if row == operation.key() => Ok(Stored::created(operation)),
        Err(CommitError::Conflict(row)) if key.is_some_and(|key| row == key.key()) => Err(BeginError::KeyInUse),
        Err(CommitError::Conflict(row)) if keys::is_given_back(&row) => Err(BeginError::RefundTooLarge),
        Err(CommitError::Conflict(_)) => Err(StoreError::Contended("a new id").into()),
        Err(CommitError::Store(error)) => Err(error.into()),
    }
}
