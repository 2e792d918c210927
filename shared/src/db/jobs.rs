//! Jobs: work that is done after the response, such as mails. A job is created in the transaction of the change that
//! causes it, is found in the index of due work, and is deleted once it is done.

use std::collections::BTreeSet;

use futures_util::stream::Stream;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::counters::Reservation;
use super::error::StoreError;
use super::keys::{self, DueWork, Key};
use super::row::{Entity, Stored};
use super::table::Store;
use super::write::Write;
use crate::base::backoff::{Backoff, retry_at};
use crate::base::random::Random;
use crate::merchants::model::merchant::Merchant;
use crate::projections::model::tally::Family;
use crate::values::{
    ApiKeyId, ChallengeId, ExportId, JobId, MerchantId, Minute, OpenEnum, OrderId, PayoutId, PayoutRunId, RedemptionId, TillId,
    UserId, WebhookEndpointId, later,
};
use crate::webhooks::model::DisabledBecause;

/// What a job does. A task contains only ids: the worker reads the current rows, so that the last state wins in whichever
/// order jobs run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Mail a user that the merchant's details were changed.
    AccountChangeMail { user_id: UserId },
    /// Copy these fields of the merchant to its account at the card network.
    MirrorMerchant { fields: Vec<MirroredField> },
    /// Fetch the logo of the merchant's account at the card network.
    FetchLogo,
    /// Ensure that the merchant has an open verification session, and enqueue the mail with its link.
    VerifyMerchant { user_id: UserId },
    /// Mail a user the link of the merchant's verification session.
    VerificationMail { user_id: UserId },
    /// Mail an administrator of the merchant its new status.
    StatusMail { user_id: UserId },
    /// Create the settlement of a redemption that succeeded without one.
    SettleRedemption { redemption_id: RedemptionId },
    /// Link the redemptions of the cards of a sale that was recorded after them.
    ClaimRedemptions { order_id: OrderId },
    /// Mail the code of a challenge to whom it was made for.
    CodeMail { challenge_id: ChallengeId },
    /// Mail the link of an invitation to the invited address.
    InviteMail {
        challenge_id: ChallengeId,
        /// What it counts towards the limit of the address, given back if it is not sent.
        #[serde(default)]
        counted: Reservation,
    },
    /// Create the mails that tell the merchant's administrators of a change, one for each of them.
    TeamNews { news: News },
    /// Mail one of the merchant's administrators that something has changed.
    TeamNewsMail { recipient: UserId, news: News, at: Timestamp },
    /// Mail a user that they signed in with a browser that was not known.
    NewDeviceMail { user_id: UserId, browser: Option<String> },
    /// Mail a user what has changed in how they sign in.
    SignInNewsMail { user_id: UserId, news: SignInNews },
    /// Recount the tallies of minutes in which entries have changed.
    Recount { family: Family, minutes: BTreeSet<Minute> },
    /// Add up the days and months of the merchant's new time zone, and let them serve.
    BuildCalendar,
    /// Delete the days and months of a time zone that serves no longer.
    RemoveCalendar { generation: u32 },
    /// Write the next parts of an export's file.
    WriteExport { export_id: ExportId },
    /// Start the payouts of a run, merchant by merchant.
    RunPayouts { run_id: PayoutRunId },
    /// Do what is left to do for a payout.
    AdvancePayout { payout_id: PayoutId },
    /// Delete all versions of an image that was taken down.
    DeleteImage { object_key: String },
    /// Mail an administrator of the merchant that its image was taken down.
    TakeDownMail { user_id: UserId, object_key: String },
}

/// What users are told of how they sign in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignInNews {
    PasskeyAdded {
        name: String,
    },
    PasskeyRemoved {
        name: String,
        /// Whether mailed codes work again, because the passkeys that are left do not suffice.
        turned_codes_on: bool,
    },
    /// A passkey whose counter did not grow was refused: there may be a copy of it.
    PasskeyCopied {
        name: String,
    },
    CodesTurnedOff,
    CodesTurnedOn,
    /// An operator has turned them on.
    CodesTurnedOnByPlatform,
}

/// What the administrators of a merchant are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum News {
    MemberJoined {
        user_id: UserId,
    },
    MemberLeft {
        user_id: UserId,
    },
    MemberRemoved {
        user_id: UserId,
    },
    BecameAdministrator {
        user_id: UserId,
    },
    TillPaired {
        till_id: TillId,
    },
    /// A member has set where webhooks are sent, or which.
    WebhookSet {
        endpoint_id: WebhookEndpointId,
    },
    /// A member has deleted a webhook endpoint.
    WebhookDeleted {
        user_id: UserId,
        host: String,
    },
    Key {
        key_id: ApiKeyId,
        what: KeyNews,
    },
    /// A webhook endpoint was disabled because of its answers.
    WebhookDisabled {
        host: String,
        because: OpenEnum<DisabledBecause>,
    },
}

/// What administrators are told of a key of their merchant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeyNews {
    Made,
    Rotated,
    /// It ends then, because its maker can no longer grant its permissions.
    Ending {
        at: Timestamp,
    },
    /// It expires then.
    Expiring {
        at: Timestamp,
    },
    /// The platform has revoked it.
    Revoked,
}

impl Task {
    /// The name of the task in logs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::AccountChangeMail { .. } => "account change mail",
            Self::MirrorMerchant { .. } => "mirror merchant",
            Self::FetchLogo => "fetch logo",
            Self::VerifyMerchant { .. } => "verify merchant",
            Self::VerificationMail { .. } => "verification mail",
            Self::StatusMail { .. } => "status mail",
            Self::SettleRedemption { .. } => "settle redemption",
            Self::ClaimRedemptions { .. } => "claim redemptions",
            Self::CodeMail { .. } => "code mail",
            Self::InviteMail { .. } => "invite mail",
            Self::TeamNews { .. } => "team news",
            Self::TeamNewsMail { .. } => "team news mail",
            Self::NewDeviceMail { .. } => "new device mail",
            Self::SignInNewsMail { .. } => "sign-in news mail",
            Self::Recount { .. } => "recount",
            Self::BuildCalendar => "build calendar",
            Self::RemoveCalendar { .. } => "remove calendar",
            Self::WriteExport { .. } => "write export",
            Self::RunPayouts { .. } => "run payouts",
            Self::AdvancePayout { .. } => "advance payout",
            Self::DeleteImage { .. } => "delete image",
            Self::TakeDownMail { .. } => "take-down mail",
        }
    }

    /// Whether it is attempted until it is done. Half of a payout must not stay: its settlements could be neither paid nor
    /// returned.
    pub fn is_never_given_up(&self) -> bool {
        matches!(self, Self::RunPayouts { .. } | Self::AdvancePayout { .. })
    }
}

/// The fields of a merchant that are mirrored to the card network.
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

    /// The merchant's value of the field.
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
    /// The last attempt has failed. An operator has to look at it.
    Dead {
        attempts: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    /// `None` for a job that concerns no single merchant.
    pub merchant_id: Option<MerchantId>,
    pub task: Task,
    pub created_at: Timestamp,
    pub state: JobState,
}

/// Attempts of a job, over six to eleven hours with the backoff.
const MAX_ATTEMPTS: u32 = 12;
const BACKOFF: Backoff = Backoff::new(SignedDuration::from_secs(10), SignedDuration::from_hours(6));
/// Of a task that is never given up.
const PERSISTENT_BACKOFF: Backoff = Backoff::new(SignedDuration::from_secs(10), SignedDuration::from_mins(10));
/// The time after which another worker may claim a job, because its worker has died.
const CLAIM_TIMEOUT: SignedDuration = SignedDuration::from_secs(60);

impl Job {
    /// A job that is due at once.
    pub fn new(merchant_id: impl Into<Option<MerchantId>>, task: Task, now: Timestamp, random: &Random) -> Self {
        Self::with_id(JobId::new(random.uuid(now).to_string()), merchant_id, task, now)
    }

    /// A job with an id that is derived from its subject, so that it is enqueued once at a time.
    pub fn with_id(id: JobId, merchant_id: impl Into<Option<MerchantId>>, task: Task, now: Timestamp) -> Self {
        let state = JobState::Waiting { attempts: 0, next_attempt_at: now };
        Self { id, merchant_id: merchant_id.into(), task, created_at: now, state }
    }

    /// A job that is due later.
    #[must_use]
    pub fn due_at(self, at: Timestamp) -> Self {
        Self { state: JobState::Waiting { attempts: 0, next_attempt_at: at }, ..self }
    }

    /// Whether it waits for a later time.
    pub fn waits(&self, now: Timestamp) -> bool {
        matches!(self.state, JobState::Waiting { next_attempt_at, .. } if next_attempt_at > now)
    }

    /// The job as claimed by a worker for one more attempt, or dead if it has no attempt left. If the worker dies, another
    /// one can claim the job after a minute, so that a job whose workers all die is dead after its last attempt.
    pub fn claim(&self, now: Timestamp) -> Self {
        self.next_state(|attempts| JobState::Waiting { attempts: attempts + 1, next_attempt_at: later(now, CLAIM_TIMEOUT) })
    }

    /// The job after a failed attempt: waiting for the next one, or dead. `retry_after` is the seconds of a `Retry-After`.
    pub fn failed(&self, now: Timestamp, retry_after: Option<u32>, random: &Random) -> Self {
        self.next_state(|attempts| {
            let backoff = if self.task.is_never_given_up() { PERSISTENT_BACKOFF } else { BACKOFF };
            let next_attempt_at = later(now, backoff.equal_jitter(attempts, random));
            let retry_at = retry_after.map_or(now, |seconds| retry_at(now, seconds));
            JobState::Waiting { attempts, next_attempt_at: retry_at.max(next_attempt_at) }
        })
    }

    /// The job in the state that follows from the number of attempts, or dead after the last one of a task that is given up.
    fn next_state(&self, next: impl FnOnce(u32) -> JobState) -> Self {
        let state = match self.state {
            JobState::Waiting { attempts, .. } if attempts < MAX_ATTEMPTS || self.task.is_never_given_up() => next(attempts),
            JobState::Waiting { attempts, .. } | JobState::Dead { attempts } => JobState::Dead { attempts },
        };
        Self { state, ..self.clone() }
    }

    pub fn is_dead(&self) -> bool {
        matches!(self.state, JobState::Dead { .. })
    }

    /// Whether it has failed so often that an operator has to look at it, although it is not given up.
    pub fn is_stuck(&self) -> bool {
        matches!(self.state, JobState::Waiting { attempts, .. } if attempts >= MAX_ATTEMPTS)
    }
}

impl Entity for Job {
    fn key(&self) -> Key {
        keys::job(&self.id)
    }

    fn due_index_key(&self) -> Option<Key> {
        match self.state {
            JobState::Waiting { next_attempt_at, .. } => Some(keys::due(DueWork::Jobs, next_attempt_at, self.id.as_str())),
            JobState::Dead { .. } => Some(keys::due(DueWork::DeadJobs, self.created_at, self.id.as_str())),
        }
    }
}

impl Store {
    pub async fn job(&self, id: &JobId) -> Result<Option<Stored<Job>>, StoreError> {
        self.get(&keys::job(id)).await
    }

    /// The write of a job that is due at once, for the transaction of what causes it.
    pub fn enqueue(&self, merchant_id: impl Into<Option<MerchantId>>, task: Task, now: Timestamp) -> Result<Write, StoreError> {
        Write::create(&Job::new(merchant_id, task, now, &self.random))
    }

    /// Jobs that are due by `until`, at most `limit` of each shard.
    pub async fn due_jobs(&self, until: Timestamp, limit: u16) -> Result<Vec<Stored<Job>>, StoreError> {
        self.due(DueWork::Jobs, until, limit).await
    }

    /// All jobs that are due by `until`, read page by page.
    pub fn stream_due_jobs(&self, until: Timestamp) -> impl Stream<Item = Result<Stored<Job>, StoreError>> {
        self.stream_due(DueWork::Jobs, until)
    }

    /// Jobs whose last attempt has failed, at most `limit` of each shard.
    pub async fn dead_jobs(&self, limit: u16) -> Result<Vec<Stored<Job>>, StoreError> {
        self.due(DueWork::DeadJobs, Timestamp::MAX, limit).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_until_the_job_is_dead() {
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
    fn a_job_whose_workers_all_die_is_dead_after_its_last_attempt() {
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
    fn the_job_of_a_payout_is_never_given_up() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let lowest = Random::new(|bytes| bytes.fill(0));
        let task = Task::AdvancePayout { payout_id: PayoutId::new("p") };
        let mut job = Job::new(MerchantId::new("m"), task, now, &lowest);
        for attempt in 1..=100 {
            job = job.claim(now).failed(now, None, &lowest);
            assert_eq!((job.is_dead(), job.is_stuck()), (false, attempt >= MAX_ATTEMPTS), "{attempt}");
        }
    }

    #[test]
    fn no_attempt_is_made_before_retry_after_has_passed() {
        let lowest = Random::new(|bytes| bytes.fill(0));
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let claimed = Job::new(MerchantId::new("m"), Task::FetchLogo, now, &lowest).claim(now);
        for (retry_after, seconds) in [(None, 10), (Some(3), 10), (Some(90), 90), (Some(u32::MAX), 86_400)] {
            let JobState::Waiting { next_attempt_at, .. } = claimed.failed(now, retry_after, &lowest).state else {
                panic!("dead after one attempt")
            };
            assert_eq!(next_attempt_at.duration_since(now).as_secs(), seconds, "{retry_after:?}");
        }
    }
}
