//! Deliveries: what was promised with a change and is done after the answer. Each is a row that is written in the
//! transaction of the change itself, waits in the index of due work, and goes once it is done.

use futures_util::stream::Stream;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::keys::{self, DueWork, Key};
use super::{Entity, Store, StoreError, Stored};
use crate::domain::ids::{DeliveryId, MerchantId, RedemptionId, UserId};
use crate::domain::merchant::Merchant;
use crate::domain::operation::end_of_rest;
use crate::random::Random;

/// What is to be done. A task names what it is about and holds none of it: whoever carries it out reads what is
/// true by then, so that the last state wins in whatever order deliveries run.
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
pub enum DeliveryState {
    Waiting {
        tries: u32,
        next_try_at: Timestamp,
    },
    /// Failed for the last time: somebody has to look.
    Dead {
        tries: u32,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub id: DeliveryId,
    pub merchant_id: MerchantId,
    pub task: Task,
    pub promised_at: Timestamp,
    pub state: DeliveryState,
}

/// Six to eleven hours of trying: eleven delays, each about twice the one before.
const MOST_TRIES: u32 = 12;
const FIRST_DELAY: SignedDuration = SignedDuration::from_secs(10);
const LONGEST_DELAY: SignedDuration = SignedDuration::from_hours(6);
/// How long a try may take before another worker may try as well.
const CLAIM: SignedDuration = SignedDuration::from_secs(60);

impl Delivery {
    /// A promise that falls due at once.
    pub fn promise(merchant_id: MerchantId, task: Task, now: Timestamp, random: &Random) -> Self {
        Self::with_id(DeliveryId::new(random.uuid(now).to_string()), merchant_id, task, now)
    }

    /// A promise under an id that follows from what it is about: it cannot be given twice at a time.
    pub fn with_id(id: DeliveryId, merchant_id: MerchantId, task: Task, now: Timestamp) -> Self {
        let state = DeliveryState::Waiting { tries: 0, next_try_at: now };
        Self { id, merchant_id, task, promised_at: now, state }
    }

    /// The same delivery while somebody tries it, or dead if it was tried for the last time before. A worker that dies
    /// in the middle is overtaken after a minute, and what every worker dies of ends as well.
    pub fn claim(&self, now: Timestamp) -> Self {
        self.unless_it_had_its_last_try(|tries| DeliveryState::Waiting {
            tries: tries + 1,
            next_try_at: now.checked_add(CLAIM).unwrap_or(now),
        })
    }

    /// The same delivery after a try that failed: waiting for its next time, or dead. `rest` is the seconds for which
    /// whoever refused it wants to be left alone.
    pub fn failed(&self, now: Timestamp, rest: Option<u32>, random: &Random) -> Self {
        self.unless_it_had_its_last_try(|tries| {
            let next_try_at = now.checked_add(delay(tries, random)).unwrap_or(now);
            let end_of_rest = rest.and_then(|seconds| end_of_rest(now, seconds));
            DeliveryState::Waiting { tries, next_try_at: end_of_rest.unwrap_or(now).max(next_try_at) }
        })
    }

    /// The same delivery in the state that follows from so many tries, or dead.
    fn unless_it_had_its_last_try(&self, next: impl FnOnce(u32) -> DeliveryState) -> Self {
        let state = match self.state {
            DeliveryState::Waiting { tries, .. } if tries < MOST_TRIES => next(tries),
            DeliveryState::Waiting { tries, .. } | DeliveryState::Dead { tries } => {
                DeliveryState::Dead { tries }
            }
        };
        Self { state, ..self.clone() }
    }

    pub fn is_dead(&self) -> bool {
        matches!(self.state, DeliveryState::Dead { .. })
    }
}

/// Doubles with each try; the random half keeps deliveries that failed together from returning together.
fn delay(tries: u32, random: &Random) -> SignedDuration {
    let doubled = FIRST_DELAY.as_secs().checked_shl(tries).unwrap_or(i64::MAX);
    let longest = doubled.clamp(1, LONGEST_DELAY.as_secs());
    let half = longest.div_euclid(2);
    let jitter = random.below(half.unsigned_abs().max(1));
    SignedDuration::from_secs(half.saturating_add_unsigned(jitter))
}

impl Entity for Delivery {
    fn key(&self) -> Key {
        keys::delivery(&self.id)
    }

    fn due(&self) -> Option<Key> {
        match self.state {
            DeliveryState::Waiting { next_try_at, .. } => {
                Some(keys::due(DueWork::Deliveries, next_try_at, self.id.as_str()))
            }
            DeliveryState::Dead { .. } => {
                Some(keys::due(DueWork::DeadDeliveries, self.promised_at, self.id.as_str()))
            }
        }
    }
}

impl Store {
    pub async fn delivery(&self, id: &DeliveryId) -> Result<Option<Stored<Delivery>>, StoreError> {
        self.get(&keys::delivery(id)).await
    }

    /// Deliveries that are due by `until`, at most `most` of each shard.
    pub async fn due_deliveries(
        &self,
        until: Timestamp,
        most: u16,
    ) -> Result<Vec<Stored<Delivery>>, StoreError> {
        self.due(DueWork::Deliveries, until, most).await
    }

    /// Every delivery that is due by `until`, as its page comes.
    pub fn each_due_delivery(
        &self,
        until: Timestamp,
    ) -> impl Stream<Item = Result<Stored<Delivery>, StoreError>> {
        self.each_due(DueWork::Deliveries, until)
    }

    /// Deliveries that failed for the last time, at most `most` of each shard.
    pub async fn dead_deliveries(&self, most: u16) -> Result<Vec<Stored<Delivery>>, StoreError> {
        self.due(DueWork::DeadDeliveries, Timestamp::MAX, most).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_the_longest_and_then_the_delivery_is_dead() {
        let least = Random::new(|bytes| bytes.fill(0));
        let mut now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut delivery = Delivery::promise(MerchantId::new("m"), Task::FetchLogo, now, &least);
        let mut delays = Vec::new();
        while !delivery.is_dead() {
            delivery = delivery.claim(now).failed(now, None, &least);
            if let DeliveryState::Waiting { next_try_at, .. } = delivery.state {
                delays.push(next_try_at.duration_since(now).as_secs());
                now = next_try_at;
            }
        }
        assert_eq!(delays, [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240]);
        assert!(delivery.due().unwrap().pk.starts_with("DEAD#"));
    }

    #[test]
    fn what_every_worker_dies_of_is_dead_in_the_end() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let least = Random::new(|bytes| bytes.fill(0));
        let mut delivery = Delivery::promise(MerchantId::new("m"), Task::FetchLogo, now, &least);
        let mut tries = 0;
        while !delivery.claim(now).is_dead() {
            delivery = delivery.claim(now);
            tries += 1;
        }
        assert_eq!(tries, MOST_TRIES);
    }

    #[test]
    fn no_try_comes_before_the_time_that_was_asked_for() {
        let least = Random::new(|bytes| bytes.fill(0));
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let claimed = Delivery::promise(MerchantId::new("m"), Task::FetchLogo, now, &least).claim(now);
        for (rest, seconds) in [(None, 10), (Some(3), 10), (Some(90), 90), (Some(u32::MAX), 86_400)] {
            let DeliveryState::Waiting { next_try_at, .. } = claimed.failed(now, rest, &least).state else {
                panic!("dead after one try")
            };
            assert_eq!(next_try_at.duration_since(now).as_secs(), seconds, "{rest:?}");
        }
    }
}
