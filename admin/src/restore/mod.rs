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
mod payouts;
mod report;
mod rows;
mod webhooks;

use std::pin::pin;

use clap::Args;
use futures_util::TryStreamExt;
use jiff::{SignedDuration, Timestamp};
use shared::clock::later;
use shared::domain::ids::PayoutId;
use shared::domain::restore::{LostSpan, LostSpans};
use shared::sdk_error::describe;
use shared::store::keys::{self, Key};
use shared::store::{CommitError, Store, StoreError, Stored, Write, item_key};
use thiserror::Error;

pub use self::report::Prepared;
use crate::table::Tables;

#[derive(Debug, Args)]
pub struct Prepare {
    /// Table that this one was restored from, if it can still be read. It shows what has happened since
    #[arg(long, value_name = "TABLE")]
    previous_table: Option<String>,
    /// The moment that was restored, such as 2026-11-05T09:00:00Z. Default: the one that DynamoDB names, or 35 days ago
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
    #[error("no restore of this table waits to be completed")]
    NothingToComplete,
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

/// As far back as point-in-time recovery reaches.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(35 * 24);
/// A request is sent some time after it was made, and the latest moment that can be restored lies up to five minutes before
/// the restore is started.
const MARGIN: SignedDuration = SignedDuration::from_mins(15);

/// Runs `admin restore prepare` on the table of the environment.
pub async fn run(tables: &Tables, arguments: Prepare, now: Timestamp) -> Result<Prepared, RestoreError> {
    let previous = arguments.previous_table.map(|table| tables.store_of(&table));
    let moment = match arguments.moment {
        Some(moment) => moment,
        None => restored_moment(tables).await?.unwrap_or_else(|| later(now, -MAX_AGE)),
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
    let mut prepared = Prepared::new(begin_lost_span(restored, later(moment, -MARGIN)).await?);
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
    jobs::prepare(restored, previous, &mut prepared).await?;
    Ok(prepared)
}

/// Requests that were made in this span, and whose keys are unknown, are refused from now on.
async fn begin_lost_span(restored: &Store, from: Timestamp) -> Result<Timestamp, RestoreError> {
    let (read, lost) = match restored.lost_spans().await? {
        Some(read) => (Some(read.clone()), read.value.begun(from)),
        None => (None, LostSpans::default().begun(from)),
    };
    let open = lost.spans.iter().find(|span| span.to.is_none()).map_or(from, |span| span.from);
    match read {
        Some(read) if read.value == lost => {}
        Some(read) => restored.commit(vec![Write::replace(&read, &lost)?]).await?,
        None => restored.commit(vec![Write::create(&lost)?]).await?,
    }
    Ok(open)
}

/// Runs `admin restore complete`: from now on, the keys of new requests are new.
pub async fn complete(restored: &Store, now: Timestamp) -> Result<String, RestoreError> {
    let read: Option<Stored<LostSpans>> = restored.lost_spans().await?;
    let read = read.ok_or(RestoreError::NothingToComplete)?;
    let lost = read.ended(now).ok_or(RestoreError::NothingToComplete)?;
    restored.commit(vec![Write::replace(&read, &lost)?]).await?;
    let is_new = |span: &&LostSpan| span.to == Some(now);
    let from = lost.spans.iter().find(is_new).map_or(now, |span| span.from);
    Ok(format!("requests that were made from {from} to {now} are refused if their keys are unknown"))
}

/// Ends all sessions, and returns their number. Their rows by user are deleted as well.
async fn end_sessions(store: &Store) -> Result<usize, StoreError> {
    let mut ended = 0;
    let mut pages = pin!(store.scan(vec![keys::SESSIONS.to_owned(), keys::SESSIONS_OF_USERS.to_owned()]));
    while let Some(page) = pages.try_next().await? {
        let sessions: Vec<Key> = page.iter().filter_map(item_key).collect();
        for session in &sessions {
            store.remove(session).await?;
        }
        ended += sessions.iter().filter(|key| key.pk.starts_with(keys::SESSIONS)).count();
    }
    Ok(ended)
}
