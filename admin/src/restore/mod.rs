//! Prepares a table that was restored from a backup, before the functions use it.
//!
//! A restored table is in the state of an earlier moment: sessions that have been ended since are valid, jobs that have run
//! since are due, settlements that have been paid since can be paid, and idempotency keys that have been used since are free.
//!
//! The table that is left behind says what has happened since, as far as it can be read. Where it cannot, nothing is paid
//! or used again that may have been. Everything here can be repeated: the second time, there is nothing left to do.

mod compare;
mod hold;
mod jobs;
mod keys;
mod payouts;
mod report;
mod rows;
mod webhooks;

use std::pin::pin;

use clap::Args;
use futures_util::TryStreamExt;
use jiff::{SignedDuration, Timestamp};
use shared::aws::sdk_error::describe;
use shared::db::keys::{Key, SESSIONS, SESSIONS_OF_USERS};
use shared::db::model::restore::{LostSpan, Restores, WrongStep};
use shared::db::{CommitError, Store, StoreError, Stored, Write, item_key};
use shared::values::{PayoutId, later};
use thiserror::Error;

pub use self::report::Prepared;
use crate::table::Tables;

#[derive(Debug, Args)]
pub struct Prepare {
    /// Table that this one was restored from, if it can still be read. It shows what has happened since
    #[arg(long, value_name = "TABLE")]
    previous_table: Option<String>,
    /// The moment that was restored, such as 2026-11-05T09:00:00Z. Default: the one that DynamoDB names. A table that was not
    /// restored by it needs one
    #[arg(long, value_name = "TIME")]
    moment: Option<Timestamp>,
}

#[derive(Debug, Error)]
pub enum RestoreError {
    #[error("{} changes while the table is prepared: functions use it already", .0.loggable())]
    InUse(Key),
    #[error("{} cannot be read", .0.loggable())]
    Unreadable(Key),
    #[error(
        "payout {0} of the previous table is incomplete, so that it does not show what was paid. Without --previous-table, \
         everything is held that may have been paid"
    )]
    IncompletePayout(PayoutId),
    #[error("cannot describe the table: {0}")]
    Describe(String),
    #[error("{0} was not restored from a backup. If it is a copy of another table, name the --moment of the copy")]
    NotRestored(String),
    #[error("--previous-table is the table that is to be prepared, {0}")]
    SameTable(String),
    #[error("no restore of this table is waiting to be completed")]
    NothingToComplete,
    #[error(transparent)]
    WrongStep(#[from] WrongStep),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CommitError> for RestoreError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict(row) => Self::InUse(row),
            CommitError::Store(error) => Self::Store(error),
        }
    }
}

/// A request is sent some time after it was made, and the latest moment that can be restored lies up to five minutes before
/// the restore is started.
const MARGIN: SignedDuration = SignedDuration::from_mins(15);

/// Runs `admin restore prepare` on the table of the environment.
pub async fn run(tables: &Tables, arguments: Prepare, now: Timestamp) -> Result<Prepared, RestoreError> {
    let previous = arguments.previous_table.map(|table| tables.store_of(&table));
    let moment = match arguments.moment {
        Some(moment) => moment,
        None => restored_moment(tables).await?.ok_or_else(|| RestoreError::NotRestored(tables.name.clone()))?,
    };
    prepare(&tables.store(), previous.as_ref(), moment, now).await
}

/// The moment that DynamoDB has restored.
async fn restored_moment(tables: &Tables) -> Result<Option<Timestamp>, RestoreError> {
    let description = tables.client.describe_table().table_name(&tables.name).send().await;
    let description = description.map_err(|error| RestoreError::Describe(describe(&error)))?;
    let restore = description.table.and_then(|table| table.restore_summary);
    Ok(restore.and_then(|restore| Timestamp::from_second(restore.restore_date_time.secs()).ok()))
}

/// Prepares a table that was restored to a moment, with the help of the previous one if it can be read.
pub async fn prepare(
    restored: &Store,
    previous: Option<&Store>,
    moment: Timestamp,
    now: Timestamp,
) -> Result<Prepared, RestoreError> {
    if previous.is_some_and(|previous| previous.table() == restored.table()) {
        return Err(RestoreError::SameTable(restored.table().to_owned()));
    }
    let from = later(moment, -MARGIN);
    let begun = begin(restored, from).await?;
    let mut prepared = Prepared::new(begun.spans.last().map_or(from, |span| span.from));
    prepared.ended_sessions = end_sessions(restored).await?;
    match previous {
        Some(previous) => {
            payouts::carry_over(restored, previous, now, &mut prepared).await?;
            compare::compare(restored, previous, now, &mut prepared).await?;
            webhooks::carry_over(restored, previous, &mut prepared).await?;
        }
        None => {
            payouts::withdraw_all(restored, now, &mut prepared).await?;
            hold::hold_all(restored, now, &mut prepared).await?;
            webhooks::send_again(restored, &mut prepared).await?;
        }
    }
    keys::carry_over(restored, previous, now, &mut prepared).await?;
    jobs::prepare(restored, previous, &mut prepared).await?;
    // From now on functions may use the table, unless somebody has begun once more.
    restored.commit(vec![Write::replace(&begun, &begun.prepared())?]).await?;
    Ok(prepared)
}

/// Requests that were made since then, and whose keys are unknown, are refused from now on.
async fn begin(restored: &Store, from: Timestamp) -> Result<Stored<Restores>, RestoreError> {
    let read = restored.restores().await?;
    let before = read.as_deref().cloned().unwrap_or_default();
    let begun = before.preparing(restored.table(), from)?;
    let (write, stored) = match read {
        Some(read) => (Write::replace(&read, &begun)?, read.replaced(begun)),
        None => (Write::create(&begun)?, Stored::created(begun)),
    };
    restored.commit(vec![write]).await?;
    Ok(stored)
}

/// Runs `admin restore complete`: from now on, the keys of new requests are new.
pub async fn complete(restored: &Store, now: Timestamp) -> Result<String, RestoreError> {
    let read = restored.restores().await?.ok_or(RestoreError::NothingToComplete)?;
    let completed = read.completed(restored.table(), now)?;
    if let Some(completed) = &completed {
        restored.commit(vec![Write::replace(&read, completed)?]).await?;
    }
    let LostSpan { from, to } = *completed.as_ref().unwrap_or(&read).spans.last().ok_or(RestoreError::NothingToComplete)?;
    let to = to.unwrap_or(now);
    Ok(format!("requests that were made from {from} to {to} are refused if their keys are unknown"))
}

/// Ends all sessions, and returns their number. Their rows by user are deleted as well.
async fn end_sessions(store: &Store) -> Result<usize, StoreError> {
    let mut ended = 0;
    let mut pages = pin!(store.scan(vec![SESSIONS.to_owned(), SESSIONS_OF_USERS.to_owned()]));
    while let Some(page) = pages.try_next().await? {
        let sessions: Vec<Key> = page.iter().filter_map(item_key).collect();
        for session in &sessions {
            store.remove(session).await?;
        }
        ended += sessions.iter().filter(|key| key.pk.starts_with(SESSIONS)).count();
    }
    Ok(ended)
}
