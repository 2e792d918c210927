//! Keys of merchants' programs. One that was revoked or rotated since the restored moment must not be good again: keys become those of
//! the previous table. Where that cannot be read, all keys end.

use jiff::Timestamp;
use shared::db::{Store, Stored, Write};
use shared::keys::model::key::{ApiKey, EndedBecause};
use shared::values::MerchantId;

use super::{Prepared, RestoreError};

pub(super) async fn carry_over(
    restored: &Store,
    previous: Option<&Store>,
    now: Timestamp,
    prepared: &mut Prepared,
) -> Result<(), RestoreError> {
    for merchant in restored.merchant_ids().await? {
        prepared.keys += match previous {
            Some(previous) => carry_over_of(restored, previous, &merchant, now).await?,
            None => end(restored, &restored.api_keys(&merchant).await?, now).await?,
        };
    }
    Ok(())
}

async fn carry_over_of(restored: &Store, previous: &Store, merchant: &MerchantId, now: Timestamp) -> Result<usize, RestoreError> {
    let mut here = restored.api_keys(merchant).await?;
    let there = previous.api_keys(merchant).await?;
    let mut changed = 0;
    for key in &there {
        let known = here.iter().position(|known| known.id == key.id).map(|position| here.swap_remove(position));
        let write = match &known {
            Some(known) if known.value == key.value => continue,
            Some(known) => Write::replace(known, &key.value)?,
            None => Write::create(&key.value)?,
        };
        restored.commit(vec![write]).await?;
        changed += 1;
    }
    // Whether the newest secret was used decides what a rotation does.
    for used in previous.key_uses(&there).await? {
        restored.commit(vec![Write::put(&used.value)?]).await?;
    }
    Ok(changed + end(restored, &here, now).await?)
}

async fn end(restored: &Store, keys: &[Stored<ApiKey>], now: Timestamp) -> Result<usize, RestoreError> {
    let mut ended = 0;
    for key in keys.iter().filter(|key| !key.is_over(now)) {
        restored.commit(vec![Write::replace(key, &key.over(EndedBecause::Revoked, now))?]).await?;
        ended += 1;
    }
    Ok(ended)
}
