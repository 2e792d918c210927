//! The rows of a key: itself, and when it was used.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::base::best_effort::best_effort;
use crate::db::keys::{self, Key};
use crate::db::{Entity, Range, Store, StoreError, Stored, Update, Write, take};
use crate::keys::model::key::{ApiKey, EndedBecause};
use crate::keys::model::text::KeyText;
use crate::merchants::model::activity::{ActivityAction, Actor, Deed};
use crate::merchants::model::merchant::{Merchant, MerchantStatus};
use crate::values::{ApiKeyId, MerchantId, later};

/// Keys that are over are listed for this long.
pub const LISTED: SignedDuration = SignedDuration::from_hours(90 * 24);
/// The use of a key is written once within this span.
const NOTED_EVERY: SignedDuration = SignedDuration::from_hours(1);

impl Entity for ApiKey {
    fn key(&self) -> Key {
        keys::api_key(&self.merchant_id, &self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(later(self.end().at, LISTED))
    }
}

/// When a key was last used, to the hour. A row of its own, so that functions that use a key need not be able to change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyUse {
    pub merchant_id: MerchantId,
    pub key_id: ApiKeyId,
    pub last_used_at: Timestamp,
    /// The number of the newest secret that was used.
    pub newest_used: u32,
    kept_until: Timestamp,
}

impl Entity for KeyUse {
    fn key(&self) -> Key {
        keys::key_use(&self.merchant_id, &self.key_id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.kept_until)
    }
}

impl KeyUse {
    /// The same for a key that has another end by now.
    #[must_use]
    pub fn of(&self, key: &ApiKey) -> Self {
        Self { kept_until: later(key.end().at, LISTED), ..self.clone() }
    }

    fn says(&self, secret: u32, now: Timestamp) -> bool {
        self.newest_used >= secret && later(self.last_used_at, NOTED_EVERY) > now
    }
}

impl Store {
    /// The key of a text and its merchant, if the key is good and the merchant is not closed. Its use is noted.
    pub(crate) async fn use_key(
        &self,
        text: &KeyText,
        now: Timestamp,
    ) -> Result<Option<(Stored<ApiKey>, Stored<Merchant>)>, StoreError> {
        let (key, used, merchant) =
            (keys::api_key(&text.merchant, &text.id), keys::key_use(&text.merchant, &text.id), keys::merchant(&text.merchant));
        let mut rows = self.get_items(&[key.clone(), used.clone(), merchant.clone()]).await?;
        let Some(key) = take::<ApiKey>(&mut rows, &key)? else { return Ok(None) };
        let Some(merchant) = take::<Merchant>(&mut rows, &merchant)? else { return Ok(None) };
        let Some(secret) = key.good_secret(&text.hash(), now) else { return Ok(None) };
        if merchant.status == MerchantStatus::Inactive {
            return Ok(None);
        }
        // Whatever is wrong with this row, the key is good.
        let used = best_effort("the use of a key", take::<KeyUse>(&mut rows, &used)).flatten();
        if used.as_ref().is_some_and(|used| used.says(secret, now)) {
            return Ok(Some((key, merchant)));
        }
        let is_first_use = used.as_ref().is_none_or(|used| used.newest_used < secret);
        best_effort("noting the use of a key", self.note_use(&key, used, secret, now).await);
        if !is_first_use {
            return Ok(Some((key, merchant)));
        }
        // A rotation replaces a secret that was never used. One that had not seen this use has made the secret worthless.
        let key = take::<ApiKey>(&mut self.get_items(&[key.key()]).await?, &key.key())?;
        Ok(key.filter(|key| key.good_secret(&text.hash(), now).is_some()).map(|key| (key, merchant)))
    }

    /// Ends a key that is not over, together with these writes. Returns whether it did.
    pub async fn revoke_key(
        &self,
        key: Stored<ApiKey>,
        actor: &Actor,
        with: &[Write],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let revoke = |key: &ApiKey| {
            if key.is_over(now) {
                return Ok::<_, StoreError>((None, false));
            }
            let deed = Deed::new(ActivityAction::KeyRevoked).to_target(&key.id, &key.name);
            let mut writes = with.to_vec();
            writes.push(self.record(actor.clone(), &key.merchant_id, deed, now)?);
            Ok((Some(Update { row: key.over(EndedBecause::Revoked, now), with: writes }), true))
        };
        self.update(key, revoke).await
    }

    async fn note_use(
        &self,
        key: &ApiKey,
        mut known: Option<Stored<KeyUse>>,
        secret: u32,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut attempts = self.attempts("the use of a key");
        loop {
            let used = KeyUse {
                merchant_id: key.merchant_id.clone(),
                key_id: key.id.clone(),
                last_used_at: known.as_ref().map_or(now, |known| known.last_used_at.max(now)),
                newest_used: known.as_ref().map_or(secret, |known| known.newest_used.max(secret)),
                kept_until: later(key.end().at, LISTED),
            };
            let write = match &known {
                Some(known) if known.says(secret, now) => return Ok(()),
                Some(known) => Write::replace(known, &used)?,
                None => Write::create(&used)?,
            };
            if attempts.committed(self.commit(vec![write]).await).await? {
                return Ok(());
            }
            let row = used.key();
            known = take(&mut self.get_items(std::slice::from_ref(&row)).await?, &row)?;
        }
    }

    pub async fn key_use(&self, merchant: &MerchantId, id: &ApiKeyId) -> Result<Option<Stored<KeyUse>>, StoreError> {
        self.get(&keys::key_use(merchant, id)).await
    }

    pub async fn key_uses(&self, keys: &[Stored<ApiKey>]) -> Result<Vec<Stored<KeyUse>>, StoreError> {
        let keys: Vec<Key> = keys.iter().map(|key| keys::key_use(&key.merchant_id, &key.id)).collect();
        Ok(self.readable(self.get_items(&keys).await?))
    }

    pub async fn api_key(&self, merchant: &MerchantId, id: &ApiKeyId) -> Result<Option<Stored<ApiKey>>, StoreError> {
        self.get(&keys::api_key(merchant, id)).await
    }

    pub async fn find_api_key(&self, merchants: &[MerchantId], id: &ApiKeyId) -> Result<Option<Stored<ApiKey>>, StoreError> {
        let keys: Vec<Key> = merchants.iter().map(|merchant| keys::api_key(merchant, id)).collect();
        Ok(self.readable(self.get_items(&keys).await?).pop())
    }

    /// All keys of a merchant, also those that were over within the last 90 days.
    pub async fn api_keys(&self, merchant: &MerchantId) -> Result<Vec<Stored<ApiKey>>, StoreError> {
        self.query(Range::of_table(keys::merchant_partition(merchant)).beginning_with(keys::API_KEYS)).await
    }
}
