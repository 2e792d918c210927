//! Idempotency keys of calls that create something, each with what its first request was answered.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::Key;
use super::row::{Entity, Stored};
use super::table::Store;
use super::write::Write;
use crate::values::later;

/// How long a repeat is answered as the first request was.
const REMEMBERED_FOR: SignedDuration = SignedDuration::from_hours(24);

/// A key that was used. Its row contains only hashes of the key and of the body, and no secret of what was created.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Creation {
    #[serde(flatten)]
    key: Key,
    /// A hash of the body.
    pub fingerprint: String,
    /// The `data` of the response, as JSON. `None` while it is not known whether another system has created something.
    pub answer: Option<String>,
    used_at: Timestamp,
}

impl Creation {
    pub fn new(key: Key, fingerprint: String, now: Timestamp) -> Self {
        Self { key, fingerprint, answer: None, used_at: now }
    }

    fn ends_at(&self) -> Timestamp {
        later(self.used_at, REMEMBERED_FOR)
    }

    /// Writes the row, on condition that the key was not used within the 24 hours before.
    pub fn create(&self) -> Result<Write, StoreError> {
        Write::create_or_renew(self, self.used_at)
    }

    #[must_use]
    pub fn with_answer(&self, answer: String) -> Self {
        Self { answer: Some(answer), ..self.clone() }
    }

    /// Adds the answer to the row after its [creation](Self::create) without one.
    pub fn answered(self, answer: String) -> Result<Write, StoreError> {
        let answered = self.with_answer(answer);
        Write::replace(&Stored::created(self), &answered)
    }

    /// Frees the key after the [creation](Self::create) of its row without an answer.
    pub fn freed(self) -> Result<Write, StoreError> {
        Write::delete(&Stored::created(self))
    }
}

impl Entity for Creation {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.ends_at())
    }
}

impl Store {
    /// The earlier use of this key, unless that is more than 24 hours ago.
    pub async fn creation(&self, key: &Key, now: Timestamp) -> Result<Option<Creation>, StoreError> {
        let read = self.get::<Creation>(key).await?;
        Ok(read.map(|creation| creation.value).filter(|creation| now.as_second() < creation.ends_at().as_second()))
    }
}
