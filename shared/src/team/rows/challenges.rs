//! Challenges. A challenge is deleted once its code was used.

use jiff::Timestamp;

use crate::db::keys::{self, Key};
use crate::db::{Entity, Store, StoreError, Stored, Write};
use crate::team::model::challenge::Challenge;
use crate::values::ChallengeId;

impl Entity for Challenge {
    fn key(&self) -> Key {
        keys::challenge(&self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Store {
    pub async fn challenge(&self, id: &ChallengeId) -> Result<Option<Stored<Challenge>>, StoreError> {
        self.get(&keys::challenge(id)).await
    }

    /// Counts an attempt at the code of a challenge, before the code is compared: however many requests race, no more
    /// attempts are made than are allowed. `None` if there is no such challenge, or no attempt is left.
    pub async fn count_attempt(&self, id: &ChallengeId, now: Timestamp) -> Result<Option<Stored<Challenge>>, StoreError> {
        let mut attempts = self.attempts("a challenge");
        loop {
            let challenge = self.challenge(id).await?.filter(|challenge| challenge.is_open(now));
            let Some(challenge) = challenge else { return Ok(None) };
            let counted = Challenge { attempts: challenge.attempts + 1, ..challenge.value.clone() };
            if attempts.committed(self.commit(vec![Write::replace(&challenge, &counted)?]).await).await? {
                return Ok(Some(challenge.replaced(counted)));
            }
        }
    }
}
