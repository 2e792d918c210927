//! The rows of passkeys. They are found by their handle; a user whose handle is another one has none of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::db::keys::{self, Key};
use crate::db::{CommitError, Entity, Range, Store, StoreError, Stored, Write, item_key};
use crate::team::model::passkey::{CHALLENGE_LIFETIME, Passkey, PasskeyHandle, PasskeyOwner};
use crate::team::model::team::User;
use crate::values::{ChallengeId, SessionId, later};

impl Entity for Passkey {
    fn key(&self) -> Key {
        keys::passkey(&self.handle, &self.id)
    }
}

impl Entity for PasskeyOwner {
    fn key(&self) -> Key {
        keys::passkey_owner(&self.handle)
    }
}

/// A passkey that a session is about to add.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PasskeyRegistration {
    pub id: ChallengeId,
    pub session_id: SessionId,
    pub handle: PasskeyHandle,
    /// What the library that verifies passkeys needs to know of the challenge.
    pub state: String,
    pub expires_at: Timestamp,
}

impl Entity for PasskeyRegistration {
    fn key(&self) -> Key {
        keys::passkey_registration(&self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

/// That an attempt to sign in has used its challenge up.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct UsedChallenge {
    id: ChallengeId,
    /// It is over by then.
    forget_at: Timestamp,
}

impl Entity for UsedChallenge {
    fn key(&self) -> Key {
        keys::used_challenge(&self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.forget_at)
    }
}

/// The passkeys of a handle, and whose they are.
#[derive(Debug, Default)]
pub struct Passkeys {
    pub owner: Option<PasskeyOwner>,
    /// Oldest first.
    pub all: Vec<Stored<Passkey>>,
}

impl Store {
    pub async fn passkeys_of_handle(&self, handle: &PasskeyHandle) -> Result<Passkeys, StoreError> {
        let mut found = Passkeys::default();
        for row in self.query_items(Range::of_table(keys::passkeys(handle))).await? {
            let sort_key = item_key(&row).map(|key| key.sk).unwrap_or_default();
            if sort_key.starts_with(keys::PASSKEYS) {
                found.all.extend(self.readable_row(row));
            } else {
                found.owner = self.readable_value(row);
            }
        }
        found.all.sort_by_key(|passkey| passkey.created_at);
        Ok(found)
    }

    /// The user's passkeys, oldest first.
    pub async fn passkeys_of(&self, user: &User) -> Result<Vec<Stored<Passkey>>, StoreError> {
        match &user.passkey_handle {
            Some(handle) => Ok(self.passkeys_of_handle(handle).await?.all),
            None => Ok(Vec::new()),
        }
    }

    /// The writes that remove all passkeys of a user, to be committed with the user's row, which no longer has their handle: that alone
    /// makes them worthless, those that cannot be read as well.
    pub(crate) async fn removed_passkeys(&self, user: &User) -> Result<Vec<Write>, StoreError> {
        self.passkeys_of(user).await?.iter().map(Write::delete).collect()
    }

    pub async fn passkey_registration(&self, id: &ChallengeId) -> Result<Option<Stored<PasskeyRegistration>>, StoreError> {
        self.get(&keys::passkey_registration(id)).await
    }

    /// Uses a challenge to sign in up. Returns whether it was this call that did.
    pub async fn use_up_challenge(&self, id: &ChallengeId, now: Timestamp) -> Result<bool, StoreError> {
        // Longer than the challenge, so that clocks may differ.
        let forget_at = later(now, CHALLENGE_LIFETIME + CHALLENGE_LIFETIME);
        match self.commit(vec![Write::create(&UsedChallenge { id: id.clone(), forget_at })?]).await {
            Ok(()) => Ok(true),
            Err(CommitError::Conflict(_)) => Ok(false),
            Err(CommitError::Store(error)) => Err(error),
        }
    }
}
