//! Jobs that were waiting at the restored moment.

use jiff::Timestamp;
use shared::db::{Job, JobState, Store, StoreError, Stored, Task, Write};

use super::{Prepared, RestoreError};

/// Removes jobs that have run, and sets those aside that may have.
pub(super) async fn prepare(restored: &Store, previous: Option<&Store>, prepared: &mut Prepared) -> Result<(), RestoreError> {
    for job in restored.due_jobs(Timestamp::MAX, u16::MAX).await? {
        let knowledge = knowledge(&job, previous).await?;
        match fate(&job.task, knowledge) {
            Fate::Keep => prepared.due_jobs += 1,
            Fate::Remove => {
                restored.commit(vec![Write::delete(&job)?]).await?;
                prepared.removed_jobs += 1;
            }
            Fate::SetAside => {
                restored.commit(vec![Write::replace(&job, &dead(&job))?]).await?;
                prepared.jobs_set_aside += 1;
            }
        }
    }
    Ok(())
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
        // Runs and payouts go on from their rows. A mirror and a logo copy the current state.
        (
            Task::SettleRedemption { .. }
            | Task::Recount { .. }
            | Task::BuildCalendar
            | Task::RemoveCalendar { .. }
            | Task::RunPayouts { .. }
            | Task::AdvancePayout { .. },
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
