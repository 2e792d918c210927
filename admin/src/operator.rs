//! What an operator decides about a merchant for which no platform administrator is left: all of them have belonged to it. The
//! audit trail names the operator.

use clap::{Args, Subcommand, ValueEnum};
use jiff::Timestamp;
use shared::base::clock::Clock;
use shared::base::random::Random;
use shared::db::{Store, StoreError};
use shared::merchants::model::administration::MerchantChange;
use shared::merchants::model::merchant::MerchantStatus;
use shared::merchants::rows::administration::ChangeMerchantError;
use shared::payouts::{ConfirmedBy, DecidePayoutError, Decision, PayoutRun, decide_payout};
use shared::values::{MerchantId, PayoutId, UserId};
use thiserror::Error;

/// The user in the audit trail.
const OPERATOR: &str = "operator";

pub(crate) fn operator() -> UserId {
    UserId::new(OPERATOR)
}

#[derive(Debug, Args)]
pub(crate) struct ChangeMerchant {
    /// Id of the merchant
    merchant: String,
    /// The next status
    #[arg(long)]
    status: Option<Status>,
    /// The version of its identity that was read and reviewed: `identityVersion`
    #[arg(long, value_name = "VERSION", required_unless_present = "status")]
    identity_reviewed: Option<u64>,
    /// Why, for the audit trail
    #[arg(long)]
    reason: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    Active,
    Inactive,
    Suspended,
    Declined,
    WaitingForInfo,
}

impl From<Status> for MerchantStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Inactive => Self::Inactive,
            Status::Suspended => Self::Suspended,
            Status::Declined => Self::Declined,
            Status::WaitingForInfo => Self::WaitingForInfo,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PayoutCommand {
    /// Start a payout run for a merchant that every platform administrator has belonged to
    Start {
        /// Id of the merchant
        merchant: String,
    },
    /// Confirm that a payout of such a merchant is paid, or cancel it
    Decide(DecidePayout),
}

#[derive(Debug, Args)]
pub(crate) struct DecidePayout {
    /// Id of the payout
    payout: String,
    /// The reference of the payment: it is paid
    #[arg(long, required_unless_present = "cancel")]
    reference: Option<String>,
    /// Why it is not paid: it is cancelled
    #[arg(long, value_name = "REASON", conflicts_with = "reference")]
    cancel: Option<String>,
}

#[derive(Debug, Error)]
pub(crate) enum OperatorError {
    #[error("there is no merchant {0}")]
    NoSuchMerchant(MerchantId),
    #[error("there is no payout {0}")]
    NoSuchPayout(PayoutId),
    #[error("{0} must have 1 to {1} characters on one line")]
    Text(&'static str, usize),
    #[error(transparent)]
    Change(#[from] ChangeMerchantError),
    #[error(transparent)]
    Decide(#[from] DecidePayoutError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns what was done, as a sentence.
pub(crate) async fn change_merchant(store: &Store, clock: &Clock, arguments: ChangeMerchant) -> Result<String, OperatorError> {
    let change = MerchantChange {
        status: arguments.status.map(Into::into),
        identity_reviewed: arguments.identity_reviewed,
        ..MerchantChange::default()
    };
    let reason = line("--reason", &arguments.reason, 500)?;
    let (id, by) = (MerchantId::new(arguments.merchant), operator());
    let (merchant, _) = store.change_merchant(&id, &change, &reason, &by, clock).await?;
    let unreviewed = merchant.unreviewed_identity_changes().count();
    Ok(format!("merchant {id}, status {}, {unreviewed} changes of its identity to be reviewed", merchant.status))
}

/// Returns the id of the run.
pub(crate) async fn start_payouts(
    store: &Store,
    random: &Random,
    now: Timestamp,
    merchant: String,
) -> Result<String, OperatorError> {
    let merchant = MerchantId::new(merchant);
    if !store.merchant_exists(&merchant).await? {
        return Err(OperatorError::NoSuchMerchant(merchant));
    }
    let key = format!("operator {}", random.uuid(now));
    let run = PayoutRun {
        id: PayoutRun::id_of(&key),
        fingerprint: key,
        merchant_id: Some(merchant),
        currency: None,
        eligible_before: now,
        created_by: operator(),
        created_at: now,
        own_merchant_id: None,
        after: None,
        finished_at: None,
    };
    run.start(store).await?;
    Ok(format!("run {}", run.id))
}

/// Returns what was done, as a sentence.
pub(crate) async fn decide(store: &Store, clock: &Clock, arguments: DecidePayout) -> Result<String, OperatorError> {
    let decision = match (arguments.reference, arguments.cancel) {
        (Some(reference), _) => Decision::Paid { reference: line("--reference", &reference, 140)? },
        (None, reason) => Decision::Cancelled { reason: line("--cancel", &reason.unwrap_or_default(), 500)? },
    };
    let id = PayoutId::new(arguments.payout);
    let payout = store.payout(&id).await?.ok_or_else(|| OperatorError::NoSuchPayout(id.clone()))?;
    let by = operator();
    let payout = decide_payout(store, payout, &decision, &by, ConfirmedBy::Anyone, clock).await?;
    Ok(format!("payout {id} of merchant {}, status {}", payout.merchant_id, payout.status()))
}

fn line(name: &'static str, text: &str, max_length: usize) -> Result<String, OperatorError> {
    let text = text.trim();
    let is_valid = (1..=max_length).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    if is_valid { Ok(text.to_owned()) } else { Err(OperatorError::Text(name, max_length)) }
}
