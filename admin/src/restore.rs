//! Prepares a table that was restored from a backup, before the functions use it.
//!
//! A restored table is in the state of an earlier moment: sessions that have been ended since are valid, and jobs that
//! have run since are due.

use std::fmt;
use std::pin::pin;

use clap::Args;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use shared::store::jobs::{Job, JobState, Task};
use shared::store::keys::{self, Key};
use shared::store::{CommitError, Store, StoreError, Stored, Write, item_key};
use thiserror::Error;

use crate::table::Tables;

#[derive(Debug, Args)]
pub(crate) struct Prepare {
    /// Table that this one was restored from, if it can still be read. It shows which jobs have run
    #[arg(long, value_name = "TABLE")]
    previous_table: Option<String>,
}

#[derive(Debug, Error)]
pub(crate) enum RestoreError {
    #[error("a job changes while it is prepared: functions use the table already")]
    InUse,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CommitError> for RestoreError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Conflict(_) => Self::InUse,
            CommitError::Store(error) => Self::Store(error),
        }
    }
}

/// What was changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Prepared {
    ended_sessions: usize,
    removed_jobs: usize,
    jobs_set_aside: usize,
    due_jobs: usize,
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { ended_sessions, removed_jobs, jobs_set_aside, due_jobs } = self;
        writeln!(f, "{ended_sessions} sessions ended")?;
        writeln!(f, "{removed_jobs} jobs removed that have run")?;
        writeln!(f, "{jobs_set_aside} jobs set aside as dead: they may have run")?;
        write!(f, "{due_jobs} jobs left to run")
    }
}

pub(crate) async fn prepare(tables: &Tables, arguments: Prepare) -> Result<Prepared, RestoreError> {
    let store = tables.store();
    let previous = arguments.previous_table.map(|table| tables.store_of(&table));
    let mut prepared = Prepared { ended_sessions: end_sessions(&store).await?, ..Prepared::default() };
    for job in store.due_jobs(Timestamp::MAX, u16::MAX).await? {
        let knowledge = knowledge(&job, previous.as_ref()).await?;
        match fate(&job.task, knowledge) {
            Fate::Keep => prepared.due_jobs += 1,
            Fate::Remove => {
                store.commit(vec![Write::delete(&job)?]).await?;
                prepared.removed_jobs += 1;
            }
            Fate::SetAside => {
                store.commit(vec![Write::replace(&job, &dead(&job))?]).await?;
                prepared.jobs_set_aside += 1;
            }
        }
    }
    Ok(prepared)
}

/// What the previous table shows about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Knowledge {
    /// There is no previous table.
    None,
    /// A job is deleted when it is done.
    HasRun,
    Waits,
    IsDead,
}

async fn knowledge(job: &Job, previous: Option<&Store>) -> Result<Knowledge, StoreError> {
    let Some(previous) = previous else { return Ok(Knowledge::None) };
    Ok(match previous.job(&job.id).await? {
        None => Knowledge::HasRun,
        Some(job) if job.is_dead() => Knowledge::IsDead,
        Some(_) => Knowledge::Waits,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Keep,
    Remove,
    /// An operator decides.
    SetAside,
}

fn fate(task: &Task, knowledge: Knowledge) -> Fate {
    match (task, knowledge) {
        // The restored table may lack the settlement, and there is never a second one. Tallies and calendars are made anew.
        // A mirror and a logo copy the current state.
        (
            Task::SettleRedemption { .. }
            | Task::Recount { .. }
            | Task::BuildCalendar
            | Task::RemoveCalendar { .. },
            _,
        )
        | (_, Knowledge::Waits)
        | (Task::MirrorMerchant { .. } | Task::FetchLogo, Knowledge::None) => Fate::Keep,
        (_, Knowledge::HasRun) => Fate::Remove,
        // A mail or a verification session would be a second one.
        (_, Knowledge::None | Knowledge::IsDead) => Fate::SetAside,
    }
}

fn dead(job: &Stored<Job>) -> Job {
    let attempts = match job.state {
        JobState::Waiting { attempts, .. } | JobState::Dead { attempts } => attempts,
    };
    Job { state: JobState::Dead { attempts }, ..job.value.clone() }
}

/// Ends all sessions, and returns their number. Their rows by user are deleted as well.
async fn end_sessions(store: &Store) -> Result<usize, StoreError> {
    let mut ended = 0;
    let mut pages = pin!(store.scan(vec![keys::SESSIONS.to_owned(), keys::SESSIONS_OF_USERS.to_owned()]));
    while let Some(page) = pages.try_next().await? {
        let sessions: Vec<Key> = page.items.iter().filter_map(item_key).collect();
        for session in &sessions {
            store.remove(session).await?;
        }
        ended += sessions.iter().filter(|key| key.pk.starts_with(keys::SESSIONS)).count();
    }
    Ok(ended)
}
