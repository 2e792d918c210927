//! Jobs: what was promised with a change and is done after the answer. Each is a row that is written in the
//! transaction of the change itself, waits in the index of due work, and goes once it is done.

use futures_util::stream::Stream;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::keys::{self, DueWork, Key};
use super::{Entity, Store, StoreError, Stored};
use crate::domain::ids::{JobId, MerchantId, RedemptionId, UserId};
use crate::domain::merchant::Merchant;
use crate::domain::operation::end_of_rest;
use crate::random::Random;

/// What is to be done. A task names what it is about and holds none of it: whoever carries it out reads what is
/// true by then, so that the last state wins in whatever order jobs run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Tell a user that the merchant's details were changed.
    AccountChangeMail { user_id: UserId },
    /// Bring these fields of the merchant's account at the card network up to date.
    MirrorMerchant { fields: Vec<MirroredField> },
    /// Find a logo for a merchant that has none.
    FetchLogo,
    /// See to it that the merchant has an open verification session, and promise the user its link.
    VerifyMerchant { user_id: UserId },
    /// Send a user the link of the merchant's verification session.
    VerificationMail { user_id: UserId },
    /// Make the settlement of a redemption that succeeded without one.
    SettleRedemption { redemption_id: RedemptionId },
}

impl Task {
    /// Names the task in logs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AccountChangeMail { .. } => "account change mail",
            Self::MirrorMerchant { .. } => "mirror merchant",
            Self::FetchLogo => "fetch logo",
            Self::VerifyMerchant { .. } => "verify merchant",
            Self::VerificationMail { .. } => "verification mail",
            Self::SettleRedemption { .. } => "settle redemption",
        }
    }
}

/// The fields of a merchant that the card network keeps as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MirroredField {
    Name,
    RegistrationNumber,
    VatNumber,
    Website,
    LogoUrl,
    TimeZone,
}

impl MirroredField {
    pub const ALL: [Self; 6] =
        [Self::Name, Self::RegistrationNumber, Self::VatNumber, Self::Website, Self::LogoUrl, Self::TimeZone];

    /// What the merchant has in this field.
    pub fn of(self, merchant: &Merchant) -> &str {
        match self {
            Self::Name => &merchant.name,
            Self::RegistrationNumber => &merchant.registration_number,
            Self::VatNumber => &merchant.vat_number,
            Self::Website => &merchant.brand.website,
            Self::LogoUrl => &merchant.brand.logo_url,
            Self::TimeZone => &merchant.time_zone,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobState {
    Waiting {
        attempts: u32,
        next_attempt_at: Timestamp,
    },
    /// Failed for the last time: somebody has to look.
    Dead {
        attempts: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub merchant_id: MerchantId,
    pub task: Task,
    pub created_at: Timestamp,
    pub state: JobState,
}

/// Six to eleven hours of trying: eleven delays, each about twice the one before.
const MAX_ATTEMPTS: u32 = 12;
const INITIAL_BACKOFF: SignedDuration = SignedDuration::from_secs(10);
const MAX_BACKOFF: SignedDuration = SignedDuration::from_hours(6);
/// How long a try may take before another worker may try as well.
const CLAIM: SignedDuration = SignedDuration::from_secs(60);

impl Job {
    /// A promise that falls due at once.
    pub fn new(merchant_id: MerchantId, task: Task, now: Timestamp, random: &Random) -> Self {
        Self::with_id(JobId::new(random.uuid(now).to_string()), merchant_id, task, now)
    }

    /// A promise under an id that follows from what it is about: it cannot be given twice at a time.
    pub fn with_id(id: JobId, merchant_id: MerchantId, task: Task, now: Timestamp) -> Self {
        let state = JobState::Waiting { attempts: 0, next_attempt_at: now };
        Self { id, merchant_id, task, created_at: now, state }
    }

    /// The same job while somebody attempts it, or dead if it was tried for the last time before. A worker that dies
    /// in the middle is overtaken after a minute, and what every worker dies of ends as well.
    pub fn claim(&self, now: Timestamp) -> Self {
        self.next_state(|attempts| JobState::Waiting {
            attempts: attempts + 1,
            next_attempt_at: now.checked_add(CLAIM).unwrap_or(now),
        })
    }

    /// The same job after a try that failed: waiting for its next time, or dead. `rest` is the seconds for which
    /// whoever refused it wants to be left alone.
    pub fn failed(&self, now: Timestamp, rest: Option<u32>, random: &Random) -> Self {
        self.next_state(|attempts| {
            let next_attempt_at = now.checked_add(backoff(attempts, random)).unwrap_or(now);
            let end_of_rest = rest.and_then(|seconds| end_of_rest(now, seconds));
            JobState::Waiting { attempts, next_attempt_at: end_of_rest.unwrap_or(now).max(next_attempt_at) }
        })
    }

    /// The same job in the state that follows from so many attempts, or dead.
    fn next_state(&self, next: impl FnOnce(u32) -> JobState) -> Self {
        let state = match self.state {
            JobState::Waiting { attempts, .. } if attempts < MAX_ATTEMPTS => next(attempts),
            JobState::Waiting { attempts, .. } | JobState::Dead { attempts } => JobState::Dead { attempts },
        };
        Self { state, ..self.clone() }
    }

    pub fn is_dead(&self) -> bool {
        matches!(self.state, JobState::Dead { .. })
    }
}

/// Doubles with each try; the random half keeps jobs that failed together from returning together.
fn backoff(attempts: u32, random: &Random) -> SignedDuration {
    let doubled = INITIAL_BACKOFF.as_secs().checked_shl(attempts).unwrap_or(i64::MAX);
    let longest = doubled.clamp(1, MAX_BACKOFF.as_secs());
    let half = longest.div_euclid(2);
    let jitter = random.below(half.unsigned_abs().max(1));
    SignedDuration::from_secs(half.saturating_add_unsigned(jitter))
}

impl Entity for Job {
    fn key(&self) -> Key {
        keys::job(&self.id)
    }

    fn due_index_key(&self) -> Option<Key> {
        match self.state {
            JobState::Waiting { next_attempt_at, .. } => {
                Some(keys::due(DueWork::Jobs, next_attempt_at, self.id.as_str()))
            }
            JobState::Dead { .. } => Some(keys::due(DueWork::DeadJobs, self.created_at, self.id.as_str())),
        }
    }
}

impl Store {
    pub async fn job(&self, id: &JobId) -> Result<Option<Stored<Job>>, StoreError> {
        self.get(&keys::job(id)).await
    }

    /// Jobs that are due by `until`, at most `most` of each shard.
    pub async fn due_jobs(&self, until: Timestamp, most: u16) -> Result<Vec<Stored<Job>>, StoreError> {
        self.due(DueWork::Jobs, until, most).await
    }

    /// Every job that is due by `until`, as its page comes.
    pub fn stream_due_jobs(&self, until: Timestamp) -> impl Stream<Item = Result<Stored<Job>, StoreError>> {
        self.stream_due(DueWork::Jobs, until)
    }

    /// Jobs that failed for the last time, at most `most` of each shard.
    pub async fn dead_jobs(&self, most: u16) -> Result<Vec<Stored<Job>>, StoreError> {
        self.due(DueWork::DeadJobs, Timestamp::MAX, most).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_the_longest_and_then_the_delivery_is_dead() {
        let lowest = Random::new(|bytes| bytes.fill(0));
        let mut now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut job = Job::new(MerchantId::new("m"), Task::FetchLogo, now, &lowest);
        let mut delays = Vec::new();
        while !job.is_dead() {
            job = job.claim(now).failed(now, None, &lowest);
            if let JobState::Waiting { next_attempt_at, .. } = job.state {
                delays.push(next_attempt_at.duration_since(now).as_secs());
                now = next_attempt_at;
            }
        }
        assert_eq!(delays, [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240]);
        assert!(job.due_index_key().unwrap().pk.starts_with("DEAD#"));
    }

    #[test]
    fn what_every_worker_dies_of_is_dead_in_the_end() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let lowest = Random::new(|bytes| bytes.fill(0));
        let mut job = Job::new(MerchantId::new("m"), Task::FetchLogo, now, &lowest);
        let mut attempts = 0;
        while !job.claim(now).is_dead() {
            job = job.claim(now);
            attempts += 1;
        }
        assert_eq!(attempts, MAX_ATTEMPTS);
    }

    #[test]
    fn no_try_comes_before_the_time_that_was_asked_for() {
        let lowest = Random::new(|bytes| bytes.fill(0));
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let claimed = Job::new(MerchantId::new("m"), Task::FetchLogo, now, &lowest).claim(now);
        for (rest, seconds) in [(None, 10), (Some(3), 10), (Some(90), 90), (Some(u32::MAX), 86_400)] {
            let JobState::Waiting { next_attempt_at, .. } = claimed.failed(now, rest, &lowest).state else {
                panic!("dead after one try")
            };
            assert_eq!(next_attempt_at.duration_since(now).as_secs(), seconds, "{rest:?}");
        }
    }
}
