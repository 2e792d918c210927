//! Carries out what was promised after a response.
//!
//! A delivery comes from the table's stream when it is promised, or from the index of due work when it is to be
//! tried again. Either way it is claimed first, so that it is never carried out twice at a time, and it goes once
//! it is done. One whose subject no longer exists is done.

mod account_change_mail;
mod fetch_logo;
mod mirror_merchant;
mod settle_redemption;
mod verification_mail;
mod verify_merchant;

use aws_lambda_events::dynamodb::EventRecord;
use shared::app::App;
use shared::card_network::NetworkError;
use shared::domain::settlement::CannotSettle;
use shared::http::invocation::Invocation;
use shared::mail::MailError;
use shared::store::deliveries::{Delivery, Task};
use shared::store::{CommitError, StoreError, Stored, Write, from_item, keys};
use shared::verifier::VerifierError;
use thiserror::Error;
use tracing::Instrument;

/// How a delivery ended for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    Done,
    /// It failed and waits for its next time.
    Postponed,
    /// It failed for the last time.
    Dead,
    /// Somebody else has it, or had it before: nothing was done here, or nothing that counts.
    Elsewhere,
}

/// Why a task could not be carried out this time.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Mail(#[from] MailError),
    #[error(transparent)]
    Letter(#[from] askama::Error),
    #[error(transparent)]
    Settlement(#[from] CannotSettle),
    #[error(transparent)]
    Verifier(#[from] VerifierError),
    #[error("nobody came back from the last try")]
    NobodyCameBack,
}

impl Failure {
    /// Seconds for which whoever refused it wants to be left alone.
    fn rest(&self) -> Option<u32> {
        match self {
            Self::Network(error) => error.retry_after(),
            _ => None,
        }
    }
}

/// The delivery that a record of the table's stream promises; none where the record tells of anything else.
pub fn promised(record: EventRecord) -> Option<Stored<Delivery>> {
    let keys: shared::store::Item = record.change.keys.into();
    let is_delivery = shared::store::item_key(&keys).is_some_and(|key| key.pk.starts_with(keys::DELIVERIES));
    if record.event_name != "INSERT" || !is_delivery {
        return None;
    }
    let delivery = from_item(record.change.new_image.into());
    // It stays in the index of due work, where whoever looks at it next fails on it again.
    delivery.inspect_err(|error| tracing::error!(cause = %error, "a new delivery cannot be read")).ok()
}

/// Carries a delivery out, if it is still as it was read. Fails only where the table does; what is left then is
/// found by its due time.
pub async fn deliver(
    app: &App,
    invocation: &Invocation,
    delivery: Stored<Delivery>,
) -> Result<Delivered, StoreError> {
    let span = tracing::info_span!(
        "delivery",
        request_id = invocation.request_id,
        delivery = %delivery.id,
        kind = delivery.task.kind(),
        merchant = %delivery.merchant_id,
    );
    claim_and_deliver(app, invocation, delivery).instrument(span).await
}

async fn claim_and_deliver(
    app: &App,
    invocation: &Invocation,
    delivery: Stored<Delivery>,
) -> Result<Delivered, StoreError> {
    if delivery.is_dead() {
        return Ok(Delivered::Dead);
    }
    let claimed = delivery.claim(app.clock.now());
    if !write(app, Write::replace(&delivery, &claimed)?).await? {
        return Ok(Delivered::Elsewhere);
    }
    if claimed.is_dead() {
        return Ok(tell(app, &claimed, &Failure::NobodyCameBack));
    }
    let claimed = delivery.replaced(claimed);
    let (end, last_word) = match carry_out(app, invocation, &claimed).await {
        Ok(()) => (Delivered::Done, Write::delete(&claimed)?),
        Err(failure) => {
            let failed = claimed.failed(app.clock.now(), failure.rest(), &app.random);
            (tell(app, &failed, &failure), Write::replace(&claimed, &failed)?)
        }
    };
    Ok(if write(app, last_word).await? { end } else { Delivered::Elsewhere })
}

async fn carry_out(app: &App, invocation: &Invocation, delivery: &Delivery) -> Result<(), Failure> {
    let merchant = &delivery.merchant_id;
    match &delivery.task {
        Task::AccountChangeMail { user_id } => {
            account_change_mail::send(app, merchant, user_id, delivery.promised_at).await
        }
        Task::MirrorMerchant { fields } => mirror_merchant::mirror(app, invocation, merchant, fields).await,
        Task::FetchLogo => fetch_logo::fetch(app, invocation, merchant, delivery.promised_at).await,
        Task::VerifyMerchant { user_id } => verify_merchant::see_to(app, invocation, delivery, user_id).await,
        Task::VerificationMail { user_id } => verification_mail::send(app, merchant, user_id).await,
        Task::SettleRedemption { redemption_id } => {
            settle_redemption::settle(app, merchant, redemption_id).await
        }
    }
}

/// Says in the log how a try failed, and counts a delivery that has died of it.
fn tell(app: &App, failed: &Delivery, failure: &Failure) -> Delivered {
    if failed.is_dead() {
        app.metrics.delivery_died();
        tracing::error!(cause = %failure, "a delivery is dead");
        return Delivered::Dead;
    }
    tracing::warn!(cause = %failure, "a delivery is put off");
    Delivered::Postponed
}

/// Whether the write took place: not, where the row is no longer as it was read.
async fn write(app: &App, write: Write) -> Result<bool, StoreError> {
    match app.store.commit(vec![write]).await {
        Ok(()) => Ok(true),
        Err(CommitError::Conflict(_)) => Ok(false),
        Err(CommitError::Store(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use shared::domain::ids::{DeliveryId, MerchantId};
    use shared::store::deliveries::DeliveryState;

    use super::*;

    fn record(event_name: &str, pk: &str) -> EventRecord {
        let row: Value = json!({
            "pk": {"S": pk},
            "sk": {"S": "DELIVERY"},
            "version": {"N": "1"},
            "id": {"S": "logo-m"},
            "merchant_id": {"S": "m"},
            "task": {"S": "FetchLogo"},
            "promised_at": {"S": "2026-01-01T00:00:00Z"},
            "state": {"M": {"Waiting": {"M": {
                "tries": {"N": "0"},
                "next_try_at": {"S": "2026-01-01T00:00:00Z"},
            }}}},
        });
        let record = json!({
            "awsRegion": "eu-west-1",
            "eventID": "1",
            "eventName": event_name,
            "dynamodb": {"Keys": {"pk": row["pk"], "sk": row["sk"]}, "NewImage": row, "SizeBytes": 1},
        });
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn a_new_row_of_its_kind_is_a_promise() {
        let delivery = promised(record("INSERT", "DELIVERY#logo-m")).unwrap();
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let expected =
            Delivery::with_id(DeliveryId::new("logo-m"), MerchantId::new("m"), Task::FetchLogo, now);
        assert_eq!(delivery.value, expected);
        assert!(matches!(delivery.state, DeliveryState::Waiting { tries: 0, .. }));
    }

    #[test]
    fn anything_else_promises_nothing() {
        for (event_name, pk) in [
            ("MODIFY", "DELIVERY#logo-m"),
            ("REMOVE", "DELIVERY#logo-m"),
            ("INSERT", "MERCHANT#m"),
            ("INSERT", "ORDER#m#DELIVERY#1"),
        ] {
            assert!(promised(record(event_name, pk)).is_none(), "{event_name} {pk}");
        }
    }
}
