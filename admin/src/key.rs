//! Revokes a key of a merchant's program, for example one that a scanner of secrets has found.

use clap::Args;
use jiff::Timestamp;
use shared::base::random::Random;
use shared::db::{Job, KeyNews, News, Store, StoreError, Task, Write};
use shared::keys::model::text::{KeyText, PREFIX};
use shared::merchants::model::activity::Actor;
use shared::merchants::model::audit::{AuditAction, AuditEntry};
use shared::values::{ApiKeyId, MerchantId};
use thiserror::Error;

use crate::operator::operator;

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// Id of the key, or its text. The id is looked for at every merchant
    key: String,
    /// Why, for the audit trail
    #[arg(long, default_value = "published")]
    reason: String,
}

/// None of them has the text.
#[derive(Debug, Error)]
pub(crate) enum RevokeError {
    #[error("the text is not that of a key: a part of it is missing or mistyped")]
    Mistyped,
    #[error("there is no such key")]
    NoSuchKey,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Ends the key, which the audit trail and the merchant's activity show, and tells its administrators. Returns what was done, as a
/// sentence.
pub(crate) async fn revoke(
    store: &Store,
    random: &Random,
    now: Timestamp,
    Revoke { key, reason }: Revoke,
) -> Result<String, RevokeError> {
    let text = key.trim();
    let (id, merchants): (ApiKeyId, Vec<MerchantId>) = if text.starts_with(PREFIX) {
        let text = KeyText::parse(text).ok_or(RevokeError::Mistyped)?;
        (text.id, vec![text.merchant])
    } else {
        (ApiKeyId::new(text), store.merchant_ids().await?)
    };
    let found = store.find_api_key(&merchants, &id).await?.ok_or(RevokeError::NoSuchKey)?;
    let merchant = found.merchant_id.clone();
    let entry = store.new_audit_entry(&operator(), Some(&merchant), AuditAction::KeyRevoked, now);
    let entry = AuditEntry { subject: Some(id.to_string()), reason: Some(reason), ..entry };
    let news = News::Key { key_id: id.clone(), what: KeyNews::Revoked };
    let job = Job::new(merchant.clone(), Task::TeamNews { news }, now, random);
    let with = [Write::create(&entry)?, Write::create(&job)?];
    let is_revoked = store.revoke_key(found, &Actor::platform(), &with, now).await?;
    let became = if is_revoked { "is revoked" } else { "had already ended" };
    Ok(format!("key {id} of merchant {merchant} {became}"))
}
