//! The guessed card codes of tills, members and merchants.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::error::StoreError;
use super::keys::{self, Key};
use super::row::{Entity, Stored, from_item, item_key};
use super::table::Store;
use super::write::Write;
use crate::domain::guesses::{self, Guesses};
use crate::domain::ids::MerchantId;
use crate::domain::till::Operator;

/// The row of a till, a member or a merchant.
#[derive(Debug, Serialize, Deserialize)]
struct Counted {
    #[serde(flatten)]
    key: Key,
    #[serde(flatten)]
    guesses: Guesses,
}

impl Entity for Counted {
    fn key(&self) -> Key {
        self.key.clone()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        self.guesses.over_at()
    }
}

impl Store {
    /// How long a till or member has to wait before it can look up or redeem a card, because of its guesses and those of
    /// its merchant. `None` if it does not.
    pub async fn guessing_wait(
        &self,
        merchant: &MerchantId,
        by: &Operator,
        now: Timestamp,
    ) -> Result<Option<SignedDuration>, StoreError> {
        let keys = [keys::guesses_of(merchant, by), keys::guesses(merchant)];
        let rows = self.get_items(&keys).await?;
        let [own, all] = keys.map(|key| {
            let row = rows.iter().find(|row| item_key(row).as_ref() == Some(&key));
            row.map(|row| from_item::<Counted>(row.clone()).map(|row| row.value.guesses)).transpose()
        });
        Ok(guesses::wait(&own?.unwrap_or_default(), &all?.unwrap_or_default(), now))
    }

    /// Counts a code that the card network does not know, for the till or member and for its merchant.
    pub async fn count_guess(&self, merchant: &MerchantId, by: &Operator, now: Timestamp) -> Result<(), StoreError> {
        let own = self.count_guess_in(keys::guesses_of(merchant, by), now);
        let all = self.count_guess_in(keys::guesses(merchant), now);
        let (own, all) = tokio::join!(own, all);
        own.and(all)
    }

    async fn count_guess_in(&self, key: Key, now: Timestamp) -> Result<(), StoreError> {
        let mut attempts = self.attempts("guessed card codes");
        loop {
            let read: Option<Stored<Counted>> = self.get(&key).await?;
            let guesses = read.as_ref().map(|row| row.guesses.clone()).unwrap_or_default().with_one_at(now);
            let row = Counted { key: key.clone(), guesses };
            let write = match &read {
                Some(read) => Write::replace(read, &row)?,
                None => Write::create(&row)?,
            };
            if attempts.committed(self.commit(vec![write]).await).await? {
                return Ok(());
            }
        }
    }
}
